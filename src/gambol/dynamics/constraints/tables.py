"""The arrays of constraints, and where each thing lies in them.

A *row* is one equation: its deviation D, and the wrench that a unit multiplier puts on either body. A *block* is up to
three rows of one kind between two bodies (body 0 is the world). What people write (see `descriptions`) is compiled to
one or several blocks; those of one description share a group, whose force is bounded and which breaks as a whole.
"""

from typing import NamedTuple

import numpy as np

from gambol.dynamics.articulated import Factors
from gambol.jit import function

# Columns of the block table
(
    BLOCK_KIND,
    BODY_A,
    BODY_B,
    BLOCK_ROW,
    BLOCK_ROWS,
    BLOCK_PARAM,
    BLOCK_PATH,
    BLOCK_PATHS,
    BLOCK_GROUP,
    BLOCK_ORDER,
    BLOCK_ADDRESS,
    BLOCK_COLUMNS,
) = range(12)
BY_ADDRESS = -1  # value of BLOCK_KIND: somebody else's kind, whose compiled code lies at BLOCK_ADDRESS
# Values of BLOCK_ORDER: which derivative of the deviation the law acts on
LAW_ACCELERATION, LAW_VELOCITY, LAW_POSITION, LAW_ARRIVAL, LAW_PENALTY = range(5)
# What a group has, in the saved part of a row: is it on, its law and bounds, is it projected, when an arrival begins
(
    GROUP_ON,
    GROUP_RATE,
    GROUP_STRENGTH,
    GROUP_REACH,
    GROUP_STIFFNESS,
    GROUP_DAMPING,
    GROUP_EXACT,
    ARRIVAL_BEGUN,
    ARRIVAL_START,
    ARRIVAL_END,
    GROUP_CELLS,
) = range(11)
# What an arrival remembers of each of its rows: deviation and rate when it began
ARRIVAL_CELLS = 2
# What a bound world counts, in the saved part: solves, those with dependent rows, those a strength has cut, those of
# steps that had become so short that constraints give way a little; projections, and failed ones
SOLVES, DEPENDENT, CUT_SOLVES, SOFT, PROJECTED, UNPROJECTED, COUNTS = range(7)
# Orders given to the kernels, and what the last solve reports. READ_ONLY: leave the state as it is; LOOSE: give
# way a little; DETAIL 1: the residual, 2: singular values too; COUPLED: couplings take part (constraints.coupled)
READ_ONLY, LOOSE, DETAIL, ASSEMBLE, COUPLED, RANK, CUTS, RESIDUAL, REPORT = range(9)
# Options of the solver and of projection, the ledger line of constraints (-1: none), rounding of the number type
SOLVER, CUTOFF, RHO, TOLERANCE, MAX_ROUNDS, SOFT_STEP, LEDGER_LINE, ROUNDING, OPTIONS = range(9)
# Values of SOLVER
BOUNDED, TRUNCATED, DAMPED, DIRECT = range(4)


class ConstraintTables(NamedTuple):
    """What stays the same."""

    table: np.ndarray  # int[blocks, BLOCK_COLUMNS]
    paths: np.ndarray  # int[...]: the speeds between each block's bodies and the world, block by block
    first: np.ndarray  # int[rows]: the first row that shares a speed with this one
    group: np.ndarray  # int[rows]: the group of each row
    island: np.ndarray  # int[rows]: rows of one island are coupled, directly or through others
    watched: np.ndarray  # int[...]: the groups that may break
    joints: np.ndarray  # int[bodies * JOINT]: what the passes know of each body's joint (dynamics.articulated)
    options: np.ndarray  # float[OPTIONS]


class ConstrainedModel(NamedTuple):
    """A world's model with its constraints; `params` are those of the row in hand."""

    world: NamedTuple
    constraints: ConstraintTables
    params: np.ndarray


