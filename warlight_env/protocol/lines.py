"""A function that reads lines of the protocol, with a limit on the length of a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

#: The maximum length of a line, in bytes. It is about a hundred times the length of the longest legal answer in the AI
#: Challenges. The longest line of a game engine, the list of neighbours of the largest map, is shorter than this limit.
MAX_LINE: Final = 1 << 20


def lines_of(stream: BinaryIO) -> Iterator[str | None]:
    """Yield the lines of a stream as text, with their line ends. For a line over `MAX_LINE` bytes, yield None."""
    while raw := stream.readline(MAX_LINE + 1):
        if len(raw) <= MAX_LINE or raw.endswith(b"\n"):
            yield raw.decode("utf-8", "replace")
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE)
        yield None
