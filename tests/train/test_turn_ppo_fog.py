"""PPO of complete turns under fog and with picks: trainer and agent observe, pick and play alike."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
import torch

from warlight_env.agents import make_agent
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.turn_record import FIRST_MEMORY, make_turn_network, ranks_offers, reads_memory
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.turn_network_file import read_turn_network
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.game_configs import GameConfig, read_map
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.settings_file import read_settings
from warlight_env.train.turn_net.batches import CHOSEN, OFFERED
from warlight_env.train.turn_net.evaluators import CompiledEvaluator
from warlight_env.train.turn_net.module import TurnModule
from warlight_env.train.turn_ppo.opponents import opponent_context
from warlight_env.train.turn_ppo.rollout_record import rows_of
from warlight_env.train.turn_ppo.rollouts import Rollouts
from warlight_env.train.turn_ppo.run import TurnPpoRun
from warlight_env.train.turn_ppo.settings import TurnPpoSettings
from warlight_env.train.turn_ppo.update import TurnLearner

TINY = TurnPpoSettings(
    iterations=2, n_envs=8, n_steps=24, batch_size=64, n_epochs=1, snapshot_interval=1, max_snapshots=1,
    eval_interval=2, eval_pairs=1, maps=("small",), rules=("thesis", "challenge1", "challenge2"), fog="rules",
    picks="network", critic="own", opponents=("rush", "turtle", "expand"), eval_opponents=("random",), holdout_pairs=1,
    holdout=(), conditions=Conditions("small", "challenge1", picks="agents", max_rounds=40), threads=1,
)  # fmt: skip
SEED = 11


def random_module(seed=2):
    """Return a network with random weights for all features and for picks."""
    module = TurnModule(torch.Generator().manual_seed(seed))
    with torch.no_grad():
        module.pick += 0.5 * torch.randn(module.pick.shape, generator=torch.Generator().manual_seed(seed + 1))
    return module


class FogCase:
    """Rollouts of a network against itself, or against bots, under fog."""

    def __init__(self, rules, players=2, map_name="small", picks="network", fog=True):
        self.config = GameConfig(read_map(map_name), Rules.of(rules, fog=fog), players)
        self.picks, self.module = picks, random_module()
        self.network = make_turn_network(self.module.arrays())
        board, params = self.config.board, self.config.params
        self.itself = make_context(
            board, params, players, PLANNING, functions=Functions(policy=sampled_turn), turns=self.network
        )  # fmt: skip
        self.turns = CompiledEvaluator(self.itself, 1)

    def play(self, games=4, rounds=40, opponent=None, max_rounds=200):
        contexts = [self.itself if opponent is None else opponent_context(self.config, opponent)]
        rollouts = Rollouts(self.config, games, rounds, max_rounds, 1, self.picks)
        return rollouts.play(self.itself, contexts, np.zeros(games, np.int64), SEED, True)

    def log_probs(self, out):
        with torch.no_grad():
            return self.turns.log_probs(self.module, rows_of(out, self.config.players))


@pytest.mark.parametrize(("rules", "map_name", "players"), [
    ("challenge1", "small", 2), ("challenge1", "world", 2), ("challenge2", "small", 2), ("challenge2", "world", 3),
    ("thesis", "small", 3),
])  # fmt: skip
def test_an_agent_observes_picks_and_plays_like_the_trainer(rules, map_name, players, monkeypatch):
    """Compare features, choices and log-probabilities of the learner's seat in one game with equal random numbers."""
    setting = FogCase(rules, players, map_name)
    b = 1
    out = setting.play(games=b + 1, rounds=60)
    player = b % players
    monkeypatch.setattr("warlight_env.game.derive_seed", lambda seed: derive_seed(SEED, b))
    game = Game(map_name, setting.config.rules, players, seed=0)
    agents = [TurnNetAgent(setting.network, temperature=1.0) for p in range(players)]
    for p, agent in enumerate(agents):
        agent.rng[:] = make_rng(derive_seed(SEED, b, p))
    t, hidden, moved = 0, 0, 0
    while game.phase == "pick":
        picks = {p: agents[p].pick(game.view(p)) for p in game.pickers()}
        for region in picks.get(player, ()):
            assert out.picking[b, t] and out.row[b, t, region] == CHOSEN
            assert set(np.flatnonzero(out.row[b, t])) <= set(game.offers(player))
            t += 1
        game.pick(picks)
        agents = pickle.loads(pickle.dumps(agents))  # the copy keeps its memory, with other objects for map and board
    assert t >= 2, "start regions are chosen one after another"
    while game.phase == "play" and t < 60:
        alive = [p for p in range(players) if (game.owner == p).any()]
        assert not out.picking[b, t] and out.round[b, t] == game.round
        orders = {p: agents[p].act(game.view(p)) for p in alive}
        net = agents[player]._work.net
        assert np.array_equal(out.memory[b, t], net.nodes[:, FIRST_MEMORY:])
        assert np.array_equal(out.row[b, t], net.row[: out.row.shape[2]])
        assert out.log_probs[b, t] == np.float32(net.log_prob[0])
        hidden, moved = hidden + net.memory[:, 0].sum(), moved + net.memory[:, 2].sum()
        game.play_round(orders)
        agents = pickle.loads(pickle.dumps(agents))
        t += 1
        if not (game.owner == player).any():
            break
    assert t > 15 and hidden > 0 and moved > 0
    assert t == 60 or out.done[b, t - 1]


