"""What compiled code depends on: digests of sources, and of functions from anywhere."""

import functools
import hashlib
import importlib.util
import re
import sys
import types as python
from pathlib import Path
from typing import Any

import numpy as np

# Packages of which kernels inline nothing, though their modules may import them: editing these makes no code stale
NEVER_INLINED = frozenset({"errors", "figure"})
LIBRARIES = frozenset({"numpy", "numba"})  # known by the names of their functions
PACKAGE_FOLDER = Path(__file__).parent.parent
WITHOUT_EFFECT = {PACKAGE_FOLDER / "jit" / name for name in ("cache.py", "digest.py", "machine.py")}  # in no code
IMPORTS = re.compile(rf"^(?:from|import) ({PACKAGE_FOLDER.name}(?:\.\w+)*)", re.MULTILINE)


@functools.cache
def _files_of(module: str) -> tuple[Path, ...]:
    """The source of a module; of a package, every module in it."""
    path = PACKAGE_FOLDER.joinpath(*module.split(".")[1:])
    return tuple(sorted(path.rglob("*.py"))) if path.is_dir() else (path.with_suffix(".py"),)


@functools.cache
def _imports_of(path: Path) -> frozenset[str]:
    """Modules of this package that a file imports at its top level (importing a package counts for all in it)."""
    found = set(IMPORTS.findall(path.read_text()))
    return frozenset(m for m in found if m != PACKAGE_FOLDER.name and m.split(".")[1] not in NEVER_INLINED)


@functools.cache
def _sources_of(modules: tuple[str, ...]) -> tuple[Path, ...]:
    """The sources of modules and of all that they import."""
    files: set[Path] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module.split(".")[0] == PACKAGE_FOLDER.name:
            new = set(_files_of(module)) - files
            waiting += [m for path in new for m in _imports_of(path)]
        else:
            spec = importlib.util.find_spec(module) if module != "__main__" else None
            origin = spec.origin if spec else getattr(sys.modules["__main__"], "__file__", None)
            new = {Path(origin)} if origin and Path(origin).exists() else set()
        files |= new
    return tuple(sorted(files - WITHOUT_EFFECT))


@functools.cache
def source_digest(modules: tuple[str, ...]) -> str:
    """Digest of the sources of modules and of all that they import: what compiled code depends on."""
    digest = hashlib.sha256()
    for path in _sources_of(modules):
        inside = path.is_relative_to(PACKAGE_FOLDER)  # an installed copy elsewhere is the same source
        digest.update((path.relative_to(PACKAGE_FOLDER) if inside else path).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def digest_unless_edited(modules: tuple[str, ...], when: int) -> str:
    """The digest of modules imported before `when` [ns]; empty where a source was written since, or is gone."""
    try:
        found = [path.stat() for path in _sources_of(modules)]
        edited = any(max(file.st_mtime_ns, file.st_ctime_ns) > when for file in found)
        return "" if edited else source_digest(modules)
    except FileNotFoundError:
        return ""


def code_digest(*given: Any) -> str:
    """Digest of the code of functions and of all that the compiler freezes into it: constants, and what they call.

    Functions may come from anywhere, a notebook too. A class of this package stands for its module: operators of
    values are compiled by type, not by name.
    """
    digest = hashlib.sha256()
    seen: set[int] = set()

    def enter(thing: Any) -> None:
        thing = getattr(thing, "py_func", thing)
        if callable(thing) and str(getattr(thing, "__module__", "")).split(".")[0] in LIBRARIES:
            # their texts, and what they refer to, differ from process to process
            digest.update(f"|{thing.__module__}.{getattr(thing, '__qualname__', type(thing).__name__)}".encode())
        elif isinstance(thing, python.FunctionType):
            if id(thing) not in seen:
                seen.add(id(thing))
                enter(thing.__code__)
                enter_globals(thing, sorted(names_in(thing.__code__)))
                for cell in thing.__closure__ or ():
                    enter(cell.cell_contents)
        elif isinstance(thing, python.CodeType):
            digest.update(thing.co_code)
            digest.update(repr((thing.co_names, thing.co_varnames, thing.co_freevars)).encode())
            for constant in thing.co_consts:
                enter(constant)
        elif isinstance(thing, np.ndarray):
            digest.update(f"|{thing.dtype.str}{thing.shape}".encode() + thing.tobytes())
        elif isinstance(thing, tuple | list):
            digest.update(f"|{len(thing)}(".encode())
            for item in thing:
                enter(item)
        elif isinstance(thing, python.ModuleType | type):
            digest.update(f"|{thing.__name__}".encode())
            home = getattr(thing, "__module__", "")
            if home.split(".")[0] == PACKAGE_FOLDER.name:
                digest.update(source_digest((home,)).encode())
        else:
            digest.update(f"|{thing!r}".encode())

    def enter_globals(function: python.FunctionType, names: list[str]) -> None:
        for name in names:
            if name in function.__globals__:
                value = function.__globals__[name]
                digest.update(f"|{name}=".encode())
                enter(value)
                if isinstance(value, python.ModuleType):
                    for inner in names:
                        if inner in vars(value):
                            enter(vars(value)[inner])

    def names_in(code: python.CodeType) -> set[str]:
        inner = [names_in(c) for c in code.co_consts if isinstance(c, python.CodeType)]
        return set(code.co_names).union(*inner)

    enter(given)
    return digest.hexdigest()
