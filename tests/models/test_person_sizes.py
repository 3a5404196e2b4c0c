"""People of any size: every builder takes height and mass; standing on slopes; who has fallen."""

import numpy as np
import pytest

from gambol import FigureError, Mechanics, PoseError, Terrain, Waves
from gambol.models import person90
from gambol.models.person import (
    basic_biped,
    fallen,
    lowest_point,
    person_hands,
    person_of,
    person_world,
    placed,
    posture,
    reaching_person,
    rigid_foot,
    single_body,
    stepping_person,
    walking_person,
)
from gambol.models.person.footing import fitted, lie_of, set_down, slope_at

BUILDERS = [person90, rigid_foot, reaching_person, single_body, person_hands, stepping_person, walking_person]


@pytest.mark.parametrize("builder", BUILDERS)
def test_every_builder_takes_height_and_mass(builder):
    usual, small = builder(), builder(height=1.2, mass=30.0)
    assert small.mass == pytest.approx(30.0 * usual.mass / 67.98, rel=1e-9)
    for name in set(usual.names) & {"head3", "l_shank"}:
        assert small[name].placement.position == pytest.approx(np.array(usual[name].placement.position) * 1.2 / 1.77)
    assert len(small.bodies) == len(usual.bodies) and small.name != usual.name
    assert builder(height=1.77, mass=67.98) == usual
    with pytest.raises(FigureError, match="height must be positive"):
        builder(height=-1.0)


def test_blocks_scale_by_their_own_size():
    assert basic_biped(height=0.855, mass=61.7).mass == pytest.approx(61.7)
    assert basic_biped(height=0.855)["l_shank"].placement.position[2] == pytest.approx(-0.2)
    assert person_of(1.2, 30.0) == person90(height=1.2, mass=30.0)


def test_a_world_of_a_size_has_a_figure_of_that_size():
    assert person_world(height=1.2, mass=30.0).figures[0] == person90(height=1.2, mass=30.0)


class Still:
    """What `fallen` asks of a simulation."""

    def __init__(self, figure, q, terrain=None):
        self.layout, self.world, self.q = self, self, q
        self.figures, self.terrain = (figure,), terrain or Terrain()


@pytest.mark.parametrize("height", [1.77, 0.5, 2.4])
def test_fallen_goes_by_the_own_size(height):
    figure = rigid_foot(height=height, mass=67.98 * (height / 1.77) ** 3)
    q = set_down(figure, posture(), None)
    assert not fallen(Still(figure, q))
    low = q.copy()
    low[2] -= 0.3 * Mechanics(figure).centre_of_mass(q)[2]
    assert fallen(Still(figure, low))
    hill = Terrain(level=5.0)
    high = q.copy()
    high[2] += 5.0
    assert not fallen(Still(figure, high, hill)) and fallen(Still(figure, q, hill))


@pytest.mark.parametrize("terrain", [Terrain(slope_x=0.15), Terrain(slope_x=-0.1, slope_y=0.08), Terrain(slope_y=-0.1)])
def test_soles_lie_on_a_slope(terrain):
    figure = rigid_foot()
    flat = placed(figure, posture())
    q = placed(figure, posture(), terrain=terrain)
    poses = figure.poses(q)
    for side in "lr":
        x, y, _ = poses[f"{side}_hindfoot"].position
        turned = lie_of(figure, q, side) - lie_of(figure, flat, side)
        assert turned == pytest.approx(slope_at(terrain, x, y), abs=1e-5)
        heel = f"{side}_hindfoot"
        assert abs(lowest_point(figure, q, terrain=terrain, of=heel.__eq__)) < 2e-3
    assert lowest_point(figure, q, terrain=terrain) == pytest.approx(0.0, abs=1e-9)


def test_a_step_too_high_is_refused():
    figure = rigid_foot()
    with pytest.raises(PoseError, match="no knee bends that far"):
        fitted(figure, posture(), Waves(amplitude=0.8, length_x=0.0, length_y=0.4))
    assert np.isfinite(placed(figure, posture(), terrain=Waves(amplitude=0.02, length_x=0.5, length_y=0.4))).all()
