"""Samples of elements along lines between bodies."""

import itertools

import numpy as np
from laws import TIME, AlongLine, OnPoints, Sample, Whole, look, moving

from gambol import Around, Attachment, Branch, Cable, Drag, Muscle, PairGravity, Placement, Pulley, Via


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


def way_past(a, b, solid, frame, centre):
    """Length from a to b around a solid, by angles: tangents and the arc between them."""
    a, b = frame.T @ (a - centre), frame.T @ (b - centre)
    r, climb = solid.radius, 0.0
    if solid.cylinder:
        climb = b[2] - a[2]
        a, b = a[:2], b[:2]
    far_a, far_b = np.linalg.norm(a), np.linalg.norm(b)
    between = np.arccos(a @ b / far_a / far_b)
    arc = between - np.arccos(r / far_a) - np.arccos(r / far_b)
    flat = np.linalg.norm(b - a)
    if arc > 0:
        flat = np.sqrt(far_a**2 - r**2) + np.sqrt(far_b**2 - r**2) + r * arc
    return np.hypot(flat, climb)


def cable_length(e):
    def length(m, q):
        still = np.zeros(m.speeds)
        total, before, solid, share = e.offset, None, None, 1.0
        for joint, arm in (e.arms or {}).items():
            x = q[m.layout.position_slices[m.layout.body(joint).name].start]
            total += sum(c * x ** (k + 1) for k, c in enumerate(np.atleast_1d(arm)))
        for stop in e.path:
            if isinstance(stop, Branch):
                before, share = None, 1.0 / stop.divisor
            elif isinstance(stop, Around):
                solid = stop
            else:
                here = look(m, stop.body, stop.point, q, still).place
                if before is not None and solid is not None:
                    hub = look(m, solid.body, solid.place.position, q, still)
                    total += share * way_past(before, here, solid, hub.frame @ solid.place.matrix, hub.place)
                elif before is not None:
                    total += share * np.linalg.norm(here - before)
                before, solid = here, None
        return total

    return length


def string_tension(e):
    def tension(length, rate, t):
        far = max(length - e.taut, 0.0) - max(e.slack - length, 0.0)
        long, short = (e.stop_stiffness * x + e.stop_damping * v for x, v in
                       ((length - e.most, rate), (e.least - length, -rate)))  # fmt: skip
        stops = (max(long, 0.0) if length > e.most else 0.0) - (max(short, 0.0) if length < e.least else 0.0)
        return e.stiffness * far + e.damping * rate + stops

    return tension


def routes():
    """Through points, around a ball, around a rod in two branches, over joints."""
    ball = Around("b2", Placement((0.1, 0.0, 0.2)), 0.25)
    rod = Around("b1", Placement((0.0, 0.2, 0.1), (0.8, 0.6, 0.0, 0.0)), 0.2, cylinder=True)
    around = (Via("b1", (0.6, 0.3, 0.1)), ball, Via("b3", (0.1, 0.5, -0.2)), Via("", (0.7, -0.4, 0.6)))
    split = (
        Via("b0", (0.5, -0.3, 0.4)),
        rod,
        Via("b2", (-0.4, 0.5, 0.3)),
        Branch(2.0),
        Via("b3"),
        Via("b4", (0.1, 0.1, 0.1)),
    )
    return {"path": around}, {"path": split}, {"arms": {"b2": 0.3, "b3": (0.2, -0.4, 0.1, 0.3)}, "offset": 0.4}


def strings():
    figure, q, v = moving(13, ("hinge", "slide"))
    around, split, joints = routes()
    forces = (
        Cable(**around, stiffness=30.0, damping=2.0, slack=0.2, taut=0.5),
        Cable(
            **split, stiffness=12.0, damping=1.0, slack=0.5, taut=0.5, most=0.8, stop_stiffness=40.0, stop_damping=3.0
        ),
        Cable(**joints, stiffness=20.0, damping=1.5, slack=5.0, taut=9.0),  # pushes
    )
    laws = tuple(AlongLine(cable_length(e), string_tension(e)) for e in forces)
    return Sample(figure, q, 0.3 * v, forces, laws, approximate=None, precision=1e-8, duration=0.02)


