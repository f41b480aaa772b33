"""The feature registry: names, columns for any number of players, and lists of names."""

from __future__ import annotations

import numpy as np
import pytest

from warlight_env.errors import InputError
from warlight_env.features import Feature, Group, definitions, global_features, node_features
from warlight_env.features.registry import OPPONENT, FeatureNameError

GROUPS = {name: value for name, value in vars(definitions).items() if isinstance(value, Group)}


def some_group() -> Group:
    few = [Feature(name, 0, 1, "-") for name in ("first", "second", "last")]
    per = [Feature(name, 0, 1, "-", per=OPPONENT) for name in ("regions", "armies")]
    return Group("some", "things", (few[0], few[1], *per, few[2]))


@pytest.mark.parametrize("players", [2, 3, 6])
def test_kernel_columns_match_the_feature_names(players: int):
    for group in (some_group(), definitions.NODES, definitions.GLOBALS):
        names = [feature.name for feature in group.expanded(players)]
        shift, behind = group.per_opponent * (players - 1), False
        for feature in group.features:
            column = getattr(group.columns, feature.name)
            if feature.per:
                behind = True
                for k in range(1, players):
                    assert names[column + group.per_opponent * (k - 1)] == f"{feature.name}_{k}"
            else:
                assert names[column + shift * behind] == feature.name
        assert len(names) == group.width + shift


def test_features_keep_their_order():
    assert node_features(3) == (
        "unknown", "neutral", "mine", "opponent_1", "opponent_2", "army_soft", "army_linear", "offered", "border",
        "bonus", "my_share", "opponent_share",
    )  # fmt: skip
    assert global_features(3) == (
        "picking", "my_pick", "time", "round", "income", "regions_mine", "armies_mine", "regions_neutral",
        "armies_neutral", "regions_opponent_1", "armies_opponent_1", "regions_opponent_2", "armies_opponent_2",
        "regions_unknown",
    )  # fmt: skip


@pytest.mark.parametrize("name", GROUPS)
def test_every_feature_has_a_range_a_unit_and_a_description(name: str):
    for feature in GROUPS[name].features:
        assert feature.low < feature.high and feature.unit and feature.description, feature.name


def test_places_are_in_the_order_of_the_names():
    group = some_group()
    assert group.places(["last", "armies_2", "first"], 3).tolist() == [6, 5, 0]
    assert group.places([], 3).dtype == np.uint32


@pytest.mark.parametrize(("names", "message"), [
    (None, "some: None: must be a list of names"),
    ("first", "some: 'first': must be a list of names"),
    (["first", 3], "some: this version has no feature 3"),
    (["armies_3"], "some: this version has no feature 'armies_3'"),
    (["last", "last"], "some: feature 'last' occurs twice"),
])  # fmt: skip
def test_invalid_lists_of_names_raise_an_error(names: object, message: str):
    with pytest.raises(FeatureNameError, match=message):
        some_group().places(names, 3)  # type: ignore[arg-type]


def test_duplicate_name_in_a_group_raises_an_error():
    with pytest.raises(FeatureNameError, match="group 'some' has two features 'first'"):
        Group("some", "things", (Feature("first", 0, 1, "-"), Feature("first", 0, 2, "-")))


def test_invalid_number_of_players_raises_an_error():
    with pytest.raises(InputError, match="players = 10000000: must be an integer in 2 "):
        some_group().expanded(10_000_000)
