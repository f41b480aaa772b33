"""An agent that plays on what it believes: any agent, given the most likely whole position instead of fog."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, AgentError, Budget, make_agent
from warlight_env.agents.adapting import PlainAgent, as_agent
from warlight_env.agents.faults import Faults
from warlight_env.agents.records.search_record import Searched, SearchPolicy
from warlight_env.beliefs.belief import Belief, Observation
from warlight_env.beliefs.watching import Watcher, wastelands
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.maps import Map
from warlight_env.ownership import OneThread


class BelievingAgent(OneThread, Agent):
    """Wraps an agent: it is asked on the position that a `Belief` holds the most likely, in games of two."""

    exclusive_methods = ("pick", "wished", "act", "act_on", "insight", "searched", "search_policy")

    def __init__(self, agent: PlainAgent) -> None:
        self.agent = as_agent(agent)
        self.name = f"belief:{self.agent.name}"
        self.counts_simulations = self.agent.counts_simulations
        self.belief: Belief | None = None  #: of the game that goes on
        self._watcher = Watcher()
        self._before: View | None = None
        self._ordered: Orders | None = None  # in the round before
        self._picked_in: tuple[str, Rules] | None = None  # what follows is of a game on that map that has not begun yet
        self._offers: tuple[int, ...] = ()
        self._wishes: list[int] = []
        self._start: npt.NDArray[np.int32] | None = None  # armies while regions were picked

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        wishes = self.agent.pick(view)
        self.belief, self._picked_in = None, (view.map.digest(), view.rules)
        if not self._offers or set(view.offers) - set(self._offers):
            self._offers = view.offers
        self.wished(wishes[: view.params.ranked])
        self._start = view.army.copy()
        return wishes

    def wished(self, wishes: list[int]) -> None:
        """What was really asked for, the best first, where that is not what `pick` said."""
        self._wishes = wishes

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`."""
        self._check_players(view.players)
        seen = self._watcher.look(view)
        starts = None if view.starts is None else view.starts[1 - view.player]
        return self.act_on(view, Observation(view.round, view.owner, view.army, seen, starts), budget)

    def act_on(self, view: View, observation: Observation, budget: Budget | None = None) -> Orders:
        """The turn on a view whose news are given."""
        last = self._before
        if self.belief is None or last is None or view.round <= last.round or view.map != last.map:
            if not self._picked_for(view):  # nothing was picked, or in a game that never began
                self._forget_picks()
            army = self._start
            if army is None:
                army = np.array(view.map.starting_armies, dtype=np.int32)
                army[wastelands(view)] = view.params.wasteland_army
            self.belief = Belief(view.map, view.rules, view.player, army, self._offers, self._wishes)
            self._ordered = None
            self._forget_picks()
        self._before = view
        self.belief.update(replace(observation, own=self._ordered))
        owner, army = self.belief.position()
        self._ordered = self.agent.act(replace(view, owner=owner, army=army), budget)
        return self._ordered

    def _check_players(self, players: int) -> None:
        if players != 2:
            raise AgentError(f"agent {self.name!r}: beliefs are for games of two, not {players}")

    def _picked_for(self, view: View) -> bool:
        """Whether what was picked is of the game that is seen: what one has at its beginning was offered."""
        if self._picked_in != (view.map.digest(), view.rules):
            return False
        own = np.flatnonzero(view.owner == view.player).tolist()
        return view.round > 0 or set(own) <= set(self._offers)

    def _forget_picks(self) -> None:
        self._picked_in, self._offers, self._wishes, self._start = None, (), [], None

    # What the agent tells of itself.

    def close(self) -> None:
        """See `Agent.close`."""
        self.agent.close()

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """See `Agent.check`."""
        self._check_players(players)
        self.agent.check(map, rules, players)

    @property
    def faults(self) -> Faults | None:
        """See `Agent.faults`."""
        return self.agent.faults

    @property
    def simulations(self) -> int | None:
        """See `Agent.simulations`."""
        return self.agent.simulations

    def insight(self) -> dict[str, Any] | None:
        """See `Agent.insight`."""
        return self.agent.insight()

    def searched(self) -> Searched | None:
        """See `Agent.searched`."""
        return self.agent.searched()

    def search_policy(self) -> SearchPolicy | None:
        """See `Agent.search_policy`."""
        return self.agent.search_policy()


def believing(seed: int, text: str) -> BelievingAgent:
    """The agent of a specification ``belief:AGENT``, without the ``belief:``."""
    return BelievingAgent(make_agent(text, seed))
