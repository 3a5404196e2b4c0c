"""What Tab offers is what there is."""

from pathlib import Path

from gambol.cli import completion
from gambol.cli.plot import KINDS
from gambol.experiments.registry import experiments
from gambol.shows.registry import shows


def test_every_experiment_is_offered():
    assert completion.experiment_ids() == sorted(experiments())
    assert completion.experiment_ids("verify-f") == ["verify-free-fall"] and completion.experiment_ids("x") == []


def test_every_show_is_offered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    experiments()  # they add theirs
    assert completion.shows_and_files() == sorted(shows())
    Path("walk.gambol").touch()
    Path("notes.txt").touch()
    assert completion.shows_and_files("wa") == ["walk.gambol"]


def test_functions_of_this_folder_can_be_swept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("walk.py").write_text("def speed(cycle):\n    def inner(): ...\n\ndef _hidden(): ...\n")
    assert completion.targets("walk") == ["walk.py:speed"] and "finger-taps" in completion.targets()


def test_kinds_of_plots_are_those_there_are():
    assert sorted(completion.plot_kinds()) == sorted(KINDS)
