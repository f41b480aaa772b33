"""Clocks: the time that they measure, agents that are late or fail, and the match's report of times."""

from __future__ import annotations

import json

import numpy as np
import pytest

from arena_agents import Crasher, Expander, Forgetful, Fragile, Garbled, Idle, PickCrasher, Slow
from warlight_env import Orders
from warlight_env.agents import Budget, make_agent
from warlight_env.arena import Clock, ClockError, Match, MatchError, PlayOptions, play_game
from warlight_env.arena.games.clocks import MARGIN, RunningClock

#: Options with which a failing agent loses the game.
FORFEIT = PlayOptions(on_crash="forfeit")


def match(agents, **kwargs):
    return Match(agents, **{"map": "small", "games": 12, **kwargs}).run()


class BudgetRecorder(Idle):
    """An agent that stores its budgets."""

    budgets: list[Budget | None]

    def act(self, view, budget=None):
        self.budgets = [*getattr(self, "budgets", []), budget]
        return Orders()


def budgets(clock: str | None, rounds: int = 3) -> list[Budget | None]:
    agent = BudgetRecorder(1)
    clocks = None if clock is None else [Clock.parse(clock), None]
    play_game([agent, Idle(2)], "small", max_rounds=rounds, options=PlayOptions(clocks=clocks))
    return agent.budgets


# Definition of clocks


@pytest.mark.parametrize(
    "text, clock",
    [
        ("457sims", Clock(simulations=457)),
        ("457", Clock(simulations=457)),
        ("1s", Clock(seconds=1.0)),
        ("500ms", Clock(seconds=0.5)),
        (".5s", Clock(seconds=0.5)),
        ("2m", Clock(seconds=120.0)),
        ("10s+0.5s", Clock(bank=10.0, increment=0.5)),
        ("1m+0s", Clock(bank=60.0)),
        ("457sims/1s", Clock(simulations=457, seconds=1.0)),
        ("none", None),
    ],
)
def test_clocks_are_parsed_from_text(text, clock):
    assert Clock.parse(text) == clock
    assert clock is None or Clock.parse(str(clock)) == clock


@pytest.mark.parametrize(
    "text",
    ["", "fast", "1.5", "-1s", "0s", "0sims", "1s+", "+1s", "1s+2", "10s+1s+1s", "1s/2s", "1s/10s+1s", "1e3s", "nan"],
)
def test_invalid_clock_texts_raise_an_error(text):
    with pytest.raises(ClockError, match="clock"):
        Clock.parse(text)


@pytest.mark.parametrize(
    "kwargs, reason",
    [
        ({"seconds": float("nan")}, "seconds"),
        ({"bank": 0.0}, "bank"),
        ({"simulations": 1.5}, "simulations"),
        ({"increment": 1.0}, "increment"),
        ({"bank": 1.0, "seconds": 1.0}, "not both"),
    ],
)
def test_invalid_clock_arguments_raise_an_error(kwargs, reason):
    with pytest.raises(ClockError, match=reason):
        Clock(**kwargs)


def test_a_bank_is_charged_and_gets_its_increment():
    clock = RunningClock(Clock(bank=10.0, increment=2.0))
    assert not clock.charge(3.0)
    assert clock.left == 9.0
    assert not clock.charge(1.0)
    assert clock.left == 10.0
    clock.charge(0.5)
    assert clock.left == 10.0, "never more than at first"
    assert not clock.charge(10.0 + MARGIN / 2), "the operating system's share"
    assert clock.left == 2.0, "what is owed is forgotten"
    assert clock.charge(2.0 + 2 * MARGIN)


def test_unused_time_per_answer_is_not_saved():
    clock = RunningClock(Clock(seconds=1.0))
    assert [clock.charge(seconds) for seconds in (0.1, 1.0 + MARGIN / 2, 1.0 + 2 * MARGIN, 0.1)] == [
        False, False, True, False,
    ]  # fmt: skip


def test_a_clock_of_simulations_does_not_limit_the_time():
    assert not RunningClock(Clock(simulations=1)).charge(1e6)


@pytest.mark.parametrize("left", [0.0, 0.01, 1.0, 7.0, 60.0])
def test_the_budget_of_a_bank_is_at_most_the_bank(left):
    clock = RunningClock(Clock(bank=60.0, increment=30.0))
    clock.left = left
    budget = clock.budget()
    assert budget.bank == left and budget.increment == 30.0
    assert budget.seconds is not None and 0 < budget.seconds <= max(0.001, left)


# Budgets of agents


