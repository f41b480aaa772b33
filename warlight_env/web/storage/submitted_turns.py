"""Turns that people submitted for the next round; they are on disk before the server confirms them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final

from warlight_env.arena.contests.append_only import MALFORMED_DATA
from warlight_env.engine.orders import Orders
from warlight_env.web.storage.game_folder import write_private

TURNS: Final = ".turns.json"

Preferences = list[int]


@dataclass(frozen=True)
class SubmittedTurn:
    """A person's turn, picks or orders, and the log entry about the help that the person used."""

    turn: Preferences | Orders
    help_used: dict[str, Any] | None = None


class SubmittedTurns:
    """The file of a game's submitted turns; only its owner can read it.

    The file contains the turns of one step of the game, and the number of that step. Once the step is played, the turns
    in the file are void. The file also contains the spent seconds of the step's clock, and resignations that are not in
    the log yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def save(self, step: int, turns: Mapping[int, SubmittedTurn], resignations: dict[str, Any], elapsed: float) -> None:
        """Write the turns of step `step` of the game, the resignations, and the spent seconds of the clock.

        Args:
            turns: the submitted turns, with the seats as keys.
            resignations: the result of `Resignations.to_dict`.

        Raises:
            DiskError: the file is not written.
        """
        rows = {
            str(seat): [turn.to_dict() if isinstance(turn := submitted.turn, Orders) else turn, submitted.help_used]
            for seat, submitted in turns.items()
        }
        data = {"step": step, "turns": rows, "left": resignations, "spent": round(elapsed, 3)}
        write_private(self.path, json.dumps(data).encode())

    def turns(self, step: int) -> dict[int, SubmittedTurn]:
        """Return the stored turns of step `step`."""
        try:
            data = json.loads(self.path.read_bytes())
            if data["step"] != step:
                return {}
            return {int(seat): _read_turn(*row) for seat, row in data["turns"].items()}
        except (OSError, *MALFORMED_DATA):
            return {}  # no turn is stored, and the server has confirmed none

    def elapsed(self, step: int) -> float:
        """Return the spent seconds of the clock in step `step`; 0 if the file does not contain them."""
        try:
            data = json.loads(self.path.read_bytes())
            seconds = float(data["spent"]) if data["step"] == step else 0.0
            return seconds if 0.0 <= seconds < inf else 0.0
        except (OSError, *MALFORMED_DATA):
            return 0.0

    def load_resignations(self, take: Callable[[Any], None]) -> None:
        """Call `take` with the saved resignations, even if the file belongs to an earlier step of the game."""
        with contextlib.suppress(OSError, *MALFORMED_DATA):
            take(json.loads(self.path.read_bytes())["left"])

    @property
    def exists(self) -> bool:
        """Whether the file contains submitted turns, or resignations that may not be in the log yet."""
        try:
            data = json.loads(self.path.read_bytes())
            return bool(data["turns"] or data.get("left", {}).get("resigned"))
        except (OSError, *MALFORMED_DATA):
            return False

    def forget(self) -> None:
        """Delete the file, as the game is over."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def _read_turn(turn: Any, help_used: Any) -> SubmittedTurn:
    if not (help_used is None or isinstance(help_used, dict)):
        raise TypeError("the log entry about hints that the person used is not an object")
    return SubmittedTurn(
        Orders.from_dict(turn) if isinstance(turn, dict) else [int(region) for region in turn], help_used
    )
