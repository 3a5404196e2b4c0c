"""What the kernels read of a world: the arrays of its layout, force elements and boundaries in one number type."""

from __future__ import annotations

import numpy as np

from gambol.dynamics.layout import Layout
from gambol.dynamics.workspace import Model
from gambol.forces.registry import NO_ELEMENTS
from gambol.world.boundary import NO_BOUNDARIES


def kernel_model(
    layout: Layout,
    dtype=np.float64,
    elements=NO_ELEMENTS,
    boundaries=NO_BOUNDARIES,
    *,
    exposed: bool | np.ndarray = True,
    own_masses: bool = False,
) -> Model:
    """The arrays for the kernels in a number type.

    `elements` = (table, indices, params, tables, programs) of the forces, `boundaries` = (table, marks) of the watched
    events. The addresses of the programs are still to be set (forces.programs). exposed: something other than the
    passes of the dynamics adds to the inertias of bodies, all or some. own_masses: worlds have masses of their own.
    """
    table, indices, params, tables, programs = elements
    return Model(
        parent=layout.parent,
        flags=layout.pass_flags(shared_inertia=exposed, own_masses=own_masses),
        const=np.ascontiguousarray(layout.const.ravel(), dtype),
        runs=layout.runs,
        gravity=np.array(layout.gravity, dtype),
        armature=layout.armature.astype(dtype),
        elements=table,
        indices=indices,
        params=np.ascontiguousarray(params, dtype),
        tables=np.ascontiguousarray(tables, dtype),
        programs=programs,
        boundaries=boundaries[0],
        marks=np.ascontiguousarray(boundaries[1], dtype),
    )
