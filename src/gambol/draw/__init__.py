"""Pictures and films without a screen.

    still(motion, 0.5)                a picture of one moment
    strip(motion), sheet(motion)      moments side by side, or in rows
    chronophotograph(motion)          moments in one scene
    film(motion, "walk.mp4")          a film (extra `film`)

A motion is anything that `Motion.of` takes: a Figure, a Trajectory, a Simulation at its present moment, a Recording.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.draw.camera import Camera as Camera
    from gambol.draw.exposures import chronophotograph as chronophotograph
    from gambol.draw.filming import film as film
    from gambol.draw.motion import Motion as Motion
    from gambol.draw.picture import save_image as save_image, sheet as sheet, still as still, strip as strip
    from gambol.draw.terrain import terrain_part as terrain_part
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
