"""Small problems with known answers for the stepping tests.

All plain equations are one compiled function (its parameters choose), because every compiled march takes seconds.
"""

import math
from dataclasses import replace

import numpy as np

import gambol
from gambol import (
    METHODS,
    Body,
    Boundary,
    Crossing,
    Figure,
    Joint,
    JointSpring,
    Mass,
    Ode,
    OdeRun,
    Simulation,
    Stepping,
    World,
)
from gambol.stepping.methods import IMPLICIT
from gambol.stepping.ode import METHODS_OF_ODES

ALL = list(METHODS)
ADAPTIVE = [m.name for m in METHODS.values() if m.adaptive]
EXPLICIT_ODES = METHODS_OF_ODES
G = 9.81
FIRST_IMPACT = math.sqrt(2.0 / G)

# ---------------------------------------------------------------- plain equations
CLOCK, BALL, OSCILLATOR, WHEEL, STIFF, BLOWUP = range(6)  # p[0]
LINES, PAIR, TOUCH, WAVES = range(4)  # p[1] of a CLOCK: which boundary functions of time
SLOPE, SPOKE = 0.08, math.pi / 8


def rates(t, y, p, dy):
    dy[0], dy[1] = y[1], 0.0
    if p[0] == CLOCK:
        dy[0] = 1.0
    elif p[0] == BALL:
        dy[1] = -G
    elif p[0] == OSCILLATOR:
        dy[1] = -y[0]
    elif p[0] == WHEEL:
        dy[1] = G * math.sin(y[0])
    elif p[0] == STIFF:
        dy[0] = -p[1] * (y[0] - math.cos(t))
    elif p[0] == BLOWUP:
        dy[0] = y[0] * y[0]


def edges(t, y, p, g):
    if p[0] == CLOCK:
        x = y[0]
        for i in range(g.shape[0]):
            g[i] = x - p[2 + i]
            if p[1] == PAIR:
                g[i] = (x - p[2 + i]) ** 2 - 0.01
            elif p[1] == TOUCH:
                g[i] = (x - p[2 + i]) ** 2
            elif p[1] == WAVES:
                g[i] = p[2]
                for k in range(3):
                    g[i] += p[3 + 3 * k] * math.sin(p[4 + 3 * k] * x + p[5 + 3 * k])
    elif p[0] == OSCILLATOR:
        for i in range(g.shape[0]):
            g[i] = y[0] - p[1 + i]
    elif p[0] == WHEEL:
        g[0] = y[0] - (SLOPE + SPOKE)
    else:
        g[0] = y[0]
        if g.shape[0] > 1:
            g[1] = y[1]


def ode_run(parameters, y=(0.0, 0.0), events=("edge",), start=0.0, stepping=None, **options):
    """The equation that the parameters choose, in motion; options are those of Stepping."""
    crossings = [Crossing(e) if isinstance(e, str) else e for e in events]
    padded = np.zeros(12)
    padded[: len(parameters)] = parameters
    ode = Ode(rates, 2, boundaries=edges if events else None, events=crossings, parameters=padded)
    return OdeRun(ode, y, time=start, stepping=stepping or Stepping(**options))


def clock_run(shape, marks, events=("edge",), start=0.0, **options):
    """y[0] is the time: boundaries are functions of time alone."""
    return ode_run([CLOCK, shape, *marks], (start, 0.0), events, start, **options)


def ball_run(restitution, **options):
    """A ball dropped from 1 m; returns the run and its impact handler."""

    def bounce(run, event):
        run.y = [run.y[0], -restitution * run.y[1]]

    return ode_run([BALL], (1.0, 0.0), [Crossing("floor", direction="falling")], **options), bounce


def times(run, name=None):
    return np.array([e.time for e in run.events if name in (None, e.name)])


# ---------------------------------------------------------------- stepping
def forced(method, step, **more):
    """Steps of one length whatever the error."""
    if METHODS[method].adaptive:
        more = {"eps": 1e30, "min_step": step, "max_step": step} | more
    return Stepping(method=method, step=step, **more)


def tight(method, **more):
    """Accurate enough that what is left is not the stepper's (explicit methods of high order)."""
    return Stepping(method=method, **({"eps": 1e-12, "step": 1e-3} | more))


# ---------------------------------------------------------------- worlds
def slider(spring=0.0, damping=0.0, direction="falling", marks=(0.0,), **more):
    """1 kg that slides along z from z = 0, on a spring to z = 0; events at heights."""
    body = Body("block", joint=Joint("slide", (0.0, 0.0, 1.0)), mass=Mass.point(1.0))
    forces = []
    if spring or damping:
        forces = [JointSpring(joint="block", stiffness=spring, damping=damping, name="spring")]
    boundaries = [
        Boundary(name=f"mark{k}", watch="position", body="block", value=value, direction=direction)
        for k, value in enumerate(marks)
    ]
    return World(Figure("slider", (body,)), forces=forces, boundaries=boundaries, **more)


def pendulum(**more):
    """Point mass 1 kg on a massless rod of 1 m along -z at zero angle; turns about y."""
    bob = Body("bob", joint=Joint("hinge", (0.0, 1.0, 0.0)), mass=Mass.point(1.0, (0.0, 0.0, -1.0)))
    return World(Figure("pendulum", (bob,)), **more)


def swinging(boundaries=(), forces=()):
    """A free chain of three rods with ball joints, springs and dampers at them: everything that is a manifold."""
    figure = gambol.chain(3, Joint("ball", stiffness=0.5, damping=0.02), root="free", length=0.5)
    return World(figure, boundaries=boundaries, forces=forces)


def swinging_start(world, seed=3):
    """A generic moving state of `swinging`."""
    rng = np.random.default_rng(seed)
    q = gambol.figure.random_positions(rng, world.figures[0])
    return q, rng.normal(size=world.layout.nv)


def state_error(sim, q, v):
    """Largest difference of a simulation's state from (q, v); quaternions up to sign."""
    worst = float(np.abs(sim.v - v).max())
    for entry in sim.layout.bodies:
        a, b = sim.q[sim.coordinates(entry.name)], np.asarray(q)[sim.coordinates(entry.name)]
        if entry.body.joint.type in ("ball", "free"):
            worst = max(worst, float(np.abs(a[:-4] - b[:-4]).max(initial=0.0)))
            worst = max(worst, min(float(np.abs(a[-4:] - b[-4:]).max()), float(np.abs(a[-4:] + b[-4:]).max())))
        else:
            worst = max(worst, float(np.abs(a - b).max(initial=0.0)))
    return worst


def started(world, q=None, v=None, **options):
    sim = Simulation(world, **options)
    sim.reset(q, v)
    return sim


def measured_orders(errors, steps):
    """Order between neighbouring step lengths."""
    errors, steps = np.log(np.asarray(errors)), np.log(np.asarray(steps))
    return np.diff(errors) / np.diff(steps)


def with_method(stepping, method):
    return replace(stepping, method=method)


def is_implicit(method):
    return METHODS[method].kind == IMPLICIT
