"""Rollouts of the turn network as tensors: samples, games and PPO are compared with compiled code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from device_rollouts import compare

from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.turn_record import make_turn_network
from warlight_env.agents.turn_net.turn_network_file import load_turn_network
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.engine.rules import Rules
from warlight_env.envs import EnvCore
from warlight_env.errors import InputError
from warlight_env.maps import load
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.game_configs import GameConfig
from warlight_env.train.common.journal import Journal
from warlight_env.train.turn_net.batches import plain_turns
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.evaluators import CompiledEvaluator, TensorEvaluator
from warlight_env.train.turn_net.module import TurnModule, board_tensors
from warlight_env.train.turn_net.turn_inputs import NetworkPositions
from warlight_env.train.turn_net.turn_sampler import draw_turns
from warlight_env.train.turn_ppo.opponents import opponent_bot, opponent_context
from warlight_env.train.turn_ppo.rollouts import Rollouts
from warlight_env.train.turn_ppo.run import TurnPpoRun, _TensorGames
from warlight_env.train.turn_ppo.settings import TurnPpoSettings
from warlight_env.train.turn_ppo.tensor_rollouts import TensorRollouts

POSITIONS = 24
TINY = TurnPpoSettings(
    layers=3, iterations=2, n_envs=8, n_steps=24, batch_size=64, n_epochs=2, snapshot_interval=1, max_snapshots=2,
    eval_interval=2, eval_pairs=1, maps=("small",), opponents=("aggressive", "policy:world"), critic="own",
    eval_opponents=("random",), holdout=(), holdout_pairs=1, max_rounds=20,
    conditions=Conditions("small", max_rounds=40), threads=1,
)  # fmt: skip


class TensorCase:
    """Positions from games of random actions, and the bundled network."""

    def __init__(self, map_name: str = "world", players: int = 2) -> None:
        core = EnvCore(map_name, batch=POSITIONS, players=players, picking="random")
        core.reset(range(POSITIONS))
        random = np.random.default_rng(1)
        for _ in range(5):
            core.step(random.integers(0, core.limits, (POSITIONS, players, core.row_size)))
        self.core, self.players = core, players
        self.config = GameConfig(load(map_name), Rules.of("thesis"), players)
        self.context = make_context(core.board, core.params, players, PLANNING)
        self.module = TurnModule(torch.Generator().manual_seed(1))
        network = load_turn_network("learned")
        assert network is not None
        self.module.copy_network(network)
        self.board = board_tensors(core.board)
        self.player = np.arange(POSITIONS, dtype=np.int64) % players

    def positions(self, index: Any = slice(None)) -> NetworkPositions:
        state = self.core.state
        arrays = state.owner[index], state.army[index], state.round[index], self.player[index]
        return NetworkPositions(*(torch.from_numpy(array.copy()) for array in arrays))

    def inputs(self, size: int = POSITIONS) -> TurnInputs:
        return TurnInputs(self.context, size, "cpu")


def test_rollouts_in_self_play_agree_with_compiled_code():
    largest_error, ended = compare("cpu", 32, 20)
    assert largest_error < 1e-3 and ended > 5


@pytest.mark.parametrize(("map_name", "players"), [("world", 2), ("small", 3)])
def test_sampled_turns_have_the_probabilities_of_compiled_code(map_name, players):
    setting = TensorCase(map_name, players)
    with torch.no_grad():
        samples = draw_turns(
            setting.module, setting.board, setting.inputs(), setting.positions(), players,
            torch.Generator().manual_seed(2),
        )  # fmt: skip
        state = setting.core.state
        results = np.zeros((POSITIONS, players), np.float32)
        rows = plain_turns(state.owner, state.army, state.round, setting.player, samples.rows.numpy(), results)
        expected = CompiledEvaluator(setting.context, 1).log_probs(setting.module, rows)
        again = TensorEvaluator(setting.context, POSITIONS, "cpu").log_probs(setting.module, rows.tensors())
    alive = (torch.from_numpy(state.owner) == torch.from_numpy(setting.player)[:, None]).any(1)
    assert alive.sum() > POSITIONS // 2
    torch.testing.assert_close(samples.log_probs[alive], expected.turn[alive], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(samples.scores, expected.scores, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(again.turn, expected.turn, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(again.entropy, expected.entropy, atol=1e-4, rtol=1e-4)


def test_samples_have_the_same_frequencies_as_in_compiled_code():
    setting, count = TensorCase("small"), 3000
    network = make_turn_network(setting.module.arrays())
    context = make_context(setting.core.board, setting.core.params, 2, PLANNING, turns=network)
    n, e = setting.core.board.n_regions, setting.core.board.n_edges
    work, random = make_generator_work(n, e, 2), make_rng(5)
    state = setting.core.state
    position = Position(state.owner[3].copy(), state.army[3].copy(), state.round[3:4].copy())
    deploy, attacks = np.zeros(n, np.int32), np.zeros((e, 3), np.int32)
    rows = []
    for _ in range(count):
        network_turn(context, position, int(setting.player[3]), 1.0, random, work, deploy, attacks)
        rows.append(work.net.row.copy())
    index = np.full(count, 3)
    with torch.no_grad():
        samples = draw_turns(
            setting.module, setting.board, setting.inputs(count), setting.positions(index), 2,
            torch.Generator().manual_seed(7),
        )  # fmt: skip
    for value in range(5):
        ours = (samples.rows.numpy() == value).mean(0)
        theirs = (np.array(rows) == value).mean(0)
        spread = np.sqrt(np.maximum(theirs * (1 - theirs), 1 / count) * 2 / count)
        assert (np.abs(ours - theirs) < 5 * spread).all(), value
    assert len(np.unique(samples.rows.numpy(), axis=0)) > 5


def rollouts_of(setting: TensorCase, games: int, rounds: int, max_rounds: int) -> TensorRollouts:
    bots = [opponent_bot(setting.config, name) for name in ("aggressive", "plan")]
    inputs = setting.inputs(games)
    return TensorRollouts(setting.config, games, rounds, max_rounds, bots, "cpu", inputs, setting.board)


def test_the_network_wins_as_often_as_in_compiled_rollouts():
    setting, games = TensorCase("small"), 240
    opponent_of_game = np.arange(games) % 2
    ours = rollouts_of(setting, games, 24, 30).play(setting.module, [], opponent_of_game, 5)
    network = make_turn_network(setting.module.arrays())
    context = make_context(setting.core.board, setting.core.params, 2, PLANNING, turns=network)
    opponents = [opponent_context(setting.config, name) for name in ("aggressive", "plan")]
    theirs = Rollouts(setting.config, games, 24, 30, 1).play(context, opponents, opponent_of_game, 6, True)
    for number in range(2):
        chosen = opponent_of_game == number
        ended = np.array([int(ours.done[chosen].sum()), int(theirs.done[chosen].sum())])
        won = np.array([int(ours.won[chosen].sum()), int(theirs.won[chosen].sum())])
        shares, rate = won / ended, won.sum() / ended.sum()
        assert abs(shares[0] - shares[1]) < 4.5 * np.sqrt(max(rate * (1 - rate), 0.01) * (1 / ended).sum())
        assert abs(ended[0] - ended[1]) < 0.25 * ended.sum()
    assert abs(float(ours.values.mean()) - float(theirs.values.mean())) < 0.03


def test_rewards_are_given_at_the_ends_of_games():
    setting, games = TensorCase("small"), 60
    rollout = rollouts_of(setting, games, 16, 6).play(setting.module, [setting.module], np.arange(games) % 3, 1)
    done, wins, reward = rollout.done, rollout.won, rollout.reward
    assert wins.any() and (done & ~wins).any()
    assert (reward[wins] == 1).all() and (reward[~done] == 0).all()
    late = done & (rollout.round == 5)  # the games are truncated after six rounds
    assert late.any() and ((reward[late & ~wins] > 0) & (reward[late & ~wins] < 1)).all()
    assert (rollout.round[:, 1:] == torch.where(done[:, :-1], 0, rollout.round[:, :-1] + 1)).all()
    assert (rollout.player == torch.arange(games)[:, None] % 2).all()


class TensorRun(TurnPpoRun):
    """A run with rollouts as tensors on the CPU."""

    def _games_of(self, number: int) -> Any:
        if number not in self._games:
            self._games[number] = _TensorGames(self.settings, self.configs[number], "cpu")
        return self._games[number]


def test_a_run_with_tensors_is_reproducible(tmp_path):
    contents = []
    for name in ("first", "second"):
        with Journal(tmp_path / name, TINY.to_dict()) as journal:
            contents.append(TensorRun(TINY, journal).run())
    assert contents[0] == contents[1]


def test_a_device_requires_the_network_as_its_own_critic(tmp_path):
    settings = replace(TINY, critic="learned")
    with Journal(tmp_path / "run", settings.to_dict()) as journal, pytest.raises(InputError) as error:
        TurnPpoRun(settings, journal, device="meta")
    assert "critic = " in str(error.value) and "it must be 'own'" in str(error.value)
