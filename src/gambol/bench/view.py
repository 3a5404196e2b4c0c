"""The live view in a browser without a graphics card: pictures a second, the first picture, and what looking costs."""

import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gambol import GambolError
from gambol.bench.result import Floor, Result

SHOWS = ("person90", "person142")
WIDTH, HEIGHT = 1280, 720
SETTLING, TURN = 6.0, 4.0  # [s] in which the quality finds its level, and of a turn
LONGEST_PICTURE = 1.0 / 30.0  # [s]
FIRST_CEILING = 3.0  # [s] from the command to the first picture
COST_CEILING = 3.0  # [%] of the simulation's speed
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SWITCHES = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]
HOW = "the view is measured in a browser: install the package chromium and `pip install playwright`"
COUNT = "() => [window.gambol.pictures, performance.now()]"
STARTED = "() => window.gambol && window.gambol.pictures > 0"


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Time between pictures of the persons with most freedoms, played at real time, the best of some turns."""
    with _browser() as browser:
        if browser is None:
            return [Result("view-pictures", "not measured", "s", math.nan, {}, None, notes=(HOW,))]
        return [_pictures(browser, show, min(rounds, 3), progress) for show in SHOWS]


def _pictures(browser: Any, show: str, turns: int, progress: Callable[[], None]) -> Result:
    with _server(show) as address:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(address)
        page.wait_for_function(STARTED)
        page.wait_for_timeout(1e3 * SETTLING)
        best, said = math.inf, ""
        for _ in range(turns):
            first, began = page.evaluate(COUNT)
            page.wait_for_timeout(1e3 * TURN)
            last, ended = page.evaluate(COUNT)
            took = 1e-3 * (ended - began) / max(last - first, 1)
            if took < best:
                best, said = took, page.evaluate("() => window.gambol.stage.quality.words")
            progress()
        page.close()
    metric = f"time between pictures, {WIDTH} × {HEIGHT}, WebGL in software"
    note = f"{show}: {1 / best:.1f} pictures/s at the quality it chose: {said}"
    return Result(f"view-{show}", metric, "s", best, {}, None, Floor("ours", LONGEST_PICTURE), notes=(note,))


def measure_first(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """From the start of `gambol view roach` to its first picture, code cached, the browser open; the best of some."""
    with _browser() as browser:
        if browser is None:
            return [Result("view-first", "not measured", "s", math.nan, {}, None, notes=(HOW,))]
        found = []
        for _ in range(1 + min(rounds, 3)):
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            began = time.perf_counter()
            with _server("roach") as address:
                page.goto(address)
                page.wait_for_function(STARTED)
                found.append(time.perf_counter() - began)
            page.close()
            progress()
    metric = "from `gambol view roach` to the first picture in an open browser, code cached"
    return [Result.of_times("view-first", metric, "s", min(found[1:]), {}, Floor("ours", FIRST_CEILING))]


def measure_cost(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """The share of the simulation's speed that looking takes: median of rounds of turns alone and viewed."""
    from gambol.shows.registry import find_show
    from gambol.view.measure import cost

    shown: Any = find_show("person90").make()
    found = cost(shown, rounds=10 * min(rounds, 5))
    progress()
    low, high = (100 * share for share in found.bounds)
    note = f"view-cost: {low:.1f} to {high:.1f} % with 95 % confidence, {found.pictures:.0f} pictures/s"
    metric = "share of the speed of person90 that serving its pictures takes"
    floor = Floor("ours", COST_CEILING)
    return [Result("view-cost", metric, "%", 100 * found.slower, {}, None, floor, notes=(note,))]


@contextmanager
def _browser() -> Iterator[Any]:
    """Chromium without a screen, WebGL in software; None where there is none."""
    path = os.environ.get("GAMBOL_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        yield None
        return
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=SWITCHES)
        yield opened
        opened.close()


@contextmanager
def _server(show: str) -> Iterator[str]:
    """`gambol view` of a show in a process of its own: its address."""
    command = [sys.executable, "-m", "gambol.cli", "view", show, "--port", "0"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert started.stdout is not None
        found = re.search(r"http://\S+", started.stdout.readline())
        if not found:
            raise GambolError(f"`gambol view {show}` did not start")
        yield found.group(0)
    finally:
        started.terminate()
        started.wait()
