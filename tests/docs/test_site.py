"""The site is built without warnings, with every page of docs/ and the reference."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings_handlers.python")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert built.returncode == 0, built.stderr
    assert not re.search(r"\b(WARNING|ERROR)\b", built.stderr), built.stderr
    return folder


def test_every_page_is_there(site):
    for page in (ROOT / "docs").rglob("*.md"):
        place = page.relative_to(ROOT / "docs").with_suffix("")
        name = "index.html" if place.name == "index" else f"{place}/index.html"
        assert (site / name).stat().st_size > 3000, name
    assert "How to add" in (site / "architecture" / "index.html").read_text()


def test_the_gallery_has_its_cards(site):
    text = (site / "gallery" / "index.html").read_text()
    assert text.count("<img") > 70 and 'id="finger-taps"' in text and "<!-- cards -->" not in text
    shown = set(re.findall(r'src="([\w./-]+\.webp)"', text))
    assert len(shown) > 70 and all((site / "gallery" / name).resolve().exists() for name in shown)


def test_the_gallery_plays(site):
    text = (site / "gallery" / "index.html").read_text()
    played = re.findall(r'<iframe class="plays"[^>]* src="\.\./([\w./-]+)"', text)
    assert sorted(played) == ["motion/directed.html", "motion/rough.html"] and "<!-- plays -->" not in text
    player = (ROOT / "src" / "gambol" / "view" / "player" / "player.min.js").read_text(encoding="utf-8")[:90]
    for name in played:
        page = (site / name).read_text(encoding="utf-8")
        assert player in page and '"frames"' in page, "a motion and the player of today"


def test_the_reference_comes_from_docstrings(site):
    text = (site / "reference" / "record" / "index.html").read_text()
    assert 'id="gambol.Recorder.run"' in text and "<td>time between samples [s]</td>" in text
    assert 'id="gambol.record.slots.Slots"' in text  # what is not public, after what is


def test_every_package_has_its_reference(site):
    for package in (ROOT / "src" / "gambol").iterdir():
        if (package / "__init__.py").exists():
            page = (site / "reference" / package.name / "index.html").read_text()
            assert re.search(rf'id="gambol\.({package.name}\.)?\w+', page), package.name


def test_every_public_name_is_in_the_reference_once(site):
    import gambol

    pages = "".join(page.read_text() for page in (site / "reference").rglob("index.html"))
    for name in gambol.__all__:
        if hasattr(getattr(gambol, name), "__qualname__"):
            assert pages.count(f'<h2 id="gambol.{name}"') == 1, name


def test_aligned_lists_become_tables():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        aligned = pytest.importorskip("aligned")
    finally:
        sys.path.pop(0)
    given = "Runs.\n\nevery    time [s]\nname     a|b\n         goes on\n\nThe end."
    wanted = "Runs.\n\n\n| | |\n|---|---|\n| `every` | time [s] |\n| `name` | a\\|b goes on |\n\n\nThe end."
    assert aligned.tabled(given) == wanted and aligned.tabled("No list here.") == "No list here."
