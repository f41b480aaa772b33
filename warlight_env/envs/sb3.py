"""A vector environment for Stable-Baselines3: a batch of games with the `VecEnv` interface of Stable-Baselines3."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import EnvSpec
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize, unwrap_vec_normalize
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from warlight_env.arguments import index, integers_of, is_integer, path_of, short_repr
from warlight_env.envs.autoreset import Autoreset
from warlight_env.envs.core_arguments import RENDERING, check_names, checked_mode
from warlight_env.envs.episodes import ARGUMENTS, NO_OPTIONS
from warlight_env.envs.episodes_env import BatchOfGames
from warlight_env.envs.many_maps import games_of
from warlight_env.envs.map_sets import MapsLike
from warlight_env.envs.opponents import Opponent
from warlight_env.envs.policy_settings import PolicySettings, settings_path
from warlight_env.envs.registration import ENVIRONMENT_ID, MAPS_ID
from warlight_env.envs.reset_options import options_given
from warlight_env.envs.results import info_rows
from warlight_env.envs.seeds import checked_seed
from warlight_env.errors import InputError
from warlight_env.output import check_writable, replacing, write_errors, write_file
from warlight_env.thread_ownership import SingleThreaded

#: The names of the options of `reset`.
_OPTIONS: Final = ("start", "seat")


class WarlightVecEnv(BatchOfGames, SingleThreaded, VecEnv):
    """A `VecEnv` of B games, in compiled code, for Stable-Baselines3 and sb3-contrib; see `make_vec_env`.

    When a game ends, a new game begins in the same step. ``infos[b]`` contains the entries of `WarlightEnv`, except the
    mask, and the entry TimeLimit.truncated of Stable-Baselines3. In the step in which a game ends, its info describes
    the finished game, and also contains terminal_observation and episode: the return r and the length l (in steps), in
    the format of the class `Monitor` of Stable-Baselines3. `ended_against` contains the opponents of the games that
    ended in the last step.

    ``render()`` shows all games side by side, and `render_game` shows one game.
    """

    exclusive_methods = (
        "reset", "seed", "set_options", "step", "step_async", "step_wait", "action_masks", "set_opponent", "set_maps",
        "set_attr", "env_method", "render", "get_images", "render_game",
    )  # fmt: skip

    metadata: dict[str, Any] = {**RENDERING}  # noqa: RUF012

    def __init__(self, num_envs: int, *, render_mode: str | None = None, **arguments: Any) -> None:
        check_names(arguments, (*ARGUMENTS, "map_limits"), ("num_envs", "render_mode"))
        self.render_mode = checked_mode(render_mode)
        self.episodes = games_of(arguments, num_envs)
        self._arguments = arguments
        #: A dict from each game that ended in the last step to its opponents, in the order of their seats.
        self.ended_against: dict[int, tuple[Opponent, ...]] = {}
        super().__init__(num_envs, self.episodes.observation_space, self.episodes.action_space)
        self._games = Autoreset(self.episodes)
        #: The identifier of the thread that called `step_async`, and the actions in this call.
        self._pending_step: tuple[int, Any] | None = None
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._all = list(range(num_envs))

    @property
    def spec(self) -> EnvSpec:
        """The specification with which ``gymnasium.make`` makes a single environment with the same arguments."""
        registered = MAPS_ID if self.episodes.padded else ENVIRONMENT_ID
        arguments = {"render_mode": self.render_mode, **self._arguments}
        return dataclasses.replace(gymnasium.spec(registered), kwargs=arguments)

    @property
    def policy_settings(self) -> PolicySettings:
        """The environment settings that a policy file contains, so that other programs can use the policy."""
        return self.episodes.policy_settings

    def reset(self) -> Any:
        """Begin all games; return their observations.

        If `seed` or `set_options` was called before, this reset uses the seeds or the options, but later resets do not.
        The options are those of `WarlightEnv.reset`.
        """
        read = [self.episodes.read_options(options, _OPTIONS) for options in self._options]
        for b, seed in enumerate(self._seeds):
            if seed is not None:
                self._games.seed(b, seed)
        if any(options != NO_OPTIONS for options in read):
            for b in self._all:
                self._games.begin([b], read[b])
        else:
            self._games.begin(self._all)
        self._returns[:], self._lengths[:] = 0, 0
        self._pending_step = None
        self.reset_infos = info_rows(self.episodes.results().infos)
        self.ended_against = {}
        self._reset_seeds()
        self._reset_options()
        return self.episodes.observe()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds seed, seed + 1, … of the games for the next `reset`; None: random seeds.

        Raises InputError for a negative seed.
        """
        return super().seed(checked_seed(seed))

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next `reset`: one dict for all games, or a list with one dict for each game.

        Raises:
            InputError: an option is unknown or invalid, see `WarlightEnv.reset`. After this error, the options of an
                earlier call of `set_options` stay set.
        """
        if isinstance(options, list) and len(options) != self.num_envs:
            raise InputError(f"options has {len(options)} dicts for {self.num_envs} environments")
        game_options = options if isinstance(options, list) else [options] * self.num_envs
        for game_option in game_options:
            self.episodes.read_options(game_option, _OPTIONS)
        super().set_options([dict(options_given(game_option)) for game_option in game_options])

    def step_async(self, actions: Any) -> None:
        """Set the actions of the next call of `step_wait`, which the same thread must make.

        The actions replace those of an earlier call of `step_async`.
        """
        self._pending_step = threading.get_ident(), actions

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Step all games with the actions that the last call of `step_async` has set.

        Raises:
            InputError: this thread has not called `step_async`, or another thread has called `step_async` after it, or
                the actions are invalid. If an opponent or a custom reward function raises an exception, this method
                raises the same exception. If the actions are invalid, or an opponent or the reward function fails, no
                game makes a step.
            Exception: the beginning of a new game, or a custom observation function, raises an exception, for example
                if a pool of opponents is empty. After an exception from a new game or an observation function, all
                games have made the step, but the rewards, the ends of episodes and the observations of this step are
                lost. In the next step, games that have not begun ignore their actions, begin, and have reward 0; all
                other games make a step.
        """
        if self._pending_step is None or self._pending_step[0] != threading.get_ident():
            raise InputError("step_wait: this thread has set no actions; call step_async first")
        (_, actions), self._pending_step = self._pending_step, None
        episodes, games, ended_before = self.episodes, self._games, self._games.ended
        reward, terminated, truncated, columns = games.step([actions]).for_learner(0)
        dones = terminated | truncated
        self._returns += reward
        self._lengths += 1
        if len(ended_before):
            self._begin(ended_before)
            columns = episodes.results().infos
        infos, ended = info_rows({**columns, "TimeLimit.truncated": truncated.tolist()}), games.ended
        self.ended_against = {b: episodes.opponents(b) for b in ended.tolist()}
        if len(ended):
            last = episodes.observe(ended)
            for i, b in enumerate(ended.tolist()):
                infos[b] |= {
                    "episode": {"r": round(float(self._returns[b]), 6), "l": int(self._lengths[b]), "t": 0.0},
                    "terminal_observation": {k: v[i] for k, v in last.items()} if isinstance(last, dict) else last[i],
                }
            self._begin(ended)
        return episodes.observe(), reward.astype(np.float32), dones, infos

    def _begin(self, games: npt.NDArray[np.int64]) -> None:
        """Begin new games in place of ended games."""
        self._games.begin(games)
        self._returns[games], self._lengths[games] = 0, 0

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return int8[B, M]: the flat action mask of the learner in each game."""
        return self.episodes.masks()

    def set_opponent(self, opponent: Any) -> None:
        """Set the opponents of all games that begin after this call; see `make_opponent`."""
        self.episodes.set_opponent(opponent)

    def set_maps(self, map: MapsLike) -> None:
        """Use another set of maps for all games that begin after this call; see `WarlightMapsEnv.set_maps`.

        Raises InputError if the environment has only one map, or if a map of the set is too large; then the old set
        remains.
        """
        self.episodes.set_maps(map)

    def close(self) -> None:
        """Do nothing, because the environment has no open resources."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return a list with the value of an attribute for each selected environment.

        All values are equal, because all environments are one object.
        """
        return [getattr(self, _name(attr_name))] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute for all environments; `indices` must select all of them."""
        attr_name = _name(attr_name)
        if len(self._chosen(indices)) != self.num_envs:
            raise InputError(f"{attr_name}: must be set for all environments, because the environments are one batch")
        try:
            setattr(self, attr_name, value)
        except AttributeError:
            raise InputError(f"{short_repr(attr_name)}: this attribute cannot be set") from None

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Call a method; return a list with a result for each selected environment.

        The methods "action_masks" and "render" return a separate result for each environment. Every other method is
        called only once, and the list contains the same result for each selected environment.
        """
        selected, method_name = self._chosen(indices), _name(method_name)
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[b] for b in selected]
        if method_name == "render":  # the picture of each environment; `VecEnv.render` combines these pictures
            return [self.render_game(b) for b in selected]
        if len(selected) != self.num_envs:
            raise InputError(
                f"{method_name}: must be called for all environments, because the environments are one batch"
            )
        method = getattr(self, method_name, None)
        if not callable(method):
            raise InputError(f"method_name = {short_repr(method_name)}: the environment has no such method")
        result = method(*args, **kwargs)
        return [result] * len(selected)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Return True for the wrapper `Monitor`, because this class records the same episode statistics; else False."""
        from stable_baselines3.common.monitor import Monitor

        return [wrapper_class is Monitor] * len(self._chosen(indices))

    def _chosen(self, indices: VecEnvIndices) -> list[int]:
        """Return the numbers of the environments that `indices` selects; raise InputError for a number out of range."""
        if indices is None:
            return list(range(self.num_envs))
        numbers = [indices] if is_integer(indices) else integers_of(indices, "indices")
        return [index(b, "indices", self.num_envs) for b in numbers]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return a picture of each game if the render mode is "rgb_array"; otherwise return None for each game."""
        return [self.render_game(b) if self.render_mode == "rgb_array" else None for b in self._all]


def _name(name: Any) -> str:
    """Return an attribute's name unchanged; raise InputError unless it is a string."""
    if not isinstance(name, str):
        raise InputError(f"name = {short_repr(name)}: must be a string")
    return name


