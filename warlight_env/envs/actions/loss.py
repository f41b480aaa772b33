"""The difference between a turn and the turn to which an action is decoded."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES
from warlight_env.engine.view import View
from warlight_env.envs.actions.turns import Choice, merge_deploys, merged_attacks


class Loss(NamedTuple):
    """The differences between the turn of an action and the intended turn. All numbers are 0 for equal turns."""

    deployed: int = 0  #: the sum over all regions of the absolute difference in deployed armies
    armies: int = 0  #: the sum over all directed edges of the absolute difference in attacking armies
    attacks: int = 0  #: the number of directed edges with an attack in only one of the two turns
    order: int = 0  #: the number of pairs of successive attacks in the intended turn that the action's turn reverses
    preferences: int = 0  #: the number of places in the intended list of picks at which the action has another region

    @property
    def exact(self) -> bool:
        """Whether the turns are equal, apart from the order of deploys and from orders that were merged into one."""
        return not any(self)


def loss_between(view: View, turn: Choice, decoded: Choice) -> Loss:
    """Return the differences between the intended turn `turn` and the decoded turn `decoded`; both turns must be legal.

    In the comparison, an attack with all armies (1,000,000 in an order) has the number of armies that can leave its
    source after the deploys.
    """
    if not isinstance(turn, Orders) or not isinstance(decoded, Orders):
        intended_regions, decoded_regions = list(turn), list(decoded)  # type: ignore[arg-type]
        return Loss(
            preferences=sum(
                i >= len(decoded_regions) or region != decoded_regions[i] for i, region in enumerate(intended_regions)
            )
        )
    deploy, decoded_deploy = merge_deploys(view, turn), merge_deploys(view, decoded)
    sent_armies = [
        {
            edge: max(1, int(view.army[source] + deployed[source]) - 1) if armies >= MAX_ARMIES else armies
            for edge, armies in merged_attacks(view, orders)
            for source in [view.board.edge_source[edge]]
        }
        for orders, deployed in ((turn, deploy), (decoded, decoded_deploy))
    ]
    place = {edge: i for i, edge in enumerate(sent_armies[1])}
    places = [place[edge] for edge in sent_armies[0] if edge in place]
    return Loss(
        deployed=int(abs(deploy - decoded_deploy).sum()),
        armies=sum(
            abs(sent_armies[0].get(edge, 0) - sent_armies[1].get(edge, 0))
            for edge in {**sent_armies[0], **sent_armies[1]}
        ),
        attacks=len(sent_armies[0].keys() ^ sent_armies[1].keys()),
        order=sum(after < before for before, after in pairwise(places)),
    )
