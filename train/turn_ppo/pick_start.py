"""The first weights of the head for picks: an imitation of the evaluation that ranks start regions without a head."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from warlight_env.agents.context import bare_context
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.turn_record import UNITS
from warlight_env.agents.turn_net.picks import choices_of
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.rng import derive_seed
from warlight_env.game import Game
from warlight_env.train.common.game_configs import GameConfig
from warlight_env.train.common.torch_threads import one_thread
from warlight_env.train.turn_net.batches import CHOSEN, OFFERED, TurnRows, make_batch, plain_turns
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.module import TurnModule, board_tensors

#: Picking phases of all game configs together, the smallest number for each of them, gradient steps, and Adam's rate.
_PHASES: Final = 192
_LEAST: Final = 8
_STEPS: Final = 500
_RATE: Final = 0.03


def imitate_picks(module: TurnModule, configs: list[GameConfig], seed: int) -> None:
    """Fit the head for picks to the start regions that the weights `planning` prefer. All other parameters stay.

    The fit maximizes the likelihood of the choices. The problem is convex, because the head is linear.
    """
    with one_thread():
        data = [
            _scored(module, config, seed, max(_LEAST, _PHASES // len(configs)))
            for config in configs
            if config.rules.picking != "dealt"
        ]
        head = torch.zeros(UNITS, requires_grad=True)
        optimizer = torch.optim.Adam([head], lr=_RATE)
        for _ in range(_STEPS if data else 0):
            losses = [cross_entropy((at @ head).masked_fill(~open_, -torch.inf), chosen) for at, open_, chosen in data]
            optimizer.zero_grad()
            torch.stack(losses).mean().backward()
            optimizer.step()
    with torch.no_grad():
        module.pick.copy_(head)


def _scored(module: TurnModule, config: GameConfig, seed: int, phases: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the embeddings float32[M, N, H] of M choices, bool[M, N] the offered regions, int64[M] the chosen ones."""
    rows, board = _choices(config, seed, phases), config.board
    context = make_context(board, config.params, config.players, PLANNING)
    batch = make_batch(TurnInputs(context, len(rows.player), "cpu"), rows.tensors())
    with torch.no_grad():
        embeddings = module.embed_regions(board_tensors(board), batch.nodes, batch.overall)
    offers = batch.row[:, : board.n_regions]
    return embeddings.contiguous(), offers > 0, offers.argmax(1)


def _choices(config: GameConfig, seed: int, phases: int) -> TurnRows:
    """Return the preferred start regions of all players in some picking phases, with one choice in each row."""
    context = bare_context(config.board, config.params, config.players, PLANNING)
    n, rows = config.board.n_regions, list[tuple[Any, ...]]()
    size = n + 2 * config.board.n_edges
    none: npt.NDArray[np.uint64] = np.zeros(2, np.uint64)
    for number in range(phases):
        game = Game(config.map, config.rules, config.players, seed=derive_seed(seed, number))
        while game.phase == "pick":
            picks = {}
            for p in game.pickers():
                view, free, chosen = game.view(p), np.zeros(n, np.int8), np.zeros(n, np.int32)
                free[list(view.offers)] = OFFERED
                count = int(write_best_picks(context, view.position, free, p, none, chosen))
                picks[p] = chosen[:count].tolist()
                owner = view.owner.copy()
                for region in picks[p][: int(choices_of(config.params, free))]:
                    row = np.zeros(size, np.int8)
                    row[:n], row[region] = free, CHOSEN
                    rows.append((owner.copy(), view.army, p, row))
                    free[region], owner[region] = 0, p
            game.pick(picks)
    owners, armies, players, choices = zip(*rows, strict=True)
    count = len(rows)
    turns = plain_turns(
        np.array(owners), np.array(armies), np.zeros(count, np.int32), np.array(players, np.int64), np.array(choices),
        np.zeros((count, config.players), np.float32),
    )  # fmt: skip
    return turns._replace(picking=np.ones(count, np.bool_))
