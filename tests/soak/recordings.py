"""Recordings as they are damaged: byte by byte, and through HDF5 itself with checksums made right again."""

from __future__ import annotations

import functools
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile

from .mutants import byte_mutant, json_mutant


@functools.cache
def recordings() -> tuple[bytes, ...]:
    from gambol import Joint, Recorder, Simulation, World, chain

    made = []
    with tempfile.TemporaryDirectory() as folder:
        for k in (2, 1):
            sim = Simulation(World(chain(k, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)))
            sim.reset(q=[0.5, 0.2][:k])
            file = Path(folder) / f"{k}.gambol"
            with Recorder(sim, file, every=0.02, reports=False) as recorder:
                recorder.run(0.4)
            made.append(file.read_bytes())
    return tuple(made)


def read_recording(file: Path) -> Any:
    from gambol import Recording

    recording = Recording.open(file)
    numbers = {name: recording.read(name).tobytes() for name in ("time", *recording.channels)}
    repr(recording.dataset)
    recording.motion()
    recording.report.text()
    repr(recording)
    state = recording.checkpoint
    return numbers, len(recording.events), None if state is None else (state.rows, state.data.tobytes())


def edited(content: bytes, chance: random.Random) -> bytes:
    """A recording changed through HDF5 itself, checksums made right again."""
    import h5py

    with tempfile.NamedTemporaryFile(suffix=".gambol") as stream:
        stream.write(content)
        stream.flush()
        with h5py.File(stream.name, "r+", libver="latest") as file:
            chance.choice(EDITS)(file, chance)
        return Path(stream.name).read_bytes()


def _names(file: Any) -> list[str]:
    found: list[str] = []
    file.visit(lambda name: found.append(name))
    return found


def _drop(file: Any, chance: random.Random) -> None:
    del file[chance.choice(_names(file))]


def _replace(file: Any, chance: random.Random) -> None:
    name = chance.choice(_names(file))
    attributes = dict(file[name].attrs) if chance.random() < 0.5 else {}
    del file[name]
    values: list[Any] = [0.0, np.zeros(0), np.zeros((3, 0, 2)), np.full((21, 2), np.nan), "text", np.arange(4.0)]
    values += [np.zeros(21, "c16"), np.array([b"a", b"b"]), np.zeros(3, [("a", "f4")]), np.array([True]), np.zeros(21)]
    if chance.random() < 0.2:
        file.create_group(name)
    else:
        made = file.create_dataset(name, data=chance.choice(values))
        for key, value in attributes.items():
            if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"):
                made.attrs[key] = value


def _attribute(file: Any, chance: random.Random) -> None:
    item = file[chance.choice(["/", *_names(file)])]
    if len(item.attrs) and chance.random() < 0.7:
        name = chance.choice(list(item.attrs))
        del item.attrs[name]
        if chance.random() < 0.5:
            item.attrs[name] = chance.choice([0.5, "x", np.zeros(3)])


def _json(file: Any, chance: random.Random) -> None:
    """The description or the report, changed as text."""
    from gambol.record.slots import Slots

    if chance.random() < 0.5:
        text = file["run/description"][...].tobytes().decode()
        del file["run/description"]
        file["run"].create_dataset("description", data=np.frombuffer(json_mutant(text, chance).encode(), np.uint8))
    else:
        slots = Slots(file["run"], "report")
        text = slots.read()[0].decode()
        slots.write(json_mutant(text, chance).encode("utf-8", "surrogatepass"))


def _checkpoint(file: Any, chance: random.Random) -> None:
    import io

    from gambol.record.slots import Slots

    slots = Slots(file["run"], "checkpoint")
    content = slots.read()[0]
    if chance.random() < 0.4:
        slots.write(byte_mutant(content, chance))
        return
    loaded: NpzFile = np.load(io.BytesIO(content), allow_pickle=False)
    with loaded as arrays:
        kept = dict(arrays)
    if chance.random() < 0.5:
        kept["head"] = np.array(json_mutant(str(kept["head"]), chance))
    else:
        kept[chance.choice(list(kept))] = chance.choice([np.zeros(0), np.zeros((2, 2)), np.array("x"), np.array(3)])
    stream = io.BytesIO()
    np.savez(stream, **kept)  # type: ignore[arg-type]
    slots.write(stream.getvalue())


EDITS = (_drop, _replace, _replace, _attribute, _json, _json, _json, _checkpoint)
