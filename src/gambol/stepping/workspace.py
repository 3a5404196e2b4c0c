"""What a stepper works on: the memory of one row of worlds, cut into named sections, and the rules of stepping."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NODES = 7  # samples of the boundary functions in a step, ends included
RISE, SINGLE_LOOK = NODES, NODES + 1  # rows of space.g after them: an instant after the start; single looks

# Clock of a row, saved with the state: time, next step, how it goes, counters.
# (NumPy integers: Numba would compile a function anew for every literal it is called with.)
TIME, STEP, STATUS, STEPS, REJECTED, EVENTS, LAST_EVENT, CLOSE_EVENTS = map(np.int64, range(8))
# … and what the step in hand needs to remember
TRY, ALIVE, ACCEPT, WRONG, SOUND, LANDS, THETA = map(np.int64, range(8, 15))
LOCATING, LOW, HIGH, WHICH, LAST_TRY, LAST_G, TRIALS = map(np.int64, range(15, 22))
# … where this world has to stop next, how many writes of its timetable it has made, and samples of this march passed
UNTIL, NEXT, SAMPLE = map(np.int64, range(22, 25))
# … and whether its last attempt was rejected
RETRIED = np.int64(25)
# … how long the step in hand may be before something could touch unseen; a bound for the next try, where it was longer
STEP_REACH, STEP_BOUND = np.int64(26), np.int64(27)
# … and what of the time gone by the clock does not show yet (stepping.clock)
CARRY = np.int64(28)
CLOCK = 29
# Values of STATUS
RUNNING, STOPPED, STUCK, ZENO, BROKEN = 0.0, 1.0, 2.0, 3.0, 4.0
PAUSED = 9.0  # it stays where it is, while others run on
# Sides of a boundary: +1 and -1 are armed; FRESH has not been looked at; ±LEFT has just fired, from that side;
# ±DUE has been crossed together with one of higher priority and fires next. Of a boundary that is zero at the start and
# does not move: STANDS is set aside until it moves; ±SETS_OUT moves off now, from that side, and fires as it does;
# ±ASIDE has fired so (the sign is where it goes) and is armed when it is clear of the edge
FRESH, LEFT, DUE, STANDS, SETS_OUT, ASIDE = 2.0, 0.5, 0.75, 3.0, 0.875, 4.0


class Watch(NamedTuple):
    """How a flow says that a step is too long for what it has not seen (forces.watch), as jitted functions."""

    watches: Callable  # Python: (model, adaptive) -> is there anything that could be passed, or found too late?
    begin: Callable  # (model, motion, rest, fine, slack): before an evaluation with `rest` of the step to come
    reached: Callable  # (model, motion) -> how long what was evaluated may go on [s]
    look_ahead: Callable  # (model, motion, start, t): an evaluation at the positions of `start`, with the speeds of now


class Flow(NamedTuple):
    """How a system moves, as jitted functions over (model, motion); `make_march(flow)` gives it every stepper."""

    recipe: str  # names its compiled code in the cache
    module: str  # where its functions are
    open: Callable  # (model, row, offsets) -> (model, motion) of a row of memory: views, no copies
    prepare: Callable  # (model, motion): once, before a row is marched
    solve: Callable  # (model, motion, t, h): rates of change at the current state; h > 0: those of an implicit step
    shift: Callable  # (model, motion, base, d): state = base displaced by the tangent vector d
    tangent: Callable  # (model, motion, d, out): the rates as those of a displacement that stands at d
    difference: Callable  # (model, motion, a, b, out): tangent vector from state b to state a
    slopes: Callable  # (model, motion, t, h, jump, d, out): rates as of a displacement d, good enough to interpolate
    #                   the step that made the jump in the time h
    take_step: Callable  # (model, motion, base, d, h, old): an Euler step by the rates just solved
    boundaries: Callable  # (model, motion, t, g): boundary functions
    settles: Callable  # Python: (model) -> is there anything to do after an accepted step?
    settle: Callable  # (model, motion, t, moved): does it, in worlds where moved > 0
    watch: Watch | None = None  # where a step may be too long for what it has not seen
    transition: Callable | None = None  # (model, motion, space, lane): what happens in one world at an event, which
    #                   stops the world (STATUS is STOPPED) unless this sets it running again
    views: Callable | None = None  # Python: as `open`, where `solve` is so large that it is compiled apart from the
    #                   steppers and called by address, which must know the types of what it is handed
    rates_are_slopes: bool = False  # slopes are the plain rates, which an explicit step has computed at its start


class Tableau(NamedTuple):
    """The coefficients of a Runge–Kutta method."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: np.ndarray


