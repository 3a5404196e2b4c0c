"""Active walking of a biped: two states a step, the trunk held upright by the stance hip, feet placed by feedback.

After Yin, Loken and van de Panne (2007). Joints of the legs are linear springs and dampers whose rest angles are set at
every tick; the stance hip gives what holds the trunk, less what the swing hip takes. Where the swing foot goes depends
on where the centre of mass is before the stance ankle, and how fast it moves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gambol.control.behaviour import Behaviour
from gambol.world.simulation import Simulation

SOFT = 1e-3  # [1/rad] rise of an exponential spring that is as good as linear
OTHER = {"l": "r", "r": "l"}


@dataclass(frozen=True)
class ShuffleGait:
    """Targets [rad] and gains of a walk.

    lift, fall   swing hip flexion, knee and ankle in the first part of a step and until the foot strikes
    up           [s] how long the first part lasts; longest [s] the second at most
    stance       knee and ankle of the stance leg; push: plantarflexion added to the ankle late in stance
    lean, width  forward pitch of the trunk, and how far out the swing leg goes
    place_x, speed_x, place_y, speed_y   swing hip for the centre of mass ahead of (beside) the ankle [rad/m, rad·s/m]
    """

    up: float = 0.25
    longest: float = 0.5
    lift: tuple[float, float, float] = (0.5, 0.9, -0.15)
    fall: tuple[float, float, float] = (0.25, 0.1, -0.1)
    stance: tuple[float, float] = (0.08, -0.05)
    push: float = 0.0
    lean: float = 0.03
    width: float = 0.0
    place_x: float = 0.3
    speed_x: float = 0.2
    place_y: float = 0.5
    speed_y: float = 0.3
    trunk: tuple[float, float] = (600.0, 60.0)  # [N·m/rad], [N·m·s/rad]
    pelvis: tuple[float, float] = (600.0, 60.0)


@dataclass(frozen=True)
class BipedLegs:
    """Names of a biped's joints, with {} for the side; gains are stiffness [N·m/rad] and damping [N·m·s/rad]."""

    flexion: str = "{}_thigh1"
    abduction: str = "{}_thigh2"
    rotation: str = "{}_thigh3"
    knee: str = "{}_shank"
    ankle: str = "{}_talus"
    gains: Mapping[str, tuple[float, float]] = field(
        default_factory=lambda: {
            "thigh1": (400.0, 30.0),
            "thigh2": (400.0, 30.0),
            "thigh3": (200.0, 15.0),
            "shank": (300.0, 20.0),
            "talus": (250.0, 8.0),
        }
    )


