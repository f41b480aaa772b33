"""Load policies that Stable-Baselines3 or sb3-contrib saved, and play with these policies."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import json
import random
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env import bounded_io
from warlight_env.arguments import check_flag, path_of, short_repr
from warlight_env.errors import InputError

#: The type of a policy: a function of the observations and the flat masks int8[M, K] of M games; it returns M actions.
Policy = Callable[[Any, npt.NDArray[np.int8]], Any]


class SavedPolicyError(InputError):
    """An error for a file that contains no usable policy; the message names the file and the reason."""


#: The Python packages that `load_policy` needs.
_LIBRARIES: Final = ("torch", "stable_baselines3", "sb3_contrib")
#: The algorithms that read the files of policies. Each key is the beginning of a name: that of the module in which the
#: policy's class is defined. The algorithm for all other policies is PPO.
_ALGORITHMS: Final = {
    "sb3_contrib.common.maskable": ("sb3_contrib", "MaskablePPO"),
    "sb3_contrib.qrdqn": ("sb3_contrib", "QRDQN"),
    "sb3_contrib.tqc": ("sb3_contrib", "TQC"),
    "sb3_contrib.ars": ("sb3_contrib", "ARS"),
    "sb3_contrib.crossq": ("sb3_contrib", "CrossQ"),
    "stable_baselines3.dqn": ("stable_baselines3", "DQN"),
    "stable_baselines3.sac": ("stable_baselines3", "SAC"),
    "stable_baselines3.td3": ("stable_baselines3", "TD3"),
}


def trust_error(path: str | Path, advice: str) -> SavedPolicyError:
    """Return the error for a file that the user has not trusted. advice: what users do who trust the file's author."""
    return SavedPolicyError(
        f"{path}: a file of Stable-Baselines3 can run any program when it is read. If you trust its author, {advice}"
    )


def load_policy(path: str | Path, deterministic: bool = False, *, trust: bool = False) -> ModelPolicy:
    """Load a policy from a file that ``model.save`` of Stable-Baselines3 or sb3-contrib wrote.

    The result is a function ``(observations, masks int8[M, K]) -> actions``. Recurrent policies are not supported.
    Algorithms with action masks (MaskablePPO) receive the masks; other algorithms ignore them.

    Args:
        path: the path of the file.
        deterministic: True: the policy chooses its most likely action. False: it draws a random action.
        trust: must be True. The file contains Python pickles, so it can run any program when it is read. Set `trust`
            only for files from authors whom you trust.

    Raises:
        SavedPolicyError: the file does not contain a supported policy, `trust` is False, or a Python package that is
            needed is not installed.
    """
    path = path_of(path, "path", SavedPolicyError)
    check_flag(trust, "trust", SavedPolicyError)
    check_flag(deterministic, "deterministic", SavedPolicyError)
    if not trust:
        raise trust_error(path, "use load_policy(path, trust=True)")
    try:
        with bounded_io.open_file(path) as file, zipfile.ZipFile(file) as archive:
            module = json.loads(archive.read("data"))["policy_class"]["__module__"]
    except OSError as error:
        raise SavedPolicyError(f"{path}: not a saved policy: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, KeyError, TypeError, ValueError, RuntimeError, NotImplementedError):
        raise SavedPolicyError(
            f"{path}: not a saved policy: must be a file that model.save of Stable-Baselines3 or sb3-contrib wrote"
        ) from None
    if not isinstance(module, str):
        raise SavedPolicyError(f"{path}: not a saved policy: its class has no module")
    if module.startswith("sb3_contrib.common.recurrent"):
        raise SavedPolicyError(
            f"{path}: a recurrent policy needs a memory for each game and is not supported; "
            "write an agent that plays with this policy"
        )
    package, name = next(
        (algorithm for start, algorithm in _ALGORITHMS.items() if module.startswith(start)),
        ("stable_baselines3", "PPO"),
    )
    missing = [library for library in _LIBRARIES if importlib.util.find_spec(library) is None]
    if missing:
        raise SavedPolicyError(
            f"{path}: this policy needs {', '.join(missing)}: pip install 'warlight-env[train]' or '.[train]'"
        )
    with _generators_kept():
        model = getattr(importlib.import_module(package), name).load(path, device="cpu")
    return policy_of(model, deterministic)


@contextlib.contextmanager
def _generators_kept() -> Iterator[None]:
    """Return a context manager that restores the global random generators, because loading a model changes them."""
    import torch

    python_state, numpy_state = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng([]):
            yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)


class ModelPolicy:
    """A `Policy` that calls a model of Stable-Baselines3 or sb3-contrib with its current network parameters."""

    def __init__(self, model: Any, deterministic: bool = False) -> None:
        if not callable(getattr(model, "predict", None)):
            raise SavedPolicyError(f"model = {short_repr(model)}: must be a model of Stable-Baselines3 or sb3-contrib")
        self.model, self.deterministic = model, deterministic
        self._masked = "action_masks" in inspect.signature(model.predict).parameters
        self._seed: int | None = None

    def check(self, action_space: spaces.Space[Any], observation_space: spaces.Space[Any]) -> None:
        """Raise `SavedPolicyError` if the model was made for another action space or observation space.

        The key action_mask of an observation space is ignored.
        """
        observed = self.model.observation_space
        if isinstance(observed, spaces.Dict) and "action_mask" in observed.spaces:
            inner = {key: space for key, space in observed.spaces.items() if key != "action_mask"}
            observed = inner["observation"] if inner.keys() == {"observation"} else spaces.Dict(inner)
        for kind, model_space, env_space in (
            ("action", self.model.action_space, action_space),
            ("observation", observed, observation_space),
        ):
            if model_space != env_space:
                raise SavedPolicyError(
                    f"the policy has the {kind} space {_short(model_space)}, the environment has {_short(env_space)}"
                )

    def reseed(self, seed: int) -> None:
        """Set the seed for the random actions of the next call. PyTorch's global generator does not change."""
        self._seed = seed

    def __call__(self, observations: Any, masks: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        import torch

        space = self.model.observation_space
        if isinstance(space, spaces.Dict) and "action_mask" in space.spaces:
            fields = observations if isinstance(observations, dict) else {"observation": observations}
            observations = {**fields, "action_mask": masks}
        arguments = {"action_masks": masks} if self._masked else {}
        seed, self._seed = self._seed, None
        with torch.random.fork_rng([], enabled=seed is not None):
            if seed is not None:
                torch.manual_seed(seed % 2**63)
            actions, _ = self.model.predict(observations, deterministic=self.deterministic, **arguments)
        return np.asarray(actions)


def _short(space: spaces.Space[Any]) -> str:
    text = str(space)
    return text if len(text) <= 200 else f"{text[:200]} …"


def policy_of(model: Any, deterministic: bool = False) -> ModelPolicy:
    """Return a `Policy` that calls a model of Stable-Baselines3 or sb3-contrib.

    Later training of the model also changes this policy. Raise `SavedPolicyError` if `model` is another object.
    """
    return ModelPolicy(model, deterministic)
