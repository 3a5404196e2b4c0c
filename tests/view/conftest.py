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
