"""The smart random bot: one of the generated turns at random. What a search adds is measured against it."""

from __future__ import annotations

from warlight_env.agents.base import ValuingAgent
from warlight_env.agents.generators.turns import generate_turns
from warlight_env.agents.generators.work import ALL_WAYS, make_generator_work, make_turn_set
from warlight_env.engine.view import View


class SmartRandomAgent(ValuingAgent):
    """Draws one of the turns that the generators make."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.name = "smart_random"

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        n, e = view.board.n_regions, view.board.n_edges
        self._work, self._turns = make_generator_work(n, view.players), make_turn_set(n, e)

    def _write(self, view: View) -> int:
        turns = self._turns
        generate_turns(
            view.board, view.params, self._evaluation, view.owner, view.army, view.player, ALL_WAYS, self.rng,
            self._work, turns,
        )  # fmt: skip
        self._deploy[:] = turns.deploy[0]  # they come shuffled
        self._attacks[:] = turns.attacks[0]
        return int(turns.counts[0])
