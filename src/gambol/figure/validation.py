"""What makes a set of bodies a figure. Every fault is found, each with the path of the offending value."""

from collections.abc import Iterator, Sequence

from gambol.errors import Fault, nearest
from gambol.figure.actuators import BatteryConstants, MotorConstants
from gambol.figure.body import Body
from gambol.figure.placement import Problem


def figure_problems(
    name: str, bodies: Sequence[Body], batteries: Sequence[BatteryConstants] = ()
) -> list[tuple[tuple[str | int, ...], Fault]]:
    """All faults of a figure, each with its path, such as ("bodies", 3, "joint", "axis")."""
    found: list[tuple[tuple[str | int, ...], Fault]] = []
    if not isinstance(name, str) or not name.strip():
        found.append((("name",), Fault(f"a figure needs a name, not {name!r}")))
    if not bodies:
        found.append((("bodies",), Fault("a figure needs at least one body")))
    sound = set()
    for index, body in enumerate(bodies):
        problems = list(body.faults())
        if not problems:
            sound.add(index)
        found += [(("bodies", index, *path), Fault(message, _label(index, body))) for path, message in problems]
    for path, message in (*_tree_problems(bodies), *_massless_problems(bodies, sound)):
        index = int(path[0]) if path else 0
        where = _label(index, bodies[index]) if path else ""
        found.append((("bodies", *path), Fault(message, where)))
    for path, message in _battery_problems(bodies, batteries):
        index = int(path[1])
        of_body = path[0] == "bodies"
        where = _label(index, bodies[index]) if of_body else f"battery {getattr(batteries[index], 'name', '') or index}"
        found.append((path, Fault(message, where)))
    return sorted(found, key=lambda item: _place(item[0]))


def _label(index: int, body: Body) -> str:
    return body.name if isinstance(body.name, str) and body.name.strip() else f"body {index}"


def _place(path: Sequence[str | int]) -> tuple[int, int]:
    if path[:1] != ("bodies",):
        return (0, 0)
    return (1, int(path[1])) if len(path) > 1 else (1, -1)


def _battery_problems(bodies: Sequence[Body], batteries: Sequence[BatteryConstants]) -> Iterator[Problem]:
    """Of the batteries, and of motors that name one."""
    names = [getattr(battery, "name", "") for battery in batteries]
    for index, battery in enumerate(batteries):
        if not isinstance(battery, BatteryConstants):
            yield ("batteries", index), f"must be BatteryConstants, not {battery!r}"
            continue
        yield from ((("batteries", index, *path), message) for path, message in battery.problems())
        if not battery.name.strip():
            yield ("batteries", index, "name"), "a battery needs a name"
        elif battery.name in names[:index]:
            yield ("batteries", index, "name"), f"the name {battery.name!r} is taken by an earlier battery"
    for index, body in enumerate(bodies):
        motor = getattr(body.joint, "motor", None)
        if isinstance(motor, MotorConstants) and motor.battery and motor.battery not in names:
            message = f"no battery is called {motor.battery!r}{nearest(motor.battery, names)}"
            yield ("bodies", index, "joint", "motor", "battery"), message


def _tree_problems(bodies: Sequence[Body]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, body in enumerate(bodies):
        if isinstance(body.name, str) and first.setdefault(body.name, index) != index:
            yield (index, "name"), f"the name {body.name!r} is taken by an earlier body"
    roots = [index for index, body in enumerate(bodies) if body.parent is None]
    for index in roots[1:]:
        yield (
            (index, "parent"),
            f"has no parent, but {bodies[roots[0]].name!r} is the root already: a figure has one root",
        )
    if bodies and not roots:
        yield (), "no body is the root: one must have no parent"
    for index, body in enumerate(bodies):
        if isinstance(body.parent, str) and body.parent not in first:
            others = [name for name in first if name != body.name]
            yield (index, "parent"), f"its parent {body.parent!r} is not a body{nearest(str(body.parent), others)}"
    yield from _cycle_problems(bodies, first)


def _cycle_problems(bodies: Sequence[Body], first: dict[str, int]) -> Iterator[Problem]:
    """Cycles, once each, and what hangs from them."""
    above = [first.get(body.parent) if isinstance(body.parent, str) else None for body in bodies]
    head_of: dict[int | None, int | None] = {None: None}  # the first body of the cycle above each, if any
    for start in range(len(bodies)):
        trail: dict[int, None] = {}  # in order, and quick to ask
        index: int | None = start
        while index not in head_of and index not in trail:
            trail[index] = None  # type: ignore[index]
            index = above[index]  # type: ignore[index]
        if index in trail:
            loop = list(trail)[list(trail).index(index) :]
            head = min(loop)
            yield (head, "parent"), f"is its own ancestor: {' → '.join(bodies[i].name for i in (*loop, loop[0]))}"
            head_of.update(dict.fromkeys(loop, head))
        hung = [i for i in trail if i not in head_of]
        cycle = head_of[index]
        head_of.update(dict.fromkeys(hung, cycle))
        if cycle is not None:
            for i in hung:
                yield (i, "parent"), _unreachable(bodies[cycle])


def _unreachable(cycle: Body) -> str:
    return f"cannot be reached from the root: it hangs from the cycle of {cycle.name!r}"


def _massless_problems(bodies: Sequence[Body], sound: set[int]) -> Iterator[Problem]:
    """A body without mass is a mere frame: legal when mass hangs below it, when it is fixed, or moved as you say."""
    children: dict[str, list[int]] = {}
    for index, body in enumerate(bodies):
        if isinstance(body.parent, str):
            children.setdefault(body.parent, []).append(index)
    for index, body in enumerate(bodies):
        if index not in sound or body.mass_properties.mass > 0:
            continue
        if not body.joint.speeds and (body.parent is not None or body.name in children or body.parts):
            continue
        if body.joint.driven:
            continue
        if not _carries_mass(index, bodies, children, sound):
            hint = "has no parts" if not body.parts and body.mass is None else "has zero mass"
            yield (index,), f"{hint} and nothing with mass hangs below it; give it parts or a mass"


def _carries_mass(index: int, bodies: Sequence[Body], children: dict[str, list[int]], sound: set[int]) -> bool:
    pending, seen = [index], set()
    while pending:
        here = pending.pop()
        if here in seen:
            continue
        seen.add(here)
        # A faulty body has its own fault; do not blame those above it.
        if here not in sound or bodies[here].mass_properties.mass > 0:
            return True
        pending += children.get(bodies[here].name, [])
    return False
