"""Files that notice damage: a digest over the file's name and content precedes the content."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

_MARK: Final = b"warlight sealed 1\n"
_DIGEST_BYTES: Final = 32


def seal(name: str, content: bytes) -> bytes:
    """The bytes to write into the file of this name."""
    return _MARK + _digest(name, content) + content


def unseal(name: str, sealed: bytes) -> bytes | None:
    """The content of a file of this name; None where a bit has changed, or where it was written under another name."""
    start = len(_MARK) + _DIGEST_BYTES
    content = sealed[start:]
    return content if sealed[:start] == _MARK + _digest(name, content) else None


def is_damaged(path: Path) -> bool:
    """Whether a file is not as it was sealed. Raises OSError where it cannot be read."""
    return unseal(path.name, path.read_bytes()) is None


def _digest(name: str, content: bytes) -> bytes:
    digest = hashlib.blake2b(name.encode() + b"\0", digest_size=_DIGEST_BYTES)
    digest.update(content)
    return digest.digest()
