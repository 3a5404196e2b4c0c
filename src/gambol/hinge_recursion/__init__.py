"""Forward dynamics in hinge coordinates with a slow and a fast band, for trees of ball-jointed links (free root).

After Armstrong & Green, "The dynamics of articulated rigid bodies for purposes of animation", 1985; equation numbers
in the kernels are theirs. See docs/hinge_recursion.md.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.hinge_recursion.arrays import HingeModel as HingeModel, HingeState as HingeState
    from gambol.hinge_recursion.external_forces import (
        ConstantForce as ConstantForce,
        Spike as Spike,
        SpikeCondition as SpikeCondition,
        SpringSupport as SpringSupport,
    )
    from gambol.hinge_recursion.false_inertia import EnlargedInertia as EnlargedInertia, FalseInertia as FalseInertia
    from gambol.hinge_recursion.layout import HingeLayout as HingeLayout
    from gambol.hinge_recursion.simulation import HingeRecording as HingeRecording, HingeSimulation as HingeSimulation
    from gambol.hinge_recursion.torque import TorqueFunction as TorqueFunction, TorqueSchedule as TorqueSchedule
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
