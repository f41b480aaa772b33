"""Time management of searching agents: they use their time bank over a game and do not exceed it."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from warlight_env.agents import Budget
from warlight_env.agents.players.flat.flat_search import FlatAgent
from warlight_env.agents.records.search_record import Candidate
from warlight_env.agents.search.search_agent import SearchAgent, TimeManager, is_decided
from warlight_env.arena import Clock
from warlight_env.arena.games.clocks import RunningClock
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View
from warlight_env.game import Game

BANK = Budget(bank=100.0, increment=1.0)


def view(round: int, *, near: bool = False, army: int = 5, enemy: int = 5, max_rounds: int = 0) -> View:
    """Return a view in which we own Alaska, and an enemy owns a neighbouring or a distant region."""
    seen = Game("world", Rules.of("thesis", max_rounds=max_rounds), seed=1, picks="random").view(0)
    owner, armies = np.full_like(seen.owner, NEUTRAL), np.full_like(seen.army, 2)
    other = seen.map.neighbors[0][0] if near else 41
    owner[[0, other]], armies[[0, other]] = (0, 1), (army, enemy)
    return replace(seen, round=round, owner=owner, army=armies)


def seconds(time_manager: TimeManager, *views: View, budget: Budget = BANK) -> list[float]:
    return [time_manager.allocate(one, budget).seconds for one in views]


def test_first_rounds_and_first_contact_get_more_time():
    quiet = [view(round) for round in range(8)]
    war = [view(round, near=True) for round in range(8, 14)]
    first, *_, later, met, still_met, at_war, _, _, _ = seconds(TimeManager(), *quiet, *war)
    assert first > at_war > later
    assert met == still_met > 1.5 * at_war
    assert met > first


def test_a_border_that_disappears_briefly_is_one_contact():
    war = view(8, near=True)
    met, _, at_war = seconds(TimeManager(), war, replace(war, round=9), replace(war, round=10))
    flickering = [war, view(9), replace(war, round=10)]
    assert seconds(TimeManager(), *flickering)[2] == at_war < met
    again = [war, *(view(round) for round in range(9, 14)), replace(war, round=14)]
    assert seconds(TimeManager(), *again)[-1] == met, "who has been apart meets anew"


def test_a_new_game_resets_the_time_manager():
    time_manager = TimeManager()
    war = [view(8, near=True), view(9, near=True), view(10, near=True)]
    first_game = seconds(time_manager, *war)
    assert seconds(time_manager, view(0)) == seconds(TimeManager(), view(0))
    assert seconds(time_manager, *war) == first_game


@pytest.mark.parametrize("army, enemy", [(400, 5), (5, 400)])
def test_a_decided_game_gets_little_time(army, enemy):
    owner = view(20).owner
    mine = 0 if army > enemy else 1
    decided = replace(view(20, near=True, army=army, enemy=enemy), owner=np.where(owner == NEUTRAL, mine, owner))
    assert is_decided(decided) and not is_decided(view(20, near=True))
    [little], [much] = seconds(TimeManager(), decided), seconds(TimeManager(), view(20))
    assert 0 < little < much / 4


def test_a_game_with_hidden_regions_is_not_decided():
    one = view(20, army=400)
    one = replace(one, owner=np.where(one.owner == NEUTRAL, 0, one.owner))
    assert is_decided(one)
    fogged = one.owner.copy()
    fogged[30] = UNKNOWN
    assert not is_decided(replace(one, owner=fogged)), "there may be more"
    assert not is_decided(replace(one, owner=np.where(one.owner == 1, NEUTRAL, one.owner))), "they are somewhere"


def test_a_bank_with_full_increments_is_spent_unless_the_game_is_decided():
    fixed = Budget(seconds=1.8, bank=1.8, increment=1.8)
    for one in (view(0), view(9), view(9, near=True)):
        [spent] = seconds(TimeManager(), one, budget=fixed)
        assert spent == pytest.approx(1.8, abs=0.03)
    one = view(20, army=400)
    [spent] = seconds(TimeManager(), replace(one, owner=np.where(one.owner == NEUTRAL, 0, one.owner)), budget=fixed)
    assert spent < 0.5


@pytest.mark.parametrize("budget", [None, Budget(simulations=5), Budget(seconds=1.5), Budget(7, 1.5)])
def test_a_budget_without_a_bank_does_not_change(budget):
    assert TimeManager().allocate(view(20), budget) is budget


def test_the_rest_of_the_bank_is_spent_before_a_round_limit():
    last = view(99, max_rounds=100)
    assert seconds(TimeManager(), last)[0] > 0.4 * 100


@pytest.mark.parametrize("clock", ["10s+1s", "10s+0s", "1s+5s", "0.05s+0.01s", "60s+0.1s"])
@pytest.mark.parametrize("meeting", [0, 6, 25])
def test_a_bank_lasts_a_game_and_is_used(clock, meeting):
    """In a game of 60 rounds, the clock is charged exactly with the allocated time."""
    running, time_manager, spent = RunningClock(Clock.parse(clock)), TimeManager(), []
    total = running.clock.bank
    for round in range(60):
        [asked] = seconds(time_manager, view(round, near=round >= meeting), budget=running.budget())
        assert 0 < asked < running.left
        left = running.left
        assert not running.charge(asked)
        total += running.left - (left - asked)  # adds the increments, up to the maximum of the bank
        spent.append(asked)
        if round == 29:
            assert sum(spent) > 0.65 * total, "games last some 30 rounds"
    assert sum(spent) < total


class _Searching(SearchAgent):
    """An agent that stores the time limit of its search."""

    def _search(self, view, limits):
        self.given = limits.deadline - time.perf_counter()
        return limits.record([Candidate(Orders(), 1, 0.5)], 1, 1, 1, 1)


class _Anytime(FlatAgent):
    """An agent with a simulating search that stores its time limit and makes few simulations."""

    def _spend(self, search, limits):
        self.given = limits.deadline - limits.start
        super()._spend(search, limits._replace(simulations=3))


@pytest.mark.parametrize("kind", [_Searching, _Anytime])
def test_every_search_distributes_its_bank_over_the_game(kind):
    agent, given = kind(1), []
    bank = Budget(bank=10_000.0, increment=10.0)
    for one in (view(5), view(6, near=True), view(7, near=True), view(8, near=True)):
        agent.act(one, bank)
        given.append(agent.given)
    quiet, met, still_met, at_war = given
    assert met == pytest.approx(still_met, rel=0.05) and met > 1.5 * at_war and at_war > 1.5 * quiet
    agent.act(view(9), Budget(seconds=77.0))
    assert agent.given == pytest.approx(77.0, rel=0.05), "what is said stays"


def test_the_seconds_of_the_agent_do_not_change():
    agent = _Searching(1, secs=50.0)
    agent.act(view(20, near=True))
    assert agent.given == pytest.approx(50.0, rel=0.05)
