"""Robustness of a bot: ``python benchmarks/robustness.py policy:world --rules challenge1``.

The bot plays paired games against one-sided styles (`warlight_env.agents.players.styles`, `one_big_army`) and against
`aggressive` and `plan`. The program prints a table with the score against each opponent, and its 95 % interval. The
worst row counts, because an opponent may choose the style to which the bot loses most.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final, get_args

from warlight_env.agents import make_agent
from warlight_env.agents.players.styles import STYLES
from warlight_env.arena.games.game_loop import Picks
from warlight_env.errors import InputError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.matches import play_pairs
from warlight_env.train.common.report import percent

#: The opponents by the names in the table.
OPPONENTS: Final = {
    **{name: f"warlight_env.agents.players.styles:StyleAgent,style={name}" for name in STYLES},
    "single stack": "one_big_army",
    "aggressive": "aggressive",
    "plan": "plan",
}


def measure(bot: str, conditions: Conditions, games: int, seed: int, jobs: int) -> list[dict[str, Any]]:
    """Return a row for each opponent: opponent, games, wins, draws, score, interval; see `play_pairs`."""
    pairs = [(bot, name, bot, spec) for name, spec in OPPONENTS.items()]
    return play_pairs(pairs, (games + 1) // 2, conditions, seed, jobs=jobs)


def table(bot: str, rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table, the worst row first."""
    lines = [f"| `{bot}` against | games | won | drawn | score |", "|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: row["score"]):
        score = percent(row["score"], row["interval"])
        lines.append(f"| {row['opponent']} | {row['games']} | {row['wins']} | {row['draws']} | {score} |")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Play the games, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", help="an agent, for example policy:FILE")
    parser.add_argument("--map", default="world")
    parser.add_argument("--rules", default="challenge1", help="a preset of rules")
    parser.add_argument("--picks", default="agents", choices=get_args(Picks))
    parser.add_argument("--max-rounds", type=int, default=300, help="later rounds are not played: a draw")
    parser.add_argument("--games", type=int, default=200, help="games against each opponent, two of each start")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    args = parser.parse_args(words)
    if args.games < 1:
        parser.error(f"--games {args.games}: must be at least 1")
    try:
        make_agent(args.bot, args.seed).close()
        conditions = Conditions(args.map, args.rules, args.picks, args.max_rounds)
        rows = measure(args.bot, conditions, args.games, args.seed, args.jobs)
    except InputError as error:
        parser.error(str(error))
    print(table(args.bot, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
