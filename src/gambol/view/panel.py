"""The panel beside the scene: time, parameters, overlays, a live plot. Shared by everybody who looks."""

import math
from typing import Any

import numpy as np

from gambol.view.channels import Channel, curve
from gambol.view.markup import as_text
from gambol.view.parameters import Parameter
from gambol.view.playback import FASTEST, Player
from gambol.view.scenery import OVERLAYS, Scenery

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
WINDOW = 10.0  # [s] of the plot
NO_PLOT = "nothing"


class Panel:
    """Controls, wired to a player. `refresh` brings them up to date; it is called a few times a second."""

    def __init__(self, server: Any, player: Player, scenery: Scenery, channels: dict[str, Channel]):
        self.gui, self.player, self.scenery, self.channels = server.gui, player, scenery, channels
        self.gui.set_panel_label(f"Gambol: {player.source.title}")
        self.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
        self.status = self.gui.add_markdown("")
        with self.gui.add_folder("Time"):
            self._time()
        self.inputs: list[tuple[Parameter, Any]] = []
        if player.source.parameters:
            with self.gui.add_folder("Parameters"):
                for parameter in player.source.parameters:
                    self._parameter(parameter)
        with self.gui.add_folder("Show"):
            self._show()
        with self.gui.add_folder("Plot"):
            self._plot()

    # ------------------------------------------------------------ time
    def _time(self) -> None:
        player, gui = self.player, self.gui
        self.play = gui.add_button("Pause" if player.playing else "Play")
        self.play.on_click(lambda _: player.pause() if player.playing else player.play())
        step = gui.add_button_group("Step", ("back", "forward"))
        step.on_click(lambda event: player.step(1 / 60 if event.target.value == "forward" else -1 / 60))
        first = player.source.first
        self.timeline = gui.add_slider("Timeline [s]", first, max(player.source.last, first + 0.1), 1e-3, first)
        self.timeline.on_update(self._scrubbed)
        self._timeline_time = first  # [s] that the timeline was last set to
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=self._speed_name())
        self.speed.on_update(lambda _: setattr(player, "speed", SPEEDS[self.speed.value]))
        if player.source.live:
            gui.add_button("Restart").on_click(lambda _: player.restart())
            gui.add_button("Resume from here", hint="Forgets what came after the shown moment").on_click(
                lambda _: player.resume_here()
            )
        else:
            loop = gui.add_checkbox("Loop", player.loop)
            loop.on_update(lambda _: setattr(player, "loop", loop.value))

    def _speed_name(self) -> str:
        return next((name for name, speed in SPEEDS.items() if speed == self.player.speed), "1")

    # Coroutines are called at once, functions when there is a thread for them: by then refresh may have put another
    # value in the place of the one that was chosen.
    async def _scrubbed(self, event: Any) -> None:
        if event.client is not None:  # by a person, not by refresh
            self.player.seek(float(self.timeline.value))
            self.player.do(lambda: setattr(self, "_timeline_time", -math.inf))  # it may have been beyond what is known

    # ------------------------------------------------------------ parameters
    def _parameter(self, parameter: Parameter) -> None:
        value = _shown(parameter)
        if parameter.choices:
            handle: Any = self.gui.add_dropdown(parameter.title, tuple(parameter.choices), initial_value=value)
        else:
            step = 10.0 ** np.floor(np.log10((parameter.upper - parameter.lower) / 100.0))
            handle = self.gui.add_slider(parameter.title, parameter.lower, parameter.upper, float(step), value)
        self.inputs.append((parameter, handle))

        async def changed(event: Any) -> None:
            if event.client is not None:
                wanted = handle.value
                self.player.do(lambda: self._set(parameter, wanted))

        handle.on_update(changed)

    def _set(self, parameter: Parameter, wanted: Any) -> None:
        """Sets a parameter; others may depend on it, so their inputs follow."""
        parameter.set(parameter.checked(wanted))
        for other, handle in self.inputs:
            if other is not parameter and (now := _shown(other)) != handle.value:
                handle.value = now

    # ------------------------------------------------------------ what is shown
    def _show(self) -> None:
        follow = self.gui.add_checkbox("Camera follows", self.scenery.follow)
        follow.on_update(lambda _: setattr(self.scenery, "follow", follow.value))
        box = self.gui.add_checkbox("Transparent", False)
        box.on_update(lambda _: self.scenery.set_transparent(box.value))
        for name in OVERLAYS:
            self._overlay(name)

    def _overlay(self, name: str) -> None:
        box = self.gui.add_checkbox(name.capitalize(), self.scenery.shown[name])

        def changed(_: Any) -> None:
            self.scenery.shown[name] = box.value
            self.player.version += 1

        box.on_update(changed)

    def _plot(self) -> None:
        self._plotted: tuple[str, float] = ("", 0.0)
        names = (NO_PLOT, *self.channels)
        self.channel = self.gui.add_dropdown("Of", names, initial_value=names[0])
        line: tuple[Any, ...] = ({}, {"label": "value", "stroke": "#0072b2", "width": 2})
        empty = (np.zeros(2), np.zeros(2))
        axes = ({"label": "time [s]"}, {"size": 60})
        scales = {"x": {"time": False}}
        self.plot = self.gui.add_uplot(empty, line, axes=axes, scales=scales, aspect=1.6, visible=False)
        self.channel.on_update(lambda _: self.refresh_plot())

    def refresh_plot(self) -> None:
        """Draws the chosen channel over the last seconds, if it or the moment has changed."""
        name, now = self.channel.value, self.player.shown
        self.plot.visible = name != NO_PLOT
        if name == NO_PLOT or self._plotted == (name, now):
            return
        self._plotted = (name, now)
        moments = self.player.source.between(now - WINDOW, now)
        if len(moments) > 1:
            self.plot.data = curve(self.channels[name], moments)

    # ------------------------------------------------------------ a few times a second
    def refresh(self, rate: float) -> None:
        """Brings the panel up to date; `rate` is how many frames a second are being sent."""
        player = self.player
        source = player.source
        label = "Pause" if player.playing else "Play"
        if self.play.label != label:
            self.play.label = label
        last = math.ceil(10.0 * max(source.last, source.first + 0.1)) / 10.0  # a scale that does not tremble
        if self.timeline.max != last:
            self.timeline.max = last
        if self.timeline.min != source.first:
            self.timeline.min = source.first
        if abs(self._timeline_time - player.shown) > 5e-4:
            self._timeline_time = player.shown
            self.timeline.value = min(max(player.shown, source.first), last)
        self.status.content = self._words(rate)
        self.refresh_plot()

    def _words(self, rate: float) -> str:
        player, source = self.player, self.player.source
        lines = [f"**t = {player.shown:.2f} s**"]
        if player.playing:
            lines[0] += f", {player.pace:.2g} × real time, {rate:.0f} frames/s"
        elif not player.at_end:
            lines[0] += f" of {source.last:.2f} s"
        if source.fault:
            lines.append(f"Stopped: {as_text(source.fault)}")
        if source.forgotten:
            lines.append(f"The timeline begins at {source.first:.1f} s: {source.forgotten} moments dropped")
        if source.mouse and (body := source.mouse.body):
            lines.append(f"Pulling at {as_text(body.rsplit('/', 1)[-1])}")
        return "\n\n".join(lines)


def _shown(parameter: Parameter) -> Any:
    """The value as its input shows it."""
    value = parameter.get()
    return value if parameter.choices else min(max(float(f"{value:.4g}"), parameter.lower), parameter.upper)
