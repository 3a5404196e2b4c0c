"""A hexapod of 30 DOF drops by two millimetres onto its six feet and stands: contact against MuJoCo's.

Each engine has its own law of contact, with the same sinkage at rest. Each is judged by how far its poses are, over
the whole run, from those of its own converged solution; MuJoCo runs at the longest step at which that error is no
larger than ours.
"""

import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np

from gambol import Figure, GambolError, GroundContact, JointSpring, Mechanics, Simulation, Stepping, Surface, World
from gambol.bench.peers import HOW_TO_INSTALL, MuJoCo, missing
from gambol.bench.result import Floor, Result
from gambol.export import mjcf_text
from gambol.models import hexapod30
from gambol.models.hexapod import stance

CONTACT_CASE, CONTACT_FLOOR = "contact-hexapod", 4.0
JOINT_STIFFNESS, JOINT_DAMPING = 15.0, 0.15  # of every joint [N·m/rad, N·m·s/rad]
FOOT_POINT, FOOT_RADIUS = (0.041, 0.0, 0.0), 0.008  # [m, tarsus frame]: the end of its capsule
SINKAGE = 0.93e-3  # [m]: that of MuJoCo's default contact under this weight
FOOT_FRICTION, DROP_HEIGHT = 0.8, 2e-3
LANDING_SECONDS, POSE_SAMPLE = 1.0, 0.02  # [s]
LANDING_STEP = 2.5e-3  # ours [s]
MUJOCO_LANDING_STEPS = (5e-3, 2.5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)  # MuJoCo's to choose from [s]
MUJOCO_REFERENCE_STEP = 1e-5  # MuJoCo's step for its reference [s]
MUJOCO_DEFAULT_STEP = 2e-3  # MuJoCo's default step [s]
MAX_TIMED_STEPS = 20  # most of its steps timed together


def standing_hexapod() -> tuple[Figure, np.ndarray, list[str]]:
    """The figure, its positions just above the ground, and the names of its feet."""
    figure = hexapod30(height=0.0)
    q = np.array(stance(figure))
    feet = [body.name for body in figure.bodies if body.name.endswith("tarsus")]
    mechanics = Mechanics(figure)
    q[2] = FOOT_RADIUS + DROP_HEIGHT - min(mechanics.point(q, foot, FOOT_POINT)[2] for foot in feet)
    return figure, q, feet


class GambolStand:
    """The hexapod in Gambol: linearly implicit Euler at a fixed step, or another stepping."""

    name = "Gambol"

    def __init__(self, stepping: Stepping | None = None):
        figure, self.start, feet = standing_hexapod()
        surface = Surface.bearing(9.81 * figure.mass, points=len(feet), sinkage=SINKAGE, friction=FOOT_FRICTION)
        forces: list[Any] = [
            JointSpring(joint=b.name, stiffness=JOINT_STIFFNESS, damping=JOINT_DAMPING, rest=float(self.start[at][0]))
            for b in figure.bodies[1:]
            for at in (figure.position_slices[b.name],)
        ]
        forces += [GroundContact(body=foot, points=(FOOT_POINT,), radius=FOOT_RADIUS, surface=surface) for foot in feet]
        stepping = stepping or Stepping(method="implicit-euler", step=LANDING_STEP)
        self.sim = Simulation(World(figure, forces=forces), stepping=stepping, ledger=False)

    def poses(self, clock: list[float] | None = None) -> np.ndarray:
        """Positions every EVERY seconds; `clock` receives the time that it took [s]."""
        self.sim.reset(self.start)
        begin = time.perf_counter()
        path = self.sim.run(LANDING_SECONDS, every=POSE_SAMPLE)
        if clock is not None:
            clock.append(time.perf_counter() - begin)
        return path.q


