"""A figure as bare MJCF for MuJoCo: its tree and its masses, no geoms, no contact, no passive forces."""

from __future__ import annotations

from collections.abc import Iterable

from gambol.errors import Fault, FigureError
from gambol.figure import Body, Figure

JOINTS = ("hinge", "slide", "ball", "free", "fixed")
# Everything that is not the smooth dynamics of the tree is switched off.
OFF = (
    "constraint equality frictionloss limit contact spring damper clampctrl warmstart filterparent actuation"
    " refsafe sensor midphase eulerdamp autoreset nativeccd island"
).split()


def mjcf_text(figure: Figure, *, step: float, gravity: Iterable[float] = (0.0, 0.0, -9.81)) -> str:
    """MJCF text: integrator Euler with `step` [s], which is semi-implicit Euler when nothing damps."""
    faults = [
        Fault(f"a {body.joint.type} joint has no counterpart in MJCF (allowed: {', '.join(JOINTS)})", body.name)
        for body in figure.bodies
        if body.joint.type not in JOINTS
    ]
    if faults:
        raise FigureError(faults)
    flags = " ".join(f'{name}="disable"' for name in OFF)
    return (
        f'<mujoco model="{figure.name}">\n'
        '<compiler angle="radian" inertiafromgeom="false" balanceinertia="false"/>\n'
        f'<option timestep="{step!r}" gravity="{_text(gravity)}" integrator="Euler"><flag {flags}/></option>\n'
        f"<worldbody>\n{_body(figure, figure.root)}</worldbody>\n</mujoco>\n"
    )


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _body(figure: Figure, body: Body) -> str:
    place, mass, joint = body.placement, body.mass_properties, body.joint
    lines = [f'<body name="{body.name}" pos="{_text(place.position)}" quat="{_text(place.rotation)}">']
    if joint.type in ("hinge", "slide"):
        lines.append(f'<joint type="{joint.type}" axis="{_text(joint.axis)}" armature="{joint.armature!r}"/>')
    elif joint.type != "fixed":
        lines.append(f'<joint type="{joint.type}" armature="{joint.armature!r}"/>')
    lines.append(f'<inertial pos="{_text(mass.centre)}" mass="{mass.mass!r}" fullinertia="{_text(mass.inertia)}"/>')
    lines += [_body(figure, child) for child in figure.children(body.name)]
    return "\n".join((*lines, "</body>\n"))
