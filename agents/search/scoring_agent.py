"""The base class of agents that score turns with a one-round lookahead, and play the turn with the highest score."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from warlight_env.agents.base import KernelAgent
from warlight_env.agents.records.search_record import SearchPolicy
from warlight_env.agents.search.lookahead import LookaheadWork
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View


class ScoringAgent(KernelAgent):
    """An agent that uses `lookahead.score_turns`.

    Subclasses define `_choose`, which scores the turns.
    """

    _work: LookaheadWork  #: stores the scores
    samples: int  #: number of simulated rounds for each turn
    _attack_count: int | None = None
    _limit: int = 0

    @abstractmethod
    def _choose(self, view: View) -> int:
        """Choose a turn, and write it as `KernelAgent._write` does; score all candidate turns if there are several."""

    def _write(self, view: View) -> int:
        self._work.score[:] = np.nan  # mark all scores as missing, so that old scores are not used again
        self._limit, self._attack_count = int(view.params.max_orders), self._choose(view)
        return self._attack_count

    def search_policy(self) -> SearchPolicy | None:
        """See `Agent.search_policy`. If there was only one candidate turn, its value is NaN."""
        if self._attack_count is None:
            return None
        turns, score = self._work.turns, self._work.score
        scored = np.flatnonzero(~np.isnan(score))
        order = scored[np.argsort(-score[scored], kind="stable")].tolist()
        answer = Orders.from_arrays(self._deploy, self._attacks, self._attack_count)
        alternatives = [Orders.from_arrays(turns.deploy[i], turns.attacks[i], int(turns.counts[i])) for i in order[1:]]
        values = score[order] / self.samples if order else np.array([np.nan])
        return SearchPolicy(
            turns=tuple(orders.limited(self._limit) for orders in (answer, *alternatives)),
            picks=((),) * len(values),
            probabilities=np.eye(1, len(values))[0],
            values=values,
        )
