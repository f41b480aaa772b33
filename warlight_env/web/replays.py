"""Logs that come over the wire."""

from __future__ import annotations

import tempfile
from pathlib import Path

from warlight_env.record import GameLog
from warlight_env.record.names import COMPRESSED, PLAIN


def read_upload(data: bytes) -> GameLog:
    """A log out of the bytes of its file, compressed or not; `LogError` says what is wrong with it."""
    suffix = COMPRESSED if data[:2] == b"\x1f\x8b" else PLAIN
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(data)
        return GameLog.load(path)
