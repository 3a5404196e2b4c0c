"""The roach of 1990, 33 bodies and 38 degrees of freedom: figure, springs and ground, leg programs, walking."""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.models.roach.figure import (
        MIDDLE_LEFT as MIDDLE_LEFT,
        corners as corners,
        rest_angles as rest_angles,
        roach as roach,
        roach_with_middle_legs_backwards as roach_with_middle_legs_backwards,
        roach_without as roach_without,
        standing_positions as standing_positions,
        table as table,
    )
    from gambol.models.roach.leg_loss import (
        FIVE_LEG_STEERING as FIVE_LEG_STEERING,
        FiveLegs as FiveLegs,
        steering_without as steering_without,
        walk_without as walk_without,
    )
    from gambol.models.roach.leg_programs import (
        PRINTED as PRINTED,
        STEP_TIME as STEP_TIME,
        TUNED as TUNED,
        adjusted_legs as adjusted_legs,
        backward as backward,
        legs as legs,
        upward as upward,
    )
    from gambol.models.roach.sure_footed import (
        QUICK_STEP as QUICK_STEP,
        SURE_FOOTED_STEERING as SURE_FOOTED_STEERING,
        QuickSteps as QuickSteps,
        SureFooted as SureFooted,
        sure_footed_walk as sure_footed_walk,
        surer_legs as surer_legs,
    )
    from gambol.models.roach.walking import settled_roach as settled_roach, walking_roach
    from gambol.models.roach.world import (
        GRAVITY as GRAVITY,
        STEPPING_LENGTH as STEPPING_LENGTH,
        STEPPING_TIME as STEPPING_TIME,
        STICKY as STICKY,
        STICKY_FRICTION as STICKY_FRICTION,
        contacts as contacts,
        ground as ground,
        joint_springs as joint_springs,
        roach_world as roach_world,
        stepping as stepping,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
