"""A roach to be steered: `gambol view director`."""

from gambol import Director
from gambol.shows.registry import show
from gambol.view import LiveSource, Parameter, with_mouse_spring

PACES = {"stop": 0.0, "walk": 0.5, "run": 1.0, "back": -0.5}  # shares of the top speed


@show("director")
def director() -> LiveSource:
    """A roach that is told where to go: its pace, its heading."""
    from gambol.models.roach import TUNED, adjusted_legs, roach_world, walking_roach

    sim = walking_roach(with_mouse_spring(roach_world()), limbs=adjusted_legs(*TUNED))
    own = Director(sim)
    told = {"pace": "stop"}

    def pace(name: str) -> None:
        told["pace"] = name
        own.clear()
        own.go(PACES[name] * own.steering.top_speed)

    def heading(value: float) -> None:
        own.clear()
        own.go(PACES[told["pace"]] * own.steering.top_speed, float(value))

    return LiveSource(
        sim,
        speed=0.25,
        parameters=[
            Parameter("pace", lambda: told["pace"], pace, choices=tuple(PACES)),
            Parameter("heading", lambda: float(own.heading), heading, -3.0, 3.0, unit="rad"),
        ],
    )
