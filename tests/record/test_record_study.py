"""Studies: positions with variations and without a game, stored as files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers import RING
from log_helpers import put
from warlight_env import Game, Orders, Rules
from warlight_env.engine.rules import PRESETS
from warlight_env.record import GameLog, Study, StudyError, Variations, game_from_position, play_variation, verify


def make_study(map_: Any = "small", rules: Any = "thesis", players: int = 2) -> Study:
    """Return a study with two variations, the second after the first."""
    game = Game(map_, rules, players, 3, picks="random")
    names = tuple(f"Player {p}" for p in range(players))
    study = Study(game.map, game.rules, names, tuple(game.owner.tolist()), tuple(game.army.tolist()), 4, "Opening")
    home = next(r for r in range(game.map.n_regions) if game.owner[r] == 0)
    turn = Orders([(home, 2)], [(home, game.map.neighbors[home][0], 3)])
    after, first = play_variation(study.game, 0, [turn, *[None] * (players - 1)], 11)
    tree = Variations().added(first)
    _, second = play_variation(after, 1, [None] * players, 12)
    tree = tree.added(replace(second, parent=1)).annotated(2, "Wait", "Nothing happens")
    return replace(study, variations=tree.annotated_position(4, "Start", ""))


@pytest.mark.parametrize("rules", sorted(PRESETS))
def test_saving_and_loading_keeps_a_study_of_any_rules_and_map(rules: str, tmp_path: Path):
    for map_, players in (("world", 3), (RING, 2)):
        study = make_study(map_, Rules.of(rules, picks=1), players)
        study.save(tmp_path / "opening.study.json")
        again = Study.load(tmp_path / "opening.study.json")
        assert again == study
        assert again.encoded() == study.encoded()


def test_a_study_of_a_game_contains_the_variations_of_its_position(whole: Path):
    log = GameLog.load(whole)
    tree = Variations()
    for round_ in (1, 3):
        _, node = play_variation(Study.of_log(log, round_).game, 0, [None, None], 5)
        tree = tree.added(node)
    log = replace(log, variations=tree.annotated_position(3, "Here", ""))
    assert verify(log) == []
    study = Study.of_log(log, 3, "Round 4")
    assert [node.round for node in study.variations.nodes] == [3]
    assert study.variations.note(3).name == "Here"
    assert study.players == log.names
    with pytest.raises(StudyError, match=r"position: .*the game is over"):
        Study.of_log(log)


def test_grafting_joins_the_variations_of_the_same_position():
    study = make_study()
    both = study.grafted(study)
    assert [(node.id, node.parent) for node in both.variations.nodes] == [(1, None), (2, 1), (3, None), (4, 3)]
    both.check()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda s: make_study("world"), "map 'world': it differs"),
        (lambda s: make_study("small", Rules.of("thesis", fog=True)), "rules 'thesis': these rules differ"),
        (lambda s: make_study("small", players=3), "3 players: the game has 2"),
        (lambda s: replace(s, round=2, variations=Variations()), "round 2: the position of the game is after 4"),
        (lambda s: replace(s, army=(9, *s.army[1:])), "region .* differs from the position of the game"),
    ],
)
def test_a_study_of_another_game_is_not_joined(other: Callable[[Study], Study], message: str):
    study = make_study()
    with pytest.raises(StudyError, match=message):
        study.grafted(other(study))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("format", "warlight-log"), "not a study"),
        (put("version", 2), "the study has version 2, but this program reads only versions up to 1"),
        (put("map_digest", "0"), "map 'small' differs from the map of the file"),
        (put("map", "atlantis"), "there is no bundled map 'atlantis'"),
        (put("rules", "base_income", -1), "base_income"),
        (put("players", [{"name": "A"}]), "'players' must be 2 to 6, not 1"),
        (put("players", 0, "name", "x" * 61), "name of player 0: it has 61 characters"),
        (put("position", "owner", [0]), "position: 'owner' must be a list with 10 elements"),
        (put("position", "army", 3, 0), "position: 'army' must be a list of integers"),
        (put("position", "owner", [0] * 10), "position: .*the game is over"),
        (put("variations", "nodes", 1, "parent", 2), "variations: .*earlier variation"),
        (put("variations", "nodes", 0, "orders", 0, "deploys", 0, 1, 90), "variation 1: player 0, deploy 1"),
        (put("variations", "nodes", 0, "round", 3), "variation"),
        (put("title", 5), "'title' must be a string"),
    ],
)
def test_a_damaged_study_is_refused_with_place_and_reason(tmp_path: Path, change: Callable[[Any], None], message: str):
    data = json.loads(make_study().encoded())
    change(data)
    path = tmp_path / "damaged.study.json"
    path.write_text(json.dumps(data))
    with pytest.raises(StudyError, match=message) as found:
        Study.load(path)
    assert str(found.value).startswith(str(path))


def test_files_that_are_not_studies_are_refused(tmp_path: Path):
    path = tmp_path / "a.study.json"
    with pytest.raises(StudyError, match="cannot be read"):
        Study.load(path)
    for content, message in (
        (b"{", "malformed JSON"),
        (b"\x1f\x8b", "gzip"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * (8 << 20) + b"{}", "more than 8 MiB"),
        (b'{"format":"warlight-study","version":NaN}', "not a number"),
    ):
        path.write_bytes(content)
        with pytest.raises(StudyError, match=message):
            Study.load(path)
    with pytest.raises(StudyError, match=r"must end in \.study\.json"):
        make_study().save(tmp_path / "study.json")


def test_a_position_without_a_player_needs_an_earlier_round():
    game = Game("small", "thesis", 3, 3, picks="random")
    owner = [o if o != 2 else -1 for o in game.owner.tolist()]
    later = game_from_position(game.map, game.rules, 3, owner, game.army.tolist(), 5)
    assert later.eliminated == (None, None, 5)
    study = Study(game.map, game.rules, ("a", "b", "c"), tuple(owner), tuple(game.army.tolist()))
    with pytest.raises(StudyError, match="player 2 is not eliminated, but owns no region"):
        study.check()
