"""Bots with one-sided styles, as opponents that test the robustness of a policy.

Each bot plays the planned turn of its weights, without lookahead. A policy that beats strong balanced opponents may
still lose to a style that it never met.
"""

from __future__ import annotations

from typing import Final

from warlight_env.agents.base import PolicyKernelAgent
from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.planning.plans import planned_turn
from warlight_env.agents.weights import PLANNING, Weights
from warlight_env.engine.position import Position
from warlight_env.engine.view import View
from warlight_env.errors import InputError, did_you_mean

#: The weights of each style. rush: captures enemy regions early, with uncertain attacks and without defence. turtle:
#: defends its regions, and attacks enemies only if the attack is almost certain to succeed. expand: grows its income,
#: and avoids enemies.
STYLES: Final[dict[str, Weights]] = {
    "rush": PLANNING._replace(
        goal_income=20.0, goal_prospect=2.0, sure_enemy=0.0, against_enemies=20.0, holding=0.0, expected=0.0, feared=0.0
    ),
    "turtle": PLANNING._replace(
        sure_enemy=5.0, sure_hold=2.0, against_enemies=8.0, holding=20.0, expected=0.5, feared=1.0
    ),
    "expand": PLANNING._replace(
        goal_region=2.0, goal_patience=8.0, sure_neutral=1.0, against_enemies=1.0, holding=4.0
    ),
}  # fmt: skip


class StyleAgent(PolicyKernelAgent):
    """Plays planned turns with the weights of a style, see STYLES.

    Use it as ``warlight_env.agents.players.styles:StyleAgent,style=rush``.

    Raises:
        InputError: there is no such style.
    """

    policy = staticmethod(planned_turn)

    def __init__(self, seed: int = 0, style: str = "rush") -> None:
        super().__init__(seed)
        if style not in STYLES:
            raise InputError(f"style {style!r}{did_you_mean(style, tuple(STYLES))}: use {', '.join(STYLES)}")
        self.name, self.weights = style, STYLES[style]

    def _position(self, view: View) -> Position:
        return minimal_determinization(view)
