"""A browser's window on the viewer. Whatever is looked for is waited for: machines may be slow and busy."""

import io
import time

import numpy as np
from PIL import Image

from view.motions import coloured

LIMIT = 60.0  # [s] to wait for anything, so that a test that hangs ends
SIZE = {"width": 900, "height": 640}
# The browser's own settings are shown until the panel is there; then they fold away, and what is below moves up.
# Folded, they are hidden or lie in something of no height.
SETTLED = """() => {
    const text = document.body.innerText, buttons = [...document.querySelectorAll("button")];
    let open = buttons.find(button => button.textContent === "Save Canvas");
    for (let e = open; e; e = e.parentElement) if (e.getBoundingClientRect().height < 1) open = undefined;
    const there = text.includes("Gambol: ") && text.includes("t = ") && !open;
    const boxes = buttons.map(button => JSON.stringify(button.getBoundingClientRect())).join();
    window.still = there && boxes === window.boxes ? window.still + 1 : 0;
    window.boxes = boxes;
    return window.still >= 5;
}"""
FRAMES = """count => new Promise(done => {
    const next = left => left ? requestAnimationFrame(() => next(left - 1)) : done();
    next(count);
})"""


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

    @classmethod
    def on_viewer(cls, browser, address: str, artefacts) -> "Window":
        window = cls(browser.new_page(viewport=SIZE), artefacts)
        window.elsewhere = []
        window.page.on("request", window._asked)
        window.page.goto(address)
        window.page.wait_for_selector("canvas")
        window.page.wait_for_function(SETTLED)
        return window

    def _asked(self, request) -> None:
        if not request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
            self.elsewhere.append(request.url)

    def wait_frames(self, count: int = 10) -> None:
        self.page.evaluate(FRAMES, count)

    def pixels(self) -> np.ndarray:
        return np.asarray(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB"))

    def keep(self, name: str) -> None:
        self.page.screenshot(path=str(self.artefacts / f"{name}.png"))

    def scene(self) -> np.ndarray:
        return self.pixels()[:, :560]  # left of the panel

    def sees(self, colour, *, most: float = 0.5) -> bool:
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

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def has_button(self, name: str) -> bool:
        return self.page.get_by_role("button", name=name, exact=True).count() > 0

    def enter(self, label: str, value: float) -> None:
        """Types a number beside a slider."""
        row = self.page.locator("div.mantine-Flex-root", has=self.page.get_by_text(label, exact=True)).last
        box = row.locator("input[inputmode=decimal]")
        box.fill(f"{value:g}")
        box.press("Enter")

    def choose(self, label: str, option: str) -> None:
        """Takes an entry of a list."""
        self.page.get_by_label(label, exact=True).first.click()
        self.page.get_by_role("option", name=option).click()
