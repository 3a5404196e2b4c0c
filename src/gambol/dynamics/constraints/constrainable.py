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
from gambol.dynamics.constraints.tables import (
    BLOCK_GROUP,
    BLOCK_PATH,
    BLOCK_PATHS,
    BODY_A,
    BODY_B,
    COUPLED,
    GROUP_CELLS,
    GROUP_ON,
)
from gambol.dynamics.couplings import count_at
from gambol.jit import function
from gambol.math.memory import load_spatial
from gambol.math.scalar import constant, load, store, where_positive
from gambol.math.spatial import Spatial
from gambol.math.vector import Vec3


@function
def apply_wrench(model, constrained, block, row):
    """Fills reach[row]: the generalised force of a unit multiplier, seen through the joints below."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.factors.ease.shape[0]
    begin = table[block, BLOCK_PATH]
    on = load(constrained.groups, table[block, BLOCK_GROUP] * GROUP_CELLS + GROUP_ON)
    zero = constant(on, 0.0)
    for k in range(begin, begin + table[block, BLOCK_PATHS]):
        store(constrained.reach, row * nv + paths[k], zero)
    world, W, joints, factors = model.world, constrained.world.work, model.constraints.joints, constrained.factors
    for end, column in ((0, BODY_A), (1, BODY_B)):
        wrench = where_on(on, load_spatial(constrained.wrench, 12 * row + 6 * end))
        sweep(world, W, joints, factors, table[block, column], wrench, constrained.reach, row * nv)
    if count_at(constrained.report, COUPLED) > 0:
        reach_couplings(model, constrained, row)


@function
def where_on(on, f):
    """The wrench of a constraint, nothing in worlds where it is off: there it may not even be a number."""
    zero = constant(on, 0.0)
    ang = Vec3(where_positive(on, f.ang.x, zero), where_positive(on, f.ang.y, zero), where_positive(on, f.ang.z, zero))
    lin = Vec3(where_positive(on, f.lin.x, zero), where_positive(on, f.lin.y, zero), where_positive(on, f.lin.z, zero))
    return Spatial(ang, lin)


@function
def force_to_acceleration(model, constrained, block, row, other):
    """Acceleration along `row` (of `block`) for a unit multiplier of the row `other`."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.factors.ease.shape[0]
    begin, total = table[block, BLOCK_PATH], constant(load(constrained.factors.ease, 0), 0.0)
    for k in range(begin, begin + table[block, BLOCK_PATHS]):
        s = paths[k]
        pushed = load(constrained.factors.ease, s) * load(constrained.reach, other * nv + s)
        total = total + load(constrained.reach, row * nv + s) * pushed
    return total


@function
def acceleration_from_force(model, constrained, block, row):
    """Acceleration along `row` by the forces at the joints, on the bodies, and gyroscopic ones."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.factors.ease.shape[0]
    begin, total = table[block, BLOCK_PATH], constant(load(constrained.factors.ease, 0), 0.0)
    for k in range(begin, begin + table[block, BLOCK_PATHS]):
        s = paths[k]
        pushed = load(constrained.factors.ease, s) * load(constrained.factors.push, s)
        total = total + load(constrained.reach, row * nv + s) * pushed
    return total


@function
def acceleration_from_velocity(constrained, row):
    """Acceleration along `row` with every joint acceleration zero (given ones of driven joints included)."""
    return load(constrained.bias, row)
