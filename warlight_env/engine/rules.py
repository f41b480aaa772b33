"""The class `Rules`, which describes a version of the game, and a preset for each public version."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple

from warlight_env.arguments import check_integer, short_repr
from warlight_env.engine.dice import Dice, make_dice
from warlight_env.engine.reference import reference
from warlight_env.errors import InputError, did_you_mean

MAX_PLAYERS: Final = 6
#: The maximum number of armies in a rule or an order.
MAX_ARMIES: Final = 1_000_000

#: The smallest probability above 0. Tables of dice use exact fractions, and a probability of 1e-300 would give numbers
#: with tens of thousands of digits.
LEAST_CHANCE: Final = 1e-9

#: The rules that files and hashes always contain. Files and hashes contain a newer rule only if it differs from its
#: default, so that older files and hashes stay valid. Older files rely on the defaults, so a default never changes.
FIRST_FIELDS: Final = (
    "name", "base_income", "attack_kill", "defense_kill", "luck", "rounding", "picking", "picks", "ranked",
    "offers_per_super_region", "dealt_apart", "wastelands", "wasteland_army", "fog", "skipped_attack_keeps_place",
    "moved_armies", "repeated_attack", "max_orders", "max_rounds", "rounds_per_region", "tie_break",
)  # fmt: skip

PICKING: Final = ("own_offer", "ranked", "alternating", "dealt")
MOVED_ARMIES: Final = ("free", "challenge1", "challenge2")


class RulesError(InputError):
    """An error for an unknown rule, for an invalid value of a rule, or for a map that is too small for the players."""


class RuleParams(NamedTuple):
    """The rules as a NamedTuple for kernels: numbers and the tables of the dice."""

    base_income: int
    skipped_keeps_place: bool
    moved_armies: int  #: index into MOVED_ARMIES
    repeated_illegal: bool
    max_orders: int  #: 0: no limit
    round_limit: int  #: 0: no limit
    ties_by_regions: bool
    picking: int  #: index into PICKING
    picks: int  #: 0: depends on the number of offered regions
    ranked: int  #: maximum length of a player's list of preferred regions
    offers: int  #: regions offered per super region, under "own_offer" to each player; 0: all regions
    dealt_apart: bool
    wastelands: int  #: number of random draws of wastelands
    wastelands_repeat: bool
    wasteland_army: int
    dice: Dice


@dataclass(frozen=True)
class Rules:
    """The rules of a game; immutable. `dataclasses.replace` and `Rules.of("thesis", fog=True)` return changed copies.

    Probabilities are exact decimals: 0.6 means 3/5.

    name: The name of a preset or of custom rules.
    base_income: Armies per round before bonuses.
    attack_kill: Probability that an attacking army kills a defending army.
    defense_kill: Probability that a defending army kills an attacking army.
    luck: Weight of chance, 0 .. 1: a side kills (1 - luck) * mean + luck * roll armies, rounded. Here `roll` is
        a binomial random number of kills.
    rounding: Rounding of the kills: "nearest" (halves up), or "stochastic": up with the probability of the fractional
        part.
    picking: The choice of start regions: "own_offer" (each player picks from its own offer, all at once), "ranked" (all
        players rank the same regions; if two prefer the same region, chance decides), "alternating" (players take
        turns to pick from the same regions, in the order ABBAAB …), "dealt" (regions are assigned at random).
    picks: Number of start regions of each player. 0 is allowed only under "alternating". If `picks` is 0, each player
        gets an equal part of the offered regions. If this part has more than three regions, each additional region is
        lost with probability 1/4, for all players at once.
    ranked: Number of preferred regions that each player ranks under "ranked".
    offers_per_super_region: Number of regions offered per super region; 0 offers every region. Under "own_offer" each
        player gets this number of regions per super region, and no region is offered to two players.
    dealt_apart: Under "dealt": start regions of different players are never neighbours.
    wastelands, wasteland_army: The number of random draws of wastelands is `wastelands` times the number of super
        regions, rounded down. Each wasteland has `wasteland_army` armies.
    wastelands_repeat: False: each draw takes a different region. True: each draw may take any region. A draw of a
        region that is already a wasteland counts and changes nothing. Such a draw is repeated only if the super region
        of the region has fewer than two regions without wasteland.
    fog: Fog of war: a player sees only its own regions and their neighbours.
    skipped_attack_keeps_place: True: after an attack that is impossible and skipped, the next player attacks. False:
        after an attack that is impossible and skipped, the same player executes its next attack.
    moved_armies: "free": armies that moved may move again in the round. "challenge1" and "challenge2": armies that
        moved may not move again in the round, and movable armies are counted as in AI Challenge 1 or 2.
    repeated_attack: Two attacks of a turn from and to the same regions: "merge" adds the second to the first,
        "illegal" drops the second.
    max_orders: Maximum number of deploys, and of attacks, in a turn; 0: no limit.
    max_rounds, rounds_per_region: The game ends after max(max_rounds, rounds_per_region * regions) rounds; both 0:
        never.
    tie_break: The winner at the limit of rounds: "draw": none; "regions": the player with the most regions, then
        armies.
    """

    name: str = "thesis"
    base_income: int = 5
    attack_kill: float = 0.6
    defense_kill: float = 0.7
    luck: float = 1.0
    rounding: Literal["nearest", "stochastic"] = "nearest"
    picking: Literal["own_offer", "ranked", "alternating", "dealt"] = "own_offer"
    picks: int = 2
    ranked: int = 0
    offers_per_super_region: int = 1
    dealt_apart: bool = False
    wastelands: float = 0.0
    wasteland_army: int = 6
    fog: bool = False
    skipped_attack_keeps_place: bool = True
    moved_armies: Literal["free", "challenge1", "challenge2"] = "free"
    repeated_attack: Literal["merge", "illegal"] = "merge"
    max_orders: int = 0
    max_rounds: int = 0
    rounds_per_region: float = 0.0
    tie_break: Literal["draw", "regions"] = "draw"
    wastelands_repeat: bool = False

    def __post_init__(self) -> None:
        def require(condition: bool, field: str, reason: str) -> None:
            if not condition:
                value = getattr(self, field)
                raise RulesError(f"rules {short_repr(self.name)}: {field} = {short_repr(value)}: {reason}")

        for field in dataclasses.fields(self):
            value, default = getattr(self, field.name), field.default
            if isinstance(default, bool):
                require(isinstance(value, bool), field.name, "must be true or false")
            elif isinstance(default, int):
                require(isinstance(value, int) and not isinstance(value, bool), field.name, "must be an integer")
                require(0 <= value <= MAX_ARMIES, field.name, f"must lie in 0 .. {MAX_ARMIES}")
            elif isinstance(default, float):
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                require(is_number and 0 <= value < 1e6, field.name, "must be a number from 0 up")
            else:
                require(isinstance(value, str), field.name, "must be a string")
        for field_name in ("attack_kill", "defense_kill", "luck"):
            chance = getattr(self, field_name)
            require(
                chance == 0 or LEAST_CHANCE <= chance <= 1, field_name, f"must be 0, or lie in {LEAST_CHANCE:g} .. 1"
            )
        choices: dict[str, tuple[str, ...]] = {
            "rounding": ("nearest", "stochastic"),
            "picking": PICKING,
            "moved_armies": MOVED_ARMIES,
            "repeated_attack": ("merge", "illegal"),
            "tie_break": ("draw", "regions"),
        }
        for field_name, allowed in choices.items():
            require(getattr(self, field_name) in allowed, field_name, f"must be one of {', '.join(allowed)}")
        by_offers = self.picking == "alternating"
        require(
            self.picks >= 1 or by_offers, "picks", "must be at least 1; 0 is allowed only with picking = 'alternating'"
        )
        require(self.wasteland_army >= 1, "wasteland_army", "must be at least 1")
        if self.picking == "ranked":
            require(self.ranked >= self.picks, "ranked", "must be at least the number of picks")

    @classmethod
    def of(cls, rules: str | Rules | dict[str, Any] = "thesis", **changes: Any) -> Rules:
        """Return `Rules` for the name of a preset, for `Rules`, or for a dict of fields; `changes` replace some fields.

        In a dict, "name" is the preset that provides missing fields ("thesis" by default). A dict with all
        `FIRST_FIELDS` may have any name; fields that this dict does not contain get their default values. Every result
        of `to_dict`, from any version, has all `FIRST_FIELDS`.
        """
        if isinstance(rules, dict):
            fields = {**rules, **changes}
            name = fields.get("name", "thesis")
            if not isinstance(name, str):
                raise RulesError(f"rules: name = {short_repr(name)}: must be a string")
            if fields.keys() >= set(FIRST_FIELDS):
                return cls._changed(cls(), fields)
            if name not in PRESETS:
                raise RulesError(
                    f"rules: name = {short_repr(name)}: must be one of {', '.join(PRESETS)}, because fields are missing"
                )
            return cls._changed(PRESETS[name], fields)
        if isinstance(rules, str):
            if rules not in PRESETS:
                raise RulesError(
                    f"no rules {short_repr(rules)}{did_you_mean(rules, PRESETS)}; there are {', '.join(PRESETS)}"
                )
            rules = PRESETS[rules]
        if not isinstance(rules, cls):
            raise RulesError(f"rules = {short_repr(rules)}: must be the name of a preset, `Rules` or a dict of fields")
        return cls._changed(rules, changes) if changes else rules

    @staticmethod
    def _changed(base: Rules, changes: dict[str, Any]) -> Rules:
        names = {field.name for field in dataclasses.fields(Rules)}
        for name in changes:
            if name not in names:
                meant = did_you_mean(name, sorted(names)) if isinstance(name, str) else ""
                raise RulesError(f"no rule {short_repr(name)}{meant}; there are {', '.join(sorted(names))}")
        return dataclasses.replace(base, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON files and hashes: `FIRST_FIELDS`, and newer fields with a non-default value."""
        newer = {field.name: field.default for field in dataclasses.fields(self) if field.name not in FIRST_FIELDS}
        fields = dataclasses.asdict(self)
        return {name: value for name, value in fields.items() if name not in newer or value != newer[name]}

    def __getstate__(self) -> dict[str, Any]:
        return self.to_dict()  # pickles are also used for digests; a field that is missing in a pickle gets its default

    def round_limit(self, n_regions: int) -> int:
        """Return the number of rounds after which a game on n_regions regions ends without a winner; 0: never.

        Raises:
            RulesError: n_regions is not a valid number of regions.
        """
        check_integer(n_regions, "n_regions", 0, MAX_ARMIES, RulesError)
        return max(self.max_rounds, int(Fraction(str(self.rounds_per_region)) * int(n_regions)))

    def params(self, n_regions: int, n_super_regions: int) -> RuleParams:
        """Return the rules as a `RuleParams` for kernels, for a map of this size."""
        return reference(
            RuleParams(
                base_income=self.base_income,
                skipped_keeps_place=self.skipped_attack_keeps_place,
                moved_armies=MOVED_ARMIES.index(self.moved_armies),
                repeated_illegal=self.repeated_attack == "illegal",
                max_orders=self.max_orders,
                round_limit=self.round_limit(n_regions),
                ties_by_regions=self.tie_break == "regions",
                picking=PICKING.index(self.picking),
                picks=self.picks,
                ranked=self.ranked if self.picking == "ranked" else MAX_ARMIES,
                offers=self.offers_per_super_region,
                dealt_apart=self.dealt_apart,
                wastelands=int(Fraction(str(self.wastelands)) * n_super_regions),
                wastelands_repeat=self.wastelands_repeat,
                wasteland_army=self.wasteland_army,
                dice=make_dice(self.attack_kill, self.defense_kill, self.luck, self.rounding == "stochastic"),
            )
        )


def _challenge(**fields: Any) -> Rules:
    return Rules(
        fog=True,
        skipped_attack_keeps_place=False,
        repeated_attack="illegal",
        # The published limit is 50. The competitions' engines accept one more order, and bots rely on this.
        max_orders=51,
        **fields,
    )


#: The public versions of the game, by name.
PRESETS: Final[dict[str, Rules]] = {
    "thesis": Rules(),
    "thesis_draft": Rules(name="thesis_draft", offers_per_super_region=2),
    "challenge1": _challenge(
        name="challenge1",
        picking="ranked",
        picks=3,
        ranked=6,
        offers_per_super_region=2,
        moved_armies="challenge1",
        max_rounds=100,
    ),
    "challenge2": _challenge(
        name="challenge2",
        picking="alternating",
        picks=0,
        luck=0.16,
        wastelands=0.5,
        wastelands_repeat=True,
        moved_armies="challenge2",
        max_rounds=60,
        rounds_per_region=2.5,
    ),
}
