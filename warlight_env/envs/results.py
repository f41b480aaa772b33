"""The results of a step: rewards, ends of episodes and infos of the learners in a batch of games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warlight_env.envs.parts import EnvParts
from warlight_env.envs.step_many import NUMBERS, write_learner_results

Flags = npt.NDArray[np.bool_]
#: The type of a selection of games, an index of arrays [B].
SomeGames = slice | npt.NDArray[np.int64]


class StepResults(NamedTuple):
    """The results of a step for one learner of each of M games. All arrays have the shape [M].

    Attributes:
        infos: a dict with the entries illegal, income, round, phase and is_success of Gymnasium's infos.
    """

    reward: npt.NDArray[np.float64]
    terminated: Flags
    truncated: Flags
    infos: dict[str, npt.NDArray[Any]]


class BatchResults(NamedTuple):
    """The results of a step for the L learners of M games.

    Attributes:
        infos: a dict with the entries illegal, income, round, phase and is_success, arrays [L, M].
        live: bool[M, L], whether the learner's episode continues.
        ended: the indices of the games without a live learner, in ascending order.
    """

    reward: npt.NDArray[np.float64]  #: [L, M]
    terminated: Flags  #: [L, M]
    truncated: Flags  #: [L, M]
    infos: dict[str, npt.NDArray[Any]]
    live: Flags
    ended: npt.NDArray[np.int64]

    def for_learner(self, learner: int) -> StepResults:
        """Return the results of one learner, as views of the arrays."""
        infos = {name: values[learner] for name, values in self.infos.items()}
        return StepResults(self.reward[learner], self.terminated[learner], self.truncated[learner], infos)

    def show_new(self, games: npt.NDArray[np.int64], new: BatchResults) -> None:
        """Replace the infos of the given games by the infos of the new games that have begun in their place."""
        for name, values in new.infos.items():
            self.infos[name][:, games] = values


def batch_results(
    parts: EnvParts, learners: int, games: SomeGames = slice(None), before: Flags | None = None
) -> BatchResults:  # fmt: skip
    """Return the results of the last step for all learners of the selected games, in new arrays.

    before: bool[M, L], False for a learner whose episode had ended before the step; this learner has reward 0, and is
        neither terminated nor truncated. None: all learners took part in the step.
    """
    addresses, index, place = parts.games
    index, place = index[games], place[games]
    count = len(index)
    before = np.ones((count, learners), dtype=np.bool_) if before is None else before
    reward, flags = np.empty((learners, count)), np.empty((3, learners, count), dtype=np.bool_)
    numbers = np.empty((len(NUMBERS), learners, count), dtype=np.int64)
    live, ended = np.empty((count, learners), dtype=np.bool_), np.empty(count, dtype=np.int64)
    n_ended = write_learner_results(addresses, index, place, before, reward, flags, numbers, live, ended)
    infos: dict[str, npt.NDArray[Any]] = dict(zip(NUMBERS, numbers, strict=True))
    infos["is_success"] = flags[2]
    return BatchResults(reward, flags[0], flags[1], infos, live, ended[:n_ended])


def info_rows(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Convert the infos of M games, a mapping from names to M values each, to a list of info dicts, one for each game.

    The integers are NumPy scalars, because some libraries read their attribute dtype. `is_success` is a plain bool,
    because Gymnasium's SyncVectorEnv makes an object array of NumPy's bools.
    """
    converted = {**columns, "is_success": columns["is_success"].tolist()}
    return [dict(zip(converted, row, strict=True)) for row in zip(*converted.values(), strict=True)]
