"""Puts a state on its constraints: positions by Newton's method, then speeds; by the least change that mass can feel.

With A = J M⁻¹ Jᵀ at hand, the displacement −M⁻¹ Jᵀ A⁻¹ D is the outward pass for the pushes of the multipliers A⁻¹ D.
"""

from gambol.dynamics.articulated import spread
from gambol.dynamics.constraints.linear import factorise, substitute
from gambol.dynamics.constraints.solve import add_forces, softness_now
from gambol.dynamics.constraints.tables import CUTOFF, EXACT, GROUP_CELLS, ON, factors_of
from gambol.jit import function, outlined


@function
def is_exact(constrained, group):
    """Is this constraint an exact loop that is on?"""
    return constrained.groups[group * GROUP_CELLS + EXACT] > 0.0 and constrained.groups[group * GROUP_CELLS + ON] > 0.0


@outlined
def any_exact(model, constrained):
    """Is any constraint that is on an exact one?"""
    for g in range(constrained.groups.shape[0] // GROUP_CELLS):
        if is_exact(constrained, g):
            return True
    return False


@outlined
def choose_exact(model, constrained):
    """Live are the rows of exact constraints."""
    for r in range(constrained.live.shape[0]):
        constrained.live[r] = 1.0 if is_exact(constrained, model.constraints.group[r]) else 0.0


@outlined
def largest_live(constrained, values):
    """Largest |value| over the rows that are live."""
    worst = 0.0
    for r in range(values.shape[0]):
        if constrained.live[r] > 0.0:
            worst = max(worst, abs(values[r]))
    return worst


@outlined
def correction(model, constrained, values, out):
    """out = −M⁻¹ Jᵀ A⁻¹ values over the live rows, and its largest entry; A must be assembled."""
    m, nv = constrained.dev.shape[0], out.shape[0]
    cutoff, softness = model.constraints.options[CUTOFF], softness_now(constrained)
    factorise(
        constrained.A,
        model.constraints.first,
        constrained.live,
        constrained.scale,
        cutoff,
        softness,
        constrained.L,
        constrained.pivot,
    )
    for r in range(m):
        constrained.spare[r] = -values[r] * constrained.live[r]
    substitute(constrained.L, model.constraints.first, constrained.pivot, constrained.spare)
    for s in range(constrained.push.shape[0]):
        constrained.push[s] = 0.0
    add_forces(model, constrained, constrained.spare)
    spread(model.world, constrained.world, model.constraints.joints, factors_of(constrained), out, False)
    largest = 0.0
    for s in range(nv):
        largest = max(largest, abs(out[s]))
    return largest
