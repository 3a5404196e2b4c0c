"""A cable along any route: an elastic string with stops, a motor, or a muscle whose activation lags its input.

Its tension is the sum of what it has of

    elastic   stiffness times how far it is longer than `taut` or shorter than `slack`, and damping times its rate
    stops     at its `least` and `most` length; they push back and never hold
    drive     minus gear · f, with f = gain · a + bias within `weakest` … `strongest`: gain and bias are affine in the
              length and its rate, or those of a muscle of Hill's type

where a is the input, or follows it: its integral, with a lag, or as the activation of a muscle does. The curves are
those of MuJoCo's actuators, so that its files mean the same here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gambol.errors import Fault, nearest
from gambol.forces.element import FOREVER, Row, bounded
from gambol.forces.factories import Parameters
from gambol.forces.push import begin_tension
from gambol.forces.routing import MOST_BODIES, WRENCH, RoutedElement, pull_route, run_route
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.room import stack_room
from gambol.math.scalar import constant, load, maximum, minimum, store, where_positive

GIVEN = Parameters(
    (
        *("input", "stiffness", "damping", "slack", "taut", "stop_stiffness", "stop_damping", "least", "most"),
        *("gear", "gain", "gain_length", "gain_rate", "bias", "bias_length", "bias_rate", "weakest", "strongest"),
        *("optimum", "tendon", "strength", "shortest", "longest", "fastest", "passive", "eccentric"),
        *("rise_time", "fall_time", "smoothing", "lowest", "highest"),
    ),
    ramps=("input",),
)
read, NUMBERS, RAMPS, PARAMETERS = GIVEN.read, GIVEN.numbers, GIVEN.ramps, GIVEN.size
ROUTE, DRIVE, FOLLOWS, INDICES = range(4)
TABLED, STATES, WEIGHTS = (ROUTE,), ("activation",), (1.0,)
ENDS = MOST_BODIES
DRIVES, AFFINE, HILL = ("none", "affine", "muscle"), 1, 2
LAGS, INTEGRAL, LAG, EXCITED = ("none", "integral", "lag", "muscle"), 1, 2, 3
REPORTS = ("length", "rate", "tension", "activation")
_pulls = stack_room(WRENCH * MOST_BODIES)


@dataclass(frozen=True, kw_only=True)
class Cable(RoutedElement):
    """A cable along `path` and over `arms` (see RoutedElement); tension that shortens it is positive [N].

    elastic   stiffness [N/m], damping [N·s/m]; longer than `taut` [m] it pulls, shorter than `slack` [m] it pushes
    stops     lengths `least` … `most` [m], with stop_stiffness [N/m] and stop_damping [N·s/m]
    drive     "affine": gain + gain_length x + gain_rate ẋ times the activation, and bias alike, with x = gear · length;
              "muscle", whose fibres are (x - tendon) / optimum long: `strength` [N] at 1, nothing below `shortest` or
              above `longest`; `fastest` [1/s] is where they no longer pull while they shorten, `eccentric` what they
              hold at most while they are drawn out and `passive` what they hold at `longest`, both shares of strength
    follows   what the activation does with the input: "none", it is the input; "integral"; "lag" by rise_time [s];
              "muscle": by rise_time and fall_time [s], which share a `smoothing` width of the input. It begins at
              `activation` and stays within lowest … highest

    input, which can be ramped, is what drives it.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    slack: float = -math.inf
    taut: float = 0.0
    stop_stiffness: float = 0.0
    stop_damping: float = 0.0
    least: float = -math.inf
    most: float = math.inf
    drive: Literal["none", "affine", "muscle"] = "none"
    follows: Literal["none", "integral", "lag", "muscle"] = "none"
    input: float = 0.0
    activation: float = 0.0
    gear: float = 1.0
    gain: float = 0.0
    gain_length: float = 0.0
    gain_rate: float = 0.0
    bias: float = 0.0
    bias_length: float = 0.0
    bias_rate: float = 0.0
    weakest: float = -math.inf
    strongest: float = math.inf
    optimum: float = 1.0
    tendon: float = 0.0
    strength: float = 0.0
    shortest: float = 0.5
    longest: float = 1.6
    fastest: float = 1.5
    passive: float = 1.3
    eccentric: float = 1.2
    rise_time: float = 0.01
    fall_time: float = 0.04
    smoothing: float = 0.0
    lowest: float = -math.inf
    highest: float = math.inf

    unbounded = ("slack", "least", "most", "weakest", "strongest", "lowest", "highest")

    def faults(self) -> Iterator[Fault]:
        """Also: it has a name and a route, its kinds are known, its muscle and its lags are possible."""
        yield from super().faults()
        if not self.name:
            yield Fault("needs a name: it has states, which must be found again", self.where)
        if not self.path and not self.arms:
            yield Fault("runs nowhere: give it a path, or arms over joints", self.where)
        for kind, known in ((self.drive, DRIVES), (self.follows, LAGS)):
            if kind not in known:
                yield Fault(f"cannot be {kind!r}{nearest(kind, known)}", self.where)
        if self.drive == "muscle":
            if not self.shortest < 1.0 < self.longest:
                yield Fault(
                    f"fibres of 1 are between shortest {self.shortest:g} and longest {self.longest:g}", self.where
                )
            if not (self.optimum > 0 and self.fastest > 0 and self.eccentric >= 1.0):
                yield Fault("optimum and fastest are above zero, eccentric is at least 1", self.where)
        if self.follows in ("lag", "muscle") and not (self.rise_time > 0 and self.fall_time > 0):
            yield Fault(f"lags take time: {self.rise_time:g} and {self.fall_time:g} s", self.where)
        for low, high in (("slack", "taut"), ("least", "most"), ("weakest", "strongest"), ("lowest", "highest")):
            if getattr(self, low) > getattr(self, high):
                yield Fault(f"{low} {getattr(self, low):g} is above {high} {getattr(self, high):g}", self.where)

    def initial_states(self) -> list[float]:
        """The activation."""
        return [self.activation]

    def rows(self, layout) -> list[Row]:
        """One kernel element; its route is in the tables."""
        within = {name: max(bounded(getattr(self, name)), -FOREVER) for name in self.unbounded}
        return [([0, DRIVES.index(self.drive), LAGS.index(self.follows)], self.law_numbers(**within))]


