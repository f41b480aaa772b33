"""A reader of a bot's standard error: a separate thread reads all the time and stores the last part of the output."""

from __future__ import annotations

import os
import select
import threading
import time
from pathlib import Path
from typing import Final

#: The maximum number of bytes of standard error that are stored in memory.
TAIL_BYTES: Final = 1 << 16
#: The maximum number of bytes of a file for standard error. A file of this size is renamed, and a new file begins.
FILE_SIZE: Final = 1 << 20
_CHUNK: Final = 1 << 16
#: The pause in seconds after each full chunk. It limits the reading to about 60 MB/s, so that a bot that writes without
#: end does not use a whole CPU core of this process.
_REST: Final = 0.001


class ErrorReader:
    """A thread that reads a bot's standard error until its end, or until `close`.

    Args:
        fd: the reading end of a pipe, which this object closes.
        file: a file for a copy of the bot's standard error; None: no file. After FILE_SIZE bytes, the file is renamed
            to ``NAME.1``, and a new file begins, so that the two files contain at most the last 2 * FILE_SIZE bytes.
    """

    def __init__(self, fd: int, file: Path | None = None) -> None:
        self._fd, self._file = fd, file
        self._tail = bytearray()
        self._lock = threading.Lock()
        self.total = 0  #: number of bytes read so far
        self.problem: str | None = None  #: the reason why the file could not be written
        try:
            self._stop_reader, self._stop_writer = os.pipe()
        except OSError:
            os.close(fd)
            raise
        os.set_blocking(fd, False)
        self._thread = threading.Thread(target=self._run, name="bot's standard error", daemon=True)
        self._thread.start()

    def tail(self, size: int = TAIL_BYTES) -> str:
        """Return the last part of the bot's standard error, at most `size` bytes.

        Replace bytes that are not valid UTF-8.
        """
        with self._lock:
            return bytes(self._tail[-min(size, TAIL_BYTES) :]).decode("utf-8", "replace")

    def wait_for_end(self, timeout: float) -> None:
        """Wait at most `timeout` seconds for the end of the bot's output, which may arrive after the bot's end."""
        self._thread.join(timeout)

    def close(self) -> None:
        """Read the output of the bot that is already in the pipe, and end the thread."""
        os.write(self._stop_writer, b"x")
        self._thread.join()
        for fd in (self._fd, self._stop_reader, self._stop_writer):
            os.close(fd)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._stop_reader, select.POLLIN)
        # A process that was not ended may still write after `close`, so these bytes are limited.
        bytes_after_close = 0
        out = None
        try:
            if self._file is not None:
                out = self._file.open("wb")
        except OSError as error:
            self.problem = f"{self._file}: {error.strerror or error}"
        written = 0
        while bytes_after_close < FILE_SIZE:
            closing = self._stop_reader in {fd for fd, _ in poll.poll()}
            try:
                chunk = os.read(self._fd, _CHUNK)
            except BlockingIOError:
                if closing:
                    break
                continue
            if not chunk:
                break
            bytes_after_close += len(chunk) if closing else 0
            with self._lock:
                self.total += len(chunk)
                self._tail += chunk
                del self._tail[:-TAIL_BYTES]
            if out is not None:
                try:
                    written += len(chunk)
                    if written > FILE_SIZE and self._file is not None:
                        out.close()
                        self._file.replace(self._file.with_name(self._file.name + ".1"))
                        out, written = self._file.open("wb"), len(chunk)
                    out.write(chunk)
                    out.flush()
                except OSError as error:
                    self.problem, out = f"{self._file}: {error.strerror or error}", None
            if len(chunk) == _CHUNK:
                time.sleep(_REST)
        if out is not None:
            out.close()
