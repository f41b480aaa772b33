"""The player by equilibrium search."""

from __future__ import annotations

import math
import time
from typing import Annotated, Final, Literal

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.imagined import lone
from warlight_env.agents.nash.equilibrium import begin, iterate
from warlight_env.agents.nash.nash_work import NashSetup, NashWork, make_nash_work
from warlight_env.agents.nash.responses import climb, join, start_climb
from warlight_env.agents.parameters import (
    FROM_ONE,
    SECONDS,
    WEIGHTS,
    Range,
    Told,
    check_values,
    documented,
    parameters_of,
)
from warlight_env.agents.planning.picks import PICKS, played_picks
from warlight_env.agents.planning.plans import generate_plans, planned_turn
from warlight_env.agents.plug_ins import Functions, make_context
from warlight_env.agents.search.budgeted import Found, Limits, SearchingAgent
from warlight_env.agents.search_record import Candidate
from warlight_env.agents.value_record import VALUE, ValueNetwork, load_value
from warlight_env.agents.weights import Weights
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import make_rng
from warlight_env.engine.view import View

#: Plays of a move where neither simulations nor seconds are given.
DEFAULT_PLAYS: Final = 5000
#: Plays between looks at the clock.
_SLICE: Final = 64
#: Seconds that are kept back for the answer.
_ANSWER: Final = 0.002
#: A turn that the mixture takes less often than its likeliest by this factor is not drawn: that much is noise.
_LEAST: Final = 0.1


class _Move:
    """A move that is searched, and how much of its budget is spent."""

    def __init__(self, context: Context, setup: NashSetup, position: Position, work: NashWork, limits: Limits) -> None:
        self.context, self.setup, self.position, self.work = context, setup, position, work
        self._limits, self._start = limits, time.perf_counter()

    @property
    def spent(self) -> float:
        """Part of the budget that is spent: of plays or of time, whichever is more."""
        limits, spent = self._limits, 0.0
        if limits.simulations is not None:
            spent = int(self.work.spent[0]) / limits.simulations
        if limits.deadline != math.inf:
            whole = limits.deadline - _ANSWER - self._start
            spent = max(spent, (time.perf_counter() - self._start) / whole if whole > 0 else 1.0)
        return spent

    def solve(self, end: float) -> None:
        """Regret matching until so much of the budget is spent, one iteration at least."""
        while self.work.spent[1] == 0 or self.spent < end:
            before = int(self.work.spent[0])
            iterate(self.context, self.setup, self.position, 1, self.work)
            if self.work.spent[0] == before:
                return  # nobody has a choice

    def respond(self, player: int, end: float) -> None:
        """Look for a player's best response until so much of the budget is spent."""
        if self.spent >= end:
            return
        start_climb(self.context, self.setup, self.position, player, self.work)
        while self.spent < end:
            before = int(self.work.spent[0])
            climb(self.context, self.setup, self.position, player, _SLICE, self.work)
            if self.work.spent[0] == before:
                return  # there is nothing to change
        join(self.context, self.setup, self.position, player, self.work)


@documented
class NashAgent(SearchingAgent):
    """Solves the round as a game of simultaneous turns: generated and planned ones of all players, regret matching for
    mixtures, and local search for best responses to these, which join the game. A budget in simulations counts plays of
    the round with what follows."""

    name = "nash"
    default_simulations = DEFAULT_PLAYS

    def __init__(
        self,
        seed: int = 0,
        sims: Annotated[
            int | None,
            Told(
                f"plays a move (default: {DEFAULT_PLAYS}, unless secs is given)", 1, 10**9, takes=FROM_ONE, short="sims"
            ),
        ] = None,
        secs: Annotated[float | None, SECONDS] = None,
        candidates: Annotated[int, Told("turns of each player at first", 1, 200)] = 20,
        rounds: Annotated[
            int | None,
            Told(
                "rounds of a play: the first by these turns, more by plans (default: 1 with a value network, else 2)",
                1,
                100,
            ),
        ] = None,
        responses: Annotated[int, Told("times that best responses are looked for", 0, 100)] = 3,
        refine: Annotated[
            float,
            Told("part of the budget for best responses", 0, 0.99, takes=Range(0, 1, below_high=True), shared=True),
        ] = 0.5,
        scenarios: Annotated[int, Told("scenarios in which best responses are tried", 1, 10_000, shared=True)] = 48,
        answer: Annotated[
            Literal["best", "mixture"],
            Told("the best turn against the others' mixtures, or one drawn from our own", choices=("best", "mixture")),
        ] = "best",
        value: Annotated[str | ValueNetwork | None, VALUE] = "learned",
        picks: Annotated[Literal["played", "best"], PICKS] = "played",
        weights: Annotated[str | Weights, WEIGHTS] = "planning",
    ) -> None:
        super().__init__(seed, sims, secs, weights)
        self.candidates, self.responses, self.refine = candidates, responses, refine
        self.scenarios, self.answer, self.picks = scenarios, answer, picks
        check_values(NashAgent, {**vars(self), "sims": sims, "secs": secs, "rounds": rounds})
        self.rng = make_rng(seed)
        self.value = load_value(value)
        self.rounds = rounds or (2 if self.value is None else 1)
        self._functions = Functions(generator=generate_plans, policy=planned_turn, capacity=candidates)

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        if self.picks == "best":
            return super().pick(view)
        return played_picks(view, self.weights, self.value, self.rng)

    def _make_memory(self, n_regions: int, n_edges: int, players: int) -> NashWork:
        return make_nash_work(n_regions, n_edges, players, self.candidates, self.responses, self.scenarios)

    def _search(self, view: View, limits: Limits) -> Found:
        work = self._memory(view, self._make_memory)
        work.rng[:] = self.rng
        context = make_context(
            view.board, view.params, view.players, self.weights, functions=self._functions, value=self.value
        )
        setup = reference(NashSetup(self.rounds, self.scenarios))
        move = _Move(context, setup, lone(view), work, limits)
        begin(context, move.position, work)
        others = [p for p in range(view.players) if p != view.player and work.sizes[p]]
        times = self.responses if others and self.refine else 0
        part = self.refine if times else 0.0
        end = (1.0 - part) / (times + 1)
        move.solve(end)
        for _ in range(times):
            end += 0.5 * part / times  # half of it for us
            move.respond(view.player, end)
            for p in others:
                end += 0.5 * part / times / len(others)
                move.respond(p, end)
            end += (1.0 - part) / (times + 1)
            move.solve(end)
        self.rng[:] = work.rng
        return self._found(view, work)

    def _found(self, view: View, work: NashWork) -> Found:
        me, turns = view.player, work.turns
        count = int(work.sizes[me])
        visits, total, mixture = work.visits[me, :count], work.total[me, :count], work.average[me, :count]
        found = [
            Candidate(
                Orders.from_arrays(turns.deploy[me, i], turns.attacks[me, i], int(turns.counts[me, i])),
                int(visits[i]),
                float(total[i]),
                refined=i >= self.candidates,
            )
            for i in range(count)
        ]
        best = max(range(count), key=lambda i: found[i].value)
        likely = np.where(mixture >= _LEAST * mixture.max(), mixture, 0.0)
        if self.answer == "mixture" and likely.sum() > 0:
            best = int(np.random.default_rng(int(self.rng[0])).choice(count, p=likely / likely.sum()))
        order = sorted(range(count), key=lambda i: (i != best, -mixture[i]))
        return Found([found[i] for i in order], int(work.spent[0]), int(work.sizes.sum()), 1, 1)


#: What specifications take.
PARAMETERS: Final = parameters_of(NashAgent)
