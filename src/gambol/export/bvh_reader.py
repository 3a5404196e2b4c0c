"""Reads BVH as a motion to follow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from gambol.errors import ExportError, nearest, shortened
from gambol.export.bvh_writer import joint_name
from gambol.export.quaternions import CONJUGATE, product, turned
from gambol.export.skeleton import Skeleton
from gambol.figure import Figure
from gambol.limits import refuse_too_large

TO_OURS = np.array([2, 0, 1])  # which of the file's axes are our x, y, z
CHANNELS = tuple(f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ")


@dataclass(frozen=True)
class TargetMotion:
    """A motion read from a file: joints by name, in our axes (Z up, X forward).

    parents   row of each joint's parent, −1 for roots; offsets (joints, 3) [m] at rest, in the parent's frame
    step      [s] between frames
    shift     (frames, joints, 3) [m] of each joint in its parent's frame; turn (frames, joints, 4)
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: np.ndarray
    step: float
    shift: np.ndarray
    turn: np.ndarray

    def __len__(self) -> int:
        return len(self.shift)

    @property
    def times(self) -> np.ndarray:
        """Of the frames, from 0 [s]."""
        return self.step * np.arange(len(self))

    def world_positions(self) -> np.ndarray:
        """(frames, joints, 3): where the joints are [m]."""
        place, frame = self.shift.copy(), self.turn.copy()
        for k, p in enumerate(self.parents):
            if p >= 0:
                place[:, k] = place[:, p] + turned(frame[:, p], self.shift[:, k])
                frame[:, k] = product(frame[:, p], self.turn[:, k])
        return place

    def positions(self, figure: Figure, names: Mapping[str, str] | None = None) -> np.ndarray:
        """(frames, positions) of a figure that follows this motion as far as its joints allow.

        `names` maps bodies to joints of the file, by default of the same name; bodies without one stay at zero. A
        hinge takes the part of the turn that is about its axis.
        """
        found = {joint_name(body.name): body.name for body in figure.order if joint_name(body.name) in self.names}
        mapping = {body: name for name, body in found.items()} if names is None else dict(names)
        if not mapping:
            raise ExportError(f"no body of {figure.name!r} has the name of a joint ({', '.join(self.names)})")
        for own, name in mapping.items():
            wrong, known = (name, self.names) if name not in self.names else (own, figure.names)
            if wrong not in known:
                raise ExportError(f"no joint or body is called {wrong!r}{nearest(wrong, known)}")
        q = np.tile(np.array(figure.zero, float), (len(self), 1))
        skeleton = Skeleton(figure)
        _, rest = skeleton.rest
        for k, body in enumerate(figure.order):
            if body.name in mapping:
                j = self.names.index(mapping[body.name])
                parent = rest[skeleton.parents[k]] if skeleton.parents[k] >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
                base = product(parent, np.asarray(body.placement.rotation))  # frame of the joint at zero, world axes
                turn = product(product(np.broadcast_to(base * CONJUGATE, self.turn[:, j].shape), self.turn[:, j]), base)
                moved = self.shift[:, j] - (skeleton.offsets[k] if skeleton.parents[k] >= 0 else skeleton.rest[0][k])
                move = turned(np.broadcast_to(base * CONJUGATE, turn.shape), moved)
                q[:, figure.position_slices[body.name]] = body.joint.kind.coordinates(body.joint, move, turn)
        return q


# ---------------------------------------------------------------- the file
def read_bvh(path: str | Path, *, scale: float = 1.0) -> TargetMotion:
    """Reads a BVH file (Y up, Z forward); lengths in the file are metres times `scale` (100 for centimetres)."""
    path = Path(path)
    try:
        words = _Words(path.read_text(encoding="utf-8", errors="replace"), str(path))
    except OSError as error:
        raise ExportError(f"{path}: cannot be read: {error.strerror}") from None
    words.expect("HIERARCHY")
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float]] = []
    channels: list[list[str]] = []
    if not words.next_is("ROOT"):
        words.expect("ROOT")
    while words.next_is("ROOT"):
        _read_joints(words, names, parents, offsets, channels)
    words.expect("MOTION")
    words.expect("Frames:")
    count = words.count("frames")
    words.expect("Frame", "Time:")
    step = words.number()
    if not step > 0:
        raise words.fault(f"the frame time must be positive, it is {step:g}")
    width = sum(map(len, channels))
    refuse_too_large(f"{path}: {count} frames of {len(names)} joints", 8.0 * count * (width + 7 * len(names)))
    table = words.numbers(count * width).reshape(count, width)
    rest = np.array(offsets) / scale
    shift, turn = np.tile(rest, (count, 1, 1)), np.tile([1.0, 0.0, 0.0, 0.0], (count, len(names), 1))
    first = 0
    for k, own in enumerate(channels):
        _fill(own, table[:, first : first + len(own)], shift[:, k], turn[:, k], scale)
        first += len(own)
    turn[..., 1:] = turn[..., 1:][..., TO_OURS]
    return TargetMotion(tuple(names), tuple(parents), rest[:, TO_OURS], step, shift[..., TO_OURS], turn)


