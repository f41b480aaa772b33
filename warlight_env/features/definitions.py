"""The feature registry: all features of observations, states and networks' inputs, in the order of their columns.

To add a feature, add an entry at the end of its group in this module, and add a line that computes the feature to the
kernel of the group.
"""

from __future__ import annotations

from math import inf
from typing import Final

import numpy as np

from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.engine.state import PHASES
from warlight_env.features.registry import OPPONENT, PLAYER, Feature, Group

#: Codes of a region's owner in a player's view, also in the observation "raw". The opponents have the codes 2,
#: 3, … in seat order after the player.
SEEN_UNKNOWN: Final = -1
SEEN_NEUTRAL: Final = 0
SEEN_MINE: Final = 1

#: The number of armies at which a feature "army_soft" is 0.5, and the number at which "army_linear" is 1.
SOFT_ARMIES: Final = 10
MANY_ARMIES: Final = 100

_ONE_HOT: Final = "1 if true, else 0"
_SOFT: Final = f"armies / (armies + {SOFT_ARMIES})"
_LINEAR: Final = f"armies / {MANY_ARMIES}, at most 1"
_REGIONS: Final = "fraction of all regions"
_ARMIES: Final = "fraction of all visible armies"
_OF_SUPER_REGION: Final = "fraction of the super region's regions"
_PHASES: Final = ", ".join(f"{i} {phase}" for i, phase in enumerate(PHASES))
_MOST: Final = int(np.iinfo(np.int32).max)
_TIME: Final = Feature("time", 0, 1, "steps / max_cycles", "steps since the reset")
_ROUND: Final = Feature("round", 0, 1, "rounds / the rules' limit", "rounds played; 0 if the rules have no limit")

# Features of observations: `envs.buffers.observe_turn` writes TURNS and INCOME_LEFT, and `extraction` writes all others

NODES: Final = Group("nodes", "each region, as the player sees it", (
    Feature("unknown", 0, 1, _ONE_HOT, "the player does not see the region"),
    Feature("neutral", 0, 1, _ONE_HOT, "the region is neutral"),
    Feature("mine", 0, 1, _ONE_HOT, "the player owns the region"),
    Feature("opponent", 0, 1, _ONE_HOT, "the opponent k seats after the player owns the region", OPPONENT),
    Feature("army_soft", 0, 1, _SOFT, "armies on the region; 0 if the player does not see it"),
    Feature("army_linear", 0, 1, _LINEAR, "armies on the region; 0 if the player does not see it"),
    Feature("offered", 0, 1, _ONE_HOT, "the player may pick the region now"),
    Feature("border", 0, 1, _ONE_HOT, "the player owns the region, but not all neighbours of the region"),
    Feature("bonus", 0, 1, "armies / the largest bonus of the map", "bonus of the region's super region"),
    Feature("my_share", 0, 1, _OF_SUPER_REGION, "the player's regions"),
    Feature("opponent_share", 0, 1, _OF_SUPER_REGION, "regions of the opponent with the most regions there"),
))  # fmt: skip

GLOBALS: Final = Group("globals", "the position, as the player sees it", (
    Feature("picking", 0, 1, _ONE_HOT, 'the game is in the phase "pick"'),
    Feature("my_pick", 0, 1, _ONE_HOT, "the player picks now"),
    _TIME,
    _ROUND,
    Feature("income", 0, 1, "armies / the income of a player that owns all regions", "the player's income"),
    Feature("regions_mine", 0, 1, _REGIONS, "the player's regions"),
    Feature("armies_mine", 0, 1, _ARMIES, "the player's armies"),
    Feature("regions_neutral", 0, 1, _REGIONS, "visible neutral regions"),
    Feature("armies_neutral", 0, 1, _ARMIES, "armies on visible neutral regions"),
    Feature("regions_opponent", 0, 1, _REGIONS, "visible regions of an opponent", OPPONENT),
    Feature("armies_opponent", 0, 1, _ARMIES, "visible armies of an opponent", OPPONENT),
    Feature("regions_unknown", 0, 1, _REGIONS, "regions that the player does not see"),
))  # fmt: skip

