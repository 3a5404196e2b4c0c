"""Long trials of the live view: opened and closed, and many clients."""

from __future__ import annotations

import threading
import time
import urllib.request
from typing import Any

from .lasting import resident

EACH = 0.2  # [MB] that a viewer may leave behind
SECONDS = 20.0  # for which clients look


def _source() -> Any:
    from gambol import Joint, World, chain
    from gambol.view import LiveSource

    source = LiveSource.of(World(chain(2, Joint("hinge", (0, 1, 0)))))
    source.prepare()
    return source


def views(given: Any) -> dict[str, Any]:
    """Viewers opened, asked for their page and closed: ports, threads and memory come back."""
    from gambol.view import Viewer

    source = _source()
    sizes, threads, until, count, pages = [], [], time.monotonic() + given.budget, 0, 0
    while count < given.count and time.monotonic() < until:
        with Viewer(source, port=0).start() as viewer, urllib.request.urlopen(viewer.address) as page:
            pages += b"<html" in page.read().lower()
        source.sim.pieces.halted = False
        if count % max(given.count // 10, 1) == 0:
            sizes.append(resident())
            threads.append(threading.active_count())
            print(f"after {count + 1}: {sizes[-1]:.1f} MB, {threads[-1]} threads", flush=True)
        count += 1
    sizes.append(resident())
    grown = (sizes[-1] - sizes[len(sizes) // 2]) / max(count / 2, 1)
    print(f"{count} viewers: {', '.join(f'{s:.0f}' for s in sizes)} MB, {1e3 * grown:.0f} kB each; threads {threads}")
    held = grown < EACH and threads[-1] <= threads[0] + 2 and pages == count
    return {
        "held": held,
        "viewers": count,
        "pages": pages,
        "memory_mb": sizes,
        "kb_each": 1e3 * grown,
        "threads": threads,
    }


def clients(given: Any) -> dict[str, Any]:
    """Many browsers' worth of websockets at one viewer, each of which gets pictures."""
    import asyncio

    import websockets.asyncio.client as client

    from gambol.view import Viewer

    async def look(address: str, until: float) -> int:
        got = 0
        async with client.connect(address, max_size=None) as connection:
            while time.monotonic() < until:
                await asyncio.wait_for(connection.recv(), 30.0)
                got += 1
        return got

    async def all_of_them(address: str) -> list[int]:
        until = time.monotonic() + SECONDS
        return await asyncio.gather(*(look(address, until) for _ in range(given.count)))

    with Viewer(_source(), port=0).start() as viewer:
        got = asyncio.run(all_of_them(viewer.address.replace("http://", "ws://")))
    print(f"{given.count} clients for {SECONDS:g} s: each got {min(got)} to {max(got)} messages")
    return {"held": min(got) > 10, "clients": given.count, "least": min(got), "most": max(got)}
