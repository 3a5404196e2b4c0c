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
    BLOCK_ADDRESS,
    BLOCK_KIND,
    BLOCK_PARAM,
    BLOCK_PATH,
    BLOCK_PATHS,
    BLOCK_ROW,
    BLOCK_ROWS,
    BODY_A,
    BODY_B,
    BOUNDED,
    BY_ADDRESS,
    CUT_SOLVES,
    CUTOFF,
    CUTS,
    DAMPED,
    DEPENDENT,
    DETAIL,
    DIRECT,
    GROUP_CELLS,
    GROUP_STRENGTH,
    LOOSE,
    RANK,
    RESIDUAL,
    RHO,
    ROUNDING,
    SOFT,
    SOLVER,
    SOLVES,
)
from gambol.dynamics.couplings import count_at
from gambol.jit import call, function, outlined, reference
from gambol.math.memory import add_to
from gambol.math.scalar import (
    absolute,
    any_positive,
    constant,
    lanes_of,
    load,
    load_lane,
    maximum,
    number_like,
    sqrt,
    store,
    store_lane,
    where_positive,
)

SOFTNESS = 1e-5
SMALLEST = 45.0  # roundings: singular values below this share of the largest are zero whatever the solver


@function
def softness_now(constrained):
    """What share of its inertia every row gives way by: nothing, but while steps are too short.

    At a singular position errors of positions come back as speeds, multiplied by the inverse square of the distance
    from it. Steps that end close to it become shorter and shorter; where constraints give way a little they pass.
    """
    loose = load(constrained.report, LOOSE)
    return where_positive(loose, constant(loose, SOFTNESS), constant(loose, 0.0))


@function
def measure_rows(model, constrained, t):
    """Deviations, their rates and biases, and the wrenches of every row. Bodies are placed and located."""
    table = model.constraints.table
    time = number_like(load(constrained.dev, 0), t)
    for block in range(table.shape[0]):
        kind, a, b = table[block, BLOCK_KIND], table[block, BODY_A], table[block, BODY_B]
        row, rows, p = table[block, BLOCK_ROW], table[block, BLOCK_ROWS], table[block, BLOCK_PARAM]
        if kind == BY_ADDRESS:
            own = reference(model), reference(constrained), time, block, a, b, row, rows, p
            call(table[block, BLOCK_ADDRESS], own)
        else:
            measure_block(kind, model, constrained, time, block, a, b, row, rows, p)


@function
def assemble(model, constrained):
    """A: what a unit multiplier of each row accelerates, along each row that shares a speed with it."""
    table, first = model.constraints.table, model.constraints.first
    m = constrained.dev.shape[0]
    for block in range(table.shape[0]):
        for i in range(table[block, BLOCK_ROW], table[block, BLOCK_ROW] + table[block, BLOCK_ROWS]):
            apply_wrench(model, constrained, block, i)
            for j in range(first[i], i + 1):
                x = force_to_acceleration(model, constrained, block, i, j)
                store(constrained.A, i * m + j, x)
                store(constrained.A, j * m + i, x)
        scale_rows(constrained, table[block, BLOCK_ROW], table[block, BLOCK_ROWS])


@function
def scale_rows(constrained, first, count):
    """Rows of one block are measured by the one that moves most easily; at a singular position another may not move."""
    m, most = constrained.dev.shape[0], constant(load(constrained.A, 0), 0.0)
    for r in range(first, first + count):
        most = maximum(load(constrained.A, r * m + r), most)
    for r in range(first, first + count):
        store(constrained.scale, r, most)


@function
def require(model, constrained):
    """B: what each row's acceleration without constraint forces has too much of; penalties act like any force."""
    table = model.constraints.table
    add_forces(model, constrained, constrained.force)
    for block in range(table.shape[0]):
        for r in range(table[block, BLOCK_ROW], table[block, BLOCK_ROW] + table[block, BLOCK_ROWS]):
            free = acceleration_from_force(model, constrained, block, r) + acceleration_from_velocity(constrained, r)
            lack = free - load(constrained.wanted, r)
            store(constrained.B, r, where_positive(load(constrained.live, r), lack, constant(lack, 0.0)))


