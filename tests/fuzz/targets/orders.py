"""Turns as text; rounds of arbitrary orders, compared with the oracle."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import oracle
from fuzz import mutate, small_maps
from fuzz.target import Data, Target, expect, refused
from helpers import PRESETS, script
from oracle_helpers import CODES, oracle_rules
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.game import Game, IllegalOrdersError
from warlight_env.notation import NotationError, format_orders, parse_orders

MAPS = {m.name: m for m in (small_maps.RING, small_maps.STAR, small_maps.ladder_map(6))}
TEXTS = ("d r0 4; a r0 r1 9", "t R1 R2 3;;d R3 1", "a r0 r5 1; a r0 r1 2; a r0 r3 3", "d r2 5")
CHANGES: dict[str, tuple[Any, ...]] = {
    "luck": (1.0, 0.16, 0.0, 0.5), "rounding": ("nearest", "stochastic"), "skipped_attack_keeps_place": (True, False),
    "moved_armies": ("free", "challenge1", "challenge2"), "repeated_attack": ("merge", "illegal"),
    "max_orders": (0, 2, 51), "max_rounds": (0, 1, 3), "tie_break": ("draw", "regions"), "base_income": (0, 5, 1000),
}  # fmt: skip


class OrdersTarget(Target):
    """``("text", map, text)``, ``("picks", map, preferences)`` or ``("round", …)``."""

    share = 110

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._texts = [text.encode() for text in TEXTS]

    def make(self, rng: random.Random) -> Data:
        name = rng.choice(list(MAPS))
        kind = rng.choice(("text", "picks", "round", "round", "round"))
        n = MAPS[name].n_regions
        if kind == "text":
            return (kind, name, mutate.damaged(rng.choice(self._texts), rng, self._texts).decode("utf-8", "replace"))
        if kind == "picks":
            preferences = {p: [rng.randrange(n) for _ in range(rng.randint(0, 4))] for p in range(2)}
            return (kind, name, mutate.changed(preferences, rng), rng.choice(("raise", "skip")))
        return (kind, name, *_round(rng, n))

    def run(self, data: Data) -> bool:
        kind, name, *rest = data
        return {"text": _text, "picks": _picks, "round": _play}[kind](MAPS[name], *rest)


def _round(rng: random.Random, n: int) -> tuple[Any, ...]:
    players = rng.choice((2, 2, 3))
    owner = [rng.randint(-1, players - 1) for _ in range(n)]
    owner[:players] = range(players)
    army = [rng.choice((1, 2, 3, 9, 40)) for _ in range(n)]
    changes = {key: rng.choice(CHANGES[key]) for key in rng.sample(list(CHANGES), rng.choice((0, 2, 5)))}
    turns = []
    for _ in range(players):
        deploys = [_order(rng, n, 1) for _ in range(rng.choice((0, 1, 2, 60)))]
        attacks = [_order(rng, n, 2) for _ in range(rng.choice((0, 1, 4, 60)))]
        turns.append([deploys, attacks])
    if rng.random() < 0.15:
        turns = mutate.changed(turns, rng)
    dice = [rng.randrange(60) for _ in range(rng.randint(1, 20))]
    return (rng.choice(PRESETS), changes, players, owner, army, turns, dice)


def _order(rng: random.Random, n: int, regions: int) -> tuple[Any, ...]:
    row = [*(rng.randrange(n) for _ in range(regions)), rng.randint(1, 9)]
    if rng.random() < 0.15:
        row[rng.randrange(len(row))] = rng.choice((-1, 0, n, 2**31, 2**63, -(2**63) - 1, 10**30, True))
    return tuple(row)


def _text(map_: Any, text: str) -> bool:
    try:
        orders = parse_orders(map_, text)
    except NotationError as error:
        return refused(error, "order")
    again = parse_orders(map_, format_orders(map_, orders))
    expect(again == orders, "orders that are others when they are read again")
    return True


def _picks(map_: Any, preferences: Any, on_illegal: Any) -> bool:
    game = Game(map_, {"name": "thesis", "picks": 1})
    before = game.hash()
    try:
        dropped = game.pick(preferences, on_illegal)
    except (InputError, OrdersTypeError) as error:
        expect(game.hash() == before and not game.can_undo, "picks that were refused and changed the game")
        return refused(error)
    game.undo()
    expect(game.hash() == before, "an undo that does not lead back")
    return not dropped


def _play(
    map_: Any, preset: str, changes: Any, players: int, owner: list[int], army: list[int], turns: Any, dice: list[int]
) -> bool:
    rules = Rules.of(preset, picking="dealt", picks=1, offers_per_super_region=0, wastelands=0.0, **changes)
    game = small_maps.position(map_, rules, players, owner, army)
    before = game.hash()
    try:
        given = [Orders(*turn) for turn in turns]
    except TypeError:  # a turn does not consist of two lists
        return False
    strict = game.clone()
    try:
        result = game.play_round(given, on_illegal="skip", script=script(dice))
    except (InputError, OrdersTypeError) as error:
        expect(game.hash() == before, "orders that were refused and changed the game")
        return refused(error)
    try:
        strict.play_round(given, script=script(dice))
        expect(not result.dropped and strict.hash() == game.hash(), "strict and lenient play that differ")
    except IllegalOrdersError as error:
        expect(result.dropped and strict.hash() == before, "illegal orders that changed the game")
        refused(error)
    rows = [tuple([tuple(row) for row in part.tolist()] for part in turn.arrays()) for turn in given]
    owners, armies, outcome = oracle.resolve_round(
        map_.neighbors, map_.super_region_of, map_.bonuses, oracle_rules(rules), owner, army, 1, rows, players,
        oracle.Decisions(dice), [0] * players,
    )  # fmt: skip
    expect((game.owner.tolist(), game.army.tolist()) == (owners, armies), "a round that the oracle plays otherwise")
    events = [
        (e.player, e.source, e.target, e.armies, e.attackers_lost, e.defenders_lost, e.captured) for e in result.events
    ]
    expect(events == [tuple(event) for event in outcome.events], "events that the oracle does not tell")
    dropped = sorted((d.player, d.kind, d.index, d.reason) for d in result.dropped)
    expect(
        dropped == sorted((p, kind, i, CODES[code]) for p, kind, i, code in outcome.dropped),
        "orders that the oracle would not drop, or not for this reason",
    )
    expect(list(game.placements) == list(outcome.placements), "places that the oracle gives otherwise")
    game.undo()
    expect(game.hash() == before, "an undo that does not lead back")
    return True


TARGET = OrdersTarget