class Shuffle(Behaviour):
    """Walks (see ShuffleGait), without end. `load(sim, side)` is what the ground carries of a foot [N]."""

    keeps = ("done", "due", "stance", "begun", "strikes", "_rest")

    def __init__(
        self,
        gait: ShuffleGait,
        load: Callable[[Simulation, str], float],
        *,
        legs: BipedLegs | None = None,
        stance: str = "l",
        touch: float = 30.0,
        period: float = 5e-3,
    ):
        self.gait, self.load, self.legs, self.stance, self.touch = gait, load, legs or BipedLegs(), stance, touch
        self.period, self.begun = period, 0.0
        self.strikes: list[tuple[float, str, tuple[float, float, float]]] = []  # time [s], side, place of the ankle [m]
        self._rest: dict[str, float] = {}

    @property
    def swing(self) -> str:
        """The side whose leg swings."""
        return OTHER[self.stance]

    def start(self, sim: Simulation) -> None:
        super().start(sim)
        self.begun = sim.latest_time
        self._mass = sim.mechanics.mass
        for side in "lr":
            for joint, (stiffness, damping) in self.legs.gains.items():
                name = f"{side}_{joint}"
                sim.elements[name].set("rise", SOFT)
                sim.elements[name].set("strength", stiffness / SOFT)
                sim.elements[name].set("damping", damping)
        self._stand_on(sim)
        self.tick(sim)

    def _stand_on(self, sim: Simulation) -> None:
        """Hips: springs of the swing leg on, those of the stance leg off."""
        for pattern in (self.legs.flexion, self.legs.abduction, self.legs.rotation):
            swing = pattern.format(self.swing)
            sim.elements[swing].set("strength", self.legs.gains[swing[2:]][0] / SOFT)
            sim.elements[pattern.format(self.stance)].set("strength", 0.0)

    # ------------------------------------------------------------ one tick
    def tick(self, sim: Simulation) -> bool:
        """Strikes where the swing foot has landed; drives the legs."""
        since = sim.latest_time - self.begun
        landed = since > self.gait.up and self.load(sim, self.swing) > self.touch
        if landed or since > self.gait.up + self.gait.longest:
            self._strike(sim, landed)
            since = 0.0
        self._drive(sim, since)
        return False

    def _strike(self, sim: Simulation, landed: bool) -> None:
        if landed:
            x, y, z = map(float, sim.bodies[self.legs.ankle.format(self.swing)].position)
            self.strikes.append((sim.latest_time, self.swing, (x, y, z)))
        sim.note(f"{self.swing} foot strikes" if landed else "step without a strike")
        self.stance, self.begun = self.swing, sim.latest_time
        self._stand_on(sim)

    def _drive(self, sim: Simulation, since: float) -> None:
        gait, legs, st, sw = self.gait, self.legs, self.stance, self.swing
        q, v = sim.q, sim.v
        roll, pitch, yaw = trunk_angles(q[3:7])
        centre = sim.mechanics.centre_of_mass(q) - sim.mechanics.point(q, legs.ankle.format(st))
        speed = sim.mechanics.momentum(q, v)[3:] / self._mass
        hip, knee, ankle = gait.lift if since < gait.up else gait.fall
        ahead = hip + gait.place_x * centre[0] + gait.speed_x * speed[0]
        aside = (gait.width if sw == "l" else -gait.width) + gait.place_y * centre[1] + gait.speed_y * speed[1]
        self._set(sim, legs.flexion.format(sw), -ahead - pitch)
        self._set(sim, legs.abduction.format(sw), aside - roll)
        self._set(sim, legs.rotation.format(sw), 0.0)
        self._set(sim, legs.knee.format(sw), knee)
        self._set(sim, legs.ankle.format(sw), ankle)
        self._set(sim, legs.knee.format(st), gait.stance[0])
        self._set(sim, legs.ankle.format(st), gait.stance[1] + (gait.push if since >= gait.up else 0.0))
        upright = (
            (legs.flexion, pitch - gait.lean, v[1], gait.trunk),
            (legs.abduction, roll, v[0], gait.pelvis),
            (legs.rotation, yaw, v[2], gait.pelvis),
        )
        command = np.zeros(sim.layout.nv)
        for name, angle, rate, (stiffness, damping) in upright:
            command[sim.speed_coordinates(name.format(st))] = self._hold(
                sim, name, angle, rate, stiffness, damping, q, v
            )
        sim.command = command

    def _hold(self, sim, name: str, angle, rate, stiffness, damping, q, v) -> float:
        """Torque of the stance hip: what turns the trunk back, less what the swing hip takes [N·m]."""
        swing = name.format(self.swing)
        k, b = self.legs.gains[swing[2:]]
        at, fast = sim.coordinates(swing), sim.speed_coordinates(swing)
        taken = k * (self._rest[swing] - q[at][0]) - b * v[fast][0]
        return float(stiffness * angle + damping * rate - taken)

    def _set(self, sim: Simulation, joint: str, rest: float) -> None:
        self._rest[joint] = float(rest)
        sim.elements[joint].set("rest", float(rest))


def trunk_angles(quaternion: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a body [rad]: about x, then y, then z."""
    w, x, y, z = quaternion
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return float(roll), float(pitch), float(yaw)
