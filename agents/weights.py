"""The weights (coefficients) of the evaluation, and the evaluation's constants for one board."""

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

from warlight_env import bounded_io
from warlight_env.arguments import path_of, short_repr
from warlight_env.engine.board import Board
from warlight_env.engine.jit import read_only, shared
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError
from warlight_env.output import save_file


class WeightsError(InputError):
    """Error: weights cannot be read. The error message names the file, the weight and the reason."""


#: Matches the name of a file of weights with the digest of its content.
PINNED: Final = re.compile(r"(.+\.json)#([0-9a-f]{16})")


class Weights(NamedTuple):
    """Coefficients of the evaluation. The defaults are the values that the thesis's author set by hand."""

    # Terms of the value of a super region in the picking phase.
    start_bonus: float = 3.0
    start_neighbors: float = 1.0
    start_borders: float = -5.0
    start_regions: float = -3.0
    # Terms of the value of a super region after the picking phase.
    bonus: float = 3.0
    neighbors: float = -1.0
    borders: float = -3.0
    regions: float = -5.0
    whole_bonus_squared: float = 30.0
    # Terms of the value of a region in the picking phase: its super region, and its distance to the player's regions.
    pick_super: float = 3.0
    pick_distance: float = 50.0
    # Terms of the value of a region after the picking phase: the value of its super region; a value for each own region
    # in it; a value for each region in it that belongs to the same enemy; a factor for regions that are not neutral.
    region_super: float = 1.0
    own_regions: float = 20.0
    owner_regions: float = 20.0
    not_neutral: float = 2.0
    # Value of an army.
    army: float = 10.0
    # Terms that the thesis proposes as future work; 0 turns a term off. neighbor_values: this fraction of the
    # neighbours' mean value is added to a region's value. largest_territory: the value of each region of the largest
    # connected territory. threatened_bonus: the value of each army of bonus that a stronger adjacent enemy threatens.
    neighbor_values: float = 0.0
    largest_territory: float = 0.0
    threatened_bonus: float = 0.0
    # The players' values are raised to this power before shares are computed. For two players, the share is the
    # logistic function of sharpness * ln(own value / enemy's value). With a larger exponent, the shares of unequal
    # players differ more, in the same order.
    sharpness: float = 1.0
    # Terms of future income (`income_forecast`), in the unit of `army`; 0 turns a term off. income: the value of an
    # income of one army per round. prospect: the value of one army of bonus of a super region that the player owns in
    # part. patience: number of missing armies at which the value `prospect` falls to 1 / e. front: additional value of
    # an army adjacent to another owner's region. danger: the fraction of the value of an owned super region that is
    # lost if an enemy can certainly capture one of its regions.
    income: float = 0.0
    prospect: float = 0.0
    patience: float = 10.0
    front: float = 0.0
    danger: float = 0.0
    # Coefficients for planning turns (`plan_style.Style`).
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
        """Return the coefficients in the order of the fields, float64[W], for optimisers."""
        return np.array(self, dtype=np.float64)

    @classmethod
    def from_array(cls, values: Sequence[float] | npt.NDArray[np.floating[Any]]) -> Weights:
        """Return the `Weights` with the values of an array from `to_array`."""
        try:
            numbers = [float(value) for value in values]
        except Exception:  # methods of the caller's object may raise any exception
            raise WeightsError(f"weights = {short_repr(values)}: must be numbers") from None
        if len(numbers) != len(cls._fields):
            raise WeightsError(f"weights: {len(numbers)} numbers are given, but there are {len(cls._fields)} weights")
        return cls._checked(dict(zip(cls._fields, numbers, strict=True)), "weights")

    def digest(self) -> str:
        """Return 16 hexadecimal digits that identify the values of all coefficients."""
        changed = {name: value for name, value in self._asdict().items() if value != self._field_defaults[name]}
        return hashlib.sha256(json.dumps(changed).encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the names and values of the coefficients as a JSON object."""
        return json.dumps(self._asdict(), indent=2) + "\n"

    def save(self, path: str | Path) -> None:
        """Write `to_json` to a file atomically.

        Raises:
            WeightsError: the path is not a string or an object that names a file.
            OutputError, WriteError: see `output.save_file`.
        """
        save_file(path_of(path, "path", WeightsError), self.to_json())

    @classmethod
    def load(cls, source: str | Path | Weights) -> Weights:
        """Return weights from a preset (given its name), or from a .json file with names and values of coefficients.

        A coefficient that is not in the file has the thesis's value. The file name may end with ``#`` and a `digest`;
        if so, the weights in the file must have exactly this digest.
        """
        if isinstance(source, Weights):
            return source
        path_of(source, "weights", WeightsError)
        if str(source) in PRESETS:
            return PRESETS[str(source)]
        if match := PINNED.fullmatch(str(source)):
            path, digest = match.groups()
            weights = cls.load(path)
            if weights.digest() != digest:
                raise WeightsError(
                    f"{path}: other weights than expected: their digest is {weights.digest()}, not {digest}"
                )
            return weights
        path = Path(source)
        if path.suffix != ".json":
            raise WeightsError(f"there are no weights {str(source)!r}; use {', '.join(PRESETS)} or a .json file")
        text = bounded_io.read_text(path, bounded_io.SETTINGS_BYTES, WeightsError, "file of weights")
        data = bounded_io.parse_json(text, str(path), WeightsError)
        if not isinstance(data, dict):
            raise WeightsError(f"{path}: must be a JSON object with names and numbers of weights")
        return cls._checked(data, str(path))

    @classmethod
    def _checked(cls, values: dict[str, Any], place: str) -> Weights:
        for name, value in values.items():
            if name not in cls._fields:
                raise WeightsError(f"{place}: no weight {name!r}; the weights are {', '.join(cls._fields)}")
            low, high = BOUNDS[name]
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not number or not low <= value <= high:
                raise WeightsError(f"{place}: {name} = {value!r}: must be a number in {low:g} .. {high:g}")
        return cls(**{name: float(value) for name, value in values.items()})


#: The lowest and the highest allowed value of each weight; optimisers search this range.
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

#: The weights of the thesis.
THESIS: Final = Weights()
#: The default weights of `mcts`, `one_ply` and similar agents. `warlight train evolve examples/evolve.toml` found these
#: values in 96,140 games of one-ply players (70 seconds on two cores). Weights that are not listed have the thesis's
#: values.
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

#: The weights of agents that plan, with terms for armies and future income. The weights of the evaluation were fitted
#: by logistic regression to the winners of 749 games of `mcts` and `nash`. CMA-ES found the weights of goals and of
#: starting regions in games of `plan` against bots and itself.
PLANNING: Final = THESIS._replace(
    start_bonus=-7.29, start_neighbors=13.6, start_borders=-0.41, start_regions=-11.06, bonus=0.0, neighbors=0.0,
    borders=0.0, regions=0.0, whole_bonus_squared=0.0, pick_distance=0.0, region_super=-7.5, own_regions=0.0,
    owner_regions=0.0, not_neutral=1.0, army=10.0, sharpness=9.5, income=87.0, prospect=57.0, patience=5.9,
    front=0.0, danger=0.62, goal_region=10.09, goal_income=122.28, goal_prospect=8.86, goal_patience=2.75,
    sure_neutral=4.34, sure_enemy=1.1, sure_hold=0.41, expected=0.56, feared=1.1, against_enemies=11.49,
    holding=12.17, price=0.6, spend=0.0,
)  # fmt: skip

#: The weights of `plan`. Differences to PLANNING: super regions that need many armies have higher values, single
#: regions have lower values, and attacks on neutral regions have fewer armies. These values were set by hand for faster
#: growth without enemies nearby. Results of games are not worse than with PLANNING.
EXPANDING: Final = PLANNING._replace(patience=8.0, goal_region=2.0, goal_patience=8.0, sure_neutral=1.0)

PRESETS: Final[dict[str, Weights]] = {
    "thesis": THESIS, "default": DEFAULT, "planning": PLANNING, "expanding": EXPANDING
}  # fmt: skip


#: Rows of `Evaluation.supers`. START: the value of a super region in the picking phase. STATIC: the constant part of
#: the value of each of its regions after the picking phase. WHOLE: the value that is added to each of its regions if
#: one player owns all of them.
START: Final = 0
STATIC: Final = 1
WHOLE: Final = 2


@shared
class Evaluation(NamedTuple):
    """The constants of the evaluation for one board, as read-only arrays and numbers for kernels."""

    supers: npt.NDArray[np.float64]  #: [3, S] values of super regions, in the rows START, STATIC and WHOLE
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
    #: whether one of the four fields from `neighbor_values` to `sharpness` differs from its value in the thesis; then
    #: `extended_share` is the evaluation
    extended: bool
    income: float
    prospect: float
    patience: float
    front: float
    danger: float
    style: npt.NDArray[np.float64]  #: [13] the last thirteen fields of `Weights`
    #: Whether income, prospect or front is not 0. If it is True, `income_forecast.forecast_share` is the evaluation.
    uses_forecast: bool


def super_region_terms(board: Board) -> npt.NDArray[np.float64]:
    """Return the terms of each super region, float64[4, S].

    The terms are the bonus, and the numbers of neighbouring super regions, of border edges and of regions.
    """
    bonus = board.bonus.astype(np.float64)
    sizes = np.diff(board.member_start).astype(np.float64)
    sources, targets = board.super_region[board.edge_source], board.super_region[board.edge_target]
    is_border = sources != targets
    borders = np.bincount(sources[is_border], minlength=len(bonus)).astype(np.float64)
    pairs = np.unique(sources[is_border].astype(np.int64) * len(bonus) + targets[is_border])
    neighbors = np.bincount(pairs // len(bonus), minlength=len(bonus)).astype(np.float64)
    return np.stack([bonus, neighbors, borders, sizes])


def make_evaluation(board: Board, weights: Weights) -> Evaluation:
    """Return the constants of the evaluation for a board.

    A super region has a value for the picking phase (START) and a value for the later game (STATIC). The values START
    and STATIC are weighted sums of `super_region_terms`, plus a constant that makes the smallest value on the board 1.
    The function returns the value STATIC multiplied by the weight `region_super`.
    """
    terms, w = super_region_terms(board), Weights(*map(float, weights))
    start = np.array([w.start_bonus, w.start_neighbors, w.start_borders, w.start_regions]) @ terms
    static = np.array([w.bonus, w.neighbors, w.borders, w.regions]) @ terms
    evaluation = Evaluation(
        supers=np.stack(
            [
                start + (1.0 - start.min()),
                w.region_super * (static + (1.0 - static.min())),
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
        uses_forecast=any((w.income, w.prospect, w.front)),
    )
    return reference(read_only(evaluation))
