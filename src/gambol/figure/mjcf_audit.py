"""Nothing of an MJCF file is lost without a word: whatever is set in it and not read here is counted.

MuJoCo's own description of the file (`MjSpec`) is gone through: of every kind of thing the attributes that are READ are
listed here, and whatever else differs from MuJoCo's default is left out by name. So what a later MuJoCo adds is told
before anybody here has heard of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from gambol.figure.imports import LeftOut
from gambol.figure.mjcf_flags import other_flags

# Bookkeeping, or resolved by MuJoCo's compiler into what is read.
OWN = set(
    "alt childclass classname compiler explicitinertial frame fuse id info name parent plugin signature simple".split()
)
PARTS = set("bodies cameras frames geoms joints lights sites".split())
READ: dict[str, set[str]] = {
    "body": set("fullinertia gravcomp ialt inertia ipos iquat mass mocap pos quat".split()),
    "geom": set(
        "conaffinity condim contype density fitscale fluid_coefs fluid_ellipsoid friction fromto group hfieldname"
        " margin mass material meshname pos priority quat rgba size solimp solmix solref type typeinertia".split()
    ),
    "joint": set(
        "actfrclimited actfrcrange align armature axis damping frictionloss limited margin pos range ref"
        " solimp_limit solref_limit springdamper springref stiffness type".split()
    ),
    # a site is a frame here, whatever it looks like
    "site": set("fromto group material meshname pos quat rgba size type".split()),
    "exclude": {"bodyname1", "bodyname2"},
    "pair": set("condim friction geomname1 geomname2 margin solimp solref".split()),
    "equality": set("active data name1 name2 objtype solref type".split()),
    "tendon": set(
        "armature damping frictionloss limited path range solimp_limit solref_limit springlength stiffness".split()
    ),
    "actuator": set(
        "actlimited actrange biasprm biastype cranklength ctrllimited ctrlspec ctrlrange dynprm dyntype forcelimited"
        " forcerange gainprm gaintype gear inheritrange lengthrange refsite slidersite target trntype type".split()
    ),
    "sensor": set("datatype dim intprm needstage objname objtype refname reftype type".split()),
    "key": set("act ctrl qpos qvel".split()),
    "material": {"rgba", "textures"},
}
LISTS = {"body": "bodies", "equality": "equalities"}  # of an MjSpec; others have an s behind
# Looks that nothing here shows, together under one name.
LOOKS = {
    "geom": ("castshadow",),
    "joint": ("group",),
    "tendon": ("group", "material", "rgba", "width"),
    "actuator": ("group",),
    "material": (
        "emission",
        "metallic",
        "reflectance",
        "roughness",
        "shininess",
        "specular",
        "texrepeat",
        "texuniform",
    ),
}
WHOLE = {"<custom> data": ("numerics", "texts", "tuples"), "plugins": ("plugins",)}
# of <option>, read (flags: mjcf_flags)
WORLD = ("density", "disableactuator", "disableflags", "enableflags", "gravity", "timestep", "viscosity", "wind")
ROLLING = 4  # condim from which on friction also resists turning


def audit(spec: Any, left_out: LeftOut) -> None:
    """Counts everything that is set in a file and not read."""
    for kind, read in READ.items():
        usual = _usual(kind)
        for number, thing in enumerate(getattr(spec, LISTS.get(kind, f"{kind}s"), ())):
            for attribute in _unusual(thing, usual, read | PARTS):
                left_out.add(_called(kind, attribute), [str(thing.name) or f"{kind}_{number}"])
    rolling = [str(g.name) or f"geom_{k}" for k, g in enumerate(spec.geoms) if g.condim >= ROLLING]
    if rolling:
        left_out.add("friction against turning and rolling (condim)", rolling)
    for what, lists in WHOLE.items():
        if names := [str(thing.name) or what for each in lists for thing in getattr(spec, each, ())]:
            left_out.add(what, names)
    usual_spec = _fresh()
    if solver := [*_differing(spec.option, usual_spec.option, WORLD), *other_flags(spec.option)]:
        left_out.add("settings of MuJoCo's solver", solver)
    pictures = [f"{group}.{name}" for group in _fields(spec.visual)
                for name in _differing(getattr(spec.visual, group), getattr(usual_spec.visual, group))]  # fmt: skip
    pictures += [f"statistic.{name}" for name in _differing(spec.stat, usual_spec.stat)]
    if pictures:
        left_out.add("settings of MuJoCo's pictures", pictures)
    if spec.nuserdata > 0:
        left_out.add("user data", ["of the simulation"])


def _called(kind: str, attribute: str) -> str:
    """What a kind of loss is called."""
    if attribute == "userdata":
        return "user data"
    return f"looks of {kind}s" if attribute in LOOKS.get(kind, ()) else f"{attribute} of {LISTS.get(kind, kind + 's')}"


@cache
def _fresh() -> Any:
    import mujoco

    return mujoco.MjSpec()


@cache
def _usual(kind: str) -> dict[str, Any]:
    """MuJoCo's defaults by attribute."""
    spec = _fresh()
    body = spec.worldbody.add_body()
    make = getattr(body if kind in ("geom", "joint", "site") else spec, f"add_{kind}", None)
    thing = body if kind == "body" else make()  # type: ignore[misc]
    return {name: _plain(getattr(thing, name)) for name in _fields(thing) if name not in OWN | PARTS}


def _fields(thing: Any) -> Iterator[str]:
    return (name for name in dir(thing) if not name.startswith("_") and not callable(getattr(thing, name, None)))


def _plain(value: Any) -> Any:
    """Numbers as an array of their own, anything else as it is."""
    if isinstance(value, str | bool | int | float):
        return value
    return np.array(list(value)) if hasattr(value, "__len__") else value


def _unusual(thing: Any, usual: dict[str, Any], read: set[str]) -> Iterator[str]:
    for attribute, other in usual.items():
        if attribute not in read and not _same(_plain(getattr(thing, attribute)), other):
            yield attribute


def _differing(thing: Any, usual: Any, read: tuple[str, ...] = ()) -> list[str]:
    names = (name for name in _fields(thing) if name not in read)
    return [name for name in names if not _same(_plain(getattr(thing, name)), _plain(getattr(usual, name)))]


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        numbers = one.dtype.kind in "fiub" and other.dtype.kind in "fiub"
        return one.shape == other.shape and bool(
            np.array_equal(one, other, equal_nan=True) if numbers else (one == other).all()
        )
    both = isinstance(one, float) and isinstance(other, float)
    return bool(one == other or (both and np.isnan(one) and np.isnan(other)))
