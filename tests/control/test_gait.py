import numpy as np
import pytest

from gambol import (
    Leg,
    LegProgram,
    LoadReflex,
    NeighbourInhibition,
    PacemakerGait,
    PhaseNetwork,
    StepReflex,
    Stroke,
    WorldError,
    rehearse,
)
from gambol.control.legs.gait import STANCE, STEP
from gambol.control.legs.reflexes import Burden, Extreme
from gambol.control.legs.senses import Sensed
from gambol.models.roach import legs, table

NOTHING = LegProgram((Stroke("j", 0.0),))


def row_of_legs(pairs):
    names = [(f"{side[0]}{rank}", side, rank) for rank in range(pairs) for side in ("left", "right")]
    return [Leg(name, side=side, rank=rank, step=NOTHING, stance=NOTHING) for name, side, rank in names]


@pytest.mark.parametrize("row", table("gait_phases"), ids=lambda r: f"{r['cycle_time_s']}-{r['leg']}")
def test_phases_and_duty_of_the_table(row):
    cycle = float(row["cycle_time_s"])
    run = rehearse(PacemakerGait(legs(), step_time=0.05, cycle=cycle), max(2.0, 5 * cycle))
    lag = run.lags("bl", 0.3)[row["leg"]] % cycle
    due = float(row["step_start_after_back_left_ms_derived"]) / 1e3
    assert min(abs(lag - due), cycle - abs(lag - due)) < 1e-9
    assert run.duty(0.3)[run.legs.index(row["leg"])] == pytest.approx(float(row["duty_factor"]), abs=1e-5)


@pytest.mark.parametrize("pairs", [1, 2, 4, 7])
def test_any_number_of_legs(pairs):
    """Opposite legs alternate; each leg steps once a cycle."""
    run = rehearse(PacemakerGait(row_of_legs(pairs), step_time=0.1, cycle=1.0), 5.0)
    assert all(len(steps) in (4, 5, 6) for steps in run.steps)
    assert run.lags("l0", 0.5)["r0"] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("make", [PacemakerGait, PhaseNetwork])
def test_a_smooth_change_of_speed_misses_and_doubles_no_step(make):
    gait = make(legs(), step_time=0.05, cycle=0.6)
    cycle = lambda t: 1.0 / (1.0 / 0.6 + min(t / 4.0, 1.0) * (10.0 - 1.0 / 0.6))
    run = rehearse(gait, 5.0, cycle=cycle)
    for steps in run.steps:
        starts = np.array([s[0] for s in steps])
        wanted = np.array([cycle(t) for t in starts[:-1]])
        assert np.all(np.diff(starts) < 1.3 * wanted) and np.all(np.diff(starts) > 0.5 * wanted)
    tripod = run.lags("bl", 4.5)
    together = {leg for leg, lag in tripod.items() if min(lag % 0.1, 0.1 - lag % 0.1) < 4e-3}
    assert together == {"bl", "fl", "mr"}


def test_oscillators_find_their_phases_from_anywhere():
    network = PhaseNetwork(legs(), step_time=0.05, cycle=0.3)
    network.now.clock = network.now.clock + np.random.default_rng(1).uniform(-0.2, 0.2, (1, 6))
    network.now.triggers[...] = np.floor(network.phases() - 0.25)
    run = rehearse(network, 4.0)
    wave = run.lags("bl", 2.0)
    assert [wave[leg] for leg in ("ml", "fl", "br")] == pytest.approx([0.05, 0.10, 0.15], abs=2e-3)


def test_worlds_of_a_batch_step_as_single_ones():
    cycles = np.array([0.1, 0.17, 0.4])
    batch = PacemakerGait(legs(), step_time=0.05, cycle=cycles, worlds=3)
    singles = [PacemakerGait(legs(), step_time=0.05, cycle=c) for c in cycles]
    for k in range(400):
        batch.advance(0.0025 * (k + 1))
        for world, gait in enumerate(singles):
            gait.advance(0.0025 * (k + 1))
            assert np.array_equal(batch.now.state[world], gait.now.state[0])


def sensed(time, **given):
    names = {j: np.zeros(1) for leg in legs() for j in leg.joints}
    fields = {
        "angles": dict(names),
        "forces": dict(names),
        "loads": {leg.name: np.ones(1) for leg in legs()},
        "bumps": {leg.name: np.zeros(1) for leg in legs()},
    }
    for key, values in given.items():
        fields[key] |= values
    return Sensed(time=time, **fields)


def test_step_reflex_makes_a_leg_step_that_was_carried_too_far():
    gait = PacemakerGait(legs(), step_time=0.05, cycle=10.0, phase=0.3)
    gait.reflexes = [StepReflex({"fl": Extreme("leg_fl0", 0.2, 1.0)})]
    gait.advance(0.1, sensed(0.1))
    assert np.all(gait.now.state == STANCE)
    changes = gait.advance(0.2, sensed(0.2, angles={"leg_fl0": np.array([0.3])}))
    assert changes.steps[0].tolist() == [True, False, False, False, False, False]
    assert gait.reflexes[0].count == 1


def test_load_reflex_holds_a_leg_back_until_it_is_relieved_or_out_of_patience():
    gait = PacemakerGait(legs(), step_time=0.05, cycle=1.0)
    gait.reflexes = [LoadReflex({"bl": Burden("leg_bl1", 1e-6)}, patience=0.2)]
    loaded = {"leg_bl1": np.array([2e-6])}
    held = []
    while gait.now.time < 1.0:
        time = gait.now.time + 0.01
        gait.advance(time, sensed(time, forces=loaded))
        held.append(int(gait.now.state[0, 4]))
    first = held.index(STEP) * 0.01
    free = PacemakerGait(legs(), step_time=0.05, cycle=1.0)
    usual = rehearse(free, 1.0).steps[4][0][0]
    assert first - usual == pytest.approx(0.2, abs=0.03)


def test_neighbours_do_not_step_together():
    gait = PacemakerGait(legs(), step_time=0.05, cycle=0.12)
    gait.reflexes = [NeighbourInhibition()]
    for k in range(2000):
        time = 1e-3 * (k + 1)
        gait.advance(time, sensed(time))
        stepping = gait.now.state[0] == STEP
        assert not np.any(stepping & (gait.near @ stepping))


def test_faults_are_reported():
    with pytest.raises(WorldError, match=r"two steps: faster"):
        PacemakerGait(legs(), step_time=0.05, cycle=0.09)
    odd = Leg("x", side="up", rank=0, step=NOTHING, stance=NOTHING, neighbours=("y",))
    with pytest.raises(WorldError) as caught:
        PacemakerGait([odd, odd], step_time=0.1, cycle=1.0)
    text = str(caught.value)
    assert "two legs are called 'x'" in text and "side must be" in text and "no leg is called 'y'" in text
    with pytest.raises(WorldError, match="at least one leg"):
        PacemakerGait([], step_time=0.1, cycle=1.0)
