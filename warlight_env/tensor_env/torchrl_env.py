"""`WarlightTensorEnv` as an environment of TorchRL. Import this module only where TorchRL is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, MultiCategorical, Unbounded
from torchrl.envs import EnvBase

from warlight_env.arguments import short_repr
from warlight_env.errors import InputError
from warlight_env.tensor_env.env import WarlightTensorEnv

#: The key of the group of agents, as in TorchRL's other environments with several agents.
GROUP = "agents"


class WarlightTorchRLEnv(EnvBase):
    """B games of A agents as a TorchRL environment with batch size [B].

    All agents are in the group "agents": the key ("agents", "observation", …) has the features [B, A, …],
    ("agents", "action_mask") the mask [B, A, M], and ("agents", "reward") the rewards [B, A, 1]. A game is done when no
    agent plays in it any more. ("agents", "active") [B, A, 1] is False after an agent's episode has ended.

    Args:
        num_envs: B, the number of games.
        arguments: the arguments of `WarlightTensorEnv`, except `autoreset_mode`: TorchRL begins new games itself.

    Raises the errors of `WarlightTensorEnv`, and InputError for an action encoding whose actions are not integers
    between 0 and fixed limits.
    """

    def __init__(self, num_envs: int, **arguments: Any) -> None:
        if "autoreset_mode" in arguments:
            mode = short_repr(arguments["autoreset_mode"])
            raise InputError(f"autoreset_mode = {mode}: not allowed, because TorchRL begins new games")
        self._games = WarlightTensorEnv(num_envs, autoreset_mode="Disabled", **arguments)
        super().__init__(device=self._games.tensor_device, batch_size=torch.Size([num_envs]))
        self._make_specs()
        self._seed: int | None = int(torch.randint(2**31, ()))  # the seed of the first games, unless it is set

    @property
    def games(self) -> WarlightTensorEnv:
        """The environment that plays the games."""
        return self._games

    def _make_specs(self) -> None:
        games, device = self._games, self.device
        lead = torch.Size([*self.batch_size, len(games.agents)])
        action = games.action_space(games.agents[0])
        choices: Any
        if isinstance(action, spaces.Discrete):
            choices = Categorical(int(action.n), shape=torch.Size([*lead, 1]), device=device)
        elif len(games.limits) > 1 and isinstance(action, spaces.MultiDiscrete):
            limits = torch.as_tensor(np.array(games.limits))
            choices = MultiCategorical(limits, shape=torch.Size([*lead, len(limits)]), device=device)
        else:
            raise InputError(f"action {type(action).__name__}: TorchRL needs an encoding with integers as actions")
        first, infos = games.reset(seed=0)
        obs, info = first[games.agents[0]], infos[games.agents[0]]
        parts = obs if isinstance(obs, dict) else {"flat": obs}
        observation = Composite(
            {name: Unbounded(torch.Size([*lead, *part.shape[1:]]), device=device) for name, part in parts.items()},
            shape=lead,
            device=device,
        )
        agents = Composite({"observation": observation}, shape=lead, device=device)
        agents["active"] = Binary(1, torch.Size([*lead, 1]), device=device, dtype=torch.bool)
        if "action_mask" in info:
            size = info["action_mask"].shape[1]
            agents["action_mask"] = Binary(size, torch.Size([*lead, size]), device=device, dtype=torch.bool)
        done = Binary(1, torch.Size([*self.batch_size, 1]), device=device, dtype=torch.bool)
        self.observation_spec = Composite({GROUP: agents}, shape=self.batch_size, device=device)
        self.action_spec = Composite(
            {GROUP: Composite({"action": choices}, shape=lead, device=device)}, shape=self.batch_size, device=device
        )
        reward = Bounded(-torch.inf, torch.inf, torch.Size([*lead, 1]), device=device, dtype=torch.float64)
        self.reward_spec = Composite(
            {GROUP: Composite({"reward": reward}, shape=lead, device=device)}, shape=self.batch_size, device=device
        )
        self.done_spec = Composite(
            {"done": done, "terminated": done.clone(), "truncated": done.clone()}, shape=self.batch_size, device=device
        )

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **arguments: Any) -> TensorDict:
        options = None
        reset_mask = None if tensordict is None else tensordict.get("_reset", None)
        if reset_mask is not None:
            mask = reset_mask.reshape(self.batch_size).cpu().numpy()
            options = None if mask.all() else {"reset_mask": mask}
        observations, infos = self._games.reset(seed=self._seed, options=options)
        self._seed = None
        return TensorDict(
            {GROUP: self._observe(observations, infos), **self._done_flags(infos, None)},
            self.batch_size,
            device=self.device,
        )

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        action_tensor = tensordict[GROUP, "action"]
        actions = {agent: action_tensor[:, k] for k, agent in enumerate(self._games.agents)}
        observations, rewards, _, truncations, infos = self._games.step(actions)
        agents = self._observe(observations, infos)
        agents["reward"] = torch.stack([rewards[agent] for agent in self._games.agents], 1)[..., None]
        return TensorDict({GROUP: agents, **self._done_flags(infos, truncations)}, self.batch_size, device=self.device)

    def _observe(self, observations: dict[str, Any], infos: dict[str, Any]) -> TensorDict:
        """Return copies of the observations, the masks and the flags `active`, with an axis for the agents."""
        agents = self._games.agents

        def stack(tensors: list[Any]) -> Any:
            return torch.stack(tensors, 1)

        first = observations[agents[0]]
        if isinstance(first, dict):
            parts = {name: stack([observations[agent][name] for agent in agents]) for name in first}
        else:
            parts = {"flat": stack([observations[agent] for agent in agents])}
        lead = [*self.batch_size, len(agents)]
        fields = {
            "observation": TensorDict(parts, lead),
            "active": stack([infos[a]["active"] for a in agents])[..., None],
        }
        if "action_mask" in infos[agents[0]]:
            fields["action_mask"] = stack([infos[agent]["action_mask"] for agent in agents]).bool()
        return TensorDict(fields, lead, device=self.device)

    def _done_flags(self, infos: dict[str, Any], truncations: dict[str, Any] | None) -> dict[str, Any]:
        """Return whether each game is done, terminated and truncated.

        A game is truncated if at least one of its agents is truncated.
        """
        agents = self._games.agents
        done = ~torch.stack([infos[agent]["active"] for agent in agents], 1).any(1, keepdim=True)
        truncated = torch.zeros_like(done)
        if truncations is not None:
            truncated = done & torch.stack([truncations[agent] for agent in agents], 1).any(1, keepdim=True)
        return {"done": done, "terminated": done & ~truncated, "truncated": truncated}
