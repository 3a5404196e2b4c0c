"""Runs a verification script and takes what it printed and wrote."""

from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

import numpy as np

from gambol.corpus import Interpreter
from gambol.corpus.examples import example_script
from gambol.experiments.sources import MCKENNA_1994

APPENDIX_C = f"{MCKENNA_1994}, appendix C"


class ScriptOutput:
    """What a script printed, and the tables it wrote (rows of numbers)."""

    def __init__(self, lines: list[str], tables: dict[str, np.ndarray]):
        self.lines, self.tables = lines, tables

    def after(self, mark: str, count: int) -> list[str]:
        """The lines that follow a printed mark."""
        first = self.lines.index(mark) + 1
        return self.lines[first : first + count]

    def numbers_after(self, mark: str, count: int) -> list[float]:
        """The numbers on the lines that follow a printed mark."""
        return [float(line) for line in self.after(mark, count)]


def run_script(name: str, *, keep: Path | None = None) -> ScriptOutput:
    """Runs an example in a folder of its own; pictures are copied to the path `keep`."""
    lines: list[str] = []
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for script in example_script(name).parent.glob("*.corpus"):
            copy(script, place)
        Interpreter(place, out=lines.append).run_file(place / f"{name}.corpus")
        tables = {path.stem: np.loadtxt(path, ndmin=2) for path in place.glob("*.txt")}
        if keep is not None:
            copy(next(iter(place.glob("*.png"))), keep)
    return ScriptOutput(lines, tables)


def world_position(line: str) -> np.ndarray:
    """The centre of mass in the world, from a line of dumpcog."""
    return np.array([float(word) for word in line.split("world")[1].split()])


def velocity(line: str) -> np.ndarray:
    """Linear and angular velocity, from a line of setv."""
    return np.array([float(word) for word in line.split(":")[1].split()])
