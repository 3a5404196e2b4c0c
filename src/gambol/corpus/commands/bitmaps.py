"""Bitmaps: read, combined, laid over the picture, written. Files are PNG or what their suffix says."""

from collections.abc import Callable

import numpy as np
from PIL import Image

from gambol.corpus.actions import calls
from gambol.corpus.frame_buffer import brightened, checked_size, gamma, read_image, region_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.table import CommandFunction, fraction, in_group
from gambol.errors import CommandError

command = in_group("bitmap")
REGION_SPEC = "x:integer y:integer w:integer h:integer"


def _read(interpreter: Interpreter, file: str) -> Image.Image:
    return read_image(interpreter.files.to_read(file))


def _write(interpreter: Interpreter, image: Image.Image, file: str) -> None:
    path = interpreter.files.to_write(file)
    kind = path.suffix.lstrip(".").lower() or "png"
    opaque = kind in ("jpg", "jpeg", "bmp")
    try:
        (image.convert("RGB") if opaque else image).save(path, format="jpeg" if kind == "jpg" else kind)
    except (KeyError, OSError, ValueError) as error:
        raise CommandError(f"{file!r} cannot be written as a picture: {error}") from None


# ------------------------------------------------------------ bitmaps in memory
def _reader(name: str, help: str) -> None:
    @command(name, "file:file name w:integer h:integer [x:integer y:integer] [alpha:file]", help)
    def act(
        interpreter: Interpreter, file: str, name: str, w: int, h: int, x: int | None, y: int | None, alpha: str | None
    ):
        image = _read(interpreter, file)
        image = image.crop(region_of(image, x or 0, y or 0, w, h))
        if alpha is not None:
            mask = _read(interpreter, alpha).convert("L")
            image.putalpha(mask.crop(region_of(mask, x or 0, y or 0, w, h)))
        interpreter.buffer.bitmaps[name] = image


_reader("blitread", "reads a part of a picture (from x y, default the lower left corner), with another as its alpha")
_reader("blitreadblur", "the same")


@command("blitreadbyte", "file:file name w:integer h:integer", "reads raw bytes, rows from the top, as grey")
def blitreadbyte(interpreter: Interpreter, file: str, name: str, w: int, h: int) -> None:
    data = interpreter.files.to_read(file).read_bytes()
    checked_size(w, h)
    if len(data) != w * h:
        raise CommandError(f"{file!r} has {len(data)} bytes, {w} by {h} needs {w * h}")
    interpreter.buffer.bitmaps[name] = Image.frombytes("L", (w, h), data).convert("RGBA")


@command("blitwrite", "file:file name", "writes a bitmap")
def blitwrite(interpreter: Interpreter, file: str, name: str) -> None:
    _write(interpreter, interpreter.buffer.find(name), file)


@command("blitwritebyte", "file:file name", "writes the red of a bitmap as raw bytes")
def blitwritebyte(interpreter: Interpreter, file: str, name: str) -> None:
    interpreter.files.to_write(file).write_bytes(interpreter.buffer.find(name).getchannel("R").tobytes())


@command("blitmake", "name w:integer h:integer r:integer g:integer b:integer", "a new bitmap, colour 0 to 255")
def blitmake(interpreter: Interpreter, name: str, w: int, h: int, r: int, g: int, b: int) -> None:
    if not all(0 <= part <= 255 for part in (r, g, b)):
        raise CommandError(f"the parts of a colour go from 0 to 255, not {r} {g} {b}")
    interpreter.buffer.bitmaps[name] = Image.new("RGBA", checked_size(w, h), (r, g, b, 255))


command("blit", "name x:integer y:integer", "lays a bitmap over the picture")(
    lambda interpreter, name, x, y: interpreter.buffer.paste(interpreter.buffer.find(name), x, y)
)


