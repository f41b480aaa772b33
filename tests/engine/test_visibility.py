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


class RecordingAgent:
    """An agent that records the last round in its views, by round number."""

    def __init__(self, seed: int) -> None:
        self.agent, self.name, self.told = make_agent("aggressive", seed), "watching", {}

    def pick(self, view):
        return self.agent.pick(view)

    def act(self, view, budget=None):
        if view.round:
            self.told[view.round] = view.last_round
        return self.agent.act(view, budget)


@pytest.mark.parametrize(("rules", "players"), [("challenge1", 2), ("thesis", 3)])
def test_replay_and_page_show_the_same_events_as_the_view_of_a_bot(rules, players):
    captures = 0
    for seed in range(3):
        agents, memory = [RecordingAgent(seed + p) for p in range(players)], MemoryRecorder()
        play_game(
            agents, "world", rules=Rules.of(rules, fog=True), seed=seed, picks="agents", max_rounds=25, observer=memory
        )
        log = memory.log
        lines = [json.loads(line) for line in log_lines(log)]
        for seat, agent in enumerate(agents):
            fog_filter = FogFilter(log.header.map, log.header.rules, players, seat)
            page_events = {
                event["round"]: event
                for event in map(fog_filter.filter, lines[1:])
                if event and event["event"] == "round"
            }
            assert agent.told
            for number, last_round in agent.told.items():
                result = result_of(log, number)
                assert result.seen_by(seat) == last_round
                assert [row[:4] for row in page_events[number]["moves"]] == [
                    [e.player, e.source, e.target, e.armies] for e in last_round.events
                ]
                assert sorted(map(tuple, page_events[number]["deploys"])) == sorted(
                    (d.player, d.region, d.armies) for d in last_round.deploys
                )
                captures += any(e.captured and e.player == seat for e in last_round.events)
    assert captures > 5


def test_events_near_a_region_owned_only_within_the_round_are_visible():
    """Player 0 takes R1 and loses it in the same round; it sees R2, a neighbour of R1, only in between."""
    line = make_map([0, 0, 0, 1, 1], [(r, r + 1) for r in range(4)], [1, 1])
    game = position(Game(line, Rules.of("thesis", picks=1, fog=True)), [0, -1, 1, 1, 1], [50, 1, 500, 9, 9])
    result = game.play_round({0: Orders([], [(0, 1, 49)]), 1: Orders([], [(3, 2, 8), (4, 3, 8), (2, 1, 499)])})
    assert game.owner.tolist() == [0, 1, 1, 1, 1]
    for seen in (result.seen_by(0), game.view(0).last_round):
        assert sorted((e.source, e.target) for e in seen.events) == [(0, 1), (2, 1), (3, 2)], "not (4, 3)"
