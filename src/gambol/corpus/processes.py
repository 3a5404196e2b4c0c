"""Other programs: shell commands and children that talk in text. Off unless switched on by whoever starts Gambol."""

import os
import selectors
import subprocess
from dataclasses import dataclass, field

from gambol.corpus.table import look_up
from gambol.errors import CommandError

READ_TIMEOUT = 0.2  # [s] of silence after which a child is taken to have said all
FIRST_READ_TIMEOUT = 60.0  # [s] for its first word: it may have to start


@dataclass
class Processes:
    """Children of this session, by name."""

    allowed: bool
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    background: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def require_allowed(self) -> None:
        """An error unless other programs may be started."""
        if not self.allowed:
            raise CommandError("other programs may not be started (switch it on with --allow-system)")

    def system(self, text: str, folder: str) -> tuple[int, str]:
        """Runs a shell command to its end: exit status and what it printed."""
        self.require_allowed()
        done = subprocess.run(text, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).rstrip("\n")

    def fork(self, text: str, folder: str) -> None:
        """Starts a shell command in the background."""
        self.require_allowed()
        self.background.append(subprocess.Popen(text, shell=True, cwd=folder))

    def wait(self) -> list[int]:
        """Exit statuses of everything that was started in the background."""
        statuses = [child.wait() for child in self.background]
        self.background.clear()
        return statuses

    def open(self, name: str, text: str, folder: str) -> None:
        """Starts a child program that is written to and read from."""
        self.require_allowed()
        if name in self.children:
            raise CommandError(f"there is a child {name!r} already")
        self.children[name] = subprocess.Popen(
            text,
            shell=True,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def child(self, name: str) -> subprocess.Popen[bytes]:
        """A child by its name."""
        return look_up(self.children, name, "child program")

    def write(self, name: str, text: str) -> None:
        """Sends a line to a child."""
        child = self.child(name)
        assert child.stdin is not None
        try:
            child.stdin.write(f"{text}\n".encode())
            child.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise CommandError(f"child {name!r} has ended (status {child.poll()})") from None

    def read(self, name: str) -> list[str]:
        """What the child has said: waits for its first line, then until it falls silent."""
        child = self.child(name)
        assert child.stdout is not None
        output = b""
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while selector.select(READ_TIMEOUT if output else FIRST_READ_TIMEOUT):
                piece = os.read(child.stdout.fileno(), 65536)
                if not piece:
                    break
                output += piece
        if not output and child.poll() is None:
            raise CommandError(f"child {name!r} said nothing for {FIRST_READ_TIMEOUT:g} s")
        return output.decode(errors="replace").splitlines()

    def close(self) -> None:
        """Ends the children by closing what they read."""
        for child in self.children.values():
            if child.stdin:
                child.stdin.close()
            try:
                child.wait(timeout=2.0)
            except subprocess.TimeoutExpired:
                child.terminate()
        self.children.clear()
