"""The rules according to which a search chooses its answer from the candidates (final move selection)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from warlight_env.agents.records.search_record import Candidate

#: A rule: it sorts the candidates so that the answer is first. The second argument is its source of random numbers.
Answer = Callable[[Sequence[Candidate], np.random.Generator], list[Candidate]]


def _by(merit: Callable[[Candidate], tuple[float, ...]]) -> Answer:
    """Return a rule that sorts by `merit`, highest first; equal candidates keep their order."""

    def answer(candidates: Sequence[Candidate], rng: np.random.Generator) -> list[Candidate]:
        return sorted(candidates, key=merit, reverse=True)

    return answer


def _secure(candidate: Candidate) -> tuple[float, ...]:
    spread = 1 / math.sqrt(candidate.visits) if candidate.visits else math.inf
    return (candidate.value - spread, candidate.visits)


_robust: Final = _by(lambda candidate: (candidate.visits, candidate.value))


def _mixture(candidates: Sequence[Candidate], rng: np.random.Generator) -> list[Candidate]:
    """Draw the answer in proportion to visits; the other candidates are sorted as in the rule "robust"."""
    ranked = _robust(candidates, rng)
    visits = np.array([candidate.visits for candidate in ranked], dtype=np.float64)
    if visits.sum() > 0:
        ranked.insert(0, ranked.pop(int(rng.choice(len(ranked), p=visits / visits.sum()))))
    return ranked


#: The rules. robust: the answer is the candidate with the most visits. max: the candidate with the best mean value.
#: secure: the candidate with the best lower bound. max_robust: the candidate with the most visits; the search continues
#: until this candidate also has the best value. mixture: a candidate that is drawn in proportion to visits.
FINAL_MOVE_RULES: Final[dict[str, Answer]] = {
    "robust": _robust,
    "max": _by(lambda candidate: (candidate.value, candidate.visits)),
    "secure": _by(_secure),
    "max_robust": _robust,
    "mixture": _mixture,
}


def sorted_by_central_value(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates sorted by `Candidate.middle`, highest first; candidates without visits are last."""
    return sorted(candidates, key=lambda c: (c.visits > 0, c.middle or 0.0, c.visits), reverse=True)
