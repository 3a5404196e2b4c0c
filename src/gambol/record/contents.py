"""What the texts of a recording must hold, checked as it is opened: files come from strangers and from editors."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from gambol.errors import RecordingError

MAX_WORLDS = 10**9


class Text(BaseModel):
    """Plain data that may hold more than it must."""

    model_config = ConfigDict(extra="allow", strict=True)


class DescriptionText(Text):
    """How the run was made; one of a world has figures and gravity, one of an equation has variables."""

    kind: str
    worlds: int
    boundaries: list[str]
    stepping: dict[str, Any]
    every: float
    origin: float
    dtype: str
    figures: list[dict[str, Any]] | None = None
    gravity: list[float] | None = None
    elements: dict[str, int] | None = None
    terrain: dict[str, Any] | None = None
    variables: list[str] | None = None


class EnergyText(Text):
    """The verdict of the energy ledger; JSON has no number for what is not finite."""

    numerical: float | Literal["nan", "inf", "-inf"]
    turnover: float | Literal["nan", "inf", "-inf"]
    share: float | Literal["nan", "inf", "-inf"]
    word: str


class NothingText(Text):
    """Where no ledger is kept."""

    model_config = ConfigDict(extra="forbid")


class ReportText(Text):
    """What the run says about itself."""

    title: str
    what: str
    outcome: str
    began: str
    written: str
    command: str
    versions: dict[str, str]
    parameters: dict[str, Any]
    stepping: dict[str, Any]
    every_s: float
    channels: list[str]
    simulated_s: float
    wall_s: float
    speed: float
    counts: dict[str, float]
    events: dict[str, int]
    notes: list[str]
    notices: list[str] | None = None
    energy: EnergyText | NothingText | None = None
    warnings: list[str]
    left_out: dict[str, int]
    resumed_at_s: list[float]
    rows: int
    blocks: int | None = None


def description_from(content: bytes, where: str) -> dict[str, Any]:
    """The description in a recording."""
    found = _checked(content, DescriptionText, "description", where)
    if not 1 <= found["worlds"] <= MAX_WORLDS or found["kind"] not in ("world", "ode"):
        raise RecordingError(f"{where} is damaged: it describes {found['worlds']} worlds of kind {found['kind']!r}")
    if found["kind"] == "world" and not (found.get("figures") and len(found.get("gravity") or ()) == 3):
        raise RecordingError(f"{where} is damaged: it describes a world without figures or gravity")
    return found


def report_from(content: bytes, where: str) -> dict[str, Any]:
    """The report in a recording."""
    found = _checked(content, ReportText, "report", where)
    if found["rows"] < 0:
        raise RecordingError(f"{where} is damaged: its report counts {found['rows']} samples")
    return found


def _checked(content: bytes, kind: type[Text], what: str, where: str) -> dict[str, Any]:
    try:
        data = json.loads(content)
        kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        raise RecordingError(f"{where} is damaged: its {what}: {place}: {first['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{where} is damaged: its {what} is no JSON: {error}") from None
    return data
