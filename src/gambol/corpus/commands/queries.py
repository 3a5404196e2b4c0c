"""Questions about figures."""

from functools import partial

import numpy as np

from gambol.corpus.actions import prints
from gambol.corpus.corpora import CorpusLink
from gambol.corpus.geometry import transform_points, translation
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import SceneObject
from gambol.corpus.table import in_group
from gambol.errors import CommandError

command = in_group("dynamics")
state_command = in_group("state")


def row(values) -> str:
    """Numbers as a line of text, nine digits each."""
    return " ".join(f"{x:.9g}" for x in values)


command("totaljoints", "", "prints the number of joints of the figure")(
    prints(lambda interpreter: str(len(interpreter.worlds.finished_corpus.links) - 1))
)
command("totalmass", "", "prints the mass of the figure [kg]")(
    prints(lambda interpreter: f"{interpreter.worlds.corpus.mass:.9g}")
)


@command("mass", "body:body", "prints the mass of a body, that with all beyond it [kg], and its share of the figure")
def mass(interpreter: Interpreter, link: CorpusLink) -> None:
    own, total = link.mass.mass, link.corpus.mass
    if not total > 0:
        raise CommandError(f"corpus {link.corpus.name!r} has no mass")
    interpreter.print(f"{link.name}: {own:.9g} {link.distal_mass:.9g} {own / total:.9g}")


command("massonly", "body:body", "prints the mass of a body [kg]")(
    prints(lambda interpreter, link: f"{link.mass.mass:.9g}")
)
command("partmass", "part:part", "prints the mass of a part [kg]")(
    prints(lambda interpreter, piece: f"{piece.mass.mass:.9g}")
)
command("density", "body:body", "prints the density of a body's first part [kg/m³]")(
    prints(lambda interpreter, link: f"{link.pieces[0].density:.9g}")
)


@command("corpuscog", "marker:object", "puts an object at the figure's centre of mass")
def corpuscog(interpreter: Interpreter, marker: SceneObject) -> None:
    marker.matrix = translation(interpreter.worlds.finished_corpus.centre - marker.local_centroid) @ marker.matrix


@command(
    "treepoints",
    "body:body x:number y:number z:number [file:file]",
    "a point of a body in the frames of all bodies up to the root, and in the world",
)
def treepoints(interpreter: Interpreter, link: CorpusLink, x: float, y: float, z: float, file: str | None) -> None:
    if not link.corpus.ready:
        raise CommandError(f"corpus {link.corpus.name!r} is not finished: corpusinit comes first")
    point = np.array([x, y, z])
    rows = []
    here: CorpusLink | None = link
    while here is not None:
        rows.append(f"{here.name}: {row(point)}")
        point = transform_points(here.local_pose if here.parent else here.corpus.pose, point)
        here = here.parent
    rows.append(f"world: {row(point)}")
    interpreter.print_to(file, "\n".join(rows))


# ------------------------------------------------------------ state group
@state_command("listbodies", "[file:file]", "lists the bodies, each with its parent")
def listbodies(interpreter: Interpreter, file: str | None) -> None:
    """Every link and its parent."""
    rows = [
        f"{link.name} {link.parent.name if link.parent else '-'}" for link in interpreter.worlds.finished_corpus.tree()
    ]
    interpreter.print_to(file, "\n".join(rows))


@state_command("dumpIs", "", "prints the inertia tensor of every body about its centre of mass [kg·m²]")
def dumpis(interpreter: Interpreter) -> None:
    """Inertia tensors [kg·m²] of all links about their centres, own axes."""
    for link in interpreter.worlds.finished_corpus.tree():
        interpreter.print(f"{link.name}:")
        for line in link.mass.tensor:
            interpreter.print(f"  {row(line)}")


@state_command("dumppv", "", "prints for every joint the force that its motion and gravity alone would need")
def dumppv(interpreter: Interpreter) -> None:
    """Forces [N·m or N] that the motion itself and weight need at every joint."""
    sim = interpreter.worlds.current.engine.simulation()
    bias = sim.mechanics.bias(sim.q, sim.v)
    for entry in sim.layout.bodies:
        interpreter.print(f"{entry.name}: {row(bias[sim.layout.speed_slices[entry.name]])}")


@state_command("dumpcog", "body:body", "prints the centre of mass of a body, in its frame and in the world [m]")
def dumpcog(interpreter: Interpreter, link: CorpusLink) -> None:
    """Centre of mass of a link [m], in its own frame and in the world."""
    centre = np.asarray(link.mass.centre)
    pose = link.pose if link.corpus.ready else link.displacement
    interpreter.print(f"{link.name}: {row(centre)} world {row(transform_points(pose, centre))}")


def _position(interpreter: Interpreter, link: CorpusLink, file: str | None, mode: str = "w") -> None:
    interpreter.print_to(file, f"{interpreter.worlds.current.time:.15g} {link.q:.15g}", mode)


state_command("dumpbodyq", "body:body [file:file]", "writes time and position of a joint")(_position)
state_command("dumpbodyqa", "body:body file:file", "appends time and position of a joint to a file")(
    partial(_position, mode="a")
)


@state_command("dumpbodyX", "body:body [file:file]", "writes the 6×6 transform from the parent's frame to the body's")
def dumpbodyx(interpreter: Interpreter, link: CorpusLink, file: str | None) -> None:
    """The 6×6 transform of motions from the parent's frame to the link's."""
    pose = link.local_pose if link.parent else link.corpus.pose
    turn, (x, y, z) = pose[:3, :3].T, pose[:3, 3]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    block = np.zeros((6, 6))
    block[:3, :3] = block[3:, 3:] = turn
    block[3:, :3] = turn @ cross.T
    interpreter.print_to(file, "\n".join(row(line) for line in block))