@function
def add_forces(model, constrained, force):
    """The pushes at the speeds get their shares of the rows' forces."""
    table, paths, nv = model.constraints.table, model.constraints.paths, constrained.factors.ease.shape[0]
    for block in range(table.shape[0]):
        begin = table[block, BLOCK_PATH]
        for r in range(table[block, BLOCK_ROW], table[block, BLOCK_ROW] + table[block, BLOCK_ROWS]):
            size = load(force, r)
            if any_positive(absolute(size)):
                for k in range(begin, begin + table[block, BLOCK_PATHS]):
                    add_to(constrained.factors.push, paths[k], load(constrained.reach, r * nv + paths[k]) * size)


@function
def factor_live(model, constrained):
    """The factor of A over the live rows, and its rank."""
    constraints, softness = model.constraints, softness_now(constrained)
    cutoff, rounding = constraints.options[CUTOFF], constraints.options[ROUNDING]
    if int(constraints.options[SOLVER]) == DIRECT:
        cutoff, rounding, softness = 0.0, 0.0, softness - softness
    return factorise(
        constrained.A,
        constraints.first,
        constrained.live,
        constrained.scale,
        cutoff,
        rounding,
        softness,
        constrained.L,
        constrained.inverse,
    )


@function
def find_forces(model, constrained, moves):
    """Forces of the live rows, by the solver chosen; reports rank, cuts and residual.

    moves   1 in worlds where it counts: others of a pack may wait
    """
    options, m = model.constraints.options, constrained.dev.shape[0]
    report, counts = constrained.report, constrained.counts
    zero, solver = constant(load(report, LOOSE), 0.0), int(options[SOLVER])
    add_to(counts, SOLVES, moves)
    add_to(counts, SOFT, where_positive(load(report, LOOSE), moves, zero))
    store(report, CUTS, zero)
    live = zero
    for r in range(m):
        here = load(constrained.live, r)
        live = live + here
        store(constrained.spare, r, -load(constrained.B, r))
        store(constrained.force, r, where_positive(here, zero, load(constrained.force, r)))
        store(constrained.values, r, constant(zero, math.nan))
    if solver == BOUNDED or solver == DIRECT:
        store(report, RANK, factor_live(model, constrained))
        substitute(constrained.L, model.constraints.first, constrained.inverse, constrained.spare)
    for lane in range(lanes_of(report)):
        find_spectral_forces(model, constrained, solver, lane)
    add_to(counts, DEPENDENT, where_positive(live - load(report, RANK), moves, zero))
    add_to(counts, CUT_SOLVES, where_positive(load(report, CUTS), moves, zero))
    for r in range(m):
        found = where_positive(load(constrained.live, r), load(constrained.spare, r), load(constrained.force, r))
        store(constrained.force, r, found)
    store(report, RESIDUAL, residual(constrained) if count_at(report, DETAIL) > 0 else constant(zero, math.nan))


@outlined
def find_spectral_forces(model, constrained, solver, lane):
    """What needs singular values, in one world: forces beyond a strength, the other solvers, what was asked for."""
    options = model.constraints.options
    factored = solver == BOUNDED or solver == DIRECT
    beyond = solver == BOUNDED and exceeds(model, constrained, constrained.spare, -1, lane)
    if factored and not beyond and count_at(constrained.report, DETAIL) < 2:
        return
    live, rounding = constrained.live, options[ROUNDING]
    diagonalise(constrained.A, live, rounding, constrained.L, constrained.V, constrained.values, lane)
    if beyond:
        cut_forces(model, constrained, lane)
    elif not factored:
        spectral_forces(model, constrained, options[RHO] if solver == DAMPED else 0.0, lane)


