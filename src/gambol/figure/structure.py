"""What is wrong with the structure of a figure file, in words of its own."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from gambol.errors import nearest
from gambol.figure.placement import Problem, number_problem
from gambol.figure.shapes import SHAPES

ROTATIONS = ("quaternion", "rotate", "euler")


def structure_faults(data: Any) -> list[Problem]:
    """All structural faults: paths into `data`, and what is wrong there."""
    from pydantic import ValidationError

    from gambol.figure.schema import FigureModel

    found: list[Problem] = []
    try:
        FigureModel.model_validate(data)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            path = item["loc"]
            found.append((path, _wording(item, path)))
    found += _choices(data)
    return [(path, message) for path, message in found if not _is_misspelt(path, message, found)]


def _is_misspelt(path: Sequence[str | int], message: str, found: Sequence[Problem]) -> bool:
    """Is this complaint about a missing key already answered by one about an unknown key beside it?"""
    if not message.startswith("missing key") and " needs a shape" not in message:
        return False
    outer, wanted = (path, list(SHAPES)) if " needs a shape" in message else (path[:-1], [str(path[-1])])
    unknown = [str(p[-1]) for p, m in found if m.startswith("unknown key") and p[:-1] == outer]
    return any(get_close_matches(key, wanted, n=1, cutoff=0.5) for key in unknown)


def _dotted(path: Sequence[str | int]) -> str:
    """A path as people write it, from the body down: joint.axis, parts[0].box.size."""
    inner = path[2:] if path[:1] == ("bodies",) and len(path) > 1 else path
    text = ""
    for step in inner:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else repr(value)


def _wording(item: Any, path: Sequence[str | int]) -> str:
    """One pydantic error in our words."""
    kind, value, about = item["type"], item["input"], item.get("ctx", {})
    name = _dotted(path) or ("the body" if path else "the file")
    if kind == "extra_forbidden":
        # A misspelt key often stands for a missing one, so the allowed keys are always named.
        outer = f" in {_dotted(path[:-1])}" if _dotted(path[:-1]) else ""
        return f"unknown key '{path[-1]}'{outer}{nearest(str(path[-1]), _allowed(path[:-1]))}"
    if kind == "missing":
        outer = f" in {_dotted(path[:-1])}" if _dotted(path[:-1]) else ""
        return f"missing key '{path[-1]}'{outer}"
    if kind in ("too_short", "too_long"):
        return f"{name} must have {_count(path)}, not {about['actual_length']}"
    if kind == "literal_error":
        allowed = [word.strip(" '") for word in about["expected"].replace(" or ", ",").split(",")]
        return f"{name}: {value!r} is not allowed{nearest(str(value), allowed)}"
    wanted = {
        "float_type": "a number",
        "int_type": "a whole number",
        "int_from_float": "a whole number",
        "string_type": "text (in quotes if it looks like a number)",
        "bool_type": "true or false",
        "list_type": "a list",
        "model_type": "a mapping",
        "dict_type": "a mapping",
        "finite_number": "finite",
    }.get(kind)
    if wanted == "a mapping" and (keys := _allowed(path)):
        wanted += f" (allowed keys: {', '.join(sorted(keys))})"
    return f"{name} must be {wanted}, not {_shown(value)}" if wanted else f"{name}: {item['msg']}"


def _count(path: Sequence[str | int]) -> str:
    """How many components the list at `path` has; pydantic tells one bound at a time."""
    key = next(step for step in reversed(path) if isinstance(step, str))
    counts = {
        "range": 2,
        "discharge": 2,
        "rotate": 2,
        "quaternion": 4,
        "inertia": 6,
        "colour": "3 or 4",
        "bodies": "at least 1",
    }
    return f"{counts.get(key, 3)} {'body' if key == 'bodies' else 'components'}"


def _allowed(path: Sequence[str | int]) -> list[str]:
    """The keys of the mapping at `path`, by the models."""
    from gambol.figure.schema import FigureModel, Model

    def model_in(kind: Any) -> Any:
        if isinstance(kind, type) and issubclass(kind, Model):
            return kind
        return next(filter(None, map(model_in, get_args(kind))), None)

    here: Any = FigureModel
    for step in path:
        if isinstance(step, str):
            entry = here.model_fields.get(step)
            here = model_in(entry.annotation) if entry else None
        if here is None:
            return []
    return list(here.model_fields)


def _choices(data: Any) -> Iterator[Problem]:
    """What one model cannot say: choices between keys."""
    bodies = data.get("bodies") if isinstance(data, dict) else None
    for index, body in enumerate(bodies if isinstance(bodies, list) else []):
        if not isinstance(body, dict):
            continue
        path = ("bodies", index)
        yield from _rotation_choice(body.get("placement"), (*path, "placement"))
        parts = body.get("parts")
        for number, part in enumerate(parts if isinstance(parts, list) else []):
            if isinstance(part, dict):
                yield from _part_choices(part, (*path, "parts", number))


def _rotation_choice(placement: Any, path: tuple[str | int, ...]) -> Iterator[Problem]:
    if not isinstance(placement, dict):
        return
    given = [key for key in ROTATIONS if key in placement]
    if len(given) > 1:
        yield (*path, given[1]), f"{_dotted(path)} has {' and '.join(given)}; only one of them is allowed"
    turns = placement.get("rotate")
    for index, turn in enumerate(turns if isinstance(turns, list) else []):
        if not isinstance(turn, list) or len(turn) != 2:
            continue
        axis, degrees = turn
        here = (*path, "rotate", index)
        if not (axis in ("x", "y", "z") or _is_direction(axis)):
            yield here, f"{_dotted(here)}: the axis must be x, y, z or a vector of 3 numbers, not {axis!r}"
        if problem := number_problem(degrees):
            yield here, f"{_dotted(here)}: the angle [degrees] {problem}"


def _is_direction(axis: Any) -> bool:
    return isinstance(axis, list) and len(axis) == 3 and not any(map(number_problem, axis)) and any(axis)


def _part_choices(part: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[Problem]:
    yield from _rotation_choice(part.get("placement"), (*path, "placement"))
    kinds = [kind for kind in SHAPES if part.get(kind) is not None]
    if not kinds:
        yield path, f"{_dotted(path)} needs a shape (one of: {', '.join(SHAPES)})"
    elif len(kinds) > 1:
        yield (*path, kinds[1]), f"{_dotted(path)} has {' and '.join(kinds)}; a part has one shape"
    if "density" in part and part.get("mass") is not None:
        yield (*path, "mass"), f"{_dotted(path)} has density and mass; only one of them is allowed"
    for kind, needed in (("hull", ("points",)), ("mesh", ("vertices", "faces"))):
        shape = part.get(kind)
        if not isinstance(shape, dict):
            continue
        missing = [key for key in needed if key not in shape]
        if "file" in shape and len(missing) < len(needed):
            yield (*path, kind), f"{_dotted((*path, kind))} has a file and {needed[0]}; only one of them is allowed"
        elif "file" not in shape and missing:
            yield (*path, kind), f"missing key '{missing[0]}' in {_dotted((*path, kind))} (or 'file')"
