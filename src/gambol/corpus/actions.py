"""What many commands do, so that they are a row of the table each.

command("roll", "degrees:number", "rolls the camera")(sets("rendering.view.roll"))
command("lighton", "light:light", "switches a light on")(sets_its("on", always(True)))
command("incrspeed", "", "changes the speed by deltaspeed")(calls("worlds.gait.increase"))
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gambol.corpus.table import CommandFunction

if TYPE_CHECKING:
    from gambol.corpus.interpreter import Interpreter


def alone(value: Any) -> Any:
    """The one argument as it is."""
    return value


def always(value: Any) -> Callable[..., Any]:
    """The same value whatever the arguments are."""
    return lambda *arguments: value


def together(*arguments: Any) -> tuple[Any, ...]:
    """The arguments as a tuple."""
    return arguments


def is_on(switch: str) -> bool:
    """Whether a switch is on."""
    return switch == "on"


def sets(path: str, value: Callable[..., Any] = alone, *, stale: bool = False) -> CommandFunction:
    """Sets what a path leads to from the interpreter, to what `value` makes of the arguments.

    With `stale` the figures of the world are compiled anew before they move.
    """

    def act(interpreter: Interpreter, *arguments: Any) -> None:
        _set(interpreter, path, value(*arguments))
        if stale:
            interpreter.worlds.current.engine.invalidate()

    return act


def sets_its(path: str, value: Callable[..., Any] = alone, *, stale: bool = False) -> CommandFunction:
    """The same from the first argument on: what an object, a light or a body has; `value` takes the others."""

    def act(interpreter: Interpreter, it: Any, *arguments: Any) -> None:
        _set(it, path, value(*arguments))
        if stale:
            interpreter.worlds.current.engine.invalidate()

    return act


def _set(start: Any, path: str, value: Any) -> None:
    owner, _, field = path.rpartition(".")
    found = attrgetter(owner)(start) if owner else start
    if field not in vars(found) and not hasattr(type(found), field):
        raise AttributeError(f"{type(found).__name__} has no {field}")
    setattr(found, field, value)


def calls(path: str) -> CommandFunction:
    """Calls the method that a path leads to from the interpreter, with the arguments."""
    return lambda interpreter, *arguments: attrgetter(path)(interpreter)(*arguments)


def prints(text: Callable[..., str]) -> CommandFunction:
    """Prints the text made of the interpreter and the arguments."""
    return lambda interpreter, *arguments: interpreter.print(text(interpreter, *arguments))
