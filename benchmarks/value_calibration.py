"""Calibration of values by round: ``python benchmarks/value_calibration.py --rules challenge1 --games 400``.

`policy:fog` plays games of two players against itself. In the position before each round, each predictor gives the
first player's win probability. The program prints two tables by round: the log-loss (the mean negative logarithm of the
probability of the actual winner), and the expected calibration error (Guo et al., 2017). This error is the mean
difference between a predicted probability and the frequency of wins, in ten bins of predictions.

A value is as good as a longer rollout if its log-loss is not above that of the mean of rollouts. All predictors get the
true position, except the one that gets only what the player knows.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from win_prediction import LEAST, head_chance

from warlight_env import Game
from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.income_forecast import forecast_share
from warlight_env.agents.players.nash.equilibrium import evaluate_rollouts, order_all, rollout
from warlight_env.agents.players.nash.nash_work import make_nash_setup, make_nash_work
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.turn_record import N_MEMORY
from warlight_env.agents.records.value_record import LEARNED, load_value
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.game_memory import GameMemory
from warlight_env.agents.turn_net.turn_network_file import bundled_network
from warlight_env.agents.turn_net.turns import network_turn, sampled_turn
from warlight_env.agents.value.network import win_probabilities
from warlight_env.agents.weights import PLANNING
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.engine.position import Position, copied
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.errors import InputError

#: The first and the last number of played rounds in each row of the tables.
ROWS: Final = ((0, 2), (3, 5), (6, 9), (10, 14), (15, 19), (20, 29), (30, 99))
#: A game without a winner after this number of rounds is left out.
LIMIT: Final = 100
BINS: Final = 10
#: The predictors that use rollouts: the number of rounds of each rollout.
ROLLOUTS: Final = (2, 10)

Floats = npt.NDArray[np.float64]
Features = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Predictions:
    """The predictions of a game: M positions, K predictors."""

    round: npt.NDArray[np.int64]  #: [M] numbers of played rounds
    chance: Floats  #: [M, K]
    won: bool  #: whether the first player won


class Predictors:
    """Predict the first player's win probability in games with given rules."""

    def __init__(self, game: Game, rollouts: int, value: str = LEARNED) -> None:
        view = game.view(0)
        self._count = rollouts
        self._work = make_nash_work(view.board.n_regions, view.board.n_edges, 2, 2, 0, 1)
        context = functools.partial(make_context, view.board, view.params, 2, PLANNING)
        network, sampled = load_value(value), Functions(policy=sampled_turn)
        planning, of_value = context(), context(value=network)
        world, fog = (context(turns=bundled_network(name)) for name in ("world", "fog"))
        rollout_context = context(functions=sampled, value=network, turns=bundled_network("world"))
        #: each predictor gets the true position, the remembered position and the features of the memory
        self.by_name: dict[str, Callable[[Position, Position, Features], float]] = {
            "weights `planning`": lambda true, belief, features: _share(forecast_share, planning, true),
            "value network": lambda true, belief, features: _share(win_probabilities, of_value, true),
            "head of `policy:world`": lambda true, belief, features: self._head(world, true, None),
            "head of `policy:fog`": lambda true, belief, features: self._head(fog, true, None),
            "head of `policy:fog`, player's view": lambda true, belief, features: self._head(fog, belief, features),
        }
        for rounds in ROLLOUTS:
            name = f"{rollouts} rollouts of {rounds} rounds"
            self.by_name[name] = lambda true, belief, features, rounds=rounds: self._by_rollouts(
                rollout_context, true, rounds
            )

    def _head(self, context: Context, position: Position, features: Features | None) -> float:
        """Return the estimate of a turn network's value head. features: those of the player's memory, or None."""
        work = self._work.generator.net
        work.memory[:] = 0.0 if features is None else features
        chance = head_chance(context, position, work)
        work.memory[:] = 0.0
        return chance

    def _by_rollouts(self, context: Context, position: Position, rounds: int) -> float:
        """Return the mean value after rollouts in which the context's network draws all turns."""
        work, setup, total = self._work, make_nash_setup(context, rounds, 1), 0.0
        work.rng[:] = make_rng(derive_seed(int(position.round[0]), int(position.army.sum())))
        draw = np.random.default_rng(int(work.rng[0]))
        deploy, attacks, counts = work.turns
        for _ in range(self._count):
            for p in range(2):
                counts[p, 0] = network_turn(
                    context, position, p, np.float64(1.0), work.rng, work.generator, deploy[p, 0], attacks[p, 0]
                )
                work.sizes[p], work.chosen[p] = 1, 0
            order_all(context, work)
            rollout(context, setup, position, draw.integers(1, 2**63, 2, dtype=np.uint64), 0, work)
            evaluate_rollouts(context, setup, 1, work)
            total += work.leaves.shares[0, 0]
        return total / self._count


