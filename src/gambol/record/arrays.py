"""Archives of arrays (.npz) as strangers may have made them: nothing in them is run, none is larger than its file."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np

# what zipfile and NumPy raise about damaged archives (RuntimeError: a password is wanted)
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, LookupError)
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_arrays(source: bytes | str | Path) -> dict[str, np.ndarray]:
    """The arrays of an archive, as `numpy.savez` writes it, by name. ValueError says why it is none; OSError as usual.

    Compressed ones are refused, for they may become a thousand times as long.
    """
    with io.BytesIO(source) if isinstance(source, bytes) else Path(source).open("rb") as stream:
        length = stream.seek(0, io.SEEK_END)
        try:
            with zipfile.ZipFile(stream) as archive:
                members = archive.infolist()
                if sum(member.file_size for member in members) > length:
                    raise ValueError("its parts are compressed, or longer than the file")
                return {m.filename.removesuffix(".npy"): _array(archive.read(m), m.filename) for m in members}
        except DAMAGE as error:
            raise ValueError(str(error) or type(error).__name__) from None


def _array(content: bytes, name: str) -> np.ndarray:
    stream = io.BytesIO(content)
    head = HEADERS.get(np.lib.format.read_magic(stream))  # type: ignore[arg-type]
    if head is None:
        raise ValueError(f"{name!r} is an array of another version")
    shape, by_columns, dtype = head(stream)
    if dtype.hasobject:
        raise ValueError(f"{name!r} holds objects, which are never made from a file")
    count = math.prod(shape)
    if min(shape, default=0) < 0 or count * dtype.itemsize != len(content) - stream.tell():
        raise ValueError(f"{name!r} has {len(content) - stream.tell()} bytes for {count} numbers")
    values = np.frombuffer(content, dtype, count, stream.tell()) if count * dtype.itemsize else np.zeros(count, dtype)
    return values.reshape(shape, order="F" if by_columns else "C").copy()
