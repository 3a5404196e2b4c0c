"""A share of the mutants of every format (`python -m tests.soak fuzz` reads as many as there is time for)."""

import pytest

from soak.formats import FORMATS
from soak.fuzz import KINDS, fuzz

SHARE = (
    dict.fromkeys(FORMATS, 40)
    | dict.fromkeys(("yaml", "urdf", "mjcf", "bvh", "simsect", "script"), 60)
    | {"recording": 25, "edited": 40, "journal": 40}
)


@pytest.mark.parametrize("name", FORMATS)
def test_mutants_are_read_or_refused(name):
    if needs := FORMATS[name].needs:
        pytest.importorskip(needs)
    tally = fuzz(name, seed=1_000_000, count=SHARE[name], budget=60.0)
    assert tally.failures == 0, tally.found
    assert set(tally.counts) <= set(KINDS) and tally.counts["held"] > 0


def test_the_breakers_notice_what_breaks():
    """A reader that has every fault there is: each is counted as what it is."""
    import os
    import time
    from dataclasses import replace

    broken = FORMATS["bvh"]

    def read(file):
        text = file.read_bytes()
        if text in seeds:
            return 1
        match sum(text) % 4:
            case 0:
                raise KeyError("bare")
            case 1:
                os.abort()
            case 2:
                return bytearray(10**12)
            case _:
                time.sleep(60.0)

    seeds = broken.seeds()
    FORMATS["broken"] = replace(broken, read=read)
    try:
        tally = fuzz("broken", count=12, limit=0.2)
    finally:
        del FORMATS["broken"]
    assert tally.failures == sum(tally.counts.values()) == 12
    assert {"bare", "crashed", "hung", "memory"} == set(tally.counts), tally.counts
