"""What people at the page may ask for, and what they are told: the controls of a player, without the network."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.errors import ViewError
from gambol.view.live import MOST_EVENTS, LiveRun
from gambol.view.parameters import CurveParameter, Parameter
from gambol.view.playback import FASTEST, Player
from gambol.view.source import LiveSource

SPEEDS = {
    "1/50": 0.02,
    "1/20": 0.05,
    "1/10": 0.1,
    "1/4": 0.25,
    "1/2": 0.5,
    "1": 1.0,
    "2": 2.0,
    "as fast as possible": FASTEST,
}
LONGEST_PATH = 500  # points that can be drawn
LONGEST_LINE = 2000  # [characters] that can be typed


class Desk:
    """Acts on a player by messages, and says how things stand."""

    def __init__(self, player: Player, names: list[str]):
        self.player, self.names = player, names
        self._parameters = {parameter.label: parameter for parameter in player.source.parameters}
        self.values = {label: shown(parameter) for label, parameter in self._parameters.items()}
        self.events: list[tuple[float, str]] = []

    # ------------------------------------------------------------ what is asked for
    def act(self, message: dict[str, Any]) -> None:
        """Does what a message asks; raises for what cannot be understood."""
        player = self.player
        match message["do"]:
            case "play":
                player.play()
            case "pause":
                player.pause()
            case "step":
                player.step(_number(message["by"], 10.0))
            case "seek":
                player.seek(_number(message["time"]))
            case "speed":
                player.speed = SPEEDS[message["name"]]
            case "loop":
                player.loop = bool(message["on"])
            case "restart":
                player.restart()
            case "resume":
                player.resume_here()
            case "undo":
                player.undo()
            case "set":
                self._set(self._parameters[message["label"]], message["value"], bool(message.get("first", True)))
            case "type":
                self._type(str(message["text"]))
            case "steer" | "goto" | "path":
                self._direct(message)
            case "bend":
                self._bend(self.names[int(message["body"])], _number(message["by"], 10.0), bool(message.get("first")))
            case "grab" | "pull" | "release" | "push" | "pin":
                self._touch(message)
            case other:
                raise ValueError(f"nothing is called {other!r}")

    def _type(self, text: str) -> None:
        """A command at the prompt, where there is one."""
        prompt = self.player.source.prompt
        if prompt is not None and len(text) <= LONGEST_LINE:
            prompt.type(text)
            self.player.play()

    def _set(self, parameter: Parameter, value: Any, first: bool = True) -> None:
        """`first`: of a drag; undo takes all of it back."""
        if isinstance(parameter, CurveParameter):
            wanted: Any = tuple(_number(x) for x in value)
        else:
            wanted = str(value) if parameter.choices else _number(value)
        try:
            parameter.checked(wanted)
        except ViewError as error:
            raise ValueError(str(error)) from None

        def act() -> None:
            if first:
                self.player.remember()
            parameter.set(wanted)
            if self.player.at_end and isinstance(self.player.source, LiveRun):
                self.player.source.mark()
            self.read()

        self.player.do(act)

    def _direct(self, message: dict[str, Any]) -> None:
        """Arrow keys and clicks on the ground, where there is something to direct."""
        player, source = self.player, self.player.source
        pilot = source.pilot
        if pilot is None or not isinstance(source, LiveRun):
            return
        if message["do"] == "goto":
            x, y = _number(message["x"]), _number(message["y"])
            act = lambda: pilot.go_to(x, y)
        elif message["do"] == "path":
            points = [(_number(x), _number(y)) for x, y in message["points"][:LONGEST_PATH]]
            if len(points) < 2:
                return
            act = lambda: pilot.follow(points)
        else:
            ahead, turn = _number(message["ahead"], 1.0), _number(message["turn"], 1.0)
            act = lambda: pilot.steer(ahead, turn)

        def acted() -> None:
            act()
            source.mark()

        if message.get("first", True) or not player.at_end:
            player.touch(acted)
            player.play()
        else:
            player.do(acted)

    def _bend(self, body: str, by: float, first: bool) -> None:
        """Moves a joint by hand; `first`: of a drag, which undo takes back whole."""
        source, player = self.player.source, self.player
        if isinstance(source, LiveSource):
            (player.touch if first else player.do)(lambda: source.bend(body, by))

    def _touch(self, message: dict[str, Any]) -> None:
        mouse, player = self.player.source.mouse, self.player
        if mouse is None:
            return
        match message["do"]:
            case "release":
                player.do(lambda: None if mouse.lasting else mouse.release())
            case "pull":
                target = _vector(message["to"])
                player.do(lambda: mouse.pull(target) if mouse.body else None)
            case kind if kind in mouse.tools or kind == "grab":
                name, at = self.names[int(message["body"])], _vector(message["at"])
                if kind == "grab":
                    player.touch(lambda: mouse.grab(name, at))
                elif kind == "pin":
                    player.touch(lambda: mouse.pin(name, at))
                else:
                    way = _vector(message["way"])
                    force = way / max(float(np.linalg.norm(way)), 1e-12) * _number(message["newtons"])
                    seconds = min(max(_number(message["seconds"]), 1e-3), 10.0)
                    player.touch(lambda: mouse.push(name, at, force, seconds))

    # ------------------------------------------------------------ what is told
    def read(self) -> None:
        """Looks at the parameters and the events; in the player's thread."""
        self.values = {label: shown(parameter) for label, parameter in self._parameters.items()}
        self.events = self.player.source.events[-MOST_EVENTS:]

    def state(self) -> dict[str, Any]:
        """How things stand, for the page."""
        player, source = self.player, self.player.source
        mouse = source.mouse
        named = lambda body: body.rsplit("/", 1)[-1] if body else ""
        return {
            "live": source.live,
            "loop": player.loop,
            "speeds": list(SPEEDS),
            "speed": next((name for name, speed in SPEEDS.items() if speed == player.speed), "1"),
            "pace": f"{player.pace:.2g}",
            "at_end": player.at_end,
            "fault": f"Stopped: {source.fault}" if source.fault else "",
            "forgotten": f"the timeline begins at {source.first:.1f} s" if source.forgotten else "",
            "touchable": mouse is not None,
            "reversible": source.reversible,
            "tools": [*(mouse.tools if mouse else ()), *(["joint"] if isinstance(source, LiveSource) else [])],
            "prompt": source.prompt.state() if source.prompt is not None else None,
            "holding": named(mouse.body) if mouse else "",
            "pinned": [named(mouse.pinned)] if mouse and mouse.pinned else [],
            "undo": player.undoable,
            "events": [event for event in self.events if event[0] <= source.last],
            "parameters": [describe(p, self.values[p.label]) for p in self._parameters.values()],
        }


def describe(parameter: Parameter, value: Any) -> dict[str, Any]:
    """A parameter as the page shows it."""
    room = parameter.upper - parameter.lower
    return {
        "label": parameter.label,
        "title": parameter.title,
        "lower": parameter.lower,
        "upper": parameter.upper,
        "step": parameter.step or float(10.0 ** np.floor(np.log10(room / 100.0))),
        "choices": list(parameter.choices),
        "value": value,
    } | ({"most": parameter.most, "group": parameter.group} if isinstance(parameter, CurveParameter) else {})


def shown(parameter: Parameter) -> Any:
    """The value as its input shows it."""
    value = parameter.get()
    if isinstance(parameter, CurveParameter):
        return [float(f"{x:.6g}") for x in value]
    return value if parameter.choices else min(max(float(f"{value:.4g}"), parameter.lower), parameter.upper)


def _number(value: Any, largest: float = 1e12) -> float:
    number = float(value)
    if not abs(number) <= largest:
        raise ValueError(f"{number:g} is no sensible number here")
    return number


def _vector(values: Any) -> np.ndarray:
    vector = np.array([_number(value) for value in values])
    if vector.shape != (3,):
        raise ValueError("a place has three numbers")
    return vector
