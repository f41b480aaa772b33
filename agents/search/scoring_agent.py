"""The base class of agents that score turns with a one-round lookahead, and play the turn with the highest score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from warlight_env.agents.base import KernelAgent
from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.records.search_record import SearchPolicy
from warlight_env.agents.search.lookahead import LookaheadWork
from warlight_env.engine.orders import Orders
from warlight_env.engine.view import View


class ScoringAgent(KernelAgent):
    """An agent that uses `lookahead.score_turns`.

    Subclasses define `chooser`, a kernel that writes a turn to `deploy` and `attacks`, and returns the number of
    attacks. If there are several candidate turns, the kernel scores all of them.
    """

    #: the kernel, with the arguments (context, position, player, samples, rng, work, deploy, attacks)
    chooser: ClassVar[Callable[..., Any]]
    _context: Context
    _work: LookaheadWork  #: stores the scores
    samples: int  #: number of simulated rounds for each turn
    _attack_count: int | None = None
    _limit: int = 0

    def _context_for(self, view: View) -> Context:
        """Return the context with the evaluation for a turn."""
        return self._context

    def _write(self, view: View) -> int:
        self._work.score[:] = np.nan  # mark all scores as missing, so that old scores are not used again
        context, position = self._context_for(view), minimal_determinization(view)
        count = self.chooser(
            context, position, view.player, self.samples, self.rng, self._work, self._deploy, self._attacks
        )
        self._limit, self._attack_count = int(view.params.max_orders), int(count)
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
