"""The disk cache of compiled entries, and the words while one waits for the compiler."""

import contextlib
import glob
import hashlib
import itertools
import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

from gambol.jit import machine, pipeline
from gambol.jit.digest import PACKAGE_FOLDER, digest_unless_edited

SHIPPED = PACKAGE_FOLDER / "_compiled"  # in a wheel: a folder a level, filled by scripts/wheel

DIGITS = 32  # of the SHA-256 in the name of a file: machine code with a bit changed would run
_OF_THE_FILES = ("_name", "_impl", "_cache_path", "_cache_file", "_enabled")
TOLD = 2.0  # [s] compilations expected to be shorter are not spoken of


class Announcer:
    """Tells people on standard error what they wait for; the command line puts its own in `announcer`."""

    def say(self, text: str) -> None:
        """One line."""
        print(f"gambol: {text}", file=sys.stderr, flush=True)

    def progress(self, text: str) -> None:
        """A line that the next one replaces, where a person looks on; an empty one takes it away."""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text and f'gambol: {text}'}", end="", file=sys.stderr, flush=True)


announcer = Announcer()
under_way: list[int] = []  # compilations, by number
_numbers = itertools.count()


def use_announcer(other: Announcer) -> Announcer:
    """Puts another in its place; returns the one before."""
    global announcer
    before, announcer = announcer, other
    return before


class _CacheFile(IndexDataCacheFile):
    """Numba's files; what cannot be read is as good as missing, and replaced.

    Machine code lies in a file that is called by its digest, and is written before the index names it. (Numba's are
    called by numbers, which are used again: a process that is killed between index and code leaves an index that names
    older code of another signature, and whatever runs that crashes, every time.)
    """

    def __init__(self, cache_path, filename_base, source_stamp):
        super().__init__(cache_path, filename_base, (source_stamp, filename_base))  # an index is of one function alone
        self._base = filename_base

    def _load_index(self):
        return _readable(super()._load_index, self._index_path) or {}

    def save(self, key, data):
        """Code for a signature and a processor; files that no index names any more go."""
        payload = self._dump(data)
        name = f"{self._base}.{_digest(payload)}.nbc"
        with self._open_for_write(self._data_path(name)) as file:
            file.write(payload)
        overloads = self._load_index()
        overloads[key] = name
        self._save_index(overloads)
        for path in Path(self._cache_path).glob(f"{glob.escape(self._base)}.*.nbc"):
            if path.name not in overloads.values():
                path.unlink(missing_ok=True)

    def _load_data(self, name):
        payload = Path(self._data_path(name)).read_bytes()
        if name != f"{self._base}.{_digest(payload)}.nbc":
            raise ValueError(f"{name} is not as it was written")
        return pickle.loads(payload)


def _digest(payload: bytes) -> str:
    return hashlib.sha256(payload).hexdigest()[:DIGITS]


def _readable(read: Callable[[], Any], path: str) -> Any:
    try:
        return read()
    except Exception as error:  # a damaged pickle may raise anything
        announcer.say(f"a damaged file of the cache is replaced ({path}: {type(error).__name__})")
        return None


