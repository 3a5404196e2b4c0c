"""Samples of elements along lines between bodies."""

import itertools

import numpy as np
from laws import TIME, AlongLine, OnPoints, Sample, look, moving

from gambol import Attachment, Muscle, PairGravity, Pulley


def attachments(restitution=1.0):
    figure, q, v = moving(11, ("hinge", "slide"))
    far = {"strength": 3.0, "rise": 0.8, "restitution": restitution}
    forces = (
        Attachment(body="b1", point=(0.1, 0.2, 0.0), other="b4", other_point=(0.0, -0.1, 0.3), stiffness=40.0,
                   damping=3.0, rest=0.2, **far),
        Attachment(body="b2", point=(0.0, 0.3, 0.1), other_point=(0.5, 0.1, 0.8), stiffness=25.0, damping=1.0, **far),
        Attachment(body="b3", other="b2", stiffness=15.0, damping=1.0, rest=9.0),  # compressed
    )  # fmt: skip

    def tension(e, x, rate):
        x = x - e.rest
        spring = e.stiffness * x + e.strength * np.expm1(e.rise * max(x, 0.0))
        turn = rate / np.hypot(rate, e.turn)
        return spring * ((1 + e.restitution) / 2 + (1 - e.restitution) / 2 * turn) + e.damping * rate

    def pull(e, places, speeds):
        line = places[1] - places[0]
        length = np.linalg.norm(line)
        along = line / length
        return length, tension(e, length, along @ (speeds[1] - speeds[0])), along

    def law(e):
        def forces(places, speeds, t):
            _, size, along = pull(e, places, speeds)
            return size * along, -size * along

        return OnPoints(((e.body, e.point), (e.other, e.other_point)), forces)

    def reports(e, m, q, v):
        ends = [look(m, e.body, e.point, q, v), look(m, e.other, e.other_point, q, v)]
        length, size, along = pull(e, [a.place for a in ends], [a.speed for a in ends])
        x, y, z = size * along
        return {"length": length, "tension": size, "force_x": x, "force_y": y, "force_z": z}

    return Sample(
        figure, q, v, forces, tuple(map(law, forces)), approximate=None, reports=reports,
        stores=restitution == 1.0, passive=restitution == 1.0, duration=0.1,
    )  # fmt: skip


def length_of(path):
    def length(m, q):
        places = [look(m, body, point, q, np.zeros(m.speeds)).place for body, point in path]
        return sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(places))

    return length


def muscle_tension(e):
    def tension(length, rate, t):
        x = length - e.rest
        strength = getattr(e, "strength", 0.0)
        pull = e.activation * (e.stiffness * x + strength * np.expm1(getattr(e, "rise", 0.0) * x)) + e.damping * rate
        return max(pull, 0.0) if x > 0 else 0.0

    return tension


def line_reports(length, tension):
    def reports(e, m, q, v):
        now, step = length(e)(m, q), 1e-4
        rate = (length(e)(m, m.displaced(q, step * v)) - length(e)(m, m.displaced(q, -step * v))) / (2 * step)
        return {"length": now, "tension": tension(e)(now, rate, TIME)}

    return reports


def muscles():
    figure, q, v = moving(12, ("hinge", "slide"))
    straight = (("", (0.3, -0.5, 1.0)), ("b3", (0.1, 0.0, 0.2)))
    bent = (("b1", (0.2, 0.0, 0.1)), ("b2", (0.0, 0.3, 0.0)), ("b4", (0.1, 0.1, -0.2)), ("b3", (0.0, 0.2, 0.0)))
    forces = (
        Muscle(path=straight, stiffness=30.0, strength=2.0, rise=0.7, damping=1.5, rest=0.3, activation=0.8),
        Muscle(path=bent, stiffness=20.0, strength=3.0, rise=0.3, damping=2.0, rest=0.5),
        Muscle(path=bent, stiffness=20.0, damping=2.0, rest=50.0),  # slack
    )
    laws = tuple(AlongLine(length_of(e.path), muscle_tension(e)) for e in forces)
    return Sample(
        figure, q, v, forces, laws, approximate=None, precision=1e-9, duration=0.05,
        reports=line_reports(lambda e: length_of(e.path), muscle_tension),
    )  # fmt: skip


