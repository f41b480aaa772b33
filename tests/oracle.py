"""The rules once more, in plain Python: the oracle that the engine is compared with.

It shares no code with the engine and is written to be read, not to be fast. Fractions keep all of it exact. Players,
regions and super regions are numbered from 0; a neutral region belongs to `NEUTRAL`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, floor

NEUTRAL = -1


@dataclass(frozen=True)
class OracleRules:
    """What differs between the versions of the game once the regions are dealt; the default is the thesis."""

    base_income: int = 5
    attack_kill: Fraction = Fraction(3, 5)
    defense_kill: Fraction = Fraction(7, 10)
    luck: Fraction = Fraction(1)
    rounding: str = "nearest"  # or "stochastic"
    skipped_attack_keeps_place: bool = True
    moved_armies: str = "free"  # or "challenge1", "challenge2"
    repeated_attack: str = "merge"  # or "illegal"
    max_orders: int = 0  # of each kind; 0: no limit
    max_rounds: int = 0  # both 0: no limit
    rounds_per_region: Fraction = Fraction(0)
    tie_break: str = "draw"  # or "regions"


THESIS = OracleRules()
THESIS_DRAFT = THESIS  # differs in what is offered at the start only
CHALLENGE1 = OracleRules(
    skipped_attack_keeps_place=False,
    moved_armies="challenge1",
    repeated_attack="illegal",
    max_orders=51,  # the published limit is 50; the competition's engine lets one more through
    max_rounds=100,
)
CHALLENGE2 = replace(
    CHALLENGE1, luck=Fraction(4, 25), moved_armies="challenge2", max_rounds=60, rounds_per_region=Fraction(5, 2)
)


class Decisions:
    """Every random decision of a round, from a script of non-negative numbers that starts again when it is used up."""

    def __init__(self, script: list[int]):
        self.script = list(script)
        self.used = 0

    def below(self, n: int) -> int:
        """The next decision: one of 0 .. n - 1."""
        value = self.script[self.used % len(self.script)]
        self.used += 1
        return value % n


@dataclass(frozen=True)
class Outcome:
    """What a round did besides changing owners and armies."""

    events: list[tuple]  # (player, source, target, sent, attackers lost, defenders lost, captured) in order
    dropped: list[tuple]  # (player, "deploy" or "attack", index in the list handed in, reason)
    alive: list[bool]
    winner: int | None
    over: bool
    placements: list[int]  # 1 is the best; equals share a place
    eliminated_at: list[int]  # the round in which a player lost the last region; 0: still in the game


# --- What a player has and sees ---------------------------------------------------------------------------------------


def income(super_region_of, bonuses, rules: OracleRules, owner, player: int) -> int:
    """The base and the bonuses of the super regions that are wholly the player's."""
    total = rules.base_income
    for super_region, bonus in enumerate(bonuses):
        owners = {owner[region] for region, its in enumerate(super_region_of) if its == super_region}
        if owners == {player}:
            total += bonus
    return total


def visible(neighbors, owner, player: int) -> list[bool]:
    """Under fog a player sees own regions and their neighbours."""
    return [
        owner[region] == player or any(owner[neighbor] == player for neighbor in neighbors[region])
        for region in range(len(owner))
    ]


# --- Handing in -------------------------------------------------------------------------------------------------------


def legal_deploys(rules: OracleRules, owner, player: int, deploys, available: int):
    """The deploys that count, and (index, reason) of those that do not."""
    legal, dropped = [], []
    left = available
    for index, (region, armies) in enumerate(deploys):
        if rules.max_orders > 0 and index >= rules.max_orders:
            dropped.append((index, "limit"))
        elif not 0 <= region < len(owner):
            dropped.append((index, "region"))
        elif owner[region] != player:
            dropped.append((index, "owner"))
        elif armies < 1:
            dropped.append((index, "armies"))
        elif armies > left:
            dropped.append((index, "income"))  # as a whole: a smaller one that follows may still fit
        else:
            left -= armies
            legal.append((region, armies))
    return legal, dropped


