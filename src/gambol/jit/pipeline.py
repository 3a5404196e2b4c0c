"""One link, one optimisation and one piece of machine code for each entry.

Numba makes a module of its own for every function, links into it all that it calls, optimises it and makes machine
code of it, though only the entry's is ever run: half of the time of a cold start. Here inner functions stop at their
own LLVM code; the entry links everything it reaches once. The bits and the speed are the same.

It leans on private names of Numba (`_linking_libraries`, `_final_module`, `_reload_init`, `_get_module_for_linking`),
so its version is pinned in pyproject.toml. An inner function cannot be called from Python, and an entry cannot be
called by name from jitted code: what the cache keeps of it can only be run (`call` by address, or share an inner
function).
"""

import contextlib
import gc
from collections.abc import Callable, Iterator

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from gambol.jit.lean import lean

on_function: list[Callable[[], None]] = []  # called whenever a function is about to be compiled
on_failure: list[Callable[[], None]] = []  # called when an entry could not be compiled, or the user stopped it


class _NoMachineCode:
    """The code generator of an inner function: there is nothing yet to give an environment to."""

    def __init__(self, codegen):
        self._codegen = codegen

    def __getattr__(self, name):
        return getattr(self._codegen, name)

    def set_env(self, name, env):
        """Nothing to set."""


def _reached(library, seen: set, order: list) -> list:
    """Libraries that one links, through inner ones, callees first."""
    for other in library._linking_libraries:
        if other not in seen:
            seen.add(other)
            if isinstance(other, InnerLibrary):
                _reached(other, seen, order)
            order.append(other)
    return order


def _link_reached(library, module, linkage: str) -> None:
    """Links all that a library reaches into a module; what comes in by it gets the linkage."""
    own = {f.name for f in module.functions if not f.is_declaration}
    for other in sorted(_reached(library, set(), []), key=lambda other: not isinstance(other, InnerLibrary)):
        library._reload_init.update(other._reload_init)
        inner = isinstance(other, InnerLibrary)  # external: LLVM drops linkonce functions nobody calls yet
        module.link_in(other._final_module if inner else other._get_module_for_linking(), preserve=True)
    for function in module.functions:
        linked = not function.is_declaration and function.name not in own
        if linked and function.linkage == llvm.Linkage.external:
            function.linkage = linkage


class InnerLibrary(JITCodeLibrary):
    """A function's own code alone: neither linked, nor optimised as a module, nor compiled."""

    @property
    def codegen(self):
        """Numba's, without machine code."""
        return _NoMachineCode(self._codegen)

    def finalize(self):
        """Nothing more is added; its callers link it."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Nowhere."""
        self._ensure_finalized()
        return 0

    def _get_module_for_linking(self):
        """For a caller that was compiled by Numba's own pipeline, a user's njit: complete."""
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            own = [f for f in self._shared_module.functions if not f.is_declaration]
            _link_reached(self, self._shared_module, "linkonce_odr")
            for function in own:
                if function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
        return self._shared_module


class EntryLibrary(JITCodeLibrary):
    """An entry with everything it reaches, linked, optimised and compiled once."""

    def finalize(self):
        """Links, optimises and compiles."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        _link_reached(self, self._final_module, "internal")
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def serialize_using_object_code(self):
        """Machine code, and empty definitions of what it exports instead of bitcode: 4 times smaller, loads faster."""
        self._ensure_finalized()
        names = [f.name for f in self._final_module.functions if not f.is_declaration and f.linkage.name == "external"]
        text = "".join(f'define void @"{name}"() {{\n  ret void\n}}\n' for name in names)
        stub = llvm.parse_assembly(f'target triple = "{self._final_module.triple}"\n{text}')
        return self.name, "object", (self._get_compiled_object(), stub.as_bitcode())

    def _get_module_for_linking(self):
        refuse_linking()


def refuse_linking():
    """An entry stands in its own module: see the top of this file."""
    raise TypeError("an @entry cannot be called by name from jitted code: share a @function, or call it by address")


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Nobody looks for cycles of garbage meanwhile: a compiler makes little, and a tenth of its time went there."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@register_pass(mutates_CFG=True, analysis_only=False)
class OnceLowering(NativeLowering):
    """Numba's lowering into a library of ours."""

    _name = "gambol_once_lowering"

    def run_pass(self, state):
        """Numba's, into a library of the kind that the flags ask for."""
        inner = state.flags.no_cpython_wrapper and state.flags.no_cfunc_wrapper
        kind = InnerLibrary if inner else EntryLibrary
        state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        for notify in on_function:
            notify()
        return super().run_pass(state)


class Once(CompilerBase):
    """The `pipeline_class` of every function of this package."""

    def define_pipelines(self):
        """Numba's, with our lowering."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(OnceLowering, why) if one is NativeLowering else (one, why) for one, why in manager.passes]
        manager._finalized = False
        manager.finalize()
        return [manager]

    def compile_extra(self, func):
        """As Numba's; whoever waits hears of a failure."""
        try:
            with uncollected(), lean():
                return super().compile_extra(func)
        except BaseException:
            if not self.state.flags.no_cpython_wrapper:
                for notify in list(on_failure):
                    notify()
            raise
