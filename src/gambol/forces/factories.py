"""Force elements from a law: the law in a few lines, and everything that the engine asks of an element is made of it.

    def law(q, v, t, stiffness, hardening, rest):
        x = q - rest
        force = -(stiffness + hardening * x * x) * x
        return force, stiffness + 3.0 * hardening * x * x, 0.0, (0.5 * stiffness + 0.25 * hardening * x * x) * x * x

    @dataclass(frozen=True, kw_only=True)
    class HardeningSpring(JointElement):
        stiffness: float
        hardening: float = 0.0
        rest: float = 0.0

        kernel = joint_kernel(law, ramps=("rest",))

A law is a plain function of numbers that may be packs of worlds: write conditions with `where_positive`, `maximum`,
`minimum` and functions with `sqrt`, `exp`, `sin`, … of gambol.math.scalar. What it takes after its first three
arguments are the element's fields by name (and `scale`, of elements at joints that may be scaled by a mass); `ramps`
names those that can be ramped. A ramped parameter `rest` is taken for the rest position: springs stretch at v less its
rate.

It gives the force, its stiffness and damping (minus its derivatives by position and velocity, neither negative; an
approximation costs accuracy of implicit steps alone), and the energy it stores [J]. With `clips` it gives a fifth
number, positive where it was cut off, and the element counts that in its parameter `clipped`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from numba import types
from numba.extending import overload

from gambol.forces.clipping import count_clipped
from gambol.forces.kernel import ElementKernel
from gambol.forces.push import isotropic, line_between, point_of, push_joint, push_pair, push_point
from gambol.forces.ramp import RAMP, ramped
from gambol.jit import INLINE, function, outlined
from gambol.math.memory import add_to, load_vec3, store_vec3
from gambol.math.scalar import constant, load, maximum, number_like, store, where_positive
from gambol.math.vector import Sym3, Vec3, dot, sym_outer


def generated(name: str, arguments: str, lines: Sequence[str], **scope: Any) -> Any:
    """A compiled function of generated text: compiled code takes tuples of a known size only."""
    scope |= {"load": load, "store": store, "add_to": add_to, "ramped": ramped, "constant": constant}
    scope["number_like"] = number_like
    exec(f"def {name}({arguments}):\n" + "\n".join(f"    {line}" for line in lines), scope)
    return function(scope[name])


class Parameters:
    """Where the parameters of a law lie in an element's numbers, one after the other from place `first` on.

    more    further ones, which no law takes
    size    how many numbers there are in all
    read    compiled: read(model, motion, t, p) -> rate of the rest position, (parameters…)
    """

    def __init__(self, names: Sequence[str], *, ramps: Sequence[str] = (), first: int = 0, more: Sequence[str] = ()):
        if unknown := sorted(set(ramps) - set(names)):
            raise TypeError(f"the law does not take {', '.join(unknown)}: it cannot be ramped")
        self.numbers: dict[str, int] = {}
        self.ramps: dict[str, int] = {}
        self.size = first
        lines = ["drift = constant(t, 0.0)"]
        for name in (*names, *more):
            if name in ramps:
                rate = "drift" if name == "rest" else "_"
                lines.append(f"p_{name}, {rate} = ramped(model, motion, p + {self.size}, t)")
                self.ramps[name] = self.size
                self.size += RAMP
            else:
                lines.append(f"p_{name} = load(model.params, p + {self.size})")
                self.numbers[name] = self.size
                self.size += 1
        given = "".join(f"p_{name}, " for name in names)
        self.read = generated("read", "model, motion, t, p", [*lines, f"return drift, ({given})"])


class Law:
    """A law as a factory takes it: compiled, with its parameters, and with what counts where it is cut off."""

    def __init__(self, law: Callable, ramps: Sequence[str], clips: bool, *, first: int, more: Sequence[str] = ()):
        if not callable(law):
            raise TypeError(f"a law is a function, not {law!r}: does a field of its name hide it?")
        gives = "force, stiffness, damping, energy, beyond" if clips else "force, stiffness, damping, energy"
        lines = [f"{gives} = law(x, v, t, *values)", f"return {gives}"]  # not compiled unless it gives as many
        self.home, self.evaluate = law.__module__, generated("evaluate", "x, v, t, values", lines, law=jitted(law))
        names = list(inspect.signature(getattr(law, "py_func", law)).parameters)[3:]
        self.counters = ("broken",) * ("breaks" in more) + ("clipped",) * clips
        self.parameters = Parameters(names, ramps=ramps, first=first, more=(*more, *self.counters))
        self.count = _count if clips else _pass

    def place(self, name: str) -> int:
        """Where a number of the element is, if it has it."""
        return self.parameters.numbers.get(name, 0)

    def kernel(self, **functions: Any) -> ElementKernel:
        own = self.parameters
        places: dict[str, Any] = {"parameters": own.size, "numbers": own.numbers, "ramps": own.ramps}
        return ElementKernel(home=self.home, counters=self.counters, **places, **functions)


def jitted(law: Callable) -> Any:
    """A law as compiled code calls it."""
    return law if hasattr(law, "py_func") else function(law)


# ---------------------------------------------------------------- what laws give
@function
def _count(params, place, found):
    """A law that says where it was cut off."""
    count_clipped(params, place, found[4])


@function
def _pass(params, place, found):
    """A law that is never cut off."""


@function
def vector_like(like, v):
    return Vec3(number_like(like, v.x), number_like(like, v.y), number_like(like, v.z))


def matrix_like(like, x):
    """A symmetric matrix, or a number times the unit matrix, in the number type of `like`."""
    if isinstance(x, Sym3):
        return Sym3(*(number_like(like, entry) for entry in x))
    return isotropic(number_like(like, x))


@overload(matrix_like, jit_options=INLINE)
def _matrix_like(like, x):
    if not isinstance(x, types.BaseTuple):
        return lambda like, x: isotropic(number_like(like, x))

    def matrix(like, x):
        diagonal = vector_like(like, Vec3(x.xx, x.yy, x.zz))
        beside = vector_like(like, Vec3(x.xy, x.xz, x.yz))
        return Sym3(diagonal.x, diagonal.y, diagonal.z, beside.x, beside.y, beside.z)

    return matrix


# ---------------------------------------------------------------- at joints
def joint_kernel(law: Callable, *, ramps: Sequence[str] = (), clips: bool = False) -> ElementKernel:
    """Of a law at every coordinate of a joint, for a JointElement.

    law(q, v, t, parameters…) -> force, stiffness, damping, energy
    """
    own = Law(law, ramps, clips, first=0)
    evaluate, read, note_clipped = own.evaluate, own.parameters.read, own.count
    size, clipped = own.parameters.size, own.place("clipped")

    @function
    def look(model, motion, t, i, p):
        """Speed of the coordinate, rate of its rest position, and what the law gives."""
        drift, values = read(model, motion, t, p)
        v = load(motion.v, model.indices[i + 1])
        return v, drift, evaluate(load(motion.q, model.indices[i]), v, t, values)

    @outlined
    def apply(model, motion, t, h, index, param, count, line):
        for k in range(count):
            i, p = index + 2 * k, param + size * k
            v, drift, found = look(model, motion, t, i, p)
            note_clipped(model.params, p + clipped, found)
            force, stiffness, damping = number_like(v, found[0]), number_like(v, found[1]), number_like(v, found[2])
            push_joint(motion, h, model.indices[i + 1], force, stiffness, damping, drift)
            if line >= 0:
                add_to(motion.zrate, line, force * v)

    @outlined
    def energy(model, motion, t, index, param, count):
        total = constant(load(motion.work, 0), 0.0)
        for k in range(count):
            total = total + number_like(total, look(model, motion, t, index + 2 * k, param + size * k)[2][3])
        return total

    @outlined
    def report(model, motion, t, index, param, count, out, first):
        for k in range(count):
            v, _, found = look(model, motion, t, index + 2 * k, param + size * k)
            store(out, first + k, number_like(v, found[0]))

    return own.kernel(indices=2, pushes=(), reports=("force",), apply=apply, energy=energy, report=report)


# ---------------------------------------------------------------- at points
def point_kernel(law: Callable, *, ramps: Sequence[str] = (), clips: bool = False) -> ElementKernel:
    """Of a law at a point of a body, for a PointElement.

    law(place, velocity, t, parameters…) -> force, stiffness, damping, energy

    place [m], velocity [m/s] and force [N] are Vec3 in world axes; stiffness and damping are numbers, the same in all
    directions, or Sym3.
    """
    own = Law(law, ramps, clips, first=3)
    evaluate, read, note_clipped = own.evaluate, own.parameters.read, own.count
    size, clipped = own.parameters.size, own.place("clipped")

    @function
    def look(model, motion, t, i, p):
        """The point's arm, place and velocity, and what the law gives."""
        r, place, speed = point_of(motion, i, load_vec3(model.params, p))
        return r, place, speed, evaluate(place, speed, t, read(model, motion, t, p)[1])

    @outlined
    def apply(model, motion, t, h, index, param, count, line):
        for k in range(count):
            i, p = model.indices[index + k], param + size * k
            r, _, speed, found = look(model, motion, t, i, p)
            note_clipped(model.params, p + clipped, found)
            force = vector_like(speed.x, found[0])
            stiffness, damping = matrix_like(speed.x, found[1]), matrix_like(speed.x, found[2])
            push_point(model, motion, h, i, r, speed, force, stiffness, damping)
            if line >= 0:
                add_to(motion.zrate, line, dot(force, speed))

    @outlined
    def energy(model, motion, t, index, param, count):
        total = constant(load(motion.work, 0), 0.0)
        for k in range(count):
            found = look(model, motion, t, model.indices[index + k], param + size * k)[3]
            total = total + number_like(total, found[3])
        return total

    @outlined
    def report(model, motion, t, index, param, count, out, first):
        """Place of the point [m] and force on the body [N], world axes."""
        for k in range(count):
            _, place, speed, found = look(model, motion, t, model.indices[index + k], param + size * k)
            store_vec3(out, first + 6 * k, place)
            store_vec3(out, first + 6 * k + 3, vector_like(speed.x, found[0]))

    reports = ("x", "y", "z", "force_x", "force_y", "force_z")
    return own.kernel(indices=1, point=0, pushes=(0,), reports=reports, apply=apply, energy=energy, report=report)


