"""Prediction of winners: ``python benchmarks/win_prediction.py``; needs scikit-learn (``pip install scikit-learn``).

Strong players play games on the world map. For positions after 3 to 15 rounds, each predictor gives the first player's
win probability. Its loss is the mean negative logarithm of the probability of the actual winner. Boosting and logistic
regression use the features of the value network and are fitted to half of the games; all predictors are compared on the
other half.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.income_forecast import forecast_share
from warlight_env.agents.evaluation.static_evaluation import position_share
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.turn_record import TurnNetworkBuffers
from warlight_env.agents.records.value_record import N_PLAYER, N_RULES, load_value
from warlight_env.agents.turn_net.forward import embed_regions, player_scores
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.value.features import write_features, write_rules
from warlight_env.agents.value.network import win_probabilities
from warlight_env.agents.weights import DEFAULT, PLANNING, Weights
from warlight_env.engine.position import Position
from warlight_env.train.common.game_configs import GameConfig, GameConfigs
from warlight_env.train.value.games import play_games
from warlight_env.train.value.players import pack_network
from warlight_env.train.value.positions import ValuedPositions
from warlight_env.train.value.settings import ValueSettings

Floats = npt.NDArray[np.float64]
#: Numbers of rounds at the positions.
ROUNDS = range(3, 16)
#: Smallest probability; smaller predictions are replaced by it.
LEAST = 1e-6
#: Number of bootstrap resamples for an interval.
RESAMPLES = 1000


@dataclass(frozen=True)
class Positions:
    """M positions of two-player games with a winner."""

    positions: list[Position]
    game: npt.NDArray[np.int64]  #: [M]
    won: npt.NDArray[np.bool_]  #: [M] whether the first player won
    numbers: Floats  #: [M, 2 N_PLAYER + N_RULES] features of the value network


def settings_of(games: int, seed: int) -> ValueSettings:
    """Return settings for games between searches and networks."""
    return ValueSettings(
        games=games, seed=seed, player="nash:1000,value=current,rounds=2",
        opponents=("nash:1000,value=current,rounds=2", "policy:any", "policy:any", "plan"),
        maps=("world",), rules=("thesis",), players=(1.0,), random_start_share=1.0, start="learned",
    )  # fmt: skip


def seen_in(settings: ValueSettings, config: GameConfig, valued: ValuedPositions) -> Positions:
    """Return the positions for the predictions."""
    indices = np.flatnonzero(valued.value.any(axis=1) & np.isin(valued.round, list(ROUNDS))).tolist()
    context = make_context(config.board, config.params, config.players, PLANNING)
    numbers = np.zeros((len(indices), 2 * N_PLAYER + N_RULES))
    positions = [valued.position(m) for m in indices]
    for row, position in zip(numbers, positions, strict=True):
        write_features(context, position, row)
        write_rules(context, position, row[2 * N_PLAYER :])
    return Positions(positions, valued.game[indices].astype(np.int64), valued.value[indices, 0] > 0, numbers)


def by_function(function: Callable[..., Any], context: Context) -> Callable[[Positions], Floats]:
    """Return a predictor that uses the shares of an evaluation as probabilities."""

    def chances(positions: Positions) -> Floats:
        shares = np.zeros((len(positions.positions), context.players))
        for position, row in zip(positions.positions, shares, strict=True):
            function(context, position, row)
        return shares[:, 0]

    return chances


def by_head(context: Context) -> Callable[[Positions], Floats]:
    """Return a predictor with the turn network's value head, for the first player."""
    work = make_generator_work(context.board.n_regions, context.board.n_edges, 2).net
    return lambda positions: np.array([head_chance(context, position, work) for position in positions.positions])


def head_chance(context: Context, position: Position, work: TurnNetworkBuffers) -> float:
    """Return the first player's win probability, by the value head of the context's turn network, for two players."""
    scores = np.zeros(2)
    embed_regions(context, position, 0, work)
    player_scores(context, position, 0, work, scores)
    return float(1.0 / np.exp(scores - scores[0]).sum())


