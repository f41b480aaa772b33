"""An agent that plays on what it believes: any agent, given the most likely whole position instead of fog."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, AgentError, Budget, make_agent
from warlight_env.agents.optional import close
from warlight_env.beliefs.belief import Belief, Observation
from warlight_env.beliefs.watching import Watcher, wastelands
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View


class BelievingAgent:
    """Wraps an agent: it is asked on the position that a `Belief` holds the most likely, in games of two."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.name = f"belief:{agent.name}"
        self.belief: Belief | None = None  #: of the game that goes on
        self._watcher = Watcher()
        self._before: View | None = None
        self._offers: tuple[int, ...] = ()
        self._wishes: list[int] = []
        self._start: npt.NDArray[np.int32] | None = None  # armies while regions were picked

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        wishes = self.agent.pick(view)
        self.belief = None
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
        if view.players != 2:
            raise AgentError(f"agent {self.name!r}: beliefs are for games of two, not {view.players}")
        seen = self._watcher.look(view)
        starts = None if view.starts is None else view.starts[1 - view.player]
        return self.act_on(view, Observation(view.round, view.owner, view.army, seen, starts), budget)

    def act_on(self, view: View, observation: Observation, budget: Budget | None = None) -> Orders:
        """The turn on a view whose news are given."""
        last = self._before
        if self.belief is None or last is None or view.round <= last.round or view.board is not last.board:
            army = self._start
            if army is None:
                army = np.array(view.map.starting_armies, dtype=np.int32)
                army[wastelands(view)] = view.rules.wasteland_army
            self.belief = Belief(view.map, view.rules, view.player, army, self._offers, self._wishes)
        self._before = view
        self.belief.update(observation)
        owner, army = self.belief.position()
        return self.agent.act(replace(view, owner=owner, army=army), budget)

    def close(self) -> None:
        """The game is over: the agent is told, if it has a method `close`."""
        close(self.agent)

    # What the agent tells of itself, as a match and a log ask for it.

    @property
    def faults(self) -> Any:
        """See `Player.faults`; None: the agent tells none."""
        return getattr(self.agent, "faults", None)

    @property
    def simulations(self) -> int | None:
        """Those of the agent's last answer; None: it does not say."""
        return getattr(self.agent, "simulations", None)

    @property
    def counts_simulations(self) -> bool:
        """See `Setup.check_clocks`."""
        return getattr(self.agent, "counts_simulations", True)

    def insight(self) -> dict[str, Any] | None:
        """What the agent thought, see `warlight_env.record.insight`."""
        from warlight_env.record.insight import insight_of

        return insight_of(self.agent, self._before.round + 1 if self._before is not None else 0)


def believing(seed: int, text: str) -> BelievingAgent:
    """The agent of a specification ``belief:AGENT``, without the ``belief:``."""
    return BelievingAgent(make_agent(text, seed))