def test_log_probabilities_of_the_update_equal_those_of_the_rollout():
    for rules in ("challenge1", "challenge2"):
        setting = FogCase(rules, 3, "world")
        out = setting.play()
        outputs = setting.log_probs(out)
        assert out.picking.any() and out.memory.any() and not out.memory[out.picking].any()
        assert out.log_probs.reshape(-1) == pytest.approx(outputs.turn.numpy(), rel=1e-4, abs=1e-4)
        values = torch.softmax(outputs.scores, 1).gather(1, torch.from_numpy(out.player.reshape(-1, 1)))[:, 0]
        assert out.values[:, :-1].reshape(-1) == pytest.approx(values.numpy(), abs=1e-5)


@pytest.mark.parametrize("picks", ["random", "weights", "network", "varied"])
def test_games_start_with_picks(picks):
    setting = FogCase("challenge1", picks=picks)
    out = setting.play(games=6, rounds=12, opponent="aggressive")
    assert out.picking.any() == (picks in ("network", "varied"))
    first = out.picking.argmin(axis=1)
    own = out.owner == out.player[..., None]
    for b, t in enumerate(first):
        assert t == (setting.config.params.ranked if picks in ("network", "varied") else 0)
        assert out.round[b, t] == 0 and own[b, t].sum() == 3
        offers = (out.row[b, :t] == OFFERED).sum(axis=1).tolist()
        assert offers == list(range(7, 7 - t, -1)) and own[b, :t].sum(axis=1).tolist() == list(range(t))
    assert not out.reward[out.picking].any() and not out.done[out.picking].any()


def test_opponents_get_random_regions_in_half_of_the_varied_games():
    """Without fog, the input of the first turn contains the regions of all players."""
    games, rows, opponents = 200, {}, {}
    for picks in ("network", "varied"):
        out = FogCase("challenge1", map_name="world", picks=picks, fog=False).play(games, 14, "aggressive")
        at = np.arange(games), out.picking.argmin(axis=1)
        rows[picks], opponents[picks] = out.row[:, : at[1].min()], out.owner[at] == 1 - out.player[at][:, None]
    assert (rows["network"] == rows["varied"]).all()  # the learner makes the same choices
    same = (opponents["network"] == opponents["varied"]).all(axis=1).sum()
    # Random regions are rarely the preferred ones.
    assert scipy.stats.binomtest(int(same), games, 0.5).pvalue > 1e-4


def test_winning_picks_become_likelier():
    setting = FogCase("challenge2")
    out = setting.play(games=32, rounds=16)
    chosen = np.where(out.picking, (out.row == CHOSEN).argmax(axis=2), -1)
    good = chosen < np.median(chosen[out.picking])
    out.done[:], out.reward[:], out.values[:] = True, np.where(out.picking, good, 0.5), 0.5
    before = setting.log_probs(out).turn.numpy().reshape(good.shape)
    settings = replace(TINY, n_envs=32, n_steps=16, batch_size=256, n_epochs=4, target_kl=10.0)
    TurnLearner(settings, setting.module, "cpu").update(setting.turns, out, 3e-3, np.random.default_rng(1))
    change = setting.log_probs(out).turn.numpy().reshape(good.shape) - before
    assert change[out.picking & good].mean() > 0.02 > -0.02 > change[out.picking & ~good].mean()


def train(folder, settings=TINY, say=lambda entry: None):
    with Journal(folder, settings.to_dict()) as journal:
        return TurnPpoRun(settings, journal, say=say).run()


class StopHere(Exception):  # noqa: N818 -- as a kill
    pass


def test_a_killed_run_continues_and_its_policy_uses_memory_and_picks(tmp_path):
    def stop(entry):
        raise StopHere

    complete = train(tmp_path / "whole")
    with pytest.raises(StopHere):
        train(tmp_path / "parts", say=stop)
    assert train(tmp_path / "parts") == complete
    policy = read_turn_network(complete, "policy")
    assert reads_memory(policy.network) and ranks_offers(policy.network)
    file = tmp_path / "policy.npz"
    file.write_bytes(complete)
    agents, game = [make_agent(f"policy:{file}", p) for p in range(2)], Game("small", "challenge2", seed=3)
    while game.phase == "pick":
        game.pick({p: agents[p].pick(game.view(p)) for p in game.pickers()})
    game.play_round([agent.act(game.view(p)) for p, agent in enumerate(agents)])


def test_a_policy_trained_without_fog_and_picks_ignores_memory_and_offers(tmp_path):
    policy = read_turn_network(train(tmp_path, replace(TINY, fog="never", picks="random", iterations=1)), "policy")
    assert not reads_memory(policy.network) and not ranks_offers(policy.network)


@pytest.mark.parametrize(("changes", "says"), [
    ({"fog": "rules", "picks": "random"}, "fog = 'rules': on the device 'meta' it must be 'never'"),
    ({"fog": "never", "picks": "weights"}, "picks = 'weights': on the device 'meta' it must be 'random'"),
])  # fmt: skip
def test_other_devices_refuse_fog_and_picks(changes, says, tmp_path):
    settings = replace(TINY, **changes)
    with Journal(tmp_path, settings.to_dict()) as journal, pytest.raises(InputError, match=says):
        TurnPpoRun(settings, journal, device="meta")


@pytest.mark.parametrize("changes", [{"fog": "sometimes"}, {"picks": "best"}])
def test_unknown_values_are_refused(changes):
    with pytest.raises(InputError, match=f"{next(iter(changes))}.*{next(iter(changes.values()))}"):
        read_settings(TurnPpoSettings, {**TINY.to_dict(), **changes}, "settings")
