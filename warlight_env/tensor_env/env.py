"""The vector environment of all seats with PyTorch tensors, on the CPU or on a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from warlight_env.agents.players.compiled import COMPILED
from warlight_env.arguments import check_choice, check_flag, short_repr
from warlight_env.envs.autoreset import checked_mode, checked_reset_mask
from warlight_env.envs.core import InnerCore
from warlight_env.envs.core_arguments import check_batch, check_max_cycles, check_names
from warlight_env.envs.episodes import DEFAULTS
from warlight_env.envs.observation_spaces import observation_space_of
from warlight_env.envs.restarting_games import LEARNER, NEVER, NEXT_STEP, SAME_STEP
from warlight_env.envs.seeds import seeds_of
from warlight_env.errors import InputError
from warlight_env.features.columns import Features
from warlight_env.tensor_env.games import CpuGames, DeviceGames, action_type, compiled_bot, make_seats
from warlight_env.thread_ownership import SingleThreaded

#: The arguments of the constructor that are not passed to `EnvCore`.
_OWN_ARGUMENTS: Final = (
    "num_envs", "device", "opponents", "autoreset_mode", "max_episode_steps", "check_actions",
)  # fmt: skip
#: The arguments that are passed to `EnvCore`.
CORE_ARGUMENTS: Final = ("map", *DEFAULTS)
_MODES: Final = {
    AutoresetMode.DISABLED: NEVER, AutoresetMode.NEXT_STEP: NEXT_STEP, AutoresetMode.SAME_STEP: SAME_STEP,
}  # fmt: skip


class WarlightTensorEnv(SingleThreaded):
    """B games with an agent on every seat. Observations, actions and results are PyTorch tensors on one device.

    On the device "cuda" a step copies no data between GPU and CPU, except one truth value for the check of actions.
    Equal seeds and actions give equal games on both devices, to the last bit of every observation and reward.

    Every tensor of a result shares memory with the environment: the next call of `step` or `reset` overwrites it. To
    keep a tensor, call ``tensor.clone()``. Other libraries can read the tensors without a copy by DLPack or by
    ``__cuda_array_interface__``.

    A game ends when no agent plays in it any more. With `autoreset_mode` "NextStep", the next step begins a new game in
    place of an ended game, and ignores the actions in this game. With "SameStep" the new game begins in the same step,
    and the last observations are in ``infos[agent]["final_obs"]``. With "Disabled" the new game begins only in a call
    of `reset` with a ``reset_mask``.

    The first game with the number b has the seed ``seed + b``; the game number k in its place has the seed
    ``engine.rng.derive_seed(seed + b, k)``.

    Args:
        num_envs: B, the number of games.
        device: "cuda", or "cpu".
        opponents: the names of compiled bots ("random", "smart_random", "aggressive", "one_big_army") that play seats,
            for example ``{"player_1": "aggressive"}``. The seats without a bot belong to `agents`.
        autoreset_mode: "NextStep", "SameStep" or "Disabled": the time at which a new game replaces an ended game.
        max_episode_steps: a second limit like `max_cycles`: a game is truncated after this number of steps.
        check_actions: whether `step` checks all actions. Without the check, the entries of actions must be within
            the limits; other values give undefined results.
        arguments: map, rules, players, action, observation ("graph" or "flat"), fog, picking, max_cycles and reward,
            as for `envs.EnvCore`. Custom reward and observation functions run on the CPU only; to
            use such functions, make a `WarlightParallelVectorEnv`.

    Raises InputError for invalid arguments, and DeviceError if the device does not exist or the games do not fit in its
    memory.
    """

    exclusive_methods = ("reset", "step")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise InputError("a WarlightTensorEnv cannot be copied or pickled, because its kernels belong to this process")

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.__reduce_ex__(4)

    def __init__(
        self,
        num_envs: int,
        *,
        device: str = "cuda",
        opponents: Mapping[str, str] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        check_actions: bool = True,
        **arguments: Any,
    ) -> None:
        import torch

        check_batch(num_envs, "num_envs")
        check_flag(check_actions, "check_actions")
        if not isinstance(device, str) or device not in ("cpu", "cuda"):
            raise InputError(f"device = {short_repr(device)}: must be 'cpu' or 'cuda'")
        mode = checked_mode(autoreset_mode)
        check_names(arguments, CORE_ARGUMENTS, _OWN_ARGUMENTS)
        for name in ("reward", "observation"):
            if callable(arguments.get(name)) and not isinstance(arguments[name], str):
                raise InputError(f"{name}: a function cannot run on a device; use `WarlightParallelVectorEnv`")
        observation = arguments.get("observation", "graph")
        if not isinstance(observation, str) or observation not in ("graph", "flat"):
            raise InputError(f"observation = {short_repr(observation)}: must be 'graph' or 'flat'")
        core = InnerCore(batch=num_envs if device == "cpu" else 1, **arguments)
        if max_episode_steps is not None:
            core.max_cycles = min(core.max_cycles, check_max_cycles(max_episode_steps))
        if not core.begins_alone:
            raise InputError(
                f"rules {core.rules.name!r}: the rule dealt_apart is not available with `device`; use another value of "
                "the rule `picking`"
            )
        self.num_envs, self.device, self.autoreset_mode, self._core = num_envs, device, mode, core
        self.possible_agents = [f"player_{p}" for p in range(core.players)]
        names, numbers = _seats(self.possible_agents, {} if opponents is None else opponents)
        bots = [compiled_bot(core, name) for name in names]
        #: The seats without a bot.
        self.agents = [agent for agent, bot in zip(self.possible_agents, numbers, strict=True) if bot == LEARNER]
        seats = make_seats(core, numbers, _MODES[mode])
        self._games: DeviceGames
        if device == "cpu":
            self._games = CpuGames(core, seats, bots)
        else:
            from warlight_env.tensor_env.gpu import GpuGames

            self._games = GpuGames(core, seats, bots, num_envs)
        self._check, self._has_begun = check_actions, False
        self._collect(torch)

    def _collect(self, torch: Any) -> None:
        """Make the tensors that `reset` and `step` return."""
        games, core = self._games, self._core
        out, seats, tensor = games.games.out, games.seats, games.tensor
        final = tensor(seats.final_features) if self.autoreset_mode == AutoresetMode.SAME_STEP else None
        features, mask = tensor(out.features), tensor(out.mask)
        self._seeds, self._number, self._restarting = (
            tensor(seats.seeds.view(np.int64)),
            tensor(seats.games),
            tensor(seats.restarting),
        )
        self._limits = torch.as_tensor(np.array(core.limits), device=features.device)
        rows = np.zeros((1, core.slots, core.row_size), action_type(core))
        self._rows = torch.as_tensor(rows, device=features.device).repeat(self.num_envs, 1, 1)
        self._ended, live = tensor(seats.ended), tensor(out.live)
        reward, illegal = tensor(seats.reward), tensor(seats.illegal)
        terminated, truncated = tensor(seats.terminated), tensor(seats.truncated)
        self._flags = reward, illegal, terminated, truncated
        self._live = {agent: live[:, self.possible_agents.index(agent)] for agent in self.agents}
        self._results: dict[str, tuple[Any, ...]] = {}
        for agent in self.agents:
            p = self.possible_agents.index(agent)
            infos = {"illegal": illegal[:, p]}
            if core.encoding.mask_size:
                infos["action_mask"] = mask[:, p]
            if final is not None:
                infos["final_obs"] = self._observation(final[:, p])
                infos["_final_obs"] = self._restarting
            obs = self._observation(features[:, p])
            self._results[agent] = obs, reward[:, p], terminated[:, p], truncated[:, p], infos

    def _observation(self, values: Any) -> Any:
        """Return the observation with the features float32[B, K]."""
        core = self._core
        if core.observation == "flat":
            return values
        return {part.name: part.cut(values) for part in core.features.parts}

    @property
    def device_games(self) -> DeviceGames:
        """The games in the memory of the device, for tests and for other kernels."""
        return self._games

    @property
    def tensor_device(self) -> Any:
        """The ``torch.device`` of all tensors."""
        return self._rows.device

    @property
    def features(self) -> Features:
        """The name, position, range and unit of each number in an observation."""
        return self._core.features

    @property
    def limits(self) -> npt.NDArray[np.int64]:
        """int64[K]: the entry k of an action row must be at least 0 and less than limits[k]. Read-only."""
        return self._core.limits

    @property
    def copies_integers(self) -> bool:
        """Whether an action has the same integers as a row of the argument `actions` of `step`."""
        return self._core.encoding.copies_integers

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """int64[2, E]: the source and the target region of each directed edge, in a new array."""
        return self._core.edge_index.copy()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the observation of an agent in one game; `observations` have a leading axis B."""
        self._seat(agent)
        return observation_space_of(self._core)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the actions of an agent in one game."""
        self._seat(agent)
        return self._core.encoding.space

    def _seat(self, agent: str) -> int:
        check_choice(agent, "agent", self.possible_agents)
        return self.possible_agents.index(agent)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin new games; return the observations and the infos of each agent.

        Args:
            seed: an integer from 0 up, the seed of game 0; game b gets seed + b. A list contains a seed for each game.
                Seeds are taken modulo 2**64. None: games without a seed get random seeds in the first call, and
                continue their series of seeds later.
            options: ``reset_mask``, an array or a tensor bool[B], is True for each game that begins anew; without it
                all games begin anew.
        """
        import torch

        mask = np.ones(self.num_envs, dtype=np.bool_)
        if options is not None:
            if not isinstance(options, dict) or set(options) - {"reset_mask"}:
                raise InputError(f"options = {short_repr(options)}: must be None or a dict with the key reset_mask")
            value = options.get("reset_mask", mask)
            value = value.cpu().numpy() if isinstance(value, torch.Tensor) else value
            mask = checked_reset_mask(value, self.num_envs, self._has_begun).copy()
        seeds = seeds_of(seed, self.num_envs)
        if not self._has_begun:
            random_seeds = np.random.default_rng().integers(0, 2**63, self.num_envs)
            seeds = [int(random_seeds[b]) if value is None else value for b, value in enumerate(seeds)]
        seeded = np.array([value is not None for value in seeds]) & mask
        words = np.array([(value or 0) % 2**64 for value in seeds], dtype=np.uint64).view(np.int64)
        device = self.tensor_device
        selected, new = torch.as_tensor(mask, device=device), torch.as_tensor(seeded, device=device)
        self._seeds[new] = torch.as_tensor(words, device=device)[new]
        self._number[new] = 0
        for values in self._flags:
            values[selected] = 0
        self._restarting.copy_(selected)
        self._games.restart()
        self._restarting.zero_()
        self._has_begun = True
        return self._part(0), self._infos()

    def _part(self, index: int) -> dict[str, Any]:
        """Return element `index` of each agent's results in new dicts, so that a caller may change the dicts."""
        return {agent: _new_dict(results[index]) for agent, results in self._results.items()}

    def _infos(self) -> dict[str, Any]:
        infos = self._part(4)
        for agent, active in self._live.items():
            infos[agent]["active"] = active & ~self._ended
        return infos

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Step all games. Return observations, rewards, terminations, truncations and infos, one entry per agent.

        Args:
            actions: for each agent an integer tensor [B, K], or [B] if K = 1, on the environment's device. Entries of
                agents that do not play any more (``infos[agent]["active"]`` is False) are ignored.

        Returns:
            observations: nodes float32[B, N, F] and globals float32[B, G], or float32[B, N * F + G] for "flat".
            rewards: float64[B]. terminations, truncations: bool[B].
            infos: ``action_mask`` int8[B, M], ``active`` bool[B], ``illegal`` int32[B], the orders
                that this step dropped. In the mode "SameStep" the infos also have ``final_obs`` and ``_final_obs``
                bool[B], the games in which ``final_obs`` is new. In games with a new ``final_obs``, ``action_mask`` and
                ``active`` belong to the new game.

        Raises InputError for missing or invalid actions; after an InputError, no game has made a step.
        """
        if not self._has_begun:
            raise InputError("no game has begun; call reset()")
        if not isinstance(actions, Mapping) or set(actions) != set(self.agents):
            raise InputError(f"actions must be a dict with the keys {', '.join(self.agents)}")
        rows_by_agent = {agent: self._checked(agent, actions[agent]) for agent in self.agents}
        if self._check:
            self._check_limits(rows_by_agent)
        for agent, rows in rows_by_agent.items():
            self._rows[:, self._seat(agent)] = rows
        self._games.step(self._rows)
        return self._part(0), self._part(1), self._part(2), self._part(3), self._infos()

    def _checked(self, agent: str, action: Any) -> Any:
        """Return the actions of an agent as a tensor int[B, K]."""
        import torch

        rows = _as_tensor(action, f"actions[{agent!r}]")
        size = self._core.row_size
        if size == 1 and rows.shape == (self.num_envs,):
            rows = rows[:, None]
        if rows.shape != (self.num_envs, size) or rows.dtype not in _integer_types() or rows.layout != torch.strided:
            raise InputError(
                f"actions[{agent!r}] must be an integer tensor [{self.num_envs}, {size}], "
                f"not {rows.dtype} {list(rows.shape)}"
            )
        if rows.device.type != self.tensor_device.type:
            raise InputError(f"actions[{agent!r}] is on {rows.device}; the environment is on {self.tensor_device}")
        return rows

    def _check_limits(self, rows_by_agent: dict[str, Any]) -> None:
        """Raise InputError for an entry outside the limits, in a row that is not ignored."""
        import torch

        invalid = torch.stack(
            [
                ((rows < 0) | (rows >= self._limits)).any(1) & self._live[agent] & ~self._ended
                for agent, rows in rows_by_agent.items()
            ]
        )
        if not invalid.any():
            return
        k, b = (int(value) for value in invalid.nonzero()[0])
        agent = list(rows_by_agent)[k]
        row = rows_by_agent[agent][b].tolist()
        i = next(i for i, value in enumerate(row) if not 0 <= value < self.limits[i])
        raise InputError(f"actions[{agent!r}][{b}][{i}] = {row[i]}: must be in 0 .. {self.limits[i] - 1}")


def _integer_types() -> tuple[Any, ...]:
    import torch

    return torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8


def _new_dict(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else value


def _as_tensor(value: Any, name: str) -> Any:
    """Return a tensor with the content of a tensor, or of an array of another library, without a copy if possible."""
    import torch

    if isinstance(value, torch.Tensor):
        return value
    try:
        foreign = hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray)
        return torch.from_dlpack(value) if foreign else torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError(f"{name} = {short_repr(value)}: must be an integer tensor ({error})") from None


def _seats(possible: list[str], opponents: Mapping[str, str]) -> tuple[list[str], list[int]]:
    """Return the names of the bots, and for each seat the number of its bot or LEARNER."""
    if not isinstance(opponents, Mapping):
        raise InputError(f"opponents = {short_repr(opponents)}: must be a dict from agents to names of bots")
    for agent, name in opponents.items():
        if agent not in possible:
            raise InputError(f"opponents: unknown agent {short_repr(agent)}; known: {', '.join(possible)}")
        check_choice(name, f"opponents[{agent!r}]", COMPILED)
    if len(opponents) == len(possible):
        raise InputError("opponents: at least one seat must be left for an agent")
    kinds = list(dict.fromkeys(opponents.values()))
    numbers = [kinds.index(opponents[agent]) if agent in opponents else LEARNER for agent in possible]
    return kinds, numbers
