"""Every command of the two command tables is implemented, or listed with the reason why it has no effect."""

import json
from pathlib import Path

from gambol.corpus import COMMAND_TABLE
from gambol.corpus.coverage import count_lines, counts, coverage, reference
from gambol.corpus.table import Argument, parse_spec

HERE = Path(__file__).parent


def table_names() -> list[str]:
    rows = (HERE / "command_names.txt").read_text(encoding="utf-8").splitlines()[1:]
    return [row.rsplit(" 19", row.count(" 19"))[0] for row in rows]


def test_every_command_of_the_tables_is_known():
    coverage()
    names = table_names()
    assert len(names) == 434
    assert [name for name in names if name not in COMMAND_TABLE] == []


def test_every_command_acts_or_gives_a_reason():
    for row in coverage():
        assert row["help"] and (row["status"] == "implemented") == (not row["reason"]), row
    assert all(bool(entry.function) != bool(entry.reason) for entry in COMMAND_TABLE.values())


def test_only_pictures_and_video_lack_an_effect():
    lacking = {group: count["no effect"] for group, count in counts(coverage()).items() if count["no effect"]}
    assert set(lacking) <= {"camera", "parser", "render", "shading", "video"}
    assert sum(lacking.values()) < 30


def test_the_table_in_the_docs_is_the_programs():
    text = (HERE.parents[1] / "docs" / "corpus.md").read_text(encoding="utf-8")
    assert "\n".join(count_lines(coverage())) in text
    assert json.dumps(coverage())
    assert (HERE.parents[1] / "docs" / "corpus_commands.md").read_text(encoding="utf-8") == reference(coverage())


def test_argument_specifications():
    required, optional = parse_spec("body:body x:number [file:file] [a:integer b:on|off]")
    assert required == (Argument("body", "body"), Argument("x", "number"))
    assert optional == ((Argument("file", "file"),), (Argument("a", "integer"), Argument("b", "on|off")))
    assert optional[1][1].choices == ("on", "off")
