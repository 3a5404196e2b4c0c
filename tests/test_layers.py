"""The map of ARCHITECTURE.md as a test: packages import only those below them, lazily or for types alone too."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_each_package_depends_only_on_those_below_it(monkeypatch, capsys):
    cli = pytest.importorskip("importlinter.cli", reason="import-linter is not installed")
    monkeypatch.chdir(ROOT)
    assert cli.lint_imports(config_filename="pyproject.toml", no_cache=True) == 0, capsys.readouterr().out


def test_no_file_is_longer_than_five_hundred_lines():
    lines = {path.name: len(path.read_text().splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert {name: count for name, count in lines.items() if count > 500} == {}
