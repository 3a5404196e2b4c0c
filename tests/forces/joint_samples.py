"""Samples of elements that act at joints or at single points of bodies."""

import numpy as np
from laws import TIME, AtJoint, AtJoints, AtPoint, Couple, Sample, look, moving

from gambol import (
    Actuator,
    Anchor,
    BallLimit,
    BallSpring,
    DCMotor,
    ExponentialSpring,
    JointForce,
    JointFriction,
    JointLimit,
    JointSpring,
    PointForce,
    Tendon,
    TendonActuator,
)


def joint_report(law):
    """What elements at joints say: the force at every coordinate."""

    def reports(element, m, q, v):
        name = m.layout.body(element.joint).name
        return {"force": law(element)(q[m.layout.position_slices[name]], v[m.layout.speed_slices[name]], TIME)}

    return reports


def at_joints(figure, q, v, forces, law, **options):
    laws = tuple(AtJoint(e.joint, law(e)) for e in forces)
    return Sample(figure, q, v, tuple(forces), laws, reports=joint_report(law), **options)


def rotation_vector(x):
    """Of a quaternion, by the textbook formula."""
    w, r = (x[0], x[1:]) if x[0] >= 0 else (-x[0], -x[1:])
    s = np.linalg.norm(r)
    return 2.0 * np.arctan2(s, w) * r / s if s > 0 else 2.0 * r


def joint_springs():
    figure, q, v = moving(1, ("hinge", "universal", "slide"))
    forces = [
        JointSpring(joint=b.name, stiffness=20.0 + 3 * k, damping=0.5 + 0.1 * k, rest=0.2 * k)
        for k, b in enumerate(figure.bodies[1:])
    ]
    return at_joints(figure, q, v, forces, lambda e: lambda x, u, t: -e.stiffness * (x - e.rest) - e.damping * u)


def scaled_springs():
    """Constants per kilogram of the body, of all beyond it, of the figure."""
    figure, q, v = moving(1, ("hinge", "universal", "slide"))
    scales = ("mass", "distal mass", "total mass", "")
    forces = [
        JointSpring(joint=b.name, stiffness=8.0, damping=0.5, rest=0.1, scaled_by=scale)
        for b, scale in zip(figure.bodies[1:], scales)
    ]

    def law(e):
        masses = {
            "mass": figure[e.joint].mass_properties.mass,
            "distal mass": sum(b.mass_properties.mass for b in figure.bodies if is_beyond(figure, b, e.joint)),
            "total mass": sum(b.mass_properties.mass for b in figure.bodies),
            "": 1.0,
        }
        return lambda x, u, t: -masses[e.scaled_by] * (e.stiffness * (x - e.rest) + e.damping * u)

    return at_joints(figure, q, v, forces, law)


def is_beyond(figure, body, joint):
    while body is not None:
        if body.name == joint:
            return True
        body = figure[body.parent] if body.parent else None
    return False


RAMPS = {  # element: start, duration, to, profile
    "e0": (0.3, 0.5, 0.7, "linear"),
    "e1": (0.1, 1.0, -0.5, "smooth"),
    "e2": (0.35, 0.9, 0.9, "steps"),
    "e3": (0.0, 0.2, 0.4, "linear"),
}
TABLE = (0.0, 0.3, 0.2, 0.9, 1.0)


def share(x, profile):
    """How far a ramp is after the share x of its time."""
    x = min(max(x, 0.0), 1.0)
    if profile == "steps":
        return float(np.interp(4.0 * x, range(5), TABLE))
    return x if profile == "linear" else 10.0 * x**3 - 15.0 * x**4 + 6.0 * x**5