def test_agents_get_the_budgets_of_their_clocks():
    assert budgets(None) == [None] * 3
    assert budgets("5sims") == [Budget(simulations=5)] * 3
    assert budgets("100s") == [Budget(seconds=100.0)] * 3
    first, *rest = budgets("100s+1s")
    assert first == Budget(None, 6.0, 100.0, 1.0)
    assert all(budget is not None and budget.bank is not None and 99 < budget.bank <= 100 for budget in rest)


def test_each_agent_has_its_own_clock_on_every_seat():
    result = match(("mcts:50", "mcts:7"), games=4, clocks=("3sims", "none"), max_rounds=2, paired=True)
    assert [agent.time.simulations for agent in result.agents] == [3, 7]
    assert result.clocks == ("3sims", "none")
    assert [agent.time.answers for agent in result.agents] == [8, 8]


def test_a_budget_sets_the_clocks_of_all_agents():
    result = match(("mcts:50", "mcts:7"), games=2, budget=Budget(simulations=4), max_rounds=2)
    assert [agent.time.simulations for agent in result.agents] == [4, 4]


def test_simulations_are_none_for_agents_that_do_not_report_them():
    assert [agent.time.simulations for agent in match((Idle, "random"), games=2).agents] == [None, None]


def test_an_empty_bank_limits_the_search():
    search = make_agent("mcts:100000", 1)
    play_game([search, Idle(2)], "small", max_rounds=1, options=PlayOptions(clocks=[Clock(bank=1e-6), None]))
    assert search.simulations < 1000


@pytest.mark.parametrize("clocks", [("1s",), ("1s", "1s", "1s"), ("1s", 5), (), "soon"])
def test_wrong_numbers_of_clocks_raise_an_error(clocks):
    with pytest.raises((MatchError, ClockError), match="clock"):
        Match(("random", "random"), clocks=clocks)


# Late answers


def test_late_answers_are_counted():
    result = match((Slow, Idle), games=2, clocks="1ms", max_rounds=3)
    assert [agent.time.late for agent in result.agents] == [6, 0]
    assert result.agents[0].time.slowest >= Slow.seconds and result.cut_off == 2
    assert not result.failures


def test_late_answers_lose_with_on_late_forfeit():
    result = match((Slow, Idle), games=2, clocks="1ms", on_late="forfeit")
    assert [(agent.wins, agent.losses, agent.late_losses) for agent in result.agents] == [(0, 2, 2), (2, 0, 0)]
    assert [failure.round for _, failure in result.failures] == [1, 1] and result.rounds == 2
    assert "late" in str(result) and "on a clock of 0.001s" in str(result)


# Failures


@pytest.mark.usefixtures("forked_workers")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_crash_loses_the_game_with_on_crash_forfeit(jobs):
    result = match((Crasher, Idle), on_crash="forfeit", jobs=jobs)
    assert [(agent.wins, agent.losses, agent.crashes) for agent in result.agents] == [(0, 12, 12), (12, 0, 0)]
    assert result.cut_off == 0 and {record.rounds for record in result.records} == {3}
    assert all(failure.round == 3 and "nothing left" in failure.reason for _, failure in result.failures)
    text = str(result)
    assert "crasher lost 12 games by failing" in text and "ZeroDivisionError: nothing left to divide" in text


def test_games_without_a_crash_do_not_depend_on_the_crash_option():
    forfeits, plain = match((Fragile, "random"), games=60, on_crash="forfeit").records, {}
    for record in forfeits:
        if not record.failures:
            plain[record.number] = record
    assert 0 < len(plain) < 60
    setup = Match((Fragile, "random"), map="small").setup()
    assert all(setup.play(number) == record for number, record in plain.items())


@pytest.mark.parametrize(
    "agent, picks, rounds, reason",
    [
        (PickCrasher, "agents", 0, "no favourite"),
        (Forgetful, "random", 1, "returned NoneType, not Orders"),
        (Garbled, "random", 1, "integers"),
    ],
)
def test_invalid_answers_are_crashes(agent, picks, rounds, reason):
    result = match((agent, "random"), games=2, picks=picks, on_crash="forfeit")
    assert result.agents[0].crashes == 2 and {record.rounds for record in result.records} == {rounds}
    assert all(reason in failure.reason for _, failure in result.failures)
    json.dumps(result.to_dict())


