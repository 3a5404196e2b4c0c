"""How a surface answers to what presses into it: the law that all contacts share.

Normal force for the depth d > 0 along the surface's normal (v: outward speed of the point):
    spring   f = k d + strength (e^(rise d) - 1), d no deeper than `deepest`
    factor   1 while it moves in, `restitution` while it moves out, joined smoothly over the speed `turn`
    damper   -b v, growing from nothing over the depth `ramp`; the sum never pulls
Friction along the surface, -c v_t with
    "slide"  c = μ f / √(v_t² + v₀²): opposes the motion
    "damper" c = min(b_t, μ f / |v_t|): a damper that gives way
    "arctan" c |v_t| = (2 μ f/π) atan(π b_t |v_t| / (2 μ f))
Every force supplies its derivative for the implicit step: springs and dampers exactly; friction and the turning of
the restitution by their secants, which keep a long step from reversing the motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from gambol.errors import Fault, WorldError, nearest
from gambol.forces.clipping import EXPONENT_MOST, grown_exponential
from gambol.forces.element import bounded
from gambol.jit import function
from gambol.math.scalar import (
    arctan,
    constant,
    load,
    maximum,
    minimum,
    reciprocal,
    sqrt,
    where_positive,
)
from gambol.math.vector import Sym3, dot, sym_outer

FRICTIONS = ("slide", "damper", "arctan")
(STIFFNESS, DAMPING, STRENGTH, RISE, DEEPEST, RESTITUTION, SURFACE_TURN, RAMP_DEPTH, FRICTION, GRIP, CREEP, SCALE) = (
    range(12)
)
SURFACE_NAMES = (
    "stiffness",
    "damping",
    "strength",
    "rise",
    "deepest",
    "restitution",
    "turn",
    "ramp",
    "friction",
    "grip",
    "creep",
    "scale",
)
SURFACE = len(SURFACE_NAMES)


@dataclass(frozen=True, kw_only=True)
class Surface:
    """How a surface answers. SI units.

    stiffness [N/m], damping [N·s/m], strength [N], rise [1/m], deepest [m], restitution (0 … 1; more adds energy),
    turn [m/s], ramp [m]; friction μ, `law` "slide", "damper" or "arctan", grip b_t [N·s/m], creep v₀ [m/s]; scale
    multiplies all forces (a mass [kg], where the constants are per kilogram).
    """

    stiffness: float = 0.0
    damping: float = 0.0
    strength: float = 0.0
    rise: float = 1.0
    deepest: float = math.inf
    restitution: float = 1.0
    turn: float = 5e-3
    ramp: float = 1e-4
    friction: float = 0.0
    law: str = "slide"
    grip: float = 100.0
    creep: float = 5e-3
    scale: float = 1.0
    note: str = field(default="", compare=False)

    def numbers(self) -> list[float]:
        """Its numbers in the order of the kernels."""
        return [bounded(getattr(self, name)) for name in SURFACE_NAMES]

    def faults(self, where: str) -> Iterator[Fault]:
        """Everything wrong with its numbers; `where` names the contact."""
        for name in SURFACE_NAMES:
            value = getattr(self, name)
            if not value >= 0:
                yield Fault(f"{name} must not be negative, it is {value}", where)
        for name in ("turn", "ramp", "creep"):
            if getattr(self, name) == 0:
                yield Fault(f"{name} must be positive", where)
        if self.law not in FRICTIONS:
            yield Fault(f"no friction law {self.law!r}{nearest(self.law, FRICTIONS)}", where)
        if self.stiffness == 0 and self.strength == 0:
            yield Fault("a surface needs a stiffness or a strength, or nothing rests on it", where)

    @classmethod
    def bearing(
        cls,
        weight: float,
        *,
        points: int = 1,
        sinkage: float,
        restitution: float = 0.0,
        friction: float = 0.8,
        law: str = "damper",
    ) -> Surface:
        """A linear surface that carries `weight` [N] on `points` points at the depth `sinkage` [m].

        `restitution` is the ratio of speeds when the load bounces on it: it sets the damping. 0 means critically
        damped, which still gives back 0.135 of the speed; less than that takes more damping.
        `note` says what was chosen.
        """
        problems = [
            Fault(f"{name} must be positive, it is {value}", "surface")
            for name, value in (("weight", weight), ("points", points), ("sinkage", sinkage))
            if not value > 0
        ]
        if not 0 <= restitution <= 1:
            problems.append(Fault(f"restitution must lie between 0 and 1, it is {restitution}", "surface"))
        if problems:
            raise WorldError(problems)
        stiffness = weight / points / sinkage
        mass = weight / points / 9.81
        ratio = damping_ratio(restitution)
        damping = 2.0 * ratio * math.sqrt(stiffness * mass)
        grip = 2.0 * math.sqrt(stiffness * mass)
        return cls(
            stiffness=stiffness,
            damping=damping,
            friction=friction,
            law=law,
            grip=grip,
            ramp=0.1 * sinkage,
            creep=1e-3 * math.sqrt(9.81 * sinkage),
            note=(
                f"{weight:.4g} N on {points} points: stiffness {stiffness:.4g} N/m for a sinkage of {sinkage:.3g} m,"
                f" damping {damping:.4g} N·s/m ({ratio:.2f} of critical) for a restitution of {restitution:g},"
                f" grip {grip:.4g} N·s/m"
            ),
        )


def damping_ratio(restitution: float) -> float:
    """Damping ratio of a spring and damper that let go when they would pull, for a restitution (0: critical)."""
    from scipy.optimize import brentq

    if restitution <= 0.0:
        return 1.0
    if restitution >= 1.0:
        return 0.0
    return float(brentq(lambda ratio: _restitution_of(ratio) - restitution, 0.0, 1.0 / restitution))


def _restitution_of(ratio: float) -> float:
    """Speed out over speed in of a mass without weight on such a spring and damper; it lets go where k d + b v = 0."""
    if abs(ratio - 1.0) < 1e-9:
        return math.exp(-2.0)
    if ratio > 1.0:
        root = math.sqrt(ratio * ratio - 1.0)
        end = math.log((ratio + root) / (ratio - root)) / root
    else:
        root = math.sqrt(1.0 - ratio * ratio)
        end = math.atan2(2.0 * ratio * root, 2.0 * ratio * ratio - 1.0) / root
    return math.exp(-ratio * end)


@function
def normal_force(params, p, depth, out):
    """Normal force, its derivative by depth, and its damping, of a contact `depth` deep moving out at speed `out`."""
    zero, one, half = constant(depth, 0.0), constant(depth, 1.0), constant(depth, 0.5)
    k, b = load(params, p + STIFFNESS), load(params, p + DAMPING)
    strength, rise, e = load(params, p + STRENGTH), load(params, p + RISE), load(params, p + RESTITUTION)
    turn, ramp, scale = load(params, p + SURFACE_TURN), load(params, p + RAMP_DEPTH), load(params, p + SCALE)
    deepest = load(params, p + DEEPEST)
    deep = minimum(depth, deepest)
    grown = grown_exponential(rise * deep)
    spring = k * deep + strength * (grown - one)
    slope = where_positive(deepest - depth, k + strength * rise * grown, zero)
    speed = sqrt(out * out + turn * turn)
    factor = (one + e) * half - (one - e) * half * out / speed
    b = b * minimum(depth / ramp, one)
    force = (spring * factor - b * out) * scale
    damping = (spring * (one - e) * half / speed + b) * scale
    pushing = where_positive(depth, where_positive(force, one, zero), zero)
    return force * pushing, slope * factor * scale * pushing, damping * pushing


@function
def first_stiffness(params, p):
    """How stiff it is where it begins to be touched [N/m]."""
    rising = load(params, p + STRENGTH) * load(params, p + RISE)
    return (load(params, p + STIFFNESS) + rising) * load(params, p + SCALE)


@function
def beyond_law(params, p, depth):
    """Positive where the depth is more than the law is good for."""
    past = load(params, p + RISE) * depth - constant(depth, EXPONENT_MOST)
    past = where_positive(load(params, p + STRENGTH), past, constant(depth, -1.0))
    return maximum(depth - load(params, p + DEEPEST), past)


@function
def stored_in(params, p, depth):
    """Energy of the springs at a depth, as they are while the point moves in."""
    d = minimum(maximum(depth, constant(depth, 0.0)), load(params, p + DEEPEST))
    rise = load(params, p + RISE)
    bent = load(params, p + STIFFNESS) * d * d * constant(d, 0.5)
    grown = load(params, p + STRENGTH) * ((grown_exponential(rise * d) - constant(d, 1.0)) / rise - d)
    return (bent + grown) * load(params, p + SCALE)


@function
def friction_factor(params, p, law, force, speed_squared):
    """c of the friction force -c v."""
    limit = load(params, p + FRICTION) * force
    grip, creep = load(params, p + GRIP) * load(params, p + SCALE), load(params, p + CREEP)
    c = limit * reciprocal(sqrt(speed_squared + creep * creep))
    if law > 0:
        speed = sqrt(speed_squared + creep * creep * constant(creep, 1e-12))
        if law == 1:
            c = minimum(grip, limit / speed)
        else:
            bound = maximum(limit, constant(limit, 1e-30))
            bent = arctan(grip * speed * constant(limit, 0.5 * math.pi) / bound)
            c = bound * constant(limit, 2.0 / math.pi) * bent / speed
    return where_positive(limit, c, constant(c, 0.0))


@function
def contact_force(params, p, law, normal, depth, speed):
    """Force on what presses in at a depth along the normal, moving at `speed` against the surface; its K and B."""
    out = dot(speed, normal)
    force, stiffness, damping = normal_force(params, p, depth, out)
    along = speed - normal * out
    c = friction_factor(params, p, law, force, dot(along, along))
    zero = constant(c, 0.0)
    nn = sym_outer(normal, normal)
    return normal * force - along * c, nn * stiffness, nn * (damping - c) + Sym3(c, c, c, zero, zero, zero)
