"""Plots of recordings: what is drawn is what was recorded."""

import csv

import numpy as np
import pytest

from gambol import (
    Body,
    Boundary,
    Box,
    Figure,
    GambolError,
    GroundContact,
    Joint,
    Part,
    Placement,
    Recorder,
    Simulation,
    Surface,
    World,
    chain,
)
from gambol.plot import (
    energy_flows,
    plot_cycle,
    plot_flow,
    plot_gait,
    plot_ground_reaction,
    plot_joints,
    plot_ledger,
    plot_phase,
    plot_return_map,
    plot_surface,
    plot_sweep,
    save,
    write_data,
)
from gambol.plot.cycles import cycle_times, folded
from gambol.plot.recorded import ground_forces, stances, values_at_events


@pytest.fixture(scope="module")
def swing():
    arm = chain(2, Joint("hinge", (0, 1, 0), damping=0.01), length=0.4, radius=0.03)
    low = Boundary(name="low", watch="position", body="chain_0", value=0.0, direction="rising")
    sim = Simulation(World(arm, boundaries=[low]))
    sim.reset(q=[1.2, 0.3])
    with Recorder(sim, every=1 / 120) as recorder:
        recorder.run(5.0)
    return recorder.recording


@pytest.fixture(scope="module")
def drop():
    """A box that falls onto its four corners."""
    corners = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    box = Body(
        "box", joint=Joint("free"), placement=Placement.at(0, 0, 0.2), parts=(Part(Box((0.2, 0.2, 0.1)), mass=2.0),)
    )
    sole = GroundContact(name="sole contact", body="box", points=corners, surface=Surface(stiffness=5e3, damping=60.0))
    sim = Simulation(World(Figure("box", (box,)), forces=[sole]))
    with Recorder(sim, every=0.01) as recorder:
        recorder.run(2.0)
    return recorder.recording


def curves(picture):
    found = {}
    for axes in picture.axes:
        for line in axes.get_lines():
            if not str(line.get_label()).startswith("_"):
                found[line.get_label()] = (np.asarray(line.get_xdata()), np.asarray(line.get_ydata()))
    return found


def test_joints_and_phase(swing):
    joints = curves(plot_joints(swing))
    np.testing.assert_allclose(joints["chain_1"][1], np.degrees(swing.dataset.q[:, 1]))
    phase = curves(plot_phase(swing, joints=["chain_0"]))
    np.testing.assert_allclose(phase["chain_0"][1], np.degrees(swing.dataset.v[:, 0]))
    axes = plot_phase(swing).axes[0]
    assert axes.get_xlabel() == "position [°]" and axes.get_ylabel() == "speed [°/s]"
    with pytest.raises(GambolError, match="chain_7"):
        plot_joints(swing, joints=["chain_7"])


def test_energy(swing):
    drawn = curves(plot_ledger(swing))
    np.testing.assert_allclose(drawn["kinetic"][1], swing.dataset.ledger.sel(line="kinetic"))
    np.testing.assert_allclose(drawn["work of joints"][1], swing.dataset.ledger.sel(line="work of joints"))
    assert drawn["gravity (from the start)"][1][0] == 0.0
    with pytest.raises(GambolError, match="did you mean 'kinetic'"):
        plot_ledger(swing, lines=["kinetics"])


def test_return_map(swing):
    values, unit = values_at_events(swing, "low", "chain_0", speed=True)
    assert unit == "rad/s" and len(values) == len(swing.events) >= 3 and np.all(values > 0)
    x, y = curves(plot_return_map(swing, event="low", coordinate="chain_0", speed=True))["returns"]
    assert np.array_equal(x, values[:-1]) and np.array_equal(y, values[1:])
    for options, words in (
        (dict(event="lo", coordinate="chain_0"), "did you mean 'low'"),
        (dict(event="low", coordinate="chain_9"), "no coordinate is called"),
    ):
        with pytest.raises(GambolError, match=words):
            plot_return_map(swing, **options)


def test_ground_reaction_and_gait(drop, swing, tmp_path):
    (force,) = ground_forces(drop).values()
    assert force[0, 2] == 0.0 and force[-1, 2] == pytest.approx(2.0 * 9.81, rel=1e-3)  # it falls, then it rests
    panels = plot_ground_reaction(drop).axes
    assert [axes.get_ylabel() for axes in panels] == ["force up [N]", "force forward [N]", "force left [N]"]
    write_data(plot_gait(drop), tmp_path / "gait.csv")
    rows = list(csv.DictReader((tmp_path / "gait.csv").open()))
    assert rows[-1]["curve"] == "sole" and float(rows[-1]["y"]) == pytest.approx(2.0)
    assert float(rows[0]["x"]) == pytest.approx(np.sqrt(2 * 0.15 / 9.81), abs=0.011)  # when it lands
    with pytest.raises(GambolError, match="no contacts with the ground"):
        plot_gait(swing)


