"""What the shell offers when Tab is pressed. Names are read from the sources: importing them all would take seconds."""

import re
from pathlib import Path

import gambol

PACKAGE = Path(gambol.__file__).parent
EXPERIMENT = re.compile(r'^@experiment\(\s*"([\w-]+)"', re.MULTILINE)
SHOW = re.compile(r"^@show\((.*?)\)\ndef ", re.MULTILINE | re.DOTALL)


def experiment_ids(incomplete: str = "") -> list[str]:
    """Ids of published experiments."""
    return offered(EXPERIMENT.findall(sources("experiments/*/*.py")), incomplete)


def shows_and_files(incomplete: str = "") -> list[str]:
    """Shows, recordings and figure files of this folder."""
    names = []
    for marked in SHOW.findall(sources("shows/*.py")):
        named, _, also = marked.partition("also=")
        names += [re.findall(r'"([\w-]+)"', named)[0], *re.findall(r'"([\w-]+)"', also)]
    files = [str(p) for p in Path().glob("*") if p.suffix in (".gambol", ".yaml", ".yml", ".urdf", ".xml", ".mjcf")]
    return offered(names + files, incomplete)


def targets(incomplete: str = "") -> list[str]:
    """What can be swept: experiments, and functions of Python files of this folder."""
    functions = [
        f"{file}:{name}"
        for file in Path().glob("*.py")
        for name in re.findall(r"^def ([a-z]\w*)\(", file.read_text(encoding="utf-8", errors="ignore"), re.MULTILINE)
    ]
    return offered([*experiment_ids(), *functions], incomplete)


def plot_kinds(incomplete: str = "") -> list[str]:
    """Kinds of plots of a recording."""
    kinds = "joints phase cycle energy flow ground gait return section compare strip report"
    return offered(kinds.split(), incomplete)


def sources(pattern: str) -> str:
    """The text of all modules of the package that match."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(PACKAGE.glob(pattern)))


def offered(names: list[str], incomplete: str) -> list[str]:
    """Those that begin like what was typed."""
    return sorted({name for name in names if name.startswith(incomplete)})
