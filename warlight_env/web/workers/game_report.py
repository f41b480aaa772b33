"""The report on a game: the quality of the turns compared with the best turns of a search, and the effect of dice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from warlight_env.errors import InputError
from warlight_env.record import GameLog, game_at
from warlight_env.web.workers.analysed_position import PLAYOUTS, ROLLS, AnalysedPosition
from warlight_env.web.workers.turn_report import CHANGE, LOSSES, TurnReport

#: The strongest search, with its budget for a turn.
JUDGE: Final = "nash:secs=1"
TURNING: Final = 5  # the maximum number of turning points (large losses of win probability) in a report


class GameReportError(InputError):
    """A game without rounds has no report."""


@dataclass(frozen=True)
class GameReport:
    """The report on a game. rounds: for each round and player a report; None if the player made no turn."""

    judge: str
    rolls: int
    rollouts: int
    names: tuple[str, ...]
    rounds: tuple[tuple[TurnReport | None, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as data for JSON: the reports on all rounds, and statistics of the players."""
        return {
            "judge": self.judge,
            "rolls": self.rolls,
            "playouts": self.rollouts,
            "rounds": [[None if turn is None else turn.to_dict() for turn in turns] for turns in self.rounds],
            **self.summary(),
        }

    def summary(self) -> dict[str, Any]:
        """Return the statistics of the players, the turning points, and the cumulative losses."""
        return {
            "players": [self._player(player) for player in range(len(self.names))],
            "turning": [{"round": number, "player": player} for number, player in self.turning],
            "cumulative": self.cumulative,
        }

    @property
    def cumulative(self) -> list[list[float]]:
        """For each round and each player, the sum of `TurnReport.lost` over all rounds so far."""
        sums = [0.0] * len(self.names)
        rows = []
        for turns in self.rounds:
            sums = [total + (0.0 if turn is None else turn.lost) for total, turn in zip(sums, turns, strict=True)]
            rows.append(sums)
        return rows

    def _player(self, player: int) -> dict[str, Any]:
        """Return a player's statistics, with these entries.

        accuracy: 1 - (sum of the losses of all turns) / (sum of the stakes of all turns); 1 if the stakes are 0; None
        if the player has no turn with a report, for example because its bot failed in all rounds. A turn in a decided
        position has almost no weight in the accuracy, because its stake is nearly 0.

        error: half the width of the 95 % interval of the accuracy.

        marks: for each mark for a loss, the number of turns with this mark.
        """
        turns = [turns[player] for turns in self.rounds]
        reports = [turn for turn in turns if turn is not None]
        stakes = sum(turn.stake for turn in reports)
        accuracy = 1 - sum(turn.lost for turn in reports) / stakes if stakes else 1.0
        return {
            "accuracy": accuracy if reports else None,
            "error": min(1.0, float(np.sqrt(sum(turn.error**2 for turn in reports))) / stakes) if stakes else 0.0,
            "lost": sum(turn.lost for turn in reports),
            "luck": sum(turn.luck for turn in reports),
            "armies": sum(turn.armies for turn in reports),
            "marks": {mark: sum(turn.mark == mark for turn in reports) for _, mark in LOSSES},
        }

    @property
    def turning(self) -> list[tuple[int, int]]:
        """The pairs (round, player) with the largest losses of win probability from any cause, sorted by round."""
        losses = [
            (turn.before - turn.after, number, player)
            for number, turns in enumerate(self.rounds, 1)
            for player, turn in enumerate(turns)
            if turn is not None and turn.before - turn.after >= CHANGE
        ]
        return sorted((number, player) for _, number, player in sorted(losses, reverse=True)[:TURNING])


def report_of(
    log: GameLog,
    reference_agent: str = JUDGE,
    rolls: int = ROLLS,
    playouts: int = PLAYOUTS,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> GameReport:
    """Return the report of a log, up to its last round.

    Args:
        reference_agent: the specification of the bot whose turns are compared with the players' turns.
        rolls: the number of times that each round is repeated with other dice.
        playouts: the number of playouts of each resulting position.
        on_progress: a function that is called with the number of finished rounds and the number of all rounds.

    Raises:
        GameReportError: no round was played. LogError, ReplayError: the log is not valid.
    """
    if not log.rounds:
        raise GameReportError("the log has no rounds: a report needs at least one round")
    game_at(log)  # raises an error if the log is not valid
    game, rounds = game_at(log, 0), []
    for step in log.rounds:
        position = AnalysedPosition(game, step, playouts, rolls * playouts, log.absent)
        rounds.append(position.deepen(reference_agent, rolls).turns)
        game.play_round(step.orders, on_illegal="skip")
        on_progress(len(rounds), len(log.rounds))
    return GameReport(reference_agent, rolls, playouts, tuple(log.names), tuple(rounds))
