"""The march of a world by fixed steps as one thread of a device takes it: text generated for the world at hand.

Runs of bodies and force elements are called directly, one after the other, and what a step works on lies in local
arrays of the thread, whose sizes must be constants: a kernel is compiled for a figure and a mix of elements. It makes
the steps of the processor (stepping.march), in the same order.
"""

from __future__ import annotations

import functools
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
    COUNT,
    DRIVEN,
    FIRST,
    KIND,
    LOCATED,
    MOTION,
    PLACE,
    POSITION,
    ROOM,
    SLOTS,
    SPEED,
    VELOCITY,
    Model,
    Motion,
    place_world,
)
from gambol.forces import programs
from gambol.forces.programs import ProgramCall, clear_rates
from gambol.jit.device import is_finite
from gambol.math.memory import store_spatial, store_vec3
from gambol.math.scalar import load
from gambol.math.spatial import zero6
from gambol.math.vector import zero3
from gambol.math.world_numbers import WorldNumbers
from gambol.stepping.workspace import BROKEN, CLOCK_SECTION, INPUTS, RUNNING, STATUS, STEP, STEPS, TIME
from gambol.world.flow import NP, NQ, NZ, enter_commands

FROZEN = ("parent", "flags", "const", "armature")  # read by all threads alike: these go to the constant memory


class ThreadPlan(NamedTuple):
    """What the march of a thread is generated for."""

    runs: tuple[tuple[int, ...], ...]  # of bodies (dynamics.workspace: KIND …)
    calls: tuple[ProgramCall, ...]  # of force elements
    bodies: int
    speeds: int
    offsets: tuple[int, ...]  # of a row of memory
    implicit: bool
    old_share: float  # of the old speeds in moving the positions
    constants: tuple[
        tuple[str, str, bytes], ...
    ]  # arrays of the model that are frozen into the code: name, type, numbers


def plan_thread(model: Model, calls: Sequence[ProgramCall], offsets: np.ndarray, *, implicit: bool, old_share: float):
    """The plan for a model; equal plans are one kernel."""
    runs = tuple(tuple(map(int, run)) for run in model.runs)
    sizes = len(model.parent), len(model.armature)
    frozen = tuple((name, getattr(model, name).dtype.str, getattr(model, name).tobytes()) for name in FROZEN)
    return ThreadPlan(runs, tuple(calls), *sizes, tuple(map(int, offsets)), implicit, old_share, frozen)


@functools.cache
def thread_kernel(plan: ThreadPlan, device: Any, dtype: Any) -> Any:
    """The kernel of a plan for a device, still to be compiled: a function of

    model, alike, memory, times, record, reached, worlds, width, shortest, longest, almost, most

    alike      which parameters are the same in all worlds: those of the model count
    memory     (cells, worlds): what is saved of each world
    times      samples [s]; record (samples, width, worlds): the first `width` cells of every world at each
    reached    (worlds,): how many samples each has come to
    shortest, longest [s], almost, most: StepControl's min_step, max_step and almost; steps allowed in all
    """
    text, scope = kernel_text(plan, device)
    scope |= device.scope(dtype)
    exec(compile(text, f"<march of a thread, {device.name}>", "exec"), scope)
    return scope["kernel"]


def kernel_text(plan: ThreadPlan, device: Any) -> tuple[str, dict[str, Any]]:
    """The text of the kernel and what it refers to."""
    scope: dict[str, Any] = dict(
        Model=Model,
        Motion=Motion,
        WorldNumbers=WorldNumbers,
        clear_forces=clear_forces,
        clear_rates=clear_rates,
        enter_commands=enter_commands,
        gather_driven=gather_driven,
        is_finite=is_finite,
        load=load,
        move_driven=move_driven,
        np=np,
        place_driven=place_driven,
        place_world=place_world,
        store_spatial=store_spatial,
        store_vec3=store_vec3,
        zero3=zero3,
        zero6=zero6,
    )
    body = [*_opening(plan, device, scope), *_samples(plan, scope)]
    lines = [f"    {line}" for line in device.each_world.split("\n")] + [f"        {line}" for line in body]
    arguments = "model, alike, memory, times, record, reached, worlds, width, shortest, longest, almost, most"
    return "\n".join([f"def kernel({arguments}):", *lines, ""]), scope


