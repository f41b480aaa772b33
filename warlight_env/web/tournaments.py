"""Tournaments of a folder, as the page lists and shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from warlight_env.web.errors import RequestError

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
MOST: Final = 64 << 20  # bytes of a result


def tournaments(folder: Path | None) -> list[str]:
    """The names of the results in a folder, the newest first."""
    if folder is None or not folder.is_dir():
        return []
    files = [p for p in folder.glob("*.json") if _NAME.fullmatch(p.stem)]
    return [p.stem for p in sorted(files, key=lambda p: -p.stat().st_mtime)][:100]


def read_tournament(folder: Path | None, name: str) -> dict[str, Any]:
    """A result; `RequestError` where there is none of that name."""
    if folder is None or name not in tournaments(folder):
        raise RequestError(f"no tournament {name!r}", 404)
    path = folder / f"{name}.json"
    if path.stat().st_size > MOST:
        raise RequestError(f"tournament {name!r}: more than {MOST >> 20} MiB", 413)
    return json.loads(path.read_text(encoding="utf-8"))
