"""Reports on turns: their marks, and the reasons and sentences that explain a loss of win probability."""

from __future__ import annotations

import re
from dataclasses import asdict, replace

import numpy as np
import pytest
from page_helpers import idle_log

from helpers import RING, position
from warlight_env import Game, Rules, battle_odds
from warlight_env.engine.orders import Orders
from warlight_env.notation import parse_orders
from warlight_env.record import game_at
from warlight_env.step_results import Event
from warlight_env.web.workers.analysed_position import TurnValues
from warlight_env.web.workers.rollout_estimate import OwnersAndArmies
from warlight_env.web.workers.turn_difference import ROUNDS_LATER, difference, sent_armies
from warlight_env.web.workers.turn_report import Better, TurnReport
from warlight_env.web.workers.turning_points import (
    cause_of,
    describe_orders,
    describe_turning_points,
    main_cause,
    reason_of,
    sentence_of,
    weak_attacks,
)


def entry(before: float, worth: float, after: float, better: str = "", gain: float = 0.0) -> TurnReport:
    """Return a report on a turn with these parts of its loss."""
    better_turn = Better(better, gain, 0.01) if better else None
    return TurnReport(before, worth, after, 0.0, gain, 0.01, gain, better_turn)


def test_a_turning_point_has_a_reason_with_names_instead_of_codes():
    log = idle_log(6)
    regions = log.header.map.regions
    codes = re.compile(rf"\b({'|'.join(region.code for region in regions)})\b", re.IGNORECASE)
    owned = [game_at(log, number).owner.tolist().count(0) for number in range(len(log.rounds) + 1)]
    number = next(number for number in range(1, len(owned)) if owned[number] < owned[number - 1])
    before, step, after = game_at(log, number - 1), log.rounds[number - 1], game_at(log, number)
    lost = [r for r in range(10) if before.owner[r] == 0 != after.owner[r]]
    home = next(r for r in range(10) if before.owner[r] == 0)
    source, target = home, log.header.map.neighbors[home][0]
    better = f"d {regions[home].code} 3; a {regions[source].code} {regions[target].code} 4"

    def sentence(turn: TurnReport) -> str:
        return sentence_of(asdict(reason_of(turn, 0, before, step, after, (-0.3, 0.3))), log.names, 0)

    others = sentence(entry(0.8, 0.5, 0.5))
    assert others.startswith("random lost ") and "strong" not in others
    assert all(regions[region].name in others for region in lost[:3])
    assert main_cause(entry(0.8, 0.5, 0.1, better, 0.3)) == "turn", "a blunder explains itself, also with bad dice"
    assert cause_of(entry(0.8, 0.8, 0.5)) == "dice"
    turn = entry(0.8, 0.5, 0.5, better, 0.3)
    turns = Orders(), parse_orders(log.header.map, better)
    report = replace(turn, reason=difference(before, 0, turns, [after] * 8, [before] * 8)).to_dict()
    lines = describe_turning_points({"turning": [{"round": number, "player": 0}], "rounds": [[report]] * 6}, log)
    twice = f"{better}; a {regions[source].code} {regions[log.header.map.neighbors[home][1]].code} 4"
    army = int(before.army[home]) + 3
    text = describe_orders(before, 0, parse_orders(log.header.map, twice.replace(" 4", f" {army - 1}")))
    reserve = regions[log.header.map.neighbors[home][1]].name
    assert text.endswith(f"with {army - 1}; if armies are left: {regions[source].name} → {reserve}")
    assert lines[0].startswith(
        f"round {number}: random (??) -30 points of win probability: -30 by the own turn, "
        "+0 by the turns of aggressive, +0 by the dice"
    )
    assert lines[2] == "  played: no orders" and lines[3].startswith("  better by 30 ± 1 points: ")
    assert len(lines) == 4 and not codes.search(lines[1] + lines[3].partition(":")[2])


