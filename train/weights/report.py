"""The final match of weights, and what the reports on them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env.agents.weights import Weights
from warlight_env.arena.backends.backend import Backend
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.finish import final_match
from warlight_env.train.common.matches import Pair, holdout_seed, play_pairs
from warlight_env.train.common.report import Report, percent
from warlight_env.train.weights.genes import CandidatePlayer, Variant

#: What was found, as `Weights.load` reads it.
FOUND: Final = "found.json"
Advance = Callable[[int, str], None]


def play_holdout(
    spec: str, found: Variant, start: Variant, opponents: Sequence[str], units: int, conditions: Conditions,
    seed: int, folder: Path, *, jobs: int = 1, backend: str | Backend = "local",
    advance: Callable[[int, str], None] = lambda count, label: None,
) -> list[dict[str, Any]]:  # fmt: skip
    """What was found against what the run began with, and both against every opponent, in the match engine's games.

    Args:
        spec: the kind of player.
        units: seeds, each played in both seats, of each match.
        folder: a run folder; a match that was interrupted goes on.

    Returns:
        A row a match: player, opponent, games, wins, draws, score, interval (95 %).

    Raises:
        KeyboardInterrupt: stopped early. See `play_contests` for the rest.
    """
    new, old = CandidatePlayer.of(spec, found), CandidatePlayer.of(spec, start)
    pairs: list[Pair] = [("found", "start", new, old)]
    pairs += [(name, other, player, other) for other in opponents for name, player in (("found", new), ("start", old))]
    own = holdout_seed(seed)
    return play_pairs(pairs, units, conditions, own, folder, jobs=jobs, backend=backend, advance=advance)


def summarize(report: Report, spec: str, rows: Sequence[dict[str, Any]], games: int, seconds: float) -> None:
    first = rows[0]
    report.text(
        f"{spec} with what was found scores {percent(first['score'], first['interval'])} against itself with what the "
        f"run began with, in {first['games']} games with seeds that training never used. Training took {games:,} games "
        f"and {seconds / 60:.1f} minutes."
    )
    final_match(report, rows)
    report.text("Opponents but for the first were kept out of training. Games are paired: each seed in both seats.")


def tabulate(report: Report, start: Weights, found: Weights) -> None:
    report.heading("What was found")
    rows = [[name, f"{getattr(start, name):g}", f"{getattr(found, name):.4g}"] for name in Weights._fields]
    report.table(["weight", "start", "found"], rows)
