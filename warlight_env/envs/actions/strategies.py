"""The action encoding `strategies`: an action is one of three deploy strategies and one of three attack strategies.

The strategies are those of the bot in Palášek's thesis (2019).
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.context import Context
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.generators.attacks import GENERATORS as ATTACK_GENERATORS
from warlight_env.agents.generators.attacks import write_attacks
from warlight_env.agents.generators.deploys import GENERATORS as DEPLOY_GENERATORS
from warlight_env.agents.generators.deploys import deploy_nearest, write_deploy
from warlight_env.agents.generators.turns import prepare
from warlight_env.agents.records.generator_work import GeneratorWork
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.engine.board import Board
from warlight_env.engine.jit import kernel
from warlight_env.engine.kernel_types import ActionRow, Int, Marks
from warlight_env.engine.orders import cut_turn
from warlight_env.engine.rules import RuleParams
from warlight_env.engine.view import View
from warlight_env.envs.actions.base import I8, DiscreteEncoding
from warlight_env.envs.actions.kernels import COUNT, READY, ActionWork, PlayerPosition, Turn
from warlight_env.envs.actions.turns import I64, Choice, InexpressibleError, Loss

_N_ATTACKS: Final = len(ATTACK_GENERATORS)
STRATEGIES: Final = tuple(f"{deploy} {attack}" for deploy in DEPLOY_GENERATORS for attack in ATTACK_GENERATORS)


@kernel
def submit_strategy(
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, row: ActionRow
) -> Int:
    """Write the turn of a deploy strategy and an attack strategy; the kernel `submit` of the encoding `strategies`."""
    board, params = context.board, context.params
    turn.status[READY] = 1
    strategy, generator = row[0] // _N_ATTACKS, work.generator
    if view.picking:
        out = turn.preferences
        turn.status[COUNT] = write_best_picks(context, view.position, view.free, view.player, work.rng, out)
        return 1 if row[0] != 0 else 0
    prepare(context, view.position, view.player, generator)
    illegal = 0
    if not write_deploy(context, view.position, strategy, view.player, view.income, generator, turn.deploy):
        illegal = 1 if strategy != 0 or _applicable(context, view, generator) else 0
        deploy_nearest(board, view.position.owner, view.player, view.income, turn.deploy)
    cut_turn(params, turn.deploy, 0)  # before the attacks, which depend on the deploys
    count = write_attacks(
        context, view.position, row[0] % _N_ATTACKS, True, view.player, turn.deploy, generator, turn.attacks
    )
    turn.status[COUNT] = cut_turn(params, turn.deploy, count)
    return illegal


@kernel
def _applicable(context: Context, view: PlayerPosition, generator: GeneratorWork) -> Int:
    """Return an integer in which bit i is 1 if deploy strategy i applies in this position.

    `prepare` must already have written the data of the position to `generator`.
    """
    bits = 0
    for strategy in range(3):
        if write_deploy(
            context, view.position, strategy, view.player, view.income, generator, generator.turns.deploy[0]
        ):
            bits |= 1 << strategy
    return bits


@kernel
def write_strategy_mask(
    context: Context, view: PlayerPosition, turn: Turn, config: npt.NDArray[np.int64], work: ActionWork, mask: Marks
) -> Int:
    """Write the mask of the encoding `strategies`: it allows the actions of all deploy strategies that apply.

    If no strategy applies, the mask allows the first three actions. While the players pick their start regions, the
    mask allows only the first action.
    """
    bits: Int = 1
    if not view.picking:
        prepare(context, view.position, view.player, work.generator)
        bits = max(1, _applicable(context, view, work.generator))
    for i in range(mask.shape[0]):
        mask[i] = (bits >> (i // _N_ATTACKS)) & 1
        if view.picking and i > 0:
            mask[i] = 0
    return 0


class StrategyActions(DiscreteEncoding):
    """The action encoding `strategies` with the space Discrete(9): an action selects a turn of the thesis's bot.

    | action | deploys | attacks |
    |---|---|---|
    | 0, 1, 2 | aggressive: all armies next to the best enemy region | offensive, offensive with waiting, defensive |
    | 3, 4, 5 | defensive: on threatened regions, as far as the income suffices | the same three strategies |
    | 6, 7, 8 | expansive: all armies next to the best neutral region | the same three strategies |

    The module `agents.generators` documents the strategies. If a deploy strategy does not apply (no visible enemy, no
    threat, no neutral region), the mask forbids its three actions. If no deploy strategy applies, the first three
    actions deploy on the own region that is closest to a region of another owner.

    If the rules limit the number of orders, the deploys in the regions with the lowest numbers and the first attacks
    remain, as in every turn that exceeds the limit.

    The encoding expresses only nine turns, so an agent learns a policy in minutes. While the players pick their start
    regions, the only allowed action is 0, which picks the best regions according to the position evaluation.

    Args:
        weights: the weights of the evaluation that ranks the regions (default: those of the thesis).
    """

    name: ClassVar[str] = "strategies"
    submit = staticmethod(submit_strategy)
    write_mask = staticmethod(write_strategy_mask)

    def __init__(self, board: Board, params: RuleParams, weights: Weights = THESIS) -> None:
        super().__init__(board, params, len(STRATEGIES))
        self.weights = weights

    @property
    def config(self) -> I64:
        return np.zeros(1, dtype=np.int64)

    def mask(self, view: View) -> I8:
        """Return the action mask as int8[9]."""
        return self._written_mask(view, self._submitted(view, [])[0])

    def decode(self, view: View, action: Any) -> Choice:
        row = np.array([self.value(action)], dtype=np.int64)
        return self._choice(view, self._submitted(view, [row])[0])

    def encode(self, view: View, turn: Choice, *, nearest: bool = False) -> int:
        """Convert a turn to an action; raise `InexpressibleError` if none of the nine strategies gives this turn.

        The conversion may change the order of the deploys, but no other part of the turn. With ``nearest=True`` the
        method raises no error: it returns the action with the smallest difference from the turn, counted in armies. If
        several actions have the smallest difference, the method returns the one with the lowest number.
        """
        plain_turn = _plain(turn)
        allowed = np.flatnonzero(self.mask(view)).tolist()
        for action in allowed:
            if _plain(self.decode(view, action)) == plain_turn:
                return int(action)
        if not nearest:
            raise InexpressibleError("none of the nine strategies gives this turn")

        def distance(loss: Loss) -> tuple[int, ...]:
            return (loss.deployed + loss.armies, *loss)

        return min(allowed, key=lambda action: distance(self.loss(view, turn, action)))


def _plain(turn: Choice) -> Any:
    if isinstance(turn, list | tuple):
        return [int(region) for region in turn]
    deploys, attacks = turn.arrays()  # type: ignore[union-attr]
    merged: dict[int, int] = {}
    for region, armies in deploys.tolist():
        merged[region] = merged.get(region, 0) + armies
    return merged, attacks.tolist()
