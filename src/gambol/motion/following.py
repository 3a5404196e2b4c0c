"""A motion made physical: a figure with mass, in a world with gravity and ground, that follows it.

By computed torque the joints get the accelerations of the motion with a correction for where they are; the engine finds
the forces (driven joints), contact and all. By springs every joint is drawn to where it should be, as stiffly as asked,
and lags, sags and gives way. The root of a figure in the air or on feet is either held on its path, by a force from
nowhere that is reported, or free, and then the figure stands, falls or flies as it must.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import StepError, UnknownNameError, nearest
from gambol.figure.body import Body
from gambol.figure.figure import Figure
from gambol.forces.actuator import Actuator
from gambol.forces.contact.anchored_contact import AnchoredContact
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.contact.sticky_contact import StickyContact
from gambol.forces.element import Element
from gambol.motion.curves import MotionCurve
from gambol.motion.data import refuse
from gambol.motion.turning import way_to
from gambol.record.recorder import Recorder
from gambol.record.recording import Recording
from gambol.scene.scene import Scene
from gambol.stepping.controller import Controller
from gambol.stepping.options import Stepping
from gambol.world.mechanics import Mechanics
from gambol.world.simulation import Simulation
from gambol.world.world import World

LAWS = ("torque", "springs")
ROOTS = ("held", "free")
CONTACTS = (GroundContact, RoundContact, BodyContact, AnchoredContact, StickyContact)
PROMPT = {"torque": 8.0, "springs": 4.0}  # [Hz] how fast errors are corrected, unless told otherwise
TICKS = 25  # times that the law acts during 1/frequency


@dataclass(frozen=True)
class Followed:
    """A motion that was followed.

    recording   of the run; its channel `joint_force` has what every joint got [N·m or N]
    errors      (samples, speeds) [rad or m] from where it was to where it should have been
    forces      (samples, speeds) [N·m or N] of the joints; of a held root the force from nowhere that held it
    failure     what ended the run early, if anything did
    """

    figure: Figure
    recording: Recording
    time: np.ndarray
    q: np.ndarray
    errors: np.ndarray
    forces: np.ndarray
    root: str
    weight: float
    failure: StepError | None = None

    @property
    def joints(self) -> list[int]:
        """Which speeds are of joints, not of a free root."""
        own = self.figure.speed_slices[self.figure.root.name]
        loose = range(own.start, own.stop) if self.figure.root.joint.type == "free" else ()
        return [k for k in range(self.figure.speeds) if k not in loose]

    def summary(self) -> dict[str, float]:
        """How well it followed and what that took, in numbers."""
        joints = self.joints
        found = {}
        if joints:
            found["joint_error_rms"] = float(np.sqrt(np.mean(self.errors[:, joints] ** 2)))
            found["joint_error_max"] = float(np.abs(self.errors[:, joints]).max())
            found["joint_force_rms"] = float(np.sqrt(np.mean(self.forces[:, joints] ** 2)))
            found["joint_force_max"] = float(np.abs(self.forces[:, joints]).max())
        if self.figure.root.joint.type == "free":
            own = self.figure.speed_slices[self.figure.root.name]
            wrench, error = self.forces[:, own], self.errors[:, own]
            found["root_error_rms_m"] = float(np.sqrt((error[:, 3:] ** 2).sum(axis=1).mean()))
            found["root_error_rms_rad"] = float(np.sqrt((error[:, :3] ** 2).sum(axis=1).mean()))
            size = np.linalg.norm(wrench[:, 3:], axis=1)
            found["root_force_rms_N"] = float(np.sqrt(np.mean(size**2)))
            found["root_force_rms_over_weight"] = found["root_force_rms_N"] / self.weight if self.weight else 0.0
            found["root_torque_rms_Nm"] = float(np.sqrt((wrench[:, :3] ** 2).sum(axis=1).mean()))
        return found


def follow_motion(
    what: Figure | Scene,
    time: np.ndarray,
    q: np.ndarray,
    *,
    by: str = "torque",
    root: str = "held",
    frequency: float | None = None,
    cutoff: float | None = None,
    every: float | None = None,
    out: str | Path | None = None,
    stepping: Stepping | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Followed:
    """Runs a figure after a motion, and records it.

    what        a figure (in gravity, without ground), or a scene: its ground and contacts stay, its motors and passive
                joint forces give way to the law
    time, q     [s], (frames, positions) of the (first) figure
    by          "torque": computed torque; "springs": springs and dampers
    root        of a figure with a free root: "held" on its path, the force that this takes is reported; or "free"
    frequency   [Hz] how promptly errors are corrected, critically damped: 8 for torque, 4 for springs, unless said
    cutoff      [Hz] of a low-pass filter on the motion
    every       [s] between samples; by default as the frames
    out         the file of the recording; None: in memory
    """
    for name, value, allowed in (("by", by, LAWS), ("root", root, ROOTS)):
        if value not in allowed:
            raise UnknownNameError(f"{name} is {value!r}{nearest(value, allowed)}")
    prompt = PROMPT[by] if frequency is None else float(frequency)
    if not (prompt > 0 and math.isfinite(prompt)):
        raise refuse(f"the frequency must be positive, it is {frequency}")
    given = what.figures[0] if isinstance(what, Scene) else what
    curve = MotionCurve(given, time, q, cutoff=cutoff)
    world = _world(what, given, by, root, prompt, curve)
    sim = Simulation(world, stepping=stepping)
    law = _Law(world, given, curve, by, root, 2.0 * math.pi * prompt)
    law.begin(sim)
    step = float(every if every is not None else np.median(np.diff(time)))
    facts = {"by": by, "root": root, "frequency_Hz": prompt, "cutoff_Hz": cutoff, **(parameters or {})}
    failure = None
    recorder = Recorder(
        sim, out, every=step, channels=["joint_force"], parameters=facts, title=given.name, overwrite=True, reports=True
    )
    try:
        with recorder:
            recorder.run(curve.end - curve.start, controller=law)
    except StepError as error:
        failure = error
    return _result(given, curve, recorder.recording, root, world, failure)


def _result(figure: Figure, curve: MotionCurve, recording: Recording, root: str, world: World, failure) -> Followed:
    n = figure.positions
    rows = np.asarray(recording.read("q"))[:, :n]
    clock = np.asarray(recording.time, float) + curve.start
    wanted = curve.at(clock)[0]
    errors = np.zeros((len(rows), figure.speeds))
    for body in figure.order:
        at, by = figure.position_slices[body.name], figure.speed_slices[body.name]
        errors[:, by] = way_to(body, rows[:, at], wanted[:, at])
    forces = np.asarray(recording.read("joint_force"))[:, : figure.speeds]
    if figure.root.joint.type == "free" and root == "free":
        forces = forces.copy()
        forces[:, figure.speed_slices[figure.root.name]] = 0.0
    weight = figure.mass * float(np.linalg.norm(world.gravity))
    return Followed(figure, recording, clock, rows, errors, forces, root, weight, failure)


# ---------------------------------------------------------------- the world
def _world(what: Figure | Scene, figure: Figure, by: str, root: str, prompt: float, curve: MotionCurve) -> World:
    """Joints that follow are driven or have springs; the ground and what touches stay."""
    made = replace(figure, bodies=tuple(_followed(body, by, root) for body in figure.bodies), batteries=())
    springs = _springs(made, curve, prompt) if by == "springs" else []
    if isinstance(what, Figure):
        return World(made, forces=springs)
    world = what.world
    if world.constraints and by == "torque":
        raise refuse(
            "a figure with closed loops or constraints follows by springs, not by computed torque", figure.name
        )
    kept = [force for force in world.forces if isinstance(force, CONTACTS)]
    return replace(world, figures=(made, *what.figures[1:]), forces=[*kept, *springs])


def _followed(body: Body, by: str, root: str) -> Body:
    joint = replace(body.joint, motor=None)
    free = joint.type == "free"
    if free and joint.kind.springs == "nothing":
        return replace(body, joint=replace(joint, driven=root == "held"))
    if by == "torque" and joint.speeds:
        return replace(body, joint=replace(joint, driven=True))
    return replace(body, joint=joint)


def _springs(figure: Figure, curve: MotionCurve, prompt: float) -> list[Element]:
    """Springs and dampers at all plain coordinates, for the inertia that each moves, critically damped."""
    inertia = np.diag(Mechanics(figure).mass_matrix(curve.at(curve.start)[0]))
    found: list[Element] = []
    rate = 2.0 * math.pi * prompt
    for body in figure.order:
        if body.joint.driven or not body.joint.kind.plain:
            continue
        first = figure.speed_slices[body.name].start
        for k in range(body.joint.speeds):
            own = float(inertia[first + k])
            found.append(
                Actuator(name=_name(body, k), joint=body.name, coordinate=k, stiffness=own * rate**2,
                         damping=2.0 * own * rate, line="following")
            )  # fmt: skip
    return found


def _name(body: Body, k: int) -> str:
    return f"follow {body.name} {k}"


# ---------------------------------------------------------------- the law
class _Law(Controller):
    """Says every few milliseconds what the joints shall do."""

    keeps = ("count",)

    def __init__(self, world: World, figure: Figure, curve: MotionCurve, by: str, root: str, rate: float):
        self.world, self.figure, self.curve, self.by, self.rate = world, figure, curve, by, rate
        self.period = 2.0 * math.pi / rate / TICKS
        self.driven = [b for b in world.layout.figures[0].order if b.joint.driven and b.joint.speeds]
        self.balls = [b for b in world.layout.figures[0].order if b.joint.type == "ball" and not b.joint.driven]
        self.sprung = [e.name for e in world.elements if isinstance(e, Actuator) and e.name.startswith("follow ")]
        self.inertia = np.diag(Mechanics(figure).mass_matrix(curve.at(curve.start)[0]))
        self.count = 0

    def begin(self, sim: Simulation) -> None:
        """Puts the simulation where the motion begins."""
        q, v = np.array(sim.q, float), np.array(sim.v, float)
        own, fast, _ = self.curve.at(self.curve.start)
        q[: self.figure.positions], v[: self.figure.speeds] = own, fast
        sim.reset(q, v)

    def start(self, run: Simulation) -> None:
        """From the first moment on."""
        self.count = 0

    def next_time(self, run: Simulation) -> float:
        """Again and again."""
        return self.count * self.period

    def act(self, run: Simulation) -> None:
        """Accelerations for driven joints, rests for springs, torques for balls: held until the next time."""
        now = self.curve.start + self.count * self.period
        self.count += 1
        q, v = np.asarray(run.q)[: self.figure.positions], np.asarray(run.v)[: self.figure.speeds]
        wanted, fast, _ = self.curve.at(now)
        _, _, bend = self.curve.at(now + 0.5 * self.period)  # what is held meets the middle of its time
        command = np.zeros(run.layout.nv)
        for bodies, size in ((self.driven, None), (self.balls, self.inertia)):
            for body in bodies:
                at, by = self.figure.position_slices[body.name], self.figure.speed_slices[body.name]
                back = self.rate**2 * way_to(body, q[at], wanted[at]) + 2.0 * self.rate * (fast[by] - v[by])
                command[by] = bend[by] + back if size is None else size[by] * back
        run.command = command
        if self.sprung:
            later, speeds, _ = self.curve.at(now + 0.5 * self.period)
            rests, rates = self._plain(later, speeds)
            run.elements[tuple(self.sprung)].set("rest", rests)
            run.elements[tuple(self.sprung)].set("speed", rates)

    def _plain(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and speeds of the coordinates that have springs, in their order."""
        cells: Sequence[tuple[int, int]] = self._cells
        return q[[c[0] for c in cells]], v[[c[1] for c in cells]]

    @property
    def _cells(self) -> list[tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for body in self.figure.order:
            first, speed = self.figure.position_slices[body.name].start, self.figure.speed_slices[body.name].start
            if body.joint.kind.plain:
                found |= {_name(body, k): (first + k, speed + k) for k in range(body.joint.speeds)}
        return [found[name] for name in self.sprung]
