"""Experiments on constraints as live shows: `gambol view limbs-nail-gravity`."""

import numpy as np

from gambol import Binding, Part, Placement, Sphere, Stepping
from gambol.experiments.limbs import EARTH_GRAVITY, NO_GRAVITY
from gambol.experiments.limbs.arm import NAIL_POSITION, stretched_simulation
from gambol.experiments.limbs.nail import hung_cylinder
from gambol.models.linkages import four_bar, four_bar_start
from gambol.shows.registry import show
from gambol.view import LiveSource

RED = (0.8, 0.2, 0.15)
PIN = (0.0, 0.5, -0.3)  # [m] where the nail is


def pin(place: tuple[float, float, float]) -> Part:
    """The nail, to be seen."""
    return Part(Sphere(0.04), Placement(place), colour=RED)


@show("limbs-nail")
def nail() -> LiveSource:
    """A cylinder is drawn to a nail, without gravity."""
    return LiveSource(hung_cylinder(NO_GRAVITY, place=PIN), props=[pin(PIN)], ground=-1.5)


@show("limbs-nail-gravity")
def nail_gravity() -> LiveSource:
    """A cylinder is drawn to a nail and swings from it."""
    return LiveSource(hung_cylinder(EARTH_GRAVITY, place=PIN), props=[pin(PIN)], ground=-1.8)


@show("limbs-stretched-arm")
def arm() -> LiveSource:
    """A stretched arm of three links is drawn to a nail."""
    place = (float(NAIL_POSITION[0]), float(NAIL_POSITION[1]), float(NAIL_POSITION[2]))
    return LiveSource(stretched_simulation(Binding()), props=[pin(place)], ground=-1.2)


@show("limbs-four-bar")
def bars() -> LiveSource:
    """Two four-bars in a row turn through their singular positions."""
    world = four_bar(2)
    q, v = four_bar_start(world)
    stepping = Stepping(method="dormand-prince", eps=1e-8, max_step=0.02)
    return LiveSource.of(world, q=np.asarray(q), v=v, stepping=stepping, ground=-1.2)
