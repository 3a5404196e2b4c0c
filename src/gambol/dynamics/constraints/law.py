"""What the second derivative of each deviation should be.

position       D'' = −2λ D' − λ² D          critically damped: ‖D‖ = ‖D(0)‖ (1 + λt) e^(−λt) from rest
velocity       D'' = −λ D'
acceleration   D'' = 0                      exact, without feedback
arrival        as position, about the path of least jerk from where it began to rest at D = 0 at the time given
penalty        none: the force is −stiffness D − damping D'
"""

from gambol.dynamics.constraints.tables import (
    ARRIVAL,
    ARRIVAL_CELLS,
    BEGIN,
    BEGUN,
    DAMPING,
    END,
    GROUP,
    GROUP_CELLS,
    ON,
    ORDER,
    PENALTY,
    POSITION,
    RATE,
    ROW,
    ROWS,
    STIFFNESS,
    VELOCITY,
)
from gambol.jit import function, outlined


@function
def least_jerk(x0, v0, span, u):
    """Path of least jerk from (x0, v0, 0) to rest at zero, `span` long, at the share u: place, rate, acceleration."""
    w, v = 1.0 - u, v0 * span
    # x0 (1 + 3u + 6u²)(1−u)³ + v (u + 3u²)(1−u)³
    place = (x0 * (1.0 + u * (3.0 + 6.0 * u)) + v * u * (1.0 + 3.0 * u)) * w * w * w
    rate = (-30.0 * x0 * u * u + v * (1.0 + u * (2.0 - 15.0 * u))) * w * w
    bend = (x0 * (-60.0 * u + 120.0 * u * u) + v * (-36.0 * u + 60.0 * u * u)) * w
    return place, rate / span, bend / (span * span)


@outlined
def apply_law(model, constrained, t):
    """Fills wanted, live and, for penalties, force."""
    table = model.constraints.table
    for block in range(table.shape[0]):
        g, order = table[block, GROUP] * GROUP_CELLS, table[block, ORDER]
        on = constrained.groups[g + ON] > 0.0
        rate = constrained.groups[g + RATE]
        for r in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
            D, D1 = constrained.dev[r], constrained.rate[r]
            constrained.force[r] = 0.0
            constrained.wanted[r] = 0.0
            constrained.live[r] = 1.0 if on and order != PENALTY else 0.0
            if order == POSITION:
                constrained.wanted[r] = -rate * (2.0 * D1 + rate * D)
            elif order == VELOCITY:
                constrained.wanted[r] = -rate * D1
            elif order == ARRIVAL:
                place, speed, bend = planned(constrained, g, r, t)
                constrained.wanted[r] = bend - rate * (2.0 * (D1 - speed) + rate * (D - place))
            elif order == PENALTY and on:
                constrained.force[r] = -constrained.groups[g + STIFFNESS] * D - constrained.groups[g + DAMPING] * D1


@function
def planned(constrained, g, r, t):
    """Where the path of an arrival is; at rest at zero from its end on."""
    begin, end = constrained.groups[g + BEGIN], constrained.groups[g + END]
    if t >= end or constrained.groups[g + BEGUN] == 0.0:
        return 0.0, 0.0, 0.0
    x0, v0 = constrained.starts[ARRIVAL_CELLS * r], constrained.starts[ARRIVAL_CELLS * r + 1]
    return least_jerk(x0, v0, end - begin, (t - begin) / (end - begin))


@outlined
def begin_arrivals(model, constrained, t):
    """Remembers where arrivals begin that have not yet begun; rows must be measured."""
    table = model.constraints.table
    for block in range(table.shape[0]):
        g = table[block, GROUP] * GROUP_CELLS
        if table[block, ORDER] == ARRIVAL and constrained.groups[g + ON] > 0.0 and constrained.groups[g + BEGUN] == 0.0:
            for r in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
                constrained.starts[ARRIVAL_CELLS * r] = constrained.dev[r]
                constrained.starts[ARRIVAL_CELLS * r + 1] = constrained.rate[r]
            constrained.groups[g + BEGIN] = t
            constrained.groups[g + BEGUN] = 1.0
