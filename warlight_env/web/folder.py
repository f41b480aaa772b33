"""The folder of a server's games: one server at a time, and the token that its page needs."""

from __future__ import annotations

import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from warlight_env.arena.contests.append_only import lock_file
from warlight_env.errors import InputError
from warlight_env.record import LogWriteError
from warlight_env.web.disk import write_private, writing

LOCK: Final = "server.lock"
TOKEN: Final = "server.token"


class FolderInUseError(InputError):
    """Another server has the folder; nothing in it was changed."""


class Folder:
    """A folder of games, locked until `release` or the end of the process, however that ends.

    Args:
        path: made if it is not there.

    Raises:
        FolderInUseError: another server is at it; the message says which.
        LogWriteError: it cannot be made or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise LogWriteError(f"cannot make the folder of games {path}: {error.strerror or error}") from None
        if not lock_file(self._file):
            holder = _holder(self._file)
            os.close(self._file)
            raise FolderInUseError(
                f"the folder of games {path} is in use by another server ({holder}): end that one, or give another "
                "folder by --games"
            )
        try:
            self.tell(None)
        except BaseException:
            self.release()
            raise

    def tell(self, address: str | None) -> None:
        """Write down for others who has the folder; `DiskError` where that fails."""
        since = datetime.now(UTC).isoformat(" ", "seconds")
        data = json.dumps({"pid": os.getpid(), "address": address, "since": since}) + "\n"
        with writing(self.path / LOCK):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, data.encode(), 0)

    def token(self) -> str:
        """The server's token: drawn once and kept, so that pages that are open go on after a restart.

        Raises:
            LogWriteError: it cannot be read or written.
        """
        path = self.path / TOKEN
        try:
            if path.exists() and (known := path.read_text(encoding="ascii").strip()):
                return known
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise LogWriteError(f"cannot read the server's token in {path}: {reason}") from None
        drawn = secrets.token_urlsafe(18)
        write_private(path, drawn.encode() + b"\n")
        return drawn

    def release(self) -> None:
        """Let others have it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _holder(file: int) -> str:
    """Whom the lock's file names."""
    try:
        data = json.loads(os.pread(file, 1000, 0))
        return f"process {int(data['pid'])}, {data['address'] or 'starting'}, since {data['since']}"
    except (OSError, ValueError, TypeError, KeyError):
        return "which has just begun"
