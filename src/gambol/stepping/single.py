"""One attempt at a step: a tableau, an Euler step, a linearly implicit step, and any of them by doubling."""

from gambol.jit import outlined
from gambol.math.scalar import constant, load, store
from gambol.stepping.methods import EXPLICIT, IMPLICIT
from gambol.stepping.vectors import copy_array, weighted_norm


def make_attempt(flow):
    """attempt(model, motion, room, method, tableau, scale, t, h) -> error of the step, for a flow.

    Moves motion.state from room.start (which equals it on entry) by h. method = (kind, doubling, 1 / (2^p - 1), share
    of old speeds, …). It is one function on purpose: every layer around `solve` is optimised again by LLVM.
    """
    solve, shift, tangent, difference, take_step = flow.solve, flow.shift, flow.tangent, flow.difference, flow.take_step

    @outlined
    def combine(room, weights, row, stages, h, out):
        """out = h Σ weights · stages."""
        n = room.d.shape[0]
        for k in range(n):
            total = load(room.d, k) * 0.0
            for j in range(stages):
                total = total + load(room.stages, j * n + k) * weights[row, j]
            store(out, k, total * h)

    @outlined
    def attempt(model, motion, room, method, tableau, scale, t, h):
        a, b, c, error = tableau
        n = room.d.shape[0]
        none = constant(h, 0.0)
        half = h * constant(h, 0.5)
        for part in range(3 if method[1] else 1):  # the whole step; then, by doubling, its two halves
            step = half if part > 0 else h
            at = t + half if part == 2 else t
            if part == 1:
                copy_array(room.end, motion.state)
                copy_array(motion.state, room.start)
            copy_array(room.base, motion.state)
            explicit = method[0] == EXPLICIT
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
                combine(room, a, 0, 0, step, room.error)
                take_step(model, motion, room.base, room.d, step, method[3])
        if method[1]:
            copy_array(room.base, motion.state)
            difference(model, motion, room.base, room.end, room.error)
            for k in range(n):
                store(room.d, k, load(room.error, k) * method[2])
            shift(model, motion, room.base, room.d)
        return weighted_norm(room.error, scale)

    return attempt
