"""Dynamic constraints and exact loops (Mitchell 1997, chapter 2).

A constraint is a deviation D of the positions that should be zero; forces are found at every evaluation such that
D'' + 2λ D' + λ² D = 0. The walk of one evaluation:

    kinds/          measure each constraint's rows: D, D', the wrench of a unit force on either body
    law             what D'' should be
    articulated     the articulated-body recursion, kept so that a test force costs one pass
    constrainable   the four routines an object must offer to be constrained
    solve, linear   A F = −B: dependent rows, strengths, singular values
    project         positions and speeds of exact constraints put right after every step

`points`, `directions`, `motions`, `closure` and `surfaces` are what people write (`descriptions` is what they share);
`compiling` turns them into arrays. World(constraints=…) takes them; Simulation.constraints shows what they do.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.dynamics.constraints.closure import Closure
    from gambol.dynamics.constraints.descriptions import Binding, Constraint
    from gambol.dynamics.constraints.directions import Align, Orient
    from gambol.dynamics.constraints.motions import ArriveBy, PointAcceleration, PointVelocity
    from gambol.dynamics.constraints.points import Distance, HingeByPoints, Join, Nail, OnCurve, OnLine, OnSurface
    from gambol.dynamics.constraints.surfaces import Quadric
else:
    _, __getattr__, __dir__ = lazy_names(__name__, __file__)
