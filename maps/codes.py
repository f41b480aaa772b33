"""Short unique codes for regions of maps in formats without codes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence


def make_codes(names: Sequence[str]) -> list[str]:
    """Return a unique code for each name: two or three capitals, or a letter and a number if no such code is free.

    No code equals a name, so a code or a name always identifies one region.
    """
    taken = {n.casefold() for n in names}
    codes = []
    for name in names:
        code = next(c for c in _candidates(name) if c.casefold() not in taken)
        taken.add(code.casefold())
        codes.append(code)
    return codes


def _candidates(name: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().upper()
    words = re.findall(r"[A-Z]+", plain)
    letters = "".join(words)
    if len(words) > 1:
        initials = "".join(w[0] for w in words)
        yield initials[:2]
        yield from (words[0][0] + c for c in words[1])
    for first in letters[:1]:
        yield from (first + c for c in letters[1:])
        yield from (first + b + c for i, b in enumerate(letters[1:], 1) for c in letters[i + 1 :])
    first = letters[:1] or "R"
    number = 1
    while True:
        yield f"{first}{number}"
        number += 1
