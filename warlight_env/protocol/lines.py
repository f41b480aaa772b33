"""Read lines of the protocol, with a limit on their length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

#: The largest length of a line, in bytes. It is about a hundred times that of the longest legal answer in the
#: competitions. The longest lines of an engine list the borders of the largest map; they are shorter.
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
