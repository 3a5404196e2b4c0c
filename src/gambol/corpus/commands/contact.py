"""What touches the ground, and how hard."""

import numpy as np

from gambol.corpus.commands.queries import row
from gambol.corpus.corpora import CorpusLink
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import in_group, number
from gambol.errors import CommandError

command = in_group("state")


def touching(interpreter: Interpreter, link: CorpusLink) -> list[tuple[np.ndarray, np.ndarray]]:
    """(place, force) of every point of a body that is in the ground [m, N; world axes]."""
    found = interpreter.worlds.current.engine.measurements.contacts(link)
    if found is None:
        return []
    places = np.column_stack([found[name] for name in ("x", "y", "z")])
    forces = np.column_stack([found[f"force_{name}"] for name in ("x", "y", "z")])
    inside = np.any(forces != 0.0, axis=1)
    return list(zip(places[inside], forces[inside]))


def _text(interpreter: Interpreter, links: list[CorpusLink]) -> str:
    rows = [f"{link.name} {row(place)} {row(force)}" for link in links for place, force in touching(interpreter, link)]
    return "\n".join(rows)


@command("dumpcontactforces", "[file:file]", "writes body, place and force of every point in the ground")
def dumpcontactforces(interpreter: Interpreter, file: str | None) -> None:
    interpreter.print_to(file, _text(interpreter, list(interpreter.worlds.finished_corpus.tree())))


@command("dumpcontactforce", "body:body [file:file]", "writes the whole force of the ground on a body [N]")
def dumpcontactforce(interpreter: Interpreter, link: CorpusLink, file: str | None) -> None:
    total = interpreter.worlds.current.engine.measurements.contact_force(link)
    interpreter.print_to(file, f"{link.name} {row(total)}")


@command("contactfsum", "body:body [switch]", "integral of that force over time: 0 begins, off ends, nothing prints")
def contactfsum(interpreter: Interpreter, link: CorpusLink, switch: str | None) -> None:
    sums = interpreter.worlds.current.engine.measurements.contact_sums
    if switch is None:
        if link.full_name not in sums:
            raise CommandError(f"nothing is summed for {link.name!r}; begin with: contactfsum {link.name} 0")
        interpreter.print(row(sums[link.full_name]))
    elif switch == "0":
        sums[link.full_name] = np.zeros(3)
        interpreter.worlds.current.engine.invalidate()
    elif switch == "off":
        sums.pop(link.full_name, None)
    else:
        raise CommandError(f"after the body comes 0 (begin), off, or nothing (print), not {switch!r}")


@command("dumpcontacts", "file:file", "writes which points stick to the ground, and where")
def dumpcontacts(interpreter: Interpreter, file: str) -> None:
    rows = []
    for link in interpreter.worlds.finished_corpus.tree():
        for index, values in enumerate(interpreter.worlds.current.engine.measurements.sticking_points(link)):
            rows.append(f"{link.name} {index} {' '.join(repr(float(x)) for x in values)}\n")
    interpreter.files.to_write(file).write_text("".join(rows), encoding="utf-8")


@command("loadcontacts", "file:file", "reads what dumpcontacts wrote")
def loadcontacts(interpreter: Interpreter, file: str) -> None:
    table: dict[str, dict[int, list[float]]] = {}
    for line in interpreter.files.text(file).splitlines():
        words = line.split()
        if len(words) != 6:
            raise CommandError(f"a row must be: body, point, stuck, x, y, z; not {line!r}")
        index = int(number(words[1], "the point"))
        table.setdefault(words[0], {})[index] = [number(word, "a value") for word in words[2:]]
    for name, points in table.items():
        interpreter.worlds.current.engine.measurements.set_sticking_points(interpreter.worlds.link(name), points)
