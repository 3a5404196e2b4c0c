"""Every block of code in the documentation runs, every figure in it is sound, every link leads somewhere."""

import re
from pathlib import Path

import pytest
from pages import LESSONS, PAGES, ROOT, Block, blocks, commands, name_of

from gambol import parse_yaml

ids = [name_of(page) for page in PAGES]


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p not in LESSONS], ids=[name_of(p) for p in PAGES if p not in LESSONS]
)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict = {"__name__": page.stem}
    for block in blocks(page, "python"):
        exec(compile(block.text, block.place, "exec"), scope)


@pytest.mark.parametrize("page", LESSONS, ids=[name_of(p) for p in LESSONS])
def test_lessons_run(page, tmp_path, monkeypatch):
    """Tutorials and how-to pages: python and commands in their order, in one folder; figures and scripts are files."""
    monkeypatch.chdir(tmp_path)
    scope: dict = {"__name__": page.stem}
    for block in blocks(page, "python", "sh", "yaml", "corpus"):
        if block.language == "python":
            exec(compile(block.text, block.place, "exec"), scope)
        elif block.language == "sh":
            for arguments in commands(block):
                obey(arguments, block)
        else:
            Path(name_in(block)).write_text(block.text, encoding="utf-8")


def obey(arguments: list[str], block: Block) -> None:
    """Runs a command in this process. What would serve until Ctrl-C is only looked up."""
    from gambol.cli.app import app
    from gambol.shows.registry import find_show

    if arguments[0] == "view" and "--out" not in arguments:
        assert Path(arguments[1]).exists() or find_show(arguments[1]), block.place
        return
    try:
        assert not app(arguments, standalone_mode=False)
    except SystemExit as end:
        assert not end.code, f"{block.place}: gambol {' '.join(arguments)}"


def name_in(block: Block) -> str:
    """The file that a block is: named in its first line, "# leg.yaml"."""
    first = block.text.splitlines()[0]
    assert re.fullmatch(r"[#;%] [\w.]+", first), f"{block.place}: the first line names the file, not {first!r}"
    return first[2:]


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_figures_are_sound(page):
    for block in blocks(page, "yaml"):
        assert parse_yaml(block.text).bodies


ROOT_PAGES = [ROOT / name for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")]


@pytest.mark.parametrize("page", [*PAGES, *ROOT_PAGES], ids=[*ids, *(name_of(page) for page in ROOT_PAGES)])
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name_of(page)}: {target}"


@pytest.mark.parametrize("page", LESSONS, ids=[name_of(p) for p in LESSONS])
def test_lessons_show_something_small(page):
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert shown or page.parent.name == "howto"
    for target in shown:
        assert (page.parent / target).stat().st_size < 150_000, target


def test_every_page_is_in_the_navigation():
    named = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        assert page.relative_to(ROOT / "docs").as_posix() in named


def test_faults_shown_are_those_printed(tmp_path, monkeypatch):
    from gambol import Figure, FigureError

    page = ROOT / "docs" / "figures.md"
    text = re.search(r'"broken\.yaml"\)\.write_text\("""\\\n(.*?)"""\)', page.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text(text.group(1))
    with pytest.raises(FigureError) as error:
        Figure.read("broken.yaml")
    shown = blocks(page, "text")[-1].text.splitlines()
    for line, fault in zip(shown, error.value.faults, strict=True):
        assert str(fault).startswith(line.split("(allowed")[0].strip())
