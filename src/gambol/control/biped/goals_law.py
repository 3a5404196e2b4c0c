"""What a person's walk goes for at a tick, compiled, over a batch of worlds: goals that follow what is wanted at their
rates, the line to walk on, and the numbers of the gait by speed, slope and turning.
"""

import math

from gambol.control.biped.standing_law import (
    MODE,
    RUN,
    STANDING_STILL,
    STRIDE_SPEED,
    TO_RUN,
    TO_STAND,
    TO_STEP,
    TO_WALK,
    WALK_FROM,
    WALKING,
    clip,
)
from gambol.jit import entry, function

GOALS = 10
(
    GOAL_SPEED, GOAL_HEADING, GOAL_X, GOAL_Y, GOAL_TURNING, GOAL_GO, GOAL_SLOPE, GOAL_CROUCH, GOAL_ROUGH, GOAL_SIT,
) = range(GOALS)  # fmt: skip
WANTED = 7
WANT_SPEED, WANT_HEADING, WANT_TURNING, WANT_CROUCH, WANT_SLOPE, WANT_ROUGH, WANT_SIT = range(WANTED)
GOAL_SPEEDS = (0.4, 2.1)  # [m/s] within which the goal of a walk stays, with what is added to keep the speed
RUN_SPEEDS, RUNS_FROM = (2.0, 4.0), 2.1  # [m/s] the same of a run; from which it is asked for
RUN_ACCELERATION = 3.0  # times that of a walk
RUN_AHEAD = 0.5  # [m/s] by which the goal of a run is ahead of its own speed at most: feet are placed for the goal
WALK_AHEAD = 0.4  # [m/s] the same of a walk over rough ground: where it loses its speed it takes shorter steps
WALKS_FROM = 0.68  # [m/s] below which it takes slow steps
BACKWARD = -0.3  # [m/s]
TURN_ACCELERATION = 0.8  # [rad/s²] by which a walk takes on its turning
TURN_SHARE = 0.03  # of the turning that slow steps take on at a tick
STEP_TURNING = 0.5  # [rad/s] by which it turns at least where it takes slow steps
STRAY_TIME = 1.5  # [s] in which the line of a walk that turns follows the person aside
TURN_AT, TURNED = 0.12, 0.03  # [rad] off its heading from which it turns on the spot, and until which
UPHILL, STEEPEST = 1.5, 0.15  # share of the speed that it gives up by the rise; the steepest that is believed
BRAKING = 1.5  # times the acceleration, when it is told to stand
TRIM_RATE, MOST_TRIM = 0.2, 0.3  # [1/s], [m/s]: what the walk falls short of its speed is added to the goal, slowly


@function
def _what_is_wanted(speed, apart, mode, pace, can_run):
    """TO_STAND, TO_STEP, TO_WALK or TO_RUN."""
    if can_run and speed >= pace * RUNS_FROM:
        return TO_RUN
    if speed >= pace * WALKS_FROM:
        return TO_WALK
    if speed != 0.0 or abs(apart) > (TURN_AT if mode == STANDING_STILL else TURNED):
        return TO_STEP
    return TO_STAND


@function
def _goal_speed(goal, speed, trim, mode, own, pace, most):
    """The speed to go for at this tick [m/s]; own: its speed [m/s]; most: by how much the goal may grow."""
    walks = mode == WALKING or mode == RUN
    low, high = RUN_SPEEDS if mode == RUN else GOAL_SPEEDS
    if mode == RUN:
        most *= RUN_ACCELERATION
    least = pace * (low if walks or goal[GOAL_GO] >= TO_WALK else BACKWARD)
    wanted = clip(speed + trim, least, pace * high)
    if not walks:
        wanted = min(wanted, pace * (WALK_FROM + 0.03))  # until it walks
    if mode == WALKING and goal[GOAL_ROUGH] > 0.0:
        goal[GOAL_SPEED] = max(min(goal[GOAL_SPEED], own + pace * WALK_AHEAD), pace * low)
    slower = most if speed >= pace * WALKS_FROM else BRAKING * most
    if mode == RUN:
        most = min(most, max(own + pace * RUN_AHEAD - goal[GOAL_SPEED], 0.0))
    return goal[GOAL_SPEED] + clip(wanted - goal[GOAL_SPEED], -slower, most)


@function
def _move_line(goal, seen, turning, mode, period):
    """While it turns the line goes with the person, but slowly aside: or it would drift away."""
    c, s = math.cos(goal[GOAL_HEADING]), math.sin(goal[GOAL_HEADING])
    x, y = seen[0, 0] - goal[GOAL_X], seen[0, 1] - goal[GOAL_Y]
    along, aside = c * x + s * y, c * y - s * x
    share = 1.0 if mode >= STANDING_STILL else period / STRAY_TIME
    if turning or mode >= STANDING_STILL:
        goal[GOAL_X] += c * along - s * share * aside
        goal[GOAL_Y] += s * along + c * share * aside


