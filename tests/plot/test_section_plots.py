"""Sections, bifurcations, basins and runs compared: what is drawn is what was found."""

import numpy as np
import pytest

from gambol import Boundary, GambolError, Joint, Recorder, Simulation, World, chain
from gambol.plot import plot_basins, plot_bifurcation, plot_compared, plot_section, save, write_data
from gambol.plot.recorded import values_at_events


def swung(angle: float):
    arm = chain(2, Joint("hinge", (0, 1, 0), damping=0.01), length=0.4, radius=0.03)
    low = Boundary(name="low", watch="position", body="chain_0", value=0.0, direction="rising")
    sim = Simulation(World(arm, boundaries=[low]))
    sim.reset(q=[angle, 0.3])
    with Recorder(sim, every=1 / 120) as recorder:
        recorder.run(5.0)
    return recorder.recording


@pytest.fixture(scope="module")
def swings():
    return {"wide": swung(1.2), "narrow": swung(0.4)}


def test_a_section_has_a_dot_for_every_event(swings, tmp_path):
    swing = swings["wide"]
    picture = plot_section(swing, event="low", coordinate="chain_1")
    dots = picture.axes[0].collections[0].get_offsets()
    position, _ = values_at_events(swing, "low", "chain_1")
    speed, _ = values_at_events(swing, "low", "chain_1", speed=True)
    assert len(dots) == len(swing.events) >= 3
    assert np.allclose(dots, np.degrees(np.column_stack([position, speed])))
    assert "°/s" in picture.axes[0].get_ylabel()
    save(picture, tmp_path / "a.pdf")
    write_data(picture, tmp_path / "a.csv")
    assert "course" in (tmp_path / "a.csv").read_text()
    with pytest.raises(GambolError, match="did you mean 'low'"):
        plot_section(swing, event="lo", coordinate="chain_1")


def test_runs_are_compared_joint_by_joint(swings):
    picture = plot_compared(swings, joints=["chain_1"])
    (axes,) = picture.axes
    assert axes.get_title(loc="left") == "chain_1"
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert sorted(lines) == ["narrow", "wide"]
    for name, line in lines.items():
        assert np.allclose(line.get_ydata(), np.degrees(swings[name].motion().q[:, 1]))
    with pytest.raises(GambolError, match="two recordings or more"):
        plot_compared({"one": swings["wide"]})


def test_the_logistic_map_doubles_its_period():
    growth, x = np.linspace(2.8, 3.5, 40), np.full(40, 0.4)
    late = []
    for k in range(600):
        x = growth * x * (1.0 - x)
        if k >= 584:
            late.append(x)
    late = np.array(late)
    late[:, 0] = np.nan  # one that did not end
    picture = plot_bifurcation(growth, late, x="growth", y="share", title="logistic map")
    seen = picture.axes[0].get_lines()[0].get_xydata()
    assert not np.isnan(seen).any() and len(seen) == 16 * 39
    kinds = [len(np.unique(np.round(seen[seen[:, 0] == r, 1], 4))) for r in (growth[5], growth[20], growth[39])]
    assert kinds == [1, 2, 4]
    with pytest.raises(GambolError, match=r"are \(times, 40\), not \(16, 39\)"):
        plot_bifurcation(growth, late[:, 1:], x="growth", y="share")


def test_basins_name_what_each_start_reached():
    line = np.linspace(-1.0, 1.0, 5)
    starts = np.array([(a, b) for a in line for b in line])
    reached = ["left" if a < 0 else "right" for a, _ in starts]
    axes = plot_basins(starts, reached, x="a", y="b", marks=starts[:2]).axes[0]
    named = {line.get_label(): line.get_xydata() for line in axes.get_lines()}
    assert sorted(named) == ["_marks", "left (10)", "right (15)"]
    assert np.all(named["left (10)"][:, 0] < 0) and np.all(named["right (15)"][:, 0] >= 0)
    markers = {line.get_marker() for line in axes.get_lines() if not line.get_label().startswith("_")}
    assert len(markers) == 2, "told apart without colours too"
    with pytest.raises(GambolError, match=r"24 starts in a plane are \(24, 2\), not \(25, 2\)"):
        plot_basins(starts, reached[:-1], x="a", y="b")
