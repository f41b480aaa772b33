"""Visibility: all functions that report a player's view of a round give the same result."""

from __future__ import annotations

import json

import pytest

from helpers import make_map, position
from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.arena import play_game
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.record import MemoryRecorder
from warlight_env.record.encode import log_lines
from warlight_env.record.replay import result_of
from warlight_env.web.documents.fog_filter import FogFilter


class Watching:
    """An agent that keeps what it was told of each round."""

    def __init__(self, seed: int) -> None:
        self.agent, self.name, self.told = make_agent("aggressive", seed), "watching", {}

    def pick(self, view):
        return self.agent.pick(view)

    def act(self, view, budget=None):
        if view.round:
            self.told[view.round] = view.last_round
        return self.agent.act(view, budget)


@pytest.mark.parametrize(("rules", "players"), [("challenge1", 2), ("thesis", 3)])
def test_a_replay_and_the_page_tell_what_the_bot_knew(rules, players):
    moments = 0
    for seed in range(3):
        agents, memory = [Watching(seed + p) for p in range(players)], MemoryRecorder()
        play_game(
            agents, "world", rules=Rules.of(rules, fog=True), seed=seed, picks="agents", max_rounds=25, observer=memory
        )
        log = memory.log
        lines = [json.loads(line) for line in log_lines(log)]
        for seat, agent in enumerate(agents):
            eyes = FogFilter(log.header.map, log.header.rules, players, seat)
            shown = {
                event["round"]: event for event in map(eyes.filter, lines[1:]) if event and event["event"] == "round"
            }
            assert agent.told
            for number, told in agent.told.items():
                result = result_of(log, number)
                assert result.seen_by(seat) == told
                assert [row[:4] for row in shown[number]["moves"]] == [
                    [e.player, e.source, e.target, e.armies] for e in told.events
                ]
                assert sorted(map(tuple, shown[number]["deploys"])) == sorted(
                    (d.player, d.region, d.armies) for d in told.deploys
                )
                moments += any(e.captured and e.player == seat for e in told.events)
    assert moments > 5


def test_what_is_seen_from_a_region_that_was_held_for_a_moment_is_known():
    """Player 0 takes R1 from R0 and loses it at once; beside R1 lies R2, which it sees neither before nor after."""
    line = make_map([0, 0, 0, 1, 1], [(r, r + 1) for r in range(4)], [1, 1])
    game = position(Game(line, Rules.of("thesis", picks=1, fog=True)), [0, -1, 1, 1, 1], [50, 1, 500, 9, 9])
    result = game.play_round({0: Orders([], [(0, 1, 49)]), 1: Orders([], [(3, 2, 8), (4, 3, 8), (2, 1, 499)])})
    assert game.owner.tolist() == [0, 1, 1, 1, 1]
    for told in (result.seen_by(0), game.view(0).last_round):
        assert sorted((e.source, e.target) for e in told.events) == [(0, 1), (2, 1), (3, 2)], "not (4, 3)"
