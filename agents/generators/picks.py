"""Sets of starting regions, best first (thesis, algorithms 3.1 and 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from warlight_env.agents.evaluation.static_evaluation import pick_value
from warlight_env.agents.weights import Evaluation
from warlight_env.engine.board import Board

#: Beam width of the search for sequences of picks; it covers all sequences on maps of the usual size.
BEAM = 200


def pick_sets(
    board: Board,
    evaluation: Evaluation,
    offers: Sequence[int],
    own_regions: Sequence[int],
    picks: int,
    beam: int = BEAM,
) -> list[tuple[int, ...]]:
    """Return sets of `picks` offered regions, each set in its best order; sets with the highest value come first.

    The value of a set is the sum of its regions' values. A region's value depends on the regions picked before it
    (`pick_value`). The value of a set therefore depends on the order in which its regions are picked.
    """
    sequences: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(min(picks, len(offers))):
        longer = [
            (total + pick_value(board, evaluation, [*own_regions, *sequence], r), (*sequence, r))
            for total, sequence in sequences
            for r in offers
            if r not in sequence
        ]
        sequences = sorted(longer, key=lambda item: (-item[0], item[1]))[:beam]
    best: dict[frozenset[int], tuple[int, ...]] = {}
    for _, sequence in sequences:
        best.setdefault(frozenset(sequence), sequence)
    return list(best.values())
