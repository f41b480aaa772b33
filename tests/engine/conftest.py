"""A fixture: an engine without the packages that depend on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import copy_engine


@pytest.fixture(scope="session")
def engine_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``PYTHONPATH`` with only the engine, so that few sources are parsed; tests must not change it."""
    folder = tmp_path_factory.mktemp("engine_alone")
    copy_engine(folder)
    return folder