def test_gait_shows_the_outermost_bodies_that_touch():
    """A leg whose upper part touches too has one row: that of its foot; any may be asked for."""
    leg = Body("thigh", joint=Joint("free"), placement=Placement.at(0, 0, 0.05), parts=(Part(Box((0.3, 0.1, 0.1))),))
    foot = Body("foot", "thigh", Joint("hinge", (0, 1, 0)), Placement.at(0.2, 0, 0), (Part(Box((0.1, 0.1, 0.1))),))
    soles = [
        GroundContact(
            name=f"{body} contact", body=body, points=[(0, 0, -0.05)], surface=Surface(stiffness=5e4, damping=600.0)
        )
        for body in ("thigh", "foot")
    ]
    sim = Simulation(World(Figure("leg", (leg, foot)), forces=soles))
    with Recorder(sim, every=0.01) as recorder:
        recorder.run(0.1)
    rows = [t.get_text() for t in plot_gait(recorder.recording).axes[0].get_yticklabels()]
    assert rows == ["foot"]
    rows = [t.get_text() for t in plot_gait(recorder.recording, feet=["thigh", "foot"]).axes[0].get_yticklabels()]
    assert rows == ["thigh", "foot"]
    with pytest.raises(GambolError, match="did you mean 'thigh'"):
        plot_gait(recorder.recording, feet=["thig"])


def test_stances():
    time = np.arange(6.0)
    assert stances(time, np.array([1, 1, 0, 0, 1, 1], bool)) == [(0.0, 2.0), (4.0, 5.0)]
    assert stances(time, np.zeros(6, bool)) == []


def test_surfaces_and_sweeps():
    x, y = np.linspace(0, 1, 6), np.linspace(0, 2, 5)
    picture = plot_surface(x, y, np.add.outer(y, x), x="a [m]", y="b [s]", value="c [N]")
    assert picture.axes[0].get_xlabel() == "a [m]" and picture.axes[1].get_ylabel() == "c [N]"
    with pytest.raises(GambolError, match="shape"):
        plot_surface(x, y, np.zeros((6, 5)), x="", y="", value="")
    with pytest.raises(GambolError, match="finite"):
        plot_surface(x, y, np.full((5, 6), np.nan), x="", y="", value="")
    assert len(plot_sweep({"a": x, "b": x**2}, x, value="c").axes) == 2


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures_and_their_numbers_are_saved(swing, tmp_path, suffix):
    picture = plot_joints(swing)
    assert save(picture, tmp_path / f"a{suffix}").stat().st_size > 4000
    write_data(picture, tmp_path / "a.csv")
    rows = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert len(rows) == 2 * swing.rows and rows[0]["y label"] == "angle [°]"
    assert float(rows[0]["y"]) == np.degrees(1.2)


def test_the_gait_cycle_is_the_mean_of_the_cycles(swing, tmp_path):
    begins, what = cycle_times(swing, event="low")
    assert what == "low" and len(begins) == 3
    picture = plot_cycle(swing, joints=["chain_0"], event="low")
    (line,) = [line for line in picture.axes[0].get_lines() if line.get_label() == "chain_0"]
    angle = np.degrees(swing.motion().q[:, 0])
    cycles = folded(swing.time, angle, begins)
    assert cycles.shape == (len(begins) - 1, 101)
    assert cycles[1, 0] == pytest.approx(np.interp(begins[1], swing.time, angle))
    assert np.allclose(line.get_ydata(), cycles.mean(axis=0))
    assert save(picture, tmp_path / "cycle.svg").stat().st_size > 5000
    with pytest.raises(GambolError, match="no event is called 'high'"):
        plot_cycle(swing, event="high")


def test_touch_downs_begin_cycles(drop):
    downs = [begin for begin, _ in stances(drop.time, ground_forces(drop)["sole"][:, 2] > 0.0)]
    if len(downs) < 2:
        with pytest.raises(GambolError, match="no whole cycle from touch-down of sole to the next"):
            cycle_times(drop)
    else:
        assert set(cycle_times(drop)[0]) <= set(downs) and len(plot_cycle(drop).axes) == 1


def test_every_joule_that_was_given_was_taken(drop, swing, tmp_path):
    gave, took = energy_flows(drop)
    assert sum(gave.values()) == pytest.approx(sum(took.values()), rel=1e-9)
    assert gave["height"] == pytest.approx(2.0 * 9.81 * 0.15, rel=0.05)  # the box fell by 15 cm
    assert "height" not in took
    picture = plot_flow(drop)
    words = " ".join(text.get_text() for text in picture.axes[0].texts)
    assert "height" in words and "gave" in words and "took" in words
    assert save(picture, tmp_path / "flow.pdf").stat().st_size > 3000
    assert sum(energy_flows(swing)[1].values()) > 0