def legal_attacks(rules: OracleRules, neighbors, owner, player: int, attacks):
    """The attacks that count, as [source, target, armies] in order, and (index, reason) of those that do not."""
    legal, dropped = [], []
    for index, (source, target, armies) in enumerate(attacks):
        same = [attack for attack in legal if attack[:2] == [source, target]]
        if rules.max_orders > 0 and index >= rules.max_orders:
            dropped.append((index, "limit"))
        elif not (0 <= source < len(owner) and 0 <= target < len(owner)):
            dropped.append((index, "region"))
        elif owner[source] != player:
            dropped.append((index, "owner"))
        elif target not in neighbors[source]:
            dropped.append((index, "adjacent"))
        elif armies < 1:
            dropped.append((index, "armies"))
        elif same and rules.repeated_attack == "illegal":
            dropped.append((index, "repeated"))
        elif same:
            same[0][2] += armies  # merged into the first
        else:
            legal.append([source, target, armies])
    return legal, dropped


# --- A battle ---------------------------------------------------------------------------------------------------------


def expected_and_luck(rules: OracleRules, armies: int, kill: Fraction, roll: int) -> Fraction:
    """How many enemies die, before rounding: luck's part of what was rolled, the rest of what is expected."""
    return (1 - rules.luck) * armies * kill + rules.luck * roll


def rolled_kills(rules: OracleRules, armies: int, kill: Fraction, decisions: Decisions) -> int:
    """How many enemies that many armies kill, were there enough of them."""
    x = expected_and_luck(rules, armies, kill, decisions.below(armies + 1))
    if rules.rounding == "stochastic":
        extra = decisions.below(2)
        return int(x) if x == floor(x) else floor(x) + extra
    return nearest(x)


def nearest(x: Fraction) -> int:
    """Rounded to the nearest whole number, halves up."""
    return floor(x + Fraction(1, 2))


def exact_capture(rules: OracleRules, a: int, d: int) -> Fraction:
    """The probability that an attack of `a` armies takes a region of `d`, from all pairs of rolls."""
    if rules.rounding != "nearest":
        raise ValueError("exact for rounding to the nearest only")
    total = Fraction(0)
    for hits in range(a + 1):
        for hits_back in range(d + 1):
            killed = nearest(expected_and_luck(rules, a, rules.attack_kill, hits))
            lost = nearest(expected_and_luck(rules, d, rules.defense_kill, hits_back))
            if killed >= d and lost < a:
                total += binomial(a, rules.attack_kill, hits) * binomial(d, rules.defense_kill, hits_back)
    return total


def binomial(n: int, p: Fraction, k: int) -> Fraction:
    """The probability of k successes in n independent trials."""
    return comb(n, k) * p**k * (1 - p) ** (n - k)


# --- A round ----------------------------------------------------------------------------------------------------------


class Board:
    """A round while its attacks are carried out."""

    def __init__(self, rules: OracleRules, owner, army, decisions: Decisions):
        self.rules = rules
        self.owner = owner
        self.army = army
        self.decisions = decisions
        self.old = list(army)  # after deployment, reduced by each move carried out: what may still move
        self.events = []

    def movable(self, source: int) -> int:
        """How many armies may leave a region now; one always stays."""
        army, old = self.army[source], self.old[source]
        if self.rules.moved_armies == "free":
            return army - 1
        if old <= 1:
            return 0
        return old - 1 if army > old else army - 1

    def carry_out(self, player: int, source: int, target: int, armies: int) -> bool:
        """One attack or transfer on the state as it is now; False if it cannot be carried out."""
        if self.owner[source] != player:
            return False
        real = min(armies, self.movable(source))
        if real < 1:
            return False
        self.old[source] -= real
        if self.owner[target] == player:
            self.transfer(player, source, target, real)
        else:
            self.battle(player, source, target, real)
        return True

    def transfer(self, player: int, source: int, target: int, real: int) -> None:
        self.army[source] -= real
        self.army[target] += real
        self.events.append((player, source, target, real, 0, 0, False))

    def battle(self, player: int, source: int, target: int, real: int) -> None:
        defenders = self.army[target]
        killed = min(rolled_kills(self.rules, real, self.rules.attack_kill, self.decisions), defenders)
        lost = min(rolled_kills(self.rules, defenders, self.rules.defense_kill, self.decisions), real)
        captured = killed == defenders and lost < real
        if killed == defenders and lost == real:
            killed = defenders - 1  # all dead on both sides: the defender keeps the region with 1 army
        if captured:
            self.army[source] -= real
            self.army[target] = real - lost
            self.owner[target] = player
        else:
            self.army[source] -= lost
            self.army[target] -= killed
        if self.rules.moved_armies == "challenge2":
            self.old[target] = 1 if captured else self.old[target] - killed
        self.events.append((player, source, target, real, lost, killed, captured))


