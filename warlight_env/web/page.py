"""The page: one HTML file, built from ``frontend/`` when the package is built."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from warlight_env.web.errors import PageMissingError

PAGE: Final = Path(__file__).with_name("page") / "index.html"


@functools.lru_cache(maxsize=1)
def page() -> str:
    """The page's HTML.

    Raises:
        PageMissingError: the package was installed without it.
    """
    try:
        return PAGE.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PageMissingError(
            "the page was not built: install Node.js 20 or later and install warlight-env again, "
            "or run `npm ci && npm run build` in the folder frontend/ of a checkout"
        ) from None
