"""What a figure cannot represent of a compiled MuJoCo model."""

from collections.abc import Collection
from typing import Any

import numpy as np

from gambol.figure.imports import LeftOut

LISTS = {
    "actuators": ("nu", "actuator"),
    "tendons": ("ntendon", "tendon"),
    "equality constraints": ("neq", "equality"),
    "sensors": ("nsensor", "sensor"),
    "sites": ("nsite", "site"),
    "cameras": ("ncam", "camera"),
    "lights": ("nlight", "light"),
    "keyframes": ("nkey", "key"),
    "contact pairs": ("npair", "pair"),
    "contact exclusions": ("nexclude", "exclude"),
    "skins": ("nskin", "skin"),
    "flexes": ("nflex", "flex"),
}
FRICTION = (1.0, 0.005, 0.0001)
SOLREF = (0.02, 1.0)
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
GRAVITY = (0.0, 0.0, -9.81)
MJ_FREE, MJ_BALL = 0, 1  # mjtJoint


def model_leftovers(model: Any, kept: Collection[int], left_out: LeftOut) -> None:
    """Everything outside the bodies that were read (`kept`, by index)."""
    for kind, (count, accessor) in LISTS.items():
        if number := int(getattr(model, count, 0)):
            left_out.add(kind, [_name(model, accessor, index) for index in range(number)])
    for kind, count in (("plugins", "nplugin"), ("plastic joints", "nplastic")):
        if number := int(getattr(model, count, 0)):
            left_out.add(f"{number} {kind}")
    others = [_name(model, "body", i) for i in range(1, model.nbody) if i not in kept]
    if others:
        left_out.add("other bodies", others)
    world = [_name(model, "geom", g) for g in range(model.ngeom) if model.geom_bodyid[g] == 0]
    if world:
        left_out.add("geoms of the world", world)
    for g in range(model.ngeom):
        if int(model.geom_bodyid[g]) in kept:
            _geom_leftovers(model, g, left_out)
    held = [_name(model, "body", i) for i in sorted(kept) if model.body_gravcomp[i]]
    if held:
        left_out.add("gravity compensation", held)
    if not medium_is_still(model) or not np.allclose(model.opt.gravity, GRAVITY):
        left_out.add("gravity and medium of the world")


def medium_is_still(model: Any) -> bool:
    """Is there no air that slows things down?"""
    return not (model.opt.density or model.opt.viscosity or np.any(model.opt.wind))


def _geom_leftovers(model: Any, g: int, left_out: LeftOut) -> None:
    if not np.allclose(model.geom_friction[g], FRICTION):
        left_out.add("friction coefficients of geoms", [_name(model, "geom", g)])
    usual = model.geom_condim[g] == 3 and not (model.geom_margin[g] or model.geom_gap[g] or model.geom_priority[g])
    if not (usual and _is_usual(model.geom_solref[g], model.geom_solimp[g])):
        left_out.add("contact settings of geoms", [_name(model, "geom", g)])


def _is_usual(solref: Any, solimp: Any) -> bool:
    return bool(np.allclose(solref, SOLREF) and np.allclose(solimp, SOLIMP))


def joint_leftovers(model: Any, j: int, name: str, left_out: LeftOut) -> None:
    """The properties of a joint beyond a linear spring, damper, armature, friction and range."""
    first, kind = int(model.jnt_dofadr[j]), int(model.jnt_type[j])
    own = ("jnt_stiffness", j), ("dof_damping", first), ("dof_armature", first), ("dof_frictionloss", first)
    if kind == MJ_FREE and any(np.any(getattr(model, array)[index]) for array, index in own):
        left_out.add("springs, damping, friction and armature of free joints", [name])
    if kind == MJ_BALL and model.dof_frictionloss[first]:
        left_out.add("friction of ball joints", [name])
    for array, index, what in (
        ("jnt_stiffnesspoly", j, "nonlinear springs of joints"),
        ("dof_dampingpoly", first, "nonlinear dampers of joints"),
    ):
        if hasattr(model, array) and np.any(getattr(model, array)[index]):
            left_out.add(what, [name])
    if model.jnt_limited[j] and model.jnt_margin[j]:
        left_out.add("margins of joint limits", [name])
    if kind not in (MJ_FREE, MJ_BALL) and model.qpos0[model.jnt_qposadr[j]]:
        left_out.add("ref of joints (positions are measured from it)", [name])


def body_leftovers(model: Any, index: int, name: str, left_out: LeftOut) -> None:
    """What a body of a MuJoCo model has that figures have not."""
    if model.body_mocapid[index] >= 0:
        left_out.add("motion capture bodies", [name])


def _name(model: Any, accessor: str, index: int) -> str:
    try:
        name = str(getattr(model, accessor)(index).name)
    except (AttributeError, KeyError):
        name = ""
    return name or f"{accessor}_{index}"
