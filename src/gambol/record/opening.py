"""Opens the HDF5 file of a recording so that nothing but that file is read, and nothing waits for ever.

A file that was not closed (its writer was killed, or is at work) is marked so. One that is being written is read as
HDF5 has it for growing files, where damage makes it try again for minutes; any other is read as if it had been closed.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from gambol.errors import RecordingError
from gambol.record.lock import is_being_written
from gambol.record.trial import survived

# The superblock of an HDF5 file: version (3) at byte 8, flags at byte 11, address of the end of the file at byte 28,
# checksum of all before at byte 44.
VERSION, FLAGS, END, CHECK = 8, 11, 28, 44
SUPERBLOCK = 48  # [bytes]
MAX_OBJECTS, MAX_DEPTH = 10_000, 8
SIGNATURE = b"\x89HDF\r\n\x1a\n"
KNOWN_FILTERS = (1, 2, 3)  # deflate, shuffle, checksums; others are hardly ever used, or would be loaded as code
DAMAGE = (OSError, KeyError, RuntimeError, ValueError, TypeError, IndexError, AttributeError, OverflowError, EOFError)


@contextmanager
def damage_named(where: str) -> Iterator[None]:
    """Whatever goes wrong inside is said to be damage of the recording."""
    try:
        yield
    except (*DAMAGE, struct.error, MemoryError, ArithmeticError, AssertionError, SyntaxError) as error:
        text = str(error).splitlines()
        reason = f"{type(error).__name__}: {text[0] if text else 'unreadable'}"
        raise RecordingError(f"{where} is damaged: {reason}") from None


@contextmanager
def opened(path: Path, where: str) -> Iterator[h5py.File]:
    """The file for reading, once another process has survived it; whatever goes wrong with it is damage."""
    with damage_named(where):
        survived(path, where, growing=is_open(path) and is_being_written(path))
    with opened_here(path, where) as file:
        yield file


@contextmanager
def opened_here(path: Path, where: str) -> Iterator[h5py.File]:
    """The file for reading, as it is."""
    with damage_named(where):
        if is_open(path) and is_being_written(path) and not missing_bytes(path):
            with h5py.File(path, "r", libver="latest", swmr=True) as file:
                yield file
        elif is_open(path):
            with AsClosed(path) as stream, h5py.File(stream, "r", libver="latest") as file:
                yield file
        else:
            with h5py.File(path, "r", libver="latest") as file:
                yield file


def is_open(path: Path) -> bool:
    """Was it not closed: is it being written, or was its writer killed?"""
    with path.open("rb") as stream:
        head = stream.read(FLAGS + 1)
    return len(head) > FLAGS and head[FLAGS] != 0


def missing_bytes(path: Path) -> str:
    """What a file says of its size, where it is shorter. One that was not closed may be: its head is written first."""
    with path.open("rb") as stream:
        head = stream.read(END + 8)
    (end,) = struct.unpack_from("<Q", head, END) if len(head) == END + 8 else (END + 8,)
    size = path.stat().st_size
    return f"{size} of {end} bytes are there" if size < end else ""


def refuse_truncated(path: Path) -> None:
    """Raises when a file that was closed is not all there."""
    if not is_open(path) and (missing := missing_bytes(path)):
        raise RecordingError(f"{path} is cut short: {missing}; it was not copied whole")


class AsClosed(io.RawIOBase):
    """The bytes of an HDF5 file that was not closed, with the superblock of one that was."""

    def __init__(self, path: Path):
        self._stream = path.open("rb", buffering=0)
        self.size = path.stat().st_size
        head = bytearray(self._stream.read(SUPERBLOCK) or b"")
        if len(head) == SUPERBLOCK and head[VERSION] == 3:
            head[FLAGS] = 0
            struct.pack_into("<Q", head, END, self.size)
            struct.pack_into("<I", head, CHECK, lookup3(bytes(head[:CHECK])))
        self._head = bytes(head)
        self._at = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """Anywhere."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a byte; where it is then."""
        self._at = offset + (0, self._at, self.size)[whence]
        return self._at

    def tell(self) -> int:
        """The byte that is read next."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer as far as the file goes; how many bytes that are."""
        view = memoryview(buffer).cast("B")
        self._stream.seek(self._at)
        count = self._stream.readinto(view) or 0
        over = self._head[self._at : self._at + count]
        view[: len(over)] = over
        self._at += count
        return count

    def close(self) -> None:
        """Closes the file."""
        self._stream.close()
        super().close()


def lookup3(data: bytes) -> int:
    """Bob Jenkins's hash of 2006, HDF5's checksum of metadata; for a length that is no multiple of 12 but of 4."""
    mask = 0xFFFFFFFF
    words = struct.unpack(f"<{len(data) // 4}I", data)
    turn = lambda x, k: ((x << k) | (x >> (32 - k))) & mask
    a = b = c = (0xDEADBEEF + len(data)) & mask
    at = 0
    while len(words) - at > 3:
        a, b, c = ((x + y) & mask for x, y in zip((a, b, c), words[at : at + 3]))
        at += 3
        for k in (4, 6, 8, 16, 19, 4):
            a = ((a - c) & mask) ^ turn(c, k)
            c = (c + b) & mask
            a, b, c = b, c, a
    a, b, c = ((x + y) & mask for x, y in zip((a, b, c), (*words[at:], 0, 0, 0)))
    for k in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - turn(b, k)) & mask
        a, b, c = b, c, a
    return b


def refuse_foreign(file: h5py.File, where: str) -> None:
    """Raises unless everything in the file lies in the file: no links, no data elsewhere, no filters from outside."""
    waiting: list[tuple[str, h5py.Group, int]] = [("", file, 0)]
    count = 0
    while waiting:
        path, group, depth = waiting.pop()
        for name in group:
            count += 1
            if depth >= MAX_DEPTH or count > MAX_OBJECTS:
                raise RecordingError(f"{where} is not a recording: it holds too many objects, or a loop of them")
            full = f"{path}/{name}"
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise RecordingError(f"{where} is refused: {full} is a link to something else")
            item = group[name]
            if isinstance(item, h5py.Group):
                waiting.append((full, item, depth + 1))
            elif isinstance(item, h5py.Dataset):
                _refuse_outside(item, full, where)


def _refuse_outside(item: h5py.Dataset, full: str, where: str) -> None:
    plan = item.id.get_create_plist()
    if item.is_virtual or plan.get_external_count():
        raise RecordingError(f"{where} is refused: the numbers of {full} lie in other files")
    for k in range(plan.get_nfilters()):
        if plan.get_filter(k)[0] not in KNOWN_FILTERS:
            raise RecordingError(f"{where} is refused: {full} needs the foreign HDF5 filter {plan.get_filter(k)[0]}")