def ramped_springs():
    """Rest positions on their way, by every profile: linear, smooth, a table, and one that has arrived."""
    figure, q, v = moving(1, ("hinge", "slide"))
    forces = [JointSpring(joint=b.name, stiffness=20.0, damping=0.5, rest=0.1) for b in figure.bodies[1:]]

    def setup(sim):
        for name, (start, duration, to, profile) in RAMPS.items():
            sim.elements[name].ramp("rest", to, duration, profile=profile, start=start)

    def law(e):
        start, duration, to, profile = RAMPS[e.name or f"e{forces.index(e)}"]

        def force(x, u, t):
            rest = 0.1 + (to - 0.1) * share((t - start) / duration, profile)
            return -20.0 * (x - rest) - 0.5 * u

        return force

    return at_joints(figure, q, v, forces, law, setup=setup, profiles={"steps": TABLE}, duration=0.16)


def stiffening_springs():
    """Stiffness on its way: a motor that tenses."""
    figure, q, v = moving(1, ("hinge", "slide"))
    forces = [JointSpring(joint=b.name, stiffness=5.0, damping=0.5, rest=0.1) for b in figure.bodies[1:]]

    def setup(sim):
        for k in range(4):
            sim.elements[f"e{k}"].ramp("stiffness", 30.0, 0.8, start=0.2)

    law = lambda e: lambda x, u, t: -(5.0 + 25.0 * (t - 0.2) / 0.8) * (x - 0.1) - 0.5 * u
    return at_joints(figure, q, v, forces, law, setup=setup, approximate=None, damped=False)


def joint_limits():
    figure, q, v = moving(2, ("hinge", "slide"))
    forces = []
    for k, body in enumerate(figure.bodies[1:]):
        x = q[figure.position_slices[body.name]][0]
        lower, upper = ((x + 0.8, x + 2.0), (x - 2.0, x - 0.9), (x - 9.0, x + 9.0))[k % 3]  # below, above, inside
        more = {"strength": 4.0, "rise": 2.0} if k % 2 else {}
        forces.append(
            JointLimit(joint=body.name, lower=lower, upper=upper, stiffness=30.0 + k, damping=1.0 + 0.1 * k, **more)
        )

    def law(e):
        def force(x, u, t):
            beyond = np.maximum(x - e.upper, 0.0) + np.minimum(x - e.lower, 0.0)
            bent = e.strength * np.sign(beyond) * np.expm1(e.rise * np.abs(beyond))
            return np.where(beyond == 0.0, 0.0, -e.stiffness * beyond - bent - e.damping * u)

        return force

    return at_joints(figure, q, v, forces, law, duration=0.05)


def exponential_springs(most=np.inf):
    figure, q, v = moving(7, ("hinge", "universal", "slide"))
    forces = [
        ExponentialSpring(joint=b.name, strength=2.0 + k, rise=1.5, damping=0.6, rest=0.2 * k, most=most)
        for k, b in enumerate(figure.bodies[1:])
    ]

    def law(e):
        def force(x, u, t):
            x = x - e.rest
            return -np.sign(x) * np.minimum(e.strength * np.expm1(e.rise * np.abs(x)), e.most) - e.damping * u

        return force

    return at_joints(figure, q, v, forces, law, stores=np.isinf(most))


def joint_frictions():
    figure, q, v = moving(8, ("hinge", "universal", "slide"))
    forces = [JointFriction(joint=b.name, limit=1.0 + k, creep=0.3) for k, b in enumerate(figure.bodies[1:])]
    law = lambda e: lambda x, u, t: -e.limit * u / np.sqrt(u**2 + e.creep**2)
    return at_joints(figure, q, v, forces, law, stores=False, approximate=None)


def joint_forces():
    figure, q, v = moving(9, ("hinge", "universal", "slide"))
    forces = [JointForce(joint=b.name, force=1.0 - k) for k, b in enumerate(figure.bodies[1:])]
    law = lambda e: lambda x, u, t: np.full(len(u), e.force)
    return at_joints(figure, q, v, forces, law, stores=False)


def turned_balls(angle):
    """A figure of ball joints, each turned by the angle about an axis of its own."""
    figure, q, v = moving(3, ("ball",))
    rng = np.random.default_rng(3)
    for body in figure.bodies[1:]:
        turn = rng.normal(size=3)
        turn *= angle / np.linalg.norm(turn)
        size = np.linalg.norm(turn)
        q[figure.position_slices[body.name]] = [np.cos(size / 2), *(np.sin(size / 2) * turn / size)]
    return figure, q, v


