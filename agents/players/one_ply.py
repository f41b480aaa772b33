"""The one-ply player: it plays the candidate turn with the highest mean share after a one-round lookahead."""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.parameters import WEIGHTS, Param, check_values, documented, parameters_of
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.generator_work import copy_turn
from warlight_env.agents.search.lookahead import LookaheadWork, highest, make_lookahead_work, score_turns
from warlight_env.agents.search.scoring_agent import ScoringAgent
from warlight_env.agents.weights import Weights
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Armies, AttackRows, Int, RandomState, Real
from warlight_env.engine.position import Position
from warlight_env.engine.rng import below, uniform
from warlight_env.engine.view import View


@kernel
def choose_turn(
    context: Context,
    position: Position,
    player: Int,
    samples: Int,
    epsilon: Real,
    rng: RandomState,
    work: LookaheadWork,
) -> Int:
    """Return the index in `work.turns` of the turn with the highest mean share.

    The mean share of a turn is computed from `samples` simulations of the round. With probability `epsilon`, the index
    of a random turn is returned instead. In simulations, the context's policy chooses the other players' turns, see
    `score_turns`. rng: uint64[2].
    """
    count = generate_turns(context, position, player, rng, work.generator, work.turns)
    if count == 1:
        return np.int64(0)
    if epsilon > 0.0 and uniform(rng) < epsilon:
        return below(rng, count)
    score_turns(context, position, player, samples, work.turns, count, rng, work)
    return highest(work.score, count)


@kernel
def one_ply_turn(
    context: Context,
    position: Position,
    player: Int,
    samples: Int,
    rng: RandomState,
    work: LookaheadWork,
    deploy: Armies,
    attacks: AttackRows,
) -> Int:
    """Write the turn of `choose_turn` to deploy int32[N] and attacks int32[E, 3], and return the number of attacks."""
    best = choose_turn(context, position, player, samples, 0.0, rng, work)
    return copy_turn(work.turns, best, deploy, attacks)


@documented
class OnePlyAgent(ScoringAgent):
    """Plays the best turn according to a one-round lookahead, with the evaluation of `mcts`; for 2 or more players."""

    name = "one_ply"
    chooser = staticmethod(one_ply_turn)

    def __init__(
        self,
        seed: int = 0,
        weights: Annotated[str | Weights, WEIGHTS] = "default",
        samples: Annotated[int, Param("simulations of the round for each turn", 1, 10_000)] = 5,
    ) -> None:
        super().__init__(seed)
        check_values(OnePlyAgent, {"samples": samples})
        self.weights, self.samples = Weights.load(weights), samples

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        self._context = make_context(view.board, view.params, view.players, self.weights)
        self._work = make_lookahead_work(view.board.n_regions, view.board.n_edges, view.players)


#: The parameters that specifications of this agent accept.
PARAMETERS: Final = parameters_of(OnePlyAgent)
