"""The channels that every run has, and those that it has when asked for by name."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gambol.dynamics.layout import Layout
from gambol.errors import RecordingError, nearest
from gambol.figure.kinematics import Kinematics
from gambol.record.channel import Channel, Piece, Source
from gambol.record.constraints import constraint_channels
from gambol.record.elements import meter_channels, report_channels
from gambol.stepping.ode import OdeRun
from gambol.world.simulation import Simulation

FORCE_OF = {"rad/s": "N·m", "m/s": "N"}
AXES, QUATERNION = tuple("xyz"), tuple("wxyz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")


def position_units(layout: Layout) -> list[str]:
    """Unit of every position coordinate, description order."""
    return [unit for entry in layout.bodies for unit in entry.body.joint.kind.positions.values()]


def speed_units(layout: Layout) -> list[str]:
    """Unit of every speed coordinate, description order."""
    return [unit for entry in layout.bodies for unit in entry.body.joint.kind.speeds.values()]


def standard_channels(run: Any, optional: Sequence[str] = (), *, reports: bool = True) -> list[Channel]:
    """Of a Simulation: q, v, command, position and rotation of bodies, ledger, meters; of an OdeRun: y and p.

    With `reports`, named force elements add what they report (gambol.record.elements). Elements with a method
    `channels` add theirs; constraints add forces, deviations, residual and singular values
    (gambol.record.constraints).
    The bodies and the ledger are kept for single worlds. `optional` adds, by name: velocity (of bodies, for single
    worlds), acceleration, joint_force, clock (of every world).
    """
    if isinstance(run, OdeRun):
        found, more = _ode_channels(run), {}
    elif isinstance(run, Simulation):
        found, more = _world_channels(run) + constraint_channels(run), _optional(run)
        found += report_channels(run) if reports else []
    else:
        raise RecordingError(f"a Simulation or an OdeRun can be recorded, not a {type(run).__name__}")
    for name in optional:
        if name not in more:
            raise RecordingError(f"no channel is called {name!r}{nearest(name, more)}")
        found.append(more[name]())
    for element in getattr(getattr(run, "world", None), "elements", ()):
        if isinstance(element, Source):
            found += element.channels(run)
    return found


def _ode_channels(run: OdeRun) -> list[Channel]:
    names = {"variable": run.ode.names}
    found = [Channel("y", "", None, ("variable",), names, "state", lambda piece: piece.state["y"])]
    if len(run.ode.parameters):
        labels = {"parameter": [f"p[{k}]" for k in range(len(run.ode.parameters))]}
        held = lambda piece: np.broadcast_to(piece.run.p, (len(piece), len(piece.run.p)))
        found.append(Channel("p", "", lambda run: run.p, ("parameter",), labels, "parameters", held))
    return found


def _world_channels(sim: Simulation) -> list[Channel]:
    layout = sim.layout
    places, speeds = {"coordinate": layout.coordinate_names}, {"speed": layout.speed_names}
    forces = [FORCE_OF[unit] for unit in speed_units(layout)]
    made = [
        _state("q", places, "joint positions", position_units(layout)),
        _state("v", speeds, "joint speeds", speed_units(layout)),
    ]
    if layout.nv:
        made.append(_state("command", speeds, "held joint forces (driven: accelerations)", forces))
    if sim.worlds == 1:
        made += _bodies(layout)
    if sim.energy_ledger:
        read = lambda sim: np.array(list(sim.ledger().values()))
        lines = {"line": list(sim.ledger())}
        made.append(Channel("ledger", "J", read, ("line",), lines, "energy ledger", _ledger))
    return [*made, *meter_channels(sim)]


def _state(name: str, labels, about: str, units: Sequence[str]) -> Channel:
    (dim,) = labels
    unit = units[0] if len(set(units)) == 1 else ""
    return Channel(name, unit, None, (dim,), labels, about, lambda piece: piece.state[name], () if unit else units)


def _ledger(piece: Piece) -> np.ndarray:
    """Simulation.ledger at every sample of a piece in which nobody has changed the state by hand."""
    sim, ledger, rows = piece.run, piece.run.ledger(), []
    memory, opening, jumps = sim.memory, ledger["opening"], ledger["jumps"]
    work = piece.state["work"][:, : len(sim.compiled.lines)]  # what follows are meters
    elements = zip(memory.read(memory.parameters, piece.cells), memory.read(memory.states, piece.cells))
    moments = zip(piece.time, piece.state["q"], piece.state["v"], work, elements)
    for time, q, v, own, (parameters, states) in moments:
        kinetic, gravity, stored = sim.mechanics.energies(q, v, float(time), parameters, states).values()
        rows.append([kinetic, gravity, stored, opening, *own, jumps, kinetic + gravity - opening - own.sum() - jumps])
    return np.array(rows)


def _bodies(layout: Layout) -> list[Channel]:
    names = [entry.name for entry in layout.bodies]
    of_bodies = Kinematics.of(layout.figures)
    poses = lambda piece: of_bodies(piece.state["q"])
    return [
        Channel("position", "m", None, ("body", "axis"), {"body": names, "axis": AXES},
                "origin of every body, world axes", lambda piece: poses(piece)[0]),
        Channel("rotation", "", None, ("body", "quaternion"), {"body": names, "quaternion": QUATERNION},
                "frame of every body, from body to world axes", lambda piece: poses(piece)[1]),
    ]  # fmt: skip


def _optional(sim: Simulation) -> dict[str, Callable[[], Channel]]:
    layout = sim.layout
    speeds = {"speed": layout.speed_names}
    rates = speed_units(layout)
    bodies = {"body": [entry.name for entry in layout.bodies], "twist": TWIST}

    def velocity() -> Channel:
        if sim.worlds > 1:
            raise RecordingError("the channel 'velocity' is kept for single worlds")
        read = lambda sim: np.array(list(sim.mechanics.velocities(sim.q, sim.v).values()))
        units = ["rad/s"] * 3 + ["m/s"] * 3
        return Channel("velocity", "", read, ("body", "twist"), bodies, "angular and linear, world axes", None, units)

    def acceleration() -> Channel:
        units = [f"{rate}²" for rate in rates]
        return Channel("acceleration", "", lambda sim: sim.acceleration, ("speed",), speeds, "of joints", None, units)

    def joint_force() -> Channel:
        units = [FORCE_OF[rate] for rate in rates]
        about = "generalised forces: commands and elements"
        return Channel("joint_force", "", lambda sim: sim.joint_force, ("speed",), speeds, about, None, units)

    def clock() -> Channel:
        return Channel("clock", "s", lambda sim: sim.time, about="of every world")

    return {"velocity": velocity, "acceleration": acceleration, "joint_force": joint_force, "clock": clock}
