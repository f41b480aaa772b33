"""Failing agents: all types of agents follow one rule; text, report and JSON contain a table of faults."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from arena_agents import Crasher, Idle
from warlight_env.agents import Budget
from warlight_env.arena import AgentCrashError, Match
from warlight_env.arena.games import game_setup
from warlight_env.arena.games.clocks import Clock
from warlight_env.cli import main
from warlight_env.engine.orders import Orders

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="external bots need process groups")

PYTHON_BOTS = Path(__file__).parents[1] / "bots" / "python_bots.py"
FAILING = Path(__file__).parents[1] / "bots" / "failing.py"


def failing_spec(way: str, options: str = "bank=0.3,increment=0") -> str:
    return f"cmd[{options}]:{shlex.join([sys.executable, '-I', '-S', str(FAILING), way])}"


def match(agents, **kwargs):
    settings = {"games": 2, "map": "small", "rules": "challenge2", "max_rounds": 5, **kwargs}
    return Match(agents, **settings)


#: Fault → options of the bot, a part of the reason, and a part of the end of standard error.
WAYS = {
    "exits": ("bank=30", "ended with exit status 1", "no start today"),
    "silent": ("bank=0.3,increment=0", "the time bank is exhausted", ""),
    "crashes": (
        "bank=30",
        "round 2: go place_armies 30000: the bot ended with exit status 3",
        "nothing left to divide",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_dead_or_silent_process_forfeits_the_game(way):
    options, reason, detail = WAYS[way]
    result = match([failing_spec(way, options), Idle]).run()
    assert [agent.wins for agent in result.agents] == [0, 2]
    assert result.agents[0].crashes == 2
    faults = result.fault_table[0]
    assert reason in faults.reason and detail in faults.detail
    assert not result.fault_table[1].any


@pytest.mark.parametrize("agent", [failing_spec("exits", "bank=30"), Crasher], ids=["external", "python"])
def test_the_same_rule_holds_for_python_and_external_bots(agent):
    forfeit = match([agent, Idle]).run()
    assert forfeit.agents[0].crashes == 2 and forfeit.agents[1].wins == 2
    skip = match([agent, Idle], on_crash="skip").run()
    assert skip.cut_off == 2 and skip.fault_table[0].errors == 2 and not skip.failures
    with pytest.raises(AgentCrashError):
        match([agent, Idle], on_crash="stop").run()


def test_late_answers_are_counted_and_can_lose_the_game():
    late = match([failing_spec("late"), Idle], clocks=["200ms", None], games=1).run()
    assert late.agents[0].time.late >= 1 and late.fault_table[0].late >= 1
    assert "answers are missing" in late.fault_table[0].reason
    strict = match([failing_spec("late"), Idle], clocks=["200ms", None], games=1, on_late="forfeit").run()
    assert strict.agents[0].late_losses == 1


def test_the_failure_of_a_python_bot_names_an_exhausted_bank():
    class Slow(Idle):
        def act(self, view, budget: Budget | None = None):
            import time

            time.sleep(0.2)
            return Orders()

    clocks = [Clock(bank=0.1, increment=0.01), None]
    [(_, failure)] = match([Slow, Idle], games=1, clocks=clocks, on_late="forfeit").run().failures
    assert failure.kind == "late" and "the time bank is exhausted" in failure.reason


def test_illegal_orders_are_counted_by_kind():
    class Illegal(Idle):
        def act(self, view, budget=None):
            foreign = next(region for region, owner in enumerate(view.owner) if owner != view.player)
            return Orders([(foreign, 1), (foreign, 1)], [(foreign, 0, 1)])

    result = match([Illegal, Idle], games=2, max_rounds=3).run()
    reason = "not the player's region"
    assert result.fault_table[0].illegal == ((f"deploy: {reason}", 12), (f"attack: {reason}", 6))
    assert "12 × deploy: not the player's region" in str(result)


def test_the_option_traceback_prints_the_failing_line_of_a_bot(capsys, monkeypatch):
    from warlight_env.agents import registry

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    registry.register("crashes_here", lambda: Crasher, "fails")
    command = ["match", "crashes_here", "random", "-n", "2", "--map", "small", "--rounds", "4", "-q"]
    assert main(command) == 0
    assert "Traceback" not in capsys.readouterr().out
    assert main([*command, "--traceback"]) == 0
    out = capsys.readouterr().out
    assert "Traceback" in out and 'raise ZeroDivisionError("nothing left to divide")' in out
    assert "games.seated_agent" not in out and "seated_agent.py" not in out
    assert main([*command, "--traceback", "--on-crash", "stop"]) == 1
    assert 'raise ZeroDivisionError("nothing left to divide")' in capsys.readouterr().err


#: The failing bots of the tournament: specification, and a text in their row of the table of faults.
FAILURES = {
    "exits at once": (failing_spec("exits", "bank=30"), "ended with exit status 1"),
    "silent": (failing_spec("silent"), "the time bank is exhausted"),
    "crashes": (failing_spec("crashes", "bank=30"), "ended with exit status 3"),
    "late": (failing_spec("late"), "the time bank is exhausted"),
    "illegal": (failing_spec("illegal", "bank=30"), "more armies than are left of the income"),
    "endless": (f"{PYTHON_BOTS}:Endless", "no answer within 300 ms (2 answers are missing)"),
    "raises": (f"{PYTHON_BOTS}:Crashing", "ZeroDivisionError: nothing left to divide"),
}


def test_a_tournament_names_every_failure_and_ranks_failing_bots_last(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(game_setup, "WARM_UP_SECONDS", 1.0)  # otherwise the warm-up of the endless bot takes 30 s
    live = ("random", "plain")
    specs = {name: spec for name, (spec, _) in FAILURES.items()}
    specs["plain"] = f"{PYTHON_BOTS}:Plain"
    clocks = {"endless": ', clock = "300ms"'}
    lines = [f'{{ name = "{name}", spec = {json.dumps(spec)}{clocks.get(name, "")} }}' for name, spec in specs.items()]
    text = f"agents = [{', '.join([*map(json.dumps, live[:-1]), *lines])}]\n"
    text += 'games = 2\nmaps = ["small"]\nrules = ["challenge2"]\nmax_rounds = 60\n'
    text += 'format = "gauntlet"\nchallengers = ["random", "plain"]\n'
    file = tmp_path / "faults.toml"
    file.write_text(text)
    assert main(["tournament", str(file), "--out", str(tmp_path / "run"), "-q"]) == 0
    out = capsys.readouterr().out
    data = json.loads((tmp_path / "run" / "tournament.json").read_text())
    html = (tmp_path / "run" / "report.html").read_text()
    table = {faults["name"]: faults for faults in data["fault_table"]}
    for name, (_, reason) in FAILURES.items():
        fault_text = table[name]["reason"] + json.dumps(table[name]["illegal"])
        assert reason in fault_text, name
        for text in (out, html):
            assert name in text and reason in text, name
    assert "no start today" in html and "nothing left to divide" in html
    assert not any(table[name]["games"] for name in live)
    assert data["failure_rule"].startswith("An agent fails if")
    for text in (out, html):
        assert "An agent that fails loses the game." in text
    ranked = [rating["name"] for rating in data["ratings"]]
    dead = [name for name in FAILURES if name != "illegal"]
    assert set(ranked[-len(dead) :]) == set(dead)
