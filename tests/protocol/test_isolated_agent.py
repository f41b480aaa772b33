"""Isolated agents: they play as in this process, obey limits on time and memory, and fail like other agents."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena_agents import Idle
from warlight_env import Game
from warlight_env.agents import AgentError, make_agent
from warlight_env.agents.registry import parse, pinned
from warlight_env.arena import AgentCrashError, Match, PlayOptions, play_game
from warlight_env.arena.games import game_setup
from warlight_env.arena.games.clocks import Clock
from warlight_env.protocol import isolated_agent
from warlight_env.step_results import GameError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and process groups need Linux")

BOTS = Path(__file__).parents[1] / "bots" / "python_bots.py"


@pytest.fixture(autouse=True)
def no_idle_processes():
    yield
    while isolated_agent._idle:
        isolated_agent._idle.popitem()[1].close()


def isolated(name: str, options: str = "") -> str:
    return f"isolated{options and f'[{options}]'}:{BOTS}:{name}"


def match(agents, **kwargs):
    return Match(agents, **{"games": 2, "map": "small", "max_rounds": 6, **kwargs})


@pytest.mark.parametrize(
    ("agent", "rules"),
    [(f"{BOTS}:Plain", "challenge2"), ("random", "thesis"), ("mcts:9", "challenge2")],
)
def test_an_isolated_agent_plays_the_same_turns_as_in_this_process(agent, rules):
    settings = {"rules": rules, "picks": "agents", "games": 2}
    plain = match([agent, "random"], **settings).run().records
    assert match([f"isolated:{agent}", "random"], **settings).run().records == plain


def test_an_endless_loop_loses_the_game_and_its_process_ends(monkeypatch):
    monkeypatch.setattr(game_setup, "WARM_UP_SECONDS", 0.5)  # otherwise the warm-up takes 30 s
    clocks = ["200ms", None]
    result = match([isolated("Endless"), Idle], clocks=clocks, games=1).run()
    faults = result.fault_table[0]
    assert result.agents[1].wins == 1 and faults.crashes == 1 and faults.late >= 1
    assert "no answer within 200 ms (2 answers are missing)" in faults.reason
    assert "an endless loop begins" in faults.detail
    assert not isolated_agent._idle


def test_the_failure_names_an_exhausted_time_bank():
    clocks = [Clock(bank=0.3, increment=0.05), None]
    result = match([isolated("Endless"), Idle], clocks=clocks, games=1).run()
    assert "the time bank is exhausted" in result.fault_table[0].reason


def test_exceptions_and_exits_of_the_process_are_failures_with_a_traceback(monkeypatch):
    monkeypatch.setattr(game_setup, "_play_warm_up", lambda setup: None)  # it would start another process each time
    crashing = match([isolated("Crashing"), Idle], games=1).run().fault_table[0]
    assert "round 2: ZeroDivisionError: nothing left to divide (python_bots.py" in crashing.reason
    assert 'raise ZeroDivisionError("nothing left to divide")' in crashing.detail
    exiting = match([isolated("Exiting"), Idle], games=1).run().fault_table[0]
    assert "the bot ended with exit status 7" in exiting.reason
    broken = match([isolated("Broken"), Idle], games=1).run().fault_table[0]
    assert "picks: " in broken.reason and "cannot begin" in broken.reason
    unlicensed = match([isolated("Unlicensed"), Idle], games=1).run().fault_table[0]
    assert "no licence" in unlicensed.reason and unlicensed.games == 1
    with pytest.raises(AgentCrashError, match="nothing left to divide"):
        match([isolated("Crashing"), Idle], games=1, on_crash="stop").run()


@pytest.mark.parametrize(("name", "reason"), [
    ("WithoutAct", r"WithoutAct has no method act\(view, budget\)"),
    ("WithoutBudget", r"WithoutBudget.act must accept"),
    ("Missing", "Missing does not exist in"),
])  # fmt: skip
def test_a_match_refuses_an_isolated_class_that_is_no_agent_before_its_games(name, reason, tmp_path):
    for on_crash in ("forfeit", "skip", "stop"):
        with pytest.raises(AgentError, match=reason):
            match([isolated(name), Idle], on_crash=on_crash, log=tmp_path).run()
        assert not list(tmp_path.glob("game*"))
        with pytest.raises(AgentError, match=reason):
            play_game([make_agent(isolated(name), 1), Idle(1)], "small", options=PlayOptions(on_crash=on_crash))
    with pytest.raises(AgentError, match=reason):
        make_agent(isolated(name), 1).pick(Game("small").view(0))


def test_a_late_answer_is_dropped_and_the_next_answer_counts():
    clocks = [Clock(seconds=0.7), None]
    result = match([isolated("LateOnce"), Idle], clocks=clocks, games=1, max_rounds=8).run()
    assert result.agents[0].time.late >= 1
    assert not result.failures
    assert result.records[0].faults[0].kinds == (("late", 1),)


def test_the_memory_is_limited():
    faults = match([isolated("Hungry", "memory=2G"), Idle], games=1).run().fault_table[0]
    assert "MemoryError" in faults.reason


def test_a_process_is_reused_for_the_next_game_with_a_new_agent():
    first = make_agent(isolated("Plain"), 1)
    play_game([first, Idle(1)], "small", max_rounds=2)
    assert len(isolated_agent._idle) == 1
    play_game([make_agent(isolated("Plain"), 2), Idle(1)], "small", max_rounds=2, options=PlayOptions(on_crash="stop"))
    assert len(isolated_agent._idle) == 1


def test_specifications_of_isolated_agents_are_parsed_and_checked():
    assert parse("isolated[memory=1G]:mcts:9")[0].name == "isolated"
    assert make_agent("isolated[memory=1G]:mcts:9", 1).name == "isolated[memory=1G]:mcts:9"
    assert pinned("isolated[memory=1G]:belief:mcts:9") == "isolated[memory=1G]:belief:mcts:9"
    for spec, reason in (
        ("isolated:none", "there is no agent 'none'"),
        ("isolated[errors=x]:random", "no option 'errors'"),
        ("isolated[memory=1G:random", "expected isolated"),
    ):
        with pytest.raises(AgentError, match=reason):
            make_agent(spec, 1)
    with pytest.raises((AgentError, GameError, AgentCrashError), match="at most 2 players"):
        match(["isolated:belief:random", Idle, Idle]).run()
