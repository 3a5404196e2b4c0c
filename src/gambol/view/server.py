"""A small server: one page, and a websocket to everybody who has it open.

Pictures may be dropped where a line is slow (only the newest waits); everything else arrives, in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from gambol.errors import ViewError
from gambol.view.guard import MAX_MESSAGE, Guard, understood

Answer = tuple[str, bytes]  # type of the content, and the content


class Client:
    """A browser that looks: what it looks at (`overlays`, `plots`), and what waits to be sent to it."""

    def __init__(self, number: int, connection: Any):
        self.number, self.connection = number, connection
        self.overlays: frozenset[str] = frozenset()
        self.plots: tuple[str, ...] = ()
        self.told: Any = None  # the state that it was last told
        self.done = 0  # the number of the last thing it set
        self.heard = -1  # lines of the prompt that it has; -1: those of its page
        self.edition = -1  # of the figures that its page shows
        self._waiting: deque[str | bytes] = deque()
        self._picture: bytes | None = None
        self._ready = asyncio.Event()

    def put(self, message: str | bytes, *, picture: bool) -> None:
        """Has a message sent; a picture takes the place of one that still waits. In the server's thread."""
        if picture:
            self._picture = message if isinstance(message, bytes) else message.encode()
        else:
            self._waiting.append(message)
        self._ready.set()

    async def send(self) -> None:
        """Sends what waits, for ever."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            while self._waiting:
                await self.connection.send(self._waiting.popleft())
            if (picture := self._picture) is not None:
                self._picture = None
                await self.connection.send(picture)


class Server:
    """Serves in a thread of its own until `stop`.

    answer    what a path (without the token) gives: (type, content); None where there is nothing
    received  is called in the server's thread with the client and a message, a dict; must not wait
    changed   is called there when somebody comes or goes
    """

    def __init__(
        self,
        host: str,
        port: int,
        guard: Guard,
        answer: Callable[[str], Answer | None],
        received: Callable[[Client, dict[str, Any]], None],
        changed: Callable[[], None],
    ):
        self._answer, self._received, self._changed = answer, received, changed
        self._clients: dict[int, Client] = {}
        self._numbers = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self._port, self._fault, self._up = port, "", threading.Event()
        self._ending = asyncio.Event()
        run = lambda: self._loop.run_until_complete(self._serve(host, port, guard))
        self.thread = threading.Thread(target=run, name="gambol server", daemon=True)
        self.thread.start()
        self._up.wait()
        if self._fault:
            raise ViewError(self._fault)

    async def _serve(self, host: str, port: int, guard: Guard) -> None:
        import websockets.asyncio.server as library

        log = logging.getLogger(__name__)
        log.addFilter(_is_our_trouble)
        options: dict[str, Any] = {"max_size": MAX_MESSAGE, "compression": None, "server_header": None, "logger": log}
        try:
            server = await library.serve(
                guard.handler(self._care), host, port, process_request=guard.process(self._respond), **options
            )
        except OSError as error:
            self._fault = f"cannot listen at {host}, port {port}: {error.strerror or error}"
            self._up.set()
            return
        self._port = server.sockets[0].getsockname()[1]
        self._up.set()
        await self._ending.wait()
        server.close()
        await server.wait_closed()

    def _respond(self, connection: Any, request: Any) -> Any:
        """A page; nothing for those that want a websocket."""
        if "websocket" in (word.lower() for word in request.headers.get_all("Upgrade")):
            return None
        found = self._answer(request.path.partition("?")[0])
        if found is None:
            return connection.respond(http.HTTPStatus.NOT_FOUND, "There is nothing here.\n")
        kind, content = found
        response = connection.respond(http.HTTPStatus.OK, "")
        response.body = content
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(content)))):
            del response.headers[name]
            response.headers[name] = value
        return response

    async def _care(self, connection: Any) -> None:
        client = Client(next(self._numbers), connection)
        self._clients[client.number] = client
        self._changed()
        sending = asyncio.create_task(client.send())
        try:
            with contextlib.suppress(_closed()):
                while True:
                    self._received(client, understood(await connection.recv()))
        finally:
            sending.cancel()
            self._clients.pop(client.number, None)
            self._changed()

    # ------------------------------------------------------------ from any thread
    def get_port(self) -> int:
        """Where it listens."""
        return self._port

    def get_clients(self) -> dict[int, Client]:
        """Who looks, by number."""
        return dict(self._clients)

    def send(self, client: Client, message: str | bytes, *, picture: bool = False) -> None:
        """Sends to one; a picture may be dropped where the line is slow."""
        with contextlib.suppress(RuntimeError):  # it has just stopped
            self._loop.call_soon_threadsafe(lambda: client.put(message, picture=picture))

    def stop(self) -> None:
        """Ends it and frees the port."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._ending.set)
        self.thread.join(10.0)


def _is_our_trouble(record: logging.LogRecord) -> bool:
    """Is it worth a word? What strangers send is not, nor is it shown: it may hold controls of a terminal."""
    from websockets.exceptions import WebSocketException

    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, (WebSocketException, OSError, EOFError))


def _closed() -> type[Exception]:
    from websockets.exceptions import ConnectionClosed

    return ConnectionClosed