def make_vec_env(n_envs: int = 64, seed: int | None = None, **arguments: Any) -> WarlightVecEnv:
    """Make a `VecEnv` of `n_envs` games for Stable-Baselines3. The first games have the seeds seed, seed + 1, ….

    The other arguments are those of `WarlightEnv`. If ``map`` is a set of maps, or if ``map_limits`` is given, the
    other arguments are those of `WarlightMapsEnv`.
    """
    env = WarlightVecEnv(n_envs, **arguments)
    if seed is not None:
        env.seed(seed)
    return env


def save_policy(model: Any, path: str | Path) -> None:
    """Save a model of Stable-Baselines3 or sb3-contrib, and save the settings of its environment in a second file.

    The agent with the specification ``sb3:file=PATH,trust=yes`` plays with the saved model. Existing files are replaced
    only after both new files are complete.

    path: the path of the model, which must end in .zip. The settings file has the same path, but ends in .json.

    Raises:
        InputError: the path does not end in .zip, the model's environment is not from this package, or a wrapper or a
            custom observation function changes the observations.
        OutputError, WriteError: the files cannot be written, see `output.save_file`.
    """
    path = path_of(path, "path")
    settings = _settings_to_save(model, path)
    with write_errors(path), replacing(path) as model_file, replacing(settings_path(path)) as settings_file:
        model.save(model_file)
        write_file(settings_file, settings.to_json())


