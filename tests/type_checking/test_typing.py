"""The façade in the eyes of a type checker: right use passes `mypy --strict`, wrong use is reported line by line."""

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import gambol

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]


def checked(file: str) -> list[tuple[int, str]]:
    """(line, code) of every error that strict mypy finds in a file; in Gambol itself it looks for types only."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", file]
    options = ["--cache-dir", str(ROOT / ".mypy_cache" / "users"), "--no-error-summary"]
    environment = {**os.environ, "MYPYPATH": str(Path(gambol.__file__).parents[1])}
    done = subprocess.run(
        [*command, *options], cwd=FOLDER, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    found = re.findall(rf"^{file}:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert len(found) == done.stdout.count(": error: "), done.stdout
    return [(int(line), code) for line, code in found]


def test_a_user_of_the_facade_passes_strictly():
    assert checked("user.py") == []


@pytest.mark.parametrize("file", ["misspelt.py", "wrong_arguments.py"])
def test_wrong_use_is_reported(file):
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    wanted = [(k, line.split("# wrong: ")[1]) for k, line in enumerate(lines, 1) if "# wrong: " in line]
    assert wanted and checked(file) == wanted


def test_the_package_says_that_it_is_typed():
    assert (files("gambol") / "py.typed").is_file()
