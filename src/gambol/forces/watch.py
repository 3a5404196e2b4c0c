"""No step passes what it has not seen: contacts say, as they act, for how long nothing new can touch.

Before each evaluation the stepper leaves in `motion.spare` how much of the step is still to come (REST, zero where
nobody asks), by how much a touch that is found late may change a speed (FINE) and how much deeper than at best it may
lead (SLACK); afterwards it reads how long what is apart, or not yet deep, may go on moving as it does (REACHED).
"""

from gambol.dynamics.workspace import FINE, OMEGA, REACHED, REST, SLACK, SLOTS
from gambol.jit import function
from gambol.math.memory import load_vec3
from gambol.math.scalar import any_positive, constant, load, maximum, minimum, sqrt, store, where_positive
from gambol.math.vector import cross, dot

THROUGH, TOUCHDOWN = 1, 2  # what a kernel watches for: bodies passing through one another; contacts found too deep
ENDLESS = 1e30  # [s, m or m/s] more than anything
DEEPER, LEAST = 0.25, 0.0625  # of the thickness: how deep a step may lead, and by how much at least
BOUNCE = 2.0  # of the time √(m/k): a step that is not longer sees a bounce
TURNING = 1e-12  # [m/s] slower is at rest


@function
def begin_watch(motion, rest, fine, slack):
    """Before an evaluation: `rest` of the step [s], `fine` [m/s] and `slack` (1 at best)."""
    store(motion.spare, REST, rest)
    store(motion.spare, FINE, constant(rest, fine))
    store(motion.spare, SLACK, constant(rest, slack))
    store(motion.spare, REACHED, constant(rest, ENDLESS))


@function
def spin_of(motion, i):
    """Angular velocity of a body, world axes [rad/s]."""
    return load_vec3(motion.work, i * SLOTS + OMEGA)


@function
def size_of(v):
    """Length of a vector."""
    return sqrt(dot(v, v))


@function
def tilting(normal, spin):
    """How fast, for each metre from a body's centre, its turning moves what it has there along a normal [1/s]."""
    return size_of(cross(normal, spin))


@function
def note_approach(motion, gap, closing, thick, mass, stiffness):
    """Two things `gap` apart [m, negative: deep] along their normal come nearer at most at the speed `closing`.

    thick: of the thinner [m]; what is pressed in farther than half of that may come out on the other side. mass [kg]
    and stiffness [N/m] of the contact: found at a depth d it has not felt the work k d²/2 that it gives back, which
    makes it faster by k d²/(2 m v), by FINE at most. What goes in faster than FINE bounces in the time √(m/k): a longer
    step would take it for a stop. What cannot come so far in the rest of the step is not looked at twice.
    """
    spare = motion.spare
    zero, tiny = constant(gap, 0.0), constant(gap, TURNING)
    twice, deepest, least = (
        load(spare, FINE) + load(spare, FINE),
        thick * constant(gap, DEEPER),
        thick * constant(gap, LEAST),
    )
    speed, soft = maximum(closing, tiny), mass / maximum(stiffness, tiny)
    into = maximum(load(spare, REST) * speed - maximum(gap, zero), zero)
    if any_positive(maximum(into * into - soft * twice * speed, into - least)):
        own = sqrt(soft)
        late = minimum(deepest, own * sqrt(twice * speed))
        deep = minimum(maximum(gap + deepest, least), own * (load(spare, FINE) + speed) * constant(gap, BOUNCE))
        room = where_positive(gap, late, deep) * load(spare, SLACK) + maximum(gap, zero)
        time = where_positive(closing, room / speed, constant(gap, ENDLESS))
        store(spare, REACHED, maximum(minimum(load(spare, REACHED), time), zero))
