"""Errors in user-defined functions: the search ends soon, and the error reaches the caller with its location."""

from __future__ import annotations

import re
import runpy
import threading

import numba
import numpy as np
import pytest

from plug_in_faults import (
    ASKING_EVALUATION,
    SMALL,
    Asking,
    generator,
    view,
)
from warlight_env import Orders
from warlight_env.agents import registry
from warlight_env.agents.context import bare_context
from warlight_env.agents.players.flat import FlatSearch, FlatSettings
from warlight_env.agents.players.mcts import MctsAgent, MctsSettings, TreeSearch
from warlight_env.agents.plug_ins.functions import Functions, plug_in
from warlight_env.agents.weights import THESIS
from warlight_env.arena import Match
from warlight_env.arena.games.game_loop import AgentCrashError
from warlight_env.cli import main
from warlight_env.engine.callback_errors import raise_callback_errors
from warlight_env.errors import RunError, crash_reason

pytestmark = pytest.mark.filterwarnings("ignore:.*runs as plain Python:RuntimeWarning")


@pytest.mark.parametrize("compiled", [True, False])
def test_a_function_that_always_raises_reports_its_own_exception(compiled):
    def refuse(context, position, shares):
        raise ValueError("not today")

    function = numba.njit(refuse) if compiled else refuse
    with pytest.raises(ValueError, match=r"^not today") as raised:
        TreeSearch(view(), MctsSettings(), 1, Functions(evaluation=function))
    assert re.search(
        r": not today, in the evaluation 'refuse' \(test_plug_in_errors\.py, line \d+\)$", crash_reason(raised.value)
    )