def carry_out_all(board: Board, attacks: list[list]) -> None:
    """First every player's first attack, in random order, then every player's second, and so on."""
    waiting = [list(of_player) for of_player in attacks]
    while any(waiting):
        order = [player for player, left in enumerate(waiting) if left]
        shuffle(order, board.decisions)
        for player in order:
            while waiting[player]:
                done = board.carry_out(player, *waiting[player].pop(0))
                if done or board.rules.skipped_attack_keeps_place:
                    break


def shuffle(items: list, decisions: Decisions) -> None:
    """Fisher-Yates, from the end."""
    for k in range(len(items) - 1, 0, -1):
        j = decisions.below(k + 1)
        items[k], items[j] = items[j], items[k]


def resolve_round(
    neighbors,
    super_region_of,
    bonuses,
    rules: OracleRules,
    owner: list[int],
    army: list[int],
    round_number: int,
    orders: list[tuple[list, list]],
    players: int,
    decisions: Decisions,
    eliminated_at: list[int],
) -> tuple[list[int], list[int], Outcome]:
    """Plays one round; `orders` holds each player's (deploys, attacks). Illegal orders are dropped."""
    owner, army, eliminated_at = list(owner), list(army), list(eliminated_at)

    # All is judged on the state at the start of the round.
    dropped, deploys_of, attacks_of = [], [], []
    for player, (deploys, attacks) in enumerate(orders):
        available = income(super_region_of, bonuses, rules, owner, player)
        legal, bad = legal_deploys(rules, owner, player, deploys, available)
        deploys_of.append(legal)
        dropped += [(player, "deploy", index, reason) for index, reason in bad]
        legal, bad = legal_attacks(rules, neighbors, owner, player, attacks)
        attacks_of.append(legal)
        dropped += [(player, "attack", index, reason) for index, reason in bad]

    for deploys in deploys_of:
        for region, armies in deploys:
            army[region] += armies

    board = Board(rules, owner, army, decisions)
    carry_out_all(board, attacks_of)

    alive = [player in owner for player in range(players)]
    for player in range(players):
        if not alive[player] and eliminated_at[player] == 0:
            eliminated_at[player] = round_number

    over, winner = ending(rules, owner, army, round_number, alive)
    places = placements(rules, owner, army, alive, winner, eliminated_at)
    return owner, army, Outcome(board.events, dropped, alive, winner, over, places, eliminated_at)


# --- The end ----------------------------------------------------------------------------------------------------------


def round_limit(rules: OracleRules, n_regions: int) -> int:
    """The last round of a game; 0: none."""
    return max(rules.max_rounds, floor(rules.rounds_per_region * n_regions))


def strength(owner, army, player: int) -> tuple[int, int]:
    """Regions, then armies."""
    own = [region for region, by in enumerate(owner) if by == player]
    return len(own), sum(army[region] for region in own)


def ending(rules: OracleRules, owner, army, round_number: int, alive: list[bool]) -> tuple[bool, int | None]:
    """Whether the game is over, and who won."""
    left = [player for player, lives in enumerate(alive) if lives]
    if len(left) == 1:
        return True, left[0]
    limit = round_limit(rules, len(owner))
    if limit == 0 or round_number < limit:
        return False, None
    if rules.tie_break == "regions":
        best = max(strength(owner, army, player) for player in left)
        first = [player for player in left if strength(owner, army, player) == best]
        if len(first) == 1:
            return True, first[0]
    return True, None


def placements(rules: OracleRules, owner, army, alive, winner: int | None, eliminated_at) -> list[int]:
    """Each player's place: 1 and the number of players that are strictly better."""

    def standing(player: int) -> tuple:
        if player == winner:
            return (2,)
        if not alive[player]:
            return (0, eliminated_at[player])
        if rules.tie_break == "regions":
            return (1, *strength(owner, army, player))
        return (1,)

    standings = [standing(player) for player in range(len(alive))]
    return [1 + sum(other > own for other in standings) for own in standings]
