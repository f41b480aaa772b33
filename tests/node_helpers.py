"""Helpers for tests that run the page's source under Node.js."""

from __future__ import annotations

import os
import shutil
from typing import Final

import pytest
from language_helpers import FRONTEND

#: Whether the page's packages are installed.
INSTALLED: Final = (FRONTEND / "node_modules" / "svelte").exists()
#: CI installs the packages; elsewhere only developers of the page have them.
_FETCHED: Final = os.environ.get("WARLIGHT_PAGE") == "required"
needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (INSTALLED or _FETCHED), reason="the page's packages are not installed"
)
