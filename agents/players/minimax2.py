"""Minimax over two plies: each of the player's candidate turns is simulated against each reply of an enemy."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated, Final

from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.parameters import FROM_ONE, SECONDS, WEIGHTS, Param, check_values, documented, parameters_of
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.search_record import Candidate, SearchRecord
from warlight_env.agents.search.lookahead import list_replies, make_lookahead_work, try_against_replies, worst_replies
from warlight_env.agents.search.search_agent import Limits, SearchAgent
from warlight_env.agents.weights import Weights
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import make_rng
from warlight_env.engine.view import View

#: Number of simulations of each pair of turns, if the agent has no limit of simulations or seconds.
DEFAULT_SAMPLES: Final = 15


@documented
class Minimax2Agent(SearchAgent):
    """Plays the turn with the highest share after the worst reply of any one enemy, over many simulations of the round.

    While one enemy replies, all other enemies choose randomly among their candidate turns. The value of a reply is its
    mean over all simulations. Each sweep simulates every pair of turn and reply once, with the same dice. A budget in
    simulations counts simulated rounds; the agent makes at least one sweep.
    """

    name = "minimax2"

    def __init__(
        self,
        seed: int = 0,
        sims: Annotated[int | None, Param("simulations of the round per move", 1, 10**9, python_range=FROM_ONE)] = None,
        secs: Annotated[float | None, SECONDS] = None,
        samples: Annotated[
            int | None,
            Param(
                f"simulations of each pair of turns (default: {DEFAULT_SAMPLES}, unless sims or secs is given)",
                1,
                10**6,
                python_range=FROM_ONE,
            ),
        ] = None,
        weights: Annotated[str | Weights, WEIGHTS] = "default",
    ) -> None:
        super().__init__(seed, sims, secs, weights)
        check_values(Minimax2Agent, {"sims": sims, "secs": secs, "samples": samples})
        self.samples = samples
        self.rng = make_rng(self.seed)

    def _search(self, view: View, limits: Limits) -> SearchRecord:
        board, players = view.board, view.players
        lookahead = self._memory(view, make_lookahead_work)
        position, context = minimal_determinization(view), make_context(board, view.params, players, self.weights)
        count = int(generate_turns(context, position, view.player, self.rng, lookahead.generator, lookahead.turns))
        list_replies(context, position, view.player, self.rng, lookahead)
        sweeps, plays, longest = 0, 0, 0.0
        while self._goes_on(sweeps, plays, longest, limits):
            start = time.perf_counter()
            plays += try_against_replies(context, position, view.player, count, self.rng, lookahead)
            sweeps, plays = sweeps + 1, int(plays)
            longest = max(longest, time.perf_counter() - start)
            if not lookahead.reply_counts.any():
                break  # no enemy is left
        worst_replies(players, count, lookahead)
        turn_visits = plays // count
        candidates = [
            Candidate(
                Orders.from_arrays(lookahead.turns.deploy[i], lookahead.turns.attacks[i], lookahead.turns.counts[i]),
                turn_visits,
                turn_visits * float(lookahead.score[i]) / sweeps,
            )
            for i in range(count)
        ]
        candidates.sort(key=lambda candidate: candidate.value, reverse=True)
        candidates = [replace(candidate, probability=float(i == 0)) for i, candidate in enumerate(candidates)]
        replies = int(lookahead.reply_counts.sum())
        depth = 2 if replies else 1
        return limits.record(candidates, plays, 1 + count * (1 + replies), depth, depth)

    def _goes_on(self, sweeps: int, plays: int, longest: float, limits: Limits) -> bool:
        """Return whether the remaining budget is enough for one more sweep over all pairs of turns."""
        if sweeps == 0:
            return True
        max_samples = self.samples
        if max_samples is None and limits.simulations is None and limits.deadline == float("inf"):
            max_samples = DEFAULT_SAMPLES
        if max_samples is not None and sweeps >= max_samples:
            return False
        if limits.simulations is not None and plays + plays // sweeps > limits.simulations:
            return False
        return time.perf_counter() + longest < limits.deadline


#: The parameters that specifications of this agent accept.
PARAMETERS: Final = parameters_of(Minimax2Agent)