def test_the_reason_of_a_syntax_error_names_the_file_with_the_error(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("def act(self, view)\n    pass\n")
    with pytest.raises(SyntaxError) as raised:
        runpy.run_path(str(file))
    assert re.fullmatch(r"SyntaxError: expected ':' \(broken\.py, line 1\)", crash_reason(raised.value))
    with pytest.raises(SyntaxError) as raised:
        eval("1 +")
    place = r"\(test_plug_in_errors\.py, line \d+\)"
    assert re.fullmatch(rf"SyntaxError: invalid syntax \(<string>, line 1\) {place}", crash_reason(raised.value))
    with pytest.raises(SyntaxError) as raised:
        raise SyntaxError("my own")
    assert re.fullmatch(rf"SyntaxError: my own {place}", crash_reason(raised.value))


def test_the_reason_of_a_crash_names_the_function_and_its_place():
    def index(context, position, shares):
        shares[1000] = 0.5

    with pytest.raises(IndexError) as raised:
        TreeSearch(view(), MctsSettings(), 1, Functions(evaluation=index))
    line = index.__code__.co_firstlineno
    assert crash_reason(raised.value).endswith(f", in the evaluation 'index' (test_plug_in_errors.py, line {line})")


class OddError(Exception):
    def __str__(self):
        raise OSError("no words")

    def add_note(self, note):
        raise OSError("no notes")


class FailingEvaluation:
    """A Python evaluation that counts its calls and fails after a number of calls."""

    def __init__(self) -> None:
        self.let_go()

    def fail(self, error: BaseException, after: int) -> Asking:
        """Return the evaluation, which raises the error after a number of calls."""
        self.error, self.after, self.calls = error, after, 0
        ASKING_EVALUATION.function = self.answer
        return ASKING_EVALUATION

    def let_go(self) -> Asking:
        return self.fail(AssertionError(), after=10**9)

    def answer(self, context, position, shares):
        self.calls += 1
        if self.calls > self.after:
            raise self.error
        shares[:] = np.bincount(position.owner[position.owner >= 0], minlength=len(shares))
        shares /= shares.sum()


FAILING = FailingEvaluation()

FORMS = {
    "one thread": {},
    "one tree": {"threads": 2},
    "one tree with a lock": {"threads": 2, "parallel": "lock"},
    "trees side by side": {"threads": 2, "parallel": "root"},
    "leaves": {"threads": 2, "parallel": "leaf"},
    "flat": {"flat": True, "rounds": 2},
    "playouts that look ahead": {"playout": "one_ply", "lookahead_samples": 1},
    "the best turns": {"breadth": 2, "lookahead_samples": 1},
}


@pytest.mark.parametrize("settings", [{}, {"threads": 2, "parallel": "root"}, {"threads": 2, "parallel": "leaf"}])
@pytest.mark.parametrize("error", [StopIteration(), GeneratorExit(), OddError()])
def test_unusual_exceptions_reach_the_caller(error, settings):
    search = MctsSettings(**(SMALL | settings))
    with pytest.raises(type(error)) as raised:
        TreeSearch(view(), search, 1, Functions(evaluation=FAILING.fail(error, after=0)))
    assert raised.value is error and "evaluation Asking" in error.__notes__[0]


@pytest.mark.parametrize("form", FORMS)
def test_the_search_ends_soon_after_a_failure(form):
    chosen = SMALL | FORMS[form]
    kind, make = (FlatSearch, FlatSettings) if chosen.pop("flat", False) else (TreeSearch, MctsSettings)
    settings = make(**chosen)
    failing = FAILING.fail(OSError("no such thing"), after=100)
    search = kind(view(), settings, 1, Functions(evaluation=failing))
    with pytest.raises(OSError, match="no such thing"):
        search.run(10**9)
    assert FAILING.calls <= 100 + settings.threads  # each thread makes at most one more call
    for ask in (search.best, lambda: search.run(1), lambda: search.improve_by_local_search(1), search.statistics):
        with pytest.raises(RunError, match="ended with an error"):
            ask()
    FAILING.let_go()
    search.begin(view(), 1)
    search.run(3)
    assert isinstance(search.best(), Orders)


def test_an_interrupt_inside_a_function_ends_the_search():
    failing = FAILING.fail(KeyboardInterrupt(), after=50)
    search = TreeSearch(view(), MctsSettings(**SMALL), 1, Functions(evaluation=failing))
    with pytest.raises(KeyboardInterrupt):
        search.run(10**9)
    assert FAILING.calls == 51


@pytest.mark.parametrize("threads", [1, 2])
def test_local_search_ends_with_the_error(threads):
    failing = FAILING.let_go()
    settings = MctsSettings(**(SMALL | {"threads": threads, "scenarios": 12, "horizon": 1, "local_search": 0.5}))
    search = TreeSearch(view(), settings, 1, Functions(evaluation=failing))
    search.run(5)
    search.best()
    FAILING.fail(OSError("no such thing"), after=40)
    with pytest.raises(OSError, match="no such thing"):
        search.improve_by_local_search(10**9)
    assert FAILING.calls <= 40 + threads


def test_errors_do_not_affect_searches_in_other_threads():
    failing = FAILING.fail(OSError("no such thing"), after=100)
    healthy = TreeSearch(view(), MctsSettings(**SMALL), 1, Functions(generator=generator))
    healthy.run(2000)
    expected, errors = healthy.candidates(), []

    def fail():
        try:
            TreeSearch(view(), MctsSettings(**SMALL), 1, Functions(evaluation=failing)).run(10**9)
        except OSError as error:
            errors.append(error)

    for _ in range(3):
        FAILING.fail(OSError("no such thing"), after=100)
        other = threading.Thread(target=fail)
        healthy.begin(view(), 1)
        other.start()
        healthy.run(2000)
        other.join()
        assert healthy.candidates() == expected
    assert len(errors) == 3


def test_an_agent_can_act_again_after_an_error():
    failing = FAILING.fail(OSError("no such thing"), after=5)
    agent = MctsAgent(sims=5, local_search=0.0, samples=1, rounds=1, evaluation=failing)
    with pytest.raises(OSError, match="no such thing"):
        agent.act(view())
    FAILING.let_go()
    assert isinstance(agent.act(view()), Orders)


def failing_agent(seed: int) -> MctsAgent:
    return MctsAgent(
        seed, sims=5, local_search=0.0, samples=1, rounds=1, evaluation=FAILING.fail(OSError("mine"), after=3)
    )


def test_a_failing_function_is_a_crash_of_its_player_in_a_match():
    with pytest.raises(AgentCrashError, match="OSError: mine"):
        Match([failing_agent, "random"], map="small", games=1, on_crash="stop").run()
    result = Match([failing_agent, "random"], map="small", games=1, on_crash="forfeit").run()
    assert result.records[0].failures[0].agent == 0


def test_the_match_command_exits_with_the_error(capsys, monkeypatch):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    registry.register("broken", lambda: failing_agent, "fails")
    assert main(["match", "broken", "random", "-n", "1", "--map", "small", "--quiet", "--on-crash", "stop"]) == 1
    assert "OSError: mine" in capsys.readouterr().err


def test_an_unhandled_callback_error_is_reported_as_unraisable(monkeypatch):
    reports = []
    monkeypatch.setattr("sys.unraisablehook", lambda report: reports.append(report))
    seen, failing = view(), plug_in("evaluation", FAILING.fail(OSError("no such thing"), after=0))

    @numba.njit
    def ask(evaluation, context, position, shares):
        evaluation(context, position, shares)

    shares = np.zeros(2)
    arguments = (failing, bare_context(seen.board, seen.params, seen.players, THESIS), seen.position, shares)
    ask(*arguments)
    assert shares.tolist() == [0.5, 0.5]
    assert [type(report.exc_value) for report in reports] == [OSError]
    with pytest.raises(OSError, match="no such thing"), raise_callback_errors():
        ask(*arguments)
