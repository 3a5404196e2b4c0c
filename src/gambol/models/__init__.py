"""Figures that are ready to use.

    hexapod30()   a small six-legged robot, 30 degrees of freedom
    person90()    a person with every bone of the feet, 90 degrees of freedom; versions of it are in `person`, its
                  springs, ground and world in `person.person_world`
    walking_roach()   the roach of 1990 (33 bodies, 38 degrees of freedom) about to walk; all of it is in `roach`
    acrobat()     a person of fifteen capsules, for swinging; `hang` puts it on a bar
    finger        the tapping finger of 1985 (a module of its own); boxer: a human of 12 links that takes a punch

Chains, boxes and random trees are in `gambol` itself.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.models import (
        arms as arms,
        boxer as boxer,
        finger as finger,
        hexapod as hexapod,
        high_bar as high_bar,
        linkages as linkages,
        person as person,
        roach as roach,
    )
    from gambol.models.hexapod import hexapod30 as hexapod30
    from gambol.models.high_bar import acrobat as acrobat, hang as hang
    from gambol.models.person import person90 as person90
    from gambol.models.roach import walking_roach as walking_roach
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
