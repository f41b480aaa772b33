"""Continued games from logs: with the same agents, with other agents, or with an error."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

from arena_agents import Crasher, Expander, Idle
from helpers import RING
from log_helpers import play_logged
from warlight_env.arena import AgentCrashError, continue_game, play_game
from warlight_env.arena.games.game_setup import MatchError
from warlight_env.record import (
    GameLog,
    LogError,
    MemoryRecorder,
    ReplayError,
    verify,
)


class Scripted(Idle):
    """Play the orders of a log."""

    def __init__(self, log: GameLog, player: int) -> None:
        self.log, self.player = log, player

    def act(self, view, budget=None):
        return self.log.rounds[view.round].orders[self.player]


def test_a_continued_game_with_the_logged_orders_equals_the_log(whole, tmp_path):
    log = GameLog.load(whole)
    for number in (0, 3, len(log.rounds) - 1):
        again = continue_game(
            log, number, [lambda _, p=p: Scripted(log, p) for p in range(2)], path=tmp_path / "c.wl.jsonl"
        )
        assert again.steps == log.steps
        assert again.end == log.end
        assert GameLog.load(tmp_path / "c.wl.jsonl") == again
        assert again.header.continues.rounds == number
        assert again.header.continues.players == ("random", "aggressive")


def test_a_game_continues_with_other_agents(whole):
    log = GameLog.load(whole)
    for agents in (["one_big_army", "random"], None):
        other = continue_game(log, 4, agents, seed=3)
        assert other.rounds[:4] == log.rounds[:4]
        assert other.rounds[4].orders != log.rounds[4].orders
        assert verify(other) == []
        assert other == continue_game(log, 4, agents, seed=3)
    assert other.names == log.names


def test_impossible_continuations_are_refused(tmp_path, whole):
    log = GameLog.load(whole)
    with pytest.raises(MatchError, match="the game is over after round"):
        continue_game(log)
    with pytest.raises(LogError, match="round 99: the log has rounds 0 to"):
        continue_game(log, 99)
    with pytest.raises(MatchError, match="1 agents for a game of 2 players"):
        continue_game(log, 3, ["random"])
    with pytest.raises(MatchError, match="max_rounds = 2: the game already has 3 rounds"):
        continue_game(log, 3, max_rounds=2)
    first = replace(log.rounds[0], hash="0" * 16)
    with pytest.raises(ReplayError, match="round 1: hash"):
        continue_game(replace(log, steps=(*log.steps[:4], first, *log.steps[5:])), 3)
    with pytest.raises(LogError, match="cut off before the first round"):
        continue_game(replace(log, steps=log.steps[:3], end=None))
    memory = MemoryRecorder()
    play_game([Expander(1), Expander(2)], RING, max_rounds=3, observer=memory)
    with pytest.raises(MatchError, match="no specification of player 1, 'expander'"):
        continue_game(memory.log, 2)
    for most in (5, None):  # beyond the round limit of the logged game
        assert 3 < continue_game(memory.log, agents=["random", "random"], max_rounds=most).end.rounds <= (most or 500)


@pytest.mark.parametrize("agent", [Idle, Crasher])
def test_agents_of_a_continued_game_are_closed(tmp_path, agent):
    closed = []

    class Holding(agent):
        def close(self):
            closed.append(self.seed)

    log = play_logged(tmp_path / "game.wl.jsonl", map="small", max_rounds=2)
    with contextlib.nullcontext() if agent is Idle else pytest.raises(AgentCrashError):
        continue_game(log, agents=[Holding, Holding], max_rounds=4)
    assert len(closed) == 2
