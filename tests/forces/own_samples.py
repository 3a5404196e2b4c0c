"""Samples of force elements that are not the package's: they keep the same contract."""

import numpy as np
from joint_samples import at_joints, vector_report
from laws import TIME, AtPoint, OnPoints, Sample, look, moving
from own_elements import Bungee, HardeningSpring, Mooring


def hardening_springs():
    figure, q, v = moving(13, ("hinge", "universal", "slide"))
    forces = [
        HardeningSpring(joint=b.name, stiffness=10.0 + k, hardening=5.0, damping=0.4, rest=0.1 * k)
        for k, b in enumerate(figure.bodies[1:])
    ]

    def law(e):
        return lambda x, u, t: -e.stiffness * (x - e.rest) - e.hardening * (x - e.rest) ** 3 - e.damping * u

    return at_joints(figure, q, v, forces, law, duration=0.1)


def moving_rests():
    """The implicit step knows that the rest position moves."""
    figure, q, v = moving(13, ("hinge", "slide"))
    forces = [HardeningSpring(joint=b.name, stiffness=10.0, hardening=5.0, rest=0.1) for b in figure.bodies[1:]]

    def setup(sim):
        for k in range(4):
            sim.elements[f"e{k}"].ramp("rest", 0.9, 0.8, start=0.2)

    def law(e):
        def force(x, u, t):
            x = x - 0.1 - 0.8 * (t - 0.2) / 0.8
            return -10.0 * x - 5.0 * x**3

        return force

    return at_joints(figure, q, v, forces, law, setup=setup, damped=False, duration=0.1)


def moorings():
    figure, q, v = moving(14, ("hinge", "slide"))
    forces = (
        Mooring(body="b2", x=0.3, y=0.2, z=0.9, stiffness=30.0, hardening=6.0, drag=2.0, point=(0.1, 0.0, 0.2)),
        Mooring(body="b4", x=-0.5, z=0.4, stiffness=20.0, drag=1.0),
    )

    def law(e):
        def force(x, u, frame, t):
            away = x - np.array([e.x, e.y, e.z])
            return -(e.stiffness + e.hardening * away @ away) * away - e.drag * np.linalg.norm(u) * u

        return force

    def reports(e, m, q, v):
        at = look(m, e.body, e.point, q, v)
        places = dict(zip("xyz", at.place))
        return places | vector_report(law(e)(at.place, at.speed, at.frame, TIME))

    laws = tuple(AtPoint(e.body, e.point, law(e)) for e in forces)
    return Sample(figure, q, v, forces, laws, reports=reports, duration=0.1)


def bungees():
    figure, q, v = moving(15, ("hinge", "slide"))
    forces = (
        Bungee(body="b1", point=(0.1, 0.2, 0.0), other="b4", stiffness=20.0, hardening=2.0, damping=2.0, rest=0.2),
        Bungee(body="b2", other_point=(0.5, 0.1, 0.8), stiffness=25.0, damping=1.0, rest=0.1),
        Bungee(body="b3", other="b2", stiffness=15.0, damping=1.0, rest=5.0),  # compressed
    )

    def pull(e, places, speeds):
        line = places[1] - places[0]
        length = np.linalg.norm(line)
        along, x = line / length, length - e.rest
        return length, e.stiffness * x + e.hardening * x**3 + e.damping * along @ (speeds[1] - speeds[0]), along

    def law(e):
        def forces(places, speeds, t):
            _, size, along = pull(e, places, speeds)
            return size * along, -size * along

        return OnPoints(((e.body, e.point), (e.other, e.other_point)), forces)

    def reports(e, m, q, v):
        ends = [look(m, e.body, e.point, q, v), look(m, e.other, e.other_point, q, v)]
        length, size, along = pull(e, [a.place for a in ends], [a.speed for a in ends])
        return {"length": length, "tension": size} | vector_report(size * along)

    return Sample(
        figure, q, v, forces, tuple(map(law, forces)), approximate=None, reports=reports, duration=0.1
    )  # fmt: skip


SAMPLES = {
    "hardening_spring": (hardening_springs, moving_rests),
    "mooring": (moorings,),
    "bungee": (bungees,),
}
