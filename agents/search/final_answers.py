"""Which of its choices a search answers with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from warlight_env.agents.records.search_record import Candidate

#: Orders candidates, the answer first; whatever it draws comes from the generator.
Answer = Callable[[Sequence[Candidate], np.random.Generator], list[Candidate]]


def _by(merit: Callable[[Candidate], tuple[float, ...]]) -> Answer:
    """The highest merit first; of equals, the one that was found first."""

    def answer(candidates: Sequence[Candidate], rng: np.random.Generator) -> list[Candidate]:
        return sorted(candidates, key=merit, reverse=True)

    return answer


def _secure(candidate: Candidate) -> tuple[float, ...]:
    spread = 1 / math.sqrt(candidate.visits) if candidate.visits else math.inf
    return (candidate.value - spread, candidate.visits)


_robust: Final = _by(lambda candidate: (candidate.visits, candidate.value))


def _mixture(candidates: Sequence[Candidate], rng: np.random.Generator) -> list[Candidate]:
    """One is drawn in proportion to its visits; the others follow as for "robust"."""
    ranked = _robust(candidates, rng)
    visits = np.array([candidate.visits for candidate in ranked], dtype=np.float64)
    if visits.sum() > 0:
        ranked.insert(0, ranked.pop(int(rng.choice(len(ranked), p=visits / visits.sum()))))
    return ranked


#: Most visits; best mean value; best lower bound; drawn by visits; most visits, once that has the best value as well
#: (the search goes on until then).
ANSWERS: Final[dict[str, Answer]] = {
    "robust": _robust,
    "max": _by(lambda candidate: (candidate.value, candidate.visits)),
    "secure": _by(_secure),
    "max_robust": _robust,
    "mixture": _mixture,
}


def by_middle(candidates: Sequence[Candidate], rng: Any = None) -> list[Candidate]:
    """Those with visits first, the highest `Candidate.middle` before others."""
    return _by(lambda c: (float(c.visits > 0), 0.0 if c.middle is None else c.middle, c.visits))(candidates, rng)
