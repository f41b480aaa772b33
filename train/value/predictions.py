"""The accuracy with which the value network predicts the winner, in games that no fit used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from warlight_env.agents.evaluation.static_evaluation import evaluated_shares
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.weights import DEFAULT, PLANNING
from warlight_env.engine.position import Positions
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.report import Report
from warlight_env.train.value.fit import held_out
from warlight_env.train.value.players import unpack_network
from warlight_env.train.value.positions import ValuedPositions

#: The rounds for which the accuracy is measured.
ROUNDS: Final = range(3, 16)
#: The smallest probability in the logarithm of the loss.
_LEAST: Final = 1e-6


def outcome_losses(configs: GameConfigs, games: Sequence[ValuedPositions], network: bytes) -> list[dict[str, float]]:
    """Return the losses of predicted winners, for each round, in held-out games (games that no fit used).

    Returns:
        A dictionary for each round number in ROUNDS that at least one game has reached. The dictionary contains the
        round, the number of positions, and the losses of the network and of the weights "planning" and "default". The
        loss is minus the mean logarithm of the predicted win probability of the winner, in nats.
    """
    value = unpack_network(network)
    evaluations = {"network": (PLANNING, value), "planning": (PLANNING, None), "default": (DEFAULT, None)}
    found: dict[int, list[list[float]]] = {}
    contexts: dict[tuple[int, str], Any] = {}
    for samples in games:
        chosen = held_out(samples) & samples.value.any(axis=1) & np.isin(samples.round, list(ROUNDS))
        for m in np.flatnonzero(chosen).tolist():
            number, position, row = int(samples.config_index[m]), samples.position(m), []
            config, positions = configs[number], Positions(position.owner[None], position.army[None], position.round)
            for name, (weights, net) in evaluations.items():
                if (number, name) not in contexts:
                    contexts[number, name] = make_context(
                        config.board, config.params, config.players, weights, value=net
                    )
                shares = np.zeros((1, config.players))
                evaluated_shares(contexts[number, name], positions, 1, shares)
                row.append(-float(np.log(max(_LEAST, shares[0, samples.value[m].argmax()]))))
            found.setdefault(int(position.round[0]), []).append(row)
    return [
        {
            "round": at,
            "positions": len(found[at]),
            **dict(zip(evaluations, np.mean(found[at], axis=0).tolist(), strict=True)),
        }
        for at in sorted(found)
    ]


def describe_predictions(report: Report, losses: Sequence[dict[str, float]]) -> None:
    """Add the table of `outcome_losses` to the report."""
    report.heading("Prediction of the winner")
    report.text(
        "The table shows the loss after each number of rounds: minus the mean logarithm of the predicted win "
        "probability of the winner, in nats. No fit used these games. The columns planning and default are the losses "
        "of the evaluation with these weights."
    )
    report.table(
        ["round", "positions", "network", "planning", "default"],
        [
            [
                f"{row['round']:.0f}",
                f"{row['positions']:.0f}",
                *(f"{row[name]:.3f}" for name in ("network", "planning", "default")),
            ]
            for row in losses
        ],
    )