def by_fit(model: Any, positions: Positions) -> Callable[[Positions], Floats]:
    """Return a predictor with a scikit-learn model, fitted to these positions from both players' sides."""

    def read(numbers: Floats) -> Floats:
        return np.sqrt(numbers)

    swapped = positions.numbers.copy()
    swapped[:, :N_PLAYER], swapped[:, N_PLAYER : 2 * N_PLAYER] = (
        positions.numbers[:, N_PLAYER : 2 * N_PLAYER], positions.numbers[:, :N_PLAYER],
    )  # fmt: skip
    model.fit(read(np.concatenate([positions.numbers, swapped])), np.concatenate([positions.won, ~positions.won]))
    return lambda queries: np.asarray(model.predict_proba(read(queries.numbers))[:, 1], dtype=np.float64)


def losses(chances: Floats, positions: Positions) -> Floats:
    """Return -log of the predicted probability of the actual winner, [M]."""
    likelihood = np.where(positions.won, chances, 1.0 - chances)
    return np.asarray(-np.log(np.maximum(LEAST, likelihood)), dtype=np.float64)


def interval(loss: Floats, game: npt.NDArray[np.int64], rng: np.random.Generator) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean loss over whole games, whose positions share an outcome."""
    _, inverse = np.unique(game, return_inverse=True)
    total, count = np.bincount(inverse, loss), np.bincount(inverse)
    samples = rng.integers(len(total), size=(RESAMPLES, len(total)))
    low, high = np.quantile(total[samples].sum(1) / count[samples].sum(1), [0.025, 0.975])
    return float(low), float(high)


def predictors(config: GameConfig, fitted: Positions) -> dict[str, Callable[[Positions], Floats]]:
    """Return all predictors by name."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def context(weights: Weights, **parts: Any) -> Context:
        return make_context(config.board, config.params, config.players, weights, **parts)

    boosting = HistGradientBoostingClassifier(learning_rate=0.05, max_iter=200, max_leaf_nodes=15, random_state=1)
    logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000))
    return {
        "evaluation, weights `default`": by_function(position_share, context(DEFAULT)),
        "evaluation, weights `planning`": by_function(forecast_share, context(PLANNING)),
        "logistic regression on the value network's numbers": by_fit(logistic, fitted),
        "gradient boosting on the same": by_fit(boosting, fitted),
        "value network of the package": by_function(win_probabilities, context(PLANNING, value=load_value("learned"))),
        "head of the turn network `policy:any`": by_head(context(PLANNING, turns=load_turn_network("learned"))),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1200, help="half of them for fits (default: 1200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="threads of the games")
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    args = parser.parse_args(arguments)
    if args.games < 10:
        parser.error("--games: at least 10")
    try:
        import sklearn  # noqa: F401
    except ImportError:
        print("predictions: scikit-learn is missing: pip install scikit-learn", file=sys.stderr)
        return 1
    settings, start = settings_of(args.games, args.seed), time.perf_counter()
    configs = GameConfigs(settings)
    network, parts = pack_network(load_value(settings.start)), []
    for low in range(0, args.games, 50):
        numbers = range(low, min(args.games, low + 50))
        parts.append(play_games(settings, configs, network, settings.seed, numbers, args.jobs))
        elapsed = time.perf_counter() - start
        print(f"{numbers.stop}/{args.games} games, {elapsed:.0f} s", file=sys.stderr)
    config = configs[0]
    positions = seen_in(settings, config, ValuedPositions.joined(parts))
    is_training = positions.game % 2 == 0
    fitted, test = (part_of(positions, mask) for mask in (is_training, ~is_training))
    rng, rows = np.random.default_rng(args.seed), []
    for name, predict in predictors(config, fitted).items():
        loss = losses(predict(test), test)
        rows.append({"predictor": name, "loss": float(loss.mean()), "interval": interval(loss, test.game, rng)})
    if args.json:
        print(json.dumps({"games": args.games, "positions": len(test.won), "rows": rows}))
        return 0
    print(f"{len(test.won):,} positions of {len(set(test.game.tolist()))} games that no fit saw\n")
    print("| predictor | log-loss (95 %) |\n|---|---|")
    for row in rows:
        low, high = row["interval"]
        print(f"| {row['predictor']} | {row['loss']:.3f} ({low:.3f}–{high:.3f}) |")
    return 0


def part_of(positions: Positions, mask: npt.NDArray[np.bool_]) -> Positions:
    """Return the positions for which `mask` is true."""
    indices = np.flatnonzero(mask)
    return Positions(
        [positions.positions[m] for m in indices.tolist()],
        positions.game[indices],
        positions.won[indices],
        positions.numbers[indices],
    )


if __name__ == "__main__":
    sys.exit(main())