def _opening(plan: ThreadPlan, device: Any, scope: dict[str, Any]) -> list[str]:
    """Local arrays, the model with the parameters of this world, its motion."""
    nq, nz, nv, n = plan.offsets[NQ], plan.offsets[NZ], plan.speeds, plan.bodies
    commands = plan.offsets[INPUTS]
    params, clock = commands + nv, plan.offsets[CLOCK_SECTION]
    sizes = dict(state=nq + nv + nz, command=nv, tau=nv, pivot=nv, acc=nv, move=nv, zrate=nz)
    sizes |= dict(work=n * SLOTS, located=n * LOCATED, spare=ROOM)
    own = {name: f"model.{name}" for name in Model._fields}
    own["params"] = f"WorldNumbers(alike, model.params, row[{params}:{params + plan.offsets[NP]}])"
    for name, kind, numbers in plan.constants:
        scope[f"frozen_{name}"] = np.frombuffer(numbers, kind)
        own[name] = device.constant_array.format(name=f"frozen_{name}")
    views = dict(q=f"state[0:{nq}]", v=f"state[{nq}:{nq + nv}]", z=f"state[{nq + nv}:{nq + nv + nz}]")
    views["zrate"] = f"zrate[0:{nz}]"
    scope |= {f"CLOCK_{k}": clock + int(slot) for k, slot in dict(t=TIME, h=STEP, on=STATUS, n=STEPS).items()}
    return [
        "row = memory[:, world]",
        *(f"{name} = {device.local_array.format(size=max(size, 1))}" for name, size in sizes.items()),
        f"for k in range({nq + nv + nz}):",
        "    state[k] = row[k]",
        f"for k in range({nv}):",
        f"    command[k] = row[{commands} + k]",
        f"own = Model({', '.join(own.values())})",
        f"motion = Motion({', '.join(views.get(name, name) for name in Motion._fields)})",
        "time, steps, fine, left = row[CLOCK_t], row[CLOCK_n], row[CLOCK_on] == RUNNING, most",
        "step = min(max(row[CLOCK_h], shortest), longest)",
        "count = 0",
    ]


