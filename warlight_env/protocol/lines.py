"""Read lines of the protocol, with a limit on their length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

#: Longest line that is read, in bytes. It is some hundred times the longest legal answer of the competitions, and more
#: than the borders of the largest map need.
MAX_LINE: Final = 1 << 20


def lines_of(stream: BinaryIO) -> Iterator[str | None]:
    """Yield the lines of a stream as text, with their ends.

    A line of more than `MAX_LINE` bytes is skipped; the function yields None for it.
    """
    while raw := stream.readline(MAX_LINE + 1):
        if len(raw) <= MAX_LINE or raw.endswith(b"\n"):
            yield raw.decode("utf-8", "replace")
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE)
        yield None
