"""The cost of fog for a bot: ``python benchmarks/fog_cost.py nash:sims=300 --rules challenge1 --games 100``.

Two players with the same bot play paired games. One player searches in the true position of the whole map. The other
player is ``belief:BOT`` (or the bot of ``--other``) and gets its own view. Both players see only the orders in their
visible regions.

The true position is part of the view as an estimate, like a perfect belief. A network with a memory does not read
estimates. With the default ``own_net`` of `nash`, the candidate turns therefore do not depend on the true position, and
the score measures only what the simulations gain from it.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np

from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import pick_regions
from warlight_env.arena.ratings.statistics import unit_interval
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import InputError
from warlight_env.train.common.report import percent

#: A game without a winner after this number of rounds is a draw.
ROUNDS = 300


def result(bot: str, opponent: str, map_name: str, rules: str, seed: int, seat: int) -> float:
    """Play a game, and return the result of the player that gets the true position: 1, 0.5 or 0.

    seed: the seed of the game. seat: the seat of the player.
    """
    game = Game(map_name, rules, 2, seed)
    agents = [make_agent(bot if p == seat else opponent, derive_seed(seed, p)) for p in range(2)]
    pick_regions(game, agents)
    try:
        while not game.done and game.round < ROUNDS:
            orders = {}
            for p in range(2):
                view = game.view(p)
                if p == seat:
                    hidden = view.owner != game.owner
                    view = replace(view, owner=game.owner.copy(), army=game.army.copy(), estimated=hidden)
                orders[p] = agents[p].act(view)
            game.play_round(orders, on_illegal="skip")
    finally:
        for agent in agents:
            agent.close()
    return 0.5 if game.winner is None else float(game.winner == seat)


def main(words: Sequence[str] | None = None) -> int:
    """Play the games, and print the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", help="an agent, for example nash:sims=300")
    parser.add_argument("--other", help="the agent of the other player (default: belief:BOT)")
    parser.add_argument("--map", default="world")
    parser.add_argument("--rules", default="challenge1", help="a preset of rules with fog")
    parser.add_argument("--games", type=int, default=100, help="two of each start; an odd number is rounded up")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    args = parser.parse_args(words)
    if args.games < 2 or args.jobs < 1:
        parser.error("--games must be at least 2, and --jobs at least 1")
    opponent = args.other or f"belief:{args.bot}"
    try:
        for spec in (args.bot, opponent):
            make_agent(spec, 1).close()
        if not Game(args.map, args.rules, 2, 1).rules.fog:
            parser.error(f"--rules {args.rules}: these rules have no fog")
    except InputError as error:
        parser.error(str(error))
    pairs = range(math.ceil(args.games / 2))
    games = [(derive_seed(args.seed, pair), seat) for pair in pairs for seat in range(2)]
    scores = []
    with ProcessPoolExecutor(args.jobs) as pool:
        futures = [pool.submit(result, args.bot, opponent, args.map, args.rules, seed, seat) for seed, seat in games]
        for number, future in enumerate(futures, 1):
            scores.append(future.result())
            print(f"\r{number}/{len(games)} games, score {np.mean(scores):.1%} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    pair_scores = np.reshape(scores, (-1, 2)).mean(axis=1)
    score = percent(float(pair_scores.mean()), unit_interval(pair_scores.tolist()))
    print(f"{args.bot} with the true position against {opponent}: {score}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
