"""A share of the mutants of every format (`python -m tests.soak fuzz` reads as many as there is time for)."""

import argparse
import json
import os
import time
from dataclasses import replace

import pytest

from soak import fuzzing, spreading
from soak.formats import FORMATS
from soak.fuzz import KINDS, TRIES, TROUBLE, fuzz
from soak.report import Report
from soak.spreading import Lost, spread

SHARE = (
    dict.fromkeys(FORMATS, 40)
    | dict.fromkeys(("yaml", "urdf", "mjcf", "bvh", "simsect", "script"), 60)
    | {"recording": 25, "edited": 40, "journal": 40}
)


@pytest.mark.parametrize("name", FORMATS)
def test_mutants_are_read_or_refused(name):
    if needs := FORMATS[name].needs:
        pytest.importorskip(needs)
    tally = fuzz(name, seed=1_000_000, count=SHARE[name], budget=60.0)
    assert tally.failures == 0, tally.faults
    assert set(tally.counts) <= set(KINDS) and tally.counts["held"] > 0


@pytest.fixture
def broken(monkeypatch):
    """Makes a format of this reader and this damage."""

    def make(read, damage=None):
        form = FORMATS["bvh"]
        monkeypatch.setitem(FORMATS, "broken", replace(form, read=read, damage=damage or form.damage))
        return form.seeds()

    return make


def test_the_breakers_notice_what_breaks(broken):
    """A reader that has every fault there is: each is counted as what it is."""

    def read(file):
        text = file.read_bytes()
        if text in seeds:
            return 1
        match sum(text) % 4:
            case 0:
                raise KeyError("bare")
            case 1:
                os.abort()
            case 2:
                return bytearray(10**12)
            case _:
                time.sleep(60.0)

    seeds = broken(read)
    tally = fuzz("broken", count=12, limit=0.2)
    assert tally.failures == tally.mutants == 12
    assert {"bare", "crashed", "hung", "memory"} == set(tally.counts), tally.counts


def test_children_that_do_not_come_up_are_counted_and_told(broken):
    """Good files that cannot be read: no mutant was, and that is no reason to end a trial of other formats."""

    def read(file):
        raise RuntimeError("no process")

    broken(read)
    tally = fuzz("broken", seed=7, count=5)
    assert tally.mutants == 0 and tally.reached == 7
    assert tally.counts == {TROUBLE: TRIES} and tally.failures == TRIES
    ((kind, what),) = tally.faults
    assert kind == TROUBLE and "RuntimeError" in what and "no process" in what


def test_a_child_that_ends_between_two_mutants_is_counted_and_followed_by_another(broken):
    seen = []

    def damage(content, chance):
        seen.append(1)
        if len(seen) == 3:
            os._exit(9)
        if chance.random() < 0.2:
            raise ValueError("cannot be made")
        return content

    broken(lambda file: 1, damage)
    tally = fuzz("broken", seed=0, count=40)
    assert tally.counts[TROUBLE] >= TRIES and any("exit 9" in what for _, what in tally.faults)

    seen += [1] * 10  # it dies no more: those that cannot be made remain
    tally = fuzz("broken", seed=0, count=40)
    unmade = tally.counts[TROUBLE]
    assert 0 < unmade < 20 and tally.counts["held"] == 40 - unmade and tally.reached == 40


def asked(path, **more):
    given = {"trial": "fuzz", "formats": ["bvh", "lock"], "seed": 40, "count": 70, "budget": 60.0, "processes": 1}
    given = argparse.Namespace(**given | more, json=path)
    given.report = Report(given)
    return given


def test_a_trial_that_was_cut_short_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzzing, "PIECE", 20)
    monkeypatch.setattr(fuzzing, "KEEP", -1.0)
    whole = fuzzing.mutants(asked(None))
    path, pieces, piece = tmp_path / "found.json", [], fuzzing._piece

    def dies_at_the_fifth(*job):
        pieces.append(job)
        if len(pieces) == 5:
            raise KeyboardInterrupt
        return piece(*job)

    monkeypatch.setattr(fuzzing, "_piece", dies_at_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        fuzzing.mutants(asked(path))
    kept = json.loads(path.read_text())
    assert kept["all"]["mutants"] == 80 and not kept["ended"]
    again = fuzzing.mutants(asked(path))
    left = [(name, at, 20 if at < 100 else 10) for at in (80, 100) for name in ("bvh", "lock")]
    assert [job[:3] for job in pieces[5:]] == left
    for name in ("bvh", "lock"):
        assert again["formats"][name] | {"seconds": 0} == whole["formats"][name] | {"seconds": 0}
    assert again["ended"] and again["held"] and again["all"]["held"] == 140


def test_another_trial_does_not_go_on_from_it(tmp_path):
    path = tmp_path / "found.json"
    asked(path).report.write({"held": False})
    assert asked(path).report.earlier() is not None
    assert asked(path, seed=41).report.earlier() is None
    asked(path).report.write({"held": True}, ended=True)
    assert asked(path).report.earlier() is None


def square_or_die(x):
    if x == 3:
        os._exit(5)
    if x == 4:
        raise ValueError("four")
    return x * x


def test_a_worker_that_dies_takes_no_other_job_with_it():
    found = {}
    for (x,), result in spread(square_or_die, [(x,) for x in range(8)], 2):
        found.setdefault(x, []).append(result)
    assert {x: results for x, results in found.items() if x not in (3, 4)} == {x: [x * x] for x in (0, 1, 2, 5, 6, 7)}
    assert [(lost.again, "ended with 5" in lost.why) for lost in found[3]] == [(True, True), (False, True)]
    assert all(isinstance(lost, Lost) and "four" in lost.why for lost in found[4]) and len(found[4]) == 2


def test_where_every_worker_dies_it_ends(monkeypatch):
    monkeypatch.setattr(spreading, "HOPELESS", 4)
    lost = [result for _, result in spread(os._exit, [(k,) for k in range(1, 12)], 2)]
    assert all(isinstance(each, Lost) for each in lost)
    assert sum("not begun" in each.why for each in lost) > 4
