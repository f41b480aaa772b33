"""Expert iteration on turn networks: a search with the current network gives the turns that the next network learns.

The expert, the current network and other agents play games (`games`). The expert computes a turn in each position in
which the expert or the network moves. The expert compares heuristic turns (plans) and turns of the network with a
lookahead of one round, and chooses the best turn. The training data also contain positions after mistakes of the
network (DAgger; Ross et al., arXiv:1011.0686). A new network is fitted to the expert's turns (`fit_turns`). In a run
without a start network, the first network need not pass a gate (a test match).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.turn_record import WITHOUT_MEMORY, TurnNetwork, layers_of
from warlight_env.agents.turn_net.turn_network_file import NONE, load_turn_network, pack_arrays, pack_turn_network
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.train.common.expert_iteration import HELD_OUT, ExpertIteration, in_digits
from warlight_env.train.common.game_configs import GameConfig, GameConfigs
from warlight_env.train.common.matches import Pair
from warlight_env.train.common.report import Report
from warlight_env.train.common.torch_threads import one_thread
from warlight_env.train.exit.expert_turns import ExpertTurns
from warlight_env.train.exit.games import ExpertGames, teaching
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.turn_net.batches import TurnRows
from warlight_env.train.turn_net.evaluators import CompiledEvaluator
from warlight_env.train.turn_net.loss import TurnLoss, turn_loss
from warlight_env.train.turn_net.module import TurnModule
from warlight_env.train.turn_net.player import TurnPlayer, read_network, with_metadata

#: The largest norm of the gradient in a step; a longer gradient is scaled down.
_LONGEST = 5.0
#: The largest number of held-out turns of each game config on which the network is evaluated.
_MOST_HELD_OUT = 2048

#: A number for `derive_seed`, so that games have their own seeds.
_GAMES: Final = 1
#: The number of games in a part. The run stores the result of each part, so a killed run loses at most one part.
GAMES_PART: Final = 100


class TurnFit(NamedTuple):
    """The result of a fit."""

    arrays: dict[str, npt.NDArray[np.float32]]
    trained: float  #: mean loss of a turn (a sum over its choices) in the last tenth of the steps, in nats
    held_out: float | None  #: the mean loss of a held-out turn, in nats; None if no turn is held out
    result: float | None  #: loss of the predictions of the winner in held-out games, in nats


class _ConfigTurns:
    """The turns of one game config (map, rules, number of players), and a network's loss on these turns."""

    def __init__(self, config: GameConfig, turns: TurnRows, games: npt.NDArray[np.int32], jobs: int) -> None:
        self._rows = turns
        self.training = np.flatnonzero(games % HELD_OUT != 0)
        self.held_out = np.flatnonzero(games % HELD_OUT == 0)[:_MOST_HELD_OUT]
        self._pass = CompiledEvaluator(make_context(config.board, config.params, config.players, PLANNING), jobs)

    def loss(self, module: TurnModule, indices: npt.NDArray[np.int64]) -> TurnLoss:
        """Return the loss of the turns with these indices."""
        rows = self._rows.select(indices)
        return turn_loss(self._pass.log_probs(module, rows), torch.from_numpy(rows.value))


def fit_turns(
    settings: ExitSettings,
    configs: GameConfigs,
    turns: ExpertTurns,
    seed: int,
    start: TurnNetwork | None = None,
    jobs: int = 1,
) -> TurnFit:
    """Fit a network to turns and results of games.

    A turn is a sequence of categorical choices (`factored_turns`). The loss is the cross-entropy of each choice, given
    the earlier choices, plus the cross-entropy of the winner.

    Args:
        settings: settings of the run.
        configs: game configs of the run.
        turns: the expert's turns.
        seed: seed of the fit.
        start: the network with the initial parameters, or None for random initial parameters.
        jobs: number of threads; the result does not depend on it.

    Raises:
        RunError: a parameter is not a finite number, or all turns are held out.
    """
    numbers = sorted(set(turns.config_index.tolist()))
    parts = [_ConfigTurns(configs[k], *turns.of_config(k, configs[k].players), jobs) for k in numbers]
    sizes = np.array([len(part.training) for part in parts], dtype=np.float64)
    if not sizes.sum():
        raise RunError("the fit has no turns, because all turns belong to held-out games; play more games")
    rng = np.random.default_rng(derive_seed(seed, 1))
    with one_thread():
        module = TurnModule(torch.Generator().manual_seed(derive_seed(seed, 2) >> 1), layers_of(start))
        if start is not None:
            module.copy_network(start)
        optimizer = torch.optim.AdamW(
            module.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, settings.learning_rate, settings.steps + 1, pct_start=0.1
        )
        last, total = (settings.steps + 9) // 10, 0.0
        for step in range(settings.steps):
            part = parts[rng.choice(len(parts), p=sizes / sizes.sum())]
            loss = part.loss(module, rng.choice(part.training, settings.batch_size))
            optimizer.zero_grad()
            of_turn = loss.weights + loss.shares + loss.priorities
            (of_turn + settings.outcome_weight * loss.value).backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), _LONGEST)
            optimizer.step()
            schedule.step()
            total += float(of_turn.detach()) if step >= settings.steps - last else 0.0
        turn, result = _held_out(module, parts, settings.batch_size)
    if not all(np.isfinite(values).all() for values in module.arrays().values()):
        raise RunError("a parameter of the network is not a finite number; a lower learning rate may help")
    return TurnFit(module.arrays(), total / last, turn, result)


def _held_out(module: TurnModule, parts: list[_ConfigTurns], size: int) -> tuple[float | None, float | None]:
    """Return the mean losses on held-out turns and on results of held-out games; both None if no turn is held out."""
    count, total = 0, np.zeros(len(TurnLoss._fields))
    with torch.no_grad():
        for part in parts:
            for low in range(0, len(part.held_out), size):
                indices = part.held_out[low : low + size]
                loss = part.loss(module, indices)
                total += len(indices) * np.array([float(value) for value in loss])
                count += len(indices)
    return (float(total[:3].sum() / count), float(total[3] / count)) if count else (None, None)


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

    def sample_window(self) -> int:
        """See `ExpertIteration.sample_window`."""
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
        return [("found", opponent, TurnPlayer(artifact), opponent) for opponent in self.settings.holdout]

    def content(self, artifact: bytes, result: dict[str, Any]) -> bytes:
        """See `Trainer.content`. The network's file also contains a note on the origin of the network."""
        facts: dict[str, Any] = {
            name: result[name] for name in ("games", "turns", "seconds", "holdout") if name in result
        }
        return with_metadata(artifact, {"trained": "warlight train exit", "settings": self.settings.to_dict(), **facts})

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
