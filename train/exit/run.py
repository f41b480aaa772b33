"""Expert iteration on turn networks: a search with the current network gives the turns that the next network learns.

The expert, the current network and other agents play games (`games`). The expert computes a turn in each position in
which the expert or the network moves. The expert compares heuristic turns (plans) and turns of the network with a
lookahead of one round, and chooses the best turn. The training data also contain positions after mistakes of the
network (DAgger; Ross et al., arXiv:1011.0686). A new network is fitted to the expert's turns (`fit`). In a run without
a start network, the first network need not pass a gate (a test match).
"""

from __future__ import annotations

from typing import Any, Final

from warlight_env.agents.records.turn_record import WITHOUT_MEMORY
from warlight_env.agents.turn_net.turn_network_file import NONE, load_turn_network, pack_arrays, pack_turn_network
from warlight_env.engine.rng import derive_seed
from warlight_env.train.common.expert_iteration import ExpertIteration, in_digits
from warlight_env.train.common.matches import Pair
from warlight_env.train.common.report import Report
from warlight_env.train.exit.expert_turns import ExpertTurns
from warlight_env.train.exit.fit import fit_turns
from warlight_env.train.exit.games import ExpertGames, teaching
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.turn_net.player import TurnPlayer, read_network, with_metadata

#: A number for `derive_seed`, so that games have their own seeds.
_GAMES: Final = 1
#: The number of games in a part. The run stores the result of each part, so a killed run loses at most one part.
GAMES_PART: Final = 100


class ExitRun(ExpertIteration[ExitSettings, ExpertTurns]):
    """A run of expert iteration on turn networks; see `Trainer`.

    Args:
        backend: where the games are played; with ``local``, in threads of this process.
    """

    command, artifact_name = "exit", "policy.npz"
    fit_path, gate_path, samples_kind = 2, 3, ExpertTurns
    title, loss_name = "A network that plays complete turns, by expert iteration", "loss of a turn, in nats"

    @staticmethod
    def total(settings: ExitSettings) -> int:
        """See `Trainer.total`."""
        return settings.iterations * (-(-settings.games // GAMES_PART) + 2) - (settings.start == NONE)

    def first(self) -> bytes:
        """See `ExpertIteration.first`."""
        start = load_turn_network(self.settings.start, "start")
        return b"" if start is None else pack_turn_network(start)

    def needs_gate(self, network: bytes) -> bool:
        """See `ExpertIteration.needs_gate`."""
        return bool(network)

    def samples(self, iteration: int, network: bytes) -> ExpertTurns:
        """See `ExpertIteration.samples`."""
        s = self.settings
        games = ExpertGames(s, network, derive_seed(s.seed, _GAMES, iteration))
        with teaching(games, self._jobs, self._backend) as teach:

            def make(numbers: range) -> tuple[ExpertTurns, dict[str, Any]]:
                turns = teach(numbers)
                won = turns.game[turns.value.any(axis=1)]
                return turns, {"won": len(set(won.tolist())), "positions": len(turns.config_index)}

            return self.in_parts("games", iteration, s.games, GAMES_PART, make)

    def kept(self) -> int:
        """See `ExpertIteration.kept`."""
        return self.settings.window

    def fit(self, samples: ExpertTurns, network: bytes, seed: int) -> tuple[bytes, dict[str, Any]]:
        """See `ExpertIteration.fit`."""
        fit = fit_turns(self.settings, self.configs, samples, seed, read_network(network), self._jobs)
        return pack_arrays(fit.arrays, reads=WITHOUT_MEMORY), {
            "labels": len(samples.config_index), "trained": fit.trained, "held_out": fit.held_out, "result": fit.result,
        }  # fmt: skip

    def player_of(self, network: bytes) -> TurnPlayer:
        """See `ExpertIteration.player_of`."""
        return TurnPlayer(network)

    # Final match and report

    def games(self) -> int:
        """See `Trainer.games`; the games of gates (test matches) do not count."""
        return sum(entry["games"] for entry in self.journal.entries if entry["event"] == "games")

    def pairs(self, artifact: bytes) -> list[Pair]:
        """See `Trainer.pairs`."""
        return [("found", other, TurnPlayer(artifact), other) for other in self.settings.holdout]

    def content(self, artifact: bytes, result: dict[str, Any]) -> bytes:
        """See `Trainer.content`. The network's file also contains a note on the origin of the network."""
        told: dict[str, Any] = {
            name: result[name] for name in ("games", "turns", "seconds", "holdout") if name in result
        }
        return with_metadata(artifact, {"trained": "warlight train exit", "settings": self.settings.to_dict(), **told})

    def facts(self, artifact: bytes) -> dict[str, Any]:
        """See `Trainer.facts`."""
        turns = sum(entry["positions"] for entry in self.journal.entries if entry["event"] == "games")
        return {"player": "policy", "turns": turns}

    def summary(self, result: dict[str, Any]) -> str:
        """See `Trainer.summary`."""
        return (
            f"Learned {result['turns']:,} turns of {result['games']:,} games in {result['seconds'] / 60:.1f} minutes, "
            "all steps included. The network plays without any search and takes the most likely value of each choice. "
            "The final match has seeds that training never used."
        )

    def describe(self, report: Report, artifact: bytes, result: dict[str, Any]) -> None:
        """See `Trainer.describe`."""
        self.describe_curves(report)
        self.describe_table(
            report, ["turns", "loss of a turn", "… held out", "loss of a result"],
            lambda fit: [
                f"{fit['labels']:,}", *(in_digits(fit[name], 3) for name in ("trained", "held_out", "result"))
            ],
        )  # fmt: skip
        report.text("Losses are cross-entropies in nats. The loss of a turn is the sum over its choices.")
