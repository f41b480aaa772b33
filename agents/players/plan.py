"""The planning player: it chooses the best of many plans after a one-round lookahead.

While no enemy is near, the player evaluates positions only by present and possible income (`growth_share`). The usual
evaluation of agents also counts armies, and would make the planning player capture neutral regions more slowly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, Literal

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.determinization import distance_to
from warlight_env.agents.evaluation.income_forecast import growth_share
from warlight_env.agents.parameters import WEIGHTS, Param, check_values, documented, parameters_of
from warlight_env.agents.planning.plans import only_plans, random_style_turn
from warlight_env.agents.planning.simulated_picks import PICKS, simulated_picks
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.generator_work import TurnSet, copy_turn
from warlight_env.agents.records.plan_work import GOALS
from warlight_env.agents.records.value_record import VALUE, ValueNetwork, load_value
from warlight_env.agents.search.lookahead import LookaheadWork, highest, make_lookahead_work, score_turns
from warlight_env.agents.search.scoring_agent import ScoringAgent
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState
from warlight_env.engine.position import Position
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View


@kernel
def choose_plan(
    context: Context,
    position: Position,
    player: Int,
    samples: Int,
    rng: RandomState,
    work: LookaheadWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the plan with the highest mean share after the round to deploy int32[N] and attacks int32[E, 3].

    The context's policy chooses the other players' turns. Returns the number of attacks. After the call,
    `work.generator.plan` contains the goals of the plan.
    """
    generator, turns = work.generator, work.turns
    first, second = rng[0], rng[1]
    count = only_plans(context, position, player, rng, generator, turns)
    best: Int = np.int64(0)
    if count > 1:
        score_turns(context, position, player, samples, turns, count, rng, work)
        best = highest(work.score, count)
    after = rng[0], rng[1]
    rng[0], rng[1] = first, second  # make the chosen plan again, because `plan` has only the goals of the last plan
    only_plans(
        context, position, player, rng, generator,
        TurnSet(turns.deploy[: best + 1], turns.attacks[: best + 1], turns.counts[: best + 1]),
    )  # fmt: skip
    rng[0], rng[1] = after
    return copy_turn(turns, best, deploy, attacks)


@documented
class PlanAgent(ScoringAgent):
    """Plans turns in many styles, and plays the turn with the highest value after the round; any number of players.

    A goal is to complete a super region, to capture a neutral or an enemy's region, or to defend an own region. While
    no enemy is near, the value of a turn is its growth, as a fraction of the map's total income, and the values in
    `search_policy` are not win probabilities.
    """

    name = "plan"
    chooser = staticmethod(choose_plan)

    def __init__(
        self,
        seed: int = 0,
        candidates: Annotated[int, Param("number of planning styles to choose from", 1, 200)] = 40,
        samples: Annotated[int, Param("simulations of the round for each plan", 1, 10_000)] = 10,
        value: Annotated[str | ValueNetwork | None, VALUE] = "learned",
        picks: Annotated[Literal["simulated", "best"], PICKS] = "simulated",
        weights: Annotated[str | Weights, WEIGHTS] = "expanding",
        contact_distance: Annotated[
            int,
            Param(
                "the bot values only growth while enemies and hidden regions are more than this number of steps away",
                0,
                1000,
            ),
        ] = 3,
    ) -> None:
        super().__init__(seed)
        check_values(
            PlanAgent,
            {"candidates": candidates, "samples": samples, "contact_distance": contact_distance, "picks": picks},
        )
        self.candidates, self.samples, self.contact_distance, self.picks = candidates, samples, contact_distance, picks
        self.weights, self.value = Weights.load(weights), load_value(value)
        self._functions = Functions(generator=only_plans, policy=random_style_turn, capacity=candidates)

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        self._context = make_context(
            view.board, view.params, view.players, self.weights, functions=self._functions, value=self.value
        )
        self._growth_context = make_context(
            view.board, view.params, view.players, self.weights,
            functions=replace(self._functions, evaluation=growth_share),
        )  # fmt: skip
        self._work = make_lookahead_work(view.board.n_regions, view.board.n_edges, view.players, self.candidates)

    def _only_grows(self, view: View) -> bool:
        """Return whether the agent evaluates positions only by growth (present and possible income).

        The result is True if the map has bonuses, the weights `income` and `prospect` are positive, and no enemy is
        near. No enemy is near if each enemy region and each hidden region is more than `contact_distance` steps away
        from the player's regions.
        """
        if not (self.weights.income > 0 and self.weights.prospect > 0 and view.board.bonus.any()):
            return False
        threats = (view.owner == UNKNOWN) | ((view.owner != NEUTRAL) & (view.owner != view.player))
        return bool((distance_to(view.board.distance, view.owner, view.player)[threats] > self.contact_distance).all())

    def _context_for(self, view: View) -> Context:
        self._player = view.player
        return self._growth_context if self._only_grows(view) else self._context

    def insight(self) -> dict[str, Any] | None:
        """Return the goals of the last turn in the order in which they were chosen; None before the first turn.

        A goal contains a region, the type of the goal, the armies that it needs and its value in armies.
        """
        if self._prepared_game is None:
            return None
        plan = self._work.generator.plan
        goals = []
        for k in range(int(plan.numbers[GOALS])):
            region, owner, armies = (int(value) for value in plan.goals[k])
            kind = "hold" if owner == self._player else "take" if owner == NEUTRAL else "attack"
            goals.append(
                {"region": region, "goal": kind, "armies": armies, "worth": round(float(plan.goal_values[k]), 2)}
            )
        return {"goals": goals}

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        if self.picks == "best":
            return super().pick(view)
        return simulated_picks(view, self.weights, self.value, self.rng)


#: The parameters that specifications of this agent accept.
PARAMETERS: Final = parameters_of(PlanAgent)