def ball_springs(angle):
    figure, q, v = turned_balls(angle)
    forces = [BallSpring(joint=b.name, stiffness=15.0 + k, damping=0.7) for k, b in enumerate(figure.bodies[1:])]
    law = lambda e: lambda x, u, t: -e.stiffness * rotation_vector(x) - e.damping * u

    def reports(e, m, q, v):
        x, y, z = joint_report(law)(e, m, q, v)["force"]
        return {"torque_x": x, "torque_y": y, "torque_z": z}

    laws = tuple(AtJoint(e.joint, law(e)) for e in forces)
    # the derivative is taken as if the rotation vector were a plain coordinate: wrong by half the angle, to the side
    return Sample(figure, q, v, tuple(forces), laws, approximate=min(0.6 * angle, 0.5), reports=reports)


def ball_limits():
    """One joint within its cone, the others beyond theirs."""
    figure, q, v = turned_balls(0.8)
    forces = [
        BallLimit(joint=b.name, limit=0.5 if k else 0.9, stiffness=15.0 + k, damping=0.7)
        for k, b in enumerate(figure.bodies[1:])
    ]

    def law(e):
        def torque(x, u, t):
            turn = rotation_vector(x)
            angle = np.linalg.norm(turn)
            axis, excess = turn / angle, angle - e.limit
            return -axis * max(e.stiffness * excess + e.damping * axis @ u, 0.0) if excess > 0 else np.zeros(3)

        return torque

    def reports(e, m, q, v):
        return dict(zip(("torque_x", "torque_y", "torque_z"), joint_report(law)(e, m, q, v)["force"]))

    laws = tuple(AtJoint(e.joint, law(e)) for e in forces)
    # the derivative is taken larger than it is, about axes across the turn too
    return Sample(figure, q, v, tuple(forces), laws, approximate=None, reports=reports, duration=0.05)


def actuators():
    """By force, to a position, to a speed; one held back by what it can give, one at a second coordinate."""
    figure, q, v = moving(11, ("hinge", "slide"))
    each = (
        {"command": 2.0, "least": -1.0, "most": 1.0},
        {"stiffness": 30.0, "rest": 0.3, "damping": 2.0},
        {"damping": 1.5, "speed": 0.4, "most": 50.0},
        {"stiffness": 10.0, "rest": -0.2, "command": 1.0, "least": -40.0, "most": 60.0},
    )
    forces = [Actuator(name=f"e{k}", joint=b.name, **own) for (k, b), own in zip(enumerate(figure.bodies[1:]), each)]

    def law(e):
        def force(x, u, t):
            return np.clip(e.command + e.stiffness * (e.rest - x) + e.damping * (e.speed - u), e.least, e.most)

        return force

    return at_joints(figure, q, v, forces, law, stores=False, passive=False)


