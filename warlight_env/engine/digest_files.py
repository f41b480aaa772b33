"""Sealed files: each starts with a digest of the build, the file's name and its content, followed by the content.

The digest detects a damaged file, a renamed file, and a file of another build.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from warlight_env.engine.build import environment_digest

_MARK: Final = b"warlight sealed 2\n"
_DIGEST_BYTES: Final = 32


def with_digest(name: str, content: bytes, build: str | None = None) -> bytes:
    """Return the bytes to write into the file of this name.

    Args:
        name: the file's name, without its folder.
        content: the content of the file.
        build: the digest of the build that writes the file. None: `environment_digest`.
    """
    return _MARK + _digest(name, content, environment_digest() if build is None else build) + content


def verify_digest(name: str, sealed: bytes) -> bytes | None:
    """Return the content of a sealed file, a result of `with_digest`, if this build has written the file.

    Returns None if a bit of the file has changed, or if the file was written under another name or by another build.
    """
    start = len(_MARK) + _DIGEST_BYTES
    content = sealed[start:]
    return content if sealed[:start] == _MARK + _digest(name, content, environment_digest()) else None


def is_damaged(path: Path) -> bool:
    """Whether `verify_digest` rejects a file. Raises OSError if the file cannot be read."""
    return verify_digest(path.name, path.read_bytes()) is None


def _digest(name: str, content: bytes, build: str) -> bytes:
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    digest.update(f"{build}\0{name}\0".encode())
    digest.update(content)
    return digest.digest()
