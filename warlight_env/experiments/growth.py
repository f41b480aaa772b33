"""Experiments on the income of players without active opponents, with an estimate of the highest possible income.

The opponent is a passive player, which never moves. The passive player owns one region, the farthest from the starting
regions of player 0. The region of the passive player has so many armies that no player attacks it early. The starting
regions of the passive player become neutral. The passive player is necessary because a game with only one player is
over.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.agents import make_agent
from warlight_env.agents.context import Context, draw_turn, generate
from warlight_env.agents.evaluation.determinization import farthest
from warlight_env.agents.planning.plans import generate_plans, planned_turn
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.generator_work import (
    GeneratorWork,
    TurnSet,
    copy_turn,
    make_generator_work,
    make_turn_set,
)
from warlight_env.agents.weights import EXPANDING
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import Int, RandomState, Real
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position, copy_position, make_position
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import derive_seed, make_rng, next_u64
from warlight_env.engine.round import income, resolve_orders
from warlight_env.engine.state import NEUTRAL, Workspace, make_workspace
from warlight_env.engine.view import View
from warlight_env.experiments.base import ExperimentSettings, Measurement
from warlight_env.experiments.players import QUICK_SIMULATIONS, with_parameters
from warlight_env.experiments.rows import Row, number_row
from warlight_env.game import Game
from warlight_env.record.variation_play import with_regions
from warlight_env.thread_ownership import SingleThreaded

#: Number of rounds in a game.
ROUNDS: Final = 8
#: Armies of the passive player, and of the regions in which it would have started.
_BYSTANDER, _NEUTRAL = 20, 2
#: The number of turns in a round that the long search (`IncomeSearch`) compares. Each stage of this search has a number
#: of remaining turns, and a number of simulated games for each remaining turn.
_TURNS: Final = 200
_STAGES: Final = ((200, 40), (50, 160), (12, 640))
_QUICK_STAGES: Final = ((20, 2),)


def solo_game(seed: int) -> Game:
    """Return a game on the world map with the rules `thesis`.

    Player 0 has random start regions, and player 1, which is passive, has one region far away.
    """
    game = Game("world", "thesis", 2, seed=seed, picks="random")
    board, owner, army = game.view(0).board, game.owner.copy(), game.army.copy()
    army[owner == 1] = _NEUTRAL
    owner[owner == 1] = NEUTRAL
    region = farthest(board.distance, owner, 0, owner == NEUTRAL)[0]
    owner[region], army[region] = 1, _BYSTANDER
    return with_regions(game, list(zip(range(board.n_regions), owner.tolist(), army.tolist(), strict=True)))


class GrowthWork(NamedTuple):
    """Output and working memory of the long search."""

    generator: GeneratorWork
    turns: TurnSet
    round: Workspace
    position: Position
    dice: npt.NDArray[np.uint64]  #: [2]
    total: npt.NDArray[np.float64]  #: [K] incomes
    order: npt.NDArray[np.int64]  #: [K] turns, the best first


@kernel
def _income_after(context: Context, position: Position, turn_index: Int, rounds: Int, work: GrowthWork) -> Real:
    """Return player 0's income after `rounds` rounds.

    Player 0 plays turn `turn_index` of `work`, and later random turns.
    """
    after, orders = work.position, work.round
    copy_position(position, after)
    for index in range(rounds):
        if index == 0:
            orders.counts[0] = copy_turn(work.turns, turn_index, orders.deploy[0], orders.attacks[0])
        else:
            orders.counts[0] = draw_turn(
                context, after, 0, work.dice, work.generator, orders.deploy[0], orders.attacks[0]
            )
        orders.counts[1] = 0
        for r in range(after.owner.shape[0]):
            orders.deploy[1, r] = 0
        resolve_orders(context.params, after, orders, work.dice, None, None)
    return float(income(context.board, context.params.base_income, after.owner, 0))


@kernel
def choose_growth(
    context: Context,
    position: Position,
    rounds: Int,
    stages: npt.NDArray[np.int64],
    rng: RandomState,
    work: GrowthWork,
) -> Int:
    """Return the index of the turn in `work` that gives player 0 the highest mean income after `rounds` rounds.

    stages: int64[S, 2], the number of turns to compare, and the number of simulated games for each turn. All compared
    turns are simulated with the same random numbers.
    """
    count = generate(context, position, 0, rng, work.generator, work.turns)
    total, order = work.total, work.order
    for i in range(count):
        order[i] = i
    for s in range(stages.shape[0]):
        n_turns = min(count, stages[s, 0])
        for i in range(n_turns):
            total[order[i]] = 0.0
        for _ in range(stages[s, 1]):
            first, second = next_u64(rng), next_u64(rng)
            for i in range(n_turns):
                work.dice[0], work.dice[1] = first, second
                total[order[i]] += _income_after(context, position, order[i], rounds, work)
        for i in range(1, n_turns):  # move the best turns to the front
            turn, k = order[i], i
            while k > 0 and total[order[k - 1]] < total[turn]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = turn
    return order[0]


class IncomeSearch(SingleThreaded):
    """A search for the fastest growth.

    The search chooses the turn with the highest mean income after the last simulated round.

    The search simulates many games for each turn.
    """

    exclusive_methods = ("act",)

    def __init__(self, view: View, seed: int, quick: bool) -> None:
        self._rng = make_rng(seed)
        self._stages = np.array(_QUICK_STAGES if quick else _STAGES, np.int64)
        functions = Functions(generator=generate_plans, policy=planned_turn, capacity=_TURNS)
        self._context = make_context(view.board, view.params, 2, EXPANDING, functions=functions)
        n, e = view.board.n_regions, view.board.n_edges
        self._work = reference(
            GrowthWork(
                generator=make_generator_work(n, e, 2),
                turns=make_turn_set(n, e, _TURNS),
                round=make_workspace(n, e, 2),
                position=make_position(n),
                dice=np.zeros(2, np.uint64),
                total=np.zeros(_TURNS),
                order=np.zeros(_TURNS, np.int64),
            )
        )

    def act(self, view: View, rounds_left: int) -> Orders:
        """Return the turn for `view`, with `rounds_left` rounds still to play."""
        best = choose_growth(self._context, view.position, rounds_left, self._stages, self._rng, self._work)
        turns = self._work.turns
        return Orders.from_arrays(turns.deploy[best], turns.attacks[best], int(turns.counts[best]))


def measure_growth(settings: ExperimentSettings, unit: int, horizon: int = 0) -> dict[str, list[float]]:
    """Return income and regions after each round of one game.

    The player is the agent that `settings` name. If `settings` name no agent, the player is `IncomeSearch`; its
    simulations continue for `horizon` rounds after the last round of the game.
    """
    game = solo_game(derive_seed(settings.seed, unit))
    seed = derive_seed(settings.seed, unit, 1)
    search = None if settings.agent else IncomeSearch(game.view(0), seed, settings.quick)
    limit = {"sims": str(QUICK_SIMULATIONS)} if settings.quick and settings.agent.startswith(("mcts", "nash")) else {}
    agent = make_agent(with_parameters(settings.agent, limit), seed) if settings.agent else None
    values: dict[str, list[float]] = {"income": [], "regions": []}
    for rounds_left in range(ROUNDS, 0, -1):
        view = game.view(0)
        orders = search.act(view, rounds_left + horizon) if search else agent.act(view) if agent else Orders()
        game.play_round({0: orders, 1: Orders()})
        values["income"].append(float(game.income(0)))
        values["regions"].append(float((game.owner == 0).sum()))
        if game.done:
            break
    return values


def summarise_growth(records: Sequence[dict[str, list[float]]]) -> list[Row]:
    """Return two rows: the mean income and the mean number of regions after the last round."""
    return [
        number_row(f"{key} after {ROUNDS} rounds", [[values[key][-1]] for values in records], "mean", None, "starts", 2)
        for key in ("income", "regions")
    ]


#: The income of players that grow without opponents.
GROWTH = Measurement(
    name="growth",
    title="Growth of players without opposition",
    setting=(
        "World map, preset `thesis`, random starting regions. Each player plays eight rounds in games with a "
        "passive player, which has one far region and never moves. All players have the same starts."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=1.0,
    agents=("aggressive", "one_ply", "plan", "nash:sims=1000", "mcts:sims=457"),
)


#: The income that a long search (`IncomeSearch`) reaches without opponents.
GROWTH_BEST = Measurement(
    name="growth-best",
    title="Growth of a long search without opposition",
    setting=(
        "The starts of `growth`. In each round the search compares 200 turns by the mean income after the eighth "
        "round. It tries all turns in 40 games each, the best 50 of them in 160 games each, and the best 12 of "
        "these in 640 games each. In these games, plans decide the later rounds."
    ),
    measure=measure_growth,
    summary=summarise_growth,
    count=200,
    cost=2.0,
    agents=("",),
)


#: The income of a long search (`IncomeSearch`) that maximizes the income in a later round.
GROWTH_LATER = Measurement(
    name="growth-later",
    title="Growth of a long search that looks further ahead",
    setting=(
        "As in `growth-best`, but the search compares turns by the mean income after the twelfth round. The games "
        "still have eight rounds."
    ),
    measure=partial(measure_growth, horizon=4),
    summary=summarise_growth,
    count=200,
    cost=2.0,
    agents=("",),
)
