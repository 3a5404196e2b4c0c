"""One attempt at a step: a tableau, an Euler step, a linearly implicit step, and any of them by doubling."""

from gambol.jit import call, function, outlined
from gambol.math.scalar import any_positive, constant, load, maximum, minimum, store, where_positive
from gambol.stepping.methods import EXPLICIT, IMPLICIT
from gambol.stepping.vectors import copy_array, weighted_norm
from gambol.stepping.workspace import LANDS, STEP_REACH, TRY, Watch

NO_BOUND = 1e30  # [s]


def _nothing_watched(model, adaptive):
    return False


@function
def _nothing_begun(model, motion, rest, fine, slack):
    pass


@function
def _endless(model, motion):
    return constant(load(motion.state, 0), NO_BOUND)


@function
def _nothing_ahead(model, motion, start, t):
    pass


UNWATCHED = Watch(_nothing_watched, _nothing_begun, _endless, _nothing_ahead)


@function
def cut_short(space, control, h, reach):
    """The step no longer than what its first evaluation allows, where that is longer than the shortest there is."""
    shorter = maximum(minimum(h, reach), minimum(h, constant(h, control.min_step)))
    store(space.clock, TRY, shorter)
    store(space.clock, LANDS, where_positive(h - shorter, constant(h, -1.0), load(space.clock, LANDS)))
    return shorter


@function
def by_address(model, motion, rules, t, h):
    """The rates of a flow whose code is compiled apart from the attempt's."""
    call(rules.code.rates, (model, motion, t, h))


def make_evaluate(flow):
    """evaluate(model, motion, rules, t, h): the rates of a flow."""
    solve = flow.solve

    @function
    def in_line(model, motion, rules, t, h):
        solve(model, motion, t, h)

    return by_address if flow.views else in_line


def make_attempt(flow):
    """attempt(model, motion, space, rules, t, h, repeat, watched) -> error of the step, for a flow.

    Moves motion.state from space.start (which equals it on entry) by h; without doubling, `repeat` times.

    watched: the step is cut short where its first evaluation says so (TRY in the clock is then shorter); how long it
    may be as far as all of them can tell is left in REACH. Later evaluations may be twice as late: what they see has
    been hurried meanwhile.
    """
    shift, tangent, difference, take_step = flow.shift, flow.tangent, flow.difference, flow.take_step
    evaluate = make_evaluate(flow)
    _, begin_watch, reached, _ = flow.watch or UNWATCHED

    @outlined
    def combine(space, weights, row, stages, h, out):
        """out = h Σ weights · stages."""
        n = space.d.shape[0]
        for k in range(n):
            total = constant(load(space.d, k), 0.0)
            for j in range(stages):
                total = total + load(space.stages, j * n + k) * weights[row, j]
            store(out, k, total * h)

    @outlined
    def attempt(model, motion, space, rules, t, h, repeat, watched):
        method, tableau = rules.method, rules.tableau
        a, b, c, error = tableau.a, tableau.b, tableau.c, tableau.error
        n = space.d.shape[0]
        none = constant(h, 0.0)
        half = h * constant(h, 0.5)
        explicit = method.kind == EXPLICIT
        step, at = h, t
        reach, gone = constant(h, NO_BOUND), none
        for part in range(3 if method.doubling else repeat):  # by doubling: the whole step, then its two halves
            if part > 0 and not method.doubling:
                at = at + h
            elif part == 1:
                step = half
                copy_array(space.end, motion.state)
                copy_array(motion.state, space.start)
            elif part == 2:
                at, gone = t + half, half
            if explicit:
                copy_array(space.base, motion.state)
            stages = b.shape[1] if explicit else 1
            s, redone = 0, False
            while s < stages:
                if s > 0:
                    combine(space, a, s, s, step, space.d)
                    shift(model, motion, space.base, space.d)
                look = watched and not redone
                if look:
                    slack = 1.0 if part == 0 and s == 0 else 2.0
                    begin_watch(model, motion, h - gone - step * c[s], rules.control.fine, slack)
                implicit = step if method.kind == IMPLICIT else none
                evaluate(model, motion, rules, at + step * c[s], implicit)
                if look:
                    reach = minimum(reach, gone + step * c[s] + reached(model, motion))
                    if part == 0 and s == 0 and any_positive(h - reach):
                        h = cut_short(space, rules.control, h, reach)
                        step, half = h, h * constant(h, 0.5)
                        redone = method.kind == IMPLICIT
                        if redone:
                            continue
                if explicit:
                    if s == 0:
                        combine(space, a, 0, 0, step, space.d)
                    tangent(model, motion, space.d, space.stages[s * n : (s + 1) * n])
                s += 1
            if explicit:
                combine(space, b, 0, stages, step, space.d)
                combine(space, error, 0, stages, step, space.error)
                shift(model, motion, space.base, space.d)
            else:
                take_step(model, motion, motion.state, space.d, step, method.old_share)
        # of a world that waits, or is stuck, the last one stands
        store(space.clock, STEP_REACH, where_positive(h, reach, load(space.clock, STEP_REACH)))
        if method.doubling:
            copy_array(space.base, motion.state)
            difference(model, motion, space.base, space.end, space.error)
            for j in range(n):
                store(space.d, j, load(space.error, j) * method.extrapolate)
            shift(model, motion, space.base, space.d)
        if not method.adaptive:
            return none
        return weighted_norm(space.error, rules.scale)

    return attempt