def _pair(interpreter: Interpreter, first: str, second: str) -> tuple[Image.Image, Image.Image]:
    one, two = interpreter.buffer.find(first), interpreter.buffer.find(second)
    if one.size != two.size:
        raise CommandError(f"{first!r} is {one.width} by {one.height}, {second!r} is {two.width} by {two.height}")
    return one, two


@command("blitlayer", "background foreground target", "the foreground over the background, by its alpha")
def blitlayer(interpreter: Interpreter, background: str, foreground: str, target: str) -> None:
    below, above = _pair(interpreter, background, foreground)
    share = np.asarray(above, float)[..., 3:] / 255.0
    mixed = np.asarray(above, float)[..., :3] + (1.0 - share) * np.asarray(below, float)[..., :3]
    flat = np.clip(mixed, 0, 255).round().astype(np.uint8)
    interpreter.buffer.bitmaps[target] = Image.fromarray(flat).convert("RGBA")


@command("blitlayerb", "background foreground target", "the same, the foreground not multiplied by its alpha yet")
def blitlayerb(interpreter: Interpreter, background: str, foreground: str, target: str) -> None:
    interpreter.buffer.bitmaps[target] = Image.alpha_composite(*_pair(interpreter, background, foreground))


@command("blitlayerred", "background foreground target", "the same, the foreground's red being its alpha")
def blitlayerred(interpreter: Interpreter, background: str, foreground: str, target: str) -> None:
    below, above = _pair(interpreter, background, foreground)
    interpreter.buffer.bitmaps[target] = Image.composite(above, below, above.getchannel("R"))


@command("blitlayertrans", "a b target t:number", "from a (t = 0) to b (t = 1)")
def blitlayertrans(interpreter: Interpreter, a: str, b: str, target: str, t: float) -> None:
    interpreter.buffer.bitmaps[target] = Image.blend(*_pair(interpreter, a, b), fraction(t, "t"))


@command("blitcopy", f"source target {REGION_SPEC}", "a part of a bitmap as a new one")
def blitcopy(interpreter: Interpreter, source: str, target: str, x: int, y: int, w: int, h: int) -> None:
    image = interpreter.buffer.find(source)
    interpreter.buffer.bitmaps[target] = image.crop(region_of(image, x, y, w, h))


@command("blitinsert", "source target x:integer y:integer", "puts a bitmap into another")
def blitinsert(interpreter: Interpreter, source: str, target: str, x: int, y: int) -> None:
    small, large = interpreter.buffer.find(source), interpreter.buffer.find(target)
    large.paste(small, region_of(large, x, y, small.width, small.height)[:2])


@command("blitramp", "source target factor:number", "brightness times a factor")
def blitramp(interpreter: Interpreter, source: str, target: str, factor: float) -> None:
    interpreter.buffer.bitmaps[target] = brightened(interpreter.buffer.find(source), factor)


@command("blitscale", "source target n:integer", "every pixel n times as large")
def blitscale(interpreter: Interpreter, source: str, target: str, n: int) -> None:
    image = interpreter.buffer.find(source)
    size = checked_size(n * image.width, n * image.height)
    interpreter.buffer.bitmaps[target] = image.resize(size, Image.Resampling.NEAREST)


# ------------------------------------------------------------ the picture
command("glopen", "w:integer h:integer", "begins an empty picture")(calls("buffer.open"))


def _matte(name: str) -> None:
    @command(name, "rgb:file alpha:file", "lays a file over the picture, another file being its alpha")
    def act(interpreter: Interpreter, rgb: str, alpha: str) -> None:
        image, mask = _read(interpreter, rgb), _read(interpreter, alpha).convert("L")
        if image.size != mask.size:
            raise CommandError(f"{rgb!r} and {alpha!r} must be equally large")
        image.putalpha(mask)
        interpreter.buffer.paste(image, 0, 0)


_matte("alphablit")
_matte("alphaload")


def _saver(name: str, help: str) -> None:
    @command(name, f"{REGION_SPEC} file:file", help)
    def act(interpreter: Interpreter, x: int, y: int, w: int, h: int, file: str) -> None:
        _write(interpreter, interpreter.buffer.shown.crop(interpreter.buffer.region(x, y, w, h)), file)


