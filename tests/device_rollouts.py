"""Play rollouts of a network against itself on a device, and compare them with compiled code on the CPU.

python tests/device_rollouts.py DEVICE GAMES ROUNDS
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.weights import PLANNING
from warlight_env.train.common.journal import Journal
from warlight_env.train.turn_net.evaluators import CompiledEvaluator
from warlight_env.train.turn_ppo.rollout_record import rows_of
from warlight_env.train.turn_ppo.run import TurnPpoRun, _TensorGames
from warlight_env.train.turn_ppo.settings import TurnPpoSettings

#: The number of turns for which compiled code also computes log-probabilities.
COMPARED = 512


def compare(device: str, games: int, rounds: int) -> tuple[float, int]:
    """Play rollouts; return the largest difference of log-probabilities, and the number of games that ended.

    Raises AssertionError if the network does not win half of the games against itself, within five standard errors.
    """
    settings = TurnPpoSettings(
        start="world", critic="own", opponents=("policy:world",), n_envs=games, n_steps=rounds, batch_size=games,
        threads=1, holdout=(), rules=("challenge2",),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        run = TurnPpoRun(settings, Journal(Path(folder), {}), device=device)
        config = run.configs[0]
        tensors = _TensorGames(settings, config, device)
        rollout = run._play_tensors(tensors, ["policy:world"], np.zeros(games, np.int64), 1)
    host: Any = type(rollout)(*(torch.as_tensor(part).cpu() for part in rollout))
    ended, won = int(host.done.sum()), int(host.won.sum())
    assert abs(won - ended / 2) < 5 * (ended / 4) ** 0.5, f"{won} of {ended} games won against itself"
    chosen = np.random.default_rng(1).choice(games * rounds, min(COMPARED, games * rounds), replace=False)
    rows: Any = rows_of(type(host)(*(part.numpy() for part in host)), config.players).select(chosen)
    context = make_context(config.board, config.params, config.players, PLANNING)
    expected = CompiledEvaluator(context, 1).log_probs(run.learner.module.cpu(), rows).turn.detach()
    return float((expected - host.log_probs.reshape(-1)[chosen]).abs().max()), ended


if __name__ == "__main__":
    furthest, count = compare(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    assert furthest < 1e-3, f"log-probabilities differ by {furthest}"
    print(f"{count} games of a network against itself ended; log-probabilities within {furthest:.1e} of compiled code")
