"""Cells of worlds in packs as columns, one number a world, and back: compiled, because it is done every tick."""

from gambol.jit import entry
from gambol.math.scalar import lanes_of, load, store, store_lane


@entry
def gather_columns(array, cells, room):
    """room (cells, rows) becomes these cells of an array of rows, both of numbers or of packs."""
    for c in range(cells.shape[0]):
        for row in range(array.shape[0]):
            store(room[c], row, load(array[row], cells[c]))


@entry
def scatter_columns(columns, places, array):
    """Each of several lists of cells, (lists, cells), of an array of rows becomes the same columns (cells, worlds).

    Lanes beyond the last world take the last one's numbers.
    """
    lanes, worlds = lanes_of(array), columns.shape[1]
    for c in range(places.shape[1]):
        for row in range(array.shape[0]):
            first = row * lanes
            if first + lanes <= worlds:
                for lane in range(lanes):
                    for own in range(places.shape[0]):
                        store_lane(array[row], places[own, c], lane, columns[c, first + lane])
            else:
                for lane in range(lanes):
                    for own in range(places.shape[0]):
                        store_lane(array[row], places[own, c], lane, columns[c, min(first + lane, worlds - 1)])

