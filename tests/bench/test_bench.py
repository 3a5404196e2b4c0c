"""The benchmark measures what it says: same mechanics as the peers, honest ratios, names that are checked."""

import json

import numpy as np
import pytest

from gambol import Figure, GambolError, UnknownNameError, chain, random_figure
from gambol.bench.cases import cases, check_agreement, linearity, select_cases
from gambol.bench.gambol_contender import BENCH_STEP, GambolContender, generic_state
from gambol.bench.peers import PEERS
from gambol.bench.result import Floor, Result
from gambol.bench.table import remarks, result_table
from gambol.bench.timing import seconds_per_step
from gambol.export import mjcf_text
from gambol.models import hexapod30, person90


def result(case, ours=1.0, peers=None, floor=None, notes=()):
    return Result.of_times(case, "a step", "µs", ours, {"MuJoCo": 3.0} if peers is None else peers, floor, notes)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize(
    "make",
    [
        hexapod30,
        person90,
        lambda: chain(20, "ball", root="free"),
        lambda: random_figure(3, 12, ("hinge", "slide", "ball")),
    ],
    ids=["hexapod", "person", "balls", "random"],
)
def test_peers_have_our_accelerations(name, make):
    pytest.importorskip({"MuJoCo": "mujoco", "Pinocchio": "pinocchio"}[name])
    figure = make()
    q, v = generic_state(figure)
    theirs = PEERS[name](figure, q, v, step=BENCH_STEP).acceleration()
    ours = GambolContender(figure, q, v).acceleration()
    check_agreement(ours, [(name, theirs)], 1e-8)


def test_mujoco_takes_our_steps():
    pytest.importorskip("mujoco")
    figure = hexapod30()
    q, v = generic_state(figure)
    peer = PEERS["MuJoCo"](figure, q, v, step=BENCH_STEP)
    peer.run(50)
    ours = GambolContender(figure, q, v)
    ours.run(50)
    theirs = {body.name: peer.data.qpos[7 + k] for k, body in enumerate(b for b in peer._bodies() if b.parent)}
    mine = {name: ours.sim.q[ours.sim.coordinates(name)][0] for name in theirs}
    assert max(abs(theirs[name] - mine[name]) for name in theirs) < 1e-8


def test_disagreement_stops_the_benchmark():
    with pytest.raises(GambolError, match=r"differ from ours by 0\.01"):
        check_agreement(np.array([1.0, -2.0]), [("Other", np.array([1.02, -2.0]))], 1e-8)
    with pytest.raises(GambolError, match="nan"):
        check_agreement(np.array([1.0]), [("Other", np.array([np.nan]))], 1e-8)


def test_timed_calls_take_the_steps_they_are_divided_by():
    figure = chain(3)
    ours = GambolContender(figure, *generic_state(figure))
    for steps in (1, 7, 100, 3001):
        ours.check_steps(steps)


def test_best_of_interleaved_turns():
    turns = []

    class Fake:
        def __init__(self, name):
            self.name = name

        def reset(self):
            turns.append(self.name)

        def run(self, steps):
            pass

    best = seconds_per_step([Fake("a"), Fake("b")], rounds=3)
    assert turns[-6:] == ["a", "b"] * 3 and set(best) == {"a", "b"}


def test_ratios_are_larger_for_the_better():
    assert Result.of_times("c", "m", "µs", 2.0, {"x": 6.0, "y": 10.0}).ratio == 3.0
    assert Result.of_rates("c", "m", "1/s", 10.0, {"x": 2.0, "y": 5.0}).ratio == 2.0
    assert Result.of_times("c", "m", "µs", 2.0, {}).ratio is None


def test_json_is_what_others_rely_on():
    data = json.loads(json.dumps(result("aba-hexapod").data()))
    machine = data.pop("machine")
    assert set(machine) == {"level", "lanes"} and set(machine["lanes"]) == {"float64", "float32"}
    assert data == {
        "case": "aba-hexapod", "metric": "a step", "unit": "µs", "ours": 1.0, "peers": {"MuJoCo": 3.0}, "ratio": 3.0,
    }  # fmt: skip


def test_floors():
    assert Floor("ratio", 2.5).met(result("c")) is True
    assert Floor("ratio", 3.5).met(result("c")) is False
    assert Floor("ratio", 2.5).met(result("c", peers={})) is None
    assert Floor("ours", 1.0).met(result("c", ours=2.0)) is False


def test_table_and_remarks_name_what_is_missing():
    note = "MuJoCo not installed: pip install 'gambol[peers]'"
    rows = [result("aba-chain-32", ours=3.2), result("aba-chain-256", ours=51.2, peers={}, notes=(note,))]
    assert result_table(rows).row_count == 2
    lines = remarks(rows)
    assert any("2.00" in line for line in lines) and any(note in line for line in lines)
    assert linearity(rows) == (pytest.approx(2.0), False)
    assert linearity(rows[:1]) is None


def test_names_of_cases():
    assert [c.name for c in select_cases(["aba-chain-7", "chain-20", "aba-hexapod"])] == [
        "aba-chain-7",
        "chain-20",
        "aba-hexapod",
    ]
    assert [c.name for c in select_cases(["batch*"])] == [n for n in cases() if n.startswith("batch")]
    assert len(select_cases([])) == len(cases())
    with pytest.raises(UnknownNameError, match=r"no case 'aba-hexpod'; did you mean 'aba-hexapod'\?"):
        select_cases(["aba-hexpod"])
    with pytest.raises(UnknownNameError, match="aba-chain-0"):
        select_cases(["aba-chain-0"])


def test_mjcf_reads_back_as_the_same_tree():
    pytest.importorskip("mujoco")
    from gambol import read_mjcf

    figure = hexapod30()
    again = read_mjcf(mjcf_text(figure, step=1e-3, bare=True))
    assert isinstance(again, Figure) and again.names == figure.names
    assert again.mass == pytest.approx(figure.mass)


@pytest.mark.parametrize("name", ["aba-chain-3", "chain-20", "threads-hexapod"])
def test_a_case_runs(name):
    (measured,) = select_cases([name])[0].measure(1, lambda: None)
    assert measured.case == name and np.isfinite([measured.ours, *measured.peers.values()]).all()
