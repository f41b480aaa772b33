"""`TellsItsLimit`: the attribute `spec` of environments, with the number of steps after which a game is truncated."""

from __future__ import annotations

import copy

from gymnasium.envs.registration import EnvSpec

from warlight_env.envs.episodes import Episodes


class TellsItsLimit:
    """A base class of environments with `Episodes`, which defines the attribute `spec`.

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
