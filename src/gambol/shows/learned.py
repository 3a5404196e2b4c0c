"""What was learned, on show: a policy is a controller like every other (`gambol view hexapod-learned`)."""

from gambol import Stepping
from gambol.shows.registry import show
from gambol.view import LiveSource, Parameter

FASTEST, QUICKEST = 0.6, 0.5  # [m/s], [rad/s] that were asked for in training


@show("hexapod-learned")
def hexapod_learned() -> LiveSource:
    """A robot of 30 degrees of freedom walks and turns as it is told, by a policy that was learned; pull at it."""
    from gambol.learn import Policy, PolicyController, hexapod_velocity

    task = hexapod_velocity()
    walk = PolicyController(task, Policy.learned("hexapod_velocity"), command=(0.4, 0.0, 0.0))

    def told(place: int, label: str, least: float, most: float, unit: str) -> Parameter:
        def ask(value: float) -> None:
            command = list(walk.command or ())
            command[place] = float(value)
            walk.command = tuple(command)

        return Parameter(label, lambda: (walk.command or ())[place], ask, least, most, unit=unit)

    asked = [told(0, "forward", 0.0, FASTEST, "m/s"), told(2, "turn", -QUICKEST, QUICKEST, "rad/s")]
    fine = Stepping(method="implicit-pair", eps=1e-4)
    return LiveSource.of(task.world, q=task.start, stepping=fine, controller=walk, parameters=asked)
