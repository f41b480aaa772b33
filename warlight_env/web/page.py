"""The HTML file of the web page, which is built from ``frontend/`` together with the package."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from warlight_env.web.errors import PageMissingError

PAGE: Final = Path(__file__).with_name("page") / "index.html"
NOTE: Final = PAGE.with_name("missing.txt")  # a file with the reason why the page was not built


@functools.lru_cache(maxsize=1)
def page() -> str:
    """Return the HTML text of the web page.

    Raises:
        PageMissingError: the installed package does not contain the page.
    """
    try:
        return PAGE.read_text(encoding="utf-8")
    except FileNotFoundError:
        reason = (
            NOTE.read_text(encoding="utf-8").strip() if NOTE.exists() else "run `npm ci && npm run build` in frontend/"
        )
        raise PageMissingError(
            f"the page is missing; the installation of warlight-env builds it from frontend/: {reason}"
        ) from None
