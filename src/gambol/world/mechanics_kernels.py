"""What can be said of a figure at one moment: places, velocities, energies, momenta, inverse dynamics, mass matrix.

Inverse dynamics is the outward pass with every joint's acceleration given, and the forces summed inward. The mass
matrix is built from composite rigid bodies. Both use only the joints' contract.
"""

from typing import NamedTuple

import numpy as np

from gambol.dynamics.forward import locate_bodies, place_driven
from gambol.dynamics.joints import SPEEDS_OF, motion_subspace_of
from gambol.dynamics.workspace import (
    ARM,
    BODY_CONSTANTS,
    BODY_MASS,
    COINCIDENT,
    FORCE,
    INERTIA,
    LOCATED,
    OMEGA,
    PLACE,
    RUN_COUNT,
    RUN_FIRST,
    RUN_KIND,
    RUN_POSITION,
    RUN_VELOCITY,
    SLOTS,
    SPEED,
    add_force_to_parent,
    articulated,
    place_world,
)
from gambol.forces.programs import PROGRAM_ENERGY
from gambol.jit import call, entry, outlined, reference
from gambol.math.memory import (
    add_inertia,
    add_spatial,
    add_vec3,
    load_spatial,
    load_vec3,
    store_spatial,
)
from gambol.math.scalar import load, store
from gambol.math.spatial import Spatial, force_from, inertia_from, inertia_times, power
from gambol.math.vector import Vec3, dot

# Slots of the totals
TOTAL_KINETIC, TOTAL_POTENTIAL, TOTAL_MASS, TOTAL_CENTRE, TOTAL_MOMENTUM, TOTALS = 0, 1, 2, 3, 6, 12


class MechanicsResult(NamedTuple):
    """What is found at one moment, world axes; rows are layout bodies, body 0 is the world."""

    columns: np.ndarray  # number[nv * 6]: motion of its body for a unit speed of each coordinate
    wrench: np.ndarray  # number[n * 6]: force that each body receives through its joint, at its origin
    tau: np.ndarray  # number[nv]: generalised forces that the given accelerations need
    mass_matrix: np.ndarray  # number[nv * nv]
    totals: np.ndarray  # number[TOTALS]: kinetic, potential [J], mass, mass * centre, angular, linear momentum
    stored: np.ndarray  # number[e]: energy stored in each run of force elements [J]


@entry
def evaluate_world(model, motion, t, joints, acc, external, result, with_matrix):
    """Fills `result` for the state in `motion`.

    `joints` int[n, 2] is the joint kind and first speed of each body; `acc` the joint accelerations; `external`
    number[n * 6] wrenches on the bodies, world axes, at their origins.
    """
    model, motion, result = reference(model), reference(motion), reference(result)
    place_with(model, motion, acc)
    locate_bodies(model, motion)
    sum_up(model, motion, result.totals)
    programs, shared = model.programs, reference((model, motion))
    for k in range(programs.shape[0]):
        if programs[k, PROGRAM_ENERGY] != 0:
            call(programs[k, PROGRAM_ENERGY], (shared, t, result.stored, k))
    take_columns(model, motion, joints, result.columns)
    inverse_forces(model, motion, joints, acc, external, result)
    if with_matrix:
        composite_mass_matrix(model, motion, joints, result.mass_matrix)


@outlined
def place_with(model, motion, acc):
    """The outward pass with every joint's acceleration given."""
    place_world(model, motion.work)
    runs = model.runs
    for r in range(runs.shape[0]):
        place_driven(
            model,
            motion,
            acc,
            runs[r, RUN_KIND],
            runs[r, RUN_FIRST],
            runs[r, RUN_COUNT],
            runs[r, RUN_POSITION],
            runs[r, RUN_VELOCITY],
        )


@outlined
def sum_up(model, motion, totals):
    """Energies, centre of mass and momenta (about the world's origin)."""
    W, spot = motion.work, motion.located
    g = load_vec3(model.gravity, 0)
    for k in range(TOTALS):
        store(totals, k, load(W, 0) * 0.0)
    half = 0.5
    for i in range(1, model.parent.shape[0]):
        b = i * SLOTS
        mass = load(model.const, i * BODY_CONSTANTS + BODY_MASS)
        place = load_vec3(spot, i * LOCATED + PLACE)
        A = articulated(model, W, i)
        velocity = Spatial(load_vec3(W, b + OMEGA), load_vec3(spot, i * LOCATED + SPEED))
        momentum = inertia_times(A, velocity)
        moment = Vec3(A.H.y.z, A.H.z.x, A.H.x.y) + place * mass
        store(totals, TOTAL_KINETIC, load(totals, TOTAL_KINETIC) + power(velocity, momentum) * half)
        store(totals, TOTAL_POTENTIAL, load(totals, TOTAL_POTENTIAL) - dot(g, moment))
        store(totals, TOTAL_MASS, load(totals, TOTAL_MASS) + mass)
        add_vec3(totals, TOTAL_CENTRE, moment)
        add_spatial(totals, TOTAL_MOMENTUM, force_from(momentum, place))


@outlined
def take_columns(model, motion, joints, columns):
    """Motion of each body for a unit of each of its joint's speeds, about its own origin, world axes."""
    for i in range(1, model.parent.shape[0]):
        kind, v = joints[i, 0], joints[i, 1]
        for c in range(SPEEDS_OF[kind]):
            store_spatial(columns, 6 * (v + c), motion_subspace_of(kind, model, motion.work, i, c))


@outlined
def inverse_forces(model, motion, joints, acc, external, result):
    """Inward: every body's force is what it needs, less what acts on it, plus what its children need."""
    W = motion.work
    for i in range(model.parent.shape[0] - 1, 0, -1):
        kind, v = joints[i, 0], joints[i, 1]
        f = load_spatial(W, i * SLOTS + FORCE) - load_spatial(external, 6 * i)
        store_spatial(result.wrench, 6 * i, f)
        for c in range(SPEEDS_OF[kind]):
            inertial = load(model.armature, v + c) * load(acc, v + c)
            store(result.tau, v + c, power(load_spatial(result.columns, 6 * (v + c)), f) + inertial)
        add_force_to_parent(model, W, i, f)


@outlined
def composite_mass_matrix(model, motion, joints, matrix):
    """The mass matrix from composite bodies; leaves composite inertias in the workspace."""
    W = motion.work
    n, nv = model.parent.shape[0], motion.v.shape[0]
    for k in range(nv * nv):
        store(matrix, k, load(W, 0) * 0.0)
    for i in range(n - 1, 0, -1):
        A = articulated(model, W, i)
        if not model.flags[i] & COINCIDENT:
            add_inertia(W, model.parent[i] * SLOTS + INERTIA, inertia_from(A, load_vec3(W, i * SLOTS + ARM)))
        else:
            add_inertia(W, model.parent[i] * SLOTS + INERTIA, A)
    for i in range(1, n):
        for c in range(SPEEDS_OF[joints[i, 0]]):
            row = joints[i, 1] + c
            f = inertia_times(articulated(model, W, i), motion_subspace_of(joints[i, 0], model, W, i, c))
            j = i
            while j > 0:
                for e in range(SPEEDS_OF[joints[j, 0]]):
                    column = joints[j, 1] + e
                    value = power(motion_subspace_of(joints[j, 0], model, W, j, e), f)
                    if row == column:
                        value = value + load(model.armature, row)
                    store(matrix, row * nv + column, value)
                    store(matrix, column * nv + row, value)
                if not model.flags[j] & COINCIDENT:
                    f = force_from(f, load_vec3(W, j * SLOTS + ARM))
                j = model.parent[j]
