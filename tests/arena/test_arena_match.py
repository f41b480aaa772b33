"""Matches: results do not depend on the number of processes, seats rotate, and every failure is reported."""

from __future__ import annotations

import json
import os
import signal
from concurrent.futures.process import BrokenProcessPool

import pytest

from arena_agents import Cheat, Crasher, Expander, Forgetful, Garbled, Idle, PickCrasher
from helpers import RING
from warlight_env import maps
from warlight_env.agents import AgentError
from warlight_env.arena import (
    SAFETY_ROUNDS,
    AgentCrashError,
    GameRecord,
    Match,
    MatchError,
    MatchResult,
    play_game,
    unit_interval,
    wilson_interval,
)
from warlight_env.arena.backends.pool import ProcessWorkers
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.errors import RunError
from warlight_env.game import GameError
from warlight_env.maps import MapError

pytestmark = pytest.mark.usefixtures("forked_workers")

PAIR = (Expander, "random")


def match(agents=PAIR, **kwargs):
    return Match(agents, **{"map": "small", "games": 12, **kwargs}).run()


def test_equal_arguments_give_equal_games():
    assert match().records == match().records
    assert match().records != match(seed=2).records


def test_more_games_do_not_change_the_first_ones():
    assert match(games=5).records == match(games=12).records[:5]


def test_results_do_not_depend_on_the_number_of_processes():
    one, two = match(games=20, paired=True), match(games=20, paired=True, jobs=2)
    assert one.records == two.records
    assert one.agents == two.agents


@pytest.mark.parametrize("agents", [PAIR, (Expander, "random", Idle), ("random",) * 6])
def test_every_agent_has_every_seat_equally_often(agents):
    k = len(agents)
    result = match(agents, games=2 * k, map="world", max_rounds=30)
    for agent in result.agents:
        assert [seat.games for seat in agent.seats] == [2] * k
    assert all(sorted(record.seats) == list(range(k)) for record in result.records)


def test_wins_losses_and_draws_add_up_to_the_games():
    result = match(("random", Expander, Idle), games=21, map="world", max_rounds=40)
    for agent in result.agents:
        assert agent.wins + agent.losses + agent.draws == agent.games == 21
        for count in ("games", "wins", "losses", "draws"):
            assert sum(getattr(seat, count) for seat in agent.seats) == getattr(agent, count)
    assert sum(agent.wins for agent in result.agents) + result.agents[0].draws == 21
    assert sum(agent.score for agent in result.agents) == pytest.approx(1)


def test_unpaired_games_have_different_seeds():
    assert len({record.seed for record in match().records}) == 12


def test_paired_games_share_a_seed_with_the_seats_swapped():
    records = match(paired=True).records
    for first, second in zip(records[::2], records[1::2], strict=True):
        assert (first.seed, first.unit) == (second.seed, second.unit)
        assert first.seats == second.seats[::-1]
    assert len({record.seed for record in records}) == 6


def test_an_agent_against_itself_is_exactly_even_in_pairs():
    result = match(("random", "random"), games=40, paired=True)
    assert result.agents[0].wins == result.agents[1].wins
    assert result.labels == ("random #1", "random #2")


def test_intervals_of_paired_matches_count_units():
    result = match(("random", "random:chunks=1"), games=40, paired=True)
    shares = [sum(record.winner == 0 for record in result.records[first : first + 2]) / 2 for first in range(0, 40, 2)]
    assert result.agents[0].interval == unit_interval(shares) != wilson_interval(result.agents[0].wins, 40)


def test_paired_matches_have_complete_units():
    result = match(("random", Expander, Idle), games=10, paired=True, map="world", max_rounds=5)
    assert result.games == 12 and result.units == 4


def test_a_better_agent_wins():
    result = match((Idle, "random"), games=30)
    loser, winner = result.agents
    assert winner.wins > 25 and winner.interval.low > 0.8
    assert loser.wins == 0 and loser.interval.low == 0


