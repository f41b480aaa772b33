"""Expert iteration of the value network: a search with the current network labels positions for the next network.

The current network plays games against itself and other agents (`play_games`). A search then computes labels (values)
for positions of these games, and for positions one random round later (`label_positions`). The search evaluates its
leaves with the current network. A new network is fitted to the labels (`fit_network`).

A new network passes the gate (a match against the old network) if its mean score is at least `gate_threshold`. The gate
does not use the confidence interval of the mean score, because chance has little effect on the decision: a network from
a good fit has a mean score far above one half, and a network from a failed fit has a mean score far below one half.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from warlight_env.agents.evaluation.static_evaluation import evaluated_shares
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.value_record import load_value, make_network
from warlight_env.agents.weights import DEFAULT, PLANNING
from warlight_env.engine.position import Positions
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.train.common.expert_iteration import ExpertIteration, in_digits, unpack_samples
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.matches import Pair
from warlight_env.train.common.report import Report, percent
from warlight_env.train.value.fit import fit_network, held_out
from warlight_env.train.value.games import play_games
from warlight_env.train.value.labels import label_positions
from warlight_env.train.value.players import NetworkPlayer, pack_network, unpack_network
from warlight_env.train.value.positions import ValuedPositions
from warlight_env.train.value.settings import ValueSettings

#: The rounds for which the accuracy is measured.
ROUNDS: Final = range(3, 16)
#: The smallest probability in the logarithm of the loss.
_LEAST: Final = 1e-6

#: Numbers for `derive_seed`, so that games and labels have their own seeds.
_GAMES, _LABELS = 1, 2
#: The numbers of games and of labels in a part. The run stores each part, so a killed run loses at most one part. The
#: arrays of a part have fewer bytes than `bounded_io.ARRAYS_BYTES`, even if all games last for
#: `expert_iteration.MOST_ROUNDS` rounds on the largest maps.
GAMES_PART: Final = 64
LABELS_PART: Final = 4096


def outcome_losses(configs: GameConfigs, games: Sequence[ValuedPositions], network: bytes) -> list[dict[str, float]]:
    """Return the losses of predicted winners, for each round, in held-out games (games that no fit used).

    Returns:
        A dictionary for each round number in ROUNDS that at least one game has reached. The dictionary contains the
        round, the number of positions, and the losses of the network and of the weights "planning" and "default". The
        loss is minus the mean logarithm of the predicted win probability of the winner, in nats.
    """
    value = unpack_network(network)
    evaluations = {"network": (PLANNING, value), "planning": (PLANNING, None), "default": (DEFAULT, None)}
    losses: dict[int, list[list[float]]] = {}
    contexts: dict[tuple[int, str], Any] = {}
    for samples in games:
        mask = held_out(samples) & samples.value.any(axis=1) & np.isin(samples.round, list(ROUNDS))
        for m in np.flatnonzero(mask).tolist():
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
            losses.setdefault(int(position.round[0]), []).append(row)
    return [
        {
            "round": round_number,
            "positions": len(losses[round_number]),
            **dict(zip(evaluations, np.mean(losses[round_number], axis=0).tolist(), strict=True)),
        }
        for round_number in sorted(losses)
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


class ValueRun(ExpertIteration[ValueSettings, ValuedPositions]):
    """A run of expert iteration of the value network; see `Trainer`."""

    command, artifact_name = "value", "value.npz"
    fit_path, gate_path, samples_kind = 3, 4, ValuedPositions
    title, loss_name = "A value network by expert iteration", "cross-entropy minus the labels' entropy"

    def game_configs(self) -> GameConfigs:
        """See `ExpertIteration.game_configs`."""
        return GameConfigs(self.settings, self.settings.fog)

    @staticmethod
    def total(settings: ValueSettings) -> int:
        """See `Trainer.total`."""
        return settings.iterations * (-(-settings.games // GAMES_PART) + -(-settings.labels // LABELS_PART) + 2)

    def first(self) -> bytes:
        """See `ExpertIteration.first`."""
        return pack_network(load_value(self.settings.start))

    def run(self) -> bytes:
        """See `ExpertIteration.run`. Raises RunError if no network passes a gate."""
        network = super().run()
        if network == self.first():
            raise RunError(
                f"{self.journal.folder}: no network of {self.settings.iterations} iterations passed the gate (the "
                "match against the old network); more labels, games or steps may help"
            )
        return network

    def sample_window(self) -> int:
        """See `ExpertIteration.sample_window`."""
        return 2 if self.settings.previous else 1

    def samples(self, iteration: int, network: bytes) -> ValuedPositions:
        """See `ExpertIteration.samples`."""
        s = self.settings
        of_games, of_labels = (derive_seed(s.seed, path, iteration) for path in (_GAMES, _LABELS))

        def play(numbers: range) -> tuple[ValuedPositions, dict[str, Any]]:
            positions = play_games(s, self.configs, network, of_games, numbers, self._jobs)
            won = positions.game[positions.value.any(axis=1)]
            return positions, {"won": len(set(won.tolist())), "positions": len(positions.config_index)}

        games = self.in_parts("games", iteration, s.games, GAMES_PART, play)

        def label(numbers: range) -> tuple[ValuedPositions, dict[str, Any]]:
            return label_positions(s, self.configs, network, games, of_labels, numbers, self._jobs), {}

        return self.in_parts("labels", iteration, s.labels, LABELS_PART, label)

    def fit(self, samples: ValuedPositions, network: bytes, seed: int) -> tuple[bytes, dict[str, Any]]:
        """See `ExpertIteration.fit`."""
        fit = fit_network(self.settings, self.configs, samples, seed)
        fields = {"labels": len(samples.config_index), "trained": fit.trained, "held_out": fit.held_out}
        return pack_network(make_network(fit.arrays)), fields

    def player_of(self, network: bytes, spec: str | None = None) -> NetworkPlayer:
        """See `ExpertIteration.player_of`. spec: the agent's specification, or None for `player` in the settings."""
        return NetworkPlayer(spec or self.settings.player, network, tuple(self.settings.weights))

    # Final match and report

    def pairs(self, artifact: bytes) -> list[Pair]:
        """See `Trainer.pairs`."""
        new = self.player_of(artifact)
        matches = [("found", opponent, new, self.player_of(artifact, opponent)) for opponent in self.settings.holdout]
        return [("found", "start", new, self.player_of(self.first())), *matches]

    def content(self, artifact: bytes, result: dict[str, Any]) -> bytes:
        """See `Trainer.content`."""
        return artifact

    def facts(self, artifact: bytes) -> dict[str, Any]:
        """See `Trainer.facts`."""
        entries = [entry for entry in self.journal.entries if entry["event"] == "games"]
        games = [unpack_samples(ValuedPositions, self.file_of(entry)) for entry in entries]
        return {"player": self.settings.player, "log_loss": outcome_losses(self.configs, games, artifact)}

    def summary(self, result: dict[str, Any]) -> str:
        """See `Trainer.summary`."""
        first = result["holdout"][0]
        return (
            f"{self.settings.player} with the new network scores {percent(first['score'], first['interval'])} against "
            f"itself with the initial network ({self.settings.start}), in {first['games']} games with seeds that "
            f"training never used. Training took {result['games']:,} games and {result['seconds'] / 60:.1f} minutes."
        )

    def describe(self, report: Report, artifact: bytes, result: dict[str, Any]) -> None:
        """See `Trainer.describe`."""
        self.describe_curves(report)
        self.describe_table(
            report, ["labels", "fitted", "held out"],
            lambda fit: [f"{fit['labels']:,}", in_digits(fit["trained"], 4), in_digits(fit["held_out"], 4)],
        )  # fmt: skip
        report.text(
            "Fitted and held out: the cross-entropy between labels and the network's output, minus the labels' own "
            f"entropy, in nats, for games of the fit and held-out games. A network must have a mean score of at least "
            f"{percent(self.settings.gate_threshold)} to pass the gate."
        )
        describe_predictions(report, result["log_loss"])
