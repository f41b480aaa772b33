"""The player that plans: the turn of its goals, without any search."""

from __future__ import annotations

from typing import Annotated, Any, Final

from warlight_env.agents.base import KernelAgent
from warlight_env.agents.evaluation import write_best_picks
from warlight_env.agents.generator_work import make_generator_work
from warlight_env.agents.imagined import lone
from warlight_env.agents.parameters import WEIGHTS, documented, parameters_of
from warlight_env.agents.planning.plans import planned_turn
from warlight_env.agents.plug_ins import make_context
from warlight_env.agents.weights import Weights
from warlight_env.engine.state import NEUTRAL
from warlight_env.engine.view import View


@documented
class PlanAgent(KernelAgent):
    """Plans its turn from goals: super regions, neutral regions, enemies' regions, own ones to hold; any number of
    players."""

    name = "plan"

    def __init__(self, seed: int = 0, weights: Annotated[str | Weights, WEIGHTS] = "planning") -> None:
        super().__init__(seed)
        self.weights = Weights.load(weights)

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        self._context = make_context(view.board, view.params, view.players, self.weights)
        self._work = make_generator_work(view.board.n_regions, view.board.n_edges, view.players)

    def _write(self, view: View) -> int:
        self._player = view.player
        return int(
            planned_turn(self._context, lone(view), view.player, self.rng, self._work, self._deploy, self._attacks)
        )

    def insight(self) -> dict[str, Any] | None:
        """The goals of the last turn in their order: a region, what is to be done with it, the armies that it takes and
        what it is worth, in armies; None before the first."""
        if self._known is None:
            return None
        plan = self._work.plan
        goals = []
        for k in range(int(plan.numbers[1])):
            region, owner, armies = (int(value) for value in plan.chosen[k])
            kind = "hold" if owner == self._player else "take" if owner == NEUTRAL else "attack"
            goals.append({"region": region, "goal": kind, "armies": armies, "worth": round(float(plan.worth[k]), 2)})
        return {"goals": goals}

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        return self._picked(view, write_best_picks, self.weights)


#: What specifications take.
PARAMETERS: Final = parameters_of(PlanAgent)