def _share(function: Callable[..., object], context: Context, position: Position) -> float:
    shares = np.zeros(2)
    function(context, position, shares)
    return float(shares[0])


def predictions_of(map_name: str, rules: str, seed: int, rollouts: int, value: str = LEARNED) -> Predictions | None:
    """Play a game and predict its winner in each round; None for a game without a winner after `LIMIT` rounds."""
    game = Game(map_name, rules, 2, seed)
    network = bundled_network("fog")
    agents = [TurnNetAgent(network, derive_seed(seed, p)) for p in range(2)]
    predictors, memory = Predictors(game, rollouts, value), GameMemory(network)
    features = np.zeros((game.view(0).board.n_regions, N_MEMORY), np.float32)
    while game.phase == "pick":
        picks = {seat: agents[seat].pick(game.view(seat)) for seat in game.pickers()}
        if 0 in picks:
            memory.picked(game.view(0), picks[0])
        game.pick(picks)
    rounds, chances = [], []
    while not game.done and game.round < LIMIT:
        true = copied(Position(game.owner, game.army, np.array([game.round], dtype=np.int32)))
        belief = memory.position(game.view(0), features)
        rounds.append(game.round)
        chances.append([predict(true, belief, features) for predict in predictors.by_name.values()])
        game.play_round(ask_orders(game, agents), on_illegal="skip")
    if game.winner is None:
        return None
    return Predictions(np.array(rounds), np.array(chances), game.winner == 0)


def log_loss(chance: Floats, won: npt.NDArray[np.bool_]) -> Floats:
    """Return the log-loss of each predictor, float64[K], for predictions float64[M, K] and results bool[M]."""
    likelihood = np.where(won[:, None], chance, 1.0 - chance)
    return np.asarray(-np.log(np.maximum(LEAST, likelihood)).mean(axis=0), dtype=np.float64)


def calibration_error(chance: Floats, won: npt.NDArray[np.bool_]) -> Floats:
    """Return the expected calibration error of each predictor, float64[K]; see `log_loss` for the arguments."""
    errors = np.zeros(chance.shape[1])
    for k, column in enumerate(chance.T):
        bin_index = np.minimum((column * BINS).astype(int), BINS - 1)
        for b in range(BINS):
            inside = bin_index == b
            if inside.any():
                errors[k] += inside.mean() * abs(column[inside].mean() - won[inside].mean())
    return errors


def table(title: str, names: Sequence[str], games: Sequence[Predictions], measure: Callable[..., Floats]) -> str:
    """Return a table as Markdown: a row for each range of rounds, a column for each predictor."""
    rounds = np.concatenate([game.round for game in games])
    chance = np.concatenate([game.chance for game in games])
    won = np.concatenate([np.full(len(game.round), game.won) for game in games])
    lines = [f"{title}:", "", f"| rounds played | positions | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for low, high in ROWS:
        inside = (rounds >= low) & (rounds <= high)
        if inside.any():
            values = " | ".join(f"{value:.3f}" for value in measure(chance[inside], won[inside]))
            lines.append(f"| {low} to {high} | {inside.sum():,} | {values} |")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Play the games, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--map", default="world")
    parser.add_argument("--rules", default="challenge1", help="a preset of rules")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--rollouts", type=int, default=8, help="rollouts for a prediction")
    parser.add_argument("--value", default=LEARNED, help="the value network: learned, or an .npz file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    args = parser.parse_args(words)
    for name in ("games", "rollouts", "jobs"):
        if getattr(args, name) < 1:
            parser.error(f"--{name} {getattr(args, name)}: must be at least 1")
    try:
        load_value(args.value)
        first = Game(args.map, args.rules, 2, args.seed)
    except InputError as error:
        parser.error(str(error))
    games = []
    with ProcessPoolExecutor(args.jobs) as pool:
        futures = [
            pool.submit(predictions_of, args.map, args.rules, derive_seed(args.seed, number), args.rollouts, args.value)
            for number in range(args.games)
        ]
        for number, future in enumerate(futures, 1):
            games.append(future.result())
            print(f"\r{number}/{args.games} games ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    decided = [game for game in games if game is not None]
    if not decided:
        print("no game has a winner", file=sys.stderr)
        return 1
    names = list(Predictors(first, args.rollouts, args.value).by_name)
    first_won = np.mean([game.won for game in decided])
    print(f"{len(decided)} games with a winner, {first_won:.1%} won by the first player, rules `{args.rules}`\n")
    print(table("Log-loss", names, decided, log_loss), end="\n\n")
    print(table("Expected calibration error", names, decided, calibration_error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
