"""What `joint` and `muscle` set: force laws by the bits of Q_type, and their constants."""

from dataclasses import dataclass, field

from gambol.errors import CommandError, nearest

DAMPER_BIT, SPRING_BIT, BIAS_BIT, LIMITS_BIT, EXPONENTIAL_BIT, EXPONENTIAL_LIMITS_BIT = 1, 2, 4, 8, 16, 32
TWO_JOINT_BIT, ATTACH_BIT, PULLEY_BIT = 64, 128, 256
JOINT_BITS, MUSCLE_BITS = 63, 511
SPRING_SCALES = ("constant", "mass", "distalmass", "totalmass")

JOINT_CONSTANTS = {
    "b": (0.0, "damper"),
    "k": (0.0, "linear spring"),
    "k_q": (0.0, "rest position of the linear spring"),
    "ea": (0.0, "exponential spring: strength"),
    "eB": (0.0, "exponential spring: rise"),
    "e_q": (0.0, "exponential spring: rest position"),
    "e_maxq": (0.0, "exponential spring: largest force (0: any)"),
    "jlim_q1": (0.0, "lower limit"),
    "jlim_q2": (0.0, "upper limit"),
    "jlim_k1": (0.0, "linear spring of the lower limit"),
    "jlim_k2": (0.0, "linear spring of the upper limit"),
    "jlim_b1": (0.0, "damper of the lower limit"),
    "jlim_b2": (0.0, "damper of the upper limit"),
    "jlim_ea1": (0.0, "exponential spring of the lower limit: strength"),
    "jlim_ea2": (0.0, "exponential spring of the upper limit: strength"),
    "jlim_eB1": (0.0, "exponential spring of the lower limit: rise"),
    "jlim_eB2": (0.0, "exponential spring of the upper limit: rise"),
}
MUSCLE_CONSTANTS = {
    **JOINT_CONSTANTS,
    "k2a": (0.0, "two-joint spring: strength at the first joint"),
    "k2b": (0.0, "two-joint spring: strength at the second joint"),
    "k2a_q": (0.0, "two-joint spring: rest position of the first joint"),
    "k2b_q": (0.0, "two-joint spring: rest position of the second joint"),
    "attach_x1": (0.0, "insertion on the body"),
    "attach_y1": (0.0, "insertion on the body"),
    "attach_z1": (0.0, "insertion on the body"),
    "attach_x2": (0.0, "insertion on body2"),
    "attach_y2": (0.0, "insertion on body2"),
    "attach_z2": (0.0, "insertion on body2"),
    "attach_e": (1.0, "restitution of the attachment"),
    "attach_break": (0.0, "length at which it breaks (0: never)"),
    "pulley_x": (0.0, "place of the pulley"),
    "pulley_y": (0.0, "place of the pulley"),
    "pulley_z": (0.0, "place of the pulley"),
    "pulley_ax": (0.0, "axis of the pulley"),
    "pulley_ay": (1.0, "axis of the pulley"),
    "pulley_az": (0.0, "axis of the pulley"),
    "pulley_radius": (0.0, "radius of the pulley"),
}


@dataclass
class JointSettings:
    """Constants of the force laws at one joint; `bits` says which laws act."""

    bits: int = 0
    scale: str = "constant"
    constants: dict[str, float] = field(
        default_factory=lambda: {name: value for name, (value, _) in JOINT_CONSTANTS.items()}
    )
    force: float = 0.0  # Q: the joint force, as last computed or set
    bias: float = 0.0  # what acts with bit 4
    sums: dict[str, float] = field(default_factory=dict)  # running integrals: Q, |Q| [N·m·s]
    since: dict[str, float] = field(default_factory=dict)  # [s] how long they have been running

    def has(self, bit: int) -> bool:
        """Is the law of this bit on?"""
        return bool(self.bits & bit)


@dataclass
class MuscleSettings:
    """A further force generator on a link."""

    name: str
    body: str  # full name
    bits: int = 0
    body2: str = ""
    pulley_body: str = ""
    bias: float = 0.0
    constants: dict[str, float] = field(
        default_factory=lambda: {name: value for name, (value, _) in MUSCLE_CONSTANTS.items()}
    )

    def has(self, bit: int) -> bool:
        """Is the law of this bit on?"""
        return bool(self.bits & bit)


def checked_bits(value: float, allowed: int) -> int:
    """The bits of a Q_type; an error for bits that are not allowed."""
    bits = int(value)
    if bits != value or bits < 0 or bits & ~allowed:
        names = "1 damper, 2 spring, 4 bias, 8 limits, 16 exponential spring, 32 exponential limits"
        if allowed == MUSCLE_BITS:
            names += ", 64 two-joint spring, 128 attachment, 256 pulley"
        raise CommandError(f"Q_type must be a sum of {names}; it is {value:g}")
    return bits


def checked_name(parameter: str, allowed) -> str:
    """The name of a constant; an error with the nearest spelling for others."""
    if parameter not in allowed:
        raise CommandError(f"unknown parameter {parameter!r}{nearest(parameter, allowed)}")
    return parameter
