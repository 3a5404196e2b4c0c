"""Cells of worlds in packs as columns, one number a world, and back: compiled, because it is done every tick."""

from gambol.jit import entry
from gambol.math.scalar import load, store


@entry
def gather_columns(array, cells, room):
    """room (cells, rows) becomes these cells of an array of rows, both of numbers or of packs."""
    for c in range(cells.shape[0]):
        for row in range(array.shape[0]):
            store(room[c], row, load(array[row], cells[c]))


@entry
def scatter_columns(room, first, factor, offset, places, array):
    """Each of several lists of cells, (lists, cells), of an array of rows becomes room (…, rows) from `first` on, times
    `factor` plus `offset` of each."""
    for c in range(places.shape[1]):
        for row in range(array.shape[0]):
            value = load(room[first + c], row) * factor[c] + offset[c]
            for own in range(places.shape[0]):
                store(array[row], places[own, c], value)