class MuJoCoStand(MuJoCo):
    """The hexapod in MuJoCo: springs and dampers of its joints, spheres on a plane, its default contact and solver."""

    def __init__(self, step: float):
        import mujoco

        self.mujoco, (self.figure, q, self.feet) = mujoco, standing_hexapod()
        self.model = mujoco.MjModel.from_xml_string(self._text(q, step))
        self.data = mujoco.MjData(self.model)
        self.base, self.step = self.figure.root.placement, step
        self._set(q, np.zeros(self.figure.speeds))

    def _text(self, q: np.ndarray, step: float) -> str:
        tree = ET.fromstring(mjcf_text(self.figure, step=step, bare=True))
        tree.remove(tree.find("option"))  # type: ignore[arg-type]
        ET.SubElement(tree, "option", timestep=repr(step), gravity="0 0 -9.81")
        friction = f"{FOOT_FRICTION} 0.005 0.0001"
        ET.SubElement(tree.find("worldbody"), "geom", type="plane", size="5 5 1", friction=friction)  # type: ignore[arg-type]
        for body in tree.iter("body"):
            name, joint = body.attrib["name"], body.find("joint")
            if joint is not None and joint.attrib["type"] == "hinge":
                rest = float(q[self.figure.position_slices[name]][0])
                joint.attrib |= {
                    "stiffness": repr(JOINT_STIFFNESS),
                    "damping": repr(JOINT_DAMPING),
                    "springref": repr(rest),
                }
            if name in self.feet:
                place = " ".join(map(repr, FOOT_POINT))
                ET.SubElement(
                    body, "geom", type="sphere", size=repr(FOOT_RADIUS), pos=place, friction=friction, mass="0"
                )
        return ET.tostring(tree, encoding="unicode")

    def poses(self, clock: list[float] | None = None) -> np.ndarray:
        """Positions every EVERY seconds; `clock` receives the time that each stretch took [s]."""
        self.reset()
        count = round(POSE_SAMPLE / self.step)
        found = []
        for _ in range(round(LANDING_SECONDS / POSE_SAMPLE)):
            for first in range(0, count, MAX_TIMED_STEPS):
                begin = time.perf_counter()
                self.mujoco.mj_step(self.model, self.data, nstep=min(MAX_TIMED_STEPS, count - first))
                if clock is not None:
                    clock.append(time.perf_counter() - begin)
            found.append(self.data.qpos.copy())
        return np.array(found)


def pose_error(poses: np.ndarray, reference: np.ndarray) -> float:
    """The largest deviation of any coordinate [rad or m] at any sample."""
    return float(np.abs(poses - reference).max())


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Simulated seconds per wall second of both, at equal or better accuracy of MuJoCo's poses."""
    floor = Floor("ratio", CONTACT_FLOOR)
    ours = GambolStand()
    error = pose_error(ours.poses(), GambolStand(Stepping(method="implicit-pair", eps=1e-8)).poses())
    what = f"{LANDING_SECONDS:g} s of landing and standing on six feet, poses every {POSE_SAMPLE:g} s"
    metric = f"simulated seconds a second: {what}"
    if "MuJoCo" in missing():
        rate = _rates([ours], rounds, progress)["Gambol"]
        return [
            Result.of_rates(
                CONTACT_CASE, metric, "s/s", rate, {}, floor, notes=(f"MuJoCo not installed: {HOW_TO_INSTALL}",)
            )
        ]
    reference = MuJoCoStand(MUJOCO_REFERENCE_STEP).poses()
    chosen, theirs = _as_accurate(reference, error)
    usual = MuJoCoStand(MUJOCO_DEFAULT_STEP)
    usual.name = "MuJoCo at its default step"
    rates = _rates([ours, chosen, usual], rounds, progress)
    notes = (
        f"ours: linearly implicit Euler at {LANDING_STEP:g} s, largest pose error {error:.2g}",
        f"MuJoCo: Euler at {chosen.step:g} s, largest pose error {theirs:.2g}",
        f"MuJoCo at its default step of {MUJOCO_DEFAULT_STEP:g} s: {rates[usual.name]:.3g} s/s, pose error"
        f" {pose_error(usual.poses(), reference):.2g}; ours is {rates[ours.name] / rates[usual.name]:.3g} times faster",
    )
    return [
        Result.of_rates(
            CONTACT_CASE, metric, "s/s", rates[ours.name], {"MuJoCo": rates[chosen.name]}, floor, notes=notes
        )
    ]


def _as_accurate(reference: np.ndarray, error: float) -> tuple[MuJoCoStand, float]:
    """MuJoCo at the longest step whose poses are as good as `error`."""
    for step in MUJOCO_LANDING_STEPS:
        stand = MuJoCoStand(step)
        theirs = pose_error(stand.poses(), reference)
        if theirs <= error:
            return stand, theirs
    shortest = MUJOCO_LANDING_STEPS[-1]
    raise GambolError(f"MuJoCo is not as accurate as {error:.2g} at any step down to {shortest:g} s: nothing was timed")


def _rates(contenders: list, rounds: int, progress: Callable[[], None]) -> dict[str, float]:
    """Best simulated seconds per wall second of each, in turns.

    A long run is put together from the best of its stretches, so that a busy machine does not count against it.
    """
    best: dict[str, np.ndarray] = {}
    for _ in range(max(rounds // 2, 3)):
        for c in contenders:
            clock: list[float] = []
            c.poses(clock)
            best[c.name] = np.minimum(best.get(c.name, np.inf), clock)
        progress()
    return {name: LANDING_SECONDS / float(stretches.sum()) for name, stretches in best.items()}
