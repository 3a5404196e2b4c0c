"""Gambol: physically based figures that stand, walk and run.

    import gambol
    figure = gambol.chain(5)                      # or gambol.Figure.read("my_figure.yaml")
    sim = gambol.Simulation(gambol.World(figure))
    path = sim.run(5.0, every=1 / 60)

What is public is here, or in one of the packages named first below; the modules behind are implementation. Names are
loaded when first used, so that `import gambol` is quick: type checkers read the imports, `gambol.lazy` reads them too.
"""

from typing import TYPE_CHECKING

from gambol.lazy import lazy_names
from gambol.version import __version__ as __version__

if TYPE_CHECKING:
    from gambol import (
        corpus as corpus,
        draw as draw,
        export as export,
        hinge_recursion as hinge_recursion,
        learn as learn,
        models as models,
        motion as motion,
        plot as plot,
        study as study,
        view as view,
    )
    from gambol.control.arms.trial import LimbController as LimbController
    from gambol.control.behaviour import (
        Behaviour as Behaviour,
        Do as Do,
        MoveTo as MoveTo,
        Push as Push,
        StopWhen as StopWhen,
        Then as Then,
        Together as Together,
        Until as Until,
        Wait as Wait,
    )
    from gambol.control.continuous import ContinuousController as ContinuousController
    from gambol.control.directing.clock_steering import ClockSteering as ClockSteering
    from gambol.control.directing.director import Director as Director
    from gambol.control.directing.orders import Order as Order
    from gambol.control.directing.steering import (
        GaitSteering as GaitSteering,
        Steering as Steering,
        StrideSteering as StrideSteering,
    )
    from gambol.control.directing.whereabouts import Whereabouts as Whereabouts
    from gambol.control.legs.gait import (
        Footfalls as Footfalls,
        PacemakerGait as PacemakerGait,
        Reflex as Reflex,
        StepLog as StepLog,
        rehearse as rehearse,
    )
    from gambol.control.legs.gait_controller import GaitController as GaitController
    from gambol.control.legs.leg import Leg as Leg, LegProgram as LegProgram, Stroke as Stroke
    from gambol.control.legs.oscillators import PhaseNetwork as PhaseNetwork, Retraction as Retraction
    from gambol.control.legs.reflexes import (
        ElevatorReflex as ElevatorReflex,
        LoadReflex as LoadReflex,
        NeighbourInhibition as NeighbourInhibition,
        Ranges as Ranges,
        SearchingReflex as SearchingReflex,
        StepReflex as StepReflex,
        measure_ranges as measure_ranges,
    )
    from gambol.control.legs.senses import Senses as Senses
    from gambol.control.legs.stance import (
        FootPath as FootPath,
        with_feet_moved as with_feet_moved,
        with_straight_strokes as with_straight_strokes,
    )
    from gambol.control.motor import Motor as Motor, Move as Move
    from gambol.control.posture.balance import Balance as Balance, Gains as Gains
    from gambol.control.posture.calibration import calibrate as calibrate
    from gambol.control.posture.control_state import ControlState as ControlState
    from gambol.control.posture.inverse_kinematics import Place as Place, pose as pose
    from gambol.control.posture.stability import PostureCheck as PostureCheck, check_posture as check_posture
    from gambol.control.posture.support import Support as Support, support as support
    from gambol.dynamics.constraints.closure import Closure as Closure
    from gambol.dynamics.constraints.descriptions import Binding as Binding, Constraint as Constraint
    from gambol.dynamics.constraints.directions import Align as Align, Orient as Orient
    from gambol.dynamics.constraints.motions import (
        ArriveBy as ArriveBy,
        PointAcceleration as PointAcceleration,
        PointVelocity as PointVelocity,
    )
    from gambol.dynamics.constraints.points import (
        Distance as Distance,
        HingeByPoints as HingeByPoints,
        Join as Join,
        Nail as Nail,
        OnCurve as OnCurve,
        OnLine as OnLine,
        OnSurface as OnSurface,
    )
    from gambol.dynamics.constraints.surfaces import Quadric as Quadric
    from gambol.errors import (
        CommandError as CommandError,
        ConstraintError as ConstraintError,
        DescriptionError as DescriptionError,
        ExperimentError as ExperimentError,
        ExportError as ExportError,
        ExportWarning as ExportWarning,
        Fault as Fault,
        FigureError as FigureError,
        FigureImportWarning as FigureImportWarning,
        GambolError as GambolError,
        GambolWarning as GambolWarning,
        HybridError as HybridError,
        MotionError as MotionError,
        Notice as Notice,
        NoticeWarning as NoticeWarning,
        OrbitError as OrbitError,
        PoseError as PoseError,
        RecordingError as RecordingError,
        RecordingWarning as RecordingWarning,
        RestError as RestError,
        ReturnMapError as ReturnMapError,
        ScriptError as ScriptError,
        SingularMassError as SingularMassError,
        StepError as StepError,
        StudyError as StudyError,
        TaskError as TaskError,
        TooLargeError as TooLargeError,
        UnknownNameError as UnknownNameError,
        ViewError as ViewError,
        WorldError as WorldError,
        ZenoError as ZenoError,
    )
    from gambol.figure.body import Body as Body, Part as Part
    from gambol.figure.builders import (
        box_figure as box_figure,
        chain as chain,
        random_figure as random_figure,
        random_positions as random_positions,
    )
    from gambol.figure.figure import Figure as Figure
    from gambol.figure.joint import Joint as Joint
    from gambol.figure.mass import Mass as Mass
    from gambol.figure.mesh_file import load_mesh as load_mesh
    from gambol.figure.mirror import mirror_positions as mirror_positions
    from gambol.figure.mjcf import read_mjcf as read_mjcf
    from gambol.figure.placement import Placement as Placement
    from gambol.figure.reroot import reroot_positions as reroot_positions
    from gambol.figure.schema import figure_schema as figure_schema
    from gambol.figure.shapes import (
        Box as Box,
        Capsule as Capsule,
        Cone as Cone,
        Cylinder as Cylinder,
        Ellipsoid as Ellipsoid,
        Hull as Hull,
        Mesh as Mesh,
        Shape as Shape,
        Sphere as Sphere,
    )
    from gambol.figure.urdf import read_urdf as read_urdf
    from gambol.figure.yaml_reader import parse_yaml as parse_yaml, read_yaml as read_yaml
    from gambol.figure.yaml_writer import yaml_text as yaml_text
    from gambol.forces.actuator import Actuator as Actuator
    from gambol.forces.anchor import Anchor as Anchor
    from gambol.forces.attachment import Attachment as Attachment
    from gambol.forces.ball_limit import BallLimit as BallLimit
    from gambol.forces.ball_spring import BallSpring as BallSpring
    from gambol.forces.battery import Battery as Battery
    from gambol.forces.contact.body_contact import BodyContact as BodyContact
    from gambol.forces.contact.anchored_contact import AnchoredContact as AnchoredContact
    from gambol.forces.contact.ground_contact import GroundContact as GroundContact
    from gambol.forces.contact.round_contact import RoundContact as RoundContact
    from gambol.forces.contact.materials import MATERIALS as MATERIALS, Material as Material, material as material
    from gambol.forces.contact.sticky_contact import StickyContact as StickyContact
    from gambol.forces.contact.surface import Surface as Surface
    from gambol.forces.contact.terrain import (
        Ditch as Ditch,
        Grid as Grid,
        Rough as Rough,
        Stairs as Stairs,
        Terrain as Terrain,
        Waves as Waves,
    )
    from gambol.forces.dc_motor import DCMotor as DCMotor
    from gambol.forces.element import (
        Element as Element,
        JointElement as JointElement,
        LineElement as LineElement,
        PointElement as PointElement,
    )
    from gambol.forces.factories import (
        joint_kernel as joint_kernel,
        line_kernel as line_kernel,
        point_kernel as point_kernel,
    )
    from gambol.forces.cable import Cable as Cable
    from gambol.forces.drag import Drag as Drag, box_of_inertia as box_of_inertia
    from gambol.forces.exponential_spring import ExponentialSpring as ExponentialSpring, inverse_rest as inverse_rest
    from gambol.forces.joint_force import JointForce as JointForce
    from gambol.forces.joint_friction import JointFriction as JointFriction
    from gambol.forces.joint_limit import JointLimit as JointLimit
    from gambol.forces.joint_meter import JointMeter as JointMeter
    from gambol.forces.joint_spring import JointSpring as JointSpring
    from gambol.forces.muscle import Muscle as Muscle
    from gambol.forces.pair_gravity import PairGravity as PairGravity
    from gambol.forces.point_force import ForceCondition as ForceCondition, PointForce as PointForce
    from gambol.forces.pulley import Pulley as Pulley
    from gambol.forces.report_meter import ReportMeter as ReportMeter
    from gambol.forces.routing import Around as Around, Branch as Branch, Via as Via
    from gambol.forces.tendon import Tendon as Tendon
    from gambol.forces.tendon_actuator import TendonActuator as TendonActuator
    from gambol.hybrid.chart_changes import ChartChange as ChartChange
    from gambol.hybrid.orbit import (
        Orbit as Orbit,
        OrbitCoordinates as OrbitCoordinates,
        find_orbit as find_orbit,
        select_states as select_states,
    )
    from gambol.hybrid.return_map import ReturnMap as ReturnMap
    from gambol.hybrid.run import HybridRun as HybridRun
    from gambol.hybrid.section import Section as Section
    from gambol.hybrid.system import Chart as Chart, ChartBoundary as ChartBoundary, HybridSystem as HybridSystem
    from gambol.hybrid.trajectory import HybridTrajectory as HybridTrajectory
    from gambol.loading import load as load
    from gambol.math.screws import (
        adjoint as adjoint,
        force_adjoint as force_adjoint,
        force_cross as force_cross,
        motion_cross as motion_cross,
        moved_inertia as moved_inertia,
        rigid_shift as rigid_shift,
        skew as skew,
        spatial_inertia as spatial_inertia,
    )
    from gambol.scene.reading import read_scene as read_scene
    from gambol.scene.scene import Scene as Scene
    from gambol.record.channel import Channel as Channel
    from gambol.record.recorder import Recorder as Recorder
    from gambol.record.recording import RecordedTrajectory as RecordedTrajectory, Recording as Recording
    from gambol.record.report import Report as Report
    from gambol.record.standard import standard_channels as standard_channels
    from gambol.stepping.controller import Controller as Controller, Periodic as Periodic
    from gambol.stepping.methods import METHODS as METHODS
    from gambol.stepping.ode import Crossing as Crossing, Ode as Ode, OdePath as OdePath, OdeRun as OdeRun
    from gambol.stepping.options import Stepping as Stepping
    from gambol.stepping.run import RunPath as RunPath
    from gambol.stepping.state import Event as Event, State as State
    from gambol.world.bodies import BodyHandle as BodyHandle
    from gambol.world.boundary import Boundary as Boundary
    from gambol.world.elements import ElementHandle as ElementHandle
    from gambol.world.impact import collide as collide, kick as kick
    from gambol.world.mechanics import Mechanics as Mechanics
    from gambol.world.objects import (
        BoundObjects as BoundObjects,
        BoundPath as BoundPath,
        Constrainable as Constrainable,
        FigureObject as FigureObject,
        Tie as Tie,
    )
    from gambol.world.particles import Particles as Particles, cloth as cloth, rope as rope
    from gambol.world.simulation import Simulation as Simulation
    from gambol.world.trajectory import Trajectory as Trajectory
    from gambol.world.world import World as World
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)


def _show_in_notebooks() -> None:
    """Where IPython runs, figures and motions show themselves."""
    import sys

    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        from gambol.view.notebook import register

        register(shell)


_show_in_notebooks()
