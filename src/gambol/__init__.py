"""Gambol: physically based figures that stand, walk and run.

    import gambol
    figure = gambol.chain(5)                      # or Figure.read("my_figure.yaml")
    sim = gambol.Simulation(gambol.World(figure))
    path = sim.run(5.0, every=1 / 60)

Names are loaded when first used, so that `import gambol` is quick.
"""

import importlib
import sys

from gambol.version import __version__

_HOME = {
    "gambol.dynamics.constraints": (
        "Align",
        "ArriveBy",
        "Binding",
        "Closure",
        "Distance",
        "HingeByPoints",
        "Join",
        "Nail",
        "OnCurve",
        "OnLine",
        "OnSurface",
        "Orient",
        "PointAcceleration",
        "PointVelocity",
    ),
    "gambol.errors": (
        "ConstraintError",
        "DescriptionError",
        "FigureError",
        "GambolError",
        "StepError",
        "WorldError",
        "ZenoError",
    ),
    "gambol.figure": (
        "Body",
        "Box",
        "Capsule",
        "Cylinder",
        "Ellipsoid",
        "Figure",
        "Hull",
        "Joint",
        "Mass",
        "Mesh",
        "Part",
        "Placement",
        "Sphere",
        "box_figure",
        "chain",
    ),
    "gambol.forces.anchor": ("Anchor",),
    "gambol.forces.attachment": ("Attachment",),
    "gambol.forces.ball_spring": ("BallSpring",),
    "gambol.forces.contact.body_contact": ("BodyContact",),
    "gambol.forces.exponential_spring": ("ExponentialSpring",),
    "gambol.forces.contact.ground_contact": ("GroundContact",),
    "gambol.forces.joint_force": ("JointForce",),
    "gambol.forces.joint_friction": ("JointFriction",),
    "gambol.forces.joint_limit": ("JointLimit",),
    "gambol.forces.joint_meter": ("JointMeter",),
    "gambol.forces.joint_spring": ("JointSpring",),
    "gambol.forces.contact.materials": ("MATERIALS", "material"),
    "gambol.forces.muscle": ("Muscle",),
    "gambol.forces.pair_gravity": ("PairGravity",),
    "gambol.forces.point_force": ("Condition", "PointForce"),
    "gambol.forces.pulley": ("Pulley",),
    "gambol.forces.contact.sticky_contact": ("StickyContact",),
    "gambol.forces.contact.surface": ("Surface",),
    "gambol.forces.tendon": ("Tendon",),
    "gambol.forces.contact.terrain": ("Ditch", "Grid", "Rough", "Stairs", "Terrain", "Waves"),
    "gambol.record.channel": ("Channel",),
    "gambol.record.recorder": ("Recorder",),
    "gambol.record.recording": ("Recording",),
    "gambol.stepping.ode": ("Ode", "OdeRun"),
    "gambol.stepping.options": ("Stepping",),
    "gambol.stepping.run": ("Event", "State"),
    "gambol.world.boundary": ("Boundary",),
    "gambol.world.impact": ("collide", "kick"),
    "gambol.world.mechanics": ("Mechanics",),
    "gambol.control.motor": ("Motor", "Move"),
    "gambol.world.simulation": ("Simulation",),
    "gambol.world.trajectory": ("Trajectory",),
    "gambol.world.world": ("World",),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}
__all__ = ["__version__", *sorted(_WHERE)]  # noqa: PLE0604 (the names are those of the table)


def __getattr__(name: str):
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'gambol' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


def _show_in_notebooks() -> None:
    """Where IPython runs, figures and motions show themselves."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        from gambol.view.notebook import register

        register(shell)


_show_in_notebooks()
