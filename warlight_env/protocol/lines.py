"""Lines of the protocol as they come in, of which none may be so long that reading it does harm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

#: Longest line that is read: some hundred times what the competitions' limit of orders can come to, and more than the
#: borders of the largest map take.
MAX_LINE: Final = 1 << 20


def lines_of(stream: BinaryIO) -> Iterator[str | None]:
    """The lines of a stream as text, with their ends; None: one of more than `MAX_LINE` bytes, which is passed over."""
    while raw := stream.readline(MAX_LINE + 1):
        if len(raw) <= MAX_LINE or raw.endswith(b"\n"):
            yield raw.decode("utf-8", "replace")
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE)
        yield None