@pytest.mark.parametrize(
    ("gain", "certain", "mark"),
    [(0.57, True, "??"), (0.15, True, "??"), (0.12, True, "?"), (0.06, True, "?!"), (0.04, True, None),
     (0.57, False, None), (-0.2, False, "!"), (-0.04, False, None)],
)  # fmt: skip
def test_marks_follow_the_certain_change_of_win_probability(gain: float, certain: bool, mark: str | None):
    assert entry(0.8, 0.5, 0.5, "d x 1" if certain else "", gain).mark == mark


@pytest.mark.parametrize(
    ("gain", "error", "mark"),
    [
        (0.15, 0.07, "??"),
        (0.16, 0.15, None),
        (0.15, 0.09, "?"),
        (0.12, 0.10, None),
        (0.09, 0.04, "?!"),
        (0.08, 0.08, None),
    ],
)
def test_an_uncertain_loss_has_a_lower_mark_or_none(gain: float, error: float, mark: str | None):
    better = Better("d x 1", gain, error)
    assert TurnReport(0.8, 0.5, 0.5, 0.0, gain, error, gain, better).mark == mark


def positions_after(owners: list[list[int]], armies: list[list[int]]) -> list[Game]:
    """Return games on the small map with these owners and armies of its first regions. Other regions are neutral."""
    saved = Game("small", "thesis", 2, 1, picks="random").to_dict()
    del saved["hash"]
    games = []
    for owner, army in zip(owners, armies, strict=True):
        rest = 10 - len(owner)
        state = {**saved["state"], "owner": [*owner, *[-1] * rest], "army": [*army, *[2] * rest]}
        games.append(Game.from_dict({**saved, "state": state}))
    return games


def test_the_reason_of_a_mistake_names_its_largest_consequence():
    map_ = Game("small").map
    name = [region.name for region in map_.regions]
    members = next(list(m) for m in map_.members if len(m) == 2)
    first, second = members
    outside = next(r for r in range(10) if r not in members and r in map_.neighbors[first])
    far = next(r for r in range(10) if r not in (*members, outside))

    def at(own: dict[int, int], other: dict[int, int]) -> Game:
        owner = [0 if r in own else 1 if r in other else -1 for r in range(10)]
        return positions_after([owner], [[own.get(r) or other.get(r) or 2 for r in range(10)]])[0]

    def explain(
        before: Game, played: list[Game], better: list[Game], turns: tuple[str, str] = ("", "d {0} 1"), times: int = 8
    ) -> str:
        orders = [parse_orders(map_, turn.format(*[region.code for region in map_.regions])) for turn in turns]
        reason = difference(before, 0, (orders[0], orders[1]), played * times, better * times)
        return sentence_of(asdict(reason), ("Ann", "Bob"), 0)

    start = at({first: 5, second: 2}, {outside: 9})
    lost = at({first: 5}, {outside: 9, second: 3})
    part = next(s.name for s, m in zip(map_.super_regions, map_.members, strict=True) if set(m) == set(members))
    assert explain(start, [lost] * 8, [start, lost] * 4).startswith(
        f"The better turn differs only in the deployed armies. The better turn holds {part} (+"
    )
    assert "in 50 % of cases, the played turn in 0 %" in explain(start, [lost] * 8, [start, lost] * 4)
    noise = explain(start, [lost] * 8, [lost] * 7 + [start], times=1)
    assert "no single difference is clear" in noise, "a difference whose range contains zero is no reason"
    half = at({first: 5}, {outside: 9}), at({first: 5}, {outside: 5})
    assert "Bob has 4.0 fewer armies" in explain(half[0], [half[0]], [half[1]])
    alone = at({first: 5}, {far: 1}), at({first: 5, outside: 2}, {far: 1})
    assert f"takes {name[outside]} in 100 % of cases, the played turn in 0 %" in explain(
        alone[0], [alone[0]], [alone[1]]
    )
    token = f"a {{{first}}} {{{outside}}} 1"
    assert explain(start, [lost], [start], ("", token)).startswith(
        f"The better turn is the same with one more attack: from {name[first]} to {name[outside]} with 1 army. "
    )
    assert explain(start, [lost], [start], (token, "")).startswith(
        f"The better turn is the same without the attack from {name[first]} to {name[outside]}. "
    )
    for few, many, numbers in ((1, 2, "2 armies instead of 1"), (2, 1, "1 army instead of 2")):
        turns = token.replace(" 1", f" {few}"), token.replace(" 1", f" {many}")
        assert f"only in the attack from {name[first]} to {name[outside]}: {numbers}. " in explain(
            start, [lost], [start], turns
        )
    two = (f"a {{{first}}} {{{outside}}} 1; a {{{first}}} {{{second}}} 2", f"a {{{first}}} {{{second}}} 2; {token}")
    text = explain(start, [start], [start], two)
    assert text.startswith(
        "The better turn differs only in the order of the moves. Right after the round, no single difference"
    )


