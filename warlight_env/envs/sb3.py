"""The vector environment of Stable-Baselines3: the same batch of games, as its algorithms expect it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from warlight_env.envs.episodes import Episodes
from warlight_env.envs.seeds import Seeds
from warlight_env.features.columns import Features


class WarlightVecEnv(VecEnv):
    """B games in compiled code for Stable-Baselines3 and sb3-contrib; see `make_vec_env`.

    Games that end begin anew in the same step. ``infos[b]`` holds is_success, episode (its return r, its length l, as
    the library's `Monitor` writes them), terminal_observation, TimeLimit.truncated and opponents (who played, by seat)
    where a game ended.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, num_envs: int, **arguments: Any) -> None:
        self.episodes = Episodes(**arguments, batch=num_envs)
        self.render_mode = None
        super().__init__(num_envs, self.episodes.observation_space, self.episodes.action_space)
        self._streams = Seeds(num_envs)
        self._actions: Any = None
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._all = list(range(num_envs))

    @property
    def features(self) -> Features:
        """What a game's observation (without its mask) holds, by name."""
        return self.episodes.core.features

    def reset(self) -> Any:
        """Begin all games; with the seeds of `seed`, if that was called."""
        for b, seed in enumerate(self._seeds):
            if seed is not None:
                self._streams.seed(b, seed)
        self.episodes.reset(self._streams.draw(self._all), self._all)
        self._returns[:], self._lengths[:] = 0, 0
        self.reset_infos = [self._info(b) for b in self._all]
        self._reset_seeds()
        self._reset_options()
        return self.episodes.observe()

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Step all games."""
        episodes = self.episodes
        episodes.step(self._actions)
        rewards, truncated = episodes.reward.astype(np.float32), episodes.truncated
        dones = episodes.terminated | truncated
        self._returns += episodes.reward
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in self._all]
        ended = np.flatnonzero(dones)
        if len(ended):
            last, won = episodes.observe(ended), episodes.won()
            for i, b in enumerate(ended.tolist()):
                infos[b] = {
                    **self._info(b),
                    "is_success": bool(won[b]),
                    "episode": {"r": round(float(self._returns[b]), 6), "l": int(self._lengths[b]), "t": 0.0},
                    "terminal_observation": {k: v[i] for k, v in last.items()} if isinstance(last, dict) else last[i],
                    "TimeLimit.truncated": bool(truncated[b]),
                    "opponents": episodes.opponents(b),
                }
            episodes.reset(self._streams.draw(ended), ended.tolist())
            self._returns[ended], self._lengths[ended] = 0, 0
        return episodes.observe(), rewards, dones, infos

    def _info(self, b: int) -> dict[str, Any]:
        return {name: values[b].item() for name, values in self.episodes.infos().items()}

    def action_masks(self) -> npt.NDArray[np.int8]:
        """int8[B, M]: what the learners may do, flat."""
        return self.episodes.masks()

    def set_opponent(self, opponent: Any) -> None:
        """Who plays, each game from its next one on; see `make_opponent`."""
        self.episodes.set_opponent(opponent)

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the batch, for each of the environments."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the batch, for all environments."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"{attr_name}: the environments are one batch; it can only be set for all of them")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Call a method of the batch; results are handed out to the environments where they have one part for each."""
        chosen = list(self._get_indices(indices))
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[b] for b in chosen]
        if len(chosen) != self.num_envs:
            raise ValueError(f"{method_name}: the environments are one batch; it can only be called for all of them")
        result = getattr(self, method_name)(*args, **kwargs)
        return [result] * len(chosen)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Episode statistics are kept as `Monitor` does; nothing else is wrapped."""
        from stable_baselines3.common.monitor import Monitor

        return [wrapper_class is Monitor] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Nothing: batches are not rendered."""
        return [None] * self.num_envs


def make_vec_env(n_envs: int = 64, seed: int | None = None, **arguments: Any) -> WarlightVecEnv:
    """A `VecEnv` of so many games, with the first seeds seed, seed + 1, …; the arguments are those of `WarlightEnv`."""
    env = WarlightVecEnv(n_envs, **arguments)
    if seed is not None:
        env.seed(seed)
    return env