TURNS: Final = Group("turn", "each region, in the player's unfinished turn", (
    Feature("deployed", 0, 1, f'{_SOFT}; in the phase "pick" 0 or 1',
            'armies deployed so far; in the phase "pick": 1 if the turn lists the region as preferred, else 0'),
    Feature("leaving", 0, 1, "fraction of the armies that can leave", "armies that attack or transfer from the region"),
    Feature("arriving", 0, 1, _SOFT, "armies that attack or transfer to the region"),
))  # fmt: skip

INCOME_LEFT: Final = Group("income_left", "the player's unfinished turn", (
    Feature("income_left", 0, 1, "fraction of the income", "armies that are not deployed yet"),
))  # fmt: skip

RAW: Final = {
    group.name: group
    for group in (
        Group("owner", "each region", (Feature(
            "owner", SEEN_UNKNOWN, MAX_PLAYERS, "-1 unknown, 0 neutral, 1 the player, 2 … opponents in seat order",
            "the owner of the region; the greatest code is the number of players",
        ),)),
        Group("army", "each region", (Feature("army", 0, _MOST, "armies", "armies on the region; 0 if unseen"),)),
        Group("offered", "each region", (Feature("offered", 0, 1, _ONE_HOT, "the player may pick the region now"),)),
        Group("round", "the position", (Feature("round", 0, _MOST, "rounds", "rounds played"),)),
        Group("income", "the position", (Feature("income", 0, _MOST, "armies", "the player's income"),)),
        Group("phase", "the position", (Feature("phase", 0, len(PHASES) - 1, _PHASES, "phase of the game"),)),
    )
}  # fmt: skip

# Features of the true position, not of a player's view: `envs.observation_spaces.state_vector` writes these features

STATE_REGIONS: Final = Group("regions", "each region", (
    Feature("neutral", 0, 1, _ONE_HOT, "the region is neutral"),
    Feature("player", 0, 1, _ONE_HOT, "the player in seat p owns the region", PLAYER),
    Feature("army_soft", 0, 1, _SOFT, "armies on the region"),
    Feature("army_linear", 0, 1, _LINEAR, "armies on the region"),
    Feature("offered_player", 0, 1, _ONE_HOT, "the player in seat p may pick the region", PLAYER),
))  # fmt: skip

STATE_OVERALL: Final = Group("overall", "the position", (
    Feature("in_game_player", 0, 1, _ONE_HOT, "the player in seat p is not eliminated", PLAYER),
    Feature("picking", 0, 1, _ONE_HOT, 'the game is in the phase "pick"'),
    Feature("over", 0, 1, _ONE_HOT, "the game has ended"),
    _TIME,
    _ROUND,
))  # fmt: skip

# Features that are the input of the value network: `agents.value.features` writes these features

