"""The feature registry: every input number of observations, states and networks, in the order of its columns.

To add a feature, add an entry at the end of its group here, and a line that computes it in the kernel of that group.
"""

from __future__ import annotations

from math import inf
from typing import Final

import numpy as np

from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.engine.state import PHASES
from warlight_env.features.registry import OPPONENT, PLAYER, Feature, Group

#: Owner codes in a player's view: in the observation "raw" and in the view buffers. Opponents follow in seat order
#: after the player.
SEEN_UNKNOWN: Final = -1
SEEN_NEUTRAL: Final = 0
SEEN_MINE: Final = 1
SEEN_OPPONENT: Final = 2  #: the first one

#: Number of armies for which the soft feature is one half, and number for which the linear feature is 1.
SOFT_ARMIES: Final = 10
MANY_ARMIES: Final = 100

_ONE_HOT: Final = "1 if true, else 0"
_SOFT: Final = f"armies / (armies + {SOFT_ARMIES})"
_LINEAR: Final = f"armies / {MANY_ARMIES}, at most 1"
_REGIONS: Final = "share of all regions"
_ARMIES: Final = "share of all armies in sight"
_OF_SUPER_REGION: Final = "share of the super region's regions"
_PHASES: Final = ", ".join(f"{i} {phase}" for i, phase in enumerate(PHASES))
_MOST: Final = int(np.iinfo(np.int32).max)
_TIME: Final = Feature("time", 0, 1, "steps / max_cycles", "steps since the reset")
_ROUND: Final = Feature("round", 0, 1, "rounds / the rules' limit", "rounds played; 0 without a limit")

# Observations. `extraction` writes these features; those of unfinished turns are written by `envs.buffers.observe_turn`

NODES: Final = Group("nodes", "each region, as the player sees it", (
    Feature("unknown", 0, 1, _ONE_HOT, "the player does not see the region"),
    Feature("neutral", 0, 1, _ONE_HOT, "it is neutral"),
    Feature("mine", 0, 1, _ONE_HOT, "the player owns it"),
    Feature("opponent", 0, 1, _ONE_HOT, "the opponent k seats after the player owns it", OPPONENT),
    Feature("army_soft", 0, 1, _SOFT, "armies on it; 0 where unknown"),
    Feature("army_linear", 0, 1, _LINEAR, "armies on it; 0 where unknown"),
    Feature("offered", 0, 1, _ONE_HOT, "the player may pick it now"),
    Feature("border", 0, 1, _ONE_HOT, "the player owns it, but not all of its neighbours"),
    Feature("bonus", 0, 1, "armies / the largest bonus of the map", "bonus of its super region"),
    Feature("my_share", 0, 1, _OF_SUPER_REGION, "the player's regions"),
    Feature("opponent_share", 0, 1, _OF_SUPER_REGION, "regions of the opponent that owns most of them"),
))  # fmt: skip

GLOBALS: Final = Group("globals", "the position, as the player sees it", (
    Feature("picking", 0, 1, _ONE_HOT, "regions are being picked"),
    Feature("my_pick", 0, 1, _ONE_HOT, "the player picks now"),
    _TIME,
    _ROUND,
    Feature("income", 0, 1, "armies / the income of a player who owns every region", "the player's income"),
    Feature("regions_mine", 0, 1, _REGIONS, "the player's regions"),
    Feature("armies_mine", 0, 1, _ARMIES, "the player's armies"),
    Feature("regions_neutral", 0, 1, _REGIONS, "neutral regions in sight"),
    Feature("armies_neutral", 0, 1, _ARMIES, "neutral armies in sight"),
    Feature("regions_opponent", 0, 1, _REGIONS, "an opponent's regions in sight", OPPONENT),
    Feature("armies_opponent", 0, 1, _ARMIES, "an opponent's armies in sight", OPPONENT),
    Feature("regions_unknown", 0, 1, _REGIONS, "regions out of sight"),
))  # fmt: skip

TURNS: Final = Group("turn", "each region, in the player's unfinished turn", (
    Feature("deployed", 0, 1, f"{_SOFT}; 1 for a preferred region",
            "armies deployed so far; while regions are picked, whether it is a preferred region"),
    Feature("leaving", 0, 1, "share of the armies that can leave", "armies that attack or transfer from it"),
    Feature("arriving", 0, 1, _SOFT, "armies that attack or transfer to it"),
))  # fmt: skip

