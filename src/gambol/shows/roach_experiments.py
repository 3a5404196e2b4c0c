"""Experiments with the roach as live shows: `gambol view roach-jump`."""

import numpy as np

from gambol import Simulation
from gambol.experiments.roach.rough import uneven
from gambol.experiments.roach.wires import WIRE_SEGMENTS, wired_world
from gambol.models import roach as model
from gambol.shows.registry import show
from gambol.shows.roach import SLOWED, walking
from gambol.view import LiveSource, Parameter, with_mouse_spring

WAVE = 0.3  # [s] cycle of the walk over uneven ground


@show("roach-straight")
def straight() -> LiveSource:
    """The roach with legs tuned to walk straight."""
    return walking(model.roach_world(), limbs=model.adjusted_legs(*model.TUNED))


@show("roach-terrain")
def terrain() -> LiveSource:
    """The roach in a wave gait over uneven ground, on feet that stick."""
    return walking(
        model.roach_world(sticky=model.STICKY, friction=model.STICKY_FRICTION, terrain=uneven(4e-3, 1)), cycle=WAVE
    )


@show("roach-backward")
def backward() -> LiveSource:
    """The roach with its middle legs on backwards."""
    return walking(model.roach_world(figure=model.roach_with_middle_legs_backwards()))


@show("roach-flip")
def flip() -> LiveSource:
    """The roach on ice loses its footing."""
    return walking(model.roach_world(friction=0.02), cycle=0.15)


@show("roach-wires")
def wires() -> LiveSource:
    """The roach walks through two wires whose join breaks."""
    return walking(wired_world(2e-3), q=np.concatenate([model.standing_positions(), np.zeros(2 * WIRE_SEGMENTS)]))


@show("roach-stand")
def stand() -> LiveSource:
    """The roach is dropped and stands on exponential springs."""
    sim = Simulation(with_mouse_spring(model.roach_world()), stepping=model.stepping(), ledger=False)
    sim.reset(model.standing_positions())
    return LiveSource(sim, speed=SLOWED)


@show("roach-jump")
def jump() -> LiveSource:
    """A standing roach; pull `push down` to and fro and it jumps."""
    sim = model.settled_roach(with_mouse_spring(model.roach_world()))
    rest = {leg.joints[1]: float(sim.elements[leg.joints[1]].get("rest")) for leg in model.legs()}
    signs = {leg.joints[1]: 1.0 if leg.side == "left" else -1.0 for leg in model.legs()}
    joint = next(iter(rest))

    def pushed() -> float:
        return signs[joint] * (rest[joint] - float(sim.elements[joint].get("rest")))

    def push(angle: float) -> None:
        for name, usual in rest.items():
            sim.elements[name].set("rest", usual - signs[name] * angle)

    push(0.35)
    return LiveSource(sim, speed=SLOWED, parameters=[Parameter("push down", pushed, push, -0.2, 0.6, unit="rad")])
