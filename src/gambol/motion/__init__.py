"""Motion measured elsewhere: read, fitted to a figure, and made physical.

    markers = read_motion("walk.c3d")                         Markers; also .trc, .csv
    wanted = read_motion("walk.mot")                          Coordinates; also .sto, .csv; .bvh: TargetMotion
    sized = scale_to_markers(figure, markers, places)         the figure with the segment lengths of the person
    fit = inverse_kinematics(sized.figure, markers, sized.places)
    efforts = inverse_dynamics(fit.figure, fit.time, fit.q)   what forces the motion takes
    result = follow_motion(fit.figure, fit.time, fit.q)              tracked by springs or computed torque
    scene = bearing_ground(fit.figure, fit.time, fit.q)       ground that carries it, to follow over

`gambol follow MOTION FIGURE` does all of it.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.motion.bearing import bearing_ground as bearing_ground
    from gambol.motion.curves import MotionCurve as MotionCurve
    from gambol.motion.data import Coordinates as Coordinates, Markers as Markers
    from gambol.motion.efforts import Efforts as Efforts, inverse_dynamics as inverse_dynamics
    from gambol.motion.fitting import FittedMotion as FittedMotion, inverse_kinematics as inverse_kinematics
    from gambol.motion.following import Followed as Followed, follow_motion as follow_motion
    from gambol.motion.pictures import plot_efforts as plot_efforts, plot_residuals as plot_residuals
    from gambol.motion.places import (
        MarkerPlace as MarkerPlace,
        marker_places as marker_places,
        person_markers as person_markers,
        read_places as read_places,
    )
    from gambol.motion.reading import read_motion as read_motion
    from gambol.motion.scaling import ScaledFigure as ScaledFigure, scale_to_markers as scale_to_markers
    from gambol.motion.writing import write_motion as write_motion
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