def dc_motors(**gear):
    """By voltage and by torque: some free, some held by the voltage there is, one by its current."""
    figure, q, v = moving(11, ("hinge", "slide"))
    constants = {"torque_constant": 0.1, "resistance": 2.0, "gear": 4.0, "position_gain": 3.0, "speed_gain": 0.5}
    each = (
        {"supply": 30.0, "command": 2.0, "rest": 0.3},
        {"supply": 1.5, "command": 5.0, "speed": 0.2},
        {"supply": 30.0, "command": 1.0, "drive": "torque", "rest": -0.2},
        {"supply": 30.0, "command": 20.0, "drive": "torque", "current_limit": 2.0},
    )
    forces = [
        DCMotor(name=f"e{k}", joint=b.name, **constants | own | gear)
        for (k, b), own in zip(enumerate(figure.bodies[1:]), each)
    ]

    def electrical(e, x, u):
        behind, per_volt = e.torque_constant * e.gear * u, e.gear * e.torque_constant / e.resistance
        asked = e.command + e.position_gain * (e.rest - x) + e.speed_gain * (e.speed - u)
        wanted = asked if e.drive == "torque" else (asked - behind) * per_volt
        torque = np.clip(wanted, (-e.supply - behind) * per_volt, (e.supply - behind) * per_volt)
        current = np.clip(torque / (e.gear * e.torque_constant), -(e.current_limit or 99), e.current_limit or 99)
        return current * e.gear * e.torque_constant, current, current * e.resistance + behind

    def law(e):
        def force(x, u, t):
            torque = electrical(e, x, u)[0]
            rub = e.friction + (1.0 - e.efficiency) * np.abs(torque)
            return torque - rub * u / np.sqrt(u**2 + e.creep**2) - e.damping * u

        return force

    def reports(e, m, q, v):
        name = m.layout.body(e.joint).name
        x, u = q[m.layout.position_slices[name]], v[m.layout.speed_slices[name]]
        _, current, voltage = electrical(e, x, u)
        told = {"force": law(e)(x, u, TIME), "current": current, "voltage": voltage, "power": current * voltage}
        return told | {"energy": 0.0, "heat": 0.0}

    laws = tuple(AtJoint(e.joint, law(e)) for e in forces)
    more = {"approximate": None} if gear else {}
    return Sample(figure, q, v, tuple(forces), laws, stores=False, reports=reports, **more)


def vector_report(force):
    x, y, z = force
    return {"force_x": x, "force_y": y, "force_z": z}


def point_forces():
    figure, q, v = moving(4, ("hinge", "ball"))
    world = PointForce(body="b2", force=(3.0, -2.0, 5.0), point=(0.1, 0.2, -0.3), start=0.1)
    body = PointForce(body="b3", force=(1.0, 4.0, -2.0), point=(0.0, -0.2, 0.1), axes="body")
    later = PointForce(body="b1", force=(100.0, 0.0, 0.0), start=5.0)
    past = PointForce(body="b1", force=(0.0, 100.0, 0.0), start=0.1, duration=0.2)
    spike = PointForce(body="b4", force=(7.0, 1.0, 2.0), start=0.3, duration=0.4, shape="spike")
    swing = lambda t: np.pi / 2 * np.sin(np.pi * (t - 0.3) / 0.4)
    now = {
        "e0": lambda frame, t: np.array(world.force),
        "e1": lambda frame, t: frame @ body.force,
        "e2": lambda frame, t: np.zeros(3),
        "e3": lambda frame, t: np.zeros(3),
        "e4": lambda frame, t: np.array(spike.force) * swing(t),
    }
    forces = (world, body, later, past, spike)
    laws = [
        AtPoint(e.body, e.point, lambda place, speed, frame, t, f=f: f(frame, t)) for e, f in zip(forces, now.values())
    ]

    def reports(e, m, q, v):
        return vector_report(now[e.name](look(m, e.body, e.point, q, v).frame, TIME))

    # a step sees the force as it is at its start
    return Sample(figure, q, v, forces, tuple(laws), stores=False, approximate=None, reports=reports)


def torques():
    figure, q, v = moving(4, ("hinge", "ball"))
    world = PointForce(body="b2", torque=(0.5, -0.3, 0.8), point=(0.1, 0.2, -0.3))
    body = PointForce(body="b3", torque=(0.2, 0.4, -0.6), force=(0.3, 0.0, 0.1), axes="body")
    laws = (
        Couple("b2", lambda frame, t: np.array(world.torque)),
        Couple("b3", lambda frame, t: frame @ body.torque),
        AtPoint("b3", body.point, lambda place, speed, frame, t: frame @ body.force),
    )
    return Sample(figure, q, v, (world, body), laws, stores=False)


def anchors():
    figure, q, v = moving(5, ("hinge", "slide"))
    forces = (
        Anchor(body="b2", place=(0.3, 0.2, 0.9), stiffness=80.0, damping=2.0, point=(0.1, 0.0, 0.2)),
        Anchor(body="b4", place=(-0.5, 0.1, 0.4), stiffness=40.0, damping=3.0),
    )
    law = lambda e: lambda x, u, frame, t: -e.stiffness * (x - e.place) - e.damping * u

    def reports(e, m, q, v):
        at = look(m, e.body, e.point, q, v)
        return vector_report(law(e)(at.place, at.speed, at.frame, TIME))

    laws = tuple(AtPoint(e.body, e.point, law(e)) for e in forces)
    return Sample(figure, q, v, forces, laws, reports=reports)


