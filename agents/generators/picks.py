"""Sets of starting regions, the best first (thesis, algorithms 3.1 and 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from warlight_env.agents.evaluation.worth import pick_value
from warlight_env.agents.weights import Evaluation
from warlight_env.engine.board import Board

#: Sequences of picks that are followed up at each step; all of them on maps of the usual size.
BEAM = 200


def pick_sets(
    board: Board, evaluation: Evaluation, offers: Sequence[int], own: Sequence[int], picks: int, beam: int = BEAM
) -> list[tuple[int, ...]]:
    """Sets of `picks` of the offered regions, each in its best order, by the sum of their values, the best first.

    A region's value depends on those picked before it (`pick_value`), so that the order of picking counts.
    """
    sequences: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(min(picks, len(offers))):
        longer = [
            (total + pick_value(board, evaluation, [*own, *chosen], r), (*chosen, r))
            for total, chosen in sequences
            for r in offers
            if r not in chosen
        ]
        sequences = sorted(longer, key=lambda item: (-item[0], item[1]))[:beam]
    best: dict[frozenset[int], tuple[int, ...]] = {}
    for _, chosen in sequences:
        best.setdefault(frozenset(chosen), chosen)
    return list(best.values())