@outlined
def exceeds(model, constrained, force, island, lane):
    """Is any group's force beyond its strength in this world? Of one island, or of all (-1)."""
    group, m = model.constraints.group, force.shape[0]
    r = 0
    while r < m:  # rows of a group stand together
        g, square = group[r], 0.0
        here = island < 0 or model.constraints.island[r] == island
        while r < m and group[r] == g:
            size = float(load_lane(force, r, lane))
            square += size * size * load_lane(constrained.live, r, lane)
            r += 1
        bound = float(load_lane(constrained.groups, g * GROUP_CELLS + GROUP_STRENGTH, lane))
        if here and square > bound * bound:
            return True
    return False


@outlined
def spectral_forces(model, constrained, rho, lane):
    """F = −Σ v (v·B) μ/(μ² + ρ²) over singular values above the cut-off."""
    m, options = constrained.dev.shape[0], model.constraints.options
    share = max(options[CUTOFF], SMALLEST * options[ROUNDING])
    least = share * load_lane(constrained.values, 0, lane) if rho == 0.0 else 0.0
    rank = 0
    for r in range(m):
        store_lane(constrained.spare, r, lane, 0.0)
    for k in range(m):
        mu = load_lane(constrained.values, k, lane)
        if mu > least:
            rank += 1
            add_mode(constrained, k, mu / (mu * mu + rho * rho), lane)
    store_lane(constrained.report, RANK, lane, float(rank))


@outlined
def add_mode(constrained, k, weight, lane):
    """spare −= weight · v (v·B) of the singular direction k."""
    m = constrained.dev.shape[0]
    share = 0.0
    for r in range(m):
        share += load_lane(constrained.V, r * m + k, lane) * load_lane(constrained.B, r, lane)
    for r in range(m):
        left = load_lane(constrained.spare, r, lane) - weight * share * load_lane(constrained.V, r * m + k, lane)
        store_lane(constrained.spare, r, lane, left)


@outlined
def cut_forces(model, constrained, lane):
    """Drops singular values, smallest first, until no group's force is beyond its strength.

    Constraints that share no body with an overloaded one keep theirs: each island is cut for itself.
    """
    m, values, kept, cuts = constrained.dev.shape[0], constrained.values, constrained.kept, 0
    least = SMALLEST * model.constraints.options[ROUNDING] * load_lane(values, 0, lane)
    for k in range(m):
        store_lane(kept, k, lane, 1.0 if load_lane(values, k, lane) > least else 0.0)
    sum_modes(constrained, lane)
    for k in range(m - 1, -1, -1):
        if load_lane(kept, k, lane) > 0.0 and exceeds(
            model, constrained, constrained.spare, island_of(model, constrained, k, lane), lane
        ):
            store_lane(kept, k, lane, 0.0)
            cuts += 1
            sum_modes(constrained, lane)
    rank = 0.0
    for k in range(m):
        rank += load_lane(kept, k, lane)
    store_lane(constrained.report, RANK, lane, rank)
    store_lane(constrained.report, CUTS, lane, float(cuts))


@outlined
def sum_modes(constrained, lane):
    """The forces of the singular directions kept."""
    m = constrained.spare.shape[0]
    for r in range(m):
        store_lane(constrained.spare, r, lane, 0.0)
    for k in range(m):
        if load_lane(constrained.kept, k, lane) > 0.0:
            add_mode(constrained, k, 1.0 / load_lane(constrained.values, k, lane), lane)


@outlined
def island_of(model, constrained, k, lane):
    """The island that a singular direction is of: that of its largest row."""
    m, best = constrained.dev.shape[0], 0
    for r in range(m):
        if abs(load_lane(constrained.V, r * m + k, lane)) > abs(load_lane(constrained.V, best * m + k, lane)):
            best = r
    return model.constraints.island[best]


@outlined
def residual(constrained):
    """‖A F + B‖ over the live rows."""
    m, zero = constrained.dev.shape[0], constant(load(constrained.B, 0), 0.0)
    total = zero
    for i in range(m):
        x = load(constrained.B, i)
        for j in range(m):
            force = where_positive(load(constrained.live, j), load(constrained.force, j), zero)
            x = x + load(constrained.A, i * m + j) * force
        total = total + where_positive(load(constrained.live, i), x * x, zero)
    return sqrt(total)
