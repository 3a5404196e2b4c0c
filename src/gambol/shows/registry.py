"""What `gambol view NAME` can show: the list of shows, to which any module may add.

    @show("hop")
    def hop() -> LiveSource:
        'A hopper on springs.'

The docstring says what it is.
"""

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass

from gambol import UnknownNameError
from gambol.errors import nearest
from gambol.view import RecordedSource
from gambol.view.live import LiveRun

MODULES = (
    "figures",
    "roach",
    "roach_experiments",
    "person",
    "finger",
    "limbs",
    "compliant_hexapod",
    "director",
    "frog",
    "learned",
)
Maker = Callable[[], LiveRun | RecordedSource]


@dataclass(frozen=True)
class Show:
    """A name, what it is, and how it is made."""

    name: str
    about: str
    make: Maker


_shows: dict[str, Show] = {}


def show(name: str, *, also: tuple[str, ...] = ()) -> Callable[[Maker], Maker]:
    """Marks a function that makes a source; its docstring says what it is, `also` are other names for it."""

    def mark(make: Maker) -> Maker:
        about = inspect.getdoc(make) or ""
        _shows.update({known: Show(known, about, make) for known in (name, *also)})
        return make

    return mark


def shows() -> dict[str, Show]:
    """Every show by its name."""
    for module in MODULES:
        importlib.import_module(f"gambol.shows.{module}")
    return _shows


def find_show(name: str) -> Show:
    """The show of that name, or an error that names the nearest."""
    for module in MODULES:
        importlib.import_module(f"gambol.shows.{module}")
        if name in _shows:  # the modules after it need not be loaded
            return _shows[name]
    raise UnknownNameError(f"there is no file and no show called {name!r}{nearest(name, _shows)}")
