"""Constraint forces: assemble A F = −B and solve it.

Three solvers (ConstraintTables.options):
    bounded     L D Lᵀ with dependent rows left out; if a group's force exceeds its strength, the singular values of A
                are dropped one at a time, smallest first, until every force is within its bound (§2.3.4 of the source)
    truncated   all singular values above the cut-off; strengths are not looked at
    damped      damped least squares: 1/μ becomes μ / (μ² + ρ²)
"""

import math

from gambol.dynamics.constraints.constrainable import (
    acceleration_from_force,
    acceleration_from_velocity,
    apply_wrench,
    force_to_acceleration,
)
from gambol.dynamics.constraints.kinds import measure_block
from gambol.dynamics.constraints.linear import diagonalise, factorise, substitute
from gambol.dynamics.constraints.tables import (
    BODY_A,
    BODY_B,
    BOUNDED,
    CUT,
    CUTOFF,
    CUTS,
    DAMPED,
    DEPENDENT,
    DETAIL,
    GROUP_CELLS,
    KIND,
    LOOSE,
    PARAM,
    PATH,
    PATHS,
    RANK,
    RESIDUAL,
    RHO,
    ROW,
    ROWS,
    SOFT,
    SOLVER,
    SOLVES,
    STRENGTH,
)
from gambol.jit import function, outlined

SOFTNESS = 1e-5
ROUNDING = 1e-14  # singular values below this share of the largest are zero whatever the solver


@function
def softness_now(tether):
    """What share of its inertia every row gives way by: nothing, but while steps are too short.

    At a singular position errors of positions come back as speeds, multiplied by the inverse square of the distance
    from it. Steps that end close to it become shorter and shorter; where constraints give way a little they pass.
    """
    return SOFTNESS if tether.report[LOOSE] > 0.0 else 0.0


@outlined
def measure_rows(model, tether, t):
    """Deviations, their rates and biases, and the wrenches of every row. Bodies are placed and located."""
    table = model.constraints.table
    for block in range(table.shape[0]):
        measure_block(
            table[block, KIND],
            model,
            tether,
            t,
            block,
            table[block, BODY_A],
            table[block, BODY_B],
            table[block, ROW],
            table[block, ROWS],
            table[block, PARAM],
        )


@outlined
def assemble(model, tether):
    """A: what a unit multiplier of each row accelerates, along each row that shares a speed with it."""
    table, first = model.constraints.table, model.constraints.first
    m = tether.dev.shape[0]
    for block in range(table.shape[0]):
        for i in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
            apply_wrench(model, tether, block, i)
            for j in range(first[i], i + 1):
                x = force_to_acceleration(model, tether, block, i, j)
                tether.A[i * m + j] = x
                tether.A[j * m + i] = x
        scale_rows(tether, table[block, ROW], table[block, ROWS])


@function
def scale_rows(tether, first, count):
    """Rows of one block are measured by the one that moves most easily; at a singular position another may not move."""
    m, most = tether.dev.shape[0], 0.0
    for r in range(first, first + count):
        most = max(most, tether.A[r * m + r])
    for r in range(first, first + count):
        tether.scale[r] = most


@outlined
def require(model, tether):
    """B: what each row's acceleration without constraint forces has too much of; penalties act like any force."""
    table = model.constraints.table
    add_forces(model, tether, tether.force)
    for block in range(table.shape[0]):
        for r in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
            free = acceleration_from_force(model, tether, block, r) + acceleration_from_velocity(tether, r)
            tether.B[r] = (free - tether.wanted[r]) * tether.live[r]


@outlined
def add_forces(model, tether, force):
    """The pushes at the speeds get their shares of the rows' forces."""
    table, paths, nv = model.constraints.table, model.constraints.paths, tether.ease.shape[0]
    for block in range(table.shape[0]):
        begin = table[block, PATH]
        for r in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
            if force[r] != 0.0:
                for k in range(begin, begin + table[block, PATHS]):
                    tether.push[paths[k]] += tether.reach[r * nv + paths[k]] * force[r]