INCOME_LEFT: Final = Group("income_left", "the player's unfinished turn", (
    Feature("income_left", 0, 1, "share of the income", "armies not deployed yet"),
))  # fmt: skip

RAW: Final = {
    group.name: group
    for group in (
        Group("owner", "each region", (Feature(
            "owner", SEEN_UNKNOWN, MAX_PLAYERS, "-1 unknown, 0 neutral, 1 the player, 2 … opponents in seat order",
            "its owner; the greatest value is the number of players",
        ),)),
        Group("army", "each region", (Feature("army", 0, _MOST, "armies", "armies on it; 0 where unknown"),)),
        Group("offered", "each region", (Feature("offered", 0, 1, _ONE_HOT, "the player may pick it now"),)),
        Group("round", "the position", (Feature("round", 0, _MOST, "rounds", "rounds played"),)),
        Group("income", "the position", (Feature("income", 0, _MOST, "armies", "the player's income"),)),
        Group("phase", "the position", (Feature("phase", 0, len(PHASES) - 1, _PHASES, "phase of the game"),)),
    )
}  # fmt: skip

# The true position, not a player's view; `envs.state_vector` writes these features

STATE_REGIONS: Final = Group("regions", "each region", (
    Feature("neutral", 0, 1, _ONE_HOT, "it is neutral"),
    Feature("player", 0, 1, _ONE_HOT, "the player in seat p owns it", PLAYER),
    Feature("army_soft", 0, 1, _SOFT, "armies on it"),
    Feature("army_linear", 0, 1, _LINEAR, "armies on it"),
    Feature("offered_player", 0, 1, _ONE_HOT, "the player in seat p may pick it", PLAYER),
))  # fmt: skip

STATE_OVERALL: Final = Group("overall", "the position", (
    Feature("in_game_player", 0, 1, _ONE_HOT, "the player in seat p is not eliminated", PLAYER),
    Feature("picking", 0, 1, _ONE_HOT, "regions are being picked"),
    Feature("over", 0, 1, _ONE_HOT, "the game has ended"),
    _TIME,
    _ROUND,
))  # fmt: skip

# Inputs of the value network; `agents.value.features` writes them

PLAYERS: Final = Group("players", "each player", (
    Feature("armies", 0, inf, "armies", "armies on its regions"),
    Feature("roots", 0, inf, "√armies", "sum over its regions of the square root of their armies"),
    Feature("regions", 0, inf, "regions", "its regions"),
    Feature("income", 0, inf, "armies", "its income"),
    Feature("whole", 0, inf, "super regions", "super regions that it owns entirely"),
    Feature("promise_2", 0, inf, "armies",
            "sum over the super regions of which it owns a part: bonus times exp(-n / 2), where n is the number of "
            "armies needed to capture the rest"),
    Feature("promise_4", 0, inf, "armies", "as promise_2, with exp(-n / 4)"),
    Feature("promise_8", 0, inf, "armies", "as promise_2, with exp(-n / 8)"),
    Feature("promise_16", 0, inf, "armies", "as promise_2, with exp(-n / 16)"),
    Feature("clear_4", 0, inf, "armies", "as promise_4, only super regions without enemies"),
    Feature("clear_8", 0, inf, "armies", "as promise_8, only super regions without enemies"),
    Feature("ready", 0, inf, "armies",
            "sum over the super regions without enemies of which it owns a part: bonus times the share of the "
            "armies needed to capture the rest that its armies there and its income provide"),
    Feature("front", 0, inf, "armies", "armies on its regions adjacent to enemies"),
    Feature("edge", 0, inf, "armies", "armies on its regions adjacent to neutral regions, but to no enemies"),
    Feature("exposed_armies", 0, inf, "armies",
            "expected armies on its regions that the strongest adjacent enemy region captures"),
    Feature("exposed_regions", 0, inf, "regions",
            "expected number of its regions that the strongest adjacent enemy region captures"),
    Feature("exposed_bonus", 0, inf, "armies",
            "sum over its super regions: bonus times the probability that the most exposed region is captured"),
    Feature("threatened_armies", 0, inf, "armies",
            "as exposed_armies, if 0.7 of the enemy's income joins the attack"),
    Feature("threatened_regions", 0, inf, "regions",
            "as exposed_regions, if 0.7 of the enemy's income joins the attack"),
    Feature("threatened_bonus", 0, inf, "armies", "as exposed_bonus, if 0.7 of the enemy's income joins the attack"),
    Feature("prey_armies", 0, inf, "armies",
            "the other players' threatened_armies, on regions where this player is the strongest enemy"),
    Feature("prey_regions", 0, inf, "regions",
            "the other players' threatened_regions, on regions where this player is the strongest enemy"),
    Feature("fronts", 0, inf, "regions", "its regions adjacent to enemies"),
    Feature("edges", 0, inf, "regions", "its regions adjacent to neutral regions"),
    Feature("largest", 0, inf, "armies", "armies on its strongest region"),
    Feature("faced", 0, inf, "armies",
            "sum over its regions adjacent to enemies: the armies on it, or on the strongest adjacent enemy region if "
            "those are fewer"),
))  # fmt: skip

