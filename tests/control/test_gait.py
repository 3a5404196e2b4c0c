from types import SimpleNamespace

import numpy as np
import pytest

from gambol import (
    ElevatorReflex,
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
from gambol.control.legs.gait import IN_STANCE, IN_STEP, MAY_STEP
from gambol.control.legs.reflexes import BINS, Burden, Extreme, at_share, widened
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


# ---------------------------------------------------------------- cycles of each leg's own
def pair_of_legs(cycles, **options):
    return PhaseNetwork(row_of_legs(1), step_time=0.05, cycle=cycles, **options)


def phases_after(network, time):
    network.advance(time)
    return network.phases()[0]


@pytest.mark.parametrize("coupling", (8.0, 20.0))
def test_two_legs_of_different_cycles_keep_step(coupling):
    """At the mean of their frequencies, the quicker one ahead by asin(2π difference / coupling) / 2π."""
    quick, slow = 0.4, 0.5
    network = pair_of_legs([quick, slow], coupling=coupling, phase=0.1)
    before, after = phases_after(network, 10.0), phases_after(network, 12.0)
    assert (after - before) / 2.0 == pytest.approx(np.full(2, 0.5 * (1 / quick + 1 / slow)), rel=1e-9)
    ahead = after[0] - after[1] + 0.5  # opposite legs are half a turn apart
    assert ahead == pytest.approx(np.arcsin(2 * np.pi * (1 / quick - 1 / slow) / coupling) / (2 * np.pi), abs=1e-7)


def test_two_legs_too_different_fall_out_of_step():
    """They pass one another √(difference² - (coupling / 2π)²) times a second."""
    network = pair_of_legs({"l0": 0.2, "r0": 0.5}, coupling=6.0, tick=2e-4)
    before, after = phases_after(network, 2.0), phases_after(network, 42.0)
    beat = np.sqrt(9.0 - (6.0 / (2 * np.pi)) ** 2)
    assert ((after[0] - after[1]) - (before[0] - before[1])) / 40.0 == pytest.approx(beat, rel=5e-3)


def test_uncoupled_legs_keep_their_own_cycles():
    own = dict(zip("l0 r0 l1 r1".split(), (0.2, 0.25, 0.4, 0.5)))
    network = PhaseNetwork(row_of_legs(2), step_time=0.05, cycle=own, coupling=0.0)
    assert network.stance_time[0].tolist() == pytest.approx([0.15, 0.2, 0.35, 0.45])
    run = rehearse(network, 4.0)
    for name, steps in zip(run.legs, run.steps):
        np.testing.assert_allclose(np.diff([s[0] for s in steps]), own[name], atol=2.1e-3)  # two ticks
        assert all(end - start == pytest.approx(0.05) for start, end in steps[:-1])
    assert run.duty() == pytest.approx([0.75, 0.8, 0.875, 0.9], abs=2e-3)


def test_equal_cycles_of_each_leg_are_the_common_cycle():
    """To the last bit, in every world of a batch and by every way to say so."""
    common = PhaseNetwork(legs(), step_time=0.05, cycle=np.array([0.2, 0.3]), worlds=2)
    each = PhaseNetwork(legs(), step_time=0.05, cycle=np.repeat([[0.2], [0.3]], 6, axis=1), worlds=2)
    named = PhaseNetwork(legs(), step_time=0.05, cycle=0.7)
    named.set_cycle({leg.name: 0.3 for leg in legs()})
    named.reset(named.now.cycle)
    for k in range(300):
        for gait in (common, each, named):
            gait.advance(0.0025 * (k + 1))
        assert np.array_equal(common.now.clock, each.now.clock) and np.array_equal(common.now.state, each.now.state)
        assert np.array_equal(common.now.clock[1], named.now.clock[0])


def test_reflexes_go_by_the_cycle_of_their_leg():
    """A loaded leg waits for a share of its own cycle; the others fall in with it."""
    network = PhaseNetwork(legs(), step_time=0.05, cycle=1.0)
    network.set_cycle({"bl": 0.8})
    network.reflexes = [LoadReflex({"bl": Burden("leg_bl1", 1e-6)}, patience=0.5)]
    waited = 0
    while network.now.time < 3.0:
        time = network.now.time + 0.01
        network.advance(time, sensed(time, forces={"leg_bl1": np.array([2e-6])}))
        waited += network.now.state[0, 4] == MAY_STEP
    steps = int(network.now.steps[0, 4])
    assert steps >= 1 and waited == pytest.approx(40 * steps, abs=40)
    assert np.ptp(network.now.steps) <= 1


def test_faults_of_cycles():
    with pytest.raises(WorldError, match="a pacemaker has one cycle for all legs"):
        PacemakerGait(legs(), step_time=0.05, cycle=np.array([[0.2, 0.3, 0.3, 0.3, 0.3, 0.3]]))
    with pytest.raises(WorldError, match="no leg is called 'fll'; did you mean 'fl'"):
        PhaseNetwork(legs(), step_time=0.05).set_cycle({"fll": 0.3})
    with pytest.raises(WorldError, match="no cycle is given for the legs fr, ml"):
        PhaseNetwork(legs(), step_time=0.05, cycle={"fl": 0.3})
    with pytest.raises(WorldError, match=r"shape \(1,\) or \(1, 6\), not \(3,\)"):
        PhaseNetwork(legs(), step_time=0.05, cycle=[0.3, 0.3, 0.3])
    with pytest.raises(WorldError, match="two steps: faster"):
        PhaseNetwork(legs(), step_time=0.05).set_cycle({"fl": 0.09})


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
    assert np.all(gait.now.state == IN_STANCE)
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
    first = held.index(IN_STEP) * 0.01
    free = PacemakerGait(legs(), step_time=0.05, cycle=1.0)
    usual = rehearse(free, 1.0).steps[4][0][0]
    assert first - usual == pytest.approx(0.2, abs=0.03)


def test_neighbours_do_not_step_together():
    gait = PacemakerGait(legs(), step_time=0.05, cycle=0.12)
    gait.reflexes = [NeighbourInhibition()]
    for k in range(2000):
        time = 1e-3 * (k + 1)
        gait.advance(time, sensed(time))
        stepping = gait.now.state[0] == IN_STEP
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


def test_envelopes_of_reflexes_go_by_the_share_of_the_step():
    """A force that is normal as a foot lands is a bump in mid-swing; what a leg may carry late it may not early."""
    limits = np.full(BINS, 1.0)
    limits[-4:] = 10.0
    assert at_share(limits, np.array([0.0, 0.5, 0.85, 3.0])).tolist() == [1.0, 1.0, 10.0, 10.0]
    assert at_share(2.5, np.zeros(2)).tolist() == [2.5, 2.5]
    assert widened(np.array([0.0, 3.0, 0.0, 0.0])).tolist() == [3.0, 3.0, 3.0, 0.0]
    gait = PacemakerGait(legs(), step_time=0.05, cycle=1.0)
    reflex = ElevatorReflex({"fl": ("leg_fl1", 0.3)}, {"fl": limits}, early=1.0)
    begun = []
    controller = SimpleNamespace(gait=gait, begin=lambda stroke, worlds, time, span: begun.append(time))
    gait.now.state[0, 0], gait.now.since[0, 0] = IN_STEP, 0.0
    for share in (0.9, 0.5):
        reflex.react(controller, sensed(share * 0.05, bumps={"fl": np.array([5.0])}))
    assert begun == [0.5 * 0.05] and reflex.count == 1
    load = LoadReflex({"fl": Burden("leg_fl1", limits)})
    gait.now.state[0, 0] = MAY_STEP
    for share, held in ((0.5, True), (0.95, False)):
        gait.blocked[...] = False
        load.act(gait, sensed(share * 0.95, forces={"leg_fl1": np.array([5.0])}))
        assert gait.blocked[0, 0] == held
