"""A browser's window on the viewer. Whatever is looked for is waited for: machines may be slow and busy."""

import io
import time

import numpy as np
from PIL import Image

from view.motions import coloured

LIMIT = 60.0  # [s] to wait for anything, so that a test that hangs ends
TRIES = 6  # in that time, of a picture
SIZE = {"width": 900, "height": 560}
PANEL = 264  # [pixels] wide
# The page has drawn, and knows how things stand.
READY = "() => window.gambol && window.gambol.connected && window.gambol.pictures > 0 && window.gambol.state.speeds"
FRAMES = """count => new Promise(done => {
    const next = left => left ? requestAnimationFrame(() => next(left - 1)) : done();
    next(count);
})"""
# Where a point of the world is in the window.
PLACE = """point => {
    const { stage } = window.gambol, at = stage.middle.clone().set(...point).project(stage.camera);
    const box = stage.renderer.domElement.getBoundingClientRect();
    return [box.left + (0.5 + 0.5 * at.x) * box.width, box.top + (0.5 - 0.5 * at.y) * box.height];
}"""


def eventually(condition, what: str = "") -> None:
    until = time.perf_counter() + LIMIT
    while not condition():
        assert time.perf_counter() < until, f"not within {LIMIT:g} s: {what or condition}"
        time.sleep(0.02)


class Window:
    """A page, and what is seen in it."""

    def __init__(self, page, artefacts):
        self.page, self.artefacts = page, artefacts
        self.page.set_default_timeout(1e3 * LIMIT)
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)

    @classmethod
    def on_viewer(cls, browser, address: str, artefacts, **options) -> "Window":
        window = cls(browser.new_page(viewport=SIZE, **options), artefacts)
        window.elsewhere = []
        window.page.on("request", window._asked)
        window.page.goto(address)
        window.page.wait_for_function(READY)
        return window

    def _asked(self, request) -> None:
        if not request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
            self.elsewhere.append(request.url)

    def wait_frames(self, count: int = 10) -> None:
        self.page.evaluate(FRAMES, count)

    def get(self, expression: str):
        """Something of the page: an expression of `gambol`."""
        return self.page.evaluate(f"() => {{ const gambol = window.gambol; return {expression}; }}")

    def screenshot(self) -> bytes:
        """Asked for one as the theme changes, Chromium may fail or never answer, though the page draws on."""
        from playwright.sync_api import Error

        for _ in range(TRIES - 1):
            try:
                return self.page.screenshot(timeout=1e3 * LIMIT / TRIES)
            except Error:
                self.wait_frames()
        return self.page.screenshot(timeout=1e3 * LIMIT / TRIES)

    def pixels(self) -> np.ndarray:
        return np.asarray(Image.open(io.BytesIO(self.screenshot())).convert("RGB"))

    def keep(self, name: str) -> None:
        (self.artefacts / f"{name}.png").write_bytes(self.screenshot())

    def scene(self) -> np.ndarray:
        return self.pixels()[: SIZE["height"] - 48, : SIZE["width"] - PANEL]

    def sees(self, colour, *, most: float = 0.6) -> bool:
        return 0.001 < coloured(self.scene(), colour).mean() < most

    def middle_of(self, colour) -> tuple[float, float]:
        """Where this colour is in the scene, as soon as it stays there."""
        places = [np.full(2, np.inf)]

        def stays() -> bool:
            rows, columns = np.nonzero(coloured(self.scene(), colour))
            places.append(np.array([columns.mean(), rows.mean()]) if len(rows) else np.full(2, np.inf))
            return bool(np.all(np.isfinite(places[-1])) and np.abs(places[-1] - places[-2]).max() < 1.0)

        eventually(stays, what=f"the colour {colour}")
        return float(places[-1][0]), float(places[-1][1])

    def place_of(self, point) -> tuple[float, float]:
        """Where a point of the world [m] is in the window [pixels]."""
        return tuple(self.page.evaluate(PLACE, [float(x) for x in point]))

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def has_button(self, name: str) -> bool:
        return self.page.get_by_role("button", name=name, exact=True).count() > 0

    def enter(self, label: str, value: float) -> None:
        """Types a number beside a slider."""
        box = self.page.get_by_label(f"{label}, number", exact=True)
        box.fill(f"{value:g}")
        box.press("Enter")

    def choose(self, label: str, option: str) -> None:
        """Takes an entry of a list."""
        self.page.get_by_label(label, exact=True).select_option(option)
