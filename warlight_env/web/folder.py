"""The folder of a server's games: one server at a time, and the token that its page needs."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

from warlight_env.errors import InputError
from warlight_env.folder_lock import FolderLock
from warlight_env.record import LogWriteError
from warlight_env.web.disk import write_private

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

        def in_use(message: str) -> FolderInUseError:
            return FolderInUseError(f"{message}: end that one, or give another folder by --games")

        def unwritable(error: OSError) -> LogWriteError:
            return LogWriteError(f"cannot make the folder of games {path}: {error.strerror or error}")

        self._lock = FolderLock(path, in_use=in_use, unwritable=unwritable)

    def tell(self, address: str) -> None:
        """Write down for other servers where this one is."""
        self._lock.describe(f"a server at {address}")

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
        self._lock.release()