@pytest.mark.parametrize(
    "answer", [["here", "there"], {1, 2}, {1: 2}, range(2).__iter__(), [True, False], [[1], [2, 3]], 7, None, [1.0]],
    ids=["words", "set", "dict", "iterator", "bools", "ragged", "number", "none", "floats"],
)  # fmt: skip
def test_picks_of_a_wrong_type_lose_the_game(answer):
    class Undecided(Idle):
        name = "undecided"

        def pick(self, view):
            return answer

    record = play_game([Undecided(1), Idle(2)], "small", picks="agents", options=FORFEIT)
    (failure,) = record.failures
    assert record.winner == 1 and failure.round == 0 and "regions (integers)" in failure.reason


@pytest.mark.parametrize("answer", [(2**70, -(2**70)), np.array([5, 6], np.uint16), []], ids=["huge", "array", "none"])
def test_picks_outside_the_offer_are_dropped(answer):
    class Undecided(Idle):
        name = "undecided"

        def pick(self, view):
            return answer

    record = play_game([Undecided(1), Idle(2)], "small", picks="agents", options=FORFEIT)
    assert not record.failures


def test_two_agents_that_crash_in_the_same_round_draw():
    record = play_game([Crasher(1), Crasher(2)], "small", options=FORFEIT)
    assert record.winner is None and record.placements == (1, 1) and not record.cut_off
    assert [failure.agent for failure in record.failures] == [0, 1]


def test_the_other_players_continue_after_a_crash():
    record = play_game([Idle(1), Crasher(2), Idle(3)], "world", max_rounds=9, options=FORFEIT)
    assert record.winner is None and record.placements == (1, 3, 1) and record.cut_off and record.rounds == 9
    record = play_game([Crasher(1), make_agent("aggressive", 2), Crasher(3)], "world", options=FORFEIT)
    assert record.winner == 1 and record.placements == (2, 1, 2) and record.rounds == 3 and not record.cut_off


def test_a_failing_agent_ranks_as_if_eliminated_in_that_round():
    """One idle player is eliminated early. The other fails later and ranks before it."""
    plain = play_game([Idle(1), make_agent("aggressive", 2), Idle(3)], "world", seed=5, max_rounds=300)
    assert plain.winner == 1
    first_out = plain.placements.index(3)

    class Tired(Idle):
        """An agent that fails in the last round, after the other's elimination."""

        def act(self, view, budget=None):
            if view.round == plain.rounds - 1:
                raise ValueError("tired")
            return Orders()

    agents = [Idle(1), make_agent("aggressive", 2), Idle(3)]
    agents[2 - first_out] = Tired(4)
    record = play_game(agents, "world", seed=5, max_rounds=300, options=FORFEIT)
    assert record.failures and record.placements == plain.placements
    agents[first_out], agents[2 - first_out] = Crasher(1), Idle(3)
    record = play_game(agents, "world", seed=5, max_rounds=300, options=FORFEIT)
    assert record.failures[0].round == 3 and record.placements == plain.placements


def test_an_observer_gets_the_events_of_forfeits():
    events = []

    class Witness:
        def began(self, game, agents, limit):
            events.append(type(agents[0]).__name__)

        def picked(self, preferences, dropped, game): ...

        def played(self, orders, result, game):
            events.append((game.round, len(orders[0].deploys), len(orders[1].deploys)))

        def failed(self, error):
            events.append(str(error))

        def skipped(self, error):
            events.append((error.agent, error.seat, error.round, error.reason.partition(" (")[0]))

        def ended(self, record):
            events.append(record.winner)

    options = PlayOptions(on_crash="skip")
    play_game([Idle(1), Crasher(2)], "small", seed=9, max_rounds=4, options=options, observer=Witness())
    skipped = ("crasher", 1, 3, "ZeroDivisionError: nothing left to divide")
    assert events == ["Idle", (1, 0, 0), (2, 0, 0), skipped, (3, 0, 0), (4, 0, 0), None]
    events.clear()

    play_game([Crasher(1), Expander(2)], "small", seed=9, options=FORFEIT, observer=Witness())
    assert events[0] == "Crasher" and events[1:4] == [(1, 0, 1), (2, 0, 1), (3, 0, 1)]
    assert "agent 'crasher' failed in round 3 (seat 1, game's seed 9): ZeroDivisionError" in events[4]
    assert events[5:] == [1]


@pytest.mark.parametrize("kwargs", [{"on_crash": "ignore"}, {"on_late": True}])
def test_unknown_values_of_on_crash_and_on_late_raise_an_error(kwargs):
    with pytest.raises(MatchError, match=next(iter(kwargs))):
        Match(("random", "random"), **kwargs)
