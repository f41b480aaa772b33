"""The warm-up before a match: after it, no kernel is compiled or loaded from disk while a clock runs."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from kernel_helpers import TESTS

#: Plays the first games of a match and prints the kernels that are loaded after the warm-up.
PROGRAM = """
import sys
from warlight_env import maps
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.engine.rules import Rules
from kernel_helpers import watch_kernels

asked = watch_kernels()
rules, picks, *agents = sys.argv[1:]
setup = MatchSetup(tuple(agents), maps.load("world"), Rules.of(rules), 1, True, picks, 5)
setup.warm_up()
before = len(asked)
records = [setup.play(number) for number in range(2)]
assert before and min(record.rounds for record in records) > 3
print(asked[before:])
"""


def kernels_after_warm_up(starts, *arguments, **environment):
    done = starts.run(PROGRAM, *arguments, PYTHONPATH=TESTS, **environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


SEARCHES, SOLVERS = ("mcts:50", "belief:mcts:50,local_search=0.1"), ("nash:100,opponent_model=observed", "nash:400")
PLANNERS = ("plan", "policy:any")


@pytest.mark.parametrize(
    ("rules", "picks", "agents"),
    [
        *(("challenge1", "agents", agents) for agents in (SEARCHES, SOLVERS, PLANNERS)),
        ("thesis", "random", SEARCHES),
        *(pytest.param("thesis", "random", agents, marks=pytest.mark.slow) for agents in (SOLVERS, PLANNERS)),
    ],
)
def test_games_load_no_kernels_after_the_warm_up(rules, picks, agents, starts):
    assert kernels_after_warm_up(starts, rules, picks, *agents) == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["mcts:50", "nash:100,opponent_model=observed", "belief:mcts:50"])
def test_games_load_no_kernels_after_a_warm_up_with_an_empty_cache(agent, tmp_path, starts):
    arguments = "challenge1", "agents", agent, "aggressive"
    assert kernels_after_warm_up(starts, *arguments, WARLIGHT_CACHE_DIR=tmp_path) == "[]"


@pytest.mark.parametrize("compiles, rounds", [(True, 3), (False, 2)])
def test_a_compilation_prolongs_the_warm_up(monkeypatch, compiles, rounds):
    """The clock is simulated: each look at it takes 20 of the 30 seconds of a warm-up."""
    from warlight_env import maps
    from warlight_env.agents.players.random import RandomAgent
    from warlight_env.arena.games import game_setup
    from warlight_env.engine.rules import Rules

    played = set()
    seconds, compiled = itertools.count(step=20), itertools.count()

    class Noted(RandomAgent):
        def act(self, view, budget=None):
            played.add(view.round)
            return super().act(view, budget)

    monkeypatch.setattr(game_setup, "time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    monkeypatch.setattr(game_setup, "compiled_count", lambda: next(compiled) if compiles else 0)
    game_setup.MatchSetup((Noted, Noted), maps.load("small"), Rules.of("thesis"), 1, True, "random", None).warm_up()
    assert len(played) == rounds


def test_a_crash_in_the_warm_up_is_one_of_the_game(tmp_path):
    """The game's log contains the crash, and with "forfeit" the agent loses the game."""
    from warlight_env.agents.players.random import RandomAgent
    from warlight_env.arena import Match

    class Failing(RandomAgent):
        name = "failing"

        def act(self, view, budget=None):
            if view.round == 1:
                raise ValueError("a second round")
            return super().act(view, budget)

    arguments = {"map": "small", "games": 1, "log": tmp_path / "logs", "on_crash": "stop"}
    with pytest.raises(RuntimeError, match=r"failed in round 2 of game 1 .*a second round"):
        Match([Failing, "random"], **arguments).run()
    assert [path.name for path in (tmp_path / "logs").glob("*.partial.wl.jsonl")] == ["game-0000001.partial.wl.jsonl"]
