import pytest

from gambol import ExperimentError, UnknownNameError
from gambol.experiments.findings import (
    MOSTLY,
    Limit,
    Mean,
    Rate,
    Statement,
    about,
    answer,
    at_least,
    beyond,
    far_below,
    last_digit,
    ours,
    printed,
    within,
)
from gambol.experiments.registry import (
    Experiment,
    ExperimentContext,
    Parameter,
    experiment,
    experiments,
    find_experiment,
)

STATES = (
    printed("length", "a statement", "p. 3", last_digit("2.0"), value=2.0, unit="m"),
    ours("reported", "another", unit="m"),
    beyond("faster", "a third", at_least(1.0, "the source's"), value=1.0, full=True),
)


def measured(context):
    with context.picture("curve") as path:
        path.write_bytes(b"x")
    yield context.found("length", 2.01)
    yield context.found("reported", 3.0, note="so far", seed=7)
    if not context.quick:
        yield context.found("faster", context.parameter("pace"))


def made(run=measured, states=STATES, parameters=None):
    return Experiment("limbs-x", "S", "T", run, states, parameters or {"pace": Parameter(2.0, "times real time")})


def test_findings_carry_pictures_time_and_verdicts(tmp_path):
    rows = [f.as_row() for f in made().perform(tmp_path)]
    assert [r["verdict"] for r in rows] == ["matches", "reported", "beyond"]
    assert all(r["pictures"] == ["limbs-x-curve.png"] and r["seconds"] > 0 and r["id"] == "limbs-x" for r in rows)
    assert rows[0]["limit"] == "1.95 to 2.05" and rows[0]["why"] and rows[0]["where"] == "p. 3"
    assert (rows[1]["seed"], rows[1]["reason"], rows[1]["limit"]) == ("7", "so far", None)


def test_the_verdict_follows_from_value_and_limit(tmp_path):
    context = ExperimentContext(made(), tmp_path)
    differs = context.found("length", 2.1, note="so far")
    assert differs.verdict == "differs" and differs.reason == "not understood yet; so far"
    assert context.found("faster", 0.5).verdict == "differs"
    assert context.found("length", float("nan")).verdict == "differs"
    with pytest.raises(AttributeError):
        differs.verdict = "matches"
    with pytest.raises(ExperimentError, match="no number to hold against"):
        _ = context.found("length", "long").verdict


@pytest.mark.parametrize(
    "limit, good, bad",
    [
        (about(8.0), (6.4, 8.0, 10.0), (6.3, 10.1)),
        (about(-8.0), (-6.4, -10.0), (-6.3, 8.0)),
        (last_digit("5.5"), (5.45, 5.55), (5.44, 5.56)),
        (last_digit("38"), (37.5, 38.4), (37.4, 39)),
        (within(0.0, 1.0, "so"), (-1.0, 1.0), (-1.1, 1.1)),
        (far_below(1.0), (0.33, -2.0), (0.34,)),
        (answer("stands", "so"), ("stands",), ("falls",)),
    ],
)
def test_limits(limit, good, bad):
    assert all(limit.holds(value) for value in good) and not any(limit.holds(value) for value in bad)


def test_an_ensemble_is_within_the_limit_with_its_whole_interval(tmp_path):
    rate = Rate(6, 10)
    low, high = rate.interval
    assert 0.31 < low < 0.32 and 0.83 < high < 0.84  # Wilson's, by hand
    assert not MOSTLY.holds(rate.value, rate.interval)
    assert MOSTLY.holds(Rate(9, 10).value, Rate(9, 10).interval)
    mean = Mean([1.0, 2.0, 3.0])
    assert mean.interval == pytest.approx((2 - 4.30265 * 3**-0.5, 2 + 4.30265 * 3**-0.5), rel=1e-5)
    found = ExperimentContext(made(), tmp_path).found("length", Mean([1.99, 2.0, 2.02]))
    assert found.verdict == "matches" and found.counted == "2.003, mean of 3"
    assert ExperimentContext(made(), tmp_path).found("length", Mean([1.8, 2.0, 2.2])).verdict == "differs"
    with pytest.raises(ExperimentError, match="two values at least"):
        Mean([1.0])


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: printed("x", "s", "", at_least(1.0, "so")), "say where"),
        (lambda: Statement("x", "s", "derived", None, where="p. 1"), "needs a limit"),
        (lambda: ours("Two words", "s"), "small letters"),
        (lambda: at_least(1.0, ""), "needs its reason"),
        (lambda: Limit("so"), "needs a lower or an upper end"),
        (lambda: made(states=[ours("a", "s"), ours("a", "t")]), "states 'a' twice"),
    ],
)
def test_declarations_are_checked(make, words):
    with pytest.raises(ExperimentError, match=words):
        make()


def test_what_is_found_is_what_was_declared(tmp_path):
    assert [f.key for f in made().perform(tmp_path, quick=True)] == ["length", "reported"]
    with pytest.raises(ExperimentError, match=r"states nothing called 'lenght'.*did you mean 'length'"):
        made(lambda context: iter([context.found("lenght", 1.0)])).perform(tmp_path)
    with pytest.raises(ExperimentError, match="states 'faster' and found it 0 times"):
        made(lambda context: (context.found(key, 2.0) for key in ("length", "reported"))).perform(tmp_path)
    with pytest.raises(ExperimentError, match="states 'length' and found it 2 times"):
        made(lambda context: (context.found("length", 2.0) for _ in range(2))).perform(tmp_path)


def test_parameters_and_findings_are_refused_before_anything_runs(tmp_path):
    ran = []
    refused = made(lambda context: ran.append(1) or iter(()))
    with pytest.raises(ExperimentError, match=r"no parameter 'pase'.*did you mean 'pace'"):
        refused.perform(tmp_path, parameters={"pase": 1.0})
    with pytest.raises(ExperimentError, match="states nothing called 'lengths'"):
        refused.check({"pace"}, ["lengths"])
    refused.check({"pace"}, ["length"])
    assert not ran
    assert made().perform(tmp_path, parameters={"pace": 0.5})[-1].verdict == "differs"


def test_a_picture_must_be_drawn(tmp_path):
    context = ExperimentContext(made(), tmp_path)
    with pytest.raises(ExperimentError, match="was not drawn"), context.picture("p"):
        pass


def test_ids_are_checked():
    with pytest.raises(ExperimentError, match="must be a family and a name, such as finger-taps"):
        experiment("sails", source="", title="", states=())
    for id in experiments():
        assert find_experiment(id).id == id
    with pytest.raises(UnknownNameError, match="no experiment is called 'limbs-nowhere'"):
        find_experiment("limbs-nowhere")
