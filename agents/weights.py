"""The coefficients of the evaluation, as one record, and prepared for a board."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env import bounded
from warlight_env.arguments import path_of, short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.jit import read_only, shared
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError
from warlight_env.output import save_file


class WeightsError(InputError):
    """Weights that cannot be read; the message names the file, the weight and the reason."""


#: A file of weights with the digest of what it held.
PINNED: Final = re.compile(r"(.+\.json)#([0-9a-f]{16})")


class Weights(NamedTuple):
    """Coefficients with the values that the thesis's author set by hand."""

    # Worth of a super region while regions are picked.
    start_bonus: float = 3.0
    start_neighbors: float = 1.0
    start_borders: float = -5.0
    start_regions: float = -3.0
    # Worth of a super region later.
    bonus: float = 3.0
    neighbors: float = -1.0
    borders: float = -3.0
    regions: float = -5.0
    whole_bonus_squared: float = 30.0
    # Worth of a region while regions are picked: of its super region, and of its distance to own picks.
    pick_super: float = 3.0
    pick_distance: float = 50.0
    # Worth of a region later: of its super region, per own region of it, per region there of its owner, factor for
    # regions that are not neutral.
    region_super: float = 1.0
    own_regions: float = 20.0
    owner_regions: float = 20.0
    not_neutral: float = 2.0
    # Worth of an army.
    army: float = 10.0
    # Terms that the thesis's future work asks for; at 0 they are not there. Share of the mean of its neighbours' worth
    # that a region's worth takes on; worth of each region of the largest connected territory; of each army of bonus
    # that a stronger enemy beside it threatens.
    neighbor_values: float = 0.0
    largest_territory: float = 0.0
    threatened_bonus: float = 0.0
    # Exponent of positions in shares: the share is the chance to win that follows from the logarithm of the positions'
    # ratio, times this. It orders positions as 1 does, and says how sure they are.
    sharpness: float = 1.0
    # What a position will earn (`prospects`), in the unit of `army`; at 0 it is not there. Worth of an army of
    # income a round; of one that a super region would add that the player has a part of, and the armies of cost at
    # which that falls to 1 / e; worth of an army beside foreign regions, on top; part of a whole super region's worth
    # that is lost where its capture is certain.
    income: float = 0.0
    prospect: float = 0.0
    patience: float = 10.0
    front: float = 0.0
    danger: float = 0.0
    # How turns are planned (`plan_style.Style`).
    goal_region: float = 1.0
    goal_income: float = 20.0
    goal_prospect: float = 6.0
    goal_patience: float = 3.0
    sure_neutral: float = 3.0
    sure_enemy: float = 3.0
    sure_hold: float = 3.0
    expected: float = 0.4
    feared: float = 0.5
    against_enemies: float = 1.0
    holding: float = 1.0
    price: float = 1.0
    spend: float = 1.0

    def to_array(self) -> npt.NDArray[np.float64]:
        """The coefficients in order, float64[W], for optimisers."""
        return np.array(self, dtype=np.float64)

    @classmethod
    def from_array(cls, values: Sequence[float] | npt.NDArray[np.floating[Any]]) -> Weights:
        """The record of `to_array`'s values."""
        try:
            numbers = [float(value) for value in values]
        except Exception:  # methods of the caller's own object may raise anything
            raise WeightsError(f"weights = {short_repr(values)}: must be numbers") from None
        if len(numbers) != len(cls._fields):
            raise WeightsError(f"{len(numbers)} weights: there are {len(cls._fields)}")
        return cls._checked(dict(zip(cls._fields, numbers, strict=True)), "weights")

    def digest(self) -> str:
        """16 hexadecimal digits by which these coefficients are told from others."""
        own = {name: value for name, value in self._asdict().items() if value != self._field_defaults[name]}
        return hashlib.sha256(json.dumps(own).encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """The coefficients by name."""
        return json.dumps(self._asdict(), indent=2) + "\n"

    def save(self, path: str | Path) -> None:
        """Write `to_json` to a file, in one step.

        Raises:
            WeightsError: the path is not a string or an object that names a file.
            OutputError, WriteError: see `output.save_file`.
        """
        save_file(path_of(path, "path", WeightsError), self.to_json())

    @classmethod
    def load(cls, source: str | Path | Weights) -> Weights:
        """A preset by name, or a JSON file of coefficients by name; those that it lacks are the thesis's.

        With ``#`` and a `digest` behind the file's name, it is refused where it holds others.
        """
        if isinstance(source, Weights):
            return source
        path_of(source, "weights", WeightsError)
        if str(source) in PRESETS:
            return PRESETS[str(source)]
        if told := PINNED.fullmatch(str(source)):
            path, digest = told.groups()
            weights = cls.load(path)
            if weights.digest() != digest:
                raise WeightsError(f"{path}: holds other weights than it did ({weights.digest()} now, {digest} then)")
            return weights
        path = Path(source)
        if path.suffix != ".json":
            raise WeightsError(f"no weights {str(source)!r}; there are {', '.join(PRESETS)}, or give a .json file")
        text = bounded.read_text(path, bounded.SETTINGS_BYTES, WeightsError, "file of weights")
        data = bounded.parse_json(text, str(path), WeightsError)
        if not isinstance(data, dict):
            raise WeightsError(f"{path}: must be an object of numbers by name")
        return cls._checked(data, str(path))

    @classmethod
    def _checked(cls, values: dict[str, Any], place: str) -> Weights:
        for name, value in values.items():
            if name not in cls._fields:
                raise WeightsError(f"{place}: no weight {name!r}; there are {', '.join(cls._fields)}")
            low, high = BOUNDS[name]
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not number or not low <= value <= high:
                raise WeightsError(f"{place}: {name} = {value!r}: must be a number in {low:g} .. {high:g}")
        return cls(**{name: float(value) for name, value in values.items()})


#: Per weight the lowest and the highest value that is allowed, and that optimisers search.
BOUNDS: Final[dict[str, tuple[float, float]]] = {
    **dict.fromkeys(Weights._fields, (-100.0, 100.0)),
    "whole_bonus_squared": (0.0, 1000.0),
    "pick_distance": (0.0, 1000.0),
    "not_neutral": (0.0, 10.0),
    "army": (0.0, 100.0),
    "neighbor_values": (-2.0, 2.0),
    "largest_territory": (-1000.0, 1000.0),
    "threatened_bonus": (-1000.0, 1000.0),
    "sharpness": (0.05, 20.0),
    "income": (0.0, 1000.0),
    "prospect": (0.0, 1000.0),
    "patience": (0.1, 1000.0),
    "danger": (0.0, 1.0),
    "goal_region": (0.0, 100.0),
    "goal_income": (0.0, 1000.0),
    "goal_prospect": (0.0, 1000.0),
    "goal_patience": (0.1, 1000.0),
    "sure_neutral": (0.0, 6.0),
    "sure_enemy": (0.0, 6.0),
    "sure_hold": (0.0, 6.0),
    "expected": (0.0, 2.0),
    "feared": (0.0, 2.0),
    "against_enemies": (0.0, 20.0),
    "holding": (0.0, 20.0),
    "price": (0.0, 10.0),
    "spend": (0.0, 5.0),
}

#: The thesis's values.
THESIS: Final = Weights()
#: What `mcts`, `one_ply` and their like use unless told otherwise: found by `warlight train evolve
#: examples/evolve.toml` in 96,140 games of one-ply players (70 seconds on two cores); all else is the thesis's.
DEFAULT: Final = THESIS._replace(
    bonus=2.098,
    neighbors=-1.962,
    borders=-1.367,
    regions=-4.275,
    whole_bonus_squared=30.07,
    own_regions=6.063,
    owner_regions=18.97,
    not_neutral=0.5111,
    army=72.28,
)

#: What players that plan use: armies and what is earned. The evaluation was fitted by logistic regression to who won
#: 749 games of `mcts` and `nash`, goals and picks by CMA-ES in games of `plan` against bots and itself.
PLANNING: Final = THESIS._replace(
    start_bonus=-7.29, start_neighbors=13.6, start_borders=-0.41, start_regions=-11.06, bonus=0.0, neighbors=0.0,
    borders=0.0, regions=0.0, whole_bonus_squared=0.0, pick_distance=0.0, region_super=-7.5, own_regions=0.0,
    owner_regions=0.0, not_neutral=1.0, army=10.0, sharpness=9.5, income=87.0, prospect=57.0, patience=5.9,
    front=0.0, danger=0.62, goal_region=10.09, goal_income=122.28, goal_prospect=8.86, goal_patience=2.75,
    sure_neutral=4.34, sure_enemy=1.1, sure_hold=0.41, expected=0.56, feared=1.1, against_enemies=11.49,
    holding=12.17, price=0.6, spend=0.0,
)  # fmt: skip

#: What `plan` goes by: the same, but that goals look further ahead, are after super regions rather than regions, and
#: send as few armies against neutral regions as may do. By hand, for growth where nobody is near, at no loss in games.
EXPANDING: Final = PLANNING._replace(patience=8.0, goal_region=2.0, goal_patience=8.0, sure_neutral=1.0)

PRESETS: Final[dict[str, Weights]] = {
    "thesis": THESIS, "default": DEFAULT, "planning": PLANNING, "expanding": EXPANDING
}  # fmt: skip


#: Rows of `Evaluation.supers`: worth of a super region while regions are picked; constant part of its regions' worth
#: later; what is added to that when one player owns all of it.
START: Final = 0
STATIC: Final = 1
WHOLE: Final = 2


@shared
class Evaluation(NamedTuple):
    """Weights prepared for one board, for kernels. Read-only."""

    supers: npt.NDArray[np.float64]  #: [3, S] of each super region what START, STATIC and WHOLE say
    own_regions: float
    owner_regions: float
    not_neutral: float
    pick_super: float
    pick_distance: float
    army: float
    neighbor_values: float
    largest_territory: float
    threatened_bonus: float
    sharpness: float
    extended: bool  #: the last four are not all as in the thesis: `extended_share` is the share
    income: float
    prospect: float
    patience: float
    front: float
    danger: float
    style: npt.NDArray[np.float64]  #: [13] the last thirteen of `Weights`
    earns: bool  #: some of the last five count: `prospects.prospective_share` is the share


def super_region_terms(board: Board) -> npt.NDArray[np.float64]:
    """What a super region's worth is made of, float64[4, S]: bonus, neighbouring super regions, borders, regions."""
    bonus = board.bonus.astype(np.float64)
    sizes = np.diff(board.member_start).astype(np.float64)
    here, there = board.super_region[board.edge_source], board.super_region[board.edge_target]
    across = here != there
    borders = np.bincount(here[across], minlength=len(bonus)).astype(np.float64)
    pairs = np.unique(here[across].astype(np.int64) * len(bonus) + there[across])
    neighbors = np.bincount(pairs // len(bonus), minlength=len(bonus)).astype(np.float64)
    return np.stack([bonus, neighbors, borders, sizes])


def make_evaluation(board: Board, weights: Weights) -> Evaluation:
    """The constant parts for a board: the terms of super regions, weighted, and shifted so that the smallest is 1."""
    terms, w = super_region_terms(board), Weights(*map(float, weights))
    start = np.array([w.start_bonus, w.start_neighbors, w.start_borders, w.start_regions]) @ terms
    later = np.array([w.bonus, w.neighbors, w.borders, w.regions]) @ terms
    evaluation = Evaluation(
        supers=np.stack(
            [
                start + (1.0 - start.min()),
                w.region_super * (later + (1.0 - later.min())),
                w.whole_bonus_squared * terms[0] ** 2,
            ]
        ),
        own_regions=w.own_regions,
        owner_regions=w.owner_regions,
        not_neutral=w.not_neutral,
        pick_super=w.pick_super,
        pick_distance=w.pick_distance,
        army=w.army,
        neighbor_values=w.neighbor_values,
        largest_territory=w.largest_territory,
        threatened_bonus=w.threatened_bonus,
        sharpness=w.sharpness,
        extended=any((w.neighbor_values, w.largest_territory, w.threatened_bonus, w.sharpness != 1.0)),
        income=w.income,
        prospect=w.prospect,
        patience=w.patience,
        front=w.front,
        danger=w.danger,
        style=np.array(w[Weights._fields.index("goal_region") :], dtype=np.float64),
        earns=any((w.income, w.prospect, w.front)),
    )
    return reference(read_only(evaluation))
