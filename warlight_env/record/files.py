"""Functions that write log files in one step."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from warlight_env.output import write_errors, write_file
from warlight_env.record.errors import LogWriteError
from warlight_env.record.names import partial_of, suffix_of

GZIP: Final = 31  # the argument `wbits` of zlib for the gzip format
LEVEL: Final = 1  # compression level: a third less time than higher levels, a tenth more bytes


def replace_file(path: Path, data: bytes) -> None:
    """Write a log file in one step: write a temporary file with the name `partial_of(path)`, and rename it."""
    with writing(path):
        write_file(path, data, temporary=partial_of(path, suffix_of(path)), sync=False)


def writing(path: Path) -> AbstractContextManager[None]:
    """Replace an `OSError` of the `with` block, which writes the log `path`, by a `LogWriteError`."""
    return write_errors(f"the log {path}", LogWriteError)
