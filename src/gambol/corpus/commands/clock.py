"""The clock, the integrator, alarms and timers."""

from gambol.corpus.actions import calls, sets
from gambol.corpus.engine import INTEGRATORS
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import in_group
from gambol.corpus.worlds import Alarm
from gambol.errors import CommandError

command = in_group("integrator")
dynamics_command = in_group("dynamics")
events_command = in_group("events")


@dynamics_command("go", "[frames:integer]", "simulates so many frames of dt (default 1)")
def go(interpreter: Interpreter, frames: int | None) -> None:
    """Runs so many frames, one by default, and says what was cut off meanwhile."""
    count = 1 if frames is None else frames
    if count < 0:
        raise CommandError(f"frames must not be negative, they are {count}")
    world = interpreter.worlds.current
    clipped, beyond = world.engine.speed_clips, sum(world.engine.force_law_clips().values())
    world.run_frames(count)
    more = sum(world.engine.force_law_clips().values()) - beyond
    if more > 0:
        worst = max(world.engine.force_law_clips().items(), key=lambda item: item[1])[0]
        interpreter.warn(f"force laws were evaluated {more:.0f} times beyond what they are good for, most at {worst}")
    if world.engine.speed_clips > clipped:
        interpreter.warn(f"maxv cut speeds {world.engine.speed_clips - clipped} times")


def _setting(name: str, field: str, help: str, *, positive: bool, stale: bool = True) -> None:
    @command(name, "[value:number]", help)
    def act(interpreter: Interpreter, value: float | None) -> None:
        world = interpreter.worlds.current
        if value is None:
            interpreter.print(f"{name}: {getattr(world, field):.12g}")
            return
        if positive and not value > 0:
            raise CommandError(f"{name} must be positive, it is {value:g}")
        setattr(world, field, value)
        if stale:
            world.engine.invalidate()


_setting("dt", "dt", "sets or prints the length of a frame [s]", positive=True)
_setting("h", "h", "sets or prints the first step inside a frame [s]", positive=True)
_setting("eps", "eps", "sets or prints the tolerance of adaptive integrators", positive=True)
_setting("time", "time", "sets or prints the clock [s]", positive=False)


@command("iter", "n:integer", "simulates every frame n times")
def iter_(interpreter: Interpreter, n: int) -> None:
    if n < 1:
        raise CommandError(f"a frame is simulated at least once, not {n} times")
    interpreter.worlds.current.iterations = n


@command("inctime", "", "puts the clock on by dt")
def inctime(interpreter: Interpreter) -> None:
    interpreter.worlds.current.time += interpreter.worlds.current.dt
    interpreter.worlds.current.engine.invalidate()


@command("pushtime", "", "remembers the clock")
def pushtime(interpreter: Interpreter) -> None:
    interpreter.worlds.current.saved_time = interpreter.worlds.current.time


@command("poptime", "", "puts the clock back to what was remembered")
def poptime(interpreter: Interpreter) -> None:
    interpreter.worlds.current.time = interpreter.worlds.current.saved_time
    interpreter.worlds.current.engine.invalidate()


@command(
    "integration",
    f"method:{'|'.join(INTEGRATORS)}",
    "rkf: Fehlberg 4(5); rkfixed: Runge-Kutta 4 with steps h; rkvar: the same, adaptive; euler; implicit: the pair "
    "for stiff figures",
)
def integration(interpreter: Interpreter, method: str) -> None:
    interpreter.worlds.current.integration = method
    interpreter.worlds.current.engine.invalidate()


command("order", "kind:newt|arist", "second-order (Newton) or first-order (Aristotle) dynamics")(
    sets("worlds.current.order")
)


# ------------------------------------------------------------ alarms and timers
@events_command(
    "alarm", "time:time command:text", "runs a command in the first frame that begins at this time or later", raw=True
)
def alarm(interpreter: Interpreter, time: float, text: str) -> None:
    """Calls a command when the world reaches a time [s]."""
    world = interpreter.worlds.current
    world.alarms.append(
        Alarm(
            time,
            interpreter.current_line.with_text(interpreter.substitute_for_later(text)),
            program_duration=interpreter.program_duration,
        )
    )


@events_command(
    "timer",
    "delta:time command:text",
    "runs a command every so often; with *x, once after that share of the leg program",
    raw=True,
)
def timer(interpreter: Interpreter, delta: float, text: str) -> None:
    """Calls a command after a time [s], again and again unless the time is given as relative."""
    if not delta > 0:
        raise CommandError(f"the time of a timer must be positive, it is {delta:g}")
    world = interpreter.worlds.current
    relative = interpreter.current_line.text.split()[1].startswith("*")
    kept = interpreter.current_line.with_text(interpreter.substitute_for_later(text))
    world.alarms.append(
        Alarm(
            world.time + delta, kept, period=0.0 if relative else delta, program_duration=interpreter.program_duration
        )
    )


events_command("timerflush", "", "runs the alarms and timers that are due now")(calls("worlds.current.run_due_alarms"))
