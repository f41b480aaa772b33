"""The fit of the turn network to the turns that the expert (a search) chose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.turn_record import TurnNetwork, layers_of
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.train.common.expert_iteration import HELD_OUT
from warlight_env.train.common.game_configs import GameConfig, GameConfigs
from warlight_env.train.common.torch_threads import one_thread
from warlight_env.train.exit.expert_turns import ExpertTurns
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.turn_net.batches import TurnRows
from warlight_env.train.turn_net.evaluators import CompiledEvaluator
from warlight_env.train.turn_net.loss import TurnLoss, turn_loss
from warlight_env.train.turn_net.module import TurnModule

#: The largest norm of the gradient in a step; a longer gradient is scaled down.
_LONGEST = 5.0
#: The largest number of held-out turns of each game config on which the network is evaluated.
_MOST_HELD_OUT = 2048


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

    def loss(self, module: TurnModule, which: npt.NDArray[np.int64]) -> TurnLoss:
        """Return the loss of the turns with the indices `which`."""
        rows = self._rows.taken(which)
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
    parts = [_ConfigTurns(configs[at], *turns.of_config(at, configs[at].players), jobs) for at in numbers]
    sizes = np.array([len(part.training) for part in parts], dtype=np.float64)
    if not sizes.sum():
        raise RunError("the fit has no turns, because all turns belong to held-out games; play more games")
    rng = np.random.default_rng(derive_seed(seed, 1))
    with one_thread():
        module = TurnModule(torch.Generator().manual_seed(derive_seed(seed, 2) >> 1), layers_of(start))
        if start is not None:
            module.take(start)
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
                which = part.held_out[low : low + size]
                loss = part.loss(module, which)
                total += len(which) * np.array([float(value) for value in loss])
                count += len(which)
    return (float(total[:3].sum() / count), float(total[3] / count)) if count else (None, None)
