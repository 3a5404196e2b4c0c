"""The numbers of a person's walk: what is tuned, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

REFERENCE_SPEED = 1.25  # [m/s] at which a walk's numbers are given; elsewhere `by_fast` or `by_slow` is added
RUNNING_SPEED = 3.0  # [m/s] the same of a run


@dataclass(frozen=True, kw_only=True)
class StrideGait:
    """A walk or a run of a person of 68 kg and 1.77 m: joint curves, stiffnesses, feedback gains [rad, s, m, N·m/rad].

    cycle            [s] of two steps, as the phase runs; heel strikes reset it
    hip_…            offset and scale of the adult's curve; bumps of the reaching and the landing leg
    knee_…           bumps in loading, swing, landing and before the toes leave; `knee_delay` in cycles; `knee_moment`
                     scales the adult's moments
    ankle_…          offset, and bumps at push-off, in swing and as the foot slaps down; `push` scales the moments
    …_stiffness      of the springs at the joints; dampers are `…_damping` [s] times these
    heel_stiffness   factor of the ankle's stiffness as the heel strikes
    trunk_…, lean    what the loaded hip holds the trunk with, and how far forward it is to lean
    pelvis_stiffness, abductor    the same to the side, and the lever [m] by which the abductors carry the load
    sharing          how much of what the other hip takes the loaded one gives back
    place_…          swing thigh for the centre of mass ahead of where it should be [rad/m], for its speed [rad·s/m]
    aside_gain, aside_offset, course   swing foot aside: extrapolated centre of mass at the strike, width [m], way back
                     to the line it walks on
    push_by_speed, lean_by_speed   answers to a speed that is not the commanded one [s/m], [rad·s/m]
    lag              [s] of the rest angles
    arm              [rad] swing of the arms
    bank_feet, bank_trunk   in a curve: how far outside feet are put, and how far the trunk leans in; 1: as a mass on a
                     leg without feet would need
    yaw_stance, yaw_swing   how the standing leg turns the trunk, the swinging one its foot, by the trunk's yaw from the
                     heading; trunk_lead, foot_lead [s] of a heading that turns by which both are ahead of it
    shift_ahead      from standing: how far ahead the feet push the body before one leaves the ground [m]
    shift_inside     this is when the extrapolated centre of mass is so near to the inside of the foot that stays [m]
    step_…           of slow steps: their time [s], width between the ankles [m], by how much the tip goes back to the
                     middle as a foot comes down [m], how far aside it may go before a step is hurried [m], how the
                     standing leg turns the trunk back to its heading, how high feet are lifted [m], what of its way
                     off the line it comes back with each foot, pressure beyond the tip
    tread_…          of steps where the ground has edges: their time [s], width and landing as of slow steps [m], height
                     of the hip above the ankle of the lower leg [m], centre of mass ahead of the ankle that carries
                     [m], pressure beyond the tip, how much faster or slower a step may be, how much firmer the leg in
                     the air, lift [m], turning the trunk back [N·m/rad], lean of the trunk up stairs [rad], push of the
                     lower leg as it leaves [m], how fast hips rise and fall at most [m/s]
    leave            phase at which a leg goes over from carrying to swinging
    hurry            how much faster the phase runs where the body falls to the outside of the foot that carries it, or
                     far to the inside
    place_yaw        share of what the trunk's yaw does to the place of the swinging foot that is made up for
    ankle_…          of the foot that carries: by how much the pressure under it goes aside for each metre that the body
                     falls more to that side than it should; extrapolated centre of mass inside of the ankle as a foot
                     strikes (`tip`) [m], by how much more each second (`sway`) [m/s], and what is let be (`free`) [m]
    yaw_follow       share by which the standing leg lets the trunk turn, instead of pulling it to where its foot points
    """

    cycle: float
    hip_offset: float
    hip_scale: float
    hip_reach: float
    hip_land: float
    knee_load: float
    knee_swing: float
    knee_land: float
    knee_delay: float
    knee_lift: float
    ankle_offset: float
    push: float
    ankle_delay: float
    ankle_push: float
    ankle_swing: float
    ankle_slap: float
    knee_moment: float
    hip_stiffness: float
    knee_stiffness: float
    knee_swing_stiffness: float
    ankle_stiffness: float
    ankle_swing_stiffness: float
    heel_stiffness: float
    hip_damping: float
    knee_damping: float
    ankle_damping: float
    trunk_stiffness: float
    trunk_damping: float
    lean: float
    pelvis_stiffness: float
    abductor: float
    sharing: float
    place_gain: float
    place_speed: float
    place_offset: float
    aside_gain: float
    aside_offset: float
    course: float
    push_by_speed: float
    lean_by_speed: float
    lag: float
    arm: float
    bank_feet: float = 0.0
    bank_trunk: float = 0.0
    yaw_stance: float = 0.8
    yaw_swing: float = 0.8
    trunk_lead: float = 0.0
    foot_lead: float = 0.0
    shift_ahead: float = 0.12
    shift_inside: float = 0.03
    step_time: float = 0.55
    step_width: float = 0.13
    step_landing: float = 0.015
    step_hurry: float = 0.26
    step_yaw: float = 1.0
    step_lift: float = 0.055
    step_course: float = 0.12
    step_hold: float = 0.5
    leave: float = 0.6
    hurry: float = 0.0
    place_yaw: float = 0.0
    yaw_follow: float = 0.0
    tread_time: float = 0.516
    tread_width: float = 0.14
    tread_landing: float = 0.021
    tread_hips: float = 0.81
    tread_centre: float = 0.045
    tread_hold: float = 0.9
    tread_hurry: float = 1.46
    tread_firm: float = 1.95
    tread_lift: float = 0.048
    tread_yaw: float = 200.0
    tread_lean: float = 0.18
    tread_push: float = 0.0
    tread_climb: float = 0.42
    ankle_aside: float = 0.0
    ankle_tip: float = 0.03
    ankle_sway: float = 0.075
    ankle_free: float = 0.01

    def numbers(self) -> np.ndarray:
        """All of them, in the order of the fields."""
        return np.array([getattr(self, name) for name in GAIT_NUMBERS])

    @classmethod
    def of_numbers(cls, values: np.ndarray) -> StrideGait:
        """The gait of numbers in the order of the fields."""
        return cls(**dict(zip(GAIT_NUMBERS, map(float, values))))


GAIT_NUMBERS: tuple[str, ...] = tuple(each.name for each in fields(StrideGait))


@dataclass(frozen=True)
class TunedWalk:
    """A walk found by search.

    gait       at its `speed` [m/s], on level ground
    by_fast    what 1 m/s more of commanded speed adds to numbers of the gait, by name
    by_slow    what 1 m/s less takes away: below `speed`, times the (negative) difference
    by_rise    what a slope ahead of 1 (rise by run) adds; by_fall: the same downhill
    by_turn    what a turning of 1 rad/s adds, to either side
    by_rough   what ground adds that rises or falls by 1 m from foot to foot more than its slope
    by_descent   what stairs add that go down
    found      how it was found
    """

    gait: StrideGait
    by_fast: Mapping[str, float] = field(default_factory=dict)
    by_slow: Mapping[str, float] = field(default_factory=dict)
    by_rise: Mapping[str, float] = field(default_factory=dict)
    by_fall: Mapping[str, float] = field(default_factory=dict)
    by_turn: Mapping[str, float] = field(default_factory=dict)
    by_rough: Mapping[str, float] = field(default_factory=dict)
    by_descent: Mapping[str, float] = field(default_factory=dict)
    found: str = ""
    speed: float = REFERENCE_SPEED

    def numbers(self) -> np.ndarray:
        """(8, GAIT_NUMBERS): those of the gait; what speed, slopes, turning, rough ground and stairs down add."""
        changes = (self.by_fast, self.by_slow, self.by_rise, self.by_fall, self.by_turn, self.by_rough, self.by_descent)
        return np.array([self.gait.numbers(), *([own.get(name, 0.0) for name in GAIT_NUMBERS] for own in changes)])
