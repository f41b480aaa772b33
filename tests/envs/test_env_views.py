"""Agents in an environment receive the same views as in a match of the same game."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import warlight_env.envs  # noqa: F401  registers the environments
from warlight_env import Game, Rules
from warlight_env.agents import make_agent
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View
from warlight_env.envs import WarlightParallelEnv


class Recording:
    """An agent that records its views and turns; every other turn has one illegal order."""

    name = "keeping"
    asked: list[tuple[View, Any]] = []  # noqa: RUF012  shared by all agents

    def __init__(self, seed: int = 0) -> None:
        self.agent = make_agent("aggressive", seed)

    def pick(self, view: View) -> list[int]:
        self.asked.append((view, self.agent.pick(view)))
        return self.asked[-1][1]

    def act(self, view: View, budget: Any = None) -> Orders:
        orders = self.agent.act(view)
        if view.round % 2:
            orders = Orders([*orders.deploys, (int(np.flatnonzero(view.owner != view.player)[0]), 1)], orders.attacks)
        self.asked.append((view, orders))
        return orders


def changing_parts(view: View) -> dict[str, Any]:
    """The parts of a view that change during a game."""
    plain = {name: getattr(view, name) for name in ("player", "phase", "round", "income", "offers", "picks_left")}
    history = {"starts": view.starts, "last_round": view.last_round}
    return {**plain, **history, "owner": view.owner.tolist(), "army": view.army.tolist()}


@pytest.mark.parametrize(
    ("rules", "fog", "players", "picking"),
    [
        ("challenge2", True, 2, "play"), ("challenge2", True, 2, "random"), ("challenge1", True, 2, "play"),
        ("thesis", True, 3, "random"), ("thesis", False, 3, "play"),
    ],
)  # fmt: skip
def test_agent_receives_the_same_views_as_in_a_match(rules, fog, players, picking):
    env: Any = gymnasium.make(
        "warlight/Warlight-v0", rules=Rules.of(rules, fog=fog), players=players, picking=picking, opponent=Recording,
        action="factored", max_cycles=20,
    ).unwrapped  # fmt: skip
    env.action_space.seed(1)
    events = dropped = 0
    for seed in range(2):
        info = env.reset(seed=seed)[1]
        game = Game("world", env.episodes.core.rules, players, int(env.episodes.seeds[0]), picking)
        learner, ended = int(env.episodes.learner[0]), False
        while not ended:
            Recording.asked.clear()
            mine, action = env.view(), env.action_space.sample(info["action_mask"])
            turns = {learner: env.episodes.core.encoding.decode(mine, action)}
            assert changing_parts(mine) == changing_parts(game.view(learner))
            *_, terminated, truncated, info = env.step(action)
            for view, answer in Recording.asked:
                assert changing_parts(view) == changing_parts(game.view(view.player))
                turns[view.player] = answer
                if view.last_round is not None:
                    events += len(view.last_round.events)
                    dropped += len(view.last_round.dropped)
            if game.phase == "pick":
                game.pick({p: turns[p] for p in game.pickers()}, on_illegal="skip")
            else:
                game.play_round(turns, on_illegal="skip")
            ended = terminated or truncated
    assert events > 50 and dropped > 3


class RecordingBelief(Recording):
    """The same with an agent that plays on belief states."""

    def __init__(self, seed: int = 0) -> None:
        self.agent = make_agent("belief:mcts:sims=5", 1)

    def act(self, view: View, budget: Any = None) -> Orders:
        self.asked.append((view, self.agent.act(view)))
        return self.asked[-1][1]


def test_belief_agent_plays_as_in_a_match():
    env: Any = gymnasium.make(
        "warlight/Warlight-v0", rules="challenge2", opponent=RecordingBelief, action="factored", max_cycles=20
    ).unwrapped
    env.action_space.seed(2)
    info, twin, ended = env.reset(seed=4)[1], make_agent("belief:mcts:sims=5", 1), False
    game, learner = Game("world", "challenge2", 2, int(env.episodes.seeds[0]), "random"), int(env.episodes.learner[0])
    while not ended:
        Recording.asked.clear()
        action = env.action_space.sample(info["action_mask"])
        turn = env.episodes.core.encoding.decode(game.view(learner), action)
        *_, terminated, truncated, info = env.step(action)
        ((_, orders),) = Recording.asked
        assert orders == twin.act(game.view(1 - learner))
        game.play_round({learner: turn, 1 - learner: orders})
        ended = terminated or truncated
    assert game.round > 8


def test_set_state_removes_the_last_round_from_views():
    env = WarlightParallelEnv("small", players=2, picking="random")
    observed, _ = env.reset(seed=1)
    assert env.view("player_0").last_round is None and env.view("player_0").starts is not None
    saved = env.get_state()
    for number in (1, 2):
        observed = env.step({a: env.action_space(a).sample(observed[a]["action_mask"]) for a in env.agents})[0]
        assert env.view("player_1").last_round.round == number
    twin = env.clone()
    assert twin.view("player_1").last_round == env.view("player_1").last_round
    env.set_state(saved)
    assert env.view("player_1").last_round is None
    assert twin.view("player_1").last_round.round == 2
