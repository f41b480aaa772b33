"""A line of five regions, and a round on it in the oracle."""

from __future__ import annotations

from oracle import (
    THESIS,
    Decisions,
    resolve_round,
)

LINE = [[1], [0, 2], [1, 3], [2, 4], [3]]  # 0 - 1 - 2 - 3 - 4


class Counting(Decisions):
    """Remembers out of how many each decision was made."""

    def __init__(self, script):
        super().__init__(script)
        self.asked = []

    def below(self, n):
        self.asked.append(n)
        return super().below(n)


def play(
    owner, army, *orders, rules=THESIS, dice=(0,), number=1, eliminated_at=None, neighbors=LINE, super_region_of=None
):
    """One round; orders are (deploys, attacks) of each player."""
    players = len(orders)
    return resolve_round(
        neighbors,
        super_region_of or [0] * len(owner),
        [0] * 5,
        rules,
        owner,
        army,
        number,
        list(orders),
        players,
        dice if isinstance(dice, Decisions) else Decisions(list(dice)),
        eliminated_at or [0] * players,
    )


PASS = ([], [])
