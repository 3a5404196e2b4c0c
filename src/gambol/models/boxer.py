"""A human of 12 links on ball joints, after the example size of Armstrong & Green (39 equations), that takes a punch.

    torso (free) ─ head; upper arms ─ forearms; thighs ─ shanks ─ feet       X forward, Y left, Z up, origin at the hips

The source gives the size alone. Chosen here:

- A person of 1.75 m and 70 kg; segment masses are the usual shares of the body's.
- As the finger's anchor, the torso is held where it stands by a force and a torque that grow with its distance, plus
  the weight of the figure, below its centre of mass, as a puppet is. Feet do not touch: there is no ground.
- Hinges have torque functions about the stance that are as stiff as PACE asks of the inertia beyond each, and frictions
  that damp it to SHARE of critical; arms are held up in front of the face.
- False inertia about the long axes, as the source has it, so that limbs do not spin in a step.
"""

import numpy as np

from gambol.figure import Body, Capsule, Ellipsoid, Figure, Joint, Part, Placement, Sphere
from gambol.hinge_recursion import (
    ConstantForce,
    FalseInertia,
    HingeSimulation,
    Spike,
    SpringSupport,
    TorqueFunction,
)
from gambol.models.boxer_looks import looks
from gambol.models.looks import dressed
from gambol.world.mechanics import Mechanics

MASS, HIPS = 70.0, 0.95  # [kg], [m] of the hips above the ground
STEP, PACE, SHARE = 0.005, 14.0, 0.4  # [s], [rad/s], of critical damping
GRAVITY = 9.81  # [m/s²]
PUNCH = (-500.0, 0.0, 0.0)  # [N] on the face, for
PUNCH_TIME, PUNCH_START = 0.05, 0.5  # [s]
FACE = (0.09, 0.0, 0.13)  # [m] of the head's frame

# Name: parent, hinge in the parent's frame [m], length down from it [m], radius [m], share of the mass
LINKS = {
    "head": ("torso", (0.0, 0.0, 0.52), -0.24, 0.09, 0.081),
    "l_upper_arm": ("torso", (0.0, 0.20, 0.45), 0.30, 0.045, 0.028),
    "l_forearm": ("l_upper_arm", (0.0, 0.0, -0.30), 0.27, 0.035, 0.022),
    "r_upper_arm": ("torso", (0.0, -0.20, 0.45), 0.30, 0.045, 0.028),
    "r_forearm": ("r_upper_arm", (0.0, 0.0, -0.30), 0.27, 0.035, 0.022),
    "l_thigh": ("torso", (0.0, 0.09, 0.0), 0.43, 0.07, 0.100),
    "l_shank": ("l_thigh", (0.0, 0.0, -0.43), 0.43, 0.05, 0.0465),
    "l_foot": ("l_shank", (0.0, 0.0, -0.43), 0.0, 0.04, 0.0145),
    "r_thigh": ("torso", (0.0, -0.09, 0.0), 0.43, 0.07, 0.100),
    "r_shank": ("r_thigh", (0.0, 0.0, -0.43), 0.43, 0.05, 0.0465),
    "r_foot": ("r_shank", (0.0, 0.0, -0.43), 0.0, 0.04, 0.0145),
}
TORSO_SHARE = 1.0 - sum(link[4] for link in LINKS.values())
GUARD = {  # rotation vectors of the stance [rad]: turns about +y bring hanging limbs back, so arms are lifted by minus
    "l_upper_arm": (0.0, -0.7, 0.0),
    "r_upper_arm": (0.0, -0.7, 0.0),
    "l_forearm": (0.0, -1.7, 0.0),
    "r_forearm": (0.0, -1.7, 0.0),
    "l_thigh": (0.0, -0.2, 0.0),
    "r_thigh": (0.0, 0.1, 0.0),
    "l_shank": (0.0, 0.3, 0.0),
    "r_shank": (0.0, 0.2, 0.0),
}


def boxer() -> Figure:
    """The figure: a free torso and eleven links on ball joints, 39 degrees of freedom."""
    chest = Part(Ellipsoid((0.12, 0.17, 0.30)), Placement.at(0.0, 0.0, 0.25), mass=TORSO_SHARE * MASS)
    torso = dressed((chest,), looks("torso"))
    bodies = [Body("torso", joint=Joint("free"), placement=Placement.at(0.0, 0.0, HIPS), parts=torso)]
    for name, (parent, at, long, radius, share) in LINKS.items():
        shape, place = Capsule(radius, max(abs(long) - radius, 0.01)), Placement.at(0.0, 0.0, -0.5 * long)
        if name == "head":
            shape, place = Sphere(0.11), Placement.at(0.0, 0.0, 0.13)  # type: ignore[assignment]
        if name.endswith("foot"):
            shape = Capsule(radius, 0.18)
            place = Placement.about((0.0, 1.0, 0.0), 0.5 * np.pi, (0.06, 0.0, -0.04))
        parts = dressed((Part(shape, place, mass=share * MASS),), looks(name))
        bodies.append(Body(name, parent, Joint("ball"), Placement.at(*at), parts))
    return Figure("boxer", tuple(bodies))


def stance(figure: Figure | None = None) -> np.ndarray:
    """Positions of the guard."""
    figure = figure or boxer()
    q = np.array(figure.zero, float)
    for name, vector in GUARD.items():
        angle = float(np.linalg.norm(vector))
        q[figure.position_slices[name]] = Placement.about(tuple(np.array(vector) / angle), angle).rotation
    return q


def hinges(figure: Figure, pace: float = PACE, share: float = SHARE) -> tuple[dict, dict]:
    """Torque functions and frictions that hold the guard, by the inertia beyond each hinge and the weight on it."""
    mechanics, q = Mechanics(figure), stance(figure)
    matrix, carried = mechanics.mass_matrix(q), mechanics.gravity_torque(q)
    torques, friction = {}, {}
    for name in LINKS:
        place = figure.speed_slices[name]
        inertia = float(np.diag(matrix)[place].max())
        slope = inertia * pace**2
        centre = np.array(GUARD.get(name, (0.0, 0.0, 0.0))) + carried[place] / slope
        torques[name] = TorqueFunction((slope,) * 3, tuple(centre))
        friction[name] = (2.0 * share * inertia * pace,) * 3
    return torques, friction


def punched(
    *,
    step: float = STEP,
    ratio: int = 1,
    punch: tuple[float, float, float] | None = PUNCH,
    link: str = "head",
    point: tuple[float, float, float] = FACE,
    **options,
) -> HingeSimulation:
    """The boxer in his guard, about to be hit; `punch` [N, world axes] on a point of a link, or None for nobody there.

    `options` override those of `HingeSimulation`.
    """
    figure = boxer()
    torques, friction = hinges(figure)
    centre = Mechanics(figure).centre_of_mass(stance(figure)) - (0.0, 0.0, HIPS)
    weight = ConstantForce("torso", (0.0, 0.0, GRAVITY * figure.mass), point=tuple(map(float, centre)))
    hold = SpringSupport(
        "torso",
        (0.0, 0.0, HIPS),
        stiffness=figure.mass * 36.0,
        damping=figure.mass * 9.0,
        turn_stiffness=300.0,
        turn_damping=60.0,
    )
    external: tuple = (hold, weight)
    if punch is not None:
        external += (Spike(link, punch, PUNCH_TIME, PUNCH_START, point=point),)
    settings = dict(
        torque_functions=torques,
        friction=friction,
        external=external,
        false_inertia=FalseInertia(floor=1.0),
        positions=stance(figure),
    )
    return HingeSimulation(figure, step=step, ratio=ratio, **{**settings, **options})
