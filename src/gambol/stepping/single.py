"""One attempt at a step: a tableau, an Euler step, a linearly implicit step, and any of them by doubling."""

from gambol.jit import outlined
from gambol.math.scalar import constant, load, store
from gambol.stepping.methods import EXPLICIT, IMPLICIT
from gambol.stepping.vectors import copy_array, weighted_norm


def make_attempt(flow):
    """attempt(model, motion, space, rules, t, h, repeat) -> error of the step, for a flow.

    Moves motion.state from space.start (which equals it on entry) by h; without doubling, `repeat` times. It is one
    function on purpose: every layer around `solve` is optimised again by LLVM.
    """
    solve, shift, tangent, difference, take_step = flow.solve, flow.shift, flow.tangent, flow.difference, flow.take_step

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
    def attempt(model, motion, space, rules, t, h, repeat):
        method, tableau = rules.method, rules.tableau
        a, b, c, error = tableau.a, tableau.b, tableau.c, tableau.error
        n = space.d.shape[0]
        none = constant(h, 0.0)
        half = h * constant(h, 0.5)
        explicit = method.kind == EXPLICIT
        step, at = h, t
        for part in range(3 if method.doubling else repeat):  # by doubling: the whole step, then its two halves
            if part > 0 and not method.doubling:
                at = at + h
            elif part == 1:
                step = half
                copy_array(space.end, motion.state)
                copy_array(motion.state, space.start)
            elif part == 2:
                at = t + half
            if explicit:
                copy_array(space.base, motion.state)
            stages = b.shape[1] if explicit else 1
            for s in range(stages):
                if s > 0:
                    combine(space, a, s, s, step, space.d)
                    shift(model, motion, space.base, space.d)
                solve(model, motion, at + step * c[s], step if method.kind == IMPLICIT else none)
                if explicit:
                    if s == 0:
                        combine(space, a, 0, 0, step, space.d)
                    tangent(model, motion, space.d, space.stages[s * n : (s + 1) * n])
            if explicit:
                combine(space, b, 0, stages, step, space.d)
                combine(space, error, 0, stages, step, space.error)
                shift(model, motion, space.base, space.d)
            else:
                take_step(model, motion, motion.state, space.d, step, method.old_share)
        if method.doubling:
            copy_array(space.base, motion.state)
            difference(model, motion, space.base, space.end, space.error)
            for k in range(n):
                store(space.d, k, load(space.error, k) * method.extrapolate)
            shift(model, motion, space.base, space.d)
        if not method.adaptive:
            return none
        return weighted_norm(space.error, rules.scale)

    return attempt
