"""Control of limbs (Mitchell 1997, chapter 3): trajectories, PD, computed torque, adaptive controllers, trials.

    trajectories   where the joints should be: sinusoids, bell-shaped reaches, splines
    reference      errors, the reference velocity and s, shared by all controllers
    gains          PD and computed torque
    adaptive       the model-based adaptive controller: a regressor and its parameters
    mixture        mixtures of linear models M1 … M8, gradient and recursive rules
    regressor      Y(q, v, v_r, a_r) of any open chain, and of the two-link arm in four parameters
    trial          sampled control, adapt then measure, errors, instability

Every controller works on many worlds at once: arrays are (worlds, joints).
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.control.arms.adaptive import AdaptiveModel as AdaptiveModel
    from gambol.control.arms.gains import ComputedTorque as ComputedTorque, PD as PD
    from gambol.control.arms.mixture import Gates as Gates, Mixture as Mixture
    from gambol.control.arms.reaching import (
        Lesson as Lesson,
        Reach as Reach,
        rest_lesson as rest_lesson,
        train as train,
    )
    from gambol.control.arms.regressor import ChainRegressor as ChainRegressor, two_link_regressor as two_link_regressor
    from gambol.control.arms.trajectories import (
        Reaches as Reaches,
        Sinusoid as Sinusoid,
        SplinePath as SplinePath,
        sanner_slotine as sanner_slotine,
    )
    from gambol.control.arms.trial import Trial as Trial, follow as follow, normalised as normalised
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
