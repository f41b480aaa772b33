"""The difference between a turn and the turn of the action that encodes it."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES
from warlight_env.engine.view import View
from warlight_env.envs.actions.turns import Choice, merge_deploys, merged_attacks


class Loss(NamedTuple):
    """Differences between the turn of an action and the intended turn; all are 0 for equal turns."""

    deployed: int = 0  #: armies: the sum over regions of the differences in deployed armies
    armies: int = 0  #: the sum over directed edges of the differences in armies sent
    attacks: int = 0  #: the number of directed edges with an attack in only one of the two turns
    order: int = 0  #: the number of attacks of both turns that come before the attack that they should directly follow
    preferences: int = 0  #: while regions are picked: the number of places of the list with another region or none

    @property
    def exact(self) -> bool:
        """Whether the turns are equal up to the order of deploys and merged orders."""
        return not any(self)


def loss_between(view: View, turn: Choice, said: Choice) -> Loss:
    """Return the differences of `said` from `turn`; both are legal.

    An attack with all armies (1,000,000) counts as the armies that can leave after deployment.
    """
    if not isinstance(turn, Orders) or not isinstance(said, Orders):
        meant, found = list(turn), list(said)  # type: ignore[arg-type]
        return Loss(preferences=sum(i >= len(found) or region != found[i] for i, region in enumerate(meant)))
    deploy, there = merge_deploys(view, turn), merge_deploys(view, said)
    sent = [
        {
            edge: max(1, int(view.army[source] + armies_there[source]) - 1) if armies >= MAX_ARMIES else armies
            for edge, armies in merged_attacks(view, orders)
            for source in [view.board.edge_source[edge]]
        }
        for orders, armies_there in ((turn, deploy), (said, there))
    ]
    place = {edge: i for i, edge in enumerate(sent[1])}
    both = [place[edge] for edge in sent[0] if edge in place]
    return Loss(
        deployed=int(abs(deploy - there).sum()),
        armies=sum(abs(sent[0].get(edge, 0) - sent[1].get(edge, 0)) for edge in {**sent[0], **sent[1]}),
        attacks=len(sent[0].keys() ^ sent[1].keys()),
        order=sum(after < before for before, after in pairwise(both)),
    )
