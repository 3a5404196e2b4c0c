"""The director: tells a figure where to go.

    director = Director(sim)                   # of a simulation with a walk attached: a roach, a creature, a person
    director.walk_to(0.3, 0.1)
    director.turn(1.57)
    director.stop()
    sim.run(10.0)
    [event.name for event in sim.events]       # "walk to (0.3, 0.1): done", …

Orders queue: each begins when the one before is done, and says so with an event; hands and head may go on meanwhile.
`director.clear()` forgets what is left. The director is a controller: it is saved with the simulation, recorded, and
goes on from there to the bit. A list of orders can be a text (gambol.control.directing.script):
`director.perform("script.yaml")`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from gambol.control.directing.orders import Follow, Go, Look, Order, Reach, Sit, Squat, Stop, Turn, Wait, WalkTo
from gambol.control.directing.script import read_directions
from gambol.control.directing.steering import Steering, steering_of
from gambol.control.directing.whereabouts import Whereabouts
from gambol.errors import Fault, WorldError
from gambol.stepping.controller import Controller, next_multiple


class Director(Controller):
    """Orders for one figure.

    run        a simulation with a walk attached; the director attaches itself before it
    steering   what steers its legs; default: found among the simulation's controllers
    period     [s] between looks; default: a hundredth of a second, or what suits the legs
    """

    keeps: ClassVar[tuple[str, ...]] = ("due", "speed", "heading", "given", "begun", "beside")
    begun: int  # orders that are done, or go on beside the one that is due
    beside: list[int]

    def __init__(self, run: Any, steering: Steering | None = None, *, period: float = 0.01):
        if not (period > 0 and math.isfinite(period)):
            raise WorldError([Fault(f"a period must be a positive time [s], it is {period}", "director")])
        self.steering, self.period = steering or steering_of(run), float(period)
        self.orders: list[Order] = []
        run.attach([self, *run.controllers])
        self.run = run

    # ------------------------------------------------------------ orders
    def go(self, speed: float | None = None, heading: float | None = None, *, seconds: float = 0.0) -> Order:
        """Walks on at a speed [m/s] (default: its usual one) and heading [rad]; done after `seconds`."""
        return self.order(Go(speed, heading, seconds))

    def stop(self) -> Order:
        """Comes to a stop, and stands."""
        return self.order(Stop())

    def squat(self, depth: float = 0.2) -> Order:
        """Comes to stand and lowers its hips by a depth [m]; a person can."""
        return self.order(Squat(depth))

    def sit(self) -> Order:
        """Comes to stand and sits down on what is behind it; a person can whose world has `seat=True`.

        It feels for the seat with its hips. Where there is none its event says "found no seat", and it stands again.
        """
        return self.order(Sit())

    def rise(self) -> Order:
        """Stands up straight again, from a squat or from a seat; it does so by itself when it is to go."""
        return self.order(Squat(0.0))

    def turn(self, angle: float) -> Order:
        """Turns left by an angle [rad], on the spot where it stands and can."""
        return self.order(Turn(angle))

    def walk_to(
        self, x: float, y: float, *, speed: float | None = None, within: float | None = None, halt: bool = False
    ) -> Order:
        """Goes to a place [m]; done when it is within a distance [m] of it; halt: and stands there."""
        return self.order(WalkTo(x, y, speed, within, halt))

    def follow(
        self, path: Iterable[Sequence[float]], *, speed: float | None = None, within: float | None = None
    ) -> Order:
        """Follows a line through points (x, y) [m] to its end."""
        return self.order(Follow(path, speed, within))

    def wait(self, seconds: float) -> Order:
        """Goes on as it does for some seconds."""
        return self.order(Wait(seconds))

    def reach(
        self, hand: str, point: Sequence[float], *, within: float | None = None, meanwhile: bool = False
    ) -> Order:
        """A hand ("left", "right") goes to a point (x, y, z) [m]; done within a distance [m]; it stays there.

        meanwhile: the next order does not wait for it.
        """
        return self.order(Reach(hand, point, within, meanwhile))

    def lower(self, hand: str, *, meanwhile: bool = False) -> Order:
        """A hand goes down, and swings again."""
        return self.order(Reach(hand, None, None, meanwhile))

    def look_at(self, point: Sequence[float] | None = None, *, meanwhile: bool = False) -> Order:
        """The head turns to a point (x, y, z) [m] and follows it; without one it looks ahead again."""
        return self.order(Look(point, meanwhile))

    def perform(self, script: str | Path | Iterable[Order]) -> None:
        """Adds the orders of a file of directions, or those of a list."""
        for order in read_directions(script) if isinstance(script, str | Path) else script:
            self.order(order)

    def order(self, order: Order) -> Order:
        """Adds an order to the queue."""
        self.orders.append(order)
        return order

    def clear(self) -> None:
        """Forgets all orders that are not done; it goes on as it does."""
        del self.orders[self.begun :]
        self.beside.clear()
        self.given = False

    @property
    def done(self) -> bool:
        """Are all orders done?"""
        return self.begun >= len(self.orders) and not self.beside

    # ------------------------------------------------------------ what a run asks of a controller
    def start(self, run: Any) -> None:
        """Standing still, heading as it is."""
        self.steering.start(run)
        self.due = run.latest_time
        seen = self.steering.look(run)
        self.speed, self.heading = 0.0, seen.heading
        self.given = False  # has the order that is due been given?
        self.begun, self.beside = 0, []

    def next_time(self, run: Any) -> float:
        return self.due

    def act(self, run: Any) -> bool | None:
        """Looks, lets the order of the moment decide, steers."""
        self.due = next_multiple(self.due, self.period)
        seen = self.steering.look(run)
        while self.begun < len(self.orders):
            order = self.orders[self.begun]
            if not self.given:
                order.begin(self, run, seen)
                self.given = True
            if order.meanwhile:
                self.beside.append(self.begun)
            elif not self._over(order, run, seen):
                break
            self.given = False
            self.begun += 1
        self.beside = [k for k in self.beside if not self._over(self.orders[k], run, seen)]
        self.steering.steer(run, self.speed, self.heading)
        return None

    def _over(self, order: Order, run: Any, seen: Whereabouts) -> bool:
        """Lets an order go on; notes its end."""
        if not order.tick(self, run, seen):
            return False
        run.note(f"{order}: {order.ended}", self.steering.world)
        return True

    def look(self) -> Whereabouts:
        """Where the figure is."""
        return self.steering.look(self.run)

    def save(self) -> Any:
        """Which orders are done, what the one under way remembers, the loops of the steering."""
        return [super().save(), [order.save() for order in self.orders], self.steering.save()]

    def restore(self, state: Any) -> None:
        """Exactly as it was saved; orders given since then are forgotten."""
        own, orders, steering = state
        super().restore(own)
        del self.orders[len(orders) :]
        for order, saved in zip(self.orders, orders):
            order.restore(saved)
        self.steering.restore(steering)