def test_endless_games_are_cut_off_and_counted():
    result = match((Idle, Idle), games=2)
    assert result.cut_off == 2 and [record.rounds for record in result.records] == [SAFETY_ROUNDS] * 2
    assert result.agents[0].draws == 2 and result.agents[0].score == 0.5
    assert result.agents[0].win_share == 0


def test_games_that_end_at_the_rules_limit_are_not_cut_off():
    rules = Rules.of("thesis", max_rounds=7)
    result = match((Idle, Idle), games=2, rules=rules)
    assert result.cut_off == 0 and {record.rounds for record in result.records} == {7}
    assert match((Idle, Idle), games=2, rules=rules, max_rounds=3).cut_off == 2
    assert match((Idle, Idle), games=2, rules=rules, max_rounds=30).cut_off == 0


def test_illegal_orders_are_dropped_and_counted():
    result = match((Cheat, Idle), games=4, max_rounds=10)
    assert [agent.dropped for agent in result.agents] == [4 * 10 * 2, 0]


@pytest.mark.parametrize("rules", ["thesis", "challenge1", "challenge2"])
def test_agents_pick_with_picks_agents(rules):
    result = match((Cheat, "random"), games=4, rules=rules, picks="agents", map="world", max_rounds=1)
    picks = {"thesis": 1, "challenge1": 1, "challenge2": 3}[rules]
    assert result.agents[0].dropped == 4 * (picks + 2)
    assert result.agents[1].dropped == 0


def test_an_exception_in_an_agent_ends_the_match():
    with pytest.raises(AgentCrashError) as raised:
        match((Idle, Crasher), on_crash="stop")
    text = str(raised.value)
    for part in ("'crasher'", "round 3", "ZeroDivisionError: nothing left", "line"):
        assert part in text
    seating = Match((Idle, Crasher), map="small").setup().make_seating(0)
    assert raised.value.game == 0 and "game 1 " in text and f"seed {seating.seed}" in text
    assert seating.seats[raised.value.seat] == 1


@pytest.mark.parametrize(
    "agent, picks, reason",
    [
        (PickCrasher, "agents", "failed while picking.*KeyError"),
        (Forgetful, "random", "returned NoneType, not Orders"),
        (Garbled, "random", "integers"),
    ],
)
def test_invalid_answers_end_the_match(agent, picks, reason):
    with pytest.raises(AgentCrashError, match=reason) as raised:
        match(("random", agent), picks=picks, on_crash="stop")
    assert raised.value.agent == agent.name


def test_an_interrupted_match_reports_the_complete_units():
    calls = []

    def interrupt(records):
        calls.append(records)
        if len(calls) == 5:
            raise KeyboardInterrupt

    result = Match(PAIR, games=12, map="small", paired=True).run(interrupt)
    assert result.interrupted and result.games_asked == 12
    assert result.games == 4, "the half of a unit does not count"
    assert result.records == match(paired=True).records[:4]


def test_an_interrupted_match_with_processes_keeps_finished_games():
    def interrupt(records):
        raise KeyboardInterrupt

    result = Match(PAIR, games=200, map="small", jobs=2).run(interrupt)
    assert result.interrupted and 0 < result.games < 200
    wanted = match(games=max(record.number for record in result.records) + 1).records
    assert all(wanted[record.number] == record for record in result.records)


@pytest.mark.parametrize(
    "kwargs, error, reason",
    [
        ({"agents": ("random",)}, MatchError, "2 to 6 agents"),
        ({"agents": "random"}, MatchError, "2 to 6 agents"),
        ({"agents": ("random",) * 7}, MatchError, "2 to 6 agents"),
        ({"games": 0}, MatchError, "games"),
        ({"jobs": 0}, MatchError, "jobs"),
        ({"max_rounds": 0}, MatchError, "max_rounds"),
        ({"picks": "mine"}, MatchError, "picks"),
        ({"agents": ("random", "randm")}, AgentError, "did you mean"),
        ({"map": "smal"}, MapError, "did you mean"),
        ({"rules": "theses"}, RulesError, "thesis"),
        ({"map": RING, "agents": ("random",) * 6}, (GameError, RulesError), "players"),
        ({"agents": (lambda seed: Idle(seed), "random"), "jobs": 2}, MatchError, "processes"),
    ],
)
def test_invalid_matches_raise_an_error(kwargs, error, reason):
    with pytest.raises(error, match=reason):
        match(**kwargs)