def _settings_to_save(model: Any, path: Path) -> PolicySettings:
    """Return the settings of a model's environment; raise the InputErrors of `save_policy`."""
    if path.suffix != ".zip":
        raise InputError(f"{path}: must end in .zip")
    if not callable(getattr(model, "get_env", None)):
        raise InputError(f"model = {short_repr(model)}: must be a model of Stable-Baselines3 or sb3-contrib")
    env = model.get_env()
    if env is None or not env.has_attr("policy_settings"):
        raise InputError(f"{path}: the model must have an environment of this package")
    normalized: VecNormalize | None = unwrap_vec_normalize(env)
    if normalized is not None and normalized.norm_obs:
        raise InputError(
            f"{path}: VecNormalize changes observations (norm_obs), but the file cannot store that; use norm_obs=False"
        )
    settings: PolicySettings = env.get_attr("policy_settings", 0)[0]
    return settings


class SavePolicyCallback(BaseCallback):
    """A callback that calls `save_policy` after training and, optionally, at regular intervals during training.

    If `save_policy` would raise an error for the model, or for the folder or the permissions of the files, the callback
    raises this error before the training begins.

    Args:
        path: the path of the model, which must end in .zip.
        every: the number of steps of each environment between two saves; None: save the model only after training.
    """

    def __init__(self, path: str | Path, every: int | None = None) -> None:
        super().__init__()
        self.path, self.every = path_of(path, "path"), every

    def _on_training_start(self) -> None:
        _settings_to_save(self.model, self.path)
        for file in (self.path, settings_path(self.path)):
            with write_errors(file):
                check_writable(file)

    def _on_step(self) -> bool:
        if self.every is not None and self.n_calls % self.every == 0:
            save_policy(self.model, self.path)
        return True

    def _on_training_end(self) -> None:
        save_policy(self.model, self.path)