def pulley_length(e):
    """Length over a cylinder by angles: two tangents and the arc between them, climbing evenly."""

    def length(m, q):
        still = np.zeros(m.speeds)
        a, b = look(m, e.body, e.point, q, still).place, look(m, e.other, e.other_point, q, still).place
        hub = look(m, e.pulley, e.centre, q, still)
        axis = hub.frame @ (np.asarray(e.axis) / np.linalg.norm(e.axis))
        across = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [1.0, 0.0, 0.0])
        across /= np.linalg.norm(across)
        plane = np.array([across, np.cross(axis, across)])
        (ax, ay), (bx, by) = plane @ (a - hub.place), plane @ (b - hub.place)
        far_a, far_b = np.hypot(ax, ay), np.hypot(bx, by)
        # it leaves a's side where the radius stands at an angle ahead of a, and arrives that much before b
        leave = np.arctan2(ay, ax) + np.arccos(e.radius / far_a)
        arrive = np.arctan2(by, bx) - np.arccos(e.radius / far_b)
        turn = (arrive - leave + np.pi) % (2.0 * np.pi) - np.pi
        flat = np.hypot(bx - ax, by - ay)
        if turn > 0:
            flat = np.sqrt(far_a**2 - e.radius**2) + np.sqrt(far_b**2 - e.radius**2) + e.radius * turn
        return np.hypot(flat, axis @ (b - a))

    return length


def pulleys():
    figure, q, v = moving(13, ("hinge", "slide"))
    v = 0.3 * v
    common = {"pulley": "b2", "centre": (0.1, 0.0, 0.2), "stiffness": 30.0, "damping": 2.0}
    wrapped = dict(body="b1", point=(0.6, 0.3, 0.1), other="b3", other_point=(0.1, 0.5, -0.2), radius=0.25)
    forces = [Pulley(**wrapped, axis=axis, rest=0.4, **common) for axis in ((0.3, 1.0, 0.2), (-0.3, -1.0, -0.2))]
    forces.append(Pulley(**(wrapped | {"other": "", "other_point": (0.7, -0.4, 0.6)}), axis=(1.0, 0.2, 0.1), rest=0.4,
                         activation=0.6, **common))  # fmt: skip
    laws = tuple(AlongLine(pulley_length(e), muscle_tension(e)) for e in forces)

    def reports(e, m, q, v):
        return line_reports(pulley_length, muscle_tension)(e, m, q, v)

    return Sample(figure, q, v, tuple(forces), laws, approximate=None, precision=1e-9, duration=0.02, reports=reports)


def pair_gravities():
    figure, q, v = moving(14, ("hinge", "slide"))
    forces = (PairGravity(between=("b1", "b2", "b4"), G=2.0, core=0.1), PairGravity(between=("b3", "b0"), G=3.0))
    centre = lambda name: figure[name].mass_properties.centre
    mass = lambda name: figure[name].mass_properties.mass

    def law(e, one, two):
        def forces(places, speeds, t):
            line = places[1] - places[0]
            pull = e.G * mass(one) * mass(two) * line / (line @ line + e.core**2) ** 1.5
            return pull, -pull

        return OnPoints(((one, centre(one)), (two, centre(two))), forces)

    pairs = [(e, *pair) for e in forces for pair in itertools.combinations(e.between, 2)]

    def reports(e, m, q, v):
        sizes = []
        for one, two in itertools.combinations(e.between, 2):
            ends = [look(m, name, centre(name), q, v).place for name in (one, two)]
            sizes.append(np.linalg.norm(law(e, one, two).forces(ends, None, TIME)[0]))
        return {"force": sizes}

    return Sample(
        figure, q, v, forces, tuple(law(*pair) for pair in pairs), approximate=None, damped=False, reports=reports
    )


SAMPLES = {
    "attachment": (attachments, lambda: attachments(0.4)),
    "muscle": (muscles,),
    "pulley": (pulleys,),
    "pair_gravity": (pair_gravities,),
}
