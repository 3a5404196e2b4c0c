"""`gambol info`: what is installed here."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gambol.cli.console import out, plain, write_json

REQUIRED = (
    "numpy",
    "numba",
    "llvmlite",
    "scipy",
    "matplotlib",
    "pyyaml",
    "pydantic",
    "typer",
    "rich",
    "trimesh",
    "h5py",
    "xarray",
)
EXTRAS = {
    "import": ("mujoco", "yourdfpy"),
    "study": ("pyarrow",),
    "export": ("pygltflib",),
    "usd": ("usd-core",),
    "docs": ("mkdocs-material", "mkdocstrings"),
    "peers": ("mujoco", "pin"),
    "test": ("pytest", "pytest-timeout", "hypothesis", "jsonschema", "ruff", "mypy"),
}


def info(json: Path | None) -> None:
    found = facts()
    if json:
        write_json(found, json)
    out.print(f"[bold]gambol {found['gambol']}[/]  Python {found['python']}  {found['system']}", soft_wrap=True)
    plain(f"processor  {found['processor']}, {found['cores']} cores")
    plain(f"features   {found['features']}")
    plain(f"cache      {found['cache']}")
    plain("packages   " + ", ".join(f"{name} {v}" for name, v in found["packages"].items()))
    for name, state in found["extras"].items():
        missing = state["missing"]
        words = "present" if not missing else f"missing {', '.join(missing)}: pip install 'gambol[{name}]'"
        plain(f"extra      {name}: {words}")


def facts() -> dict[str, Any]:
    import llvmlite.binding as llvm

    from gambol.version import __version__
    from gambol.world.flow import march_world

    features = llvm.get_host_cpu_features()
    wide = [name for name in ("avx", "avx2", "fma", "avx512f", "neon", "sve") if features.get(name)]
    cache = getattr(getattr(march_world, "_cache", None), "cache_path", "none: the compiler is off")
    return {
        "gambol": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(llvm.get_host_cpu_name()),
        "features": " ".join(wide) or "none of note",
        "cores": os.cpu_count(),
        "cache": str(cache),
        "packages": {name: _version(name) for name in REQUIRED},
        "extras": {
            name: {
                "present": {p: v for p in packages if (v := _version(p))},
                "missing": [p for p in packages if not _version(p)],
            }
            for name, packages in EXTRAS.items()
        },
    }


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