def test_progress_reports_every_game_once():
    numbers: list[int] = []
    Match(PAIR, games=10, map="small").run(lambda records: numbers.extend(record.number for record in records))
    assert numbers == list(range(10))


def test_results_convert_to_plain_data():
    result = match(paired=True)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["games"] == 12 and data["units"] == 6 and data["paired"] is True
    assert data["rounds"]["total"] == sum(record.rounds for record in result.records)
    assert data["rounds_per_second"] > 0
    agent = data["agents"][0]
    assert agent["name"] == "expander" and agent["interval"][0] <= agent["win_share"] <= agent["interval"][1]
    assert [seat["seat"] for seat in agent["seats"]] == [1, 2]


def test_play_game_plays_a_reproducible_game():
    record = play_game([Expander(1), Idle(2)], maps.load("small"), seed=3)
    assert record.seats == (0, 1) and record.winner in (0, None)
    assert record == play_game([Expander(1), Idle(2)], "small", seed=3)


def test_process_pools_reject_agents_registered_at_run_time(monkeypatch):
    from warlight_env.agents import register, registry

    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    register("only-here", lambda: Idle, "registered at run time")
    assert match(("only-here", "random"), games=2).games == 2
    with pytest.raises(MatchError, match="run time"):
        match(("only-here", "random"), jobs=2)


@pytest.mark.parametrize(
    "change",
    [
        {"games": "3"}, {"games": 2.5}, {"games": True}, {"seed": "x"}, {"seed": None}, {"jobs": True},
        {"max_rounds": 2.5}, {"budget": 5}, {"games": 0},
    ],
    ids=str,
)  # fmt: skip
def test_arguments_of_wrong_types_raise_an_error(change):
    with pytest.raises(MatchError, match=next(iter(change))):
        Match(("random", "random"), **change)


def test_a_blocked_interrupt_is_raised_after_the_block():
    from warlight_env.worker_processes import interrupts_blocked

    def start() -> None:
        with interrupts_blocked():
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        start()


def test_an_eliminated_player_loses_a_game_without_a_winner():
    record = GameRecord(0, 0, 1, (0, 1, 2), None, 9, (1, 1, 3), True, (0, 0, 0))
    result = MatchResult(("a", "b", "c"), "m", "r", 1, 1, False, "random", 9, 1, (record,), False, 0.0)
    assert [(a.wins, a.losses, a.draws, a.score) for a in result.agents] == [
        (0, 0, 1, 0.5),
        (0, 0, 1, 0.5),
        (0, 1, 0, 0.0),
    ]


@pytest.mark.parametrize("trouble", [OSError("handle is closed"), ValueError("bad value(s) in fds_to_keep")])
@pytest.mark.parametrize("lost", [True, False])
def test_a_process_that_dies_while_another_starts_is_reported_as_lost(
    lost: bool, trouble: Exception, monkeypatch: pytest.MonkeyPatch
):
    """Handles that the other process needs are closed then. Without a dead process, the original error is raised."""
    with ProcessWorkers([], 2) as processes:
        errors = iter([trouble, BrokenProcessPool("a process died")])

        def submit(*_: object) -> None:
            if (error := next(errors, None)) and (lost or error is trouble):
                raise error

        monkeypatch.setattr(processes._pool, "submit", submit)
        with pytest.raises(
            RunError if lost else type(trouble), match="process of the match ended" if lost else "closed|bad value"
        ):
            processes.submit(None)  # type: ignore[arg-type]
