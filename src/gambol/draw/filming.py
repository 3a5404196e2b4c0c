"""Films of motions as MP4, with the ffmpeg that comes in a wheel (extra `film`)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gambol.draw.picture import SIZE, Studio
from gambol.errors import ViewError

SUFFIXES = (".mp4", ".gif")


def film(
    what: Any,
    path: str | Path,
    *,
    rate: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] = SIZE,
    progress: Callable[[int, int], None] = lambda done, of: None,
    **options: Any,
) -> Path:
    """Writes a film of a motion.

    rate      pictures a second
    speed     1: as it happened; 0.25: four times slower
    progress  is called with (frames done, of how many)
    options   those of `Studio`: camera, props, ground, world
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ViewError(f"{path}: films are written as {', '.join(SUFFIXES)}")
    if not rate > 0 or not speed > 0:
        raise ViewError(f"rate and speed must be positive, not {rate:g} and {speed:g}")
    size = (size[0] // 2 * 2, size[1] // 2 * 2)  # the codec halves the colours of both sides
    studio = Studio(what, size=size, **options)
    motion = studio.motion
    count = max(1, round(motion.duration / speed * rate) + 1)
    times = np.minimum(motion.time[0] + np.arange(count) * speed / rate, motion.time[-1])
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".gif":
        _gif(path, studio, times, rate, progress)
    else:
        _mp4(path, studio, times, rate, progress)
    return path


def _mp4(path: Path, studio: Studio, times: np.ndarray, rate: float, progress: Callable[[int, int], None]) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise ViewError("films need ffmpeg: pip install 'gambol[film]' (or write a .gif)") from None
    partial = path.with_name(f".{path.stem}.part{path.suffix}")  # an interrupted film does not replace a whole one
    writer = imageio_ffmpeg.write_frames(
        str(partial), studio.size, fps=rate, codec="libx264", quality=8, macro_block_size=2, ffmpeg_log_level="error"
    )
    try:
        writer.send(None)
        for k, frame in enumerate(studio.frames(times)):
            writer.send(frame.tobytes())
            progress(k + 1, len(times))
        writer.close()
        partial.replace(path)
    finally:
        writer.close()
        partial.unlink(missing_ok=True)


def _gif(path: Path, studio: Studio, times: np.ndarray, rate: float, progress: Callable[[int, int], None]) -> None:
    from PIL import Image

    pictures = []
    for k, frame in enumerate(studio.frames(times)):
        pictures.append(Image.fromarray(frame).quantize(128))
        progress(k + 1, len(times))
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=1000.0 / rate, loop=0)
