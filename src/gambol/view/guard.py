"""Who may come in: the server of the live view asks for a token, and looks at who sent a request.

A page of a stranger in the same browser can reach every port of this machine. So the address has a token in its path,
which such a page cannot know; requests must name this server as their host (else a name that a stranger points here
would do), and those of pages must come from the page that this server gave out. What comes in is bounded in size and
number.
"""

from __future__ import annotations

import contextlib
import hmac
import http
import ipaddress
import json
import secrets
import socket
import time as clock
from typing import Any

MAX_MESSAGE = 1_000_000  # [bytes] from a browser: what it sends is pointers, cameras and settings
MAX_RATE = 2000  # messages a second from one browser
MAX_CLIENTS = 200  # browsers at once
POLICY = 1008  # code with which a websocket is closed for what it did
NOT_UNDERSTOOD = (AssertionError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
REFUSED = "This address lacks its token. Open the one that gambol printed, whole.\n"


def new_token() -> str:
    """128 bits that nobody guesses."""
    return secrets.token_urlsafe(16)


class Guard:
    """What the server of one viewer lets in.

    token   first part of the path of every request
    host    the address it listens at
    """

    def __init__(self, token: str, host: str):
        self.token, self.names = token, {"localhost", host, socket.gethostname()}
        self.clients = 0

    # ------------------------------------------------------------ requests
    def refusal(self, path: str, headers: Any) -> tuple[http.HTTPStatus, str] | None:
        """Why a request is not let in; None when it is."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) > 1 or len(origins) > 1:
            return http.HTTPStatus.BAD_REQUEST, "A request has one Host, and at most one Origin.\n"
        host = hosts[0] if hosts else ""
        if not self._is_ours(host):
            return http.HTTPStatus.MISDIRECTED_REQUEST, f"This server is not called {host!r}.\n"
        if origins and origins[0] not in (f"http://{host}", f"https://{host}"):
            return http.HTTPStatus.FORBIDDEN, "Requests of other pages are refused.\n"
        if not hmac.compare_digest(path.lstrip("/").partition("/")[0].partition("?")[0].encode(), self.token.encode()):
            return http.HTTPStatus.FORBIDDEN, REFUSED
        if self.clients >= MAX_CLIENTS:
            return http.HTTPStatus.SERVICE_UNAVAILABLE, f"There are {self.clients} browsers here already.\n"
        return None

    def inside(self, path: str) -> str:
        """The path without the token."""
        _, _, rest = path.lstrip("/").partition("/")
        return f"/{rest}"

    def _is_ours(self, host: str) -> bool:
        """A name of this machine, or a bare number, which nobody can point elsewhere."""
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        name = name.strip("[]")
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(name)
            return True
        return name in self.names

    # ------------------------------------------------------------ what a server is made with
    def process(self, inner: Any) -> Any:
        """The answer to plain requests: `inner`, once they are let in."""

        def answered(connection: Any, request: Any) -> Any:
            if why := self.refusal(request.path, request.headers):
                return connection.respond(*why)
            request.path = self.inside(request.path)
            response = inner(connection, request) if inner else None
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"
                response.headers["Cache-Control"] = "no-store"
                response.headers["X-Content-Type-Options"] = "nosniff"
            return response

        return answered

    def handler(self, inner: Any) -> Any:
        """The care of one browser: `inner`, with its messages counted; what cannot be understood ends it."""

        async def handled(connection: Any) -> None:
            connection.recv = bounded(connection.recv)
            self.clients += 1
            try:
                await inner(connection)
            except (TooMany, *NOT_UNDERSTOOD) as error:
                await connection.close(POLICY, str(error)[:100] if isinstance(error, TooMany) else "not understood")
            finally:
                self.clients -= 1

        return handled


def understood(content: str | bytes) -> dict[str, Any]:
    """A message of a browser; raises one of NOT_UNDERSTOOD for what is none."""
    message = json.loads(content)
    if not isinstance(message, dict):
        raise TypeError("a message is an object")
    return message


class TooMany(Exception):
    """A browser sent too much."""


def bounded(receive: Any) -> Any:
    """The same, but at most MAX_RATE times a second."""
    count, second = 0, 0

    async def counted(*more: Any, **options: Any) -> Any:
        nonlocal count, second
        message = await receive(*more, **options)
        now = int(clock.monotonic())
        count, second = (count + 1, second) if now == second else (1, now)
        if count > MAX_RATE:
            raise TooMany(f"more than {MAX_RATE} messages a second")
        return message

    return counted
