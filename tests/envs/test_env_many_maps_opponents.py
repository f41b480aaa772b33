"""Opponents and rewards on many maps: their views, their errors, and agents of maps without games."""

from __future__ import annotations

import functools
import gc
import weakref
from typing import Any, ClassVar

import numpy as np
import pytest

import warlight_env.envs  # noqa: F401 -- registers the ids
from env_helpers import ROOM, SETS, BreakingReward, equal, plays_like
from warlight_env import Orders
from warlight_env.agents import make_agent
from warlight_env.envs import (
    OpponentPool,
    WarlightMapsEnv,
    WarlightMapsVectorEnv,
    WarlightVectorEnv,
)
from warlight_env.errors import InputError


class RaisesOnce:
    """An agent without orders; its first turn in the third round raises an error."""

    name = "raises once"
    left = 0

    def __init__(self, seed):
        pass

    def pick(self, view):
        return list(view.offers)

    def act(self, view):
        if view.round == 2 and RaisesOnce.left:
            RaisesOnce.left -= 1
            raise RuntimeError("mine")
        return Orders()


def test_opponent_error_undoes_the_step_on_all_maps(monkeypatch):
    """This includes maps with compiled bots only, which had drawn from their generators."""

    def play(times):
        monkeypatch.setattr(RaisesOnce, "left", times)
        pool = OpponentPool({"smart_random": 1.0})
        pool.add("raises", RaisesOnce)
        env = WarlightMapsVectorEnv(8, map=SETS, map_limits=ROOM, action="factored", opponent=pool, picking="random")
        env.reset(seed=2)
        rng, seen = np.random.default_rng(0), []
        for step in range(6):
            actions = rng.integers(0, 5, env.action_space.shape)
            if step == 2 and times:
                with pytest.raises(RuntimeError, match="mine"):
                    env.step(np.zeros(env.action_space.shape, np.int64))
            seen.append(env.step(actions)[0]["nodes"])
        assert RaisesOnce.left == 0
        return seen

    assert equal(play(1), play(0))


def test_games_need_a_reset_after_their_opponent_failed_to_start():
    broken = []

    def make(seed):
        if broken:
            raise RuntimeError("not today")
        return make_agent("random", seed)

    env, other = (WarlightMapsVectorEnv(3, map=SETS, action="strategies", opponent=make) for _ in range(2))
    for each in (env, other):
        each.reset(seed=1)
    broken.append(True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="not today"):
            env.reset(seed=2, options={"reset_mask": np.array([True, False, True])})
        with pytest.raises(ValueError, match="call reset"):
            env.step(np.zeros(3, np.int64))
    broken.clear()
    mask = np.array([True, False, True])
    for each in (env, other):
        each.reset(seed=[3, None, 4], options={"reset_mask": mask})
    plays_like(env, other)


class Onlooker:
    """An agent that records the last round in its views."""

    told: ClassVar[list] = []
    name = "onlooker"

    def __init__(self, seed):
        pass

    def pick(self, view):
        return list(view.offers)

    def act(self, view):
        last = view.last_round
        self.told.append((view.map.name, view.round, view.starts is None, last and (last.round, len(last.events))))
        return Orders()


@pytest.mark.parametrize("make", [WarlightVectorEnv, WarlightMapsVectorEnv])
def test_reward_error_does_not_change_the_history_of_opponents(make):
    """The step is repeated; opponents see the same history as without the error."""

    def record_views(times: int):
        pay = BreakingReward(times)
        maps_of = ["generated:12:1", "generated:14:2"]
        map_setting = maps_of if make is WarlightMapsVectorEnv else maps_of[0]
        env = make(4, map=map_setting, opponent=Onlooker, reward=pay, picking="random", action="factored")
        env.reset(seed=3)
        nothing = np.zeros(env.action_space.shape, np.int64)
        Onlooker.told.clear()
        for _ in range(5):
            before = len(Onlooker.told)
            try:
                env.step(nothing)
            except RuntimeError:
                del Onlooker.told[before:]
                env.step(nothing)
        assert pay.left == 0
        return list(Onlooker.told)

    assert record_views(1) == record_views(0)


def test_history_is_recorded_only_while_opponents_need_views():
    env = WarlightMapsVectorEnv(4, map=SETS, map_limits=ROOM, opponent=Onlooker, max_cycles=3)
    env.reset(seed=1)
    cores = [env.episodes.core_of(b)[0] for b in range(4)]
    assert all(core.records_history for core in cores)
    env.set_opponent("random")
    nothing = np.zeros(env.action_space.shape, np.int64)
    for _ in range(9):
        env.step(nothing)
    assert not any(env.episodes.core_of(b)[0].records_history for b in range(4))


