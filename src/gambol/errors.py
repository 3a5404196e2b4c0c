"""Every error and warning of Gambol: each says what was wrong, where, and what is allowed."""

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


class GambolError(Exception):
    """Base of every error Gambol raises on purpose."""


class UnknownNameError(GambolError):
    """Nothing has this name: of an experiment, a benchmark case, a show, a model, a kind of plot, a file's suffix."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a description.

    `where` names the body, joint or key; `file` and `line` (from 1) are given when the description was read
    from a file.
    """

    message: str
    where: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        subject = f"{self.where}: " if self.where else ""
        return f"{place}{subject}{self.message}"


class DescriptionError(GambolError):
    """A description is faulty; `faults` lists every fault, not only the first."""

    def __init__(self, faults: Iterable[Fault]):
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


class FigureError(DescriptionError):
    """A figure or a figure file is faulty."""


class WorldError(DescriptionError):
    """A world (figures, forces, boundaries, stepping) is faulty."""


class HybridError(DescriptionError):
    """A hybrid system (charts, boundaries, transitions) or its configuration is faulty."""


class SingularMassError(WorldError):
    """Some joints can move without moving any mass: nothing says how fast they go. `joints` names them."""

    def __init__(self, faults: Iterable[Fault], joints: tuple[str, ...]):
        self.joints = joints
        super().__init__(faults)


class ConstraintError(WorldError):
    """Constraints cannot be met: a loop is open, or some contradict others. The state is kept."""


class ScriptError(DescriptionError):
    """A command script is faulty."""


class CommandError(GambolError):
    """A command of a script cannot be carried out; the interpreter adds the place and makes it a ScriptError."""


class OrbitError(GambolError):
    """The search for a periodic orbit did not converge."""


class ReturnMapError(GambolError):
    """A point does not come back to its section in the time allowed."""


class PoseError(GambolError):
    """Inverse kinematics found no pose that meets what was asked."""


class RestError(GambolError):
    """A world did not come to rest: `acceleration` [rad/s²; lengths over the size of the figures] is the largest left,
    at `coordinate`, after `time` [s] of first-order motion."""

    def __init__(self, message: str, *, time: float, acceleration: float, coordinate: str):
        self.time, self.acceleration, self.coordinate = time, acceleration, coordinate
        super().__init__(message)


class RecordingError(GambolError):
    """A recording cannot be written, read or gone on with."""


class TooLargeError(GambolError):
    """What was asked for needs more memory than there is: `needed` and `available` [bytes]."""

    def __init__(self, what: str, *, needed: float, available: float):
        self.needed, self.available = needed, available
        super().__init__(f"{what} would take {size_of(needed)} of memory, and {size_of(available)} are free")


class StudyError(GambolError):
    """A study (a sweep over parameters) is described wrongly, or its folder holds another."""


class TaskError(DescriptionError):
    """A task to be learned (its parts, its actions, its environment) is faulty."""


class ExportError(GambolError):
    """A motion or a figure cannot be written in a format, or read from it."""


class MotionError(DescriptionError):
    """A file of measured motion is faulty, or a motion and a figure do not go together."""


class ViewError(GambolError):
    """Something cannot be drawn, filmed or shown live."""


class ExperimentError(GambolError):
    """An experiment is written wrongly."""


class StepError(GambolError):
    """A step could not be taken. `trajectory` is what a run computed before."""

    trajectory: Any = None

    def __init__(
        self,
        cause: str,
        *,
        time: float,
        world: int = 0,
        variable: str = "",
        time_scale: float = float("nan"),
        events: tuple[str, ...] = (),
        remedy: str = "",
    ):
        self.time, self.world, self.variable = time, world, variable
        self.time_scale, self.events, self.remedy = time_scale, events, remedy
        lines = [f"{cause} at t = {time:.12g} s (world {world})"]
        if variable:
            lines.append(f"the error is dominated by {variable}")
        if math.isfinite(time_scale):
            lines.append(f"the stiffest time scale is about {time_scale:.3g} s")
        if events:
            lines.append(f"last events: {', '.join(events)}")
        if remedy:
            lines.append(f"remedy: {remedy}")
        super().__init__("; ".join(lines))


class ZenoError(StepError):
    """Events accumulate: infinitely many in a finite time. `gaps` are the last intervals between them [s]."""

    def __init__(self, *, time: float, world: int, events: tuple[str, ...], gaps: tuple[float, ...], limit: float):
        self.gaps, self.limit = gaps, limit
        shown = ", ".join(f"{g:.3g}" for g in gaps[-6:])
        super().__init__(
            f"events accumulate: the last gaps are {shown} s, their limit is t = {limit:.12g} s",
            time=time,
            world=world,
            events=events,
            remedy="stop at this boundary, replace the impact by a resting contact, or allow a larger zeno_gap",
        )


@dataclass(frozen=True)
class Notice:
    """Something suspicious that is no error.

    what      in a sentence, with its numbers
    where     names the body, joint, element or run
    numbers   those of the sentence by name, SI units
    remedy    what to do about it
    """

    what: str
    where: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    remedy: str = ""

    def __str__(self) -> str:
        subject = f"{self.where}: " if self.where else ""
        remedy = f"; remedy: {self.remedy}" if self.remedy else ""
        return f"{subject}{self.what}{remedy}"


class GambolWarning(UserWarning):
    """Base of every warning that Gambol gives."""


class NoticeWarning(GambolWarning):
    """A notice, as a warning; `notice` is the record itself (`sim.notices` has all of them)."""

    def __init__(self, notice: Notice):
        self.notice = notice
        super().__init__(str(notice))


class FigureImportWarning(GambolWarning):
    """Things of a foreign file that a figure cannot represent; `left_out` has their names by kind.

    The message counts them; of many it names the first few.
    """

    def __init__(self, file: str, left_out: dict[str, tuple[str, ...]]):
        self.left_out = left_out
        super().__init__(f"{file}: not represented in the figure: {'; '.join(counted(left_out))}")


def counted(left_out: dict[str, tuple[str, ...]], most: int = 3) -> list[str]:
    """For each kind, its names, or how many there are and the first few."""
    found = []
    for kind, names in left_out.items():
        shown = ", ".join(name if len(name) <= 60 else f"{name[:57]}…" for name in names[:most])
        more = f"{len(names)}: {shown}, …" if len(names) > most else shown
        found.append(f"{kind} ({more})" if names else kind)
    return found


class RecordingWarning(GambolWarning):
    """A recording could no longer be written, and the run went on without it."""


class ExportWarning(GambolWarning):
    """Something that a format cannot hold was left out."""


def size_of(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000.0 or unit == "TB":
            return f"{count:.3g} {unit}"
        count /= 1000.0
    raise AssertionError


def shortened(text: str, most: int = 60) -> str:
    """A text from a file as a message shows it: its beginning, when it is long."""
    return text if len(text) <= most else f"{text[:most]}…"


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint such as `; did you mean 'hinge'? (allowed: ball, hinge, …)`, for the end of a message."""
    names = sorted(allowed)
    name = shortened(name)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"{hint} (allowed: {', '.join(names)})" if names else hint