class Pull(NamedTuple):
    """A tension, its stiffness by length and its damping by rate."""

    tension: float
    stiffness: float
    damping: float


# ---------------------------------------------------------------- laws
@function
def beyond(x, rate, stiffness, damping):
    """What pushes back a violation x > 0 that grows at `rate`, and never holds it: force, stiffness, damping."""
    zero, one = constant(x, 0.0), constant(x, 1.0)
    force = stiffness * x + damping * rate
    acts = where_positive(x, where_positive(force, one, zero), zero)
    return Pull(force * acts, stiffness * acts, damping * acts)


@function
def elastic(x, rate, stiffness, damping, slack, taut, stop_stiffness, stop_damping, least, most):
    """Of the string and its stops."""
    zero, one = constant(x, 0.0), constant(x, 1.0)
    far = maximum(x - taut, zero) - maximum(slack - x, zero)
    stretched = where_positive(x - taut, one, where_positive(slack - x, one, zero))
    long, short = (
        beyond(x - most, rate, stop_stiffness, stop_damping),
        beyond(least - x, -rate, stop_stiffness, stop_damping),
    )
    return Pull(
        stiffness * far + damping * rate + long.tension - short.tension,
        stiffness * stretched + long.stiffness + short.stiffness,
        damping + long.damping + short.damping,
    )


@function
def force_by_length(x, shortest, longest):
    """Share of its strength that a muscle has with fibres of length x, four parabolas, and the slope of that."""
    zero, one, half = constant(x, 0.0), constant(x, 1.0), constant(x, 0.5)
    below, above = half * (one - shortest), half * (longest - one)
    wide = where_positive(one - x, below, above)
    off = where_positive(one - x, one - x, x - one) / wide  # 0 at the optimum, 2 where it ends
    rest = constant(x, 2.0) - off
    value = where_positive(one - off, one - half * off * off, where_positive(rest, half * rest * rest, zero))
    steep = where_positive(one - off, off, where_positive(rest, rest, zero)) / wide
    return value, where_positive(one - x, steep, -steep)


@function
def force_by_speed(v, eccentric):
    """Share of its strength that a muscle has while its fibres grow at v (1: `fastest`), and the slope of that."""
    zero, one, two = constant(v, 0.0), constant(v, 1.0), constant(v, 2.0)
    more = maximum(eccentric - one, constant(v, 1e-15))
    left = more - v
    drawn = where_positive(left, eccentric - left * left / more, eccentric)
    slope = where_positive(left, two * left / more, zero)
    pull = maximum(v + one, zero)
    return where_positive(v, drawn, pull * pull), where_positive(v, slope, two * pull)


@function
def force_passive(x, longest, passive):
    """Share of its strength that a muscle holds by itself, and the slope of that."""
    zero, one, half = constant(x, 0.0), constant(x, 1.0), constant(x, 0.5)
    wide = half * (longest - one)
    y = (x - one) / wide
    value = where_positive(y, where_positive(one - y, half * y * y, y - half), zero)
    return passive * value, passive * where_positive(y, minimum(y, one), zero) / wide


@function
def drive_force(kind, x, rate, a, values):
    """Force f of the drive at actuator length x, minus its derivatives by length and rate."""
    gain, gain_length, gain_rate, bias, bias_length, bias_rate = values[:6]
    optimum, tendon, strength, shortest, longest, fastest, passive, eccentric = values[6:]
    zero = constant(x, 0.0)
    if kind == AFFINE:
        force = (gain + gain_length * x + gain_rate * rate) * a + bias + bias_length * x + bias_rate * rate
        return Pull(force, -(gain_length * a + bias_length), -(gain_rate * a + bias_rate))
    if kind == HILL:
        fibre, speed = (x - tendon) / optimum, rate / (optimum * fastest)
        by_length, slope = force_by_length(fibre, shortest, longest)
        by_speed, brake = force_by_speed(speed, eccentric)
        own, stretch = force_passive(fibre, longest, passive)
        return Pull(
            -strength * (by_length * by_speed * a + own),
            strength * (slope * by_speed * a + stretch) / optimum,
            strength * by_length * brake * a / (optimum * fastest),
        )
    return Pull(zero, zero, zero)


