"""Kernels of the primitive joints. Each is one module with the same contract, found by its presence in this folder.

Every type of joint is one of these or a chain of them (`gambol.figure.joints`, where the descriptions are: one of the
same name for every kernel). Their axis is the body's own z axis. A module has
    KIND          a unique small number; NAME; POSITIONS, SPEEDS; TRANSLATES: does it move the body's origin
    ADDS_INERTIA  False: it hands no inertia to the parent (default True)
    IN_BASE_AXES  True: its motion subspace is fixed in the frame before the joint, not in the body (default False)
and jitted functions, the first three of which are loops over a run of bodies of this type:
    place(model, motion, first, count, q, v)     frames, velocities, bias accelerations from the parents'
    gather(model, motion, first, count, v)       adds articulated inertia and force to the parents'
    move(model, motion, first, count, v)         joint accelerations from the parents' accelerations
    motion_subspace(model, W, i, c)              column c of S: spatial motion of body i for a unit speed, world axes
    integrate(q, k, base, d, j)                  q[k:] = base[k:] displaced by the tangent vector d[j:]
    tangent_rate(out, j, d, v, s)                out[j:] = rate of the displacement d[j:] at the speeds v[s:]
    difference(out, j, a, b, k)                  out[j:] = tangent vector from b[k:] to a[k:], for close positions
No loop asks for a type; the passes ask once a run.
"""

import importlib
import pkgutil

from gambol.dynamics.joints.line import integrate_line
from gambol.jit import choice


def _registered():
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    modules = sorted((m for m in modules if hasattr(m, "KIND")), key=lambda m: m.KIND)
    kinds = [m.KIND for m in modules]
    if kinds != list(range(len(kinds))):
        raise ImportError(f"joint kinds must be 0, 1, 2, …; found {dict(zip((m.NAME for m in modules), kinds))}")
    return tuple(modules)


JOINTS = _registered()
KINDS = {module.NAME: module.KIND for module in JOINTS}
POSITIONS_OF = tuple(m.POSITIONS for m in JOINTS)
SPEEDS_OF = tuple(m.SPEEDS for m in JOINTS)
TRANSLATES_OF = tuple(m.TRANSLATES for m in JOINTS)
ADDS_INERTIA_OF = tuple(getattr(m, "ADDS_INERTIA", True) for m in JOINTS)
IN_BASE_AXES_OF = tuple(getattr(m, "IN_BASE_AXES", False) for m in JOINTS)
LINE_OF = tuple(m.integrate is integrate_line for m in JOINTS)  # by adding, all coordinates of a run in one loop

place_run = choice([m.place for m in JOINTS], "model, motion, first, count, q, v")
gather_run = choice([m.gather for m in JOINTS], "model, motion, first, count, v")
move_run = choice([m.move for m in JOINTS], "model, motion, first, count, v")
motion_subspace_of = choice([m.motion_subspace for m in JOINTS], "model, W, i, c")
integrate_joint = choice([m.integrate for m in JOINTS], "q, k, base, d, j")
tangent_rate_of = choice([m.tangent_rate for m in JOINTS], "out, j, d, v, s")
difference_joint = choice([m.difference for m in JOINTS], "out, j, a, b, k")
