"""The engine replays recorded games; the text must be identical to the record."""

from __future__ import annotations

import pytest

from helpers import PRESETS
from playthrough import FOLDER, record


@pytest.mark.parametrize("preset", PRESETS)
def test_recorded_game_is_unchanged(preset):
    assert record(preset) == (FOLDER / f"{preset}.txt").read_text()
