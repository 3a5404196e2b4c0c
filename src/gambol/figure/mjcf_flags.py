"""What the <flag> of an MJCF file switches off."""

from __future__ import annotations

from typing import Any

# What is as if it were not there when a flag of MuJoCo's is off: arrays of the compiled model.
ARRAYS = {
    "LIMIT": ("jnt_limited", "tendon_limited"),
    "FRICTIONLOSS": ("dof_frictionloss", "tendon_frictionloss"),
    "EQUALITY": ("eq_active0",),
    "SPRING": ("jnt_stiffness", "jnt_stiffnesspoly", "tendon_stiffness", "tendon_stiffnesspoly"),
    "DAMPER": ("dof_damping", "dof_dampingpoly", "tendon_damping", "tendon_dampingpoly"),
    "CLAMPCTRL": ("actuator_ctrllimited",),
}
CONSTRAINTS = ("LIMIT", "FRICTIONLOSS", "EQUALITY")  # which go with the flag "constraint"
ELSEWHERE = ("CONSTRAINT", "CONTACT", "GRAVITY", "FILTERPARENT", "ACTUATION")  # looked at where they matter


def is_off(model: Any, flag: str) -> bool:
    """Is a flag (LIMIT, CONTACT, …) switched off?"""
    import mujoco

    return bool(model.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")))


def switch_off(model: Any) -> None:
    """Takes out of a compiled model what its flags say is not to act."""
    for flag, arrays in ARRAYS.items():
        if is_off(model, flag) or (flag in CONSTRAINTS and is_off(model, "CONSTRAINT")):
            for array in arrays:
                if hasattr(model, array):
                    getattr(model, array)[:] = 0


def other_flags(option: Any) -> list[str]:
    """Flags that are not at their default and mean nothing here."""
    import mujoco

    known = {f"mjDSBL_{flag}" for flag in (*ARRAYS, *ELSEWHERE)}
    off = [name for name, bit in mujoco.mjtDisableBit.__members__.items() if option.disableflags & int(bit)]
    on = [name for name, bit in mujoco.mjtEnableBit.__members__.items() if option.enableflags & int(bit)]
    return [name[len("mjDSBL_") :].lower() for name in (*off, *on) if name not in known and name.count("_") == 1]
