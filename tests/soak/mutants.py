"""Damaged copies of good files: text by words and lines, bytes by bits. The same seed gives the same copy."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Sequence
from typing import Any

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
WORD = re.compile(r"[A-Za-z_][\w]*")
ODD = ["0", "-0.0", "-1", "1e308", "1e-308", "-1e308", "1e16", "1e999", "nan", "inf", ".nan", "-.inf", "1e-320"]
ODD += ["9" * 5000, "1000000000", "-2147483649", "x", "", "true", "null", "[]", "{}", "[1, 2]", "1 2", "0x10", "1_0"]
PIECES = ["\0", "\t", "\ufeff", "\u202e", "é", "&a ", "*a", "<<: ", "- ", ": ", "{", "}", "[", "]", '"', "'", "\\", "%"]
PIECES += [
    "<a>",
    "</a>",
    "&lt;",
    "<!--",
    "]]>",
    "#",
    ";",
    "=",
    "\r",
    "../",
    "/etc/passwd",
    "!!python/object:os.system ",
]
VALUES: list[Any] = [None, 0, -1, 10**12, 1e308, "", "x", [], {}, [[]], {"a": 1}, [None], True]
DEEP = (20, 300, 2000, 20000)


def text_mutant(text: str, chance: random.Random) -> str:
    """One to three changes to a text."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        text = chance.choice(CHANGES)(text, chance)
    return text


def json_mutant(text: str, chance: random.Random, more: Sequence[Any] = ()) -> str:
    """A text of JSON with one value another, or gone; or changed as any text."""
    if chance.random() < 0.3:
        return text_mutant(text, chance)
    data = json.loads(text)
    if isinstance(data, dict) and data:
        key = chance.choice(list(data))
        if chance.random() < 0.4:
            del data[key]
        else:
            data[key] = chance.choice([*VALUES, *more])
    return json.dumps(data)


def byte_mutant(content: bytes, chance: random.Random) -> bytes:
    """Flipped bits, zeroed or noisy stretches, a shorter file."""
    damaged = bytearray(content)
    kind = chance.randrange(6)
    at = chance.randrange(max(len(damaged), 1))
    if kind <= 2:
        for _ in range(chance.choice((1, 1, 1, 4))):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    elif kind == 3:
        count = chance.choice((1, 2, 8, 512))
        damaged[at : at + count] = bytes(min(count, len(damaged) - at))
    elif kind == 4:
        count = min(chance.choice((1, 2, 8, 512)), len(damaged) - at)
        damaged[at : at + count] = chance.randbytes(count)
    else:
        del damaged[at:]
    return bytes(damaged)


@functools.lru_cache(16)
def _found(pattern: re.Pattern, text: str) -> list[re.Match]:
    return list(pattern.finditer(text))


def _odd_number(text: str, chance: random.Random) -> str:
    found = _found(NUMBER, text)
    if not found:
        return text
    place = chance.choice(found)
    return text[: place.start()] + chance.choice(ODD) + text[place.end() :]


def _other_word(text: str, chance: random.Random) -> str:
    found = _found(WORD, text)
    if not found:
        return text
    place = chance.choice(found)
    return text[: place.start()] + chance.choice([chance.choice(found).group(), *ODD[:6], ""]) + text[place.end() :]


def _lines(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    a, b = sorted(chance.randrange(len(lines)) for _ in range(2))
    match chance.randrange(5):
        case 0:
            del lines[a : b + 1 if b - a < 4 else a + 1]
        case 1:
            lines[a:a] = lines[a : b + 1] * chance.choice((1, 2, 50))
        case 2:
            lines[a], lines[b] = lines[b], lines[a]
        case 3:
            lines[a] = " " * chance.randrange(6) + lines[a].lstrip()
        case _:
            lines = lines[: a + 1]
    return "".join(lines)


def _insert(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(PIECES) + text[at:]


def _cut(text: str, chance: random.Random) -> str:
    a = chance.randrange(len(text) + 1)
    return text[:a] + text[a + chance.choice((1, 3, 40)) :]


def _nest(text: str, chance: random.Random) -> str:
    found = _found(NUMBER, text) or [re.compile("").match(text)]
    place, deep = chance.choice(found), chance.choice(DEEP)
    opening, closing = chance.choice((("[", "]"), ("{a: ", "}"), ("<a>", "</a>"), ("{ JOINT b {", "}")))
    return text[: place.start()] + opening * deep + place.group() + closing * deep + text[place.end() :]


CHANGES = (_odd_number, _odd_number, _odd_number, _other_word, _other_word, _lines, _lines, _insert, _cut, _nest)