class ConstrainedMotion(NamedTuple):
    """One bound world in motion: the world's own motion and what its constraints work with."""

    state: np.ndarray  # the world's state: the stepper looks for it here
    world: NamedTuple  # its Motion
    clock: np.ndarray  # the clock of the row
    groups: np.ndarray  # GROUP_CELLS a group
    starts: np.ndarray  # ARRIVAL_CELLS a row
    counts: np.ndarray  # COUNTS
    dev: np.ndarray  # deviation of each row
    rate: np.ndarray  # its rate
    slip: np.ndarray  # the part of the rate that the bodies' motion makes: rate less what moves by itself
    bias: np.ndarray  # its second derivative without joint accelerations
    wanted: np.ndarray  # the second derivative that the law asks for
    force: np.ndarray  # multiplier of each row
    B: np.ndarray  # right-hand side: what the second derivative has too much of without constraint forces
    live: np.ndarray  # 1 for rows that are on and solved for
    values: np.ndarray  # singular values of A, falling; nan where not asked for
    inverse: np.ndarray  # one over the diagonal of the factor of A; 0 for rows that depend on others
    spare: np.ndarray  # a number a row
    kept: np.ndarray  # 1 for singular directions that are used
    scale: np.ndarray  # what the diagonal of A is measured by
    report: np.ndarray  # REPORT
    wrench: np.ndarray  # 12 a row: of a unit multiplier on either body, at their origins, world axes
    factors: Factors  # the factorisation
    reach: np.ndarray  # rows x speeds: what a unit multiplier does at each speed
    A: np.ndarray  # rows x rows: force to acceleration
    L: np.ndarray  # rows x rows: its factor, or the matrix that is being made diagonal
    V: np.ndarray  # rows x rows: eigenvectors, by columns
    before: np.ndarray  # positions before they are moved on the constraints


# The parts of a constrained that have one cell a row, in order
ROW_PARTS = (
    "dev",
    "rate",
    "slip",
    "bias",
    "wanted",
    "force",
    "B",
    "live",
    "values",
    "inverse",
    "spare",
    "kept",
    "scale",
)
MORE = 6  # numbers at the end of the offsets: where saved cells and room begin, rows, groups, parameters, speeds


def saved_sizes(params: int, groups: int, rows: int) -> dict[str, int]:
    """Cells of each saved part."""
    return {"params": params, "groups": groups * GROUP_CELLS, "starts": ARRIVAL_CELLS * rows, "counts": COUNTS}


def room_sizes(rows: int, speeds: int, positions: int) -> dict[str, int]:
    """Cells of each part of the room, in order; a row of couplings counts as a speed."""
    sizes = {name: rows for name in ROW_PARTS} | {"report": REPORT, "wrench": 12 * rows}
    sizes |= {"column": 6 * speeds, "gain": 6 * speeds, "ease": speeds, "push": speeds, "reach": rows * speeds}
    return sizes | {"A": rows * rows, "L": rows * rows, "V": rows * rows, "before": positions}


@function
def open_constrained(motion, row, clock, offsets):
    """Views of the parts of a row (the order of saved_sizes and room_sizes), and the row's own parameters."""
    k, s, m, groups, params, speeds = offsets[-6], offsets[-5], offsets[-4], offsets[-3], offsets[-2], offsets[-1]
    g = k + params
    b = g + groups * GROUP_CELLS
    c = b + ARRIVAL_CELLS * m
    w = s + 13 * m + REPORT
    d = w + 12 * m
    e = d + 14 * speeds
    A = e + m * speeds
    constrained = ConstrainedMotion(
        state=motion.state,
        world=motion,
        clock=clock,
        groups=row[g:b],
        starts=row[b:c],
        counts=row[c : c + COUNTS],
        dev=row[s : s + m],
        rate=row[s + m : s + 2 * m],
        slip=row[s + 2 * m : s + 3 * m],
        bias=row[s + 3 * m : s + 4 * m],
        wanted=row[s + 4 * m : s + 5 * m],
        force=row[s + 5 * m : s + 6 * m],
        B=row[s + 6 * m : s + 7 * m],
        live=row[s + 7 * m : s + 8 * m],
        values=row[s + 8 * m : s + 9 * m],
        inverse=row[s + 9 * m : s + 10 * m],
        spare=row[s + 10 * m : s + 11 * m],
        kept=row[s + 11 * m : s + 12 * m],
        scale=row[s + 12 * m : s + 13 * m],
        report=row[s + 13 * m : w],
        wrench=row[w:d],
        factors=Factors(
            column=row[d : d + 6 * speeds],
            gain=row[d + 6 * speeds : d + 12 * speeds],
            ease=row[d + 12 * speeds : d + 13 * speeds],
            push=row[d + 13 * speeds : e],
        ),
        reach=row[e:A],
        A=row[A : A + m * m],
        L=row[A + m * m : A + 2 * m * m],
        V=row[A + 2 * m * m : A + 3 * m * m],
        before=row[A + 3 * m * m : A + 3 * m * m + motion.q.shape[0]],
    )
    return constrained, row[k:g]