RULES: Final = Group("rules", "the rules and the map", (
    Feature("per_enemy", 0, 1, "1 / players", "1 / the number of opponents"),
    Feature("rounds_left", 0, 1, "rounds / 40, at most 1", "rounds until the limit; 1 without a limit"),
    Feature("to_take_two", 0, inf, "armies / 3", "armies that capture a region with 2 armies with probability 0.7"),
    Feature("to_take_ten", 0, inf, "armies / 15", "armies that capture a region with 10 armies with probability 0.7"),
    Feature("base_income", 0, inf, "armies / 5", "income without bonuses"),
    Feature("regions", 0, inf, "regions / 40", "number of regions of the map"),
))  # fmt: skip

# Inputs of the turn network, from the player's point of view; `agents.turn_net.features` writes them

_LOG: Final = "log(1 + armies) / 3"
_LOG_ALL: Final = "log(1 + armies) / 4"
_INCOME: Final = "armies / 10"
_CHANCE: Final = "probability"
REGIONS: Final = Group("node", "each region", (
    Feature("mine", 0, 1, _ONE_HOT, "the player owns it"),
    Feature("enemy", 0, 1, _ONE_HOT, "an opponent owns it"),
    Feature("neutral", 0, 1, _ONE_HOT, "it is neutral"),
    Feature("army", 0, inf, _LOG, "armies on it"),
    Feature("my_army", 0, inf, _LOG, "armies on it if the player owns it, else 0"),
    Feature("enemy_army", 0, inf, _LOG, "armies on it if an opponent owns it, else 0"),
    Feature("few", 0, 1, "armies / 20, at most 1", "armies on it"),
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
            "the strongest adjacent region of the other side captures it, with 0.7 of that side's income"),
    Feature("holder_income", 0, inf, _INCOME, "income of its owner; 0 if it is neutral"),
    Feature("holder_armies", 0, inf, _LOG_ALL, "all armies of its owner; 0 if it is neutral"),
    Feature("my_part", 0, 1, _OF_SUPER_REGION, "the player's regions"),
    Feature("enemy_part", 0, 1, _OF_SUPER_REGION, "opponents' regions"),
    Feature("near", 0, 1, "exp(-armies / 8)", "armies that the player needs to complete the super region"),
    Feature("far", 0, 1, "exp(-armies / 20)", "armies that the player needs to complete the super region"),
    Feature("whole_mine", 0, 1, _ONE_HOT, "the player owns its super region"),
    Feature("whole_enemy", 0, 1, _ONE_HOT, "an opponent owns its super region"),
    Feature("bonus", 0, inf, "armies / 5", "bonus of its super region"),
    Feature("size", 0, inf, "regions / 6", "regions of its super region"),
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
    Feature("three_quarters", 0, 1, _CHANCE, "three quarters of these armies capture the target"),
    Feature("half", 0, 1, _CHANCE, "half of these armies capture the target"),
    Feature("quarter", 0, 1, _CHANCE, "a quarter of these armies capture the target"),
    Feature("none", 0, 1, _ONE_HOT, "no army may leave"),
    Feature("deployed", 0, inf, "armies / 5", "armies deployed on the source"),
))  # fmt: skip
