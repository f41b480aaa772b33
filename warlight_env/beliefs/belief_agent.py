"""`BeliefAgent`: an agent for games under fog of war that passes an estimate of the whole position to another agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, AgentError, Budget, make_agent
from warlight_env.agents.agent_adapter import PlainAgent, as_agent
from warlight_env.agents.base import Faults
from warlight_env.agents.records.search_record import SearchPolicy, SearchResult
from warlight_env.beliefs.belief import Belief, Observation
from warlight_env.beliefs.order_observer import OrderObserver, known_wastelands
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import UNKNOWN
from warlight_env.engine.view import View
from warlight_env.maps import Map
from warlight_env.thread_ownership import SingleThreaded


class BeliefAgent(SingleThreaded, Agent):
    """A wrapper of an agent for games of two players: the agent receives a view with the position of a `Belief`."""

    exclusive_methods = ("prepare", "pick", "set_picks", "act", "act_on", "insight", "last_search", "search_policy")

    def __init__(self, agent: PlainAgent) -> None:
        self.agent = as_agent(agent)
        self.name = f"belief:{self.agent.name}"
        self.counts_simulations = self.agent.counts_simulations
        self.belief: Belief | None = None  #: the estimate of the position in the current game
        self._observer = OrderObserver()
        self._before: View | None = None
        self._ordered: Orders | None = None  # the orders of the last round
        self._picked_in: tuple[str, Rules] | None = None  # the map and the rules of the stored picks; None: no picks
        self._offers: tuple[int, ...] = ()
        self._preferences: list[int] = []
        self._start: npt.NDArray[np.int32] | None = None  # the armies on all regions during the picks

    def pick(self, view: View) -> list[int]:
        """Return the picks of the wrapped agent, see `Agent.pick`, and store them for the estimate."""
        preferences = self.agent.pick(view)
        self.belief, self._picked_in = None, (view.map.digest(), view.rules)
        if not self._offers or set(view.offers) - set(self._offers):
            self._offers = view.offers
        self.set_picks(preferences[: view.params.ranked])
        self._start = view.army.copy()
        return preferences

    def set_picks(self, preferences: list[int]) -> None:
        """Store the preferred regions that were really submitted, best first.

        Call this method if the submitted regions differ from the result of `pick`.
        """
        self._preferences = preferences

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """Update the estimate, and return the orders of the wrapped agent; see `Agent.act`."""
        self._check_players(view.players)
        opponent_orders = self._observer.observe(view)
        starts = None if view.starts is None else view.starts[1 - view.player]
        return self.act_on(view, Observation(view.round, view.owner, view.army, opponent_orders, starts), budget)

    def act_on(self, view: View, observation: Observation, budget: Budget | None = None) -> Orders:
        """Update the estimate with an observation, and return the orders of the wrapped agent in the given view."""
        last = self._before
        if self.belief is None or last is None or view.round <= last.round or view.map != last.map:
            if not self._has_picks_for(view):  # there are no stored picks, or their game never began
                self._forget_picks()
            army = self._start
            if army is None:
                army = np.array(view.map.starting_armies, dtype=np.int32)
                army[known_wastelands(view)] = view.params.wasteland_army
            self.belief = Belief(view.map, view.rules, view.player, army, self._offers, self._preferences)
            self._ordered = None
            self._forget_picks()
        self._before = view
        self.belief.update(replace(observation, own_orders=self._ordered))
        owner, army = self.belief.position()
        estimated = replace(view, owner=owner, army=army, estimated=observation.owner == UNKNOWN)
        self._ordered = self.agent.act(estimated, budget)
        return self._ordered

    def _check_players(self, players: int) -> None:
        if players != 2:
            raise AgentError(f"agent {self.name!r}: beliefs are for games of two players, not {players}")

    def _has_picks_for(self, view: View) -> bool:
        """Return whether the stored picks belong to the game of the view.

        The map and the rules of the view must be the same as at the time of the stored picks. Before the first round,
        the player may only own regions that were offered to it at the time of the stored picks.
        """
        if self._picked_in != (view.map.digest(), view.rules):
            return False
        own_regions = np.flatnonzero(view.owner == view.player).tolist()
        return view.round > 0 or set(own_regions) <= set(self._offers)

    def _forget_picks(self) -> None:
        self._picked_in, self._offers, self._preferences, self._start = None, (), [], None

    # Methods that call the same method of the wrapped agent

    def close(self) -> None:
        """Close the wrapped agent, see `Agent.close`."""
        self.agent.close()

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raise an error if the wrapped agent cannot play on this map with these rules, or if `players` is not 2."""
        self._check_players(players)
        self.agent.check(map, rules, players)

    def prepare(self, view: View) -> None:
        """Prepare the wrapped agent, see `Agent.prepare`."""
        self.agent.prepare(view)

    @property
    def faults(self) -> Faults | None:
        """The faults of the wrapped agent, see `Agent.faults`."""
        return self.agent.faults

    @property
    def simulations(self) -> int | None:
        """The number of simulations of the wrapped agent, see `Agent.simulations`."""
        return self.agent.simulations

    def insight(self) -> dict[str, Any] | None:
        """Return the wrapped agent's information about its last answer, see `Agent.insight`."""
        return self.agent.insight()

    def last_search(self) -> SearchResult | None:
        """Return the last search of the wrapped agent, see `Agent.last_search`."""
        return self.agent.last_search()

    def search_policy(self) -> SearchPolicy | None:
        """Return the search policy of the wrapped agent, see `Agent.search_policy`."""
        return self.agent.search_policy()


def make_belief_agent(seed: int, text: str) -> BeliefAgent:
    """Make the agent with the specification ``belief:AGENT``. text: the specification AGENT of the wrapped agent."""
    return BeliefAgent(make_agent(text, seed))