PLAYERS: Final = Group("players", "each player", (
    Feature("armies", 0, inf, "armies", "armies on the player's regions"),
    Feature("roots", 0, inf, "√armies", "sum over the player's regions of the square root of the armies on the region"),
    Feature("regions", 0, inf, "regions", "the player's regions"),
    Feature("income", 0, inf, "armies", "the player's income"),
    Feature("whole", 0, inf, "super regions", "super regions in which the player owns all regions"),
    Feature("promise_2", 0, inf, "armies",
            "sum over the super regions in which the player owns some, not all regions: bonus times exp(-n / 2), where "
            "n is the number of armies needed to capture the rest of the super region"),
    Feature("promise_4", 0, inf, "armies", "like promise_2, but with exp(-n / 4)"),
    Feature("promise_8", 0, inf, "armies", "like promise_2, but with exp(-n / 8)"),
    Feature("promise_16", 0, inf, "armies", "like promise_2, but with exp(-n / 16)"),
    Feature("clear_4", 0, inf, "armies", "like promise_4, but only over super regions without regions of opponents"),
    Feature("clear_8", 0, inf, "armies", "like promise_8, but only over super regions without regions of opponents"),
    Feature("ready", 0, inf, "armies",
            "sum over the super regions in which the player owns some regions and the other regions are neutral: bonus "
            "times (the player's armies there + income) / (armies needed to capture the rest), at most bonus"),
    Feature("front", 0, inf, "armies", "armies on the player's regions that are adjacent to opponents"),
    Feature("edge", 0, inf, "armies",
            "armies on the player's regions that are adjacent to neutral regions and to no opponents"),
    Feature("exposed_armies", 0, inf, "armies",
            "expected number of armies on the player's regions that are captured if, for each region, the strongest "
            "adjacent region of an opponent attacks"),
    Feature("exposed_regions", 0, inf, "regions",
            "expected number of the player's regions that are captured if, for each region, the strongest adjacent "
            "region of an opponent attacks"),
    Feature("exposed_bonus", 0, inf, "armies",
            "sum over the player's super regions: bonus times the highest probability that one of its regions is "
            "captured"),
    Feature("threatened_armies", 0, inf, "armies",
            "like exposed_armies, but 0.7 of the opponent's income joins the attack"),
    Feature("threatened_regions", 0, inf, "regions",
            "like exposed_regions, but 0.7 of the opponent's income joins the attack"),
    Feature("threatened_bonus", 0, inf, "armies",
            "like exposed_bonus, but 0.7 of the opponent's income joins the attack"),
    Feature("prey_armies", 0, inf, "armies",
            "threatened_armies of the other players, on regions of which this player owns the strongest attacker"),
    Feature("prey_regions", 0, inf, "regions",
            "threatened_regions of the other players, on regions of which this player owns the strongest attacker"),
    Feature("fronts", 0, inf, "regions", "the player's regions that are adjacent to opponents"),
    Feature("edges", 0, inf, "regions", "the player's regions that are adjacent to neutral regions"),
    Feature("largest", 0, inf, "armies", "armies on the player's strongest region"),
    Feature("faced", 0, inf, "armies",
            "sum over the player's regions that are adjacent to opponents: the armies on the region, or on the "
            "strongest adjacent region of an opponent if those are fewer"),
))  # fmt: skip

RULES: Final = Group("rules", "the rules and the map", (
    Feature("per_enemy", 0, 1, "1 / players", "1 / the number of opponents"),
    Feature("rounds_left", 0, 1, "rounds / 40, at most 1", "rounds until the limit of the rules; 1 without a limit"),
    Feature("to_take_two", 0, inf, "armies / 3",
            "armies that attack a region with 2 armies and capture it with probability 0.7"),
    Feature("to_take_ten", 0, inf, "armies / 15",
            "armies that attack a region with 10 armies and capture it with probability 0.7"),
    Feature("base_income", 0, inf, "armies / 5", "income without bonuses"),
    Feature("regions", 0, inf, "regions / 40", "number of regions of the map"),
))  # fmt: skip

# Features that are the input of the turn network, in the player's view; written by `agents.turn_net.features`

