"""Fixtures: Python programs that share one import of Numba, and an engine without the packages that depend on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from forked_python import PythonStarts
from helpers import copy_engine


@pytest.fixture(scope="session")
def starts() -> Iterator[PythonStarts]:
    """Runs programs like new Python processes, without the second that each needs to import Numba."""
    with PythonStarts() as running:
        yield running


@pytest.fixture(scope="session")
def engine_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``PYTHONPATH`` with only the engine, so that few sources are parsed; tests must not change it."""
    folder = tmp_path_factory.mktemp("engine_alone")
    copy_engine(folder)
    return folder