def tendons():
    figure, q, v = moving(10, ("hinge", "slide"))
    pull = {b.name: a for b, a in zip(figure.bodies[1:], (0.3, -0.2, 0.4, 0.1))}
    length = sum(a * q[figure.position_slices[b]][0] for b, a in pull.items())
    forces = (
        Tendon(arms=pull, stiffness=60.0, damping=2.0, rest=length - 0.3),
        Tendon(arms=dict(list(pull.items())[:2]), stiffness=40.0, damping=1.0, rest=3.0, pulls_only=False),
        Tendon(arms=pull, stiffness=60.0, damping=2.0, rest=length + 0.5),  # slack
    )

    def tension(e, q, v):
        reach = sum(a * q[figure.position_slices[b]][0] for b, a in e.arms.items())
        rate = sum(a * v[figure.speed_slices[b]][0] for b, a in e.arms.items())
        pull = e.stiffness * (reach - e.rest) + e.damping * rate
        return reach, max(pull, 0.0) * (reach > e.rest) if e.pulls_only else pull

    def reports(e, m, q, v):
        return dict(zip(("length", "tension"), tension(e, q, v)))

    law = lambda e: lambda q, v, t: {body: -arm * tension(e, q, v)[1] for body, arm in e.arms.items()}
    return Sample(figure, q, v, forces, tuple(AtJoints(law(e)) for e in forces), approximate=None, reports=reports)


def tendon_actuators():
    """By force, to a length, one held back by what it can give."""
    figure, q, v = moving(10, ("hinge", "slide"))
    arms = {b.name: a for b, a in zip(figure.bodies[1:], (0.3, -0.2, 0.4, 0.1))}
    forces = (
        TendonActuator(name="e0", arms=arms, stiffness=60.0, damping=2.0, rest=0.4),
        TendonActuator(name="e1", arms=dict(list(arms.items())[:2]), command=3.0, damping=1.0, speed=0.5, most=50.0),
        TendonActuator(name="e2", arms=arms, stiffness=60.0, rest=9.0, least=-5.0, most=5.0),
    )

    def force(e, q, v):
        length = sum(a * q[figure.position_slices[b]][0] for b, a in e.arms.items())
        rate = sum(a * v[figure.speed_slices[b]][0] for b, a in e.arms.items())
        asked = e.command + e.stiffness * (e.rest - length) + e.damping * (e.speed - rate)
        return length, float(np.clip(asked, e.least, e.most))

    def reports(e, m, q, v):
        return dict(zip(("length", "force"), force(e, q, v)))

    law = lambda e: lambda q, v, t: {body: arm * force(e, q, v)[1] for body, arm in e.arms.items()}
    laws = tuple(AtJoints(law(e)) for e in forces)
    more = {"stores": False, "passive": False, "approximate": None}
    return Sample(figure, q, v, forces, laws, reports=reports, **more)


SAMPLES = {
    "joint_spring": (joint_springs, scaled_springs, ramped_springs, stiffening_springs),
    "joint_limit": (joint_limits,),
    "exponential_spring": (exponential_springs, lambda: exponential_springs(3.0)),
    "dc_motor": (dc_motors, lambda: dc_motors(friction=0.3, efficiency=0.8, damping=0.1, creep=0.2)),
    "joint_friction": (joint_frictions,),
    "joint_force": (joint_forces,),
    "ball_spring": (lambda: ball_springs(1e-3), lambda: ball_springs(0.8), lambda: ball_springs(2.5)),
    "actuator": (actuators,),
    "ball_limit": (ball_limits,),
    "point_force": (point_forces, torques),
    "anchor": (anchors,),
    "tendon": (tendons,),
    "tendon_actuator": (tendon_actuators,),
}
