"""Writing where there may be no space: whole files in one step, and an error that a page can be told of."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from warlight_env.output import write_file
from warlight_env.record import LogWriteError


class DiskError(LogWriteError):
    """Something could not be written; what was there before is still there. `reason`: as the system says it."""

    status = 507

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.reason = reason


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what the system says into a `DiskError` that names the file."""
    try:
        yield
    except OSError as error:
        raise DiskError(path, error.strerror or str(error)) from None


def write_private(path: Path, data: bytes) -> None:
    """A file that its owner alone may read, whole or as it was; `DiskError` where that fails.

    It survives the end of this process, however hard, but perhaps not that of the machine.
    """
    with writing(path):
        write_file(path, data, temporary=path.with_name(path.name + ".new"), mode=0o600, sync=False)
