"""The page: one HTML file, built from ``frontend/`` when the package is built."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from warlight_env.web.errors import PageMissingError

PAGE: Final = Path(__file__).with_name("page") / "index.html"
NOTE: Final = PAGE.with_name("missing.txt")  # why it was not built


@functools.lru_cache(maxsize=1)
def page() -> str:
    """The page's HTML.

    Raises:
        PageMissingError: the package was installed without it.
    """
    try:
        return PAGE.read_text(encoding="utf-8")
    except FileNotFoundError:
        reason = NOTE.read_text(encoding="utf-8").strip() if NOTE.exists() else "run `npm ci && npm run build` there"
        raise PageMissingError(
            f"the page is missing, it is built from frontend/ when warlight-env is installed: {reason}"
        ) from None
