"""Which files a script may touch: those below its own folder, and below the folders that were allowed."""

from collections.abc import Iterable
from pathlib import Path

from gambol.errors import CommandError


class Files:
    """Paths for reading and writing, relative to the script's folder; what lies outside what is allowed is refused."""

    def __init__(self, folder: Path, allowed: Iterable[Path] = ()):
        self.folder = folder.resolve()
        self.allowed = [self.folder, *(Path(p).resolve() for p in allowed)]
        self.search_path: list[str] = ["."]

    def permits(self, path: Path) -> bool:
        """May a file at this path be touched?"""
        return any(path == root or root in path.parents for root in self.allowed)

    def to_write(self, name: str) -> Path:
        """Where a file of that name is written."""
        path = self._resolved(name)
        if not self.permits(path):
            raise CommandError(f"{name!r} may not be written: {self._where()}")
        if path.is_dir():
            raise CommandError(f"{name!r} cannot be written: it is a folder")
        if not path.parent.is_dir():
            raise CommandError(f"{name!r} cannot be written: there is no folder {path.parent.name!r}")
        return path

    def find(self, name: str) -> Path | None:
        """A file that may be read, looked for along the search path; None when there is none."""
        for start in self.search_path:
            path = self._resolved(start, name)
            if self.permits(path) and path.is_file():
                return path
        return None

    def to_read(self, name: str) -> Path:
        """A file that may be read."""
        if found := self.find(name):
            return found
        outside = not any(self.permits(self._resolved(start, name)) for start in self.search_path)
        if outside:
            raise CommandError(f"{name!r} may not be read: {self._where()}")
        raise CommandError(f"there is no file {name!r} (looked in: {', '.join(self.search_path)})")

    def text(self, name: str) -> str:
        """The text of a file that may be read."""
        try:
            return self.to_read(name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise CommandError(f"{name!r} is not a text file") from None

    def _resolved(self, *parts: str) -> Path:
        try:
            return self.folder.joinpath(*parts).resolve()
        except (ValueError, OSError, RuntimeError) as error:  # NUL in it, too long, a loop of links
            raise CommandError(f"{parts[-1]!r} is no name of a file: {error}") from None

    def _where(self) -> str:
        return "it lies outside the script's folder (whoever starts the program can allow more with --allow-path)"
