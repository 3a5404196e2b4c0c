"""A real browser for the viewer: Chromium without a screen, WebGL in software."""

import os
import shutil
from pathlib import Path

import pytest

SWITCHES = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium_path() -> str | None:
    return os.environ.get("GAMBOL_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium_path()
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed (scripts/test installs one when it may)")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=SWITCHES)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Where screenshots are kept, to be looked at."""
    folder = Path(os.environ.get("GAMBOL_ARTEFACTS", Path(__file__).parents[2] / "test-artefacts" / "view"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def window(browser, artefacts):
    """Opens windows on viewers and closes both."""
    pytest.importorskip("websockets", reason="websockets is not installed (extra `view`)")
    from gambol.view import Viewer
    from gambol.view.live import LiveRun
    from view.window import Window

    opened: list = []

    def open_on(what, **options):
        if isinstance(what, LiveRun):
            what.prepare()  # compiling is not waited for with a limit
        viewer = what if isinstance(what, Viewer) else Viewer(what, port=0, rate=20.0).start()
        opened.append(viewer)
        found = Window.on_viewer(browser, options.pop("address", viewer.address), artefacts, **options)
        opened.insert(0, found.page)
        return viewer, found

    yield open_on
    for thing in opened:
        thing.close()