def hill(e, x, v, a):
    """MuJoCo's muscle, branch by branch."""
    y, low, high = (x - e.tendon) / e.optimum, 0.5 * (e.shortest + 1.0), 0.5 * (1.0 + e.longest)
    if not e.shortest <= y <= e.longest:
        by_length = 0.0
    elif y <= low:
        by_length = 0.5 * ((y - e.shortest) / (low - e.shortest)) ** 2
    elif y <= 1.0:
        by_length = 1.0 - 0.5 * ((1.0 - y) / (1.0 - low)) ** 2
    elif y <= high:
        by_length = 1.0 - 0.5 * ((y - 1.0) / (high - 1.0)) ** 2
    else:
        by_length = 0.5 * ((e.longest - y) / (e.longest - high)) ** 2
    v = v / (e.optimum * e.fastest)
    more = e.eccentric - 1.0
    by_speed = max(v + 1.0, 0.0) ** 2 if v <= 0 else e.eccentric - (more - v) ** 2 / more if v <= more else e.eccentric
    own = 0.0 if y <= 1.0 else 0.5 * ((y - 1.0) / (high - 1.0)) ** 2 if y <= high else 0.5 + (y - high) / (high - 1.0)
    return -e.strength * (by_length * by_speed * a + e.passive * own)


def driven_tension(e):
    def tension(length, rate, t):
        a = e.input
        if e.follows == "lag":
            a = e.input + (e.activation - e.input) * np.exp(-(t - TIME) / e.rise_time)
        elif e.follows == "integral":
            a = e.activation + e.input * (t - TIME)
        x, v = e.gear * length, e.gear * rate
        f = (e.gain + e.gain_length * x + e.gain_rate * v) * a + e.bias + e.bias_length * x + e.bias_rate * v
        f = hill(e, x, v, a) if e.drive == "muscle" else f
        return -e.gear * min(max(f, e.weakest), e.strongest)

    return tension


def driven_cables():
    figure, q, v = moving(13, ("hinge", "slide"))
    around, split, joints = routes()
    muscle = {"drive": "muscle", "strength": 6.0, "fastest": 4.0}
    affine = {"gain": -8.0, "gain_length": 2.0, "gain_rate": -0.5, "bias": 1.0, "bias_length": -2.0, "bias_rate": -1.0}
    forces = (
        Cable(**around, **muscle, input=0.7, optimum=0.9, tendon=0.2, gear=1.2),
        Cable(**split, **muscle, input=0.4, optimum=0.4, follows="lag", activation=0.9, rise_time=0.05),
        Cable(**joints, **affine, drive="affine", input=0.5, follows="integral", activation=0.2, gear=1.5),
        Cable(**joints, **affine, drive="affine", input=0.5, strongest=-0.5, weakest=-3.0),
    )
    laws = tuple(AlongLine(cable_length(e), driven_tension(e)) for e in forces)
    return Sample(
        figure, q, 0.3 * v, forces, laws, approximate=None, precision=1e-8, duration=0.02, stores=False, passive=False
    )


def drags():
    figure, q, v = moving(15, ("hinge", "ball"))
    forces = (
        Drag(body="b2", place=Placement((0.1, 0.2, -0.1), (0.8, 0.0, 0.6, 0.0)), size=(0.3, 0.5, 0.2), density=40.0),
        Drag(body="b4", size=(0.2, 0.4, 0.7), density=9.0, viscosity=0.6, wind=(0.5, -1.0, 0.3)),
    )

    def both(e, m, q, v):
        at = look(m, e.body, e.place.position, q, v)
        axes, size = at.frame @ e.place.matrix, np.array(e.size)
        linear, angular = axes.T @ (at.speed - e.wind), axes.T @ (at.J[:3] @ v)
        others = np.array([[size[(k + 1) % 3], size[(k + 2) % 3]] for k in range(3)])
        mean = size.mean()
        force = 0.5 * e.density * others.prod(axis=1) * np.abs(linear) + 3 * np.pi * mean * e.viscosity
        torque = e.density * size * (others**4).sum(axis=1) / 64 * np.abs(angular) + np.pi * mean**3 * e.viscosity
        return at.J, axes @ (-force * linear), axes @ (-torque * angular)

    def law(e):
        def force(m, q, v, t):
            J, push, turn = both(e, m, q, v)
            return J[3:].T @ push + J[:3].T @ turn

        return Whole(force)

    def reports(e, m, q, v):
        _, push, turn = both(e, m, q, v)
        return {f"{kind}_{axis}": x for kind, v3 in (("force", push), ("torque", turn)) for axis, x in zip("xyz", v3)}

    return Sample(
        figure, q, v, forces, tuple(map(law, forces)), approximate=None, stores=False, passive=False, reports=reports
    )


SAMPLES = {
    "drag": (drags,),
    "cable": (strings, driven_cables),
    "attachment": (attachments, lambda: attachments(0.4)),
    "muscle": (muscles,),
    "pulley": (pulleys,),
    "pair_gravity": (pair_gravities,),
}