class MethodNumbers(NamedTuple):
    """A stepping method as the kernels see it."""

    kind: int  # EXPLICIT, EULER or IMPLICIT (stepping.methods)
    doubling: bool  # the error comes from one step against two halves
    extrapolate: float  # 1 / (2^p - 1), for doubling
    old_share: float  # of the old speeds in moving the positions
    first_order: bool  # a single step is of first order
    adaptive: bool
    ends_at_last: bool  # the last stage is evaluated where the step ends
    exponent: float  # of eps / error in the choice of the next step


class StepControl(NamedTuple):
    """How long steps may be and when an event counts as found."""

    adaptive: bool
    eps: float  # largest error of a step, in the norm given by the scale of each variable
    min_step: float  # [s]
    max_step: float  # [s]
    precision: float  # time to which events are located [s]
    touch_tolerance: float  # a boundary function that comes this close to zero and turns back has touched
    instant: float  # share of a step over which the sign of a derivative shows: not lost to rounding, nor to bends
    zeno_gap: float  # events closer than this [s] …
    zeno_count: float  # … so many times in a row end the run
    almost: float  # a step that reaches this share of the way to a sample goes all the way
    max_trials: float  # most trial steps that locate an event
    max_attempts: int  # in one call, of all rows
    fine: float  # [m/s] by which a contact that is found late may change a speed


# What the code of a flow is asked to do with a row (stepping.march)
FLOW_SOLVE, FLOW_PREPARE, FLOW_SETTLE, FLOW_AHEAD, FLOW_TRANSIT = map(np.int64, range(5))


class FlowCode(NamedTuple):
    """Addresses of the compiled code of a flow (stepping.march); 0 where it is not needed."""

    rates: int = 0
    move: int = 0
    act: int = 0
    search: int = 0


class Asked(NamedTuple):
    """What a flow wants done in a march."""

    watched: bool  # steps may be too long for what they have not seen
    ahead: bool  # … also at the speeds of their end
    settles: bool  # there is something to do after an attempt
    transits: bool  # events are answered by the flow
    events: bool  # there are boundaries


class StepRules(NamedTuple):
    """Everything that decides how rows are stepped, but for the systems themselves."""

    method: MethodNumbers
    tableau: Tableau
    control: StepControl
    scale: np.ndarray  # weight of each tangent variable in the error norm
    directions: np.ndarray  # of each boundary: -1 falling, 0 either, 1 rising
    priorities: np.ndarray  # of each boundary; the smallest number acts first
    code: FlowCode  # of what is stepped


class StepWorkspace(NamedTuple):
    """Working memory for one row of worlds."""

    clock: np.ndarray  # CLOCK
    side: np.ndarray  # armed side of each boundary
    start: np.ndarray  # state at the start of the step
    base: np.ndarray  # state at the start of a single step within it
    end: np.ndarray  # state kept while others are looked at
    d: np.ndarray  # tangent vector
    jump: np.ndarray  # tangent vector of the whole step
    slope0: np.ndarray  # rates at the two ends of the step
    slope1: np.ndarray
    stages: np.ndarray  # a tangent vector for every stage
    error: np.ndarray  # error estimate, tangent vector
    g: np.ndarray  # NODES + 2 values of every boundary function
    root: np.ndarray  # where in the step each boundary is crossed, as a fraction (stepping.events: NEVER, CUT)
    fired: np.ndarray  # 1 for boundaries that fired at the last event


# Sections of a row by number; `offsets` of the kernels holds where each begins. Up to SCRATCH a row is saved.
(
    STATE,
    CLOCK_SECTION,
    SIDE_SECTION,
    INPUTS,
    SCRATCH,
    START_SECTION,
    BASE,
    END_SECTION,
    D,
    JUMP,
    SLOPE0,
    SLOPE1,
    STAGES,
    ERROR,
    G,
    ROOT_SECTION,
    FIRED,
    ROW_SIZE,
) = range(18)


def sections(state: int, tangent: int, boundaries: int, inputs: int, scratch: int, stages: int) -> np.ndarray:
    """Where the sections of a row begin."""
    sizes = {name: tangent for name in (D, JUMP, SLOPE0, SLOPE1, ERROR)}
    sizes |= {
        STATE: state,
        START_SECTION: state,
        BASE: state,
        END_SECTION: state,
        STAGES: stages * tangent,
        SCRATCH: scratch,
    }
    sizes |= {CLOCK_SECTION: CLOCK, SIDE_SECTION: boundaries, INPUTS: inputs}
    sizes |= {G: (NODES + 2) * boundaries, ROOT_SECTION: boundaries, FIRED: boundaries}
    return np.cumsum([0] + [sizes[k] for k in range(ROW_SIZE)]).astype(np.int64)
