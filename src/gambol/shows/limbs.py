"""Experiments on constraints as live shows: `gambol view limbs-nail-gravity`."""

from __future__ import annotations

import numpy as np

from gambol.dynamics.constraints import Binding
from gambol.experiments.limbs.arm import NAIL, stretched
from gambol.experiments.limbs.nail import EARTH, STILL, hung
from gambol.figure import Part, Placement, Sphere
from gambol.models.linkages import four_bar, four_bar_start
from gambol.shows.registry import show
from gambol.stepping.options import Stepping
from gambol.view.source import LiveSource

RED = (0.8, 0.2, 0.15)
PIN = (0.0, 0.5, -0.3)  # [m] where the nail is


def pin(place: tuple[float, float, float]) -> Part:
    """The nail, to be seen."""
    return Part(Sphere(0.04), Placement(place), colour=RED)


@show("limbs-nail", "a cylinder is drawn to a nail, without gravity")
def nail() -> LiveSource:
    return LiveSource(hung(STILL, place=PIN), props=[pin(PIN)], ground=-1.5)


@show("limbs-nail-gravity", "a cylinder is drawn to a nail and swings from it")
def nail_gravity() -> LiveSource:
    return LiveSource(hung(EARTH, place=PIN), props=[pin(PIN)], ground=-1.8)


@show("limbs-stretched-arm", "a stretched arm of three links is drawn to a nail")
def arm() -> LiveSource:
    place = (float(NAIL[0]), float(NAIL[1]), float(NAIL[2]))
    return LiveSource(stretched(Binding()), props=[pin(place)], ground=-1.2)


@show("limbs-four-bar", "two four-bars in a row turn through their singular positions")
def bars() -> LiveSource:
    world = four_bar(2)
    q, v = four_bar_start(world)
    stepping = Stepping(method="dormand-prince", eps=1e-8, max_step=0.02)
    return LiveSource.of(world, q=np.asarray(q), v=v, stepping=stepping, ground=-1.2)
