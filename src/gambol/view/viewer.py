"""The live view in a browser: a server that shows a player to everybody who opens its address."""

from __future__ import annotations

import contextlib
import io
import socket
import sys
import threading
import time as clock
from typing import Any

import numpy as np

from gambol.draw.motion import Poses
from gambol.draw.render import Scene
from gambol.errors import ViewError
from gambol.view.anatomy import Anatomy
from gambol.view.channels import channels_of
from gambol.view.guard import Guard, guarding, new_token
from gambol.view.panel import Panel
from gambol.view.playback import Player
from gambol.view.recorded import RecordedSource
from gambol.view.scenery import Scenery
from gambol.view.source import LiveSource

HOST, PORT = "127.0.0.1", 8080
RATE = 40.0  # frames a second, at most
SWITCH = 1e-4  # [s] for which one thread may keep another from Python: the one that computes asks often and shortly
PANEL = 0.2  # [s] between refreshments of the panel


class Viewer:
    """Shows a source (or a player of one) in the browser. A context manager: leaving it frees the port.

    host  the address it listens at; the default is this machine alone
    port  0 takes any free one
    token  the part of the address that lets people in; by default a new one, which nobody can guess
    """

    def __init__(
        self,
        what: LiveSource | RecordedSource | Player,
        *,
        host: str = HOST,
        port: int = PORT,
        rate: float = RATE,
        token: str | None = None,
    ):
        self.player = what if isinstance(what, Player) else Player(what)
        source = self.player.source
        self.scene = Scene(source.figures, props=source.props, level=source.ground)
        self.anatomy = Anatomy(source.figures)
        self.rate, self.painted, self.painting = rate, 0, True
        self.poses: Poses = source.place(self.player.moment().q)
        before = set(threading.enumerate())
        self.guard = Guard(new_token() if token is None else token, host)
        self.server = open_server(host, port, self.guard)
        self._server_threads = set(threading.enumerate()) - before
        self.host, self.port = host, int(self.server.get_port())
        self.scenery = Scenery(self.server, self.scene, self.anatomy, self.poses)
        self.panel = Panel(self.server, self.player, self.scenery, channels_of(source, self.anatomy))
        self._newtons = max(source.mouse.weight if source.mouse else 9.81 * float(self.anatomy.masses.sum()), 1e-9)
        for batch, handle in zip(self.scene.batches, self.scenery.batches):
            self._draggable(batch, handle)
        self._closing, self._leaving = threading.Event(), threading.Event()
        self._painter = threading.Thread(target=self._paint, name="gambol painter", daemon=True)

    @property
    def address(self) -> str:
        """Where a browser finds it, token included."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{'127.0.0.1' if self.host == '0.0.0.0' else host}:{self.port}/{self.guard.token}"

    def start(self) -> Viewer:
        """Starts to compute and to draw."""
        self._switching = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        self.player.start()
        self._painter.start()
        return self

    def serve(self) -> None:
        """Shows until the process is interrupted."""
        with self, contextlib.suppress(KeyboardInterrupt):
            while not self._leaving.wait(0.5):
                pass

    def stop(self) -> None:
        """Has `serve` return; may be called from a signal handler."""
        self._leaving.set()

    def close(self) -> None:
        """Stops the run and frees the port."""
        if self._closing.is_set():
            return
        self._closing.set()
        self.player.close()
        if self._painter.is_alive():
            self._painter.join(5.0)
            sys.setswitchinterval(self._switching)
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()
            _wait_free(self.host, self.port)
            for thread in self._server_threads:  # the last thing one does is to say that it has stopped
                thread.join(2.0)

    def __enter__(self) -> Viewer:
        return self if self._painter.is_alive() else self.start()

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ------------------------------------------------------------ painting
    def _paint(self) -> None:
        seen, refreshed, counted, rate = -1, 0.0, 0, 0.0
        while not self._closing.is_set():
            began = clock.perf_counter()
            try:
                if self.painting and self.player.version != seen:
                    seen = self.player.version
                    self._show()
                    self.painted += 1
                if self.painting and began - refreshed >= PANEL:
                    rate = (self.painted - counted) / (began - refreshed)
                    refreshed, counted = began, self.painted
                    with self.server.atomic():
                        self.panel.refresh(rate)
            except RuntimeError as error:  # viser wakes its senders from our thread, and they may come and go meanwhile
                if "mutated during iteration" not in str(error):
                    raise
                seen = -1
            self._closing.wait(max(0.0, 1.0 / self.rate - (clock.perf_counter() - began)))

    def _show(self) -> None:
        source = self.player.source
        source.show_forces = self.scenery.shown["forces"]
        moment = self.player.moment()
        self.poses = source.place(moment.q)
        pull = (np.zeros(3), np.zeros(3))
        if source.mouse and source.mouse.body and self.player.at_end:
            pull = source.mouse.pulling(self.poses, self.anatomy.names)
        with self.server.atomic():
            self.scenery.tilt(source.slope)
            self.scenery.show(self.poses, pull, moment.forces, self._newtons)

    # ------------------------------------------------------------ dragging
    def _draggable(self, batch: Any, handle: Any) -> None:
        mouse, player = self.player.source.mouse, self.player
        if mouse is None:
            return

        async def dragged(event: Any) -> None:
            body = int(batch.bodies[event.instance_index or 0])
            if body < 0:
                return
            if event.phase == "start":
                at = np.asarray(event.start_position) + self.scenery.offset
                poses = self.poses
                own = poses.frames[body].T @ (at - poses.origins[body])
                player.do(lambda: mouse.grab(self.anatomy.names[body], own))
            target = np.asarray(event.end_position) + self.scenery.offset
            player.do(mouse.release if event.phase == "end" else lambda: mouse.pull(target))

        handle.on_drag("left")(dragged)


def open_server(host: str, port: int, guard: Guard) -> Any:
    """A viser server at exactly this port, guarded, without its own words on the terminal."""
    try:
        import viser
    except ImportError:
        raise ViewError("the live view needs viser: pip install 'gambol[view]'") from None
    check_port(host, port)
    with contextlib.redirect_stdout(io.StringIO()), guarding(guard):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    if port and server.get_port() != port:  # taken between the look and the bind
        server.stop()
        raise ViewError(f"port {port} is in use: choose another with --port, or --port 0 for any free one")
    return server


def check_port(host: str, port: int) -> None:
    """Raises ViewError in words when this address cannot be listened at."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OverflowError:
            raise ViewError(f"a port is from 0 to 65535, not {port}") from None
        except OSError as error:
            raise ViewError(_refused(host, port, error)) from None


def _refused(host: str, port: int, error: OSError) -> str:
    import errno

    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use: choose another with --port, or --port 0 for any free one"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by this user: choose one above 1023 with --port"
    return f"cannot listen at {host}, port {port}: {error.strerror or error}"


def _wait_free(host: str, port: int, longest: float = 30.0) -> None:
    """The server closes in a thread of its own; returns when the port is free again."""
    until = clock.perf_counter() + longest
    while clock.perf_counter() < until:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((host, port))
                return
        clock.sleep(0.02)
