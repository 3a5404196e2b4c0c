"""Recordings as tables: a row for every sample, a column for every entry of every channel, with units."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import ExportError, UnknownNameError, nearest

if TYPE_CHECKING:
    import pandas


def table_of(source: Any, *, world: int = 0, channels: Sequence[str] | None = None) -> pandas.DataFrame:
    """The channels of one world of a recording; columns such as `q chain/chain_0 [rad]`."""
    import pandas

    if not hasattr(source, "dataset"):
        raise ExportError(f"tables are written of recordings, not of a {type(source).__name__}")
    data = source.dataset
    for name in channels or ():
        if name not in source.channels:
            raise UnknownNameError(f"the recording has no channel {name!r}{nearest(name, source.channels)}")
    if not 0 <= world < source.worlds:
        raise ExportError(f"the recording has {source.worlds} worlds; there is no number {world}")
    columns: dict[str, np.ndarray] = {"time [s]": data.time.values}
    for name in channels or source.channels:
        values = data[name].isel(world=world) if "world" in data[name].dims else data[name]
        columns |= _columns(name, values, data)
    return pandas.DataFrame(columns)


def _columns(name: str, values: Any, data: Any) -> dict[str, np.ndarray]:
    labels = [data[dim].values for dim in values.dims[1:]]
    entry_units = data[f"{name}_unit"].values if f"{name}_unit" in data.coords else None
    found = {}
    for place in itertools.product(*(range(len(own)) for own in labels)):
        words = " ".join(str(own[k]) for own, k in zip(labels, place))
        unit = str(entry_units[place[-1]]) if entry_units is not None else values.attrs.get("units", "")
        found[f"{name} {words}".strip() + (f" [{unit}]" if unit else "")] = values.values[(slice(None), *place)]
    return found


def write_table(source: Any, path: Path, *, world: int = 0, channels: Sequence[str] | None = None) -> Path:
    """Writes them as CSV (every digit) or parquet, by the suffix."""
    table = table_of(source, world=world, channels=channels)
    if path.suffix.lower() == ".csv":
        table.to_csv(path, index=False)
        return path
    try:
        table.to_parquet(path, index=False)
    except ImportError:
        raise ExportError("parquet needs pyarrow: pip install 'gambol[study]'") from None
    return path
