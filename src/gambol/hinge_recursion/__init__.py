"""Forward dynamics in hinge coordinates with a slow and a fast band, for trees of ball-jointed links (free root).

After Armstrong & Green, "The dynamics of articulated rigid bodies for purposes of animation", 1985; equation numbers
in the kernels are theirs. See docs/hinge_recursion.md.
"""

from gambol.hinge_recursion.arrays import HingeModel, HingeState
from gambol.hinge_recursion.external_forces import ConstantForce, Spike, SpikeCondition, SpringSupport
from gambol.hinge_recursion.false_inertia import EnlargedInertia, FalseInertia
from gambol.hinge_recursion.layout import HingeLayout
from gambol.hinge_recursion.simulation import HingeRecording, HingeSimulation
from gambol.hinge_recursion.torque import TorqueFunction, TorqueSchedule

__all__ = [
    "ConstantForce",
    "EnlargedInertia",
    "FalseInertia",
    "HingeLayout",
    "HingeModel",
    "HingeRecording",
    "HingeSimulation",
    "HingeState",
    "Spike",
    "SpikeCondition",
    "SpringSupport",
    "TorqueFunction",
    "TorqueSchedule",
]
