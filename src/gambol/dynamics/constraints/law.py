"""What the second derivative of each deviation should be.

position       D'' = −2λ D' − λ² D          critically damped: ‖D‖ = ‖D(0)‖ (1 + λt) e^(−λt) from rest
velocity       D'' = −λ D'
acceleration   D'' = 0                      exact, without feedback
arrival        as position, about the path of least jerk from where it began to rest at D = 0 at the time given
penalty        none: the force is −stiffness D − damping D'
"""

from gambol.dynamics.constraints.tables import (
    ARRIVAL_BEGUN,
    ARRIVAL_CELLS,
    ARRIVAL_END,
    ARRIVAL_START,
    BLOCK_GROUP,
    BLOCK_ORDER,
    BLOCK_ROW,
    BLOCK_ROWS,
    GROUP_CELLS,
    GROUP_DAMPING,
    GROUP_ON,
    GROUP_RATE,
    GROUP_STIFFNESS,
    LAW_ARRIVAL,
    LAW_PENALTY,
    LAW_POSITION,
    LAW_VELOCITY,
)
from gambol.jit import function, outlined
from gambol.math.scalar import constant, load, number_like, store, where_positive


@function
def least_jerk(x0, v0, span, u):
    """Path of least jerk from (x0, v0, 0) to rest at zero, `span` long, at the share u: place, rate, acceleration."""
    w, v = constant(u, 1.0) - u, v0 * span
    # x0 (1 + 3u + 6u²)(1−u)³ + v (u + 3u²)(1−u)³
    place = (x0 * (1.0 + u * (3.0 + 6.0 * u)) + v * u * (1.0 + 3.0 * u)) * w * w * w
    rate = (-30.0 * x0 * u * u + v * (1.0 + u * (2.0 - 15.0 * u))) * w * w
    bend = (x0 * (-60.0 * u + 120.0 * u * u) + v * (-36.0 * u + 60.0 * u * u)) * w
    return place, rate / span, bend / (span * span)


@function
def apply_law(model, constrained, t):
    """Fills wanted, live and, for penalties, force."""
    table, groups = model.constraints.table, constrained.groups
    for block in range(table.shape[0]):
        g, order = table[block, BLOCK_GROUP] * GROUP_CELLS, table[block, BLOCK_ORDER]
        on, rate = load(groups, g + GROUP_ON), load(groups, g + GROUP_RATE)
        zero, one = constant(on, 0.0), constant(on, 1.0)
        solved = where_positive(on, one, zero) if order != LAW_PENALTY else zero
        for r in range(table[block, BLOCK_ROW], table[block, BLOCK_ROW] + table[block, BLOCK_ROWS]):
            D, D1 = load(constrained.dev, r), load(constrained.rate, r)
            force = wanted = zero
            if order == LAW_POSITION:
                wanted = -rate * (D1 + D1 + rate * D)
            elif order == LAW_VELOCITY:
                wanted = -rate * D1
            elif order == LAW_ARRIVAL:
                place, speed, bend = planned(constrained, g, r, t)
                behind = D1 - speed
                wanted = bend - rate * (behind + behind + rate * (D - place))
            elif order == LAW_PENALTY:
                force = where_positive(
                    on, -load(groups, g + GROUP_STIFFNESS) * D - load(groups, g + GROUP_DAMPING) * D1, zero
                )
            store(constrained.force, r, force)
            store(constrained.wanted, r, wanted)
            store(constrained.live, r, solved)


@function
def planned(constrained, g, r, t):
    """Where the path of an arrival is; at rest at zero from its end on."""
    groups, starts = constrained.groups, constrained.starts
    begin, end, begun = load(groups, g + ARRIVAL_START), load(groups, g + ARRIVAL_END), load(groups, g + ARRIVAL_BEGUN)
    zero = constant(begin, 0.0)
    x0, v0 = load(starts, ARRIVAL_CELLS * r), load(starts, ARRIVAL_CELLS * r + 1)
    under_way = where_positive(begun, end - number_like(begin, t), zero)
    span = where_positive(under_way, end - begin, constant(begin, 1.0))
    place, rate, bend = least_jerk(x0, v0, span, (number_like(begin, t) - begin) / span)
    return (
        where_positive(under_way, place, zero),
        where_positive(under_way, rate, zero),
        where_positive(under_way, bend, zero),
    )


@outlined
def begin_arrivals(model, constrained, t):
    """Remembers where arrivals begin that have not yet begun; rows must be measured."""
    table, groups, starts = model.constraints.table, constrained.groups, constrained.starts
    for block in range(table.shape[0]):
        if table[block, BLOCK_ORDER] != LAW_ARRIVAL:
            continue
        g = table[block, BLOCK_GROUP] * GROUP_CELLS
        on, begun, began = load(groups, g + GROUP_ON), load(groups, g + ARRIVAL_BEGUN), load(groups, g + ARRIVAL_START)
        begins = where_positive(begun, constant(on, 0.0), on)
        for r in range(table[block, BLOCK_ROW], table[block, BLOCK_ROW] + table[block, BLOCK_ROWS]):
            at = ARRIVAL_CELLS * r
            store(starts, at, where_positive(begins, load(constrained.dev, r), load(starts, at)))
            store(starts, at + 1, where_positive(begins, load(constrained.rate, r), load(starts, at + 1)))
        store(groups, g + ARRIVAL_START, where_positive(begins, number_like(began, t), began))
        store(groups, g + ARRIVAL_BEGUN, where_positive(begins, constant(on, 1.0), begun))
