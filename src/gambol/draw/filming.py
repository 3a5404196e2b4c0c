"""Films of motions as MP4, with the ffmpeg that comes in a wheel (extra `film`)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gambol.draw.picture import PICTURE_SIZE, Studio
from gambol.errors import ViewError

FILM_SUFFIXES = (".mp4", ".gif", ".webp")


def film(
    what: Any,
    path: str | Path,
    *,
    rate: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] = PICTURE_SIZE,
    quality: float = 0.8,
    progress: Callable[[int, int], None] = lambda done, of: None,
    **options: Any,
) -> Path:
    """Writes a film of a motion.

    path      .mp4, or .gif and .webp that repeat and may be transparent
    rate      pictures a second
    speed     1: as it happened; 0.25: four times slower
    quality   0 (small files) to 1
    progress  is called with (frames done, of how many)
    options   those of `Studio`: camera, props, ground, transparent, world, overlays
    """
    path = Path(path)
    check_film(path, rate, speed, quality, bool(options.get("transparent")))
    size = (size[0] // 2 * 2, size[1] // 2 * 2)  # the codec halves the colours of both sides
    studio = Studio(what, size=size, **options)
    motion = studio.motion
    count = max(1, round(motion.duration / speed * rate) + 1)
    times = np.minimum(motion.time[0] + np.arange(count) * speed / rate, motion.time[-1])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.stem}.part{path.suffix}")  # an interrupted film does not replace a whole one
    write = _mp4 if path.suffix.lower() == ".mp4" else _repeated
    try:
        write(partial, studio, times, rate, quality, progress)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def check_film(path: Path, rate: float, speed: float, quality: float, transparent: bool) -> None:
    """Raises ViewError for what cannot be filmed, before anything is drawn."""
    if path.suffix.lower() not in FILM_SUFFIXES:
        raise ViewError(f"{path}: films are written as {', '.join(FILM_SUFFIXES)}")
    if not rate > 0 or not speed > 0:
        raise ViewError(f"rate and speed must be positive, not {rate:g} and {speed:g}")
    if not 0 <= quality <= 1:
        raise ViewError(f"quality must be from 0 to 1, not {quality:g}")
    if transparent and path.suffix.lower() == ".mp4":
        raise ViewError(f"{path}: an MP4 is never transparent; a .webp or .gif can be")


def _mp4(
    path: Path,
    studio: Studio,
    times: np.ndarray,
    rate: float,
    quality: float,
    progress: Callable[[int, int], None],
) -> None:
    try:
        import imageio_ffmpeg
    except ImportError:
        raise ViewError("films need ffmpeg: pip install 'gambol[film]' (or write a .gif)") from None
    writer = imageio_ffmpeg.write_frames(
        str(path), studio.size, fps=rate, codec="libx264", quality=10.0 * quality, macro_block_size=2,
        ffmpeg_log_level="error",
    )  # fmt: skip
    try:
        writer.send(None)
        for k, frame in enumerate(studio.frames(times)):
            writer.send(frame.tobytes())
            progress(k + 1, len(times))
    finally:
        writer.close()


def _repeated(
    path: Path,
    studio: Studio,
    times: np.ndarray,
    rate: float,
    quality: float,
    progress: Callable[[int, int], None],
) -> None:
    from PIL import Image

    gif = path.suffix.lower() == ".gif"
    pictures = []
    for k, frame in enumerate(studio.frames(times)):
        picture = Image.fromarray(frame)
        method = Image.Quantize.FASTOCTREE if studio.transparent else None
        pictures.append(picture.quantize(round(32 + 120 * quality), method) if gif else picture)
        progress(k + 1, len(times))
    more: dict[str, Any] = {"disposal": 2} if gif and studio.transparent else {}
    more |= {} if gif else {"quality": round(100 * quality), "method": 4}
    duration = round(1000.0 / rate)
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=duration, loop=0, **more)
