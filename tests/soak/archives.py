"""Files of bytes: policies (NumPy archives), C3D, pictures, meshes."""

from __future__ import annotations

import functools
import io
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from .mutants import byte_mutant, json_mutant


# ---------------------------------------------------------------- policies
@functools.cache
def policies() -> tuple[bytes, ...]:
    """Networks of two and one layers."""
    chance, made = np.random.default_rng(0), []
    for sizes in ((4, 5, 2), (3, 1)):
        arrays: dict[str, Any] = {"mean": np.zeros(sizes[0]), "spread": np.ones(sizes[0])}
        for k, (a, b) in enumerate(zip(sizes, sizes[1:])):
            arrays |= {f"weights{k}": chance.normal(size=(a, b)), f"biases{k}": np.zeros(b)}
        stream = io.BytesIO()
        np.savez(stream, about=np.array('{"format": 1, "task": "walk", "steps": 1000}'), **arrays)
        made.append(stream.getvalue())
    return tuple(made)


def read_policy(file: Path) -> Any:
    """A policy, and what it does about an observation."""
    from gambol.learn import Policy

    policy = Policy.read(file)
    return policy.about, policy(np.zeros(len(policy.mean))).shape


class Loud:
    """Unpickled, it would end the process: which the fuzzer counts as a crash."""

    def __reduce__(self) -> Any:
        import os

        return os._exit, (66,)


def other_arrays(content: bytes, chance: random.Random) -> bytes:
    """A policy with an array missing, another, or of objects; or bytes of the archive changed."""
    if chance.random() < 0.4:
        return byte_mutant(content, chance)
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        arrays = dict(found)
    odd: list[Any] = [np.zeros(0), np.zeros((2, 2)), np.array("x"), np.array(3), np.array([Loud()], object), np.nan]
    odd += [
        np.zeros((4, 5), "c16"),
        np.zeros((0, 5)),
        np.full((4, 5), np.inf),
        np.array([b"a"]),
        np.zeros((4, 5), bool),
    ]
    odd += [np.zeros(4, [("a", "f4")]), np.zeros(4, "M8[s]"), np.zeros((1,) * 20), np.zeros((4, 5), np.float16)]
    name = chance.choice(list(arrays))
    match chance.randrange(4):
        case 0:
            del arrays[name]
        case 1:
            arrays["about"] = np.array(json_mutant(str(arrays["about"]), chance))
        case 2:
            arrays[chance.choice(["weights1", "weights9", "weightsx", "extra", "biases7"])] = chance.choice(odd)
        case _:
            arrays[name] = chance.choice(odd)
    stream = io.BytesIO()
    chance.choice((np.savez, np.savez_compressed))(stream, **arrays)
    return stream.getvalue()


# ---------------------------------------------------------------- C3D
@functools.cache
def captures() -> tuple[bytes, ...]:
    """Three frames of two markers."""
    import c3d

    writer = c3d.Writer(point_rate=100.0, point_units="mm")
    writer.add_frames([(np.full((2, 5), 100.0 * k, np.float32), np.zeros((0, 0))) for k in range(3)])
    writer.set_point_labels(["LASI", "RASI"])
    stream = io.BytesIO()
    writer.write(stream)
    return (stream.getvalue(),)


def head_first(content: bytes, chance: random.Random) -> bytes:
    """Bytes changed, those of the head more often: the rest is numbers."""
    if chance.random() < 0.7:
        head = bytearray(content[:1600])
        for _ in range(chance.choice((1, 1, 2, 4))):
            head[chance.randrange(len(head))] = chance.choice((0, 1, 2, 127, 128, 255, chance.randrange(256)))
        return bytes(head) + content[1600:]
    return byte_mutant(content, chance)


# ---------------------------------------------------------------- pictures
@functools.cache
def pictures() -> tuple[bytes, ...]:
    """Small ones of several kinds."""
    from PIL import Image

    image = Image.fromarray(np.random.default_rng(0).integers(0, 255, (12, 10, 3), np.uint8))
    made = []
    for kind in ("png", "bmp", "gif", "jpeg", "tiff", "ppm"):
        stream = io.BytesIO()
        image.save(stream, format=kind)
        made.append(stream.getvalue())
    return tuple(made)


def other_picture(content: bytes, chance: random.Random) -> bytes:
    """Bytes changed; or one that would take more memory than there is."""
    if chance.random() < 0.05:
        return _png(chance.choice((1, 50_000, 2_000_000_000)), chance.choice((1, 20_000, 50_000)))
    return byte_mutant(content, chance)


def _png(width: int, height: int) -> bytes:
    """The head of a picture that would take more memory than there is."""
    made = b"\x89PNG\r\n\x1a\n"
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    for kind, content in ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")):
        made += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return made


def read_picture(file: Path) -> Any:
    """As a script reads a bitmap."""
    from gambol import GambolError
    from gambol.corpus.frame_buffer import read_image

    try:
        return read_image(file).size
    except GambolError as error:
        return str(error)[:8]


# ---------------------------------------------------------------- meshes
@functools.cache
def stl_files() -> tuple[bytes, ...]:
    """A tetrahedron in bytes and in words."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    binary = bytes(80) + struct.pack("<I", len(faces))
    words = "solid a\n"
    for face in faces:
        binary += struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0)
        loop = "".join("vertex {:g} {:g} {:g}\n".format(*corners[c]) for c in face)
        words += f"facet normal 0 0 0\nouter loop\n{loop}endloop\nendfacet\n"
    return binary, (words + "endsolid a\n").encode()
