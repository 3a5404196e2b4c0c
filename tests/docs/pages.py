"""The pages of the documentation, and what is in them."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LESSONS = [page for page in PAGES if page.parent.name in ("tutorials", "howto")]


class Block(NamedTuple):
    """A piece of code: its language, its text, and where it stands."""

    language: str
    text: str
    place: str


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of code of a page in their order, of these languages."""
    found = re.finditer(r"^```(\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    made = [Block(m[1], m[2], f"{name_of(page)}, block {k + 1}") for k, m in enumerate(found)]
    return [block for block in made if block.language in languages]


def commands(block: Block) -> list[list[str]]:
    """The arguments of every `gambol …` of a shell block."""
    import shlex

    lines = block.text.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("gambol ")]
