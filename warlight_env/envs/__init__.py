"""Environments for reinforcement learning.

An import of this package registers the environments with Gymnasium and PettingZoo.

The packages `arena`, `train` and `cli` import this package. This package imports `agents`, `features` and the layers
below. To add an action encoding, see the package `actions`.
"""

from __future__ import annotations

from warlight_env.envs.actions import (
    ENCODINGS,
    ActionEncoding,
    ContinuousActions,
    FactoredActions,
    InexpressibleError,
    Loss,
    OrdersActions,
    StepActions,
    StrategyActions,
    make_encoding,
)
from warlight_env.envs.core import EnvCore
from warlight_env.envs.custom_functions import Games, ObservationFunction, PlayerViews, RewardFunction
from warlight_env.envs.many_maps import WarlightMapsEnv, WarlightMapsVectorEnv
from warlight_env.envs.map_sets import GeneratedMaps
from warlight_env.envs.opponents import Opponent, OpponentError, OpponentPool, make_opponent
from warlight_env.envs.parallel import EnvState, WarlightParallelEnv
from warlight_env.envs.parallel_vector import WarlightParallelVectorEnv
from warlight_env.envs.registration import register_all
from warlight_env.envs.rewards import Reward
from warlight_env.envs.saved_games import SavedGames
from warlight_env.envs.saved_policies import load_policy
from warlight_env.envs.single import WarlightEnv
from warlight_env.envs.vector import WarlightVectorEnv
from warlight_env.features.columns import FeatureBlock, Features, global_features, node_features
from warlight_env.features.registry import Feature

register_all()

__all__ = [
    "ENCODINGS",
    "ActionEncoding",
    "ContinuousActions",
    "EnvCore",
    "EnvState",
    "FactoredActions",
    "Feature",
    "Features",
    "Games",
    "GeneratedMaps",
    "InexpressibleError",
    "Loss",
    "ObservationFunction",
    "Opponent",
    "OpponentError",
    "OpponentPool",
    "OrdersActions",
    "FeatureBlock",
    "Reward",
    "RewardFunction",
    "PlayerViews",
    "SavedGames",
    "StepActions",
    "StrategyActions",
    "WarlightEnv",
    "WarlightMapsEnv",
    "WarlightMapsVectorEnv",
    "WarlightParallelEnv",
    "WarlightParallelVectorEnv",
    "WarlightVectorEnv",
    "global_features",
    "load_policy",
    "make_encoding",
    "make_opponent",
    "node_features",
    "register_all",
]
