"""The final match of a run, with seeds and opponents that training did not use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env import maps
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.contest_progress import Contest
from warlight_env.arena.contests.contest_runner import play_contests
from warlight_env.arena.games.game_setup import AgentSource, MatchSetup
from warlight_env.arena.matches.match_score import MatchScore
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.train.common.conditions import Conditions

#: A number for `derive_seed` that only the seed of the final match uses.
_HOLDOUT: Final = 1_000_003
#: The names of two players, and the sources of their agents.
Pair = tuple[str, str, AgentSource, AgentSource]


def holdout_seed(seed: int) -> int:
    """Return the seed of a run's final match. seed: the seed of the run."""
    return derive_seed(seed, _HOLDOUT)


def play_pairs(
    pairs: Sequence[Pair], units: int, conditions: Conditions, seed: int, folder: Path | None = None, *, jobs: int = 1,
    backend: str | Backend = "local", advance: Callable[[int, str], None] = lambda count, label: None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Play a match for each pair of players.

    Returns:
        Plain data, one dictionary for each pair: player, opponent, games, wins, draws, score and interval.

    Raises:
        KeyboardInterrupt: the user interrupted the matches.
    """
    map_, rules = maps.load(conditions.map), Rules.of(conditions.rules)
    contests = [
        Contest(
            f"{name}-{opponent}",
            MatchSetup((a, b), map_, rules, seed, True, conditions.picks, conditions.max_rounds),
            2 * units,
        )
        for name, opponent, a, b in pairs
    ]
    results = play_contests(
        contests, jobs=jobs, backend=backend, folder=folder, on_games=lambda key, records: advance(len(records), key)
    )
    if any(result.interrupted for result in results.values()):
        raise KeyboardInterrupt
    rows = []
    for (name, opponent, _, _), contest in zip(pairs, contests, strict=True):
        match_score = MatchScore(2, paired=True)
        match_score.add(results[contest.key].records)
        low, high = match_score.score_interval(0)
        rows.append(
            {
                "player": name, "opponent": opponent, "games": match_score.games, "wins": sum(match_score.wins[0]),
                "draws": match_score.draws[0], "score": match_score.score(0), "interval": [low, high],
            }
        )  # fmt: skip
    return rows