# ---------------------------------------------------------------- along lines
def line_kernel(
    law: Callable, *, ramps: Sequence[str] = (), clips: bool = False, breaks: bool = False
) -> ElementKernel:
    """Of a law along the straight line between two points, for a LineElement.

    law(length, rate, t, parameters…) -> tension, stiffness, damping, energy

    With `breaks` the element has a field of that name: at this length [m] it breaks, at the end of a step, and its
    parameter `broken` becomes 1 (it may be set back).
    """
    own = Law(law, ramps, clips, first=6, more=("breaks",) if breaks else ())
    evaluate, read, note_clipped = own.evaluate, own.parameters.read, own.count
    size, clipped, longest, broken = own.parameters.size, *map(own.place, ("clipped", "breaks", "broken"))

    @function
    def intact(params, p, like):
        """1, or 0 once it has broken."""
        return constant(like, 1.0) - load(params, p + broken) if breaks else constant(like, 1.0)

    @function
    def look(model, motion, t, i, p):
        """The line, its rate, its tension, the rate of its rest length, and what the law gives while it is whole."""
        line = line_between(model, motion, i, p)
        drift, values = read(model, motion, t, p)
        rate = dot(line.along, line.speed)
        found = evaluate(line.length, rate, t, values)
        return line, rate, number_like(rate, found[0]) * intact(model.params, p, rate), drift, found

    @outlined
    def apply(model, motion, t, h, index, param, count, line):
        for k in range(count):
            i, p = index + 2 * k, param + size * k
            now, rate, pull, drift, found = look(model, motion, t, i, p)
            note_clipped(model.params, p + clipped, found)
            whole, zero = intact(model.params, p, rate), constant(rate, 0.0)
            stiffness, damping = number_like(rate, found[1]) * whole, number_like(rate, found[2]) * whole
            across = maximum(pull / now.length, zero)
            nn = sym_outer(now.along, now.along)
            K = nn * (stiffness - across) + isotropic(across)
            body, other, force, drift = model.indices[i], model.indices[i + 1], now.along * pull, now.along * -drift
            push_pair(model, motion, h, body, now.arm, other, now.other_arm, drift, force, K, nn * damping)
            if line >= 0:
                add_to(motion.zrate, line, -pull * rate)

    @outlined
    def energy(model, motion, t, index, param, count):
        total = constant(load(motion.work, 0), 0.0)
        for k in range(count):
            p = param + size * k
            found = look(model, motion, t, index + 2 * k, p)[4]
            total = total + number_like(total, found[3]) * intact(model.params, p, total)
        return total

    @outlined
    def report(model, motion, t, index, param, count, out, first):
        """Length [m], tension [N] and the force on the body [N, world]."""
        for k in range(count):
            now, _, pull, _, _ = look(model, motion, t, index + 2 * k, param + size * k)
            store(out, first + 5 * k, now.length)
            store(out, first + 5 * k + 1, pull)
            store_vec3(out, first + 5 * k + 2, now.along * pull)

    @outlined
    def settle(model, motion, t, moved, index, param, count):
        """Breaks what has become too long."""
        for k in range(count):
            p = param + size * k
            length = line_between(model, motion, index + 2 * k, p).length
            before, one = load(model.params, p + broken), constant(length, 1.0)
            after = where_positive(length - load(model.params, p + longest), one, before)
            store(model.params, p + broken, where_positive(moved, after, before))

    reports = ("length", "tension", "force_x", "force_y", "force_z")
    ends = settle if breaks else None
    return own.kernel(indices=2, pairs=1, reports=reports, apply=apply, energy=energy, report=report, settle=ends)
