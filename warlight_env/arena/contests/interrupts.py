"""A context manager that delays Ctrl-C and SIGTERM until the end of a block."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay the signals SIGINT (Ctrl-C) and SIGTERM until the end of the ``with`` block.

    After the block, call the previous handlers of the delayed signals. Use this context manager only for blocks that
    take milliseconds. Signals interrupt only the main thread, so this context manager does nothing in other threads.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    delayed = {
        number: handler for number, handler in handlers.items() if callable(handler)
    }  # handlers that are not callable raise no exception, so they need no delay
    for number in delayed:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in delayed.items():
            signal.signal(number, handler)
        for late in dict.fromkeys(arrived):
            signal.raise_signal(late)
