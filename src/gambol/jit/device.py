"""Code for a CUDA device: is there one, what is missing where there is none, arrays on it, and kernels.

numba-cuda (the extra `cuda`) compiles the same functions as for the processor. `CudaDevice` is all that the rest of the
engine knows of it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import types
from numba.core.target_extension import current_target
from numba.extending import intrinsic

from gambol.errors import Fault, WorldError
from gambol.jit.digest import code_digest

BLOCK = 32  # threads; 64 are as fast
# Registers of a thread where there are more worlds than the device runs at once anyhow: with fewer, more of them run.
# Measured on an H200, million steps a second of the contact hexapod, 255, 168, 128, 96 registers: 131072 worlds in
# float64 93, 100, 109, 100, in float32 169, 165, 183, –; 32768 worlds in float32 164, 147, 147, –
MANY_WORLDS, FEWER_REGISTERS = 65536, 128
INSTALL = "pip install 'gambol[cuda]'"


def for_device() -> bool:
    """While an overload is being chosen: is the code for a CUDA device?"""
    return current_target() == "cuda"


@intrinsic
def is_finite(typing_context, x):
    """Is a number finite? By its bits: the device's fast mathematics takes for granted that all numbers are."""

    def generate(context, builder, signature, arguments):
        bits = context.get_value_type(types.int64 if x.bitwidth == 64 else types.int32)
        exponent = bits(0x7FF0000000000000 if x.bitwidth == 64 else 0x7F800000)
        found = builder.and_(builder.bitcast(arguments[0], bits), exponent)
        return builder.icmp_unsigned("!=", found, exponent)

    return types.boolean(x), generate


def missing() -> str:
    """What is missing to run worlds on a CUDA device, and how to get it; empty where nothing is."""
    if importlib.util.find_spec("numba_cuda") is None:
        return f"numba-cuda is not installed: {INSTALL}"
    try:
        from numba import cuda
        from numba.cuda.cudadrv import nvvm
    except Exception as error:
        return f"numba-cuda cannot be loaded ({_line(error)}): {INSTALL}"
    try:
        nvvm.NVVM()
    except Exception as error:
        return f"NVVM, the compiler for CUDA devices, is not found ({_line(error)}): {INSTALL}"
    try:
        devices = len(cuda.gpus.lst)
    except Exception as error:
        return f"there is no CUDA device, or its driver is not installed ({_line(error)})"
    return "" if devices else "there is no CUDA device"


def cache_folder() -> Path:
    """Where kernels for devices are kept."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given) / "device"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "gambol" / "device"


@functools.cache
def _compiled(kernel: Callable, registers: int | None) -> Any:
    from numba import cuda

    kept = Path(kernel.__code__.co_filename).exists()
    options: Any = dict(fastmath=True, max_registers=registers, cache=kept)
    return cuda.jit(**options)(kernel)


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(":. ")


@functools.cache
def cuda_device() -> CudaDevice:
    """The current CUDA device; a WorldError says what is missing where there is none."""
    return CudaDevice()


class CudaDevice:
    """The current CUDA device."""

    name = "cuda"

    def __init__(self) -> None:
        if what := missing():
            raise WorldError([Fault(f"device='cuda': {what}", "simulation")])
        from numba import cuda

        self._cuda = cuda
        self.seconds = 0.0  # that kernels took since somebody set this to zero

    # ------------------------------------------------------------ arrays
    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array on the device."""
        return self._cuda.device_array(shape, dtype)

    def copy(self, host: np.ndarray) -> Any:
        """A copy on the device."""
        return self._cuda.to_device(np.ascontiguousarray(host))

    def put(self, array: Any, host: np.ndarray) -> None:
        """Sets an array on the device."""
        array.copy_to_device(np.ascontiguousarray(host))

    def get(self, array: Any, out: np.ndarray) -> None:
        """Copies an array on the device to one that lies as it does."""
        array.copy_to_host(out)

    # ------------------------------------------------------------ kernels
    local_array = "cuda.local.array({size}, number)"
    constant_array = "cuda.const.array_like({name})"
    each_world = "world = cuda.grid(1)\nif world < worlds:"

    def scope(self, dtype: Any) -> dict[str, Any]:
        """What the text of a kernel refers to by these names."""
        from numba import cuda

        return {"cuda": cuda, "number": types.float32 if dtype is np.float32 else types.float64}

    def registers(self, worlds: int) -> int | None:
        """Of a thread, for so many worlds; None: as many as it takes."""
        return FEWER_REGISTERS if worlds >= MANY_WORLDS else None

    def source_file(self, text: str, depends: tuple[Any, ...]) -> str:
        """A file that holds the text of a kernel: Numba keeps the machine code beside it.

        Its name is a digest of all that the code depends on, so that it is never stale. Where nothing can be written
        it is the name of no file, and the kernel is compiled anew in every process.
        """
        key = hashlib.sha256((text + code_digest(*depends)).encode()).hexdigest()[:32]
        path = cache_folder() / f"march_{key}.py"
        try:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                own = path.with_suffix(f".{os.getpid()}")
                own.write_text(text)
                own.replace(path)
        except OSError:
            return f"<{path.name}>"
        return str(path)

    def compiled(self, kernel: Callable, worlds: int) -> Any:
        """A kernel for so many worlds; it is made into machine code when it is first launched, or read from disk."""
        return _compiled(kernel, self.registers(worlds))

    def launch(self, kernel: Any, worlds: int, *arguments: Any) -> None:
        """Runs a kernel, a thread a world, and waits for it."""
        began = time.perf_counter()
        kernel[-(-worlds // BLOCK), BLOCK](*arguments)
        self._cuda.synchronize()
        self.seconds += time.perf_counter() - began
