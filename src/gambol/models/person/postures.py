"""How the person stands: postures, its balance, and a shortcut to a person that stands calibrated."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from gambol.control.posture.balance import Balance, Gains
from gambol.control.posture.calibration import Analysis, calibrate
from gambol.control.posture.control_state import ControlState
from gambol.figure import Figure
from gambol.forces.contact.terrain import Terrain
from gambol.models.person.footing import fitted, is_level, set_down
from gambol.models.person.tables import standing_angles
from gambol.models.person.world import STEPPING
from gambol.stepping.options import Stepping
from gambol.world.mechanics import Mechanics
from gambol.world.simulation import Simulation
from gambol.world.world import World

FORWARD = {"l_talus": 1.0, "r_talus": 1.0}
SIDEWAYS = {"l_thigh2": 1.0, "r_thigh2": 1.0, "l_hindfoot": 2.0, "r_hindfoot": -2.0}
TOES_UP = 0.05  # [rad] by which the toes may be lifted off the plane of the sole
FALLEN_SHARE = 0.75  # of the height that its centre of mass has standing, below which a figure counts as fallen


def posture(*, wide: bool = False, toes_up: bool = False, **angles: float) -> dict[str, float]:
    """The standing posture [rad], changed.

    wide      thighs straight down, so that the feet are 18 cm apart (as printed they are 10 cm apart)
    toes_up   the toes' first joints extended by 0.05 rad more, which lifts them by 3 mm
    """
    found = standing_angles()
    if wide:
        found |= {"l_thigh2": 0.0, "r_thigh2": 0.0}
    if toes_up:
        found |= {name: angle - TOES_UP for name, angle in found.items() if "phal" in name and name.endswith(".2")}
    return found | angles


def placed(
    figure: Figure,
    angles: Mapping[str, float],
    *,
    pitch: float = 0.0,
    roll: float = 0.0,
    terrain: Terrain | None = None,
) -> np.ndarray:
    """Positions with these joint angles; trunk pitched forward, rolled right [rad]; lowest vertex on the ground.

    terrain   the ground, by default the plane z = 0; on a slope or uneven ground the soles are laid on it
              (`person.footing.fitted`)
    """
    if terrain is None or is_level(terrain):
        return set_down(figure, angles, None, pitch=pitch, roll=roll)
    return set_down(figure, fitted(figure, angles, terrain, pitch=pitch, roll=roll), terrain, pitch=pitch, roll=roll)


def squat(figure: Figure, knee: float, *, ankle: float = 0.45, **options) -> tuple[dict[str, float], float]:
    """A knee bend [rad]: angles and pitch of the trunk with soles flat and the centre of mass over where it was.

    ankle   dorsiflexion for each radian at the knee; the hips follow from balance. Options go to `posture`.
    """
    base = posture(**options)
    mechanics = Mechanics(figure)

    def angles(hip: float) -> tuple[dict[str, float], float]:
        change = {"thigh1": -hip, "shank": knee, "talus": -ankle * knee}
        found = base | {f"{s}_{j}": base[f"{s}_{j}"] + turn for s in "lr" for j, turn in change.items()}
        return found, -sum(change.values())

    def ahead(hip: float) -> float:
        found, pitch = angles(hip)
        q = placed(figure, found, pitch=pitch)
        heels = np.mean([mechanics.point(q, f"{side}_hindfoot")[0] for side in "lr"])
        return float(mechanics.centre_of_mass(q)[0] - heels)

    q = placed(figure, base)
    goal = float(mechanics.centre_of_mass(q)[0] - np.mean([mechanics.point(q, f"{s}_hindfoot")[0] for s in "lr"]))
    if knee == 0.0:
        return base, 0.0
    hip = float(brentq(lambda h: ahead(h) - goal, -0.5, 2.2, xtol=1e-5))
    return angles(hip)


@dataclass(frozen=True)
class Standing:
    """A person in a posture: its simulation at rest, and the control state that was calibrated for it."""

    sim: Simulation
    state: ControlState
    analysis: Analysis

    def restart(self) -> Simulation:
        """Back to rest, springs as calibrated."""
        self.sim.reset(self.analysis.q)
        self.state.apply(self.sim)
        return self.sim

    def balance(self, gains: Gains | None = None) -> Balance:
        """Feedback for this posture."""
        joints = {*FORWARD, *SIDEWAYS}
        rest = {name: angle for name, angle in self.state.rest.items() if name in joints}
        return Balance(("l_hindfoot", "r_hindfoot"), FORWARD, SIDEWAYS, rest, gains or Gains())


def stand(
    world: World,
    angles: Mapping[str, float] | None = None,
    *,
    pitch: float = 0.0,
    roll: float = 0.0,
    stepping: Stepping = STEPPING,
    **options,
) -> Standing:
    """Calibrates a posture (default: the standing one) and puts the person into it. Options go to `analyse`."""
    q = placed(world.layout.figures[0], angles or posture(), pitch=pitch, roll=roll, terrain=world.terrain)
    q = np.concatenate([q, *(np.asarray(f.zero) for f in world.layout.figures[1:])])
    state, analysis = calibrate(world, q, stepping=stepping, **options)
    standing = Standing(Simulation(world, stepping=stepping, ledger=False), state, analysis)
    standing.restart()
    return standing


def fallen(sim: Simulation) -> bool:
    """Is the first figure's centre of mass below three quarters of the height over the ground that it has standing,
    whatever its size?"""
    figure = sim.layout.figures[0]
    size = _standing.get(figure.name, (None, 0.0, None))
    if size[0] is not figure:
        mechanics = Mechanics(figure)
        high = float(mechanics.centre_of_mass(set_down(figure, posture(), None))[2])
        _standing[figure.name] = size = (figure, high, mechanics)
    centre = size[2].centre_of_mass(np.asarray(sim.q)[: figure.positions])  # type: ignore[union-attr]
    ground = sim.world.terrain.height(float(centre[0]), float(centre[1]))
    return bool(centre[2] - ground < FALLEN_SHARE * size[1])


_standing: dict[str, tuple[Figure | None, float, Mechanics | None]] = {}
