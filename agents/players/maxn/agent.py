"""The agent that plays with Max^N search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.parameters import (
    FROM_ONE,
    SECONDS,
    WEIGHTS,
    Param,
    Range,
    check_values,
    documented,
    parameters_of,
)
from warlight_env.agents.players.maxn.battle_turns import MAX_BREADTH
from warlight_env.agents.players.maxn.depth_first import (
    DEEPEST,
    LEAVES,
    MAX_DEPTH,
    NODES,
    SHALLOWEST,
    advance,
    begin,
    make_maxn_work,
)
from warlight_env.agents.players.maxn.odds import make_odds
from warlight_env.agents.players.maxn.value import Terms
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.search_record import Candidate, SearchRecord
from warlight_env.agents.search.search_agent import Limits, SearchAgent
from warlight_env.agents.weights import Weights
from warlight_env.engine.kernel_types import Bool
from warlight_env.engine.orders import Orders
from warlight_env.engine.reference import reference
from warlight_env.engine.view import View

#: Depths that a search with a limit of seconds or positions completes in this order, up to the depth of the settings.
DEPTH_SCHEDULE: Final = (1, 4, 8, 12, 16, 20, 24)

#: Number of evaluated positions between two checks of the clock.
_SLICE: Final = 200


@documented
@dataclass(frozen=True)
class MaxnSettings:
    """The settings of Max^N; `maxn.value.battle_value` describes the terms of a battle's value."""

    sims: Annotated[int | None, Param("number of positions to evaluate per move", 1, 10**9, python_range=FROM_ONE)] = (
        None
    )
    secs: Annotated[float | None, SECONDS] = None
    depth: Annotated[int, Param("search depth in players' moves", 1, MAX_DEPTH)] = 4
    breadth: Annotated[int, Param("number of turns to search for each player", 1, MAX_BREADTH)] = 5
    territory_weight: Annotated[
        float,
        Param(
            "weight of each region of the largest connected territory",
            0,
            1000,
            python_range=Range(),
            more="It is added to the same term of the weights.",
        ),
    ] = 0.0
    join_weight: Annotated[
        float, Param("weight of battles that connect own territories", 0, 10, python_range=Range())
    ] = 0.0
    spare_weight: Annotated[
        float,
        Param(
            "weight of the penalty for attacks on weak enemies that border a strong enemy",
            0,
            10,
            python_range=Range(),
        ),
    ] = 0.0
    follow_up_weight: Annotated[
        float, Param("weight of the best battle that can follow a capture", 0, 10, python_range=Range())
    ] = 0.0
    weights: Annotated[str | Weights, WEIGHTS] = "default"

    def __post_init__(self) -> None:
        check_values(MaxnSettings, vars(self))


class MaxnAgent(SearchAgent):
    """Max^N search over several moves: each player maximizes its own share of the position's value.

    The search assumes that all battles have average results.

    A move of a player in the search is a whole turn. The turn begins with one of the best few battles, which gets the
    whole income. After each battle of a turn, the turn continues with the best battle of the new position
    (`maxn.battle_turns.make_turn`). Players move one after the other, in seat order, beginning with the searching
    player. With a limit of seconds or positions, the agent searches to the depths in `DEPTH_SCHEDULE` that are below
    the depth of the settings, and then to this depth. The deepest completed search gives the answer. The search is
    deterministic. See `MaxnSettings` for the parameters.
    """

    name = "maxn"

    def __init__(self, seed: int = 0, sims: int | None = None, secs: float | None = None, **parameters: Any) -> None:
        settings = MaxnSettings(sims, secs, **parameters)
        super().__init__(seed, sims, secs, settings.weights)
        self.depth, self.breadth = settings.depth, settings.breadth
        self._terms = float(settings.join_weight), float(settings.spare_weight), float(settings.follow_up_weight)
        largest_territory = self.weights.largest_territory + settings.territory_weight
        self.weights = self.weights._replace(largest_territory=largest_territory)

    def _search(self, view: View, limits: Limits) -> SearchRecord:
        unlimited = limits.simulations is None and limits.deadline == float("inf")
        depths = [self.depth] if unlimited else [*(d for d in DEPTH_SCHEDULE if d < self.depth), self.depth]
        answer: SearchRecord | None = None
        evaluated = nodes = 0
        for depth in depths:
            finished, record = self._to_depth(view, depth, limits, evaluated)
            evaluated, nodes = evaluated + record.simulations[0], nodes + record.nodes[0]
            if finished or answer is None:
                answer = record
            if not finished:
                break
        assert answer is not None
        return limits.record(answer.candidates, evaluated, nodes, answer.shallowest[0], answer.deepest[0])

    def _to_depth(self, view: View, depth: int, limits: Limits, evaluated: int) -> tuple[bool, SearchRecord]:
        """Search to one depth; return whether the search was completed, and the turns, sorted by the player's share."""
        work = self._memory(view, make_maxn_work)
        context = make_context(view.board, view.params, view.players, self.weights)
        terms = reference(Terms(make_odds(view.params.dice), *self._terms))
        count = begin(context, minimal_determinization(view), terms, view.player, self.breadth, work)
        finished: Bool = False
        while not finished:
            leaves = (
                _SLICE
                if limits.simulations is None
                else min(_SLICE, limits.simulations - evaluated - work.counters[LEAVES])
            )
            if leaves < 1 or limits.late:
                break
            finished = advance(context, terms, self.breadth, depth, leaves, work)
        turns = work.turns
        candidates = [
            Candidate(
                Orders.from_arrays(turns.deploy[i], turns.attacks[i], turns.counts[i]),
                int(work.value[i] >= 0),
                max(0.0, float(work.value[i])),
            )
            for i in range(count)
        ]  # turns are in descending order of their first battle's value; turns with equal shares keep this order
        candidates.sort(key=lambda candidate: candidate.value, reverse=True)
        candidates = [replace(candidate, probability=float(i == 0)) for i, candidate in enumerate(candidates)]
        n_leaves, nodes, shallowest, deepest = work.counters[[LEAVES, NODES, SHALLOWEST, DEEPEST]].tolist()
        return bool(finished), limits.record(candidates, n_leaves, nodes, min(shallowest, deepest), deepest)


#: The parameters that specifications of this agent accept.
PARAMETERS: Final = parameters_of(MaxnSettings)
