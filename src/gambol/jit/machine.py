"""What this machine's processor can do: its instruction set level, and how wide packs should be."""

import functools

import llvmlite.binding as llvm
from numba.core import config

# Levels of the x86-64 psABI, best first, and what tells them (names of LLVM)
LEVELS = {
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"),
    "x86-64-v2": ("sse4.2", "ssse3", "popcnt", "cx16"),
}
# Worlds in a pack, by bytes of a number. Measured on the 90-joint person, million steps a second, float64: level v3
# 4 lanes 0.41, 8 lanes 0.20; v2 2 lanes 0.24, 4 lanes 0.23, 8 lanes 0.14; float32: v3 and v2 8 lanes as 16
WIDE, NARROW = {8: 8, 4: 16}, {8: 4, 4: 8}


@functools.cache
def level() -> str:
    """The level that code is made for here (NUMBA_CPU_NAME may ask for a lower one); empty where it has none."""
    asked = config.CPU_NAME  # type: ignore[attr-defined]
    if asked:
        return asked if asked in LEVELS else ""
    has = llvm.get_host_cpu_features()
    names = list(LEVELS)
    found = [name for k, name in enumerate(names) if all(has.get(f) for n in names[k:] for f in LEVELS[n])]
    return found[0] if found else ""


def levels_that_run() -> list[str]:
    """Levels whose code this machine can run, best first."""
    best = level()
    return list(LEVELS)[list(LEVELS).index(best) :] if best else []


def lanes_for(bytes_of_number: int) -> int:
    """Worlds in a pack."""
    return (WIDE if level() == "x86-64-v4" else NARROW)[bytes_of_number]
