"""What a trial found so far, in the file that --json names: whole at any moment, and where an ended one goes on."""

from __future__ import annotations

import json
import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import Any

AS_ASKED = ("trial", "seed", "count", "formats")  # what has to be the same for a trial to go on


class Report:
    """The file of one trial; without a name nothing is written."""

    def __init__(self, given: Any):
        self.path: Path | None = given.json
        self.began = time.monotonic()
        asked = {name: value for name, value in vars(given).items() if name not in ("trial", "json", "report")}
        versions = {name: metadata.version(name) for name in ("numpy", "numba", "h5py")}
        self.head = {"trial": given.trial, "asked": asked, "python": platform.python_version(), **versions}
        self.head |= {"cores": os.cpu_count()}
        self.before = 0.0  # [s] of the wall clock that were spent on it earlier

    def write(self, found: dict[str, Any], *, ended: bool = False) -> float:
        """Puts a whole file in the place of the one before; [s] of the wall clock so far."""
        seconds = round(self.before + time.monotonic() - self.began, 1)
        if self.path:
            text = json.dumps({**self.head, "seconds": seconds, "ended": ended, **found}, indent=1, default=str)
            fresh = self.path.with_name(self.path.name + ".new")
            fresh.write_text(text + "\n", encoding="utf-8")
            fresh.replace(self.path)
        return seconds

    def earlier(self) -> dict[str, Any] | None:
        """What the same trial had found when it was cut short."""
        if not self.path or not self.path.exists():
            return None
        found = json.loads(self.path.read_text(encoding="utf-8"))
        ours, theirs = ({**head["asked"], "trial": head["trial"]} for head in (self.head, found))
        if found["ended"] or any(ours.get(name) != theirs.get(name) for name in AS_ASKED):
            return None
        self.before = found["seconds"]
        return found
