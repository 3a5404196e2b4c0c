"""What runs over several joints with a fixed moment arm at each: its length, its rate, and what the joints feel."""

from __future__ import annotations

from collections.abc import Mapping

from gambol.forces.element import Element
from gambol.forces.push import begin_tension, push_speed
from gambol.jit import function
from gambol.math.scalar import constant, load


def run_over(
    element: Element, layout, arms: Mapping[str, float], most: int, called: str
) -> tuple[list[int], list[float]]:
    """Places of the joints' first positions and speeds, in pairs, and their arms [m]; filled up to `most` joints."""
    if not 1 <= len(arms) <= most:
        raise element.fail(f"{called} runs over 1 to {most} joints, not {len(arms)}")
    places: list[int] = []
    for joint in arms:
        entry = layout.body(joint)
        if not entry.speeds or len(entry.positions) != len(entry.speeds):
            raise element.fail(f"joint {joint!r} is a {entry.body.joint.type} joint: it has no coordinate to run over")
        places += [entry.positions[0], entry.speeds[0]]
    spare = most - len(arms)
    return [*places, *[0] * (2 * spare)], [*(float(arm) for arm in arms.values()), *[0.0] * spare]


@function
def length_of(model, motion, count, first, arms):
    """Σ arm q over `count` joints whose places begin at index `first` and arms at parameter `arms`, and its rate."""
    length = rate = constant(load(model.params, arms), 0.0)
    for j in range(count):
        arm = load(model.params, arms + j)
        length = length + arm * load(motion.q, model.indices[first + 2 * j])
        rate = rate + arm * load(motion.v, model.indices[first + 1 + 2 * j])
    return length, rate


@function
def pull_joints(model, motion, h, count, first, arms, tension, stiffness, damping, rate):
    """Each joint feels -arm · tension; `rate` is that of the length less that of its rest."""
    soon, root = begin_tension(motion, h, tension, stiffness, damping, rate)
    for j in range(count):
        push_speed(model, motion, model.indices[first + 1 + 2 * j], -load(model.params, arms + j), soon, root)