@outlined
def find_forces(model, tether):
    """Forces of the live rows, by the solver chosen; reports rank, cuts and residual."""
    options, m = model.constraints.options, tether.dev.shape[0]
    report, counts = tether.report, tether.counts
    solver = int(options[SOLVER])
    counts[SOLVES] += 1.0
    counts[SOFT] += report[LOOSE]
    report[CUTS] = 0.0
    live = 0.0
    for r in range(m):
        live += tether.live[r]
        tether.spare[r] = -tether.B[r]
        tether.force[r] *= 1.0 - tether.live[r]
        tether.values[r] = math.nan
    if solver == BOUNDED:
        cutoff, softness = options[CUTOFF], softness_now(tether)
        rank = factorise(
            tether.A, model.constraints.first, tether.live, tether.scale, cutoff, softness, tether.L, tether.pivot
        )
        substitute(tether.L, model.constraints.first, tether.pivot, tether.spare)
        report[RANK] = rank
        if exceeds(model, tether, tether.spare, -1):
            diagonalise(tether.A, tether.live, tether.L, tether.V, tether.values)
            cut_forces(model, tether)
        elif report[DETAIL] > 1.0:
            diagonalise(tether.A, tether.live, tether.L, tether.V, tether.values)
    else:
        diagonalise(tether.A, tether.live, tether.L, tether.V, tether.values)
        spectral_forces(model, tether, options[RHO] if solver == DAMPED else 0.0)
    if report[RANK] < live:
        counts[DEPENDENT] += 1.0
    for r in range(m):
        if tether.live[r] > 0.0:
            tether.force[r] = tether.spare[r]
    report[RESIDUAL] = residual(tether) if report[DETAIL] > 0.0 else math.nan


@outlined
def exceeds(model, tether, force, island):
    """Is any group's force beyond its strength? Of one island, or of all (-1)."""
    group, m = model.constraints.group, force.shape[0]
    r = 0
    while r < m:  # rows of a group stand together
        g, square = group[r], 0.0
        here = island < 0 or model.constraints.island[r] == island
        while r < m and group[r] == g:
            square += force[r] * force[r] * tether.live[r]
            r += 1
        bound = tether.groups[g * GROUP_CELLS + STRENGTH]
        if here and square > bound * bound:
            return True
    return False


@outlined
def spectral_forces(model, tether, rho):
    """F = −Σ v (v·B) μ/(μ² + ρ²) over singular values above the cut-off."""
    m = tether.dev.shape[0]
    least = max(model.constraints.options[CUTOFF], ROUNDING) * tether.values[0] if rho == 0.0 else 0.0
    rank = 0
    for r in range(m):
        tether.spare[r] = 0.0
    for k in range(m):
        mu = tether.values[k]
        if mu > least:
            rank += 1
            add_mode(tether, k, mu / (mu * mu + rho * rho))
    tether.report[RANK] = rank


@outlined
def add_mode(tether, k, weight):
    """spare −= weight · v (v·B) of the singular direction k."""
    m = tether.dev.shape[0]
    share = 0.0
    for r in range(m):
        share += tether.V[r * m + k] * tether.B[r]
    for r in range(m):
        tether.spare[r] -= weight * share * tether.V[r * m + k]


@outlined
def cut_forces(model, tether):
    """Drops singular values, smallest first, until no group's force is beyond its strength.

    Constraints that share no body with an overloaded one keep theirs: each island is cut for itself.
    """
    m, values, cuts = tether.dev.shape[0], tether.values, 0
    for k in range(m):
        tether.kept[k] = 1.0 if values[k] > ROUNDING * values[0] else 0.0
    sum_modes(tether)
    for k in range(m - 1, -1, -1):
        if tether.kept[k] > 0.0 and exceeds(model, tether, tether.spare, island_of(model, tether, k)):
            tether.kept[k] = 0.0
            cuts += 1
            sum_modes(tether)
    rank = 0
    for k in range(m):
        rank += int(tether.kept[k])
    tether.report[RANK] = rank
    tether.report[CUTS] = cuts
    if cuts > 0:
        tether.counts[CUT] += 1.0


@outlined
def sum_modes(tether):
    """The forces of the singular directions kept."""
    for r in range(tether.spare.shape[0]):
        tether.spare[r] = 0.0
    for k in range(tether.spare.shape[0]):
        if tether.kept[k] > 0.0:
            add_mode(tether, k, 1.0 / tether.values[k])


@outlined
def island_of(model, tether, k):
    """The island that a singular direction is of: that of its largest row."""
    m, best = tether.dev.shape[0], 0
    for r in range(m):
        if abs(tether.V[r * m + k]) > abs(tether.V[best * m + k]):
            best = r
    return model.constraints.island[best]


@outlined
def residual(tether):
    """‖A F + B‖ over the live rows."""
    m, total = tether.dev.shape[0], 0.0
    for i in range(m):
        if tether.live[i] > 0.0:
            x = tether.B[i]
            for j in range(m):
                if tether.live[j] > 0.0:
                    x += tether.A[i * m + j] * tether.force[j]
            total += x * x
    return math.sqrt(total)
