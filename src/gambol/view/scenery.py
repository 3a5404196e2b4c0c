"""The scene in the browser: solids, ground, overlays. Everything hangs under one frame that the camera follows."""

from typing import Any

import numpy as np

from gambol.draw.camera import Camera
from gambol.draw.motion import Poses
from gambol.draw.render import Scene
from gambol.draw.solids import joined, with_world
from gambol.figure.placement import quaternions
from gambol.plot.scene import LIGHT
from gambol.view.anatomy import Anatomy, closed, support_polygon

ORANGE, GREEN, BLUE, GREY = (230, 120, 30), (60, 160, 80), (40, 90, 200), (120, 120, 130)
CALM = 0.15  # share of the way to the figure that the camera goes in a frame
NO_LINES = np.zeros((0, 2, 3))
OVERLAYS = ("centre of mass", "support polygon", "joint axes", "forces")


class Scenery:
    """Nodes of the scene, and how they are moved to a moment."""

    def __init__(self, server: Any, scene: Scene, anatomy: Anatomy, poses: Poses):
        self.server, self.scene, self.anatomy = server, scene, anatomy
        self.offset = np.zeros(3)
        self.follow = True
        self._slope = 0.0
        self.shown = dict.fromkeys(OVERLAYS, False)
        corners = scene.moving(scene.corners(poses)[0])
        self.low, self.high = corners.min(axis=0), corners.max(axis=0)
        self.height = max(float(np.linalg.norm(self.high - self.low)), 1e-6)
        self.offset[:2] = self._middle(poses)[:2]
        self.world = server.scene.add_frame("/world", show_axes=False, position=-self.offset)
        self._light()
        self._ground()
        self.batches = [self._batch(k, batch, poses) for k, batch in enumerate(scene.batches)]
        ends = np.cumsum([0, *(len(batch.bodies) for batch in scene.batches)])
        self._moving = [
            (handle, slice(int(first), int(end)))
            for handle, batch, first, end in zip(self.batches, scene.batches, ends, ends[1:])
            if (batch.bodies >= 0).any()
        ]
        self._all = joined(scene.batches)
        self._overlays(poses)
        self._aim()

    def _middle(self, poses: Poses) -> np.ndarray:
        masses = np.bincount(self.anatomy.owners, self.anatomy.masses)
        return np.average(self.anatomy.centres(poses), axis=0, weights=np.maximum(masses, 1e-12))

    def _light(self) -> None:
        scene = self.server.scene
        scene.configure_environment_map(None)  # the others are fetched from elsewhere
        scene.configure_default_lights(enabled=False)
        scene.add_light_ambient("/light/ambient", intensity=0.45)
        scene.add_light_hemisphere("/light/sky", sky_color=(225, 235, 255), ground_color=(190, 180, 165), intensity=0.8)
        place = 4.0 * self.height * LIGHT + [0.0, 0.0, self.low[2]]
        scene.add_light_directional("/light/sun", intensity=1.6, cast_shadow=True, position=tuple(place))

    def tilt(self, slope: float) -> None:
        """Turns the ground to a slope (rise over run, along x)."""
        if self.ground is not None and slope != self._slope:
            self._slope = slope
            half = -0.5 * np.arctan(slope)
            self.ground.wxyz = (np.cos(half), 0.0, np.sin(half), 0.0)

    def _ground(self) -> None:
        self.ground: Any = None
        if self.scene.level is None:
            return
        cell = 10.0 ** np.floor(np.log10(self.height)) / 2.0
        self.ground = self.server.scene.add_grid(
            "/world/ground",
            infinite_grid=True,
            cell_size=cell,
            section_size=5.0 * cell,
            cell_color=(205, 203, 198),
            section_color=(170, 168, 163),
            fade_distance=15.0 * self.height,
            shadow_opacity=0.3,
            plane_color=(240, 238, 233),
            plane_opacity=1.0,
            position=(0.0, 0.0, self.scene.level),
        )

    def _batch(self, index: int, batch: Any, poses: Poses) -> Any:
        placed = batch.placed(with_world(poses))
        return self.server.scene.add_batched_meshes_simple(
            f"/world/solids/{index}",
            batch.surface.vertices,
            batch.surface.faces,
            batched_wxyzs=quaternions(placed.frames),
            batched_positions=placed.origins,
            batched_scales=batch.scales,
            batched_colors=(255.0 * batch.colours**2.2).astype(np.uint8),  # the browser takes them as linear light
            lod="off",
        )

    def _overlays(self, poses: Poses) -> None:
        scene, thick = self.server.scene, 0.004 * self.height
        nothing = np.zeros((1, 2, 3), np.float32)
        self.centres = [
            scene.add_icosphere(f"/world/centres/{k}", radius=0.02 * self.height, color=ORANGE, visible=False)
            for k in range(self.anatomy.figures)
        ]
        self.plumb = scene.add_line_segments("/world/plumb", nothing, ORANGE, thickness=thick, visible=False)
        self.support = scene.add_line_segments("/world/support", nothing, GREEN, thickness=2 * thick, visible=False)
        self.axes = scene.add_line_segments("/world/axes", nothing, BLUE, thickness=thick, visible=False)
        self.forces = scene.add_arrows("/world/forces", nothing, GREEN, **self._arrow(), visible=False)
        self.pull = scene.add_arrows("/world/pull", nothing, ORANGE, **self._arrow(1.5), visible=False)

    def _arrow(self, size: float = 1.0) -> dict[str, float]:
        unit = 0.008 * size * self.height
        return {"shaft_radius": unit, "head_radius": 2.2 * unit, "head_length": 4.0 * unit}

    def _aim(self) -> None:
        camera = Camera(field=40.0)
        low = self.low.copy()
        if self.scene.level is not None and 0 < low[2] - self.scene.level < 2.0 * self.height:
            low[2] = self.scene.level  # the ground below is part of the picture
        middle = 0.5 * (low + self.high) - self.offset
        distance = 1.5 * float(np.linalg.norm(self.high - low)) / (2.0 * np.tan(np.radians(20.0)))
        view = self.server.initial_camera
        view.look_at, view.position = tuple(middle), tuple(middle + distance * camera.axes[2])
        view.fov = float(np.radians(camera.field))
        view.near, view.far = 0.01 * self.height, 200.0 * self.height

    def set_transparent(self, on: bool) -> None:
        """Bodies that do not hide what is inside them."""
        for handle in self.batches:
            handle.opacity = 0.4 if on else None

    # ------------------------------------------------------------ every frame
    def show(self, poses: Poses, pull: tuple[np.ndarray, np.ndarray], forces: np.ndarray, newtons: float) -> None:
        """Moves everything. `pull` is the point and force of the mouse spring, `forces` (n, 2, 3) are points and forces
        [N]; an arrow of one figure's height stands for `newtons`."""
        placed = self._all.placed(with_world(poses))  # all at once, because most of its cost is by the call
        places, turns = placed.origins.astype(np.float32), quaternions(placed.frames).astype(np.float32)
        for handle, rows in self._moving:
            handle.batched_positions, handle.batched_wxyzs = places[rows], turns[rows]
        if self.follow:
            self.offset[:2] += CALM * (self._middle(poses)[:2] - self.offset[:2])
            self.world.position = -self.offset
        scale = self.height / newtons
        self._arrows(self.pull, np.array([pull]), scale, bool(np.any(pull[1])))
        self._arrows(self.forces, forces, scale, self.shown["forces"] and len(forces) > 0)
        self._show_centres(poses)
        on = self.shown["joint axes"]
        self._lines(self.axes, self.anatomy.axes(poses, 0.12 * self.height) if on else NO_LINES, on)
        on = self.shown["support polygon"] and self.scene.level is not None
        self._lines(self.support, self._standing(poses) if on else NO_LINES, on)

    def _standing(self, poses: Poses) -> np.ndarray:
        """The sides of the support polygon, a little above the ground so that they are seen."""
        outline = support_polygon(self.scene.corners(poses)[0], self.scene.level or 0.0, self.height)
        return closed(outline + np.array([0.0, 0.0, 0.003 * self.height]))

    def _show_centres(self, poses: Poses) -> None:
        on = self.shown["centre of mass"]
        if not on and not self.plumb.visible:
            return
        centres = self.anatomy.centres(poses) if on else np.zeros((0, 3))
        for handle, centre in zip(self.centres, centres):
            handle.position = centre
        for handle in self.centres:
            handle.visible = on
        level = self.scene.level or 0.0  # without ground the line goes down to z = 0
        feet = centres * [1.0, 1.0, 0.0] + [0.0, 0.0, level]
        self._lines(self.plumb, np.stack([centres, feet], axis=1), on)

    def _lines(self, handle: Any, lines: np.ndarray, on: bool) -> None:
        if on and len(lines):
            handle.points = lines.astype(np.float32)
        handle.visible = bool(on and len(lines))

    def _arrows(self, handle: Any, forces: np.ndarray, scale: float, on: bool) -> None:
        if on:
            handle.points = np.stack([forces[:, 0], forces[:, 0] + scale * forces[:, 1]], axis=1).astype(np.float32)
        handle.visible = on
