"""Facts about the environment: ``python benchmarks/datasheet.py`` prints the tables of docs/results/datasheet.md.

The number of turns is exact: the number of ways to deploy the income, times the number of ways to send armies from each
own region over its borders after the played deploys. The order of attacks is not counted. Positions and lengths are
from games between equal bots.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

import numpy as np

from warlight_env import Game, Orders
from warlight_env.agents import make_agent
from warlight_env.engine.position import compact_size
from warlight_env.engine.view import View
from warlight_env.envs import WarlightEnv

MAPS = ("small", "world", "large")
BOTS = ("random", "aggressive", "plan", "policy:any")
#: Numbers of rounds after which turns are counted.
ROUNDS = (0, 5, 10, 15)


def log_turns(view: View, turn: Orders) -> float:
    """Return the decimal logarithm of the number of turns, for the deploys of one turn."""
    own_regions = [region for region, owner in enumerate(view.owner) if owner == view.player]
    armies = {region: int(view.army[region]) for region in own_regions}
    for region, deployed in turn.deploys:
        armies[region] += deployed
    total = _log_ways(view.income, len(own_regions) - 1)
    for region in own_regions:
        total += _log_ways(armies[region] - 1, len(view.map.neighbors[region]))
    return total / math.log(10)


def _log_ways(armies: int, n_others: int) -> float:
    """Return ln of the number of ways to divide armies among 1 + `n_others` places."""
    return math.lgamma(armies + n_others + 1) - math.lgamma(armies + 1) - math.lgamma(n_others + 1)


def play(map_: str, bot: str, seed: int) -> tuple[int, int | None, dict[int, float]]:
    """Play a game of a bot against itself.

    Returns:
        The number of rounds, the winner, and the first player's logarithm of turns after each number of `ROUNDS`.
    """
    game = Game(map_, players=2, seed=seed, picks="random")
    bots, turns = [make_agent(bot, 2 * seed + seat) for seat in range(2)], {}
    while not game.done and game.round < 200:
        views = [game.view(seat) for seat in range(2)]
        orders = [agent.act(view) for agent, view in zip(bots, views, strict=True)]
        if game.round in ROUNDS:
            turns[game.round] = log_turns(views[0], orders[0])
        game.play_round(orders)
    return game.round, game.winner, turns


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100, help="of each bot on each map (default: 100)")
    args = parser.parse_args(arguments)
    if args.games < 1:
        parser.error("--games: at least 1")
    print(
        "| map | regions | super regions | directed borders | memory of a position | observation `flat` "
        "| actions of `factored` |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in MAPS:
        board = Game(name, seed=1).view(0).board
        n, e, size = board.n_regions, board.n_edges, compact_size(board.n_regions)
        shape = WarlightEnv(map=name, observation="flat", action="factored").observation_space.shape
        assert shape is not None
        print(
            f"| `{name}` | {n} | {board.n_super_regions} | {e} | {size} bytes | {shape[0]} numbers | "
            f"{n + e} choices among five values: 10^{(n + e) * math.log10(5):.0f} |"
        )
    print("\n| map | bot against itself | rounds: median (5 % to 95 % quantile) | won by the first seat | drawn |")
    print("|---|---|---|---|---|")
    turn_logs: dict[tuple[str, int], list[float]] = {}
    for name in MAPS:
        for bot in BOTS:
            lengths, wins, draws = [], 0, 0
            for seed in range(args.games):
                rounds, winner, turns = play(name, bot, seed)
                lengths.append(rounds)
                wins, draws = wins + (winner == 0), draws + (winner is None)
                if bot == "plan":
                    for round_number, value in turns.items():
                        turn_logs.setdefault((name, round_number), []).append(value)
            low, middle, high = np.quantile(lengths, [0.05, 0.5, 0.95])
            print(
                f"| `{name}` | `{bot}` | {middle:.0f} ({low:.0f} to {high:.0f}) | {100 * wins / args.games:.0f} % | "
                f"{100 * draws / args.games:.0f} % |"
            )
    print(
        "\n| map | "
        + " | ".join(f"turns after {round_number} rounds" for round_number in ROUNDS)
        + " |\n|"
        + "---|" * (1 + len(ROUNDS))
    )
    for name in MAPS:
        cells = []
        for round_number in ROUNDS:
            values = turn_logs.get((name, round_number), [])
            cells.append(f"10^{np.median(values):.0f} (to 10^{max(values):.0f})" if len(values) >= 5 else "–")
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    first, second = (play("world", "plan", args.games) for _ in range(2))
    print(f"\nThe same seed gives the same game: {first == second}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
