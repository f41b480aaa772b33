"""The Gymnasium vector environment: compiled code steps a batch of games, including opponents and autoreset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from warlight_env import registration_hooks
from warlight_env.envs.actions.maskable import batch_action_space
from warlight_env.envs.autoreset import Autoreset
from warlight_env.envs.autoreset import checked_mode as checked_autoreset_mode
from warlight_env.envs.core_arguments import RENDERING, check_names, checked_mode
from warlight_env.envs.episodes import ARGUMENTS, Episodes
from warlight_env.envs.episodes_env import BatchOfGames, TellsItsLimit
from warlight_env.envs.results import BatchResults
from warlight_env.envs.saved_games import SavesGames
from warlight_env.thread_ownership import SingleThreaded


class WarlightVectorEnv(SavesGames, TellsItsLimit, BatchOfGames, SingleThreaded, VectorEnv[Any, Any, Any]):
    """The vector environment of B games of `WarlightEnv`.

    If all opponents are compiled bots, compiled code plays all rounds.

    The results are equal to those of B single environments. ``infos["action_mask"]`` contains the flat masks,
    int8[B, M], which the method `sample` of the action space accepts.

    Args:
        num_envs: B, the number of games.
        autoreset_mode: the time at which a new game follows a finished game: in the next step (the default), or in
            the same step with ``infos["final_obs"]`` and ``infos["final_info"]``. With the mode "Disabled", a new game
            begins only in a call of ``reset(options={"reset_mask": …})`` with a mask bool[B].
        max_episode_steps: a second limit like `max_cycles`: a game is truncated after this number of steps. Gymnasium's
            `make_vec` sets `max_episode_steps`.
        render_mode: the mode of `render`, which shows all games, and of `render_game`, which shows one game.
        arguments: the arguments of `WarlightEnv`.

    Raises InputError for an invalid argument, and UnknownArgumentError for an unknown one.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = (
        "reset", "step", "action_masks", "set_opponent", "render", "render_game", "get_state", "set_state", "clone",
    )  # fmt: skip
    saved_attributes = ("episodes", "_games")
    #: The names of arguments that the constructor passes through, and of those for which it raises a specific error.
    _allowed: ClassVar[tuple[str, ...]] = ARGUMENTS
    _refused: ClassVar[tuple[str, ...]] = ("map_limits",)

    metadata: dict[str, Any] = {  # noqa: RUF012
        **RENDERING,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        further = "num_envs", "autoreset_mode", "max_episode_steps", "render_mode"
        check_names(arguments, self._allowed, further, self._refused)
        self.render_mode = checked_mode(render_mode)
        mode = checked_autoreset_mode(autoreset_mode)
        self.episodes = self._make_games(num_envs, arguments)
        if max_episode_steps is not None:
            self.episodes.limit_cycles(max_episode_steps)
        self.num_envs = num_envs
        self.autoreset_mode = mode
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self.episodes.observation_space
        self.single_action_space = self.episodes.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_action_space(self.single_action_space, num_envs)
        self._games = Autoreset(self.episodes)

    def _make_games(self, num_envs: int, arguments: dict[str, Any]) -> Episodes:
        return Episodes(batch=num_envs, **arguments)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new games; return the observations and infos of all games.

        Args:
            seed: the same as in Gymnasium's vector environments.
            options: ``reset_mask``, bool[B], is True for each game that begins anew; without ``reset_mask``, all games
                begin anew. ``start`` and ``seat`` are the options of `WarlightEnv.reset`, for all games that begin in
                this call.
        """
        mask = self._games.reset(seed, options, ("start", "seat"))
        return self.episodes.observe(), self._infos(self.episodes.results().infos, mask)

    def step(
        self, actions: Any
    ) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Step all games. The argument `autoreset_mode` of the class determines when finished games are replaced.

        If a call of `step` begins a new game instead of a step, the game ignores its action and has reward 0.

        Raises InputError for invalid actions, and the exceptions of opponents and of a custom reward function; after
        these exceptions, no game has made a step. The beginning of a new game, or a custom observation function, may
        also raise an exception, for example if a pool of opponents is empty. After an exception from a new game or an
        observation function, all games have made the step, but the rewards, the ends of episodes and the observations
        of this step are lost. In the next call, games that have not begun begin, and all other games make a step.
        """
        episodes, all_games = self.episodes, np.ones(self.num_envs, dtype=np.bool_)
        final: dict[str, Any] = {}

        def keep_final(results: BatchResults) -> None:
            learner_results = results.for_learner(0)
            has_ended = learner_results.terminated | learner_results.truncated
            final_obs = np.full(self.num_envs, None, dtype=object)
            for b in self._games.ended.tolist():
                final_obs[b] = episodes.observe(b)
            final.update(
                final_obs=final_obs,
                _final_obs=has_ended,
                final_info=self._infos(learner_results.infos, has_ended.copy()),
            )
            final["_final_info"] = has_ended.copy()

        results = self._games.advance([actions], self.autoreset_mode, on_results=keep_final)
        rewards, terminated, truncated, columns = results.for_learner(0)
        return episodes.observe(), rewards, terminated, truncated, {**self._infos(columns, all_games), **final}

    def _infos(self, columns: dict[str, Any], mask: npt.NDArray[np.bool_]) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for name, values in columns.items():
            infos[name], infos[f"_{name}"] = values, mask
        if self.episodes.mask_size:
            infos["action_mask"], infos["_action_mask"] = self.episodes.masks(), mask
        return infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return int8[B, M]: the flat action mask of the learner in each game."""
        return self.episodes.masks()

    def set_opponent(self, opponent: Any) -> None:
        """Set the opponents of all games that begin after this call; see `make_opponent`."""
        self.episodes.set_opponent(opponent)

    def render(self) -> tuple[Any, ...] | None:
        """Call `render_game` for every game; return a tuple of the results if the mode returns text or pictures."""
        frames = tuple([self.render_game(b) for b in range(self.num_envs)])
        return None if self.render_mode in (None, "human") else frames

    def close_extras(self, **kwargs: Any) -> None:
        """Do nothing, because the environment has no open resources."""


def make_vector_env(num_envs: int = 1, device: str | None = None, **arguments: Any) -> VectorEnv[Any, Any, Any]:
    """Return the vector environment of B games with one learner in each game, for Gymnasium's `make_vec`.

    Args:
        num_envs: B.
        device: None for NumPy arrays (`WarlightVectorEnv`), or "cpu" or "cuda" for PyTorch tensors on this device
            (`tensor_env.WarlightTensorVectorEnv`).
        arguments: the other arguments of this environment's class.

    Raises the errors of the environment's class.
    """
    if device is None:
        return WarlightVectorEnv(num_envs, **arguments)
    env: VectorEnv[Any, Any, Any] = registration_hooks.tensor_env(num_envs, device=device, **arguments)
    return env
