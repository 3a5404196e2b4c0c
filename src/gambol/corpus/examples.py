"""Where the scripts that come with Gambol are: in the repository, or beside this module once it is installed."""

from pathlib import Path

from gambol.errors import GambolError

_HERE = Path(__file__).resolve().parent
_FOLDERS = (_HERE / "scripts", _HERE.parents[2] / "examples" / "corpus")


def example_script(name: str) -> Path:
    """The path of a script, by its name without the suffix."""
    for folder in _FOLDERS:
        path = folder / f"{name}.corpus"
        if path.is_file():
            return path
    raise GambolError(f"there is no script {name!r} among the examples of the command language")
