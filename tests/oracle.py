"""The rules in plain Python: the oracle with which tests compare the engine.

It shares no code with the engine, and is written for clarity, not for speed. Fractions make all results exact. Players,
regions and super regions are numbered from 0; the owner of a neutral region is `NEUTRAL`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, floor

NEUTRAL = -1


@dataclass(frozen=True)
class OracleRules:
    """The rules that differ between versions of the game after the start regions are assigned; default: the thesis."""

    base_income: int = 5
    attack_kill: Fraction = Fraction(3, 5)
    defense_kill: Fraction = Fraction(7, 10)
    luck: Fraction = Fraction(1)
    rounding: str = "nearest"  # or "stochastic"
    skipped_attack_keeps_place: bool = True
    moved_armies: str = "free"  # or "challenge1", "challenge2"
    repeated_attack: str = "merge"  # or "illegal"
    max_orders: int = 0  # limit for deploys and for attacks; 0: no limit
    max_rounds: int = 0  # max_rounds and rounds_per_region both 0: no limit
    rounds_per_region: Fraction = Fraction(0)
    tie_break: str = "draw"  # or "regions"


THESIS = OracleRules()
THESIS_DRAFT = THESIS  # differs only in the regions offered at the start
CHALLENGE1 = OracleRules(
    skipped_attack_keeps_place=False,
    moved_armies="challenge1",
    repeated_attack="illegal",
    max_orders=51,  # the published limit is 50, but the competition's engine accepts 51
    max_rounds=100,
)
CHALLENGE2 = replace(
    CHALLENGE1, luck=Fraction(4, 25), moved_armies="challenge2", max_rounds=60, rounds_per_region=Fraction(5, 2)
)


class Decisions:
    """Every random decision of a round, from a script of non-negative numbers, which is repeated when it ends."""

    def __init__(self, script: list[int]):
        self.script = list(script)
        self.used = 0

    def below(self, n: int) -> int:
        """Return the next decision: a number from 0 to n - 1."""
        value = self.script[self.used % len(self.script)]
        self.used += 1
        return value % n


@dataclass(frozen=True)
class Outcome:
    """The results of a round besides the new owners and armies."""

    events: list[tuple]  # (player, source, target, sent, attackers lost, defenders lost, captured) in order
    dropped: list[tuple]  # (player, "deploy" or "attack", index in the submitted list, reason)
    alive: list[bool]
    winner: int | None
    over: bool
    placements: list[int]  # 1 is the best; players with equal results share a place
    eliminated_at: list[int]  # the round in which a player lost the last region; 0: the player is still in the game


# --- Income and vision of a player ------------------------------------------------------------------------------------


def income(super_region_of, bonuses, rules: OracleRules, owner, player: int) -> int:
    """Return the base income plus the bonuses of the super regions that the player owns completely."""
    total = rules.base_income
    for super_region, bonus in enumerate(bonuses):
        owners = {owner[region] for region, its in enumerate(super_region_of) if its == super_region}
        if owners == {player}:
            total += bonus
    return total


def visible(neighbors, owner, player: int) -> list[bool]:
    """Return for each region whether a player sees it in fog: own regions and their neighbours."""
    return [
        owner[region] == player or any(owner[neighbor] == player for neighbor in neighbors[region])
        for region in range(len(owner))
    ]


# --- The check of orders ----------------------------------------------------------------------------------------------


def legal_deploys(rules: OracleRules, owner, player: int, deploys, available: int):
    """Return the legal deploys, and (index, reason) of the illegal ones."""
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
            dropped.append((index, "income"))  # the whole deploy is dropped; a later, smaller one may still be legal
        else:
            left -= armies
            legal.append((region, armies))
    return legal, dropped


def legal_attacks(rules: OracleRules, neighbors, owner, player: int, attacks):
    """Return the legal attacks as [source, target, armies] in order, and (index, reason) of the illegal ones."""
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
            same[0][2] += armies  # merged into the first attack
        else:
            legal.append([source, target, armies])
    return legal, dropped


# --- A battle ---------------------------------------------------------------------------------------------------------


def expected_and_luck(rules: OracleRules, armies: int, kill: Fraction, roll: int) -> Fraction:
    """Return the kills before rounding: a mean of the rolled and the expected number, weighted by `luck`."""
    return (1 - rules.luck) * armies * kill + rules.luck * roll


def rolled_kills(rules: OracleRules, armies: int, kill: Fraction, decisions: Decisions) -> int:
    """Return how many enemies `armies` armies kill if there are enough enemies."""
    x = expected_and_luck(rules, armies, kill, decisions.below(armies + 1))
    if rules.rounding == "stochastic":
        extra = decisions.below(2)
        return int(x) if x == floor(x) else floor(x) + extra
    return nearest(x)


def nearest(x: Fraction) -> int:
    """Round to the nearest integer; halves are rounded up."""
    return floor(x + Fraction(1, 2))


def exact_capture(rules: OracleRules, a: int, d: int) -> Fraction:
    """Return the probability that `a` armies capture a region with `d` armies, from all pairs of rolls."""
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
    """Return the probability of k successes in n independent trials."""
    return comb(n, k) * p**k * (1 - p) ** (n - k)


# --- A round ----------------------------------------------------------------------------------------------------------


class Board:
    """The state of a round during the execution of its attacks."""

    def __init__(self, rules: OracleRules, owner, army, decisions: Decisions):
        self.rules = rules
        self.owner = owner
        self.army = army
        self.decisions = decisions
        # armies after deployment, minus the armies of each executed move: the armies that can still move
        self.old = list(army)
        self.events = []

    def movable(self, source: int) -> int:
        """Return how many armies can leave a region now; one army always stays."""
        army, old = self.army[source], self.old[source]
        if self.rules.moved_armies == "free":
            return army - 1
        if old <= 1:
            return 0
        return old - 1 if army > old else army - 1

    def carry_out(self, player: int, source: int, target: int, armies: int) -> bool:
        """Execute one attack or transfer on the present state; return False if it is not possible."""
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
            killed = defenders - 1  # all armies die on both sides: the defender keeps the region with 1 army
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
    """Execute every player's first attack, in random order, then every player's second attack, and so on."""
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
    """Shuffle a list with the Fisher-Yates algorithm, from the end."""
    for k in range(len(items) - 1, 0, -1):
        j = decisions.below(k + 1)
        items[k], items[j] = items[j], items[k]


def resolve_round(  # noqa: PLR0913 -- plain lists instead of the engine's records
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
    """Play one round; `orders` contains (deploys, attacks) of each player. Illegal orders are dropped."""
    owner, army, eliminated_at = list(owner), list(army), list(eliminated_at)

    # The state at the start of the round determines which orders are legal.
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
    """Return the last round of a game; 0: no limit."""
    return max(rules.max_rounds, floor(rules.rounds_per_region * n_regions))


def strength(owner, army, player: int) -> tuple[int, int]:
    """Return the numbers of regions and armies of a player."""
    own = [region for region, by in enumerate(owner) if by == player]
    return len(own), sum(army[region] for region in own)


def ending(rules: OracleRules, owner, army, round_number: int, alive: list[bool]) -> tuple[bool, int | None]:
    """Return whether the game is over, and the winner."""
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
    """Return each player's place: 1 plus the number of players with strictly better results."""

    def result_of(player: int) -> tuple:
        if player == winner:
            return (2,)
        if not alive[player]:
            return (0, eliminated_at[player])
        if rules.tie_break == "regions":
            return (1, *strength(owner, army, player))
        return (1,)

    results = [result_of(player) for player in range(len(alive))]
    return [1 + sum(other > own for other in results) for own in results]
