"""The standing person: simulated seconds per wall second, and one step with contact beside MuJoCo's."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np

from gambol import Box, ExponentialSpring, GambolError, Simulation, Stepping
from gambol.bench.peers import HOW_TO_INSTALL, missing
from gambol.bench.result import Floor, Result
from gambol.export import mjcf_text
from gambol.models import person90
from gambol.models.person import SIMPLE, Standing, fallen, person_world, posture, region_of, stand

STANDING_CASE, CONTACT_STEP_CASE = "person-standing", "person-contact-step"
STANDING_FLOOR = 5.0
STANDING_SECONDS = 2.0  # of each round
CONTACT_STEP, STEPS_PER_ROUND = 2e-3, 100  # ours [s], and how many are timed together
MUJOCO_PERSON_STEPS = (5e-4, 2e-4, 1e-4, 5e-5, 2e-5)  # MuJoCo's to choose from [s]; at 1e-3 it is unstable


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Complex feet under feedback; then single steps of a fixed length with contact."""
    standing = stand(person_world(person90()), posture(wide=True))
    best, own, theirs = 0.0, np.inf, np.inf
    ours = FixedSteps(standing)
    peer = None if "MuJoCo" in missing() else MuJoCoPerson.at_longest_stable_step(standing)
    for _ in range(max(rounds, 3)):
        best = max(best, real_time_factor(standing))
        own = min(own, ours.time())
        theirs = min(theirs, peer.time()) if peer else theirs
        progress()
    metric = "a person of 90 DOF stands on complex feet under feedback: simulated seconds per wall second, one core"
    step = "one step of the standing person with contact, 44 boxes of the feet on the ground"
    peers = {"MuJoCo": 1e6 * theirs} if peer else {}
    notes = (
        (
            f"Gambol: linearly implicit Euler at {CONTACT_STEP:g} s, every vertex of the boxes",
            f"MuJoCo: implicitfast at {peer.step:g} s, the longest at which it stays up, its own contact",
        )
        if peer
        else (f"MuJoCo not installed: {HOW_TO_INSTALL}",)
    )
    return [
        Result(STANDING_CASE, metric, "s/s", best, {}, best, Floor("ratio", STANDING_FLOOR)),
        Result.of_times(CONTACT_STEP_CASE, step, "µs", 1e6 * own, peers, None, notes),
    ]


def real_time_factor(standing: Standing) -> float:
    """Simulated seconds per wall second of one round."""
    sim = standing.restart()
    balance = standing.balance()
    began = time.perf_counter()
    sim.run(STANDING_SECONDS, controller=balance)
    rate = STANDING_SECONDS / (time.perf_counter() - began)
    if fallen(sim):
        raise GambolError("the person fell while it was timed")
    return rate


class FixedSteps:
    """The standing person at a fixed step of the implicit method."""

    def __init__(self, standing: Standing):
        stepping = Stepping(method="implicit-euler", step=CONTACT_STEP)
        self.standing = standing
        self.sim = Simulation(standing.sim.world, stepping=stepping, ledger=False)

    def time(self) -> float:
        """Seconds a step."""
        self.sim.reset(self.standing.analysis.q)
        self.standing.state.apply(self.sim)
        began = time.perf_counter()
        self.sim.advance(STEPS_PER_ROUND * CONTACT_STEP)
        return (time.perf_counter() - began) / STEPS_PER_ROUND


class MuJoCoPerson:
    """The same figure in MuJoCo: linear springs of the same torques and stiffness, boxes of the feet, a plane."""

    def __init__(self, standing: Standing, step: float):
        import mujoco

        self.mujoco, self.standing, self.step = mujoco, standing, step
        self.model = mujoco.MjModel.from_xml_string(self._text())
        self.data = mujoco.MjData(self.model)

    @classmethod
    def at_longest_stable_step(cls, standing: Standing) -> MuJoCoPerson:
        """At the longest step at which it is stable for the steps that are timed, and for a tenth of a second."""
        for step in MUJOCO_PERSON_STEPS:
            made = cls(standing, step)
            made.place()
            made.mujoco.mj_step(made.model, made.data, nstep=max(STEPS_PER_ROUND, round(0.1 / step)))
            if made.stable():
                return made
        raise GambolError(
            f"MuJoCo's person is unstable at every step down to {MUJOCO_PERSON_STEPS[-1]:g} s: nothing was timed"
        )

    def stable(self) -> bool:
        """Has it neither fallen nor been reset?"""
        warned = any(warning.number for warning in self.data.warning)
        return bool(np.isfinite(self.data.qpos).all() and self.data.qpos[2] > 0.8 and not warned)

    def _text(self) -> str:
        figure, q = person90(), self.standing.analysis.q
        springs = {e.joint: e for e in self.standing.sim.world.elements if isinstance(e, ExponentialSpring)}
        tree = ET.fromstring(mjcf_text(figure, step=self.step, bare=True))
        option = tree.find("option")
        assert option is not None
        option.clear()
        option.attrib.update(timestep=repr(self.step), gravity="0 0 -9.81", integrator="implicitfast")
        place = tree.find("worldbody")
        assert place is not None
        ET.SubElement(place, "geom", type="plane", size="5 5 1", contype="1", conaffinity="0")
        for body in tree.iter("body"):
            name, joint = body.attrib["name"], body.find("joint")
            if joint is not None and name in springs:
                spring, angle = springs[name], float(q[figure.position_slices[name]][0])
                torque = self.standing.analysis.torque[name]
                stiffness = spring.rise * (spring.strength + abs(torque))
                joint.attrib |= {
                    "stiffness": repr(stiffness),
                    "damping": repr(spring.damping),
                    "springref": repr(angle + torque / stiffness),
                }
            for part in figure[name].parts:
                if region_of(name) and part.name == SIMPLE and part.colliding and isinstance(part.shape, Box):
                    ET.SubElement(body, "geom", _geom(part))
        return ET.tostring(tree, encoding="unicode")

    def place(self) -> None:
        """In the posture, at rest."""
        figure, q = person90(), self.standing.analysis.q
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:3] = np.asarray(figure.root.placement.position) + q[:3]
        self.data.qpos[3:7] = q[3:7]
        for body in figure.bodies:
            if body.parent:
                self.data.qpos[self.model.joint(body.name).qposadr[0]] = q[figure.position_slices[body.name]][0]

    def time(self) -> float:
        """Seconds a step."""
        self.place()
        began = time.perf_counter()
        self.mujoco.mj_step(self.model, self.data, nstep=STEPS_PER_ROUND)
        taken = (time.perf_counter() - began) / STEPS_PER_ROUND
        if not self.stable():
            raise GambolError("MuJoCo's person did not stay up: nothing was timed")
        return taken


def _geom(part) -> dict[str, str]:
    text = lambda values: " ".join(repr(float(x)) for x in values)
    return {
        "type": "box",
        "size": text(0.5 * x for x in part.shape.size),
        "pos": text(part.placement.position),
        "quat": text(part.placement.rotation),
        "contype": "0",
        "conaffinity": "1",
        "mass": "0",
    }
