"""YAML text as plain data that remembers lines: every value's path is known to stand on some line.

Scalars follow YAML 1.2: `yes` and `on` are text, `1e-3` is a number.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from gambol.errors import Fault

Path = tuple[str | int, ...]
INTEGER = re.compile(r"[-+]?[0-9]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
MAX_DIGITS = 30  # of a whole number; longer ones are floats
MAX_DEPTH = 60  # lists and mappings within one another
MAX_COPIES = 200_000  # values beyond those of the file that aliases may stand for
STANDARD = "tag:yaml.org,2002:"
TAGS = ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "value")
WORDS: dict[str, Any] = {"": None, "~": None}
WORDS |= {word: None for word in ("null", "Null", "NULL")}
WORDS |= {word: True for word in ("true", "True", "TRUE")}
WORDS |= {word: False for word in ("false", "False", "FALSE")}


def scalar(text: str) -> Any:
    """The value of an unquoted scalar."""
    if text in WORDS:
        return WORDS[text]
    if INTEGER.fullmatch(text):
        return int(text) if len(text) <= MAX_DIGITS else float(text)
    if FLOAT.fullmatch(text):
        return float(text)
    return float(text.replace(".", "", 1)) if SPECIAL.fullmatch(text) else text


@dataclass
class Document:
    """Plain data, the line of every path in it, and what was wrong with the YAML."""

    file: str
    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def existing(self, path: Sequence[str | int]) -> Path:
        """The longest beginning of `path` that is in the file."""
        found = tuple(path)
        while found and found not in self.lines:
            found = found[:-1]
        return found

    def line(self, path: Sequence[str | int]) -> int:
        """The line of a value, or of the nearest thing around it."""
        return self.lines.get(self.existing(path), 1)

    def add(self, message: str, line: int) -> None:
        """A fault on a line of the file."""
        self.faults.append(Fault(message, file=self.file, line=line))


def read(path: str | FilePath) -> Document:
    """Read a file of YAML; what is not UTF-8 is a fault of the document. Raises OSError, as any file does."""
    content = FilePath(path).read_bytes()
    try:
        return parse(content.decode(), str(path))
    except UnicodeDecodeError as error:
        document = Document(str(path))
        document.add(f"not UTF-8 text: {error.reason}", content.count(b"\n", 0, error.start) + 1)
        return document


def parse(text: str, file: str) -> Document:
    """Read YAML; syntax errors and repeated keys are faults of the document."""
    import yaml

    document = Document(file)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        line = _too_deep(text, loader)
        if line:
            document.add(f"lists and mappings are nested more than {MAX_DEPTH} deep", line)
            return document
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        document.add(f"YAML syntax: {error.problem or error.context}", mark.line + 1 if mark else 1)
        return document
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        document.add(f"YAML syntax: {getattr(error, 'reason', error)}", text.count("\n", 0, position) + 1)
        return document
    if node is None:
        document.add("the file is empty", 1)
        return document
    builder = _Builder(document, len(text) + MAX_COPIES)
    try:
        document.data = builder.value(node, (), ())
    except TooManyValues as error:
        document.add(f"aliases stand for more than {MAX_COPIES} values", error.line)
    return document


def _too_deep(text: str, loader: Any) -> int:
    """The line where things are nested too deep, 0 if nowhere. Events are read one by one; nodes would recurse."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            return event.start_mark.line + 1 if event.start_mark else 1
    return 0


class TooManyValues(Exception):
    """Aliases of aliases; `line` (from 1) is that of one of them."""

    def __init__(self, line: int):
        self.line = line


class _Builder:
    def __init__(self, document: Document, allowed: int):
        self.document, self.left = document, allowed

    def value(self, node: Any, path: Path, within: tuple[int, ...]) -> Any:
        """The plain value of a node; `within` are the nodes around it, to stop at an alias of one of them."""
        self.left -= 1
        if self.left < 0:
            raise TooManyValues(node.start_mark.line + 1)
        self.document.lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in within:
            self.document.add("an alias refers to what contains it", node.start_mark.line + 1)
            return None
        within = (*within, id(node))
        if node.tag.removeprefix(STANDARD) not in TAGS:
            self.document.add(f"unknown tag {node.tag}", node.start_mark.line + 1)
        if node.id == "mapping":
            return self.mapping(node, path, within)
        if node.id == "sequence":
            return [self.value(item, (*path, index), within) for index, item in enumerate(node.value)]
        is_text = node.tag == f"{STANDARD}str" and "e" not in node.value.lower()  # YAML 1.1 takes 1e-3 for text
        return node.value if node.style or is_text else scalar(node.value)

    def mapping(self, node: Any, path: Path, within: tuple[int, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: list[Any] = []
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == f"{STANDARD}merge":
                merged += value_node.value if value_node.id == "sequence" else [value_node]
                continue
            if key_node.id != "scalar":
                self.document.add("a key must be a word", line)
                continue
            key = key_node.value
            if key in found:
                before = self.document.lines[(*path, key)]
                self.document.add(f"the key '{key}' is here twice, first on line {before}", line)
                continue
            self.document.lines[(*path, key)] = line
            found[key] = self.value(value_node, (*path, key), within)
        for other in merged:
            inherited = self.value(other, path, within)
            if not isinstance(inherited, dict):
                self.document.add("<<: takes a mapping", other.start_mark.line + 1)
                continue
            found = {**inherited, **found}
        return found
