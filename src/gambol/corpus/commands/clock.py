"""The clock, the integrator, alarms and timers."""

from __future__ import annotations

from gambol.corpus.engine import METHODS
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import command
from gambol.corpus.universe import Alarm
from gambol.errors import CommandError

GROUP = "integrator"
EVENTS = "events"


@command("go", "[frames:integer]", "simulates so many frames of dt (default 1)", group="dynamics")
def go(it: Interpreter, frames: int | None) -> None:
    count = 1 if frames is None else frames
    if count < 0:
        raise CommandError(f"frames must not be negative, they are {count}")
    realm = it.universe.realm
    clipped, beyond = realm.engine.clipped, sum(realm.engine.beyond_laws().values())
    realm.go(count)
    more = sum(realm.engine.beyond_laws().values()) - beyond
    if more > 0:
        worst = max(realm.engine.beyond_laws().items(), key=lambda item: item[1])[0]
        it.warn(f"force laws were evaluated {more:.0f} times beyond what they are good for, most at {worst}")
    if realm.engine.clipped > clipped:
        it.warn(f"maxv cut speeds {realm.engine.clipped - clipped} times")


def _setting(name: str, field: str, help: str, *, positive: bool, stale: bool = True) -> None:
    @command(name, "[value:number]", help, group=GROUP)
    def act(it: Interpreter, value: float | None) -> None:
        realm = it.universe.realm
        if value is None:
            it.say(f"{name}: {getattr(realm, field):.12g}")
            return
        if positive and not value > 0:
            raise CommandError(f"{name} must be positive, it is {value:g}")
        setattr(realm, field, value)
        if stale:
            realm.engine.rebuild()


_setting("dt", "dt", "sets or prints the length of a frame [s]", positive=True)
_setting("h", "h", "sets or prints the first step inside a frame [s]", positive=True)
_setting("eps", "eps", "sets or prints the tolerance of adaptive integrators", positive=True)
_setting("time", "time", "sets or prints the clock [s]", positive=False)


@command("iter", "n:integer", "simulates every frame n times", group=GROUP)
def iter_(it: Interpreter, n: int) -> None:
    if n < 1:
        raise CommandError(f"a frame is simulated at least once, not {n} times")
    it.universe.realm.iterations = n


@command("inctime", "", "puts the clock on by dt", group=GROUP)
def inctime(it: Interpreter) -> None:
    it.universe.realm.time += it.universe.realm.dt
    it.universe.realm.engine.rebuild()


@command("pushtime", "", "remembers the clock", group=GROUP)
def pushtime(it: Interpreter) -> None:
    it.universe.realm.saved_time = it.universe.realm.time


@command("poptime", "", "puts the clock back to what was remembered", group=GROUP)
def poptime(it: Interpreter) -> None:
    it.universe.realm.time = it.universe.realm.saved_time
    it.universe.realm.engine.rebuild()


@command(
    "integration",
    f"method:{'|'.join(METHODS)}",
    "rkf: Fehlberg 4(5); rkfixed: Runge-Kutta 4 with steps h; rkvar: the same, adaptive; euler; implicit: the pair "
    "for stiff figures",
    group=GROUP,
)
def integration(it: Interpreter, method: str) -> None:
    it.universe.realm.integration = method
    it.universe.realm.engine.rebuild()


@command("order", "kind:newt|arist", "second-order (Newton) or first-order (Aristotle) dynamics", group=GROUP)
def order(it: Interpreter, kind: str) -> None:
    it.universe.realm.order = kind


# ------------------------------------------------------------ alarms and timers
@command(
    "alarm",
    "time:time command:text",
    "runs a command in the first frame that begins at this time or later",
    group=EVENTS,
    raw=True,
)
def alarm(it: Interpreter, time: float, text: str) -> None:
    realm = it.universe.realm
    realm.alarms.append(Alarm(time, it.place.saying(it.carried(text)), span=it.span))


@command(
    "timer",
    "delta:time command:text",
    "runs a command every so often; with *x, once after that share of the leg program",
    group=EVENTS,
    raw=True,
)
def timer(it: Interpreter, delta: float, text: str) -> None:
    if not delta > 0:
        raise CommandError(f"the time of a timer must be positive, it is {delta:g}")
    realm = it.universe.realm
    relative = it.place.text.split()[1].startswith("*")
    kept = it.place.saying(it.carried(text))
    realm.alarms.append(Alarm(realm.time + delta, kept, period=0.0 if relative else delta, span=it.span))


@command("timerflush", "", "runs the alarms and timers that are due now", group=EVENTS)
def timerflush(it: Interpreter) -> None:
    it.universe.realm.fire_due()
