"""Every block of code in the documentation runs, every figure in it is sound, every link leads somewhere."""

import re
from pathlib import Path

import pytest

from gambol.figure import parse_yaml

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
page_names = [page.name for page in PAGES]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=page_names)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(page, "python")
    scope: dict = {"__name__": page.stem}
    for index, code in enumerate(found):
        exec(compile(code, f"{page.name}, block {index + 1}", "exec"), scope)


@pytest.mark.parametrize("page", PAGES, ids=page_names)
def test_figures_are_sound(page):
    for text in blocks(page, "yaml"):
        assert parse_yaml(text).bodies


@pytest.mark.parametrize("page", PAGES, ids=page_names)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_faults_shown_are_those_printed(tmp_path, monkeypatch):
    from gambol.figure import Figure, FigureError

    page = ROOT / "docs" / "figures.md"
    text = re.search(r'"broken\.yaml"\)\.write_text\("""\\\n(.*?)"""\)', page.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("broken.yaml").write_text(text.group(1))
    with pytest.raises(FigureError) as error:
        Figure.read("broken.yaml")
    shown = blocks(page, "text")[-1].splitlines()
    for line, fault in zip(shown, error.value.faults, strict=True):
        assert str(fault).startswith(line.split("(allowed")[0].strip())
