"""The automatic restart of ended games in environments of many games."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.envs.episodes import NO_OPTIONS, Episodes, StepResults
from warlight_env.envs.reset_options import ResetOptions
from warlight_env.envs.seeds import Seeds


class Autoreset:
    """Steps a batch of games, and begins new games in place of ended games.

    A game that has ended makes no step until `begin` has begun a new game in its place. If `begin` raises an exception,
    the ended games stay in `ended`. So each end is reported once, and the next step can begin the new games.

    Attributes:
        seeds: the random generators from which the seeds of the games are drawn.
        ended: int64[M], the ended games that no new game has replaced yet, in ascending order.
    """

    def __init__(self, episodes: Episodes) -> None:
        self._episodes, self.seeds = episodes, Seeds(episodes.batch)
        self.ended: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def begin(self, games: Sequence[int] | npt.NDArray[np.int64], options: ResetOptions = NO_OPTIONS) -> None:
        """Begin new games with the numbers in `games`; see `Episodes.reset` for the errors.

        The failed games, too, use up the seeds that were drawn for them.
        """
        drawn = self.seeds.draw(games, functools.partial(self._episodes.draw, options=options))
        self._episodes.reset(drawn, np.asarray(games).tolist(), options)
        if len(self.ended):
            self.ended = np.setdiff1d(self.ended, games, assume_unique=True)

    def step(self, actions: Any) -> StepResults:
        """Step all games except those in `ended`, then add the games that end in this step to `ended`.

        The games that make no step have reward 0 and are neither terminated nor truncated. After an exception of
        `Episodes.step` nothing has changed.
        """
        earlier, episodes = self.ended, self._episodes
        if not len(earlier):
            episodes.step(actions)
            results = episodes.results()
            self.ended = np.flatnonzero(results.terminated | results.truncated)
            return results
        acting = np.ones(episodes.batch, dtype=np.bool_)
        acting[earlier] = False
        episodes.step(actions, acting)
        results = episodes.results()
        for values in results[:3]:
            values[earlier] = 0
        self.ended = np.union1d(earlier, np.flatnonzero(results.terminated | results.truncated))
        return results


__all__ = ["Autoreset"]