def test_the_reason_of_a_mistake_names_consequences_in_later_rounds():
    """Ann moves her army away from a strong enemy, and the enemy takes the region in its next turn."""
    first, second = next(list(m) for m in Game("small").map.members if len(m) == 2)
    start = Game("small", "thesis", 2, 1, picks="random")
    outside = next(r for r in range(10) if r not in (first, second) and r in start.map.neighbors[first])
    far = next(r for r in range(10) if r not in (first, second, outside, *start.map.neighbors[outside]))

    def at(own: dict[int, int]) -> Game:
        owner = [0 if r in own else 1 if r == outside else -1 for r in range(10)]
        return position(start, owner, [own.get(r, 9 if r == outside else 2) for r in range(10)])

    played, better = [at({first: 1, second: 1, far: 30})] * 16, [at({first: 30, second: 1, far: 1})] * 16
    values = TurnValues(start, 1, 0, frozenset())
    later = list(zip(values.later(played, ROUNDS_LATER), values.later(better, ROUNDS_LATER), strict=True))
    reason = asdict(difference(start, 0, (Orders(), Orders()), played, better, later))
    consequences = reason["values"]["later"]
    assert [after["rounds"] for after in consequences] == list(ROUNDS_LATER)
    part = next(s.name for s, m in zip(start.map.super_regions, start.map.members, strict=True) if first in m)
    assert (consequences[0]["code"], consequences[0]["values"]["bonus"]) == ("turn-breaks", part)
    assert consequences[0]["values"]["better"] == 0 and consequences[0]["values"]["played"] > 0.4
    names = [(after["code"], after["values"].get("region", after["values"].get("bonus"))) for after in consequences]
    assert len({*names, (reason["code"], reason["values"].get("region"))}) == 3, "each advantage is named once"
    text = sentence_of(reason, ("Ann", "Bob"), 0)
    assert f" 1 round later, Bob holds {part} (+2) in 0 % of the simulated games with the better turn" in text
    assert " 3 rounds later, " in text
    same = list(zip(values.later(better, ROUNDS_LATER), values.later(better, ROUNDS_LATER), strict=True))
    assert "later" not in difference(start, 0, (Orders(), Orders()), better, better, same).values