class EntryCache(FunctionCache):
    """Numba's function cache, keyed by the sources it depends on instead of one file."""

    forget_failure: Callable[[], None]

    def __init__(self, py_func, sources: tuple[str, ...], seconds: float):
        self._py_func, self._sources = py_func, (py_func.__module__, *sources)
        self._expected, self._lock, self._born = seconds, contextlib.ExitStack(), time.time_ns()

    def __getattr__(self, name: str) -> Any:
        """The files, when they are first asked for: most entries of a process are never called."""
        if name not in _OF_THE_FILES:
            raise AttributeError(name)
        super().__init__(self._py_func)
        stamp = digest_unless_edited(self._sources, self._born)
        self._cache_file = _CacheFile(self._cache_path, self._impl.filename_base, stamp)
        if not stamp:  # what runs here is no longer what the files say: neither read nor kept
            self.disable()
        return getattr(self, name)

    def _index_key(self, sig, codegen):
        return sig, codegen.magic_tuple()

    def load_overload(self, sig, target_context):
        """From the disk; where another process is compiling the same, it is waited for rather than raced."""
        self.forget_failure()
        found = self._load(sig, target_context)
        if found is None:
            what = f"{self._py_func.__name__} for {_number_type(sig)}"
            self._lock.enter_context(_held(f"{self._cache_file._index_path}.lock", what))
            found = self._load(sig, target_context)
            if found is not None:
                self._lock.close()
            else:
                self._lock.enter_context(self._compilation(what))
        return found

    def _load(self, sig, target_context):
        rtsys.initialize(target_context)  # all of Numba's `refresh` that code from a file needs: 0.4 s less
        found = _readable(lambda: self._load_overload(sig, target_context), self._cache_file._index_path)
        if found is None and self._enabled:
            found = _readable(lambda: self._load_shipped(sig, target_context), str(SHIPPED))
        if found is not None:
            found.library._get_module_for_linking = pipeline.refuse_linking
        return found

    def keeps(self, sig) -> bool:
        """Is there code for a signature, here or in the package?"""
        codegen = cpu_target.target_context.codegen()
        if self._index_key(sig, codegen) in self._cache_file._load_index():
            return True
        return any(key in file._load_index() for file, key in self._shipped(sig, codegen))

    def _shipped(self, sig, codegen) -> Iterator[tuple[_CacheFile, Any]]:
        """Files that came with the package and what to look for in them; the best level that runs here first."""
        for level in machine.levels_that_run() if SHIPPED.is_dir() else ():
            file = _CacheFile(str(SHIPPED / level), self._impl.filename_base, self._cache_file._source_stamp[0])
            yield file, (sig, (codegen.magic_tuple()[0], level, ""))

    def _load_shipped(self, sig, target_context):
        """What came with the package, for the best level that this machine runs; None where there is nothing."""
        for file, key in self._shipped(sig, target_context.codegen()):
            if (data := file.load(key)) is not None:
                return self._impl.rebuild(target_context, data)
        return None

    def save_overload(self, sig, data):
        """Onto the disk; a disk that is full costs the next process the same time again, no more."""
        self._finished = True
        try:
            super().save_overload(sig, data)
        except OSError as error:
            announcer.say(f"compiled code was not kept: {error}")
        finally:
            self._lock.close()

    @contextlib.contextmanager
    def _compilation(self, what: str) -> Iterator[None]:
        """From the beginning to the end of one: says what is compiled, how long it may take and how far it is."""
        known = Path(f"{self._cache_file._index_path}.seconds.json")
        times = _read_times(known)
        expected, began, self._finished = times.get(what, self._expected), time.perf_counter(), False
        told = expected >= TOLD
        if told:
            how = "it took {:.0f} s last time" if what in times else "once on this machine; about {:.0f} s"
            announcer.say(f"compiling {what} ({how.format(expected)})")

        def show() -> None:
            spent = time.perf_counter() - began
            announcer.progress(f"{what}: {min(0.99, spent / expected):.0%}, {spent:.0f} s" if told else "")

        number = next(_numbers)
        under_way.append(number)
        pipeline.on_function.append(show)
        pipeline.on_failure.append(self._lock.close)
        try:
            yield
        finally:
            under_way.remove(number)
            pipeline.on_function.remove(show)
            pipeline.on_failure.remove(self._lock.close)
        if told:
            announcer.progress("")
        if told and self._finished:
            spent = time.perf_counter() - began
            with contextlib.suppress(OSError):
                known.write_text(json.dumps(times | {what: round(spent, 1)}))
            announcer.say(f"compiled {what} in {spent:.1f} s")


def _read_times(path: Path) -> dict[str, float]:
    try:
        return {str(what): float(seconds) for what, seconds in json.loads(path.read_text()).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


@contextlib.contextmanager
def _held(path: str, what: str) -> Iterator[None]:
    """Holds the lock of a path (where there are locks), until it is left or the process ends."""
    try:
        import fcntl

        Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "a+")
    except (ImportError, OSError):
        yield
        return
    with file:
        with contextlib.suppress(OSError):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                announcer.say(f"waiting for {_holder(file.read())}, which is compiling {what}")
                fcntl.flock(file, fcntl.LOCK_EX)
            file.truncate(0)
            file.write(f"{os.getpid()} {time.time()}")
            file.flush()
        yield


def _holder(text: str) -> str:
    """Which process holds a lock, and since when."""
    try:
        process, since = text.split()
        return f"process {int(process)} (at it for {time.time() - float(since):.0f} s)"
    except ValueError:
        return "another process"


def _number_type(sig) -> str:
    """The number type a signature was asked for, in words."""
    text = str(sig).lower()
    for bits in (64, 32):
        if f"nestedarray(float{bits}" in text:
            return f"packs of float{bits}"
    return "float32" if "array(float32" in text else "float64"
