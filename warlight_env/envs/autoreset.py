"""The automatic restart of ended games in environments of many games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode

from warlight_env.arguments import short_repr
from warlight_env.array_arguments import array_of
from warlight_env.envs.episodes import NO_OPTIONS, Episodes
from warlight_env.envs.reset_options import ResetOptions
from warlight_env.envs.results import BatchResults
from warlight_env.envs.seeds import seeds_of
from warlight_env.errors import InputError


def checked_mode(mode: Any) -> AutoresetMode:
    """Return a mode, or the name of a mode, as an `AutoresetMode`; raise InputError for any other value."""
    try:
        return AutoresetMode(mode)
    except Exception:  # the caller's object may have methods that raise any exception
        names = ", ".join(each.value for each in AutoresetMode)
        raise InputError(f"autoreset_mode = {short_repr(mode)}: must be one of {names}") from None


def checked_reset_mask(value: Any, count: int, has_begun: bool) -> npt.NDArray[np.bool_]:
    """Return the option ``reset_mask`` of `count` games; raise InputError if it is invalid.

    has_begun: whether the games have begun; if they have not, all games must begin.
    """
    mask = array_of(value, "reset_mask")
    if mask.shape != (count,) or mask.dtype != np.bool_ or not mask.any():
        raise InputError(f"reset_mask must be bool[{count}] with at least one True")
    if not has_begun and not mask.all():
        raise InputError("reset_mask: no game has begun; reset all games first")
    return mask


class Autoreset:
    """Steps a batch of games, and begins new games in place of ended games.

    A game that has ended makes no step until `begin` has begun a new game in its place, so that the end of a game is
    reported only once. If `begin` raises an exception, the ended games stay in `ended`, and the next step can begin the
    new games.

    Attributes:
        live: bool[B, L], whether the episode of a learner continues.
        ended: int64[M], the games without a live learner that no new game has replaced yet, in ascending order.
    """

    def __init__(self, episodes: Episodes) -> None:
        self._episodes = episodes
        # The random generators from which the seeds of the games are drawn. Each generator gives the same seeds as the
        # generator of a single environment with the same seed.
        self._streams: list[np.random.Generator | None] = [None] * episodes.batch
        self.live: npt.NDArray[np.bool_] = np.ones(episodes.learners.shape, dtype=np.bool_)
        self.ended: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._has_begun = False

    def reset(self, seed: Any, options: Any, allowed: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Begin new games for the method `reset` of a vector environment; return bool[B], the games that begin.

        Args:
            seed: the argument of Gymnasium's vector environments, see `seeds_of`.
            options: a dict. ``reset_mask``, bool[B], is True for each game that begins; without ``reset_mask``, all
                games begin.
            allowed: the names of all other options that are allowed, see `Episodes.read_options`.

        Raises InputError for invalid arguments. After an InputError, the games are unchanged.
        """
        count = self._episodes.batch
        read = self._episodes.read_options(options, (*allowed, "reset_mask"))
        mask = np.ones(count, dtype=np.bool_)
        if options is not None and "reset_mask" in options:
            mask = checked_reset_mask(options["reset_mask"], count, self._has_begun)
        seeds = seeds_of(seed, count)
        games = np.flatnonzero(mask)
        for b in games.tolist():
            if seeds[b] is not None:
                self.seed(b, seeds[b])
        self.begin(games, read)
        self._has_begun = True
        return mask

    def seed(self, b: int, seed: int | None) -> None:
        """Restart the generator for the seeds of game b; seed: a result of `checked_seed`, None: a random seed."""
        self._streams[b], _ = seeding.np_random(seed)

    def begin(self, games: Sequence[int] | npt.NDArray[np.int64], options: ResetOptions = NO_OPTIONS) -> None:
        """Begin new games with the numbers in `games`; see `Episodes.reset` for the errors.

        If a game fails to begin, the seed that was drawn for the game is not used again.
        """
        numbers = np.asarray(games).tolist()
        for b in numbers:
            if self._streams[b] is None:
                self.seed(b, None)
        streams = [stream for b in numbers if (stream := self._streams[b]) is not None]
        self._episodes.reset(self._episodes.draw(streams, options), numbers, options)
        self.live[games] = True if options.start is None else self._episodes.live()[games]
        self.ended = self.ended[~self.live[self.ended].any(axis=1)]

    def step(self, actions: Sequence[Any]) -> BatchResults:
        """Step all games except those in `ended`, then add the games that end in this step to `ended`.

        actions: a batch of B actions for each of the L learners. Return the results of all learners.

        A learner whose episode ended in an earlier step has reward 0 and is neither terminated nor truncated. After an
        exception of `Episodes.step`, the games are unchanged.
        """
        episodes, before = self._episodes, self.live
        if before.all():
            episodes.step(actions)
        else:
            acting = np.ones(episodes.batch, dtype=np.bool_)
            acting[self.ended] = False
            episodes.step(actions, acting, before)
        results = episodes.all_results(before=before)
        self.live, self.ended = results.live.copy(), results.ended
        return results

    def advance(
        self, actions: Sequence[Any], mode: AutoresetMode, on_results: Callable[[BatchResults], None]
    ) -> BatchResults:  # fmt: skip
        """Call `step`, and begin new games in place of ended games at the time that `mode` demands.

        Args:
            actions: see `step`.
            on_results: a function that is called with the results before new games begin in the same step.

        Return the results of all learners. If a new game has begun, the infos describe this new game.

        Raises InputError if no game has begun, or if a game is over in the mode DISABLED.
        """
        if not self._has_begun:
            raise InputError("no game has begun; call reset()")
        ended_before = self.ended
        if mode == AutoresetMode.DISABLED and len(ended_before):
            raise InputError(f"games {ended_before.tolist()} are over; call reset() with reset_mask for these games")
        results = self.step(actions)
        if len(ended_before):
            self.begin(ended_before)
            results.show_new(ended_before, self._episodes.all_results(ended_before))
        if mode == AutoresetMode.SAME_STEP and len(self.ended):
            ended = self.ended
            on_results(results)
            results = results._replace(infos={name: values.copy() for name, values in results.infos.items()})
            self.begin(ended)
            results.show_new(ended, self._episodes.all_results(ended))
        return results
