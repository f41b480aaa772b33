"""Policies as agents: observations and actions equal those of the environment."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from warlight_env.arena.games.game_loop import play_game
from warlight_env.arena.policies.policy_agent import PolicyAgent
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.envs.core import EnvCore
from warlight_env.envs.observation_spaces import observation as observed


def flat(observations):
    parts = observations.values() if isinstance(observations, dict) else [observations]
    return np.concatenate([np.asarray(part, dtype=np.float64).reshape(1, -1) for part in parts], axis=1)


class Recorder:
    """A deterministic policy: it stores observations and samples a masked action with a seed from their hash."""

    def __init__(self, core):
        self.seen, self.core = [], core

    def __call__(self, observations, masks):
        self.seen.append((flat(observations), masks.copy()))
        rng = np.random.default_rng(zlib.crc32(flat(observations).tobytes()))
        space = self.core.encoding.space
        shaped = self.core.encoding.shape_mask(masks[0]) if self.core.encoding.mask_size else None
        space.seed(int(rng.integers(2**31)))
        return np.asarray(space.sample(shaped))[None]


@pytest.mark.parametrize("action", ["steps", "factored", "continuous", "strategies"])
@pytest.mark.parametrize(
    "observation, rules, picking",
    [("flat", "thesis", "random"), ("graph", {"fog": True}, "play"), ("raw", "challenge2", "play")],
)
def test_observations_and_orders_equal_those_of_the_environment(action, observation, rules, picking):
    """The test compares the agents with an environment that has both players in slots, step by step."""
    core = EnvCore("small", rules, 2, action=action, observation=observation, picking=picking, max_cycles=3000)
    core.reset([5])
    ours = [Recorder(core) for _ in range(2)]
    agents = [
        PolicyAgent(policy, action=action, observation=observation, max_cycles=3000, name=str(p))
        for p, policy in enumerate(ours)
    ]
    rounds = 0
    while core.out.live[0].all() and rounds < 12:
        theirs = [Recorder(core) for _ in range(2)]
        for recorder in ours:
            recorder.seen.clear()
        for agent in agents:
            agent._steps = int(core.out.cycles[0])
        views = [core.view(p) for p in range(2)]
        steps = [0, 0]
        while True:
            waiting = [p for p in range(2) if core.turns.status[0, p, 2] == 0]
            first = int(core.out.cycles[0])
            rows, acting = np.zeros((1, 2, core.row_size), dtype=np.int64), np.zeros((1, 2), dtype=np.int8)
            for p in waiting:
                core.refresh_observations()
                game = np.zeros(1, dtype=np.int64)
                actions = theirs[p](observed(core, p, game), core.flat_masks(p, game))
                core.read_rows(actions, game, p, rows[:, p])
                acting[0, p] = 1
                steps[p] += 1
            core.submit_actions(rows, None, acting)
            done = all(core.turns.status[0, p, 2] for p in range(2))
            if done:
                turns = [[array[0, p].copy() for array in core.turns] for p in range(2)]
                core.resolve()
                break
            core.out.cycles[0] = first + 1  # as the environment counts turns of several steps
        for p, view in enumerate(views):
            deploy, attacks, preferences, status = turns[p]
            if view.phase == "pick":
                if not view.offers:
                    continue
                assert agents[p].pick(view) == preferences[: status[0]].tolist()
            else:
                answer = agents[p].act(view)
                expected = Orders.from_arrays(deploy, attacks, int(status[0]))
                assert (answer.deploys, answer.attacks) == (expected.deploys, expected.attacks)
            assert len(ours[p].seen) == len(theirs[p].seen) == steps[p]
            for (mine, my_mask), (their, their_mask) in zip(ours[p].seen, theirs[p].seen, strict=True):
                np.testing.assert_allclose(mine, their, atol=1e-7)
                assert (my_mask == their_mask).all()
        rounds += 1
    assert rounds >= 3


def test_a_policy_agent_plays_a_game_without_illegal_orders():
    core = EnvCore("small", "thesis", 2, action="strategies")
    agents = [PolicyAgent(Recorder(core), action="strategies", name=f"p{p}") for p in range(2)]
    record = play_game(agents, "small", Rules(), 3, max_rounds=80)
    assert record.rounds > 3 and record.dropped == (0, 0)


def test_a_policy_with_reseed_gets_a_seed_for_every_step():
    seeds = []

    def policy(observations, masks):
        return np.zeros(1, dtype=np.int64)

    policy.reseed = seeds.append
    core = EnvCore("small", "thesis", 2, picking="random")
    core.reset([1])
    view: View = core.view(0)
    agent = PolicyAgent(policy, 7, action="strategies")
    agent.act(view)
    agent.act(view)
    assert seeds == [derive_seed(7, 0), derive_seed(7, 1)]
