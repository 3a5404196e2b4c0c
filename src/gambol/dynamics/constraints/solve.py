"""Constraint forces: assemble A F = −B and solve it.

Four solvers (ConstraintTables.options):
    direct      L D Lᵀ of all rows as they stand: strengths are not looked at, and no row is left out for depending
                almost on others, so that near a singular position forces are as large as the equations say
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
    ADDRESS,
    BODY_A,
    BODY_B,
    BOUNDED,
    BY_ADDRESS,
    CUT,
    CUTOFF,
    CUTS,
    DAMPED,
    DEPENDENT,
    DETAIL,
    DIRECT,
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
from gambol.jit import call, function, outlined

SOFTNESS = 1e-5
ROUNDING = 1e-14  # singular values below this share of the largest are zero whatever the solver


@function
def softness_now(constrained):
    """What share of its inertia every row gives way by: nothing, but while steps are too short.

    At a singular position errors of positions come back as speeds, multiplied by the inverse square of the distance
    from it. Steps that end close to it become shorter and shorter; where constraints give way a little they pass.
    """
    return SOFTNESS if constrained.report[LOOSE] > 0.0 else 0.0


@outlined
def measure_rows(model, constrained, t):
    """Deviations, their rates and biases, and the wrenches of every row. Bodies are placed and located."""
    table = model.constraints.table
    for block in range(table.shape[0]):
        kind, a, b = table[block, KIND], table[block, BODY_A], table[block, BODY_B]
        row, rows, p = table[block, ROW], table[block, ROWS], table[block, PARAM]
        if kind == BY_ADDRESS:
            call(table[block, ADDRESS], (model, constrained, t, block, a, b, row, rows, p))
        else:
            measure_block(kind, model, constrained, t, block, a, b, row, rows, p)


@outlined
def assemble(model, constrained):
    """A: what a unit multiplier of each row accelerates, along each row that shares a speed with it."""
    table, first = model.constraints.table, model.constraints.first
    m = constrained.dev.shape[0]
    for block in range(table.shape[0]):
        for i in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
            apply_wrench(model, constrained, block, i)
            for j in range(first[i], i + 1):
                x = force_to_acceleration(model, constrained, block, i, j)
                constrained.A[i * m + j] = x
                constrained.A[j * m + i] = x
        scale_rows(constrained, table[block, ROW], table[block, ROWS])


@function
def scale_rows(constrained, first, count):
    """Rows of one block are measured by the one that moves most easily; at a singular position another may not move."""
    m, most = constrained.dev.shape[0], 0.0
    for r in range(first, first + count):
        most = max(most, constrained.A[r * m + r])
    for r in range(first, first + count):
        constrained.scale[r] = most


@outlined
def require(model, constrained):
    """B: what each row's acceleration without constraint forces has too much of; penalties act like any force."""
    table = model.constraints.table
    add_forces(model, constrained, constrained.force)
    for block in range(table.shape[0]):
        for r in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
            free = acceleration_from_force(model, constrained, block, r) + acceleration_from_velocity(constrained, r)
            constrained.B[r] = (free - constrained.wanted[r]) * constrained.live[r]


