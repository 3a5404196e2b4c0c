"""Where a world stops by itself on its way: at samples, which are recorded, and at the writes of its timetable."""

from gambol.jit import outlined
from gambol.math.scalar import load_lane, store_lane
from gambol.stepping.clock import get, put
from gambol.stepping.workspace import NEXT, SAMPLE, TIME, UNTIL


@outlined
def keep_samples(row, space, times, end, record, k, lane):
    """Records one world of row k where it has come to a sample; returns when the next one is."""
    place, t = int(get(space, SAMPLE, lane)), get(space, TIME, lane)
    while place < end and times[place] <= t:
        if record.shape[0] > 0 and times[place] == t:
            kept = record[place, k]
            for c in range(kept.shape[0]):
                store_lane(kept, c, lane, load_lane(row, c, lane))
        place += 1
    put(space, SAMPLE, lane, float(place))
    return times[place] if place < end else t


@outlined
def make_writes(row, space, writes, until, world, lane):
    """Makes the writes of one world whose time has come, and says where it stops next; returns how many it made."""
    first, last = writes.first[world], writes.first[world + 1]
    place = first + int(get(space, NEXT, lane))
    begin, t = place, get(space, TIME, lane)
    while place < last and writes.time[place] <= t:
        store_lane(row, writes.cell[place], lane, writes.value[place])
        place += 1
    put(space, NEXT, lane, float(place - first))
    put(space, UNTIL, lane, min(until, writes.time[place]) if place < last else until)
    return place - begin
