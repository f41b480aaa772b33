"""Values that often cause errors: numbers at the limits of types, and unusual texts."""

from __future__ import annotations

import random
from math import inf, nan
from typing import Any, Final

NUMBERS: Final[tuple[Any, ...]] = (
    0, -1, 1, 2, 3, 6, 7, 127, 128, 255, 256, 999, 1000, 65_535, 65_536, 10**6, 10**9, 2**31 - 1, 2**31, -(2**31) - 1,
    2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64 - 1, 2**64, 10**18, 10**30, 10**400, -(10**400),
    0.5, 1.0, -0.0, 1e-9, 1e-300, 5e-324, 1e308, 0.1 + 0.2, nan, inf, -inf,
)  # fmt: skip
TEXTS: Final = (
    "", " ", "\n", "a", "\x00", "\x1b[31mred", "\ud800", "\udcff", "\u202eabc", "\u2066", "\ufeff", "e\u0301", "\u00a0",
    "１２", "٣", "ß", "İ", "\U0001f4a5", "NaN", "Infinity", "null", "true", "-1", "1e9", "0x10", "1_000",
    "../../etc/passwd", "/dev/null",
    "C:\\", "%s%n", "{0}", "__class__", "<script>", "'", '"', "\\", ";", "a" * 300, "x" * 5000, "é" * 2000,
)  # fmt: skip
#: Values in the form of a file, including values that do not exist.
TOKENS: Final = (
    b"0", b"-1", b"-0", b"00", b"01", b"1.", b".5", b"1e400", b"1e-400", b"-1e9999", b"9" * 19, b"9" * 401, b"9" * 5000,
    b"NaN", b"Infinity", b"-Infinity", b"null", b"true", b"false", b"[]", b"{}", b'""', b"[[[[", b"]]", b"}", b'"',
    b"\\", b"\\u0000", b"\\ud800", b"\\u", b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x80\xae", b"\xc2\x85", b"\xe2\x80\xa8", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b",", b":", b"=", b"#",
    b"[" * 300, b"[" * 100_000, b'{"a":' * 50_000, b"a" * 3000,
)  # fmt: skip


def number(rng: random.Random) -> Any:
    """Return a number: at a limit of a type, small, or random."""
    draw = rng.random()
    if draw < 0.5:
        return rng.choice(NUMBERS)
    return rng.randint(-3, 45) if draw < 0.85 else rng.getrandbits(rng.randint(1, 70)) - rng.randint(0, 1) * 2**62


def text(rng: random.Random) -> str:
    """Return an unusual text."""
    draw = rng.random()
    if draw < 0.7:
        return rng.choice(TEXTS)
    return "".join(chr(rng.choice((rng.randint(32, 126), rng.randint(0, 0x2FF), rng.randint(0, 0x10FFFF))))
                   for _ in range(rng.randint(1, 12)))  # fmt: skip


def anything(rng: random.Random, depth: int = 2) -> Any:
    """Return plain data of a random type."""
    draw = rng.random()
    if draw < 0.4:
        return number(rng)
    if draw < 0.65:
        return text(rng)
    if draw < 0.8 or depth == 0:
        return rng.choice((None, True, False))
    if draw < 0.92:
        return [anything(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if draw < 0.98:
        return {text(rng): anything(rng, depth - 1) for _ in range(rng.randint(0, 3))}
    return nested(rng.choice((5, 60, 300)))


def nested(depth: int) -> Any:
    """Return a list nested to a depth."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value
