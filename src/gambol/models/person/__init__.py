"""A person of 68 kg and 1.77 m with 28 degrees of freedom in each foot: figures, layers, worlds, postures, steps."""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.models.person.figure import (
        REACHING as REACHING,
        basic_biped as basic_biped,
        person90,
        person_hands as person_hands,
        person_of as person_of,
        positions as positions,
        reaching_person as reaching_person,
        rigid_foot as rigid_foot,
        single_body as single_body,
        welded as welded,
        without as without,
    )
    from gambol.models.person.foot import gait_events as gait_events, read_foot as read_foot
    from gambol.models.person.layers import (
        DISPLAY as DISPLAY,
        LAYERS as LAYERS,
        SIMPLE as SIMPLE,
        SKELETON as SKELETON,
        bone_placement as bone_placement,
        corners as corners,
    )
    from gambol.models.person.postures import (
        Standing as Standing,
        fallen as fallen,
        placed as placed,
        posture as posture,
        squat as squat,
        stand as stand,
    )
    from gambol.models.person.shuffling import (
        COMPLEX_SHUFFLE as COMPLEX_SHUFFLE,
        LEVEL_SHUFFLE as LEVEL_SHUFFLE,
        foot_load as foot_load,
        shuffle as shuffle,
        shuffling_simulation as shuffling_simulation,
    )
    from gambol.models.person.step import (
        DRIVEN as DRIVEN,
        StepStart as StepStart,
        started as started,
        step_rules as step_rules,
        stepping_person as stepping_person,
        swing_load as swing_load,
    )
    from gambol.models.person.tables import (
        anatomical_angles as anatomical_angles,
        is_foot_bone as is_foot_bone,
        joint_table as joint_table,
        programs as programs,
        rest_angles as rest_angles,
        standing_angles as standing_angles,
    )
    from gambol.models.person.walking import (
        tuned_walk as tuned_walk,
        walk_of as walk_of,
        walking_person as walking_person,
        walking_simulation as walking_simulation,
        walking_world as walking_world,
    )
    from gambol.models.person.world import (
        BEVEL as BEVEL,
        GRAVITY as GRAVITY,
        STEPPING as STEPPING,
        WEAK as WEAK,
        ground as ground,
        joint_limits as joint_limits,
        joint_springs as joint_springs,
        lowest_point as lowest_point,
        person_world as person_world,
        region_of as region_of,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
