"""Questions about figures."""

from __future__ import annotations

import numpy as np

from gambol.corpus.corpora import Link, Piece
from gambol.corpus.geometry import applied, translation
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.scene import Thing
from gambol.corpus.table import command
from gambol.errors import CommandError

GROUP = "dynamics"
STATE = "state"


def row(values) -> str:
    return " ".join(f"{x:.9g}" for x in values)


def written(it: Interpreter, file: str | None, text: str, mode: str = "w") -> None:
    """To a file, or printed."""
    if file is None:
        it.say(text)
    else:
        with it.files.to_write(file).open(mode, encoding="utf-8") as stream:
            stream.write(f"{text}\n")


@command("totaljoints", "", "prints the number of joints of the figure", group=GROUP)
def totaljoints(it: Interpreter) -> None:
    it.say(str(len(it.universe.built.links) - 1))


@command("totalmass", "", "prints the mass of the figure [kg]", group=GROUP)
def totalmass(it: Interpreter) -> None:
    it.say(f"{it.universe.corpus.mass:.9g}")


@command(
    "mass",
    "body:body",
    "prints the mass of a body, that with all beyond it [kg], and its share of the figure",
    group=GROUP,
)
def mass(it: Interpreter, link: Link) -> None:
    own, total = link.mass.mass, link.corpus.mass
    if not total > 0:
        raise CommandError(f"corpus {link.corpus.name!r} has no mass")
    it.say(f"{link.name}: {own:.9g} {link.distal_mass:.9g} {own / total:.9g}")


@command("massonly", "body:body", "prints the mass of a body [kg]", group=GROUP)
def massonly(it: Interpreter, link: Link) -> None:
    it.say(f"{link.mass.mass:.9g}")


@command("partmass", "part:part", "prints the mass of a part [kg]", group=GROUP)
def partmass(it: Interpreter, piece: Piece) -> None:
    it.say(f"{piece.mass.mass:.9g}")


@command("density", "body:body", "prints the density of a body's first part [kg/m³]", group=GROUP)
def density(it: Interpreter, link: Link) -> None:
    it.say(f"{link.pieces[0].density:.9g}")


@command("corpuscog", "marker:object", "puts an object at the figure's centre of mass", group=GROUP)
def corpuscog(it: Interpreter, marker: Thing) -> None:
    marker.matrix = translation(it.universe.built.centre - marker.own_centroid) @ marker.matrix


@command(
    "treepoints",
    "body:body x:number y:number z:number [file:file]",
    "a point of a body in the frames of all bodies up to the root, and in the world",
    group=GROUP,
)
def treepoints(it: Interpreter, link: Link, x: float, y: float, z: float, file: str | None) -> None:
    if not link.corpus.ready:
        raise CommandError(f"corpus {link.corpus.name!r} is not finished: corpusinit comes first")
    point = np.array([x, y, z])
    rows = []
    here: Link | None = link
    while here is not None:
        rows.append(f"{here.name}: {row(point)}")
        point = applied(here.local if here.parent else here.corpus.pose, point)
        here = here.parent
    rows.append(f"world: {row(point)}")
    written(it, file, "\n".join(rows))


# ------------------------------------------------------------ state group
@command("listbodies", "[file:file]", "lists the bodies, each with its parent", group=STATE)
def listbodies(it: Interpreter, file: str | None) -> None:
    rows = [f"{link.name} {link.parent.name if link.parent else '-'}" for link in it.universe.built.tree()]
    written(it, file, "\n".join(rows))


@command("dumpIs", "", "prints the inertia tensor of every body about its centre of mass [kg·m²]", group=STATE)
def dumpis(it: Interpreter) -> None:
    for link in it.universe.built.tree():
        it.say(f"{link.name}:")
        for line in link.mass.tensor:
            it.say(f"  {row(line)}")


@command("dumppv", "", "prints for every joint the force that its motion and gravity alone would need", group=STATE)
def dumppv(it: Interpreter) -> None:
    sim = it.universe.realm.engine.ready()
    bias = sim.mechanics.bias(sim.q, sim.v)
    for entry in sim.layout.bodies:
        it.say(f"{entry.name}: {row(bias[sim.layout.speed_slices[entry.name]])}")


@command("dumpcog", "body:body", "prints the centre of mass of a body, in its frame and in the world [m]", group=STATE)
def dumpcog(it: Interpreter, link: Link) -> None:
    centre = np.asarray(link.mass.centre)
    pose = link.pose if link.corpus.ready else link.moved
    it.say(f"{link.name}: {row(centre)} world {row(applied(pose, centre))}")


@command("dumpbodyq", "body:body [file:file]", "writes time and position of a joint", group=STATE)
def dumpbodyq(it: Interpreter, link: Link, file: str | None) -> None:
    written(it, file, f"{it.universe.realm.time:.15g} {link.q:.15g}")


@command("dumpbodyqa", "body:body file:file", "appends time and position of a joint to a file", group=STATE)
def dumpbodyqa(it: Interpreter, link: Link, file: str) -> None:
    written(it, file, f"{it.universe.realm.time:.15g} {link.q:.15g}", "a")


@command(
    "dumpbodyX", "body:body [file:file]", "writes the 6×6 transform from the parent's frame to the body's", group=STATE
)
def dumpbodyx(it: Interpreter, link: Link, file: str | None) -> None:
    pose = link.local if link.parent else link.corpus.pose
    turn, (x, y, z) = pose[:3, :3].T, pose[:3, 3]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    block = np.zeros((6, 6))
    block[:3, :3] = block[3:, 3:] = turn
    block[3:, :3] = turn @ cross.T
    written(it, file, "\n".join(row(line) for line in block))
