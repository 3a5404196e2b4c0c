"""Nobody comes in without the token: plain requests, websockets, and a stranger's page in a real browser."""

import asyncio
import contextlib
import http.server
import socket
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

pytest.importorskip("websockets")
import websockets
import websockets.asyncio.client as client

from gambol import World
from gambol.view import LiveSource, Parameter, RecordedSource, Viewer
from gambol.view.guard import MAX_MESSAGE, MAX_RATE, Guard
from gambol.view.holding import strings
from view.motions import RED, brick, slide

LIMIT = 60.0
MESSAGES = {"garbage": b"\xc1" * 50, "text": "hello", "too large": bytes(2 * MAX_MESSAGE)}
FOREIGN = """<!doctype html><title>stranger</title><script>
const tried = {};
function attempt(name, address) {
    return new Promise(done => {
        try {
            const socket = new WebSocket(address);
            socket.onopen = () => { tried[name] = "open"; done(); };
            socket.onerror = () => { tried[name] = "refused"; done(); };
        } catch (error) { tried[name] = "refused"; done(); }
    });
}
async function all() {
    await attempt("bare", "ws://127.0.0.1:%PORT%/");
    await attempt("with token", "ws://127.0.0.1:%PORT%/%TOKEN%");
    await attempt("by name", "ws://localhost:%PORT%/%TOKEN%");
    tried.page = await fetch("http://127.0.0.1:%PORT%/%TOKEN%").then(r => r.text()).then(() => "read", () => "refused");
    document.title = JSON.stringify(tried);
}
all();
</script>"""


@pytest.fixture(scope="module")
def viewer():
    with Viewer(RecordedSource(slide(brick())), port=0).start() as shown:
        yield shown


def get(address, **headers):
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as page:
            return page.status, page.read(200)
    except urllib.error.HTTPError as error:
        return error.code, error.read(200)


def test_the_page_is_for_those_with_the_token(viewer):
    bare = f"http://127.0.0.1:{viewer.port}"
    assert get(viewer.address)[0] == 200 and get(f"{viewer.address}/")[0] == 200
    for wrong in (bare, f"{bare}/", f"{bare}/{viewer.guard.token[:-1]}", f"{bare}/x/{viewer.guard.token}"):
        status, text = get(wrong)
        assert status == 403 and b"Open the one that gambol printed" in text
    assert get(f"{viewer.address}/../../../../../../etc/passwd")[0] == 404


def raw(viewer, content, *, whole=True):
    """The answer to bytes; those that are no whole request are the last."""
    with socket.create_connection(("127.0.0.1", viewer.port), LIMIT) as line:
        with contextlib.suppress(ConnectionError):
            line.sendall(content)
            if not whole:
                line.shutdown(socket.SHUT_WR)
            return line.recv(200)
    return b""


def test_what_strangers_send_never_reaches_the_terminal(viewer, capfd):
    """Not even as the words of an error: they may hold controls of a terminal."""
    path, host = f"/{viewer.guard.token}", f"Host: 127.0.0.1:{viewer.port}"
    request = lambda *lines: "\r\n".join((f"GET {path} HTTP/1.1", *lines, "", "")).encode()
    assert raw(viewer, request(host)).startswith(b"HTTP/1.1 200 ")
    for two in (("Host: evil.example",), ("Origin: http://evil.example", f"Origin: http://127.0.0.1:{viewer.port}")):
        assert raw(viewer, request(host, *two)).startswith(b"HTTP/1.1 400 ")
    for content in (b"\x1b]0;owned\x07\r\n\r\n", b"GET / HT", b"POST / HTTP/1.1\r\n\r\n", b"GET /" + b"a" * 10**5, b""):
        raw(viewer, content, whole=False)
    raw(viewer, request(host, "Upgrade: websocket", "Upgrade: websocket", "Connection: Upgrade"))
    assert get(viewer.address)[0] == 200
    assert capfd.readouterr().err == ""


