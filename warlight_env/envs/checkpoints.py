"""Policies that Stable-Baselines3 or sb3-contrib saved, for play."""

from __future__ import annotations

import inspect
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env.errors import InputError

#: Takes observations of M games and their flat masks int8[M, K], gives M actions.
Policy = Callable[[Any, npt.NDArray[np.int8]], Any]


class CheckpointError(InputError):
    """A file that holds no policy; the message names it and the reason."""


def load_policy(path: str | Path, deterministic: bool = False) -> Any:
    """A policy ``(observations, masks int8[M, K]) -> actions`` from a file that an algorithm's `save` wrote.

    Algorithms with masks (MaskablePPO) get them. Raises `CheckpointError`.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read("data"))
        module = about["policy_class"]["__module__"]
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: not a saved policy: {error}") from None
    return policy_of(_algorithm(module).load(path, device="cpu"), deterministic)


def _algorithm(module: str) -> Any:
    if "maskable" in module:
        from sb3_contrib import MaskablePPO

        return MaskablePPO
    from stable_baselines3 import PPO

    return PPO


def policy_of(model: Any, deterministic: bool = False) -> Any:
    """A model of Stable-Baselines3 or sb3-contrib as a policy; it plays as the model is when it is asked."""
    masked = "action_masks" in inspect.signature(model.predict).parameters

    def policy(observations: Any, masks: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        space = model.observation_space
        if isinstance(space, spaces.Dict) and "action_mask" in space.spaces:
            seen = observations if isinstance(observations, dict) else {"observation": observations}
            observations = {**seen, "action_mask": masks}
        more = {"action_masks": masks} if masked else {}
        actions, _ = model.predict(observations, deterministic=deterministic, **more)
        return np.asarray(actions)

    return policy