_saver("bitsave", "writes a part of the picture")
_saver("bobdump", "the same")


def _loader(name: str, help: str) -> None:
    @command(name, f"{REGION_SPEC} file:file", help)
    def act(interpreter: Interpreter, x: int, y: int, w: int, h: int, file: str) -> None:
        interpreter.buffer.region(x, y, w, h)
        interpreter.buffer.paste(_read(interpreter, file).resize((w, h)), x, y)


_loader("bitload", "lays a file over a part of the picture")
_loader("bankload", "the same")


@command("bobload", "x:integer y:integer file:file", "lays a file over the picture")
def bobload(interpreter: Interpreter, x: int, y: int, file: str) -> None:
    interpreter.buffer.paste(_read(interpreter, file), x, y)


@command(
    "bobloadb",
    "x:integer y:integer file:file r:integer g:integer b:integer",
    "the same, without the pixels of one colour (0 to 255)",
)
def bobloadb(interpreter: Interpreter, x: int, y: int, file: str, r: int, g: int, b: int) -> None:
    values = np.array(_read(interpreter, file))
    values[np.all(values[..., :3] == (r, g, b), axis=-1), 3] = 0
    interpreter.buffer.paste(Image.fromarray(values), x, y)


@command("bobloadt", "x:integer y:integer t:number file:file", "the same, with transparency t")
def bobloadt(interpreter: Interpreter, x: int, y: int, t: float, file: str) -> None:
    fraction(t, "transparency")
    image = _read(interpreter, file)
    image.putalpha(image.getchannel("A").point(lambda value: round(value * (1.0 - t))))
    interpreter.buffer.paste(image, x, y)


@command("bitmove", f"{REGION_SPEC} to_x:integer to_y:integer", "copies a part of the picture to another place")
def bitmove(interpreter: Interpreter, x: int, y: int, w: int, h: int, to_x: int, to_y: int) -> None:
    part = interpreter.buffer.shown.crop(interpreter.buffer.region(x, y, w, h))
    interpreter.buffer.shown.paste(part, interpreter.buffer.region(to_x, to_y, w, h)[:2])


def _changes(how: Callable[..., Image.Image]) -> CommandFunction:
    return lambda interpreter, x, y, w, h, *given: interpreter.buffer.change(x, y, w, h, lambda part: how(part, *given))


def _turns(way: Image.Transpose) -> CommandFunction:
    return _changes(lambda part: part.transpose(way))


command("turnover", REGION_SPEC, "turns a part of the picture upside down")(_turns(Image.Transpose.FLIP_TOP_BOTTOM))
command("turnaround", REGION_SPEC, "mirrors a part of the picture, left and right")(
    _turns(Image.Transpose.FLIP_LEFT_RIGHT)
)
command("bitrotate", REGION_SPEC, "turns a part of the picture by half a turn")(_turns(Image.Transpose.ROTATE_180))
command("bitgamma", f"{REGION_SPEC} gamma:number", "colours of a part of the picture to the power 1/gamma")(
    _changes(gamma)
)
command("bitramp", f"{REGION_SPEC} factor:number", "brightness of a part of the picture times a factor")(
    _changes(brightened)
)


@command("enlarge", "", "every pixel of the picture four times as large")
def enlarge(interpreter: Interpreter) -> None:
    image = interpreter.buffer.shown
    interpreter.buffer.picture = image.resize(checked_size(4 * image.width, 4 * image.height), Image.Resampling.NEAREST)


@command("label", "x:number y:number size:number text:text", "writes over the picture, letters of this size")
def label(interpreter: Interpreter, x: float, y: float, size: float, text: str) -> None:
    if not 1.0 <= size <= 1000.0:
        raise CommandError(f"letters are 1 to 1000 pixels high, not {size:g}")
    interpreter.buffer.text(x, y, size, text)
