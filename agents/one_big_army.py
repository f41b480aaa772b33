"""The bot of one big army: all on the strongest region, which then attacks. It tests foresight."""

from __future__ import annotations

from warlight_env.agents.base import ValuingAgent
from warlight_env.agents.evaluation import region_value
from warlight_env.agents.generators.inland import move_inland
from warlight_env.engine.jit import kernel
from warlight_env.engine.view import View


@kernel
def one_big_army_orders(board, evaluation, owner, army, player, available, scratch, deploy, attacks):
    """Write the turn; returns the number of attacks. Arrays as in `random_orders`."""
    strongest = -1
    for r in range(owner.shape[0]):
        deploy[r] = 0
        if owner[r] == player and (strongest < 0 or army[r] > army[strongest]):
            strongest = r
    if strongest < 0:
        return 0
    deploy[strongest] = available
    army[strongest] += available  # as it is once deployed
    count = move_inland(board, owner, army, player, scratch, attacks, 0)
    free = army[strongest] - 1
    army[strongest] -= available
    best, most = -1, 0.0
    for e in range(board.neighbor_start[strongest], board.neighbor_start[strongest + 1]):
        q = board.edge_target[e]
        if owner[q] != player:
            value = region_value(board, evaluation, owner, player, q)
            if best < 0 or value > most:
                best, most = q, value
    if best >= 0:
        attacks[count, 0], attacks[count, 1], attacks[count, 2] = strongest, best, free
        count += 1
    return count


class OneBigArmyAgent(ValuingAgent):
    """Everything on the strongest region, inland armies to the front, and the best foreign neighbour is attacked."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.name = "one_big_army"

    def _write(self, view: View) -> int:
        return int(
            one_big_army_orders(
                view.board, self._evaluation, view.owner, view.army.copy(), view.player, view.income, self._scratch,
                self._deploy, self._attacks,
            )
        )  # fmt: skip