_LOG: Final = "log(1 + armies) / 3"
_LOG_ALL: Final = "log(1 + armies) / 4"
_INCOME: Final = "armies / 10"
_CHANCE: Final = "probability"
MEMORY: Final = Group("memory", "each region, from a player's memory under fog; 0 without fog", (
    Feature("hidden", 0, 1, _ONE_HOT, "the player does not see the region"),
    Feature("age", 0, 1, "rounds / 10, at most 1", "rounds since the player saw the region"),
    Feature("moved", 0, inf, _LOG,
            "armies of visible orders of other players in the last round that deploy on, leave or enter the region"),
    Feature("lost_pick", 0, 1, _ONE_HOT,
            "the player preferred the region to a start region that it got, but did not get it"),
))  # fmt: skip
REGIONS: Final = Group("node", "each region, followed by the features of the group `memory`", (
    Feature("mine", 0, 1, _ONE_HOT, "the player owns the region"),
    Feature("enemy", 0, 1, _ONE_HOT, "an opponent owns the region"),
    Feature("neutral", 0, 1, _ONE_HOT, "the region is neutral"),
    Feature("army", 0, inf, _LOG, "armies on the region"),
    Feature("my_army", 0, inf, _LOG, "armies on the region if the player owns it, else 0"),
    Feature("enemy_army", 0, inf, _LOG, "armies on the region if an opponent owns it, else 0"),
    Feature("few", 0, 1, "armies / 20, at most 1", "armies on the region"),
    Feature("enemies_beside", 0, inf, _LOG, "armies on adjacent regions of opponents"),
    Feature("strongest_enemy", 0, inf, _LOG, "armies on the strongest adjacent region of an opponent"),
    Feature("mine_beside", 0, inf, _LOG, "armies on adjacent regions of the player"),
    Feature("strongest_mine", 0, inf, _LOG, "armies on the strongest adjacent region of the player"),
    Feature("beside_enemy", 0, 1, _ONE_HOT, "an opponent owns an adjacent region"),
    Feature("beside_neutral", 0, 1, _ONE_HOT, "an adjacent region is neutral"),
    Feature("beside_mine", 0, 1, _ONE_HOT, "the player owns an adjacent region"),
    Feature("enemies", 0, inf, "regions / 4", "adjacent regions of opponents"),
    Feature("neutrals", 0, inf, "regions / 4", "adjacent neutral regions"),
    Feature("borders", 0, inf, "regions / 5", "adjacent regions"),
    Feature("risk", 0, 1, _CHANCE,
            "the strongest adjacent region of the other side, with 0.7 of its owner's income, captures the region"),
    Feature("holder_income", 0, inf, _INCOME, "income of the region's owner; 0 if the region is neutral"),
    Feature("holder_armies", 0, inf, _LOG_ALL, "all armies of the region's owner; 0 if the region is neutral"),
    Feature("my_part", 0, 1, _OF_SUPER_REGION, "the player's regions"),
    Feature("enemy_part", 0, 1, _OF_SUPER_REGION, "opponents' regions"),
    Feature("near", 0, 1, "exp(-armies / 8)", "armies that the player needs to capture the rest of the super region"),
    Feature("far", 0, 1, "exp(-armies / 20)", "armies that the player needs to capture the rest of the super region"),
    Feature("whole_mine", 0, 1, _ONE_HOT, "the player owns the whole super region of the region"),
    Feature("whole_enemy", 0, 1, _ONE_HOT, "an opponent owns the whole super region of the region"),
    Feature("bonus", 0, inf, "armies / 5", "bonus of the region's super region"),
    Feature("size", 0, inf, "regions / 6", "number of regions of the region's super region"),
    *MEMORY.features,
))  # fmt: skip

OVERALL: Final = Group("overall", "the position, followed by the features of the group `rules`", (
    Feature("my_income", 0, inf, _INCOME, "the player's income"),
    Feature("enemy_income", 0, inf, _INCOME, "the largest income of an opponent"),
    Feature("my_armies", 0, inf, _LOG_ALL, "the player's armies"),
    Feature("enemy_armies", 0, inf, _LOG_ALL, "the largest number of armies of an opponent"),
    Feature("my_regions", 0, 1, _REGIONS, "the player's regions"),
    Feature("enemy_regions", 0, 1, _REGIONS, "opponents' regions"),
    Feature("round", 0, 1, "rounds / 40, at most 1", "rounds played"),
    *RULES.features,
))  # fmt: skip

EDGES: Final = Group("edge", "each directed border from a region of the player, after the deploys of the turn", (
    Feature("leaving", 0, inf, _LOG, "armies that may leave the source"),
    Feature("defenders", 0, inf, _LOG, "armies on the target"),
    Feature("to_mine", 0, 1, _ONE_HOT, "the player owns the target"),
    Feature("to_neutral", 0, 1, _ONE_HOT, "the target is neutral"),
    Feature("to_enemy", 0, 1, _ONE_HOT, "an opponent owns the target"),
    Feature("all", 0, 1, _CHANCE, "all armies that may leave capture the target; 0 if the player owns the target"),
    Feature("three_quarters", 0, 1, _CHANCE, "three quarters of the armies that may leave capture the target"),
    Feature("half", 0, 1, _CHANCE, "half of the armies that may leave capture the target"),
    Feature("quarter", 0, 1, _CHANCE, "a quarter of the armies that may leave capture the target"),
    Feature("none", 0, 1, _ONE_HOT, "no army may leave the source"),
    Feature("deployed", 0, inf, "armies / 5", "armies deployed on the source"),
))  # fmt: skip
