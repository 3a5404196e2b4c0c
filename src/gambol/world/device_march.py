"""The march of a world as one thread of a device takes it: text generated for the world at hand.

Runs of bodies and force elements are called directly, one after the other, and what a step works on lies in local
arrays of the thread, whose sizes must be constants: a kernel is compiled for a figure and a mix of elements. It makes
the steps of the processor (stepping.march, stepping.single), in the same order: fixed ones, or those of the implicit
pair, each world on its own clock. Worlds stop for the writes of their timetables and for samples.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gambol.dynamics.forward import (
    ONE,
    clear_forces,
    gather_driven,
    locate_translating,
    locate_turning,
    move_driven,
    place_driven,
)
from gambol.dynamics.joints import JOINTS, LINE_OF, POSITIONS_OF, SPEEDS_OF, TRANSLATES_OF
from gambol.dynamics.workspace import (
    LOCATED,
    MOTION,
    PLACE,
    REACHED,
    RUN_COUNT,
    RUN_DRIVEN,
    RUN_FIRST,
    RUN_KIND,
    RUN_POSITION,
    RUN_VELOCITY,
    SLOTS,
    SPARE_NUMBERS,
    SPEED,
    Model,
    Motion,
    place_world,
)
from gambol.forces import programs
from gambol.forces.programs import ProgramCall, clear_rates
from gambol.forces.watch import ENDLESS, begin_watch
from gambol.jit.device import is_finite
from gambol.jit.digest import source_digest
from gambol.math.memory import store_spatial, store_vec3
from gambol.math.scalar import load
from gambol.math.spatial import zero6
from gambol.math.vector import zero3
from gambol.math.world_numbers import WorldNumbers
from gambol.stepping.clock import add_time, time_left
from gambol.stepping.march import GROW, RESUME, SAFETY, SHRINK
from gambol.stepping.methods import IMPLICIT
from gambol.stepping.options import Stepping
from gambol.stepping.workspace import (
    BROKEN,
    CARRY,
    CLOCK_SECTION,
    INPUTS,
    NEXT,
    REJECTED,
    RETRIED,
    RUNNING,
    STATUS,
    STEP,
    STEPS,
    STUCK,
    TIME,
)
from gambol.world.flow import NP, NQ, NZ, enter_commands

FROZEN = ("parent", "flags", "const", "armature")  # read by all threads alike: these go to the constant memory


class ThreadLimits(NamedTuple):
    """How long the steps of a thread may be: numbers of StepControl, in the number type of the worlds."""

    min_step: float
    max_step: float
    almost: float
    eps: float
    fine: float


class ThreadPlan(NamedTuple):
    """What the march of a thread is generated for."""

    runs: tuple[tuple[int, ...], ...]  # of bodies (dynamics.workspace: RUN_KIND …)
    calls: tuple[ProgramCall, ...]  # of force elements
    bodies: int
    speeds: int
    offsets: tuple[int, ...]  # of a row of memory
    implicit: bool
    adaptive: bool  # by doubling, as the implicit pair
    watched: bool  # elements bound the step (forces.watch)
    old_share: float  # of the old speeds in moving the positions
    exponent: float  # of eps / error in the choice of the next step
    constants: tuple[
        tuple[str, str, bytes], ...
    ]  # arrays of the model that are frozen into the code, and the scale of the error: name, type, numbers


def plan_thread(model: Model, calls: Sequence[ProgramCall], offsets: np.ndarray, stepping: Stepping, scale: np.ndarray):
    """The plan for a model and the weights of its error; equal plans are one kernel."""
    method = stepping.scheme
    frozen = {name: getattr(model, name) for name in FROZEN} | ({"scale": scale} if method.adaptive else {})
    return ThreadPlan(
        runs=tuple(tuple(map(int, run)) for run in model.runs),
        calls=tuple(calls),
        bodies=len(model.parent),
        speeds=len(model.armature),
        offsets=tuple(map(int, offsets)),
        implicit=method.kind == IMPLICIT,
        adaptive=method.adaptive,
        watched=method.adaptive and any(call.kernel.watched for call in calls),
        old_share=float(method.old),
        exponent=float(stepping.power or 1.0 / method.order),
        constants=tuple((name, x.dtype.str, x.tobytes()) for name, x in frozen.items()),
    )


@functools.cache
def thread_kernel(plan: ThreadPlan, device: Any, dtype: Any, registers: int | None) -> Any:
    """The kernel of a plan for a device, still to be compiled for so many registers a thread: a function of

    model, alike, memory, times, record, reached, writes, worlds, width, limits, most

    alike      which parameters are the same in all worlds: those of the model count
    memory     (cells, worlds): what is saved of each world
    times      samples [s]; record (samples, width, worlds): the first `width` cells of every world at each
    reached    (worlds,): how many samples each has come to
    writes     stepping.timetable.Writes
    limits     ThreadLimits; most: attempts allowed from one sample to the next
    """
    text, scope = kernel_text(plan, device)
    depends = tuple(scope.items()), np.dtype(dtype).str, str(registers), source_digest((__name__,))
    file = device.source_file(text, depends)
    scope |= device.scope(dtype)
    exec(compile(text, file, "exec"), scope)
    return scope["kernel"]


def kernel_text(plan: ThreadPlan, device: Any) -> tuple[str, dict[str, Any]]:
    """The text of the kernel and what it refers to."""
    scope: dict[str, Any] = dict(
        Model=Model,
        Motion=Motion,
        WorldNumbers=WorldNumbers,
        add_time=add_time,
        begin_watch=begin_watch,
        clear_forces=clear_forces,
        clear_rates=clear_rates,
        enter_commands=enter_commands,
        gather_driven=gather_driven,
        is_finite=is_finite,
        load=load,
        math=math,
        move_driven=move_driven,
        np=np,
        place_driven=place_driven,
        place_world=place_world,
        store_spatial=store_spatial,
        store_vec3=store_vec3,
        time_left=time_left,
        zero3=zero3,
        zero6=zero6,
    )
    body = [*_opening(plan, device, scope), *_samples(plan, scope)]
    lines = [f"    {line}" for line in device.each_world.split("\n")] + [f"        {line}" for line in body]
    arguments = "model, alike, memory, times, record, reached, writes, worlds, width, limits, most"
    return "\n".join([f"def kernel({arguments}):", *lines, ""]), scope


def _opening(plan: ThreadPlan, device: Any, scope: dict[str, Any]) -> list[str]:
    """Local arrays, the model with the parameters of this world, its motion."""
    nq, nz, nv, n = plan.offsets[NQ], plan.offsets[NZ], plan.speeds, plan.bodies
    commands = plan.offsets[INPUTS]
    params, clock = commands + nv, plan.offsets[CLOCK_SECTION]
    sizes = dict(state=nq + nv + nz, command=nv, tau=nv, pivot=nv, acc=nv, move=2 * nv + nz, zrate=nz)
    sizes |= dict(work=n * SLOTS, located=n * LOCATED, spare=SPARE_NUMBERS)
    if plan.adaptive:
        sizes |= dict(start=nq + nv + nz, end=nq + nv + nz)
    own = {name: f"model.{name}" for name in Model._fields}
    own["params"] = f"WorldNumbers(alike, model.params, row[{params}:{params + plan.offsets[NP]}])"
    scale = []
    for name, kind, numbers in plan.constants:
        scope[f"frozen_{name}"] = np.frombuffer(numbers, kind)
        frozen = device.constant_array.format(name=f"frozen_{name}")
        if name in own:
            own[name] = frozen
        else:
            scale = [f"{name} = {frozen}"]
    views = dict(q=f"state[0:{nq}]", v=f"state[{nq}:{nq + nv}]", z=f"state[{nq + nv}:{nq + nv + nz}]")
    views["zrate"] = f"zrate[0:{nz}]"
    slots = dict(t=TIME, carry=CARRY, h=STEP, on=STATUS, n=STEPS, rejected=REJECTED, retried=RETRIED, next=NEXT)
    scope |= {f"CLOCK_{k}": clock + int(slot) for k, slot in slots.items()}
    return [
        "row = memory[:, world]",
        *(f"{name} = {device.local_array.format(size=max(size, 1))}" for name, size in sizes.items()),
        *scale,
        f"for k in range({nq + nv + nz}):",
        "    state[k] = row[k]",
        f"for k in range({nv}):",
        f"    command[k] = row[{commands} + k]",
        f"own = Model({', '.join(own.values())})",
        f"motion = Motion({', '.join(views.get(name, name) for name in Motion._fields)})",
        "time, carry, steps, status = row[CLOCK_t], row[CLOCK_carry], row[CLOCK_n], row[CLOCK_on]",
        "step, rejected, retried = row[CLOCK_h], row[CLOCK_rejected], row[CLOCK_retried]",
        "bound = number(ENDLESS)",
        "last = writes.first[world + 1]",
        "due = writes.first[world] + int(row[CLOCK_next])",
        "count = 0",
    ]


def _samples(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """From sample to sample; a world whose motion is no longer finite stays at its last one."""
    size = plan.offsets[CLOCK_SECTION]
    scope |= {"RUNNING": RUNNING, "BROKEN": BROKEN, "STUCK": STUCK, "ENDLESS": ENDLESS}
    clock = dict(t="time", carry="carry", n="steps")
    if plan.adaptive:
        clock |= dict(h="step", rejected="rejected", retried="retried")
    return [
        "for place in range(times.shape[0]):",
        "    until = times[place]",
        "    left = most",
        "    while status == RUNNING and left > 0 and time < until:",
        *(f"        {line}" for line in _writes(plan)),
        "        goal = min(until, writes.time[due]) if due < last else until",
        "        left -= 1",
        *(f"        {line}" for line in (_pair_step if plan.adaptive else _fixed_step)(plan, scope)),
        "    if status != RUNNING or time < until:",
        "        break",
        "    count += 1",
        f"    for k in range({size}):",
        "        row[k] = state[k]",
        *(f"    row[CLOCK_{slot}] = {name}" for slot, name in clock.items()),
        "    row[CLOCK_next] = due - writes.first[world]",
        "    for k in range(width):",
        "        record[place, k, world] = row[k]",
        "if status != RUNNING:",
        "    row[CLOCK_on] = status",
        "else:",
        *(f"    {line}" for line in _writes(plan)),
        "    row[CLOCK_next] = due - writes.first[world]",
        "reached[world] = count",
    ]


def _writes(plan: ThreadPlan) -> list[str]:
    """Makes the writes of the timetable whose time has come."""
    nq, nz, nv, commands = plan.offsets[NQ], plan.offsets[NZ], plan.speeds, plan.offsets[INPUTS]
    return [
        "while due < last and writes.time[due] <= time:",
        "    cell = writes.cell[due]",
        "    row[cell] = writes.value[due]",
        f"    if cell < {nq + nv + nz}:",
        "        state[cell] = row[cell]",
        f"    elif {commands} <= cell < {commands + nv}:",
        f"        command[cell - {commands}] = row[cell]",
        "    due += 1",
    ]


def _fixed_step(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    return [
        "remaining = time_left(goal, time, carry)",
        "h, lands = min(max(step, limits.min_step), limits.max_step), False",
        "if h >= remaining * limits.almost:",
        "    h, lands = remaining, True",
        *_solve(plan, scope, "time", "h"),
        *_move(plan, scope, "h"),
        "if not is_finite(total):",
        "    status = BROKEN",
        "steps += 1",
        "time, carry = (goal, h - h) if lands else add_time(time, carry, h)",
        *_settle(plan, scope),
    ]


def _pair_step(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """An attempt by the whole step and its two halves (stepping.single), accepted or taken back (stepping.march)."""
    nq, nz, nv = plan.offsets[NQ], plan.offsets[NZ], plan.speeds
    size = nq + nv + nz
    power = "math.sqrt(eps / wrong)" if plan.exponent == 0.5 else f"(eps / wrong) ** number({plan.exponent!r})"
    factor = [
        f"factor = number({GROW})",
        "if wrong > 0:",
        f"    factor = min(max(number({SAFETY}) * {power}, number({SHRINK})), number({GROW}))",
    ]
    begin = ["if look:", "    begin_watch(motion, h - gone, limits.fine, 1.0 if part == 0 else 2.0)"]
    scope["REACHED"] = REACHED
    cut = [
        "if look:",
        "    reach = min(reach, gone + spare[REACHED])",
        "    if part == 0 and reach < h:",
        "        shorter = max(min(h, reach), min(h, limits.min_step))",
        "        if shorter < h:",
        "            lands = -1",
        "        h, piece, look = shorter, shorter, False",
        "        continue",
    ]
    return [
        "eps, remaining = limits.eps, time_left(goal, time, carry)",
        "h, lands = min(min(max(step, limits.min_step), limits.max_step), bound), 0",
        "if h >= remaining * limits.almost:",
        "    h, lands = remaining, 1",
        "elif h > number(0.5) * remaining:",
        "    h = number(0.5) * remaining",
        f"for k in range({size}):",
        "    start[k] = state[k]",
        "piece, gone, reach = h, h - h, number(ENDLESS)",
        f"part, look = 0, {plan.watched}",
        "while part < 3:",
        "    at = time + gone",
        *(f"    {line}" for line in (begin if plan.watched else [])),
        *(f"    {line}" for line in _solve(plan, scope, "at", "piece")),
        *(f"    {line}" for line in (cut if plan.watched else [])),
        *(f"    {line}" for line in _move(plan, scope, "piece")),
        "    if part == 0:",
        f"        for k in range({size}):",
        "            end[k] = state[k]",
        "            state[k] = start[k]",
        "        piece = number(0.5) * h",
        "    else:",
        "        gone = piece",
        "    part += 1",
        f"    look = {plan.watched}",
        *_extrapolate(plan, scope),
        *factor,
        "blind = h > number(1.0001) * reach",
        "shortest = h <= limits.min_step * number(1.000001)",
        "if sound and wrong <= eps and not blind:",
        "    longer = h * factor",
        "    if retried > 0:",
        "        longer, retried = min(longer, h), number(0)",
        f"    step = max(longer, step if lands > 0 else min(number({RESUME}) * h, step)) if lands != 0 else longer",
        "    time, carry = (goal, h - h) if lands > 0 else add_time(time, carry, h)",
        "    bound = number(ENDLESS)",
        "    steps += 1",
        *(f"    {line}" for line in _settle(plan, scope)),
        "else:",
        f"    for k in range({size}):",
        "        state[k] = start[k]",
        "    rejected += 1",
        "    if sound and blind and not shortest:",
        "        bound = min(max(number(0.9) * reach, number(0.25) * h), number(0.75) * h)",
        "        bound = max(bound, limits.min_step)",
        "    elif shortest:",
        "        status = STUCK if sound else BROKEN",
        "    else:",
        f"        factor = min(factor, number(0.9)) if sound else number({SHRINK})",
        "        step, retried = max(h * factor, limits.min_step), number(1)",
    ]


def _extrapolate(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """The error of the halves, by what the whole step gave (`end`), and the state without it: of second order."""
    nq, nz, nv = plan.offsets[NQ], plan.offsets[NZ], plan.speeds
    lines = []
    for run in plan.runs:
        kind, q, v = run[RUN_KIND], run[RUN_POSITION], run[RUN_VELOCITY]
        scope[f"difference_{kind}"] = JOINTS[kind].difference
        at = f"move, {v} + k * {SPEEDS_OF[kind]}, state, end, {q} + k * {POSITIONS_OF[kind]}"
        lines += [f"for k in range({run[RUN_COUNT]}):", f"    difference_{kind}({at})"]
    return [
        *lines,
        f"for k in range({nv + nz}):",
        f"    move[{nv} + k] = state[{nq} + k] - end[{nq} + k]",
        "wrong, sound = h - h, True",
        f"for k in range({2 * nv + nz}):",
        "    size = abs(move[k]) * scale[k]",
        "    wrong = max(wrong, size if is_finite(size) else number(ENDLESS))",
        f"for k in range({nv + nz}):",
        f"    state[{nq} + k] += move[{nv} + k]",
        *_shift(plan, scope),
        f"for k in range({nq + nv + nz}):",
        "    sound = sound and is_finite(state[k])",
    ]


def _place(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """Places bodies and, where there are elements, locates each while it is in the cache."""
    lines = ["place_world(own, motion.work)"]
    if plan.calls:
        lines += ["store_vec3(located, PLACE, zero3(h))", "store_vec3(located, SPEED, zero3(h))"]
    scope |= {"PLACE": PLACE, "SPEED": SPEED, "ONE": ONE}
    for r, run in enumerate(plan.runs):
        kind = run[RUN_KIND]
        scope |= {f"{name}{r}": np.int64(run[at]) for name, at in _COLUMNS.items()}
        where = f"ONE, Q{r} + k * {POSITIONS_OF[kind]}, V{r} + k * {SPEEDS_OF[kind]}"
        lines.append(f"for k in range({run[RUN_COUNT]}):")
        if run[RUN_DRIVEN]:
            lines.append(f"    place_driven(own, motion, motion.command, KIND{r}, FIRST{r} + k, {where})")
        else:
            scope[f"place_{kind}"] = JOINTS[kind].place
            lines.append(f"    place_{kind}(own, motion, FIRST{r} + k, {where})")
        if plan.calls:
            scope[f"locate_{kind}"] = locate_translating(kind) if TRANSLATES_OF[kind] else locate_turning
            lines.append(f"    locate_{kind}(own, motion, FIRST{r} + k, ONE, V{r} + k * {SPEEDS_OF[kind]})")
    return lines


_COLUMNS = dict(KIND=RUN_KIND, FIRST=RUN_FIRST, COUNT=RUN_COUNT, Q=RUN_POSITION, V=RUN_VELOCITY)


def _solve(plan: ThreadPlan, scope: dict[str, Any], time: str, h: str) -> list[str]:
    """Joint accelerations with every force at a time, of a step of that length (world.flow.solve)."""
    lines = ["clear_forces(own, motion)", *_place(plan, scope)]
    if plan.offsets[NZ]:
        lines.append("clear_rates(motion)")
    scope |= {
        "PARAM": programs.TYPE_PARAM,
        "INDEX": programs.TYPE_INDEX,
        "LINE": programs.TYPE_LINE,
        "MANY": programs.TYPE_COUNT,
    }
    impedance = h if plan.implicit else f"{h} - {h}"
    for c, (kernel, first, last) in enumerate(plan.calls):
        scope[f"apply_{c}"] = kernel.apply
        lines += [
            f"for e in range({first}, {last}):",
            "    r = model.elements[e]",
            f"    apply_{c}(own, motion, {time}, {impedance}, r[INDEX], r[PARAM], r[MANY], r[LINE])",
        ]
    for r, run in reversed(list(enumerate(plan.runs))):
        scope[f"gather_{run[RUN_KIND]}"] = JOINTS[run[RUN_KIND]].gather
        if run[RUN_DRIVEN]:
            lines.append(f"gather_driven(own, motion, FIRST{r}, COUNT{r})")
        else:
            lines.append(f"gather_{run[RUN_KIND]}(own, motion, FIRST{r}, COUNT{r}, V{r})")
    scope["MOTION"] = MOTION
    lines.append("store_spatial(motion.work, MOTION, zero6(h))")
    for r, run in enumerate(plan.runs):
        scope[f"move_{run[RUN_KIND]}"] = JOINTS[run[RUN_KIND]].move
        if run[RUN_DRIVEN]:
            lines.append(f"move_driven(own, motion, KIND{r}, FIRST{r}, COUNT{r}, V{r})")
        else:
            lines.append(f"move_{run[RUN_KIND]}(own, motion, FIRST{r}, COUNT{r}, V{r})")
    if plan.offsets[NZ]:
        lines.append("enter_commands(own, motion)")
    return lines


def _move(plan: ThreadPlan, scope: dict[str, Any], h: str) -> list[str]:
    """An Euler step of that length by the accelerations just solved (world.flow.take_step)."""
    nq, nz, nv, old = plan.offsets[NQ], plan.offsets[NZ], plan.speeds, plan.old_share
    share = "gain" if old == 0.0 else f"(gain - gain * number({old!r}))"
    return [
        f"total = {h} - {h}",
        f"for k in range({nv}):",
        f"    gain = acc[k] * {h}",
        "    total += gain",
        f"    move[k] = (state[{nq} + k] + {share}) * {h}",
        f"    state[{nq} + k] += gain",
        f"for k in range({nz}):",
        "    total += zrate[k]",
        f"    state[{nq + nv} + k] += zrate[k] * {h}",
        *_shift(plan, scope),
    ]


def _shift(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """Positions displaced by `move`, joint by joint (world.flow.shift_positions)."""
    lines = []
    for run in plan.runs:
        kind, q, v = run[RUN_KIND], run[RUN_POSITION], run[RUN_VELOCITY]
        positions, speeds = POSITIONS_OF[kind], SPEEDS_OF[kind]
        if LINE_OF[kind]:
            lines += [f"for k in range({run[RUN_COUNT] * speeds}):", f"    state[{q} + k] += move[{v} + k]"]
        else:
            scope[f"integrate_{kind}"] = JOINTS[kind].integrate
            at = f"{q} + k * {positions}, state, move, {v} + k * {speeds}"
            lines += [f"for k in range({run[RUN_COUNT]}):", f"    integrate_{kind}(motion.q, {at})"]
    return lines


def _settle(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """Lets elements decide what is discrete (world.flow.settle)."""
    found = [(c, call) for c, call in enumerate(plan.calls) if call.kernel.settle]
    lines = _place(plan, scope) if found else []
    for c, (kernel, first, last) in found:
        scope[f"settle_{c}"] = kernel.settle
        lines += [
            f"for e in range({first}, {last}):",
            "    r = model.elements[e]",
            f"    settle_{c}(own, motion, time, h / h, r[INDEX], r[PARAM], r[MANY])",
        ]
    return lines
