"""The source of the page with its packages, for tests that run its code under Node.js, and the benchmark programs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from language_helpers import FRONTEND
from node_helpers import INSTALLED


@pytest.fixture(scope="session")
def frontend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the page's source with its packages."""
    if INSTALLED:
        return FRONTEND
    copy = tmp_path_factory.mktemp("frontend") / "frontend"
    shutil.copytree(FRONTEND, copy, ignore=shutil.ignore_patterns("node_modules"))
    subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=copy, check=True, capture_output=True)
    return copy


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test import the programs in the folder `benchmarks`."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