@function
def activation_rate(kind, given, a, rise_time, fall_time, smoothing):
    """How fast the activation follows the input [1/s]."""
    zero, one = constant(a, 0.0), constant(a, 1.0)
    if kind == INTEGRAL:
        return given
    if kind == LAG:
        return (given - a) / rise_time
    if kind == EXCITED:
        gap = minimum(maximum(given, zero), one) - a
        scale = constant(a, 0.5) + constant(a, 1.5) * minimum(maximum(a, zero), one)
        rise, fall = rise_time * scale, fall_time / scale
        x = gap / maximum(smoothing, constant(a, 1e-15)) + constant(a, 0.5)
        x = minimum(maximum(x, zero), one)
        smooth = x * x * x * (constant(a, 10.0) + x * (constant(a, 6.0) * x - constant(a, 15.0)))
        share = where_positive(smoothing, smooth, where_positive(gap, one, zero))
        return gap / (fall + (rise - fall) * share)
    return zero


class Moment(NamedTuple):
    """A cable at a moment: of its length, and what its activation does."""

    pull: Pull
    activation: float
    growth: float


@function
def look(model, motion, t, i, p, length, rate):
    """The tension, and what the activation does."""
    values = read(model, motion, t, p)[1]
    given, weakest, strongest, gear = values[0], values[16], values[17], values[9]
    rise_time, fall_time, smoothing, lowest, highest = values[26:]
    kind, follows = model.indices[i + DRIVE], model.indices[i + FOLLOWS]
    a, growth = given, constant(given, 0.0)
    zero, one = constant(given, 0.0), constant(given, 1.0)
    own = elastic(length, rate, *values[1:9])
    if follows > 0:
        a = minimum(maximum(load(motion.z, model.indices[i + INDICES]), lowest), highest)
        growth = activation_rate(follows, given, a, rise_time, fall_time, smoothing)
        ends = where_positive(growth, highest - a, a - lowest)
        growth = where_positive(ends, growth, zero)
    if kind > 0:
        f = drive_force(kind, gear * length, gear * rate, a, (*values[10:16], *values[18:26]))
        free = where_positive(strongest - f.tension, where_positive(f.tension - weakest, one, zero), zero)
        firm = gear * gear * free
        own = Pull(
            own.tension - gear * minimum(maximum(f.tension, weakest), strongest),
            own.stiffness + firm * f.stiffness,
            own.damping + firm * f.damping,
        )
    return Moment(own, a, growth)


# ---------------------------------------------------------------- what the engine calls
@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Pulls along each route [N], and lets the activation follow."""
    pulls = _pulls(motion.work)
    for k in range(count):
        i, p = index + (INDICES + 1) * k, param + PARAMETERS * k
        length, rate, bias = run_route(model, motion, h, model.indices[i], pulls)
        now = look(model, motion, t, i, p, length, rate)
        zero = constant(length, 0.0)
        stiffness, damping = maximum(now.pull.stiffness, zero), maximum(now.pull.damping, zero)
        soon, root = begin_tension(motion, h, now.pull.tension, stiffness, damping, rate)
        pull_route(model, motion, model.indices[i], pulls, soon - root * root * bias, root)
        add_to(motion.zrate, model.indices[i + INDICES], now.growth)
        if line >= 0:
            add_to(motion.zrate, line, -now.pull.tension * rate)


@outlined
def energy(model, motion, t, index, param, count):
    """Of the string and its stops [J]; that of a drive comes from nowhere."""
    total = constant(load(motion.work, 0), 0.0)
    pulls = _pulls(motion.work)
    for k in range(count):
        i, p = index + (INDICES + 1) * k, param + PARAMETERS * k
        length, _, _ = run_route(model, motion, total, model.indices[i], pulls)
        values = read(model, motion, t, p)[1]
        stiffness, slack, taut, stop, least, most = values[1], values[3], values[4], values[5], values[7], values[8]
        zero = constant(length, 0.0)
        far = maximum(length - taut, zero) + maximum(slack - length, zero)
        out = maximum(length - most, zero) + maximum(least - length, zero)
        total = total + constant(length, 0.5) * (stiffness * far * far + stop * out * out)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Length [m], its rate [m/s], tension [N] and activation of each cable."""
    pulls = _pulls(motion.work)
    still = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        i, p, at = index + (INDICES + 1) * k, param + PARAMETERS * k, first + 4 * k
        length, rate, _ = run_route(model, motion, still, model.indices[i], pulls)
        now = look(model, motion, t, i, p, length, rate)
        store(out, at, length)
        store(out, at + 1, rate)
        store(out, at + 2, now.pull.tension)
        store(out, at + 3, now.activation)
