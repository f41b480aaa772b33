"""Base classes of environments with `Episodes`: descriptions of their games, pictures, and the attribute `spec`."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import EnvSpec

from warlight_env.arguments import index
from warlight_env.envs.actions import ActionEncoding
from warlight_env.envs.core import EnvCore
from warlight_env.envs.episodes import Episodes
from warlight_env.features.columns import Features


class DescribesGames:
    """Constant data of the games in `episodes`.

    The properties raise AttributeError if the environment has many games on many maps.
    """

    episodes: Episodes

    @property
    def _described_core(self) -> EnvCore:
        return self.episodes.core

    @property
    def features(self) -> Features:
        """The name, position, range and unit of each number in a game's observation (without its mask)."""
        return self._described_core.features

    @property
    def encoding(self) -> ActionEncoding:
        """The action encoding; its methods `decode` and `encode` take a `View` as an argument."""
        return self._described_core.encoding

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """int64[2, E]: the source and the target region of each directed edge, in a new array."""
        return self._described_core.edge_index.copy()


class BatchOfGames(DescribesGames):
    """Constant data and pictures of the games in `episodes`, for environments of many games."""

    num_envs: int
    render_mode: str | None

    def render_game(self, b: int) -> Any:
        """Render the true position of game b, without fog of war.

        The mode "human" prints text, "ansi" returns text, and "rgb_array" returns an image uint8[H, W, 3].
        """
        return self.episodes.render(self.render_mode, index(b, "b", self.num_envs))


class TellsItsLimit:
    """The attribute `spec`, with the number of steps after which a game is truncated.

    ``gymnasium.make`` and ``make_vec`` set `spec`. The maximum number of steps depends on the arguments of the
    environment, so the registered specifications have no ``max_episode_steps``; with ``max_episode_steps``, Gymnasium
    would add a second limit.
    """

    episodes: Episodes
    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The specification from which Gymnasium made the environment; None for an environment made from its class.

        ``max_episode_steps`` is the number of steps after which a game is truncated: the argument `max_cycles` or its
        default. ``max_episode_steps`` is None if each map has its own limit (many maps with ``action="steps"`` and no
        `max_cycles`).
        """
        return self._spec

    @spec.setter
    def spec(self, value: EnvSpec | None) -> None:
        if value is not None:
            value = copy.copy(value)
            value.max_episode_steps = self.episodes.max_cycles
        self._spec = value