def test_other_hosts_and_origins_are_refused(viewer):
    assert get(viewer.address, Host=f"localhost:{viewer.port}")[0] == 200
    assert get(viewer.address, Host="evil.example")[0] == 421
    assert get(viewer.address, Origin="http://evil.example")[0] == 403
    assert get(viewer.address, Origin="null")[0] == 403
    assert get(viewer.address, Origin=f"http://127.0.0.1:{viewer.port}")[0] == 200


@pytest.mark.parametrize(
    ("host", "ours"),
    [("127.0.0.1:8080", True), ("[::1]:8080", True), ("[::1]", True), ("localhost", True), ("192.0.2.7:80", True),
     ("evil.example:8080", False), ("127.0.0.1.evil.example", False), ("", False), ("localhost.evil.example", False)],
)  # fmt: skip
def test_names_of_this_machine(host, ours):
    assert Guard("t", "127.0.0.1")._is_ours(host) == ours


def socket_to(viewer, path="", **options):
    address = f"ws://127.0.0.1:{viewer.port}/{path}"
    return client.connect(address, max_size=None, **options)


def apart(coroutine):
    """Runs it in a thread of its own: where a browser is open, this one has a loop running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def test_websockets_need_the_token_and_our_page(viewer):
    async def opens(path, **options):
        try:
            async with socket_to(viewer, path, **options):
                return True
        except websockets.exceptions.InvalidStatus as error:
            assert error.response.status_code == 403
            return False

    token = viewer.guard.token
    assert apart(opens(token)) and apart(opens(token, origin=f"http://127.0.0.1:{viewer.port}"))
    assert not apart(opens("")) and not apart(opens("guess"))
    assert not apart(opens(token, origin="http://evil.example"))


@pytest.mark.parametrize("what", ["garbage", "text", "too large", "too many"])
def test_messages_are_bounded(viewer, what, capfd):
    async def sent():
        async with socket_to(viewer, viewer.guard.token) as connection:
            if what == "too many":
                for _ in range(3 * MAX_RATE):
                    await connection.send(b"\x80")
            else:
                await connection.send(
                    {"garbage": b"\xc1" * 50, "text": "hello", "too large": bytes(2 * MAX_MESSAGE)}[what]
                )
            while True:
                await connection.recv()

    with pytest.raises(websockets.exceptions.ConnectionClosed):
        apart(asyncio.wait_for(sent(), LIMIT))
    assert get(viewer.address)[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_a_strangers_page_gets_nowhere(viewer, browser):
    """Served from another port of this machine, in the same browser; it even knows the token."""
    page = FOREIGN
    for mark, value in (("PORT", viewer.port), ("TOKEN", viewer.guard.token)):
        page = page.replace(f"%{mark}%", str(value))

    class Stranger(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        window = browser.new_page()
        window.goto(f"http://127.0.0.1:{server.server_port}/")
        window.wait_for_function("document.title.startsWith('{')", timeout=1e3 * LIMIT)
        tried = window.evaluate("tried")
        window.close()
        server.shutdown()
    assert tried == dict.fromkeys(("bare", "with token", "by name", "page"), "refused")
    assert not viewer.server.get_clients()


HOSTILE = '<img src=x onerror="window.owned=1">"\'&<script>window.owned=1</script>'


def test_names_are_text_in_a_real_browser(window):
    """Of figures, bodies and parameters, in the panel and where the pointer is."""
    figure = brick(name=HOSTILE)
    figure = replace(figure, bodies=(replace(figure.bodies[0], name=HOSTILE),))
    world = World(figure, forces=strings(figure))
    source = LiveSource.of(world, parameters=[Parameter(HOSTILE, lambda: 0.5, lambda value: None, 0.0, 1.0)])
    _, view = window(source)
    view.wait_frames(20)
    x, y = view.middle_of(RED)
    view.page.mouse.move(x, y)
    view.page.mouse.click(x, y)
    view.wait_frames(20)
    view.keep("hostile names")
    assert view.page.evaluate("() => [window.owned, document.querySelectorAll('img[src=x]').length]") == [None, 0]
    assert HOSTILE in view.page.inner_text("body") and view.elsewhere == [] and view.wrong == []
