"""The openings of logged games: ``python benchmarks/openings.py PLAYER FOLDER…``.

The program reads the logs of games of two players, and prints a table of regions and incomes after some rounds, for the
games that PLAYER won and for the other games. PLAYER is the player's name in the logs, for example ``policy:world``.
Lost games that have a large deficit after a few rounds were lost in the opening.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scipy import stats

from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.maps import Map
from warlight_env.record import GameLog, LogError, replay
from warlight_env.record.names import is_log

ROUNDS: Final = (3, 5, 8, 12)
WON, OTHER = "won", "lost or drawn"


@dataclass(frozen=True)
class Measure:
    """Regions and income of the player and of the other player after a round of a game."""

    result: str
    round: int
    regions: tuple[int, int]
    income: tuple[int, int]


def income_of(map_: Map, rules: Rules, owner: Sequence[int], player: int) -> int:
    """Return the armies that the player may deploy; 0 for a player without regions."""
    if player not in owner:
        return 0
    complete = [all(owner[region] == player for region in members) for members in map_.members]
    return rules.base_income + sum(bonus for bonus, is_owned in zip(map_.bonuses, complete, strict=True) if is_owned)


def measures_of(log: GameLog, player: str, rounds: Sequence[int] = ROUNDS) -> Iterator[Measure]:
    """Yield the measures of a game. A game that ends before a round has no measure for this round.

    Raises:
        LogError: the game has not exactly two players, or `player` is not exactly one of them.
    """
    if len(log.names) != 2 or log.names.count(player) != 1:
        raise LogError(f"players {', '.join(log.names)}: must be two, and {player} must be one of them")
    me = log.names.index(player)
    result = WON if log.end is not None and log.end.winner == me else OTHER
    for position in replay(log):
        if position.round in rounds:
            counts = [position.owner.count(seat) for seat in (me, 1 - me)]
            incomes = [income_of(log.header.map, log.header.rules, position.owner, seat) for seat in (me, 1 - me)]
            yield Measure(result, position.round, (counts[0], counts[1]), (incomes[0], incomes[1]))


def logs_in(folders: Sequence[Path]) -> list[Path]:
    """Return the logs of finished games in the folders and their subfolders, by path.

    Raises:
        LogError: a folder has no log.
    """
    paths = []
    for folder in folders:
        logs = sorted(path for path in folder.rglob("*") if is_log(path.name) and ".partial." not in path.name)
        if not logs:
            raise LogError(f"{folder}: has no logs of finished games")
        paths += logs
    return paths


def mean_interval(values: Sequence[float]) -> str:
    """Return the mean and its 95 % interval (Student's t) as text; the mean alone for one value."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.1f}"
    half = stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:.1f} ({mean - half:.1f} to {mean + half:.1f})"


def table(player: str, measures: Sequence[Measure]) -> str:
    """Return the Markdown table of means."""
    lines = [
        f"| `{player}` | after round | games | own regions | other regions | own income | other income | income lead |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for result in (WON, OTHER):
        for number in sorted({m.round for m in measures}):
            part = [m for m in measures if m.result == result and m.round == number]
            if part:
                columns = [[m.regions[0] for m in part], [m.regions[1] for m in part]]
                columns += [[m.income[0] for m in part], [m.income[1] for m in part]]
                columns.append([m.income[0] - m.income[1] for m in part])
                lines.append(f"| {result} | {number} | {len(part)} | {' | '.join(map(mean_interval, columns))} |")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Read the logs, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", help="the player's name in the logs")
    parser.add_argument("folders", nargs="+", type=Path, help="folders with logs of `warlight match --log`")
    parser.add_argument("--rounds", nargs="+", type=int, default=list(ROUNDS), help="default: 3 5 8 12")
    args = parser.parse_args(words)
    try:
        measures = [
            measure
            for path in logs_in(args.folders)
            for measure in measures_of(GameLog.load(path), args.player, args.rounds)
        ]
    except InputError as error:
        parser.error(str(error))
    print(table(args.player, measures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
