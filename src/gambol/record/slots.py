"""A text of any length that is replaced again and again in a file, such that a crash leaves the last or the one before.

Two places take turns. Each holds a number that counts up, a length, a checksum and the bytes; the valid one with the
larger number counts.
"""

import struct
import zlib
from typing import Any

import numpy as np

HEAD = struct.Struct("<QQI")  # number, length, checksum of number and bytes
MIN_SIZE = 4096


class Slots:
    """The two places called `name` in an HDF5 file; made where they are not there."""

    def __init__(self, file: Any, name: str):
        self.places = []
        for k in (0, 1):
            place = f"{name}_{k}"
            if place not in file:
                file.create_dataset(place, (MIN_SIZE,), np.uint8, maxshape=(None,), chunks=(MIN_SIZE,))
            self.places.append(file[place])
        self.number, self.torn = 0, False

    def write(self, content: bytes) -> None:
        """Replaces the older of the two."""
        self.number += 1
        place = self.places[self.number % 2]
        check = zlib.crc32(content, self.number & 0xFFFFFFFF)
        block = HEAD.pack(self.number, len(content), check) + content
        if len(block) > len(place):
            place.resize((2 * len(block),))  # room to grow: a resize is dearer than the bytes
        place[: len(block)] = np.frombuffer(block, np.uint8)

    def read(self) -> list[bytes]:
        """What is valid, the newest first; `torn` says whether something is there that is not."""
        found = []
        self.torn = False
        for place in self.places:
            block = place[...].tobytes()
            if len(block) < HEAD.size:
                self.torn = True
                continue
            number, length, check = HEAD.unpack_from(block)
            content = block[HEAD.size : HEAD.size + length]
            if number and len(content) == length and zlib.crc32(content, number & 0xFFFFFFFF) == check:
                found.append((number, content))
            elif any(block):
                self.torn = True
        self.number = max((number for number, _ in found), default=0)
        return [content for _, content in sorted(found, reverse=True)]