@entry(seconds=2.0)
def move_goals(period, pace, acceleration, can_run, wanted, seen, state, trims, goals):
    """Goals go to what is wanted at their rates; while it turns, the line to walk on goes through the person.

    wanted   (worlds, WANTED): speed [m/s], heading [rad], turning [rad/s], crouch [m], slope and roughness [m] of the
             ground, is it to sit (1 or 0)
    trims    (worlds,): what the goal is ahead of the speed that is wanted [m/s]
    """
    for w in range(goals.shape[0]):
        goal, want, mode = goals[w], wanted[w], int(state[w, MODE])
        walks = mode == WALKING or mode == RUN
        speed = want[WANT_SPEED] * (1.0 - UPHILL * clip(want[WANT_SLOPE], 0.0, STEEPEST))
        apart = want[WANT_HEADING] - goal[GOAL_HEADING]
        apart -= 2.0 * math.pi * math.floor(apart / (2.0 * math.pi) + 0.5)
        goal[GOAL_GO] = _what_is_wanted(speed, apart, mode, pace, can_run)
        goal[GOAL_SLOPE], goal[GOAL_ROUGH] = want[WANT_SLOPE], want[WANT_ROUGH] if mode == WALKING else 0.0
        stays = goal[GOAL_GO] == TO_STAND
        goal[GOAL_CROUCH], goal[GOAL_SIT] = want[WANT_CROUCH] * stays, want[WANT_SIT] * stays
        if walks and goal[GOAL_GO] >= TO_WALK:
            lacking = TRIM_RATE * period * (speed - pace * state[w, STRIDE_SPEED])
            trims[w] = clip(trims[w] + lacking, -MOST_TRIM, MOST_TRIM)
        else:
            trims[w] = 0.0
        if mode >= STANDING_STILL:
            goal[GOAL_SPEED] = apart = 0.0
        else:
            goal[GOAL_SPEED] = _goal_speed(
                goal, speed, trims[w], mode, pace * state[w, STRIDE_SPEED], pace, acceleration * period
            )
        widest = want[WANT_TURNING] if walks else max(want[WANT_TURNING], STEP_TURNING / pace)
        if walks and goal[GOAL_GO] < TO_WALK:  # first slow, then turn
            widest = 0.0
        rate = clip(apart / period, -widest, widest)
        if walks:  # into a curve and out of it without a jolt
            slowing = math.sqrt(2.0 * TURN_ACCELERATION * abs(apart))
            change = clip(rate, -slowing, slowing) - goal[GOAL_TURNING]
            rate = goal[GOAL_TURNING] + clip(change, -TURN_ACCELERATION * period, TURN_ACCELERATION * period)
            goal[GOAL_TURNING] = rate
        else:
            goal[GOAL_TURNING] += TURN_SHARE * (rate - goal[GOAL_TURNING])
        goal[GOAL_HEADING] += period * rate
        _move_line(goal, seen[w], abs(apart) > 1e-9, mode, period)


@entry
def gait_now(running, numbers, reference, goals, state, descends, params):
    """Numbers of the gait as they are now, of all worlds that run (running), or of all that do not.

    descends  (worlds,): 1 on stairs that go down
    numbers   (8, walks, numbers): those of the gait; what high and low speed, a rise, a fall, turning, rough ground add
    reference (walks,): speeds [m/s] at which they are given; one walk is that of all worlds
    """
    several = numbers.shape[1] > 1
    for w in range(params.shape[0]):
        if running != (int(state[w, MODE]) == RUN):
            continue
        k = w if several else 0
        faster, slope, turning = goals[w, GOAL_SPEED] - reference[k], goals[w, GOAL_SLOPE], abs(goals[w, GOAL_TURNING])
        fast, slow, rise, fall = max(faster, 0.0), min(faster, 0.0), max(slope, 0.0), max(-slope, 0.0)
        if running and goals[w, GOAL_GO] < TO_RUN:  # what it needs to begin a run does not help to end one
            slow = 0.0
        for n in range(params.shape[1]):
            own = numbers[0, k, n] + fast * numbers[1, k, n] + slow * numbers[2, k, n]
            own += rise * numbers[3, k, n] + fall * numbers[4, k, n]
            own += turning * numbers[5, k, n] + goals[w, GOAL_ROUGH] * numbers[6, k, n]
            params[w, n] = own + descends[w] * numbers[7, k, n]
