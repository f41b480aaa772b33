"""The Gymnasium vector environment with tensors: one learner in each game, and compiled bots on the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from warlight_env.arguments import check_integer, is_integer, short_repr
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.envs.core_arguments import check_names
from warlight_env.errors import InputError
from warlight_env.tensor_env.env import CORE_ARGUMENTS, WarlightTensorEnv

#: The arguments of the constructor that are not passed to `EnvCore`.
_OWN_ARGUMENTS: Final = (
    "num_envs", "device", "opponent", "seat", "autoreset_mode", "max_episode_steps", "check_actions",
)  # fmt: skip


class WarlightTensorVectorEnv(VectorEnv[Any, Any, Any]):
    """The vector environment of B games as `WarlightVectorEnv`, with PyTorch tensors on one device.

    ``gymnasium.make_vec("warlight/Warlight-v0", num_envs=B, device="cuda")`` makes this environment. A game with the
    same seed, seat and actions is equal to one of `WarlightVectorEnv`. There are these differences:

    - All results are tensors on the device, and the next call of `step` or `reset` overwrites them.
    - The first game with the number b has the seed ``seed + b`` itself. See `WarlightTensorEnv` for the seeds of the
      next games.
    - The learner has the same seat in all games, and the opponents are compiled bots.
    - ``infos`` has the entries illegal int32[B] and action_mask int8[B, M]. In the mode "SameStep", ``infos`` also has
      final_obs, a batch of observations, and ``_final_obs`` bool[B], the games in which final_obs is new. For games
      with a new final_obs, action_mask belongs to the new game, and illegal to the last step of the ended game.
    - In the mode "Disabled" a game that is over waits for `reset`, and ignores actions.

    Args:
        num_envs: B, the number of games.
        device: "cuda" or "cpu".
        opponent: the name of a compiled bot ("random", "smart_random", "aggressive", "one_big_army") for all other
            seats, or a list with a name for each other seat, in ascending order of the seats.
        seat: the seat of the learner.
        autoreset_mode: "NextStep", "SameStep" or "Disabled", see `WarlightVectorEnv`.
        max_episode_steps: a second limit like `max_cycles`. Gymnasium's `make_vec` sets `max_episode_steps`.
        check_actions: whether `step` checks all actions, see `WarlightTensorEnv`.
        arguments: map, rules, players, action ("steps", "factored" or "strategies"), observation ("flat" or "graph"),
            fog, picking, max_cycles and reward, with the defaults of `WarlightEnv`.

    Raises InputError for invalid arguments, and DeviceError if the device does not exist or the games do not fit in its
    memory.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        *,
        device: str = "cuda",
        opponent: str | Sequence[str] = "random",
        seat: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        check_actions: bool = True,
        **arguments: Any,
    ) -> None:
        check_names(arguments, CORE_ARGUMENTS, _OWN_ARGUMENTS)
        arguments = {"action": "steps", "observation": "flat", "picking": "random", **arguments}
        players = arguments.setdefault("players", 2)
        check_integer(players, "players", 2, MAX_PLAYERS)
        if not is_integer(seat) or not 0 <= seat < players:
            raise InputError(f"seat = {short_repr(seat)}: must be 0 .. {players - 1}, the same seat in all games")
        self._games = WarlightTensorEnv(
            num_envs,
            device=device,
            opponents=_opponents(opponent, int(seat), players),
            autoreset_mode=autoreset_mode,
            max_episode_steps=max_episode_steps,
            check_actions=check_actions,
            **arguments,
        )
        games, self._agent = self._games, f"player_{seat}"
        if not games.copies_integers:
            raise InputError(f"action = {short_repr(arguments['action'])}: with `device`, actions must be integers")
        self.num_envs, self.autoreset_mode = num_envs, games.autoreset_mode
        self.metadata = {**type(self).metadata, "autoreset_mode": games.autoreset_mode}
        self.single_observation_space = games.observation_space(self._agent)
        self.single_action_space = games.action_space(self._agent)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def games(self) -> WarlightTensorEnv:
        """The environment that plays the games."""
        return self._games

    @property
    def tensor_device(self) -> Any:
        """The ``torch.device`` of all tensors."""
        return self._games.tensor_device

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new games; return the observations and the infos. See `WarlightTensorEnv.reset` for the arguments."""
        observations, infos = self._games.reset(seed=seed, options=options)
        return observations[self._agent], self._infos(infos)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step all games.

        Args:
            actions: an integer tensor [B, K], or [B] for "steps" and "strategies", on the environment's device.

        Returns:
            The observations float32[B, …], the rewards float64[B], terminated and truncated bool[B], and the infos.

        Raises InputError for invalid actions; after an InputError, no game has made a step.
        """
        results = self._games.step({self._agent: actions})
        observations, rewards, terminated, truncated = (part[self._agent] for part in results[:4])
        return observations, rewards, terminated, truncated, self._infos(results[4])

    def _infos(self, infos: dict[str, Any]) -> dict[str, Any]:
        agent_infos: dict[str, Any] = infos[self._agent]
        agent_infos.pop("active")
        return agent_infos


def _opponents(opponent: Any, seat: int, players: int) -> dict[str, str]:
    """Return the name of the bot on each seat except the learner's seat."""
    seats = [f"player_{p}" for p in range(players) if p != seat]
    names = [opponent] * len(seats) if isinstance(opponent, str) else opponent
    if not isinstance(names, list | tuple) or len(names) != len(seats):
        raise InputError(
            f"opponent = {short_repr(opponent)}: must be the name of a compiled bot, or a list of {len(seats)} names"
        )
    return dict(zip(seats, names, strict=True))
