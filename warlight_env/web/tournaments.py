"""Tournaments in a folder of runs, as the page lists and shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from warlight_env.web.errors import RequestError

RESULT: Final = "tournament.json"
MOST: Final = 64 << 20  # bytes of a result
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")


def tournaments(folder: Path | None) -> list[str]:
    """The names of the runs with a result, the newest first."""
    if folder is None or not folder.is_dir():
        return []
    found = [path for path in folder.glob(f"*/{RESULT}") if _NAME.fullmatch(path.parent.name)]
    return [path.parent.name for path in sorted(found, key=lambda path: -path.stat().st_mtime)][:100]


def read_tournament(folder: Path | None, name: str) -> dict[str, Any]:
    """A result, as `TournamentResult.to_dict` made it; `RequestError` where there is none of that name."""
    if folder is None or name not in tournaments(folder):
        raise RequestError(f"no tournament {name!r}", 404)
    path = folder / name / RESULT
    if path.stat().st_size > MOST:
        raise RequestError(f"tournament {name!r}: more than {MOST >> 20} MiB", 413)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise RequestError(f"tournament {name!r}: {RESULT} is no JSON", 500) from None
    return data
