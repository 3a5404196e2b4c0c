"""Orders that a director carries out, one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.control.biped.gestures import HANDS
from gambol.control.directing.whereabouts import Whereabouts, wrapped
from gambol.errors import Fault, WorldError, shortened
from gambol.stepping import given

if TYPE_CHECKING:
    from gambol.control.directing.director import Director

THERE = 0.1  # [rad] within which a heading is reached
NEAR, BESIDE = 2.0, 0.7  # times what counts as near: where it keeps its heading; cosine of a place beside it
DEEPEST, LOWERED = 0.35, 0.025  # [m] of a squat; within which it is done
LOWEST_SEAT, SITTING_DOWN, FELT = (
    0.46,
    0.3,
    1.5,
)  # [m] to which hips go down to a seat, times its size; [m/s]; [s] there
TOUCHED, HUNG = 0.03, 0.05  # [m] of a palm from its point, [rad] of an arm from hanging
PATIENCE, PROGRESS = 1.0, 0.1  # [s] without coming nearer by a share of what is near enough
STILL = 0.05  # of the top speed: slower than that is standing


class Order:
    """Something a figure is told to do. `begin` once, then `tick` until it says that it is done."""

    keeps: tuple[str, ...] = ()
    meanwhile: bool = False  # the next order does not wait for it
    ended: str = "done"  # what the event says when it is over

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        """Its turn has come."""

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        """Sets the director's speed [m/s] and heading [rad]; True when it is done."""
        return True

    def save(self) -> Any:
        """What it remembers."""
        return {name: getattr(self, name) for name in self.keeps if hasattr(self, name)}

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        for name, value in state.items():
            setattr(self, name, value)


def _number(value: Any, what: str) -> float:
    return given.number(value, what, "director", allowed="a finite number")


def _speed(value: float | None) -> float | None:
    speed = None if value is None else _number(value, "a speed [m/s]")
    return speed


def _distance(value: float | None) -> float | None:
    return None if value is None else _number(value, "a distance [m]")


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise WorldError([Fault(f"{what} is true or false, not {value!r}", "director")])
    return value


def _hand(value: Any) -> str:
    if value not in HANDS:
        raise WorldError([Fault(f"a hand is left or right, not {shortened(repr(value))}", "director")])
    return str(value)


def _point(value: Any) -> tuple[float, float, float] | None:
    if value is None:
        return None
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 3:
        raise WorldError([Fault(f"a point is (x, y, z) [m], not {shortened(repr(value))}", "director")])
    x, y, z = (_number(each, f"{axis} [m]") for each, axis in zip(value, "xyz"))
    return x, y, z


def _wanted(order: Any, director: Director) -> float:
    """The speed of an order, within what the legs can do [m/s]."""
    top = director.steering.top_speed
    return director.steering.usual_speed if order.speed is None else min(max(order.speed, -top), top)


class Wait(Order):
    """Nothing new for some seconds."""

    keeps = ("until",)

    def __init__(self, seconds: float):
        self.seconds = _number(seconds, "a time to wait [s]")

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        self.until = run.latest_time + self.seconds

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        return bool(run.is_due(self.until))

    def __str__(self) -> str:
        return f"wait {self.seconds:g} s"


class Go(Wait):
    """A speed and a heading."""

    def __init__(self, speed: float | None = None, heading: float | None = None, seconds: float = 0.0):
        super().__init__(seconds)
        self.speed = _speed(speed)
        self.heading = None if heading is None else _number(heading, "a heading [rad]")

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        super().begin(director, run, seen)
        director.speed = _wanted(self, director)
        if self.heading is not None:
            director.heading = self.heading

    def __str__(self) -> str:
        speed = "" if self.speed is None else f" at {self.speed:g} m/s"
        return "go" + speed + ("" if self.heading is None else f" heading {self.heading:g} rad")


class Stop(Order):
    """No more walking."""

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        director.speed = 0.0

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        steering = director.steering
        return seen.speed < max(STILL * steering.top_speed, 1.1 * steering.least_speed)

    def __str__(self) -> str:
        return "stop"


class Squat(Order):
    """Lowers the hips by a depth [m]; 0: rises."""

    def __init__(self, depth: float = 0.2):
        self.depth = _number(depth, "a depth [m]")
        if not 0.0 <= self.depth <= DEEPEST:
            raise WorldError([Fault(f"a depth is from 0 to {DEEPEST:g} m, not {self.depth:g}", "director")])

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        if not hasattr(director.steering, "crouch"):
            raise WorldError([Fault(f"{self}: a figure on {type(director.steering).__name__} cannot", "director")])
        director.speed = 0.0

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        now = director.steering.crouch(self.depth)  # type: ignore[attr-defined]
        return seen.speed == 0.0 and abs(now - self.depth) < LOWERED

    def __str__(self) -> str:
        return f"squat {self.depth:g} m" if self.depth else "rise"


