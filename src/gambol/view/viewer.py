"""The live view in a browser: a server that shows a player to everybody who opens its address."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import sys
import threading
import time as clock
from typing import Any

import numpy as np

from gambol.draw.motion import Motion, Poses
from gambol.draw.render import Scene
from gambol.errors import ViewError
from gambol.figure.placement import quaternions
from gambol.forces.contact.terrain import Terrain
from gambol.view.anatomy import Anatomy
from gambol.view.channels import channels_of, curve
from gambol.view.desk import Desk
from gambol.view.ghost import Ghost
from gambol.view.guard import Guard, new_token
from gambol.view.live import LiveRun
from gambol.view.overlays import OVERLAY_NAMES, Overlays
from gambol.view.page import NEAR, about_scene, document, land_over, page, surfaces
from gambol.view.parameters import CurveParameter
from gambol.view.playback import Player
from gambol.view.recorded import RecordedSource
from gambol.view.server import Client, Server

HOST, PORT = "127.0.0.1", 8080
RATE = 40.0  # frames a second, at most
SWITCH = 1e-4  # [s] for which one thread may keep another from Python: the one that computes asks often and shortly
PANEL = 0.2  # [s] between refreshments of the panel
WINDOW = 10.0  # [s] of the plots
CYCLES = 8  # of the legs that the step pattern shows
SAID = 400  # lines of the prompt that a page shows
LEAVING = -2  # the edition of a page that is loading another one
UNENDED = 1e9  # [s] at which a step that is under way ends, for the page


class Viewer:
    """Shows a source (or a player of one) in the browser. A context manager: leaving it frees the port.

    One of those who look drives: only what that window asks for is done; any other may take the controls. Cameras,
    overlays and plots are each window's own.

    host  the address it listens at; the default is this machine alone
    port  0 takes any free one
    token  the part of the address that lets people in; by default a new one, which nobody can guess
    ghost  another motion, of a recording say, shown at the same times and seen through
    """

    def __init__(
        self,
        what: LiveRun | RecordedSource | Player,
        *,
        host: str = HOST,
        port: int = PORT,
        rate: float = RATE,
        token: str | None = None,
        ghost: Any = None,
    ):
        self.player = what if isinstance(what, Player) else Player(what)
        self.rate, self.painted, self.painting, self.driver = rate, 0, True, 0
        self.ghost = None if ghost is None else Ghost(Motion.of(ghost))
        self._land: tuple[Any, bytes] = (None, b"")
        self._staging = threading.RLock()  # pages are made of one stage
        self._set_the_stage()
        self._newcomers = threading.Event()
        self.guard = Guard(new_token() if token is None else token, host)
        check_port(host, port)
        self.server = open_server(host, port, self.guard, self)
        self.host, self.port = host, self.server.get_port()
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
        self.server.stop()

    def __enter__(self) -> Viewer:
        return self if self._painter.is_alive() else self.start()

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ------------------------------------------------------------ the page
    def _set_the_stage(self) -> None:
        """Everything that belongs to the figures of the source, as they are now."""
        with self.player.source.lock, self._staging:
            self._prepare_stage(self.player.source)

    def _prepare_stage(self, source: LiveRun | RecordedSource) -> None:
        self.edition, self._land = source.edition, (None, b"")
        self.scene = Scene(source.figures, props=source.props, ground=source.ground)
        self.anatomy = Anatomy(source.figures)
        self.poses: Poses = source.place(self.player.moment().q)
        self.channels = channels_of(source, self.anatomy)
        self.desk = Desk(self.player, self.anatomy.names)
        self._curves_of = [p for p in source.parameters if isinstance(p, CurveParameter)]
        self._newtons = max(source.mouse.weight if source.mouse else 9.81 * float(self.anatomy.masses.sum()), 1e-9)
        self.overlays = Overlays(source, self.scene, self.anatomy, newtons=self._newtons)
        self._about = self._describe()
        self.overlays.size = self._about["size"]

    def _describe(self) -> dict[str, Any]:
        source = self.player.source
        several = len(source.figures) > 1
        head = [k for k, name in enumerate(self.anatomy.names) if "head" in name.rsplit("/", 1)[-1]]
        middle = self.anatomy.middle(self.poses)
        return about_scene(self.scene, self.poses, source.title, middle) | {
            "live": True,
            "start": self.player.shown,
            "middle": middle.tolist(),
            "names": [called(name, several) for name in self.anatomy.names],
            "figures": len(source.figures),
            "weight": max(9.81 * float(self.anatomy.masses.sum()), 1e-9),
            "overlays": self.overlays.names,
            "channels": list(self.channels),
            "ends": [{"body": k, "at": at.tolist()} for k, at in self.anatomy.ends()],
            "inertia": self.anatomy.ellipsoids().transpose(0, 2, 1).reshape(-1, 16).tolist(),
            "eyes": head[-1] if head else 0,
            "ghost": self.ghost.about() if self.ghost else None,
            "steerable": source.pilot is not None,
            "charts": source.charts is not None,
            "edition": source.edition,
            "legs": [leg.name for leg in source.legs.gait.legs] if source.legs else [],
            "file": re.sub(r"[^\w-]+", "-", source.title).strip("-") or "gambol",
        }

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """The page, or one that plays what was seen so far."""
        if path == "/":
            with self._staging:
                if self.player.source.edition != self.edition:
                    self._set_the_stage()
                return "text/html; charset=utf-8", self._page().encode()
        if path == "/replay.html":
            source = self.player.source
            moments = source.between(source.first, source.last)
            motion = Motion(source.figures, [m.time for m in moments], [m.q for m in moments], source.title)
            made = page(motion, props=source.props, ground=source.ground, speed=source.speed)
            return "text/html; charset=utf-8", made.encode()
        return None

    def _page(self) -> str:
        arrays = {"places": self.poses.origins.astype("<f4"), "turns": quaternions(self.poses.frames).astype("<f4")}
        if self.ghost:
            arrays |= self.ghost.surfaces() | self.ghost.at(self.player.shown)
        about = self._about
        if (prompt := self.player.source.prompt) is not None:
            lines = prompt.lines[-SAID:]
            about = about | {"prompt": {"name": prompt.name, "lines": lines, "heard": len(prompt.lines)}}
        return document(about, surfaces(self.scene) | arrays)

    # ------------------------------------------------------------ people
    def received(self, client: Client, message: dict[str, Any]) -> None:
        """What a window asks for; in the server's thread."""
        match message["do"]:
            case "look":
                client.overlays = frozenset(OVERLAY_NAMES) & frozenset(map(str, message["overlays"]))
                client.plots = tuple(name for name in map(str, message["plots"]) if name in self.channels)
                client.heard, client.edition = int(message.get("heard", 0)), int(message.get("edition", 0))
                self.player.version += 1
            case "drive":
                self.driver = client.number
            case _ if client.number == self.driver:
                self.desk.act(message)
        if number := int(message.get("number", 0)):
            self.player.do(lambda: setattr(client, "done", number), seen=False)

    def changed(self) -> None:
        """Somebody came or went: the first of those who stay drives, and newcomers are shown where things stand."""
        numbers = sorted(self.server.get_clients()) if hasattr(self, "server") else []
        if numbers and self.driver not in numbers:
            self.driver = numbers[0]
        self._newcomers.set()

    # ------------------------------------------------------------ painting
    def _paint(self) -> None:
        seen, refreshed = -1, 0.0
        while not self._closing.is_set():
            began = clock.perf_counter()
            clients = list(self.server.get_clients().values())
            if self._newcomers.is_set():
                self._newcomers.clear()
                seen, refreshed = -1, 0.0
            if self.player.source.edition != self.edition:
                self._set_the_stage()
            for client in clients:
                if client.edition >= 0 and client.edition != self.edition:
                    client.edition = LEAVING
                    self.server.send(client, json.dumps({"reload": True}))
            clients = [client for client in clients if client.edition != LEAVING]
            if self.painting and clients and self.player.version != seen:
                seen = self.player.version
                self._show(clients)
                self.painted += 1
            if self.painting and clients and began - refreshed >= PANEL:
                refreshed = began
                self._tell(clients)
            self._closing.wait(max(0.0, 1.0 / self.rate - (clock.perf_counter() - began)))

    def _show(self, clients: list[Client]) -> None:
        source = self.player.source
        wanted = frozenset().union(*(client.overlays for client in clients))
        source.show_forces = bool(wanted & {"contact forces", "friction cones"})
        source.show_torques, source.show_muscles = "joint torques" in wanted, "muscles" in wanted
        with source.lock:
            if source.edition != self.edition:
                return  # a moment later the stage is another one
            moment = self.player.moment()
            self.poses = poses = source.place(moment.q)
        arrays = {"places": poses.origins, "turns": quaternions(poses.frames), "middle": self.anatomy.middle(poses)}
        arrays |= self.overlays(wanted, moment, poses) | self._touched(poses)
        if self.ghost:
            arrays |= self.ghost.at(self.player.shown)
        head = {
            "t": self.player.shown,
            "first": source.first,
            "last": source.last,
            "playing": self.player.playing,
            "friction": self.desk.values.get("friction"),
        }
        if source.pilot is not None and self.player.at_end:
            arrays["goal"] = self.overlays.below(source.pilot.mark())
            arrays["way"] = self.overlays.below(source.pilot.way())
        if self._curves_of:
            arrays["angles"] = np.array([curve.angle(moment) for curve in self._curves_of])
        if source.field is not None:
            arrays["field"] = source.field()
        if source.charts is not None:
            head["charts"] = source.charts.late(moment.time)
        if source.legs is not None:
            head |= self._steps(source.legs)
        picture = packed(head, arrays)
        ground = self._ground(arrays["middle"])
        for client in clients:
            if ground and getattr(client, "land", None) is not ground:
                client.land = ground  # type: ignore[attr-defined]
                self.server.send(client, ground)
            self.server.send(client, picture, picture=True)

    def _steps(self, walk: Any) -> dict[str, Any]:
        """When each leg stepped of late, [begin, end] [s], and the time of a cycle, for the step pattern."""
        now, cycle = self.player.shown, min(float(np.min(walk.gait.now.cycle)), 100.0)
        late = now - CYCLES * cycle
        steps = walk.log.footfalls(self.player.source.last).steps
        seen = [[(a, UNENDED if np.isnan(b) else b) for a, b in leg if a <= now and not b < late] for leg in steps]
        return {"cycle": cycle, "span": CYCLES * cycle, "steps": seen}

    def _touched(self, poses: Poses) -> dict[str, np.ndarray]:
        """Arrows of the mouse spring and marks of the pin, where there are any."""
        mouse = self.player.source.mouse
        if mouse is None or not self.player.at_end:
            return {}
        found = {}
        if mouse.body:
            found["pull"] = self.overlays.arrow(*mouse.pulling(poses, self.anatomy.names))
        if mouse.pinned:
            place = mouse.pinning(poses, self.anatomy.names)
            found["pins"] = np.stack([place, place + np.array([0.0, 0.0, 0.08 * self._about["size"]])], axis=1)
        return found

    def _ground(self, middle: np.ndarray) -> bytes:
        """The terrain around the figures as it is now, made anew when they have gone far or it was tilted."""
        source, size = self.player.source, self._about["size"]
        terrain = self.overlays.scene.ground
        slope = source.slope
        if isinstance(terrain, float) and slope:
            terrain = Terrain(level=terrain)
        if not isinstance(terrain, Terrain):
            return b""
        step = 2.0 * NEAR * size
        key = (*np.round(middle[:2] / step).tolist(), slope)
        if self._land[0] != key:
            terrain = type(terrain)(**{**vars(terrain), "slope_x": slope if source.live else terrain.slope_x})
            around, walked = np.round(middle[:2] / step) * step, 0.5 * step
            found = land_over(terrain, around - walked, around + walked, size)
            self._land = (key, packed({}, found))
        return self._land[1]

    def _tell(self, clients: list[Client]) -> None:
        """How things stand, to those who do not know it yet; and the curves they look at."""
        self.player.do(self.desk.read, seen=False)
        done = [client.done for client in clients]  # asked first, so that what stands is never older
        state = self.desk.state() | {"viewers": len(clients)}
        for client, number in zip(clients, done):
            own = state | {"driver": client.number == self.driver, "done": number}
            if client.told != own:
                client.told = own
                self.server.send(client, json.dumps({"state": own}))
            if (prompt := self.player.source.prompt) is not None and 0 <= client.heard < len(prompt.lines):
                said = prompt.lines[client.heard :]
                client.heard += len(said)
                self.server.send(client, json.dumps({"said": said[-SAID:]}))
            if client.plots:
                self.server.send(client, json.dumps({"plots": self._curves(client.plots)}))

    def _curves(self, names: tuple[str, ...]) -> dict[str, Any]:
        now = self.player.shown
        moments = self.player.source.between(now - WINDOW, now)
        found = {}
        for name in names:
            times, values = curve(self.channels[name], moments) if len(moments) > 1 else (np.zeros(0), np.zeros(0))
            found[name] = {"t": np.round(times, 4).tolist(), "y": values.astype(np.float32).tolist()}
        return found


def called(name: str, several: bool) -> str:
    """A body's name for people: with its figure's where there are several, unless the two are one."""
    figure, _, body = name.rpartition("/")
    return name if several and figure != body else body


def packed(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A message for the page: the length of its head, the head, then the numbers by name."""
    kinds = {"u": "u4", "f": "f4"}
    cells = {name: np.ascontiguousarray(a, f"<{kinds[a.dtype.kind]}") for name, a in arrays.items()}
    layout = [[name, kinds[a.dtype.kind], a.size] for name, a in cells.items()]
    text = json.dumps(head | {"layout": layout}).encode()
    text += b" " * (-len(text) % 4)
    return len(text).to_bytes(4, "little") + text + b"".join(a.tobytes() for a in cells.values())


def open_server(host: str, port: int, guard: Guard, viewer: Viewer) -> Server:
    """A server at exactly this port."""
    try:
        import websockets  # noqa: F401
    except ImportError:
        raise ViewError("the live view needs websockets: pip install 'gambol[view]'") from None
    return Server(host, port, guard, viewer.answer, viewer.received, viewer.changed)


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
