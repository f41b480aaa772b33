"""A bot's standard error. A separate thread reads it continuously and keeps the last part."""

from __future__ import annotations

import os
import select
import threading
import time
from pathlib import Path
from typing import Final

#: Number of bytes that are kept in memory.
TAIL_BYTES: Final = 1 << 16
#: Number of bytes after which a new file for standard error begins. The previous file remains in the same folder.
FILE_SIZE: Final = 1 << 20
_CHUNK: Final = 1 << 16
#: Seconds of rest after a full chunk. This limits a bot that writes without end to about 60 MB/s, so that reading
#: does not use a whole core.
_REST: Final = 0.001


class ErrorReader:
    """Reads a descriptor until its end or `close`, and owns it.

    Args:
        fd: the reading end of a pipe.
        file: a file for a copy; None: no file. It takes at most 2 * FILE_SIZE bytes, the older half in ``NAME.1``.
    """

    def __init__(self, fd: int, file: Path | None = None) -> None:
        self._fd, self._file = fd, file
        self._kept = bytearray()
        self._lock = threading.Lock()
        self.total = 0  #: bytes read so far
        self.problem: str | None = None  #: reason why the file could not be written
        try:
            self._stop, self._stopped = os.pipe()
        except OSError:
            os.close(fd)
            raise
        os.set_blocking(fd, False)
        self._thread = threading.Thread(target=self._run, name="bot's standard error", daemon=True)
        self._thread.start()

    def tail(self, size: int = TAIL_BYTES) -> str:
        """Return the last part of the output, at most `size` bytes, decoded with replacement characters."""
        with self._lock:
            return bytes(self._kept[-min(size, TAIL_BYTES) :]).decode("utf-8", "replace")

    def wait_for_end(self, timeout: float) -> None:
        """Wait for the end of the output, at most `timeout` seconds: the last output of an ended bot may still come."""
        self._thread.join(timeout)

    def close(self) -> None:
        """Read the remaining output, and stop."""
        os.write(self._stopped, b"x")
        self._thread.join()
        for fd in (self._fd, self._stop, self._stopped):
            os.close(fd)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._stop, select.POLLIN)
        last = 0  # bytes read after `close`; the limit stops a writer that has escaped
        out = None
        try:
            if self._file is not None:
                out = self._file.open("wb")
        except OSError as error:
            self.problem = f"{self._file}: {error.strerror or error}"
        written = 0
        while last < FILE_SIZE:
            closing = self._stop in {fd for fd, _ in poll.poll()}
            try:
                chunk = os.read(self._fd, _CHUNK)
            except BlockingIOError:
                if closing:
                    break
                continue
            if not chunk:
                break
            last += len(chunk) if closing else 0
            with self._lock:
                self.total += len(chunk)
                self._kept += chunk
                del self._kept[:-TAIL_BYTES]
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
