"""`gambol check`: is a figure file sound?"""

import re
import warnings
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from gambol import DescriptionError, Fault, Figure
from gambol.cli.console import FAULT, check_suffix, plain, report_errors, styled, write_json

SUFFIXES = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


def check(file: Path, json: Path | None) -> None:
    """Says what is in a figure file, or what is wrong with it."""
    with report_errors():
        check_suffix(file, SUFFIXES)
    faults: list[Fault] = []
    summary: dict[str, Any] = {}
    try:
        summary = summary_of(*read(file))
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
    print_summary(summary)


def read(file: Path) -> tuple[Figure, Any, list[str]]:
    """The figure, its world (whose own rules are checked too), and what a reader left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = Figure.read(file)
    from gambol.world.mechanics import Mechanics
    from gambol.world.singular_mass import check_masses, held_by_springs
    from gambol.world.world import World

    world = World(figure)
    error = check_masses(world.layout, Mechanics(world.layout))
    if error is not None and not held_by_springs(error, world):
        raise error
    assert world.elements is not None and world.layout is not None  # both check what a figure alone cannot know
    return figure, world, [str(w.message) for w in caught]


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


def summary_of(figure: Figure, world: Any, left_out: list[str]) -> dict[str, Any]:
    """What is in a figure, for people and for programs."""
    joints = Counter(body.joint.type for body in figure.bodies)
    centre = figure.mass_properties().centre
    return {
        "name": figure.name,
        "bodies": len(figure.bodies),
        "degrees_of_freedom": sum(body.joint.speeds for body in figure.bodies),
        "mass_kg": figure.mass,
        "centre_of_mass_m": list(centre),
        "root": figure.root.name,
        "joints": dict(joints),
        "force_elements": len(world.elements),
        "notes": [*left_out, *world.notes],
        "notices": [asdict(notice) for notice in world.notices],
    }


def print_summary(summary: dict[str, Any]) -> None:
    """The summary, a line a fact."""
    joints = ", ".join(f"{count} {kind}" for kind, count in summary["joints"].items())
    x, y, z = summary["centre_of_mass_m"]
    styled(("✔", "green"), " ", (summary["name"], "bold"), " is sound")
    plain(f"  bodies              {summary['bodies']} (root: {summary['root']})")
    plain(f"  joints              {joints}")
    plain(f"  degrees of freedom  {summary['degrees_of_freedom']}")
    plain(f"  mass                {summary['mass_kg']:.6g} kg, centre at ({x:.4g}, {y:.4g}, {z:.4g}) m")
    if summary["force_elements"]:
        plain(f"  springs, motors     {summary['force_elements']}")
    for note in summary["notes"]:
        plain(f"  note: {note}")
    for notice in summary["notices"]:
        plain(f"  notice: {notice['where']}: {notice['what']}; remedy: {notice['remedy']}")
