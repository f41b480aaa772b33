"""`BatchOfGames`: properties that the environments of many games have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.arguments import index
from warlight_env.envs.actions import ActionEncoding
from warlight_env.envs.episodes import Episodes
from warlight_env.features.columns import Features


class BatchOfGames:
    """Constant data and pictures of the games in `episodes`. A base class of environments of many games.

    The properties raise AttributeError if the environment has many maps.
    """

    episodes: Episodes
    num_envs: int
    render_mode: str | None

    @property
    def features(self) -> Features:
        """The name, position, range and unit of each number in a game's observation (without its mask)."""
        return self.episodes.core.features

    @property
    def encoding(self) -> ActionEncoding:
        """The action encoding; its methods `decode` and `encode` take a `View` as an argument."""
        return self.episodes.core.encoding

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """int64[2, E]: the source and the target region of each directed edge, in a new array."""
        return self.episodes.core.edge_index.copy()

    def render_game(self, b: int) -> Any:
        """Render the true position of game b, without fog of war.

        The mode "human" prints text, "ansi" returns text, and "rgb_array" returns an image uint8[H, W, 3].
        """
        return self.episodes.render(self.render_mode, index(b, "b", self.num_envs))