class Sit(Order):
    """Lowers the hips until something behind carries them, and sits there; rises again where nothing does."""

    keeps = ("depth", "due", "ended")

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        steering: Any = director.steering
        if not hasattr(steering, "sit"):
            raise WorldError([Fault(f"{self}: a figure on {type(steering).__name__} cannot", "director")])
        if not steering.can_sit:
            remedy = "make its world by walking_world(seat=True)"
            raise WorldError([Fault(f"{self}: nothing under its hips touches a seat: {remedy}", "director")])
        director.speed, self.depth, self.due, self.ended = 0.0, 0.0, run.latest_time, "done"

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        steering: Any = director.steering
        walk, lowest = steering.walk, LOWEST_SEAT * steering.walk.size
        way = SITTING_DOWN * walk.pace * (run.latest_time - self.due)
        self.due = run.latest_time
        if seen.speed > 0.0:
            return False
        if self.ended != "done":  # back as it came
            self.depth = max(min(self.depth, lowest) - way, 0.0)
            return bool(steering.crouch(self.depth) < LOWERED)
        self.depth += way
        sits = steering.sit(min(self.depth, lowest))
        if sits is None and self.depth > lowest + FELT * SITTING_DOWN * walk.size:
            self.ended = "found no seat"
        return bool(sits)

    def __str__(self) -> str:
        return "sit"


class Gesture(Order):
    """Something that hands or head do, whatever the legs do; it is given up when it comes no nearer for a second.

    meanwhile   the order after it begins with it
    """

    keeps = ("ended", "best", "since")
    needs = ""

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        if not hasattr(director.steering, self.needs):
            raise WorldError([Fault(f"{self}: a figure on {type(director.steering).__name__} cannot", "director")])
        self.best, self.since, self.ended = math.inf, run.latest_time, "done"

    def off(self, director: Director, run: Any) -> float:
        """By how much it is off."""
        raise NotImplementedError

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        off = self.off(director, run)
        if off < self.within:
            return True
        if off < self.best - PROGRESS * self.within:
            self.best, self.since = off, run.latest_time
        if run.latest_time < self.since + PATIENCE:
            return False
        self.ended = f"given up {self.told(off)} off"
        return True

    within = 0.03

    def told(self, off: float) -> str:
        """How far off, in words."""
        return f"{off:.2f} m"


class Reach(Gesture):
    """A hand goes to a point [m, world], and stays there; None: it hangs, and swings as it walks."""

    needs = "reach"

    def __init__(self, hand: str, point: Sequence[float] | None, within: float | None = None, meanwhile: bool = False):
        self.hand, self.point, self.meanwhile = _hand(hand), _point(point), _flag(meanwhile, "meanwhile")
        self.within = (HUNG if point is None else TOUCHED) if within is None else _number(within, "a distance [m]")

    def off(self, director: Director, run: Any) -> float:
        return float(director.steering.reach(run, self.hand, self.point))  # type: ignore[attr-defined]

    def __str__(self) -> str:
        if self.point is None:
            return f"{self.hand} hand down"
        return f"{self.hand} hand to ({', '.join(f'{x:g}' for x in self.point)})"


class Look(Gesture):
    """The head turns to a point [m, world], and follows it; None: ahead."""

    needs, within = "look_at", 0.05

    def __init__(self, at: Sequence[float] | None = None, meanwhile: bool = False):
        self.at, self.meanwhile = _point(at), _flag(meanwhile, "meanwhile")

    def off(self, director: Director, run: Any) -> float:
        return float(director.steering.look_at(run, self.at))  # type: ignore[attr-defined]

    def told(self, off: float) -> str:
        return f"{math.degrees(off):.0f}°"

    def __str__(self) -> str:
        return "look ahead" if self.at is None else f"look at ({', '.join(f'{x:g}' for x in self.at)})"


class Turn(Order):
    """By an angle, to the left."""

    keeps = ("goal",)

    def __init__(self, angle: float):
        self.angle = _number(angle, "an angle [rad]")

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        self.goal = director.heading + self.angle

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        # a turn of more than half a circle goes the way it was asked: ahead of the figure by a quarter at most
        apart = self.goal - director.heading
        lag = wrapped(director.heading - seen.heading)
        director.heading += math.copysign(min(abs(apart), max(0.0, 0.8 - abs(lag))), apart) if apart else 0.0
        return director.heading == self.goal and abs(wrapped(self.goal - seen.heading)) < THERE

    def __str__(self) -> str:
        return f"turn {self.angle:g} rad"


