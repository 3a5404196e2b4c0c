"""`gambol check`: is a figure file sound?"""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import typer

from gambol import BodyContact, DescriptionError, Fault, GroundContact, RoundContact, Scene, read_scene
from gambol.cli.console import FAULT, check_suffix, plain, report_errors, styled, write_json
from gambol.figure.mass import NO_MASS

FEW = 4  # names that are told unasked
FIGURE_SUFFIXES = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


@dataclass(frozen=True)
class Model:
    """A figure file, and what to make of it (`read_scene`)."""

    file: Path
    root: str | None = None
    root_body: str | None = None
    ground: str | None = None
    pose: str = "start"


def check(model: Model, json: Path | None, names: bool = False) -> None:
    """Says what is in a figure file, or what is wrong with it; `names`: of everything that was left out."""
    file = model.file
    with report_errors():
        check_suffix(file, FIGURE_SUFFIXES)
    faults: list[Fault] = []
    summary: dict[str, Any] = {}
    try:
        summary = summary_of(read(model))
    except DescriptionError as error:
        faults = [located(fault, file) for fault in error.faults]
    except OSError as error:
        faults = [Fault(f"cannot be read: {error.strerror or error}", file=str(file), line=1)]
    if json:
        rows = [{"file": f.file, "line": f.line, "where": f.where, "message": f.message} for f in faults]
        with report_errors():
            write_json({"file": str(file), "sound": not faults, "faults": rows, "summary": summary}, json)
    if faults:
        for fault in faults:
            plain(" ".join(str(fault).split()))
        raise typer.Exit(FAULT)
    print_summary(summary, names)


def read(model: Model) -> Scene:
    """The scene of a file; the rules of its world are checked too."""
    from gambol.world.mechanics import Mechanics
    from gambol.world.singular_mass import check_masses, held_by_springs

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scene = read_scene(model.file, root=model.root, root_body=model.root_body, ground=model.ground, pose=model.pose)
    world = scene.world
    error = check_masses(world.layout, Mechanics(world.layout))
    if error is not None and not held_by_springs(error, world):
        raise error
    assert world.elements is not None and world.layout is not None  # both check what a figure alone cannot know
    return replace(scene, notes=(*(str(w.message) for w in caught), *scene.notes))


def located(fault: Fault, file: Path) -> Fault:
    """A fault with a file and a line; where the reader gave none, the line that names the body."""
    if fault.file and fault.line:
        return fault
    where = "" if fault.where == str(file) else fault.where
    return Fault(fault.message, where, str(file), fault.line or _line_of(where.rsplit("/", 1)[-1], file))


def _line_of(body: str, file: Path) -> int:
    if body and file.is_file():
        for number, text in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if re.search(rf"\bname\s*[:=]\s*[\"']?{re.escape(body)}\b", text):
                return number
    return 1


def summary_of(scene: Scene) -> dict[str, Any]:
    """What is in a scene, for people and for programs."""
    world = scene.world
    bodies = [body for figure in scene.figures for body in figure.bodies]
    mass = sum((figure.mass_properties() for figure in scene.figures), NO_MASS)
    contacts = sum(isinstance(e, GroundContact | RoundContact | BodyContact) for e in world.elements)
    return {
        "name": scene.figures[0].name,
        "figures": [figure.name for figure in scene.figures],
        "bodies": len(bodies),
        "degrees_of_freedom": sum(body.joint.speeds for body in bodies),
        "mass_kg": mass.mass,
        "centre_of_mass_m": list(mass.centre),
        "root": scene.figures[0].root.name,
        "joints": dict(Counter(body.joint.type for body in bodies)),
        "force_elements": len(world.elements) - contacts,
        "contacts": contacts,
        "constraints": len(world.constraints),
        "motors": list(scene.motors),
        "poses": list(scene.poses),
        "frames": list(scene.frames),
        "sensors": list(scene.sensors),
        "left_out": {kind: list(names) for kind, names in scene.left_out.items()},
        "notes": [*scene.notes, *world.notes],
        "notices": [asdict(notice) for notice in world.notices],
    }


def print_summary(summary: dict[str, Any], names: bool = False) -> None:
    """The summary, a line a fact; `names`: every one, not the first few."""
    joints = ", ".join(f"{count} {kind}" for kind, count in summary["joints"].items())
    x, y, z = summary["centre_of_mass_m"]
    styled(("✔", "green"), " ", (summary["name"], "bold"), " is sound")
    plain(f"  bodies              {summary['bodies']} (root: {summary['root']})")
    plain(f"  joints              {joints}")
    plain(f"  degrees of freedom  {summary['degrees_of_freedom']}")
    plain(f"  mass                {summary['mass_kg']:.6g} kg, centre at ({x:.4g}, {y:.4g}, {z:.4g}) m")
    if len(summary["figures"]) > 1:
        plain(f"  figures             {', '.join(summary['figures'])}")
    if summary["force_elements"]:
        plain(f"  springs, motors     {summary['force_elements']}")
    for key, label in (("contacts", "contacts"), ("constraints", "constraints")):
        if summary[key]:
            plain(f"  {label:<18}  {summary[key]}")
    for key in ("motors", "poses", "frames", "sensors"):
        if summary[key] and summary[key] != ["start"]:
            plain(f"  {key:<18}  {_listed(summary[key], names)}")
    for kind, things in summary["left_out"].items():
        plain(f"  left out: {kind}{f': {_listed(things, names)}' if things else ''}")
    for note in summary["notes"]:
        plain(f"  note: {note}")
    for notice in summary["notices"]:
        plain(f"  notice: {notice['where']}: {notice['what']}; remedy: {notice['remedy']}")


def _listed(names: Sequence[str], everything: bool) -> str:
    """Names with a comma between; of many how many there are, and the first few."""
    if everything or len(names) <= FEW:
        return ", ".join(names)
    return f"{len(names)}: {', '.join(names[:FEW])}, … (--names)"
