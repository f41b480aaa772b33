"""Speed of training: games of one-ply players in compiled code, and the speed-up by a second thread."""

from __future__ import annotations

import functools
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from speed_table import Row
from timing import build_c_loop, c_processes, interleaved, temporary_folder
from warlight_env.agents.context import Context
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.turn_record import make_turn_network
from warlight_env.agents.weights import PLANNING, THESIS
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.turn_net.batches import TurnRows, make_batch
from warlight_env.train.turn_net.evaluators import CompiledEvaluator, TensorEvaluator
from warlight_env.train.turn_net.loss import TurnLogProbs, turn_log_probs
from warlight_env.train.turn_net.module import TurnModule
from warlight_env.train.turn_ppo.opponents import opponent_context
from warlight_env.train.turn_ppo.rollout_record import Rollout
from warlight_env.train.turn_ppo.rollouts import Rollouts
from warlight_env.train.turn_ppo.settings import TurnPpoSettings
from warlight_env.train.turn_ppo.update import TurnLearner
from warlight_env.train.weights.duel_batches import Duels

SPIN = 400_000_000  # iterations of the C loop


def bench_turn_ppo(quick: bool) -> list[Row]:
    """Compare the gradients of compiled code with PyTorch and ``torch.compile``: an iteration of PPO on two cores.

    The iteration plays the games, and then learns from them with `n_epochs` passes.
    """
    settings = TurnPpoSettings(n_envs=64 if quick else 256, n_steps=16 if quick else 32, opponents=("aggressive",))
    config = GameConfigs(settings)[0]
    context = make_context(config.board, config.params, config.players, PLANNING)
    rollouts = Rollouts(config, settings.n_envs, settings.n_steps, settings.max_rounds, 2)
    opponent_ids, opponent = np.zeros(settings.n_envs, dtype=np.int64), opponent_context(config, "aggressive")
    evaluators = {
        "compiled": CompiledEvaluator(context, 2), "PyTorch": TensorEvaluator(context, settings.batch_size, "cpu"),
        "torch.compile": _Compiled(context, settings.batch_size, "cpu"),
    }  # fmt: skip

    def rate(name: str) -> float:
        module = TurnModule(torch.Generator().manual_seed(1))
        learner = TurnLearner(settings, module, "cpu")
        torch.set_num_threads(2)
        start = time.perf_counter()
        player_context = make_context(
            config.board, config.params, config.players, PLANNING, turns=make_turn_network(module.arrays())
        )
        rollout: Any = rollouts.play(player_context, [opponent], opponent_ids, 1, True)
        turns = rollout.round.size
        if name != "compiled":
            rollout = Rollout(*map(torch.from_numpy, rollout))
        learner.update_in_threads(evaluators[name], rollout, 1e-4, np.random.default_rng(1))
        return turns / (time.perf_counter() - start)

    rates = interleaved({name: functools.partial(rate, name) for name in evaluators}, 3 if quick else 5)
    compiled, fastest = rates["compiled"], max(rates["PyTorch"], rates["torch.compile"])
    text = ", ".join(f"{name} {value:,.0f}" for name, value in rates.items())
    return [
        Row("iteration of PPO on turns, turns/s", "–", text, compiled, None),
        Row("the same: compiled gradients against the faster of both", "≥ 1.5", f"{compiled / fastest:.2f}",
            compiled / fastest, compiled / fastest >= 1.5),
    ]  # fmt: skip


class _Compiled(TensorEvaluator):
    """The evaluator in PyTorch with ``torch.compile``."""

    def __init__(self, context: Context, size: int, device: str) -> None:
        super().__init__(context, size, device)
        self._compiled = torch.compile(turn_log_probs, dynamic=True)

    def log_probs(self, module: TurnModule, rows: TurnRows) -> TurnLogProbs:
        """See `TensorEvaluator.log_probs`."""
        return self._compiled(module, self.board, make_batch(self.inputs, rows))


def bench_training(quick: bool) -> list[Row]:
    """Measure the games per second of a generation of 8 candidates, in one thread and in two."""
    units, repeats = (40, 3) if quick else (200, 7)

    def rate(jobs: int) -> float:
        duels = Duels("world", jobs=jobs)
        start = time.perf_counter()
        scores = duels.scores([THESIS] * 8, [THESIS], units, 1)
        return scores.size / (time.perf_counter() - start)

    rate(1)
    with temporary_folder() as folder:
        library = build_c_loop(Path(folder))
        functions = {"one": lambda: rate(1), "two": lambda: rate(2)}
        if library is not None:
            functions["c one"] = lambda: c_processes(library, 1, SPIN)
            functions["c two"] = lambda: c_processes(library, 2, SPIN)
        rates = interleaved(functions, repeats)
    base = rates["one"]
    rows = [Row("one-ply players against each other, world, one thread", "–", f"{base:,.0f} games/s", base, None)]
    if "c one" in rates:
        machine, speedup = rates["c two"] / rates["c one"], rates["two"] / base
        text = f"{speedup / machine:.3f} ({speedup:.2f} × against {machine:.2f} ×)"
        label = "evolution in two threads: share of two C processes"
        rows.append(Row(label, "≥ 0.93", text, speedup / machine, speedup / machine >= 0.93))
    return rows
