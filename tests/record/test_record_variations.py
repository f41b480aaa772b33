"""Variations in game logs: adding, naming, deleting, saving, and refusing damaged trees."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from log_helpers import put
from warlight_env import Game, Orders
from warlight_env.record import (
    GameLog,
    LogError,
    Note,
    VariationError,
    Variations,
    check_variations,
    game_at,
    play_variation,
    summarize,
    verify,
)
from warlight_env.record.variation_codec import decode_tree, tree_data
from warlight_env.record.variation_play import game_after, legal_part


def make_tree(log: GameLog, *anchors: int) -> Variations:
    """Return a tree: after each anchor, a round without orders of seat 0, then two rounds with different seeds."""
    tree = Variations()
    for anchor in anchors:
        after, node = play_variation(game_at(log, anchor), 0, [Orders(), log.rounds[anchor].orders[1]], 7)
        tree = tree.added(node)
        top = tree.next - 1
        for seed in (8, 9):
            _, second = play_variation(after, 0, [Orders(), None], seed)
            tree = tree.added(replace(second, parent=top))
    return tree


@pytest.fixture(scope="module")
def log(whole: Path) -> GameLog:
    plain = GameLog.load(whole)
    tree = make_tree(plain, 0, 2).annotated(2, "Idle", "Why not?\nWait.").annotated_position(1, "", "A quiet round")
    return replace(plain, variations=tree)


def test_a_saved_log_keeps_its_variations_and_verifies(log: GameLog, tmp_path: Path):
    for name in ("game.wl.jsonl", "game.wl.jsonl.gz"):
        log.save(tmp_path / name)
        again = GameLog.load(tmp_path / name)
        assert again == log
        assert verify(again) == []
        assert again.variations.note(1) == Note(1, "", "A quiet round")
        assert summarize(tmp_path / name).rounds == len(log.rounds)


def test_a_log_without_variations_has_no_variations_line(log: GameLog, whole: Path, tmp_path: Path):
    replace(log, variations=Variations()).save(tmp_path / "game.wl.jsonl")
    assert (tmp_path / "game.wl.jsonl").read_bytes() == whole.read_bytes()


def test_a_variation_uses_its_seed_and_leaves_the_game_unchanged(log: GameLog):
    game = game_at(log, 4)
    orders = log.rounds[4].orders
    before = game.hash()
    results = {play_variation(game, 0, orders, seed)[1].events for seed in range(12)}
    assert len(results) > 1
    assert play_variation(game, 0, orders, 3)[1] == play_variation(game, 0, orders, 3)[1]
    assert game.hash() == before


def test_illegal_orders_are_refused_with_their_place(log: GameLog):
    game = game_at(log, 1)
    foreign = next(r for r in range(game.map.n_regions) if game.owner[r] != 0)
    turn = Orders([(foreign, 1)], [])
    with pytest.raises(VariationError, match=r"player 0, deploy 1 .*not the player's region"):
        play_variation(game, 0, [turn, None], 1)
    assert legal_part(game, 0, turn) == Orders([], [])
    with pytest.raises(VariationError, match="no turn is possible"):
        play_variation(game_at(log), 0, [None, None], 1)


def test_deleting_a_branch_removes_its_subtree_and_reuses_no_number(log: GameLog):
    tree = log.variations.without(1)
    assert [node.id for node in tree.nodes] == [4, 5, 6]
    assert log.variations.subtree_ids(1) == {1, 2, 3}
    _, node = play_variation(game_at(log, 0), 1, [None, None], 1)
    assert tree.without(6).added(node).nodes[-1].id == 7
    with pytest.raises(VariationError, match="the tree has no variation 1"):
        tree.path(1)


def test_the_game_after_a_variation_follows_its_path(log: GameLog):
    game = game_after(log.variations, 5, 0, lambda number: game_at(log, number))
    assert game.round == 4
    owner = dict(enumerate(game_at(log, 2).owner.tolist()))
    for node in log.variations.path(5):
        owner.update({region: by for region, by, _ in node.changed})
    assert owner == dict(enumerate(game.owner.tolist()))


def test_believed_positions_replace_the_hidden_regions(log: GameLog):
    game = game_at(log, 2)
    region = next(r for r in range(game.map.n_regions) if game.owner[r] < 0)
    after, node = play_variation(game, 0, [None, None], 1, "believed", "random", [(region, 1, 9)])
    assert (after.owner[region], after.army[region]) == (1, 9)
    tree = Variations().added(node)
    check_variations(tree, lambda number: game_at(log, number))
    with pytest.raises(VariationError, match="variation 1"):
        check_variations(
            Variations().added(replace(node, believed=((region, 1, 9), (region, 0, 0)))),
            lambda number: game_at(log, number),
        )


def test_names_and_comments_are_limited(log: GameLog):
    with pytest.raises(VariationError, match="name: it has 61 characters"):
        log.variations.annotated(1, "x" * 61, "")
    with pytest.raises(VariationError, match="comment: it has 2001 characters"):
        log.variations.annotated_position(1, "", "x" * 2001)
    with pytest.raises(VariationError, match="cannot be printed"):
        log.variations.annotated(1, "a\nb", "")
    assert log.variations.annotated_position(1, "", "").notes == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("version", 2), "the tree has version 2, but this program reads only versions up to 1"),
        (
            put("nodes", 1, "parent", 3),
            r"nodes\[1\] \(variation 2\): 'parent' must be an earlier variation .*cycles",
        ),
        (put("nodes", 0, "parent", 1), r"nodes\[0\] \(variation 1\): 'parent' must be an earlier"),
        (put("nodes", 1, "parent", 99), "'parent' must be an earlier variation"),
        (put("nodes", 1, "id", 1), "an earlier variation has the same number"),
        (put("nodes", 1, "round", 5), r"'round' must be an integer in 1 \.\. 1"),
        (put("nodes", 0, "seat", 2), r"'seat' must be an integer in 0 \.\. 1"),
        (put("nodes", 0, "orders", [None] * 3), "'orders' must be a list with 2 elements"),
        (put("nodes", 0, "orders", [{"deploys": [[0]], "attacks": []}, None]), r"orders\[0\]: deploys\[0\]"),
        (put("nodes", 0, "seed", -1), "'seed' must be an integer"),
        (put("nodes", 0, "reply", "guessed"), "'reply' must be \"known\" or"),
        (put("nodes", 0, "chances", [[0.5, 0.4, 2], [0, 0, 0]]), r"chances\[0\]: must be three numbers"),
        (put("nodes", 0, "comment", "x" * 2001), "variation 1: comment: it has 2001 characters"),
        (put("next", 6), "'next' must be an integer in 7"),
        (put("notes", [{"round": 2, "name": "", "comment": "b"}] * 2), "notes: the rounds must be different"),
        (lambda data: data["nodes"].extend(data["nodes"] * 400), "there may be at most 2000"),
        (put("nodes", 0, 7), "must be an object"),
        (lambda data: data.pop("nodes"), "'nodes' is missing"),
    ],
)
def test_a_damaged_tree_is_refused_with_place_and_reason(
    log: GameLog, tmp_path: Path, change: Callable[[Any], None], message: str
):
    data = json.loads(json.dumps(tree_data(log.variations)))
    change(data)
    path = tmp_path / "game.wl.jsonl"
    log.save(path)
    *lines, _ = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines) + json.dumps({"event": "variations", **data}).encode() + b"\n")
    with pytest.raises(LogError, match=message) as found:
        GameLog.load(path)
    assert f"{path}: line {len(lines) + 1}" in str(found.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            put("nodes", 0, "orders", [{"deploys": [[0, 500]], "attacks": []}, None]),
            "variation 1: player 0, deploy 1",
        ),
        (put("nodes", 0, "changed", [[0, 0, 77]]), "variation 1: 'changed' differs"),
        (put("nodes", 3, "round", 9999), "variation 4"),
        (put("notes", 0, "round", 9999), "note of round 9999"),
    ],
)
def test_verify_reports_variations_that_break_the_rules(log: GameLog, change: Callable[[Any], None], message: str):
    data = json.loads(json.dumps(tree_data(log.variations)))
    change(data)
    for node in data["nodes"][4:]:
        node["round"] = data["nodes"][3]["round"] + 1
    tree = decode_tree(data, "tree", log.header.map.n_regions, 2)
    (difference,) = verify(replace(log, variations=tree))
    assert message in str(difference)


def test_a_continued_game_does_not_copy_the_variations_of_its_log(log: GameLog, tmp_path: Path):
    from warlight_env.arena import continue_game

    continue_game(log, 2, ["random", "random"], max_rounds=4, path=tmp_path / "c.wl.jsonl")
    assert not GameLog.load(tmp_path / "c.wl.jsonl").variations


def test_a_tree_is_limited_to_2000_variations_and_notes(log: GameLog):
    node = log.variations.nodes[0]
    tree = Variations(tuple(replace(node, id=id) for id in range(1, 2001)), (), 2001)
    assert isinstance(game_at(log, 0), Game)
    with pytest.raises(VariationError, match="2000 variations and notes"):
        tree.added(node)
    with pytest.raises(VariationError, match="2000 variations and notes"):
        tree.annotated_position(0, "Start", "")