def _fill(own: list[str], columns: np.ndarray, shift: np.ndarray, turn: np.ndarray, scale: float) -> None:
    """The channels of one joint, in the file's axes."""
    places = [(k, name) for k, name in enumerate(own) if name.endswith("position")]
    for k, name in places:
        shift[:, "XYZ".index(name[0])] = columns[:, k] / scale
    turns = [(k, name[0]) for k, name in enumerate(own) if name.endswith("rotation")]
    if turns:
        order = "".join(axis for _, axis in turns)
        angles = columns[:, [k for k, _ in turns]]
        turn[...] = Rotation.from_euler(order, angles, degrees=True).as_quat(scalar_first=True).reshape(-1, 4)


def _read_joints(words: _Words, names, parents, offsets, channels) -> None:
    """A root and everything below it."""
    open_joints: list[int] = []
    while not open_joints or not words.next_is("}") or len(open_joints) > 1:
        if words.next_is("}"):
            words.take()
            open_joints.pop()
        elif not open_joints or words.next_is("JOINT"):
            words.take()
            names.append(words.take())
            parents.append(open_joints[-1] if open_joints else -1)
            open_joints.append(len(names) - 1)
            words.expect("{", "OFFSET")
            offsets.append([words.number() for _ in range(3)])
            channels.append(_read_channels(words))
        else:
            words.expect("End", "Site", "{", "OFFSET")
            [words.number() for _ in range(3)]
            words.expect("}")
    words.expect("}")


def _read_channels(words: _Words) -> list[str]:
    words.expect("CHANNELS")
    own: list[str] = []
    for _ in range(words.count("channels", len(CHANNELS))):
        name = words.take()
        if name not in CHANNELS:
            raise words.fault(f"no channel {name!r}{nearest(name, CHANNELS)}")
        if name in own:
            raise words.fault(f"the channel {name} is given twice")
        own.append(name)
    return own


class _Words:
    """The words of a file, with the line each stands in."""

    def __init__(self, text: str, where: str):
        self.words = [(word, n) for n, line in enumerate(text.splitlines(), 1) for word in line.split()]
        self.at, self.where = 0, where

    def fault(self, message: str) -> ExportError:
        line = self.words[min(self.at, len(self.words)) - 1][1] if self.words else 1
        return ExportError(f"{self.where}:{line}: {message}")

    def take(self) -> str:
        if self.at >= len(self.words):
            raise self.fault("the file ends too early")
        self.at += 1
        return self.words[self.at - 1][0]

    def next_is(self, word: str) -> bool:
        return self.at < len(self.words) and self.words[self.at][0] == word

    def expect(self, *wanted: str) -> None:
        for word in wanted:
            got = self.take()
            if got != word:
                raise self.fault(f"{word!r} is wanted here, not {shortened(got)!r}")

    def number(self) -> float:
        got = self.take()
        try:
            if math.isfinite(value := float(got)):
                return value
        except ValueError:
            pass
        raise self.fault(f"a number is wanted here, not {shortened(got)!r}")

    def count(self, what: str, most: float = math.inf) -> int:
        value = self.number()
        if value != int(value) or not 0 <= value <= most:
            raise self.fault(f"a number of {what} is wanted here, not {value:g}")
        return int(value)

    def numbers(self, count: int) -> np.ndarray:
        if len(self.words) - self.at < count:
            self.at = len(self.words)
            raise self.fault("the file ends too early: frames are missing")
        return np.array([self.number() for _ in range(count)])
