"""One attempt at a step: a tableau, an Euler step, a linearly implicit step, and any of them by doubling."""

from gambol.jit import outlined
from gambol.math.scalar import constant, load, store
from gambol.stepping.methods import EXPLICIT, IMPLICIT
from gambol.stepping.vectors import copy_array, weighted_norm


def make_attempt(flow):
    """attempt(model, motion, room, method, tableau, scale, t, h, repeat) -> error of the step, for a flow.

    Moves motion.state from room.start (which equals it on entry) by h; without doubling, `repeat` times. method =
    (kind, doubling, 1 / (2^p - 1), share of old speeds, …). It is one function on purpose: every layer around `solve`
    is optimised again by LLVM.
    """
    solve, shift, tangent, difference, take_step = flow.solve, flow.shift, flow.tangent, flow.difference, flow.take_step

    @outlined
    def combine(room, weights, row, stages, h, out):
        """out = h Σ weights · stages."""
        n = room.d.shape[0]
        for k in range(n):
            total = constant(load(room.d, k), 0.0)
            for j in range(stages):
                total = total + load(room.stages, j * n + k) * weights[row, j]
            store(out, k, total * h)

    @outlined
    def attempt(model, motion, room, method, tableau, scale, t, h, repeat):
        a, b, c, error = tableau
        n = room.d.shape[0]
        none = constant(h, 0.0)
        half = h * constant(h, 0.5)
        explicit = method[0] == EXPLICIT
        step, at = h, t
        for part in range(3 if method[1] else repeat):  # by doubling: the whole step, then its two halves
            if part > 0 and not method[1]:
                at = at + h
            elif part == 1:
                step = half
                copy_array(room.end, motion.state)
                copy_array(motion.state, room.start)
            elif part == 2:
                at = t + half
            if explicit:
                copy_array(room.base, motion.state)
            stages = b.shape[1] if explicit else 1
            for s in range(stages):
                if s > 0:
                    combine(room, a, s, s, step, room.d)
                    shift(model, motion, room.base, room.d)
                solve(model, motion, at + step * c[s], step if method[0] == IMPLICIT else none)
                if explicit:
                    if s == 0:
                        combine(room, a, 0, 0, step, room.d)
                    tangent(model, motion, room.d, room.stages[s * n : (s + 1) * n])
            if explicit:
                combine(room, b, 0, stages, step, room.d)
                combine(room, error, 0, stages, step, room.error)
                shift(model, motion, room.base, room.d)
            else:
                take_step(model, motion, motion.state, room.d, step, method[3])
        if method[1]:
            copy_array(room.base, motion.state)
            difference(model, motion, room.base, room.end, room.error)
            for k in range(n):
                store(room.d, k, load(room.error, k) * method[2])
            shift(model, motion, room.base, room.d)
        if not method[5]:
            return none
        return weighted_norm(room.error, scale)

    return attempt