def share(before, after, paid):
    """Each player's share of all players' armies."""
    out = np.zeros(paid.shape)
    for b in range(paid.shape[0]):
        for p in range(paid.shape[1]):
            out[b, p] = after.army[b][after.owner[b] == p].sum() / after.army[b][after.owner[b] >= 0].sum()
    return out


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("compiled", [True, False])
def test_custom_reward_is_computed_for_games_in_play_only(compiled):
    settings = {"map": ["small", "world"], "action": "strategies", "max_cycles": 5}
    reward = share if compiled else functools.partial(share)
    env, plain = WarlightMapsVectorEnv(4, reward=reward, **settings), WarlightMapsVectorEnv(4, **settings)
    for each in (env, plain):
        each.reset(seed=1)
    for _ in range(20):
        _, rewards, terminated, truncated, _ = env.step(np.zeros(4, np.int64))
        _, _, *ends, _ = plain.step(np.zeros(4, np.int64))
        np.testing.assert_array_equal((terminated, truncated), ends)
        for b, (core, c) in enumerate(map(env.episodes.core_of, range(4))):
            if core.out.cycles[c]:
                army, owner = core.state.army[c], core.state.owner[c]
                mine = army[owner == env.episodes.learner[b]].sum()
                assert rewards[b] == pytest.approx(mine / army[owner >= 0].sum())


def test_custom_reward_error_names_the_batch_index_of_the_game():
    def none_on_world(before, after, paid):
        if after.round.max() == 0 or after.owner.shape[1] < 42 or len(paid) == 1:
            return paid + 0.0
        return paid + np.where(np.arange(len(paid)) == len(paid) - 1, np.nan, 0.0)[:, None]

    env = WarlightMapsVectorEnv(8, map=["small", "world"], action="strategies", reward=functools.partial(none_on_world))
    env.reset(seed=1)
    places = [env.episodes.core_of(b) for b in range(8)]
    last = max((c, b) for b, (core, c) in enumerate(places) if core.map.name == "world" and core.batch > 1)[1]
    with pytest.raises(InputError, match=f"nan for player . of game {last}"):
        env.step(np.zeros(8, np.int64))


class Silent:
    """An agent that plays nothing; `alive` contains all agents of this class that are in memory."""

    name = "silent"
    alive: ClassVar[weakref.WeakSet[Any]] = weakref.WeakSet()

    def __init__(self, seed):
        self.alive.add(self)

    def pick(self, view):
        return list(view.offers)

    def act(self, view):
        return Orders()


@pytest.mark.parametrize("opponent", ["random", ["random", Silent]])
def test_views_include_the_last_round_on_all_maps_after_the_first_view(opponent):
    arguments = {"players": 3} if isinstance(opponent, list) else {}
    env = WarlightMapsEnv(["small", "world"], action="strategies", opponent=opponent, **arguments)
    env.reset(seed=1, options={"map": "small"})
    assert env.view().last_round is None
    for name in ("world", "small"):
        env.reset(options={"map": name})
        env.step(0)
        assert env.view().last_round is not None


def test_views_include_the_last_round_in_games_that_move_to_a_map_later():
    env = WarlightMapsVectorEnv(3, map=["small", "world"], action="strategies")
    env.reset(seed=1, options={"map": "world"})
    env.reset(options={"map": "small", "reset_mask": np.array([True, False, False])})
    env.episodes.view(0)
    env.reset(options={"map": "small", "reset_mask": np.array([False, True, False])})
    env.step(np.zeros(3, np.int64))
    assert all(env.episodes.view(b).last_round is not None for b in range(3))


def test_agents_of_maps_without_games_are_removed():
    env = WarlightMapsVectorEnv(4, map=["small"], map_limits=(42, 164), action="strategies", opponent=Silent)
    env.reset(seed=1)
    env.step(np.zeros(4, np.int64))
    gc.collect()
    assert len(Silent.alive) == 4
    env.set_opponent("aggressive")
    env.set_maps(["world"])
    env.reset()
    gc.collect()
    assert len(Silent.alive) == 0
    other = WarlightMapsVectorEnv(4, map=["world"], map_limits=(42, 164), action="strategies", opponent="aggressive")
    env.reset(seed=5)
    other.reset(seed=5)
    plays_like(env, other)
    env.set_maps(["small"])
    env.set_opponent(Silent)
    env.reset(seed=1)
    env.step(np.zeros(4, np.int64))
    assert len(Silent.alive) == 4
