"""Puts a state on its constraints: positions by Newton's method, then speeds; by the least change that mass can feel.

With A = J M⁻¹ Jᵀ at hand, the displacement −M⁻¹ Jᵀ A⁻¹ D is the outward pass for the pushes of the multipliers A⁻¹ D.
"""

from gambol.dynamics.constraints.articulated import spread
from gambol.dynamics.constraints.linear import factorise, substitute
from gambol.dynamics.constraints.solve import add_forces, softness_now
from gambol.dynamics.constraints.tables import CUTOFF, EXACT, GROUP_CELLS, ON
from gambol.jit import function, outlined


@function
def is_exact(tether, group):
    return tether.groups[group * GROUP_CELLS + EXACT] > 0.0 and tether.groups[group * GROUP_CELLS + ON] > 0.0


@outlined
def any_exact(model, tether):
    """Is any constraint that is on an exact one?"""
    for g in range(tether.groups.shape[0] // GROUP_CELLS):
        if is_exact(tether, g):
            return True
    return False


@outlined
def choose_exact(model, tether):
    """Live are the rows of exact constraints."""
    for r in range(tether.live.shape[0]):
        tether.live[r] = 1.0 if is_exact(tether, model.constraints.group[r]) else 0.0


@outlined
def largest_live(tether, values):
    worst = 0.0
    for r in range(values.shape[0]):
        if tether.live[r] > 0.0:
            worst = max(worst, abs(values[r]))
    return worst


@outlined
def correction(model, tether, values, out):
    """out = −M⁻¹ Jᵀ A⁻¹ values over the live rows, and its largest entry; A must be assembled."""
    m, nv = tether.dev.shape[0], tether.ease.shape[0]
    cutoff, softness = model.constraints.options[CUTOFF], softness_now(tether)
    factorise(tether.A, model.constraints.first, tether.live, tether.scale, cutoff, softness, tether.L, tether.pivot)
    for r in range(m):
        tether.spare[r] = -values[r] * tether.live[r]
    substitute(tether.L, model.constraints.first, tether.pivot, tether.spare)
    for s in range(nv):
        tether.push[s] = 0.0
    add_forces(model, tether, tether.spare)
    spread(model, tether, tether.push, out, False)
    largest = 0.0
    for s in range(nv):
        largest = max(largest, abs(out[s]))
    return largest
