"""The symbols of the engine, and the models that a configuration can name."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gambol.errors import UnknownNameError, nearest
from gambol.hybrid.system import HybridSystem


@dataclass(frozen=True)
class Symbol:
    """An engine symbol: its usual value, what it means, the smallest value allowed."""

    default: float | str
    description: str
    minimum: float | None = None
    exclusive: bool = True  # least itself is not allowed


ENGINE_SYMBOLS = {
    "finalTime": Symbol(10.0, "when to end [s]", 0.0),
    "maxChartCount": Symbol(1_280_000.0, "chart changes after which to end", 1.0, exclusive=False),
    "tolerance": Symbol(1e-5, "largest error of a step", 0.0),
    "maxTimeStep": Symbol(1e-3, "longest step [s]", 0.0),
    "minTimeStep": Symbol(1e-13, "shortest step [s]", 0.0),
    "rkPower": Symbol(0.33, "exponent by which steps grow and shrink", 0.0),
    "stopPrecision": Symbol(1e-9, "time to which crossings are located [s]", 0.0),
    "maxStopIterations": Symbol(128.0, "most trials to locate a crossing", 1.0, exclusive=False),
    "recordPeriod": Symbol(1e-3, "time between lines of the data file [s]", 0.0),
    "measurePeriod": Symbol(0.0, "time between further exact measurements [s]; 0: none", 0.0, exclusive=False),
    "dataBaseName": Symbol("SimSect", "beginning of the names of the three files"),
    "useGeomview": Symbol(
        0.0, "1: also write <base>.transforms, the named transforms for display", 0.0, exclusive=False
    ),
    "maxSectionCount": Symbol(0.0, "crossings of sections after which to end; 0: no end", 0.0, exclusive=False),
    "model": Symbol("hexapod", "which system: a name, or module:Class"),
    "chart": Symbol("", "the chart to begin in: a name or number; empty: as the model starts"),
}

_MODELS = {
    "hexapod": ("gambol.hybrid.models.compliant_hexapod", "CompliantHexapod"),
    "hexapod-waves": ("gambol.hybrid.models.compliant_hexapod", "CompliantHexapodOnWaves"),
    "hexapod-ditch": ("gambol.hybrid.models.compliant_hexapod", "CompliantHexapodOverDitch"),
    "bouncing-ball": ("gambol.hybrid.models", "BouncingBall"),
    "rimless-wheel": ("gambol.hybrid.models", "RimlessWheel"),
    "spring-hopper": ("gambol.hybrid.models", "SpringHopper"),
    "compass-walker": ("gambol.hybrid.models", "CompassWalker"),
    "stick-slip": ("gambol.hybrid.models", "StickSlip"),
    "catching-plate": ("gambol.hybrid.models", "CatchingPlate"),
}


def _load(module: str, name: str) -> type[HybridSystem]:
    return getattr(importlib.import_module(module), name)


MODEL_LOADERS: dict[str, Callable[[], type[HybridSystem]]] = {n: partial(_load, *place) for n, place in _MODELS.items()}


def find_model(name: str, *, allow_modules: bool = False) -> type[HybridSystem]:
    """The class of a model by its name; with `allow_modules` also by module:Class, whose module is run."""
    if name in MODEL_LOADERS:
        return MODEL_LOADERS[name]()
    module, _, attribute = name.partition(":")
    if attribute and not allow_modules:
        message = f"{name!r} is code of another module, which a file may not start"
        raise UnknownNameError(f"{message}: name it with --model, or allow it with --allow-modules")
    if not attribute or not all(part.isidentifier() for part in module.split(".")):
        raise UnknownNameError(
            f"no model {name!r}{nearest(name, MODEL_LOADERS)}; one of your own is named module:Class"
        )
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # whatever running the module raises
        raise UnknownNameError(f"cannot load the model {name!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, HybridSystem)):
        raise UnknownNameError(f"{name!r} is not a HybridSystem")
    return found


def symbol_of(name: str) -> str:
    """A state's name as a symbol: without blanks."""
    return name.replace(" ", "_").replace("-", "_")
