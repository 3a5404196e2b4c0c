"""What an object must offer to be constrained: the four routines of the source (§2.4.3), for links of any figure.

    apply_wrench                what a wrench on a body does at every speed          (apply point force: Jᵀ F)
    force_to_acceleration       multiplier of one row to acceleration of another     (J_i M⁻¹ J_jᵀ)
    acceleration_from_force     of a row, by all forces that are no constraint's     (J_i M⁻¹ τ)
    acceleration_from_velocity  of a row, by velocities alone                        (J̇_i v)

A free body is a figure of one link, so free bodies, links of chains and the world itself mix at will. All four need
`factor` to have run; the first costs one pass of forces to the root, the others a scalar product along that path.
"""

from gambol.dynamics.articulated import sweep
from gambol.dynamics.constraints.coupled import reach_couplings
from gambol.dynamics.constraints.tables import BODY_A, BODY_B, COUPLED, PATH, PATHS, factors_of
from gambol.jit import function
from gambol.math.memory import load_spatial


@function
def apply_wrench(model, constrained, block, row):
    """Fills reach[row]: the generalised force of a unit multiplier, seen through the joints below."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.ease.shape[0]
    begin = table[block, PATH]
    for k in range(begin, begin + table[block, PATHS]):
        constrained.reach[row * nv + paths[k]] = 0.0
    world, W, joints, factors = model.world, constrained.world.work, model.constraints.joints, factors_of(constrained)
    for end, column in ((0, BODY_A), (1, BODY_B)):
        wrench = load_spatial(constrained.wrench, 12 * row + 6 * end)
        sweep(world, W, joints, factors, table[block, column], wrench, constrained.reach, row * nv)
    if constrained.report[COUPLED] > 0.0:
        reach_couplings(model, constrained, row)


@function
def force_to_acceleration(model, constrained, block, row, other):
    """Acceleration along `row` (of `block`) for a unit multiplier of the row `other`."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.ease.shape[0]
    begin, total = table[block, PATH], 0.0
    for k in range(begin, begin + table[block, PATHS]):
        s = paths[k]
        total += constrained.reach[row * nv + s] * constrained.ease[s] * constrained.reach[other * nv + s]
    return total


@function
def acceleration_from_force(model, constrained, block, row):
    """Acceleration along `row` by the forces at the joints, on the bodies, and gyroscopic ones."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.ease.shape[0]
    begin, total = table[block, PATH], 0.0
    for k in range(begin, begin + table[block, PATHS]):
        s = paths[k]
        total += constrained.reach[row * nv + s] * constrained.ease[s] * constrained.push[s]
    return total


@function
def acceleration_from_velocity(constrained, row):
    """Acceleration along `row` with every joint acceleration zero (given ones of driven joints included)."""
    return constrained.bias[row]
