"""What an action says otherwise than the turn that it was made of."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import MAX_ARMIES
from warlight_env.engine.view import View
from warlight_env.envs.actions.turns import Choice, merge_deploys, merged_attacks


class Loss(NamedTuple):
    """How an action's turn differs from the one that was meant; all are 0 where it says the same."""

    deployed: int = 0  #: armies: the sum over regions of what is deployed more or less
    armies: int = 0  #: the sum over directed edges of armies sent more or less
    attacks: int = 0  #: directed edges along which only one of the two attacks
    order: int = 0  #: attacks of both that go before one which they were to follow directly
    wishes: int = 0  #: places of the list, while regions are picked, that have another region or none

    @property
    def exact(self) -> bool:
        """Whether nothing was lost: the turns are the same up to the order of deploys and what is merged."""
        return not any(self)


def loss_between(view: View, turn: Choice, said: Choice) -> Loss:
    """What `said` has otherwise than `turn`, both legal.

    Attacks with all armies (1,000,000) count those that can leave after deployment.
    """
    if not isinstance(turn, Orders) or not isinstance(said, Orders):
        meant, found = list(turn), list(said)  # type: ignore[arg-type]
        return Loss(wishes=sum(i >= len(found) or region != found[i] for i, region in enumerate(meant)))
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
