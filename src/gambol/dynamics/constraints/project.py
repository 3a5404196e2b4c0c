"""Puts a state on its constraints: positions by Newton's method, then speeds; by the least change that mass can feel.

With A = J M⁻¹ Jᵀ at hand, the displacement −M⁻¹ Jᵀ A⁻¹ D is the outward pass for the pushes of the multipliers A⁻¹ D.
"""

from gambol.dynamics.articulated import spread
from gambol.dynamics.constraints.linear import substitute
from gambol.dynamics.constraints.solve import add_forces
from gambol.dynamics.constraints.tables import GROUP_CELLS, GROUP_EXACT, GROUP_ON
from gambol.jit import function
from gambol.math.scalar import absolute, constant, load, maximum, store, where_positive


@function
def is_exact(constrained, group):
    """1 in worlds where this constraint is an exact loop that is on, else 0."""
    exact, on = (
        load(constrained.groups, group * GROUP_CELLS + GROUP_EXACT),
        load(constrained.groups, group * GROUP_CELLS + GROUP_ON),
    )
    return where_positive(exact, where_positive(on, constant(on, 1.0), constant(on, 0.0)), constant(on, 0.0))


@function
def any_exact(model, constrained):
    """1 in worlds where any constraint that is on is an exact one, else 0."""
    found = constant(load(constrained.groups, 0), 0.0)
    for g in range(constrained.groups.shape[0] // GROUP_CELLS):
        found = maximum(found, is_exact(constrained, g))
    return found


@function
def choose_exact(model, constrained):
    """Live are the rows of exact constraints."""
    for r in range(constrained.live.shape[0]):
        store(constrained.live, r, is_exact(constrained, model.constraints.group[r]))


@function
def largest_live(constrained, values):
    """Largest |value| over the rows that are live."""
    worst = constant(load(values, 0), 0.0)
    for r in range(values.shape[0]):
        size = absolute(load(values, r))
        worst = maximum(where_positive(load(constrained.live, r), size, worst), worst)
    return worst


@function
def correction(model, constrained, values, out):
    """out = −M⁻¹ Jᵀ A⁻¹ values over the live rows, and its largest entry; A must be factored."""
    zero = constant(load(values, 0), 0.0)
    for r in range(values.shape[0]):
        store(constrained.spare, r, -where_positive(load(constrained.live, r), load(values, r), zero))
    substitute(constrained.L, model.constraints.first, constrained.inverse, constrained.spare)
    for s in range(constrained.factors.push.shape[0]):
        store(constrained.factors.push, s, zero)
    add_forces(model, constrained, constrained.spare)
    spread(model.world, constrained.world, model.constraints.joints, constrained.factors, out, False)
    largest = zero
    for s in range(out.shape[0]):
        largest = maximum(absolute(load(out, s)), largest)
    return largest