@outlined
def add_forces(model, constrained, force):
    """The pushes at the speeds get their shares of the rows' forces."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.ease.shape[0]
    for block in range(table.shape[0]):
        begin = table[block, PATH]
        for r in range(table[block, ROW], table[block, ROW] + table[block, ROWS]):
            if force[r] != 0.0:
                for k in range(begin, begin + table[block, PATHS]):
                    constrained.push[paths[k]] += constrained.reach[r * nv + paths[k]] * force[r]


@outlined
def find_forces(model, constrained):
    """Forces of the live rows, by the solver chosen; reports rank, cuts and residual."""
    options, m = model.constraints.options, constrained.dev.shape[0]
    report, counts = constrained.report, constrained.counts
    solver = int(options[SOLVER])
    counts[SOLVES] += 1.0
    counts[SOFT] += report[LOOSE]
    report[CUTS] = 0.0
    live = 0.0
    for r in range(m):
        live += constrained.live[r]
        constrained.spare[r] = -constrained.B[r]
        constrained.force[r] *= 1.0 - constrained.live[r]
        constrained.values[r] = math.nan
    if solver == BOUNDED or solver == DIRECT:
        cutoff, softness = options[CUTOFF], softness_now(constrained)
        if solver == DIRECT:
            cutoff, softness = 0.0, 0.0
        rank = factorise(
            constrained.A,
            model.constraints.first,
            constrained.live,
            constrained.scale,
            cutoff,
            softness,
            constrained.L,
            constrained.pivot,
        )
        substitute(constrained.L, model.constraints.first, constrained.pivot, constrained.spare)
        report[RANK] = rank
        if solver == BOUNDED and exceeds(model, constrained, constrained.spare, -1):
            diagonalise(constrained.A, constrained.live, constrained.L, constrained.V, constrained.values)
            cut_forces(model, constrained)
        elif report[DETAIL] > 1.0:
            diagonalise(constrained.A, constrained.live, constrained.L, constrained.V, constrained.values)
    else:
        diagonalise(constrained.A, constrained.live, constrained.L, constrained.V, constrained.values)
        spectral_forces(model, constrained, options[RHO] if solver == DAMPED else 0.0)
    if report[RANK] < live:
        counts[DEPENDENT] += 1.0
    for r in range(m):
        if constrained.live[r] > 0.0:
            constrained.force[r] = constrained.spare[r]
    report[RESIDUAL] = residual(constrained) if report[DETAIL] > 0.0 else math.nan


@outlined
def exceeds(model, constrained, force, island):
    """Is any group's force beyond its strength? Of one island, or of all (-1)."""
    group, m = model.constraints.group, force.shape[0]
    r = 0
    while r < m:  # rows of a group stand together
        g, square = group[r], 0.0
        here = island < 0 or model.constraints.island[r] == island
        while r < m and group[r] == g:
            square += force[r] * force[r] * constrained.live[r]
            r += 1
        bound = constrained.groups[g * GROUP_CELLS + STRENGTH]
        if here and square > bound * bound:
            return True
    return False


@outlined
def spectral_forces(model, constrained, rho):
    """F = −Σ v (v·B) μ/(μ² + ρ²) over singular values above the cut-off."""
    m = constrained.dev.shape[0]
    least = max(model.constraints.options[CUTOFF], ROUNDING) * constrained.values[0] if rho == 0.0 else 0.0
    rank = 0
    for r in range(m):
        constrained.spare[r] = 0.0
    for k in range(m):
        mu = constrained.values[k]
        if mu > least:
            rank += 1
            add_mode(constrained, k, mu / (mu * mu + rho * rho))
    constrained.report[RANK] = rank


@outlined
def add_mode(constrained, k, weight):
    """spare −= weight · v (v·B) of the singular direction k."""
    m = constrained.dev.shape[0]
    share = 0.0
    for r in range(m):
        share += constrained.V[r * m + k] * constrained.B[r]
    for r in range(m):
        constrained.spare[r] -= weight * share * constrained.V[r * m + k]


@outlined
def cut_forces(model, constrained):
    """Drops singular values, smallest first, until no group's force is beyond its strength.

    Constraints that share no body with an overloaded one keep theirs: each island is cut for itself.
    """
    m, values, cuts = constrained.dev.shape[0], constrained.values, 0
    for k in range(m):
        constrained.kept[k] = 1.0 if values[k] > ROUNDING * values[0] else 0.0
    sum_modes(constrained)
    for k in range(m - 1, -1, -1):
        if constrained.kept[k] > 0.0 and exceeds(
            model, constrained, constrained.spare, island_of(model, constrained, k)
        ):
            constrained.kept[k] = 0.0
            cuts += 1
            sum_modes(constrained)
    rank = 0
    for k in range(m):
        rank += int(constrained.kept[k])
    constrained.report[RANK] = rank
    constrained.report[CUTS] = cuts
    if cuts > 0:
        constrained.counts[CUT] += 1.0


@outlined
def sum_modes(constrained):
    """The forces of the singular directions kept."""
    for r in range(constrained.spare.shape[0]):
        constrained.spare[r] = 0.0
    for k in range(constrained.spare.shape[0]):
        if constrained.kept[k] > 0.0:
            add_mode(constrained, k, 1.0 / constrained.values[k])


@outlined
def island_of(model, constrained, k):
    """The island that a singular direction is of: that of its largest row."""
    m, best = constrained.dev.shape[0], 0
    for r in range(m):
        if abs(constrained.V[r * m + k]) > abs(constrained.V[best * m + k]):
            best = r
    return model.constraints.island[best]


@outlined
def residual(constrained):
    """‖A F + B‖ over the live rows."""
    m, total = constrained.dev.shape[0], 0.0
    for i in range(m):
        if constrained.live[i] > 0.0:
            x = constrained.B[i]
            for j in range(m):
                if constrained.live[j] > 0.0:
                    x += constrained.A[i * m + j] * constrained.force[j]
            total += x * x
    return math.sqrt(total)