def test_about_5_percent_of_explanations_of_pure_noise_name_a_difference():
    """It compares many regions, bonuses and armies at three times. At least one almost always differs by chance."""
    rng, map_ = np.random.default_rng(1), Game("world").map
    start, rolls, trials = Game("world", "thesis", 3, 1, picks="random"), 48, 200

    def noise(number: int) -> OwnersAndArmies:
        shape = (number, map_.n_regions)
        return OwnersAndArmies(rng.integers(-1, 3, shape).astype(np.int8), rng.integers(1, 9, shape).astype(np.int32))

    pool = noise(256)
    games = [position(start, *pair) for pair in zip(pool.owner.tolist(), pool.army.tolist(), strict=True)]
    reasons = []
    for _ in range(trials):
        played, better = ([games[i] for i in rng.integers(0, len(games), rolls)] for _ in range(2))
        later = [(noise(rolls), noise(rolls)) for _ in ROUNDS_LATER]
        reasons.append(difference(start, 0, (Orders(), Orders()), played, better, later))
    claims = [reason for reason in reasons if reason.code != "turn-even" or "later" in reason.values]
    assert len(claims) <= 0.05 * trials + 2 * (0.05 * 0.95 * trials) ** 0.5, f"{len(claims)} of {trials}"
    worse, good = noise(rolls), noise(rolls)
    good.owner[: 2 * rolls // 3, 7] = 0  # held in 3/4 of the rolls instead of 1/4
    results = difference(start, 0, (Orders(), Orders()), played, better, [later[0], (worse, good)]).values["later"]
    assert [(after["rounds"], after["values"]["region"]) for after in results] == [
        (ROUNDS_LATER[1], map_.regions[7].name)
    ]


def test_sentences_name_other_players_and_add_seats_to_equal_names():
    start = Game("small", "thesis", 3, 1, picks="random")
    members = next(list(m) for m in start.map.members if len(m) == 2)
    part = next(
        s.name for s, m in zip(start.map.super_regions, start.map.members, strict=True) if set(members) == set(m)
    )

    def at(holder: int) -> Game:
        others = [r for r in range(10) if r not in members]
        owner = [holder if r in members else {others[0]: 0, others[1]: 1, others[2]: 2}.get(r, -1) for r in range(10)]
        return position(start, owner, [3] * 10)

    reason = asdict(difference(at(-1), 0, (Orders(), Orders()), [at(2)] * 8, [at(-1)] * 8))
    text = sentence_of(reason, ("Ann", "Bob", "Cid"), 0)
    assert text.startswith(f"Cid holds {part} (+2) after the better turn in 0 % of cases")
    assert sentence_of(reason, ("Ann", "nash", "nash"), 0).startswith("nash (seat 3) holds ")

    def others(before: Game, after: Game) -> str:
        reason = reason_of(entry(0.8, 0.5, 0.5), 0, before, idle_log(1).rounds[0], after, (-0.3, 0.1, 0.2))
        return sentence_of(asdict(reason), ("Ann", "Bob", "Cid"), 0)

    assert f" to Bob, with the bonus of {part}." in others(at(0), at(1))
    assert others(at(1), at(2)) == (
        f"Ann lost no region, but Cid took 2 regions and now holds all of {part}: "
        "the win probability of Cid rose by 20 points."
    )
    assert others(at(1), at(1)) == (
        "Ann lost no region, but the orders of the other players were better than those in the simulated games: "
        "the win probability of Cid rose by 20 points."
    )


def test_a_turning_point_names_the_weak_attacks_of_a_turn():
    game = ring("thesis")  # region 0 has 9 armies, region 3 of Bob has 12, and region 5 is neutral with 5
    name = [region.name for region in game.map.regions]

    def sentences(own: Orders, other: Orders) -> list[str]:
        return weak_attacks(game, replace(idle_log(1).rounds[0], orders=(own, other)), 0, ("Ann", "Bob"))

    def chance(armies: int, defenders: int) -> str:
        return f"{100 * battle_odds(armies, defenders).capture:.0f} %"

    weak, strong = Orders(attacks=[(0, 5, 4)]), Orders(attacks=[(0, 5, 8)])
    assert sentences(weak, Orders()) == [f"The attack on {name[5]} with 4 armies had only a chance of {chance(4, 5)}."]
    assert sentences(strong, Orders()) == [] and sentences(Orders(attacks=[(0, 1, 1)]), Orders()) == []
    assert sentences(weak, Orders(attacks=[(4, 5, 3)])) == [], "Bob may take the region first"
    assert sentences(Orders(attacks=[(0, 5, 4), (1, 5, 1)]), Orders()) == [], "two battles"
    raid = Orders(deploys=[(2, 20)], attacks=[(2, 3, 24)])
    assert sentences(raid, Orders()) == []
    assert sentences(raid, Orders(deploys=[(3, 30)])) == [
        f"The attack on {name[3]} with 24 armies had a chance of {chance(24, 12)} against the 12 armies there. "
        f"Bob deployed 30 more: the chance was {chance(24, 42)}."
    ]
    assert sentences(raid, Orders(deploys=[(3, 30)], attacks=[(3, 4, 40)])) == [], "fewer armies may be there"


def test_bad_dice_are_explained_by_a_battle_only_if_it_was_unlucky():
    before, empty = ring("thesis"), idle_log(1).rounds[0]

    def explanation(*events: Event) -> str:
        step = replace(empty, orders=(Orders(), Orders()), events=events)
        return sentence_of(
            asdict(reason_of(entry(0.8, 0.8, 0.5), 0, before, step, before, (-0.3, 0.3))), ("Ann", "Bob"), 0
        )

    def battle(player: int, source: int, target: int, armies: int, lost: int, killed: int, captured: bool) -> Event:
        return Event(player, source, target, armies, "attack", lost, killed, captured)

    name, odds = [region.name for region in RING.regions], battle_odds
    failure = f"the attack from {name[0]} to {name[5]} had a chance of {100 * odds(8, 5).capture:.0f} % and failed."
    assert odds(8, 5).capture > 0.5 and failure in explanation(battle(0, 0, 5, 8, 5, 2, False))
    chance = odds(4, 5).capture
    capture = f"the attack from {name[4]} to {name[2]} had a chance of only {100 * chance:.0f} % and succeeded."
    assert chance < 0.5 and capture in explanation(battle(1, 4, 2, 4, 1, 5, True))
    cost = odds(8, 5).expected_attackers - odds(8, 5).expected_defenders - 1  # one attacker is left, and no defender
    costly = f"the battle from {name[0]} to {name[5]} cost {cost:.1f} armies more"
    assert costly in explanation(battle(0, 0, 5, 8, 7, 5, True)), "the attack succeeded, but with many losses"
    expected = round(8 - odds(8, 5).expected_attackers)
    assert "No single battle was very unlucky for Ann" in explanation(battle(0, 0, 5, 8, expected, 5, True))


def ring(rules: str) -> Game:
    return position(
        Game(RING, Rules.of(rules, picks=1, offers_per_super_region=0)), [0, 0, 0, 1, 1, -1], [9, 5, 5, 12, 5, 5]
    )  # fmt: skip


@pytest.mark.parametrize(("rules", "reserves"), [("thesis", [(0, 1)]), ("challenge1", []), ("challenge2", [])])
def test_an_order_without_armies_is_a_reserve_if_armies_can_move_again(rules: str, reserves: list[tuple[int, int]]):
    orders = Orders(deploys=[(0, 2), (0, 3)], attacks=[(0, 5, 20), (0, 1, 20), (1, 2, 1)])
    assert sent_armies(ring(rules), 0, orders) == ({0: 5}, [(0, 5, 13), (1, 2, 1)], reserves)


def test_a_difference_of_two_turns_is_named_only_if_it_is_the_only_one():
    game = ring("thesis")

    def only(played: Orders, better: Orders) -> dict[str, object] | None:
        return difference(game, 0, (played, better), [game], [game]).values.get("only")

    attack = {"kind": "attack", "source": RING.regions[0].name, "target": RING.regions[5].name, "armies": 2, "was": 1}
    split = Orders(deploys=[(0, 2), (0, 3)], attacks=[(0, 5, 1), (0, 1, 1)])
    assert only(split, Orders(deploys=[(0, 5)], attacks=[(0, 5, 2), (0, 1, 1)])) == attack
    assert only(split, Orders(deploys=[(0, 5)], attacks=[(0, 1, 1), (0, 5, 1)])) == {"kind": "order"}
    assert only(split, Orders(deploys=[(0, 5)], attacks=[(0, 1, 2), (0, 5, 2)])) is None
    assert only(split, Orders(deploys=[(0, 3)], attacks=[(0, 5, 1), (0, 1, 1)])) == {"kind": "deploys"}
    assert only(split, Orders(deploys=[(0, 3)], attacks=[(0, 5, 2), (0, 1, 1)])) is None
    everything = Orders(attacks=[(0, 5, 8)])
    assert only(everything, Orders(attacks=[(0, 5, 8), (0, 1, 8)])) is None, "a reserve sends no armies"