class WalkTo(Order):
    """To a place; halt: it stops there, slower the nearer it is, and goes back where it went too far."""

    def __init__(self, x: float, y: float, speed: float | None = None, within: float | None = None, halt: bool = False):
        self.x, self.y = _number(x, "x [m]"), _number(y, "y [m]")
        self.speed, self.within = _speed(speed), _distance(within)
        self.halt = _flag(halt, "halt")

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        far = math.hypot(self.x - seen.x, self.y - seen.y)
        if self.halt:
            return self._come_to_rest(director, seen, far)
        if far < near(self, director):
            return True
        director.speed = abs(_wanted(self, director))
        director.heading = math.atan2(self.y - seen.y, self.x - seen.x)
        director.speed = towards(self, director, seen, on_the_spot=within_curve(self, director, seen))
        return False

    def _come_to_rest(self, director: Director, seen: Whereabouts, far: float) -> bool:
        """Stands within a distance of the place? Near it, it keeps its heading, unless the place is beside it."""
        steering, wanted = director.steering, abs(_wanted(self, director))
        still = abs(seen.speed) < STILL * steering.top_speed
        if far < (steering.mark if self.within is None else self.within):
            director.speed = 0.0
            return still
        bearing = math.atan2(self.y - seen.y, self.x - seen.x)
        ahead, near = math.cos(bearing - seen.heading), far < NEAR * steering.near
        if not near or (still and abs(ahead) < BESIDE):
            director.heading = bearing
        director.speed = min(wanted, far / steering.settle) * ahead * abs(ahead) if ahead > 0.0 or near else 0.0
        return False

    def __str__(self) -> str:
        return f"{'stop at' if self.halt else 'walk to'} ({self.x:g}, {self.y:g})"


class Follow(Order):
    """A line through points."""

    keeps = ("at",)

    def __init__(self, path: Iterable[Sequence[float]], speed: float | None = None, within: float | None = None):
        self.points = np.array([(_number(x, "x [m]"), _number(y, "y [m]")) for x, y in path])
        if len(self.points) < 1:
            raise WorldError([Fault("a path has at least one point", "director")])
        self.speed, self.within = _speed(speed), _distance(within)

    def begin(self, director: Director, run: Any, seen: Whereabouts) -> None:
        self.at = 0.0  # how far along the path it is, in points
        self._line = np.concatenate([[[seen.x, seen.y]], self.points])

    def tick(self, director: Director, run: Any, seen: Whereabouts) -> bool:
        lengths = np.hypot(*np.diff(self._line, axis=0).T)
        ahead = 2.0 * near(self, director)
        here = np.array([seen.x, seen.y])
        total = float(lengths.sum())
        # the nearest place of the line a little further on; never back
        ways = np.linspace(self.at, min(self.at + 2.0 * ahead, total), 9)
        places = np.array([self._place(way, lengths) for way in ways])
        self.at = float(ways[int(np.argmin(np.hypot(*(places - here).T)))])
        end = self._line[-1]
        if self.at >= total - 1e-9 and np.hypot(*(end - here)) < near(self, director):
            return True
        aim = self._place(min(self.at + ahead, total), lengths)
        director.heading = math.atan2(aim[1] - here[1], aim[0] - here[0])
        director.speed = towards(self, director, seen)
        return False

    def _place(self, way: float, lengths: np.ndarray) -> np.ndarray:
        for k, length in enumerate(lengths):
            if way <= length or k == len(lengths) - 1:
                share = min(way / length, 1.0) if length > 0 else 1.0
                return self._line[k] + share * (self._line[k + 1] - self._line[k])
            way -= length
        return self._line[-1]

    def save(self) -> Any:
        return super().save() | ({"line": self._line.tolist()} if hasattr(self, "_line") else {})

    def restore(self, state: Any) -> None:
        super().restore({name: value for name, value in state.items() if name != "line"})
        if "line" in state:
            self._line = np.array(state["line"])

    def __str__(self) -> str:
        x, y = self.points[-1]
        return f"follow to ({x:g}, {y:g})"


def within_curve(order: WalkTo, director: Director, seen: Whereabouts) -> bool:
    """Is a place inside the tightest curve it can walk? Then it turns on the spot first, or would circle for ever."""
    radius = director.steering.curve / director.steering.turning
    ahead = order.x - seen.x, order.y - seen.y
    aside = ahead[1] * math.cos(seen.heading) - ahead[0] * math.sin(seen.heading)
    along = ahead[0] * math.cos(seen.heading) + ahead[1] * math.sin(seen.heading)
    return math.hypot(along, abs(aside) - radius) < radius - near(order, director)


def near(order: Any, director: Director) -> float:
    """Within what distance a place is reached [m]."""
    return float(order.within) if order.within is not None else director.steering.near


def towards(order: Any, director: Director, seen: Whereabouts, *, on_the_spot: bool = False) -> float:
    """Speed on the way [m/s], slower the more it has to turn: at least that of a curve, unless it turns on the spot."""
    speed = abs(_wanted(order, director))
    off = abs(wrapped(director.heading - seen.heading))
    least = 0.0 if on_the_spot else min(speed, director.steering.curve)
    return max(least, speed * max(0.0, math.cos(min(off, 0.5 * math.pi))) ** 2)
