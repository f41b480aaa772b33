"""A line of five regions and helpers to play rounds on it with the oracle; conversions of rules and reasons."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

from oracle import (
    THESIS,
    Decisions,
    OracleRules,
    resolve_round,
)
from warlight_env.engine.orders import REASONS
from warlight_env.engine.rules import Rules

LINE = [[1], [0, 2], [1, 3], [2, 4], [3]]  # 0 - 1 - 2 - 3 - 4


class Counting(Decisions):
    """A script of random decisions that stores the number of choices of each decision."""

    def __init__(self, script):
        super().__init__(script)
        self.asked = []

    def below(self, n):
        self.asked.append(n)
        return super().below(n)


def play(
    owner, army, *orders, rules=THESIS, dice=(0,), number=1, eliminated_at=None, neighbors=LINE, super_region_of=None
):
    """Play one round with the oracle; `orders` are (deploys, attacks) of each player."""
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

#: The oracle's code for a reason → the engine's reason.
CODES = {
    "limit": REASONS[1],
    "region": REASONS[2],
    "owner": REASONS[3],
    "armies": REASONS[4],
    "income": REASONS[5],
    "adjacent": REASONS[6],
    "repeated": REASONS[7],
}


def oracle_rules(rules: Rules) -> OracleRules:
    """Return the oracle's rules with the same values."""
    fields = {field.name for field in dataclasses.fields(OracleRules)}
    values = {name: value for name, value in rules.to_dict().items() if name in fields}
    exact = {name: Fraction(str(value)) if isinstance(value, float) else value for name, value in values.items()}
    return OracleRules(**exact)
