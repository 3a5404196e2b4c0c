"""`gambol info`: what is installed here."""

import os
import platform
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from gambol.cli.console import plain, report_errors, styled, write_json


def info(json: Path | None) -> None:
    """Prints what is installed, for people; writes it for programs."""
    found = facts()
    if json:
        with report_errors():
            write_json(found, json)
    styled((f"gambol {found['gambol']}", "bold"), f"  Python {found['python']}  {found['system']}")
    plain(f"processor  {found['processor']}, {found['cores']} cores")
    plain(f"features   {found['features']}")
    wide = ", ".join(f"{lanes} {numbers}" for numbers, lanes in found["lanes"].items())
    plain(f"level      {found['level'] or 'none that is known'}; a pack holds {wide}")
    plain(f"compiled   {', '.join(found['shipped']) or 'no code came with this package'}")
    plain(f"cache      {found['cache']}")
    plain("packages   " + ", ".join(f"{name} {v}" for name, v in found["packages"].items()))
    for name, state in found["extras"].items():
        missing = state["missing"]
        words = "installed" if not missing else f"missing {', '.join(missing)}: pip install 'gambol[{name}]'"
        plain(f"extra      {name}: {words}")


def facts() -> dict[str, Any]:
    """Versions, processor, cache, and the packages of every extra."""
    import llvmlite.binding as llvm

    from gambol.jit.cache import SHIPPED
    from gambol.jit.machine import lanes_for, level
    from gambol.version import __version__
    from gambol.world.flow import march_world

    features = llvm.get_host_cpu_features()
    wide = [name for name in ("avx", "avx2", "fma", "avx512f", "neon", "sve") if features.get(name)]
    cache = getattr(getattr(march_world.move, "_cache", None), "cache_path", "none: the compiler is off")
    return {
        "gambol": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(llvm.get_host_cpu_name()),
        "features": " ".join(wide) or "none of note",
        "level": level(),
        "lanes": {"float64": lanes_for(8), "float32": lanes_for(4)},
        "shipped": sorted(path.name for path in SHIPPED.iterdir()) if SHIPPED.is_dir() else [],
        "cores": os.cpu_count(),
        "cache": str(cache),
        "packages": {name: _version(name) for name in (*_packages(""), "llvmlite")},
        "extras": {
            extra: {
                "installed": {name: v for name in names if (v := _version(name))},
                "missing": [name for name in names if not _version(name)],
            }
            for extra in _extras()
            for names in [_packages(extra)]
        },
    }


def _extras() -> list[str]:
    try:
        return metadata("gambol").get_all("Provides-Extra") or []
    except PackageNotFoundError:  # run from a source tree that was never installed
        return []


def _packages(extra: str) -> list[str]:
    """What an extra asks for, itself and through the extras that it names; without one, what Gambol itself needs."""
    found: list[str] = []
    for requirement in map(Requirement, (requires("gambol") or []) if _extras() else []):
        if requirement.marker is None:
            wanted = not extra
        else:
            wanted = requirement.marker.evaluate({"extra": extra}) and not requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name == "gambol":
            found += [name for other in sorted(requirement.extras) for name in _packages(other)]
        elif wanted:
            found.append(requirement.name)
    return list(dict.fromkeys(found))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor(kind: str) -> str:
    """The name that the system gives, and the kind that code is compiled for."""
    listing = Path("/proc/cpuinfo")
    name = platform.processor()
    if listing.is_file():
        lines = [line.split(":", 1)[1].strip() for line in listing.read_text().splitlines() if "model name" in line]
        name = lines[0] if lines else name
    return f"{name or 'unknown'} ({kind})"
