"""Quality of single turns: ``python benchmarks/turn_quality.py nash:1600 nash:12000,rounds=2 plan``.

Matches need hundreds of games to distinguish two searches. This program asks each bot for one turn in positions after
one to nine rounds on the world map, from games of a turn network against itself. Each turn is then played many times
against turns sampled from the network, with the same dice for all. The network continues both sides until the end, or
for 60 rounds; then the evaluation `planning` gives the result. The score of a turn is its win probability minus that of
the network's most likely turn. Each position gets a new bot, so that searches with a time limit do not know their speed
yet.

The score shows how much a bot improves on the network against the network. Only matches show which bot is stronger
against others.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from warlight_env import Game
from warlight_env.agents import Agent, make_agent
from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.players.nash.equilibrium import evaluate_rollouts, order_all, rollout
from warlight_env.agents.players.nash.nash_work import make_nash_setup, make_nash_work
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.turn_net.turns import network_turn, sampled_turn
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.view import View
from warlight_env.errors import InputError

#: Number of the opponent's turns that the turns are played against.
REPLIES = 24
#: Largest number of rounds of a playout.
ROUNDS = 60
#: Numbers of rounds after which positions are used.
PLAYED = range(1, 10)

Floats = npt.NDArray[np.float64]


def position_of(network: TurnNetwork, seed: int) -> View | None:
    """Return the first player's view of a game of the network against itself; None if the game is already over."""
    game = Game("world", seed=seed, picks="random")
    players = [TurnNetAgent(network, 2 * seed + p) for p in range(2)]
    rounds = int(np.random.default_rng(seed).choice(PLAYED))
    while not game.done and game.round < rounds:
        game.play_round({p: players[p].act(game.view(p)) for p in range(2)})
    return None if game.done else game.view(0)


def win_shares(network: TurnNetwork, view: View, turns: Sequence[Orders], playouts: int, seed: int) -> Floats:
    """Return the player's mean result of games after each of its turns, float64[K]: 1 for a win."""
    board, player, other = view.board, view.player, 1 - view.player
    capacity = max(REPLIES, len(turns))
    work = make_nash_work(board.n_regions, board.n_edges, 2, capacity, 0, 1)
    context = make_context(board, view.params, 2, PLANNING, functions=Functions(policy=sampled_turn), turns=network)
    position, setup = minimal_determinization(view), make_nash_setup(context, ROUNDS, 1)
    # a different random stream from the one in which bots sample candidates
    work.rng[:] = make_rng(derive_seed(seed, 1))
    deploy, attacks, counts = work.turns
    for i, orders in enumerate(turns):
        deploys, rows = orders.arrays()
        for region, armies in deploys:
            deploy[player, i, region] += armies
        attacks[player, i, : len(rows)] = rows
        counts[player, i] = len(rows)
    for i in range(REPLIES):
        counts[other, i] = network_turn(
            context, position, other, np.float64(1.0), work.rng, work.generator, deploy[other, i], attacks[other, i]
        )
    work.sizes[player], work.sizes[other] = len(turns), REPLIES
    dice = np.random.default_rng(seed).integers(1, 2**63, (playouts, 2), dtype=np.uint64)
    won = np.zeros(len(turns))
    for k in range(playouts):
        for i in range(len(turns)):
            work.chosen[player], work.chosen[other] = i, k % REPLIES
            order_all(context, work)
            rollout(context, setup, position, dice[k], 0, work)
            evaluate_rollouts(context, setup, 1, work)
            won[i] += work.leaves.shares[0, player]
    return won / playouts


@dataclass
class Row:
    """The measurements of a bot."""

    gains: list[float] = field(default_factory=list)  #: one for each position, in win probability
    n_equal: int = 0  #: number of positions in which the bot plays the network's most likely turn
    seconds: float = 0.0

    def text(self, name: str) -> str:
        """Return a row of the table as Markdown."""
        gains, n = 100 * np.array(self.gains), len(self.gains)
        half = f" (± {1.96 * gains.std(ddof=1) / np.sqrt(n):.2f})" if n > 1 else ""
        gain = f"{gains.mean():+.2f}{half}"
        return f"| `{name}` | {gain} | {100 * self.n_equal / n:.0f} % | {1000 * self.seconds / n:.0f} |"


def _key(orders: Orders) -> tuple[object, ...]:
    return tuple(sorted(map(tuple, orders.deploys))), tuple(map(tuple, orders.attacks))


def look(network: TurnNetwork, view: View, bots: Sequence[str], seed: int, playouts: int, rows: dict[str, Row]) -> None:
    """Ask the bots for a turn in one position, and add the results to the rows."""
    turns = [TurnNetAgent(network, seed).act(view)]
    indices, turn_index = {_key(turns[0]): 0}, {}
    for bot in bots:
        agent: Agent = make_agent(bot, seed)
        if not rows[bot].gains:
            agent.act(view)  # compile before the time is measured
            agent = make_agent(bot, seed)
        start = time.perf_counter()
        answer = agent.act(view)
        rows[bot].seconds += time.perf_counter() - start
        turn_index[bot] = indices.setdefault(_key(answer), len(turns))
        if turn_index[bot] == len(turns):
            turns.append(answer)
    won = win_shares(network, view, turns, playouts, seed)
    for bot in bots:
        rows[bot].gains.append(won[turn_index[bot]] - won[0])
        rows[bot].n_equal += turn_index[bot] == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "bots", nargs="+", help="specifications of bots; searches with simulations do not depend on time"
    )
    parser.add_argument("--net", default="world", help="the turn network: any, world, or an .npz file (default: world)")
    parser.add_argument("--positions", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--playouts", type=int, default=360, help="of each turn (default: 360)")
    parser.add_argument("--seed", type=int, default=0, help="of the first position (default: 0)")
    args = parser.parse_args(arguments)
    if args.positions < 1 or args.playouts < 1 or args.seed < 0:
        parser.error("--positions and --playouts must be at least 1, --seed at least 0")
    rows = {bot: Row() for bot in args.bots}
    try:
        network = load_turn_network(args.net)
        if network is None:
            parser.error("--net: a network is needed")
        seed, n_positions = args.seed, 0
        while n_positions < args.positions:
            view = position_of(network, seed)
            if view is not None:
                look(network, view, list(rows), seed, args.playouts, rows)
                n_positions += 1
                if n_positions % 10 == 0:
                    print(f"{n_positions}/{args.positions} positions", file=sys.stderr)
            seed += 1
    except InputError as error:
        parser.error(str(error))
    print("| bot | points beyond the network's likeliest turn | the same turn | ms |\n|---|---|---|---|")
    for bot in rows:
        print(rows[bot].text(bot))
    return 0


if __name__ == "__main__":
    sys.exit(main())
