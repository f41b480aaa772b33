"""`vector_conformance_test`: compare any vector environment, step by step, with single environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from warlight_env.arguments import is_integer, short_repr
from warlight_env.errors import InputError


def vector_conformance_test(
    make_batch: Callable[[int, AutoresetMode], VectorEnv[Any, Any, Any]],
    make_single: Callable[[], gymnasium.Env[Any, Any]],
    *,
    num_envs: int = 4,
    steps: int = 200,
    seed: int = 0,
    modes: Sequence[AutoresetMode] = tuple(AutoresetMode),
) -> int:
    """Play the same random games in a vector environment and in single environments, and compare all results.

    Observations, rewards, `terminated`, `truncated` and infos must be exactly equal, without rounding differences. The
    test compares the results at resets and after each step, in every autoreset mode, and also in the games that begin
    after a game has ended. Random actions respect ``info["action_mask"]`` if there is one. The masks of the vector
    environment may be flat. The vector environment must use the seeds seed, seed + 1, … for its games, as Gymnasium's
    own classes do.

    Args:
        make_batch: a function that makes the vector environment; its arguments are the number of games and a mode.
        make_single: a function without arguments that makes a single environment.
        num_envs, steps, seed: the number of games, the number of steps, and the seed of the first game.
        modes: the autoreset modes to test.

    Returns the number of games that ended. If no game ended, use more steps, because no restart of a game was tested.
    Raises an AssertionError at the first difference; the message names the mode, the step, the game and the two values.

    Raises:
        InputError: `make_batch` or `make_single` is not a function, or another argument has the wrong type.
    """
    for name, function in (("make_batch", make_batch), ("make_single", make_single)):
        if not callable(function):
            raise InputError(f"{name} = {short_repr(function)}: must be a function")
    for name, number, minimum in (("num_envs", num_envs, 1), ("steps", steps, 0), ("seed", seed, 0)):
        if not is_integer(number) or number < minimum:
            raise InputError(f"{name} = {short_repr(number)}: must be an integer from {minimum} up")
    if not isinstance(modes, list | tuple) or not all(isinstance(mode, AutoresetMode) for mode in modes):
        raise InputError(f"modes = {short_repr(modes)}: must be a list of autoreset modes")
    return sum(
        _Comparison(make_batch(num_envs, mode), [make_single() for _ in range(num_envs)], mode).run(steps, seed)
        for mode in modes
    )


class _Comparison:
    def __init__(
        self, batch: VectorEnv[Any, Any, Any], singles: list[gymnasium.Env[Any, Any]], mode: AutoresetMode
    ) -> None:
        self.batch, self.singles, self.mode = batch, singles, mode
        self.count = len(singles)
        self.step, self.ends = 0, 0

    def check(self, game: int, label: str, actual: Any, expected: Any) -> None:
        if not _equal(actual, expected):
            raise AssertionError(
                f"{self.mode.value}, step {self.step}, game {game}: {label} is {actual!r:.200}, a single environment "
                f"gives {expected!r:.200}"
            )

    def check_infos(self, game: int, infos: dict[str, Any], expected: dict[str, Any], label: str) -> None:
        ignored = {"final_obs", "final_info"}
        names = {name for name in infos if not name.startswith("_") and name not in ignored}
        present = {name for name in names if f"_{name}" not in infos or infos[f"_{name}"][game]}
        self.check(game, f"the set of {label}", present, set(expected))
        for name in sorted(expected):
            self.check(game, f"{label}[{name!r}]", infos[name][game], expected[name])

    def check_observations(self, observations: Any, expected: list[Any]) -> None:
        for game, got in enumerate(iterate(self.batch.observation_space, observations)):
            self.check(game, "the observation", got, expected[game])

    def run(self, steps: int, seed: int) -> int:
        observations, infos = self.batch.reset(seed=seed)
        self.single_observations, self.single_infos = map(
            list, zip(*(env.reset(seed=seed + i) for i, env in enumerate(self.singles)), strict=True)
        )
        ended = [False] * self.count
        for i, env in enumerate(self.singles):
            env.action_space.seed(seed + i)
        self.check_observations(observations, self.single_observations)
        for i in range(self.count):
            self.check_infos(i, infos, self.single_infos[i], "infos")
        for self.step in range(1, steps + 1):
            ended = self._step(ended)
        self.batch.close()
        return self.ends

    def _step(self, ended: list[bool]) -> list[bool]:
        actions = [_sample(env, info) for env, info in zip(self.singles, self.single_infos, strict=True)]
        space = self.batch.single_action_space
        empty: Any = create_empty_array(space, self.count)
        batch_actions = concatenate(space, actions, empty)
        observations, rewards, terminated, truncated, infos = self.batch.step(batch_actions)
        has_ended = []
        for i, env in enumerate(self.singles):
            if ended[i]:  # only in the mode NEXT_STEP: this step resets the game
                self.single_observations[i], self.single_infos[i] = env.reset()
                reward: Any = 0.0
                is_terminated, is_truncated = False, False
            else:
                self.single_observations[i], reward, is_terminated, is_truncated, self.single_infos[i] = env.step(
                    actions[i]
                )
            self.check(i, "the reward", float(rewards[i]), float(reward))
            self.check(i, "terminated", bool(terminated[i]), is_terminated)
            self.check(i, "truncated", bool(truncated[i]), is_truncated)
            has_ended.append(is_terminated or is_truncated)
            self.ends += is_terminated or is_truncated
            if has_ended[-1] and self.mode == AutoresetMode.SAME_STEP:
                self.check(i, "final_obs", infos["final_obs"][i], self.single_observations[i])
                self.check_infos(i, infos["final_info"], self.single_infos[i], "final_info")
                self.single_observations[i], self.single_infos[i] = env.reset()
            self.check_infos(i, infos, self.single_infos[i], "infos")
        self.check_observations(observations, self.single_observations)
        if self.mode == AutoresetMode.NEXT_STEP:
            return has_ended
        if self.mode == AutoresetMode.DISABLED and any(has_ended):
            observations, infos = self.batch.reset(options={"reset_mask": np.array(has_ended)})
            for i in np.flatnonzero(has_ended).tolist():
                self.single_observations[i], self.single_infos[i] = self.singles[i].reset()
                self.check_infos(i, infos, self.single_infos[i], "infos")
            self.check_observations(observations, self.single_observations)
        return [False] * self.count


def _sample(env: gymnasium.Env[Any, Any], info: dict[str, Any]) -> Any:
    mask = info.get("action_mask")
    return env.action_space.sample() if mask is None else env.action_space.sample(mask)


def _flat(value: Any) -> Any:
    """Return an action mask of nested dicts and tuples as one flat vector."""
    if isinstance(value, dict):
        return np.concatenate([_flat(value[key]) for key in value])
    return np.concatenate([np.ravel(row) for row in value]) if isinstance(value, tuple) else value


def _equal(actual: Any, expected: Any) -> bool:
    if isinstance(expected, dict) and isinstance(actual, dict):
        return actual.keys() == expected.keys() and all(_equal(actual[key], expected[key]) for key in expected)
    if isinstance(expected, tuple | dict) and isinstance(actual, np.ndarray):
        expected = _flat(expected)
    if isinstance(expected, np.ndarray):
        return actual.dtype == expected.dtype and np.array_equal(actual, expected)
    if isinstance(actual, np.generic):
        actual = actual.item()
    if isinstance(expected, np.generic):
        expected = expected.item()
    return bool(actual == expected)
