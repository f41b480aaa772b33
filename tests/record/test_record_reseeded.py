"""A log stores only one seed, so a log cannot record a game that was reseeded."""

from __future__ import annotations

import pytest

from arena_agents import Idle
from warlight_env.game import Game
from warlight_env.record import LogError, LogWriter, MemoryRecorder, verify


def test_a_reseeded_game_cannot_start_a_log(tmp_path):
    game = Game("small", seed=3, picks="random")
    game.reseed(3)
    memory, file = MemoryRecorder(), tmp_path / "game.wl.jsonl"
    with LogWriter(file) as writer:
        for recorder in (memory, writer):
            with pytest.raises(LogError, match="round 0: the game cannot be logged: `reseed` has replaced its dice"):
                recorder.began(game, [Idle(0), Idle(1)], 9)
    assert memory.header is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("picks", ["play", "random"])
def test_a_log_ends_before_the_first_step_after_a_reseed(picks):
    game, memory = Game("small", seed=3, picks=picks), MemoryRecorder()
    memory.began(game, [Idle(0), Idle(1)], 9)
    steps = 0
    for reseeded in (False, False, True):
        if reseeded:
            game.reseed(7)
        if game.phase == "pick":
            wanted = {p: list(game.offers(p)) for p in game.pickers()}
            record = lambda dropped, wanted=wanted: memory.picked(wanted, dropped, game)  # noqa: E731
            done = game.pick(wanted)
        else:
            record = lambda result: memory.played({}, result, game)  # noqa: E731
            done = game.play_round({})
        if reseeded:
            with pytest.raises(LogError, match=f"round {game.round}: the game cannot be logged"):
                record(done)
        else:
            record(done)
            steps += 1
    assert len(memory.log.steps) == steps == 2
    assert verify(memory.log) == []


def test_a_clone_of_a_logged_game_may_be_reseeded():
    game, memory = Game("small", seed=3, picks="random"), MemoryRecorder()
    memory.began(game, [Idle(0), Idle(1)], 9)
    game.clone(seed=7).play_round({})
    result = game.play_round({})
    memory.played({}, result, game)
    assert verify(memory.log) == []


def test_a_game_can_be_logged_after_undo_of_the_reseed():
    game, memory = Game("small", seed=3, picks="random"), MemoryRecorder()
    memory.began(game, [Idle(0), Idle(1)], 9)
    game.play_round({})
    game.reseed(7)
    game.undo()
    memory.played({}, game.play_round({}), game)
    assert verify(memory.log) == []