def _samples(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """From sample to sample; a world whose motion is no longer finite stays at its last one."""
    size = plan.offsets[CLOCK_SECTION]
    scope |= {"RUNNING": RUNNING, "BROKEN": BROKEN}
    one_step = [
        "remaining = until - time",
        "h, lands = step, False",
        "if h >= remaining * almost:",
        "    h, lands = remaining, True",
        *_solve(plan, scope),
        *_move(plan, scope),
        "left -= 1",
        "steps += 1",
        "time = until if lands else time + h",
        *_settle(plan, scope),
    ]
    return [
        "for place in range(times.shape[0]):",
        "    until = times[place]",
        "    while fine and left > 0 and time < until:",
        *(f"        {line}" for line in one_step),
        "    if not fine or time < until:",
        "        break",
        "    count += 1",
        f"    for k in range({size}):",
        "        row[k] = state[k]",
        "    row[CLOCK_t] = time",
        "    row[CLOCK_n] = steps",
        "    for k in range(width):",
        "        record[place, k, world] = row[k]",
        "if not fine:",
        "    row[CLOCK_on] = BROKEN",
        "reached[world] = count",
    ]


def _place(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """Places bodies and, where there are elements, locates each while it is in the cache."""
    lines = ["place_world(own, motion.work)"]
    if plan.calls:
        lines += ["store_vec3(located, PLACE, zero3(h))", "store_vec3(located, SPEED, zero3(h))"]
    scope |= {"PLACE": PLACE, "SPEED": SPEED, "ONE": ONE}
    for r, run in enumerate(plan.runs):
        kind = run[KIND]
        scope |= {f"{name}{r}": np.int64(run[at]) for name, at in _COLUMNS.items()}
        where = f"ONE, Q{r} + k * {POSITIONS_OF[kind]}, V{r} + k * {SPEEDS_OF[kind]}"
        lines.append(f"for k in range({run[COUNT]}):")
        if run[DRIVEN]:
            lines.append(f"    place_driven(own, motion, motion.command, KIND{r}, FIRST{r} + k, {where})")
        else:
            scope[f"place_{kind}"] = JOINTS[kind].place
            lines.append(f"    place_{kind}(own, motion, FIRST{r} + k, {where})")
        if plan.calls:
            scope[f"locate_{kind}"] = locate_translating(kind) if TRANSLATES_OF[kind] else locate_turning
            lines.append(f"    locate_{kind}(own, motion, FIRST{r} + k, ONE, V{r} + k * {SPEEDS_OF[kind]})")
    return lines


_COLUMNS = dict(KIND=KIND, FIRST=FIRST, COUNT=COUNT, Q=POSITION, V=VELOCITY)


def _solve(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """Joint accelerations with every force (world.flow.solve)."""
    lines = ["clear_forces(own, motion)", *_place(plan, scope)]
    if plan.offsets[NZ]:
        lines.append("clear_rates(motion)")
    scope |= {"PARAM": programs.PARAM, "INDEX": programs.INDEX, "LINE": programs.LINE, "MANY": programs.COUNT}
    impedance = "h" if plan.implicit else "h - h"
    for c, (kernel, first, last) in enumerate(plan.calls):
        scope[f"apply_{c}"] = kernel.apply
        lines += [
            f"for e in range({first}, {last}):",
            "    r = model.elements[e]",
            f"    apply_{c}(own, motion, time, {impedance}, r[INDEX], r[PARAM], r[MANY], r[LINE])",
        ]
    for r, run in reversed(list(enumerate(plan.runs))):
        scope[f"gather_{run[KIND]}"] = JOINTS[run[KIND]].gather
        if run[DRIVEN]:
            lines.append(f"gather_driven(own, motion, FIRST{r}, COUNT{r})")
        else:
            lines.append(f"gather_{run[KIND]}(own, motion, FIRST{r}, COUNT{r}, V{r})")
    scope["MOTION"] = MOTION
    lines.append("store_spatial(motion.work, MOTION, zero6(h))")
    for r, run in enumerate(plan.runs):
        scope[f"move_{run[KIND]}"] = JOINTS[run[KIND]].move
        if run[DRIVEN]:
            lines.append(f"move_driven(own, motion, KIND{r}, FIRST{r}, COUNT{r}, V{r})")
        else:
            lines.append(f"move_{run[KIND]}(own, motion, FIRST{r}, COUNT{r}, V{r})")
    if plan.offsets[NZ]:
        lines.append("enter_commands(own, motion)")
    return lines


def _move(plan: ThreadPlan, scope: dict[str, Any]) -> list[str]:
    """An Euler step by the accelerations just solved (world.flow.take_step)."""
    nq, nz, nv, old = plan.offsets[NQ], plan.offsets[NZ], plan.speeds, plan.old_share
    share = "gain" if old == 0.0 else f"(gain - gain * number({old!r}))"
    lines = [
        "total = h - h",
        f"for k in range({nv}):",
        "    gain = acc[k] * h",
        "    total += gain",
        f"    move[k] = (state[{nq} + k] + {share}) * h",
        f"    state[{nq} + k] += gain",
        f"for k in range({nz}):",
        "    total += zrate[k]",
        f"    state[{nq + nv} + k] += zrate[k] * h",
        "fine = is_finite(total)",
    ]
    for run in plan.runs:
        kind, q, v = run[KIND], run[POSITION], run[VELOCITY]
        positions, speeds = POSITIONS_OF[kind], SPEEDS_OF[kind]
        if LINE_OF[kind]:
            lines += [f"for k in range({run[COUNT] * speeds}):", f"    state[{q} + k] += move[{v} + k]"]
        else:
            scope[f"integrate_{kind}"] = JOINTS[kind].integrate
            at = f"{q} + k * {positions}, state, move, {v} + k * {speeds}"
            lines += [f"for k in range({run[COUNT]}):", f"    integrate_{kind}(motion.q, {at})"]
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
