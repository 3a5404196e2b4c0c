"""Numbers of one world of many, of which most are the same in all worlds: these are read from one place."""

from typing import NamedTuple

import numpy as np
from numba import types


class WorldNumbers(NamedTuple):
    """Is read by `load` and written by `store` (math.scalar) as an array is; what is written is this world's own."""

    alike: np.ndarray  # 1 where all worlds have the number that `common` has
    common: np.ndarray
    own: np.ndarray


def are_world_numbers(kind: types.Type) -> bool:
    return getattr(kind, "instance_class", None) is WorldNumbers
