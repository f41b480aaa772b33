"""`SavesGames`: the methods `get_state`, `set_state` and `clone` of environments that have `Episodes`."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from warlight_env.envs.core import EnvCore
from warlight_env.envs.episodes import Episodes
from warlight_env.envs.opponents import OpponentPool
from warlight_env.errors import InputError
from warlight_env.thread_ownership import UseLock


@dataclass(frozen=True, eq=False)
class SavedGames:
    """A saved state from the method `get_state` of an environment, an independent copy of its games.

    The state consists of the games, their opponents and all random generators. A `SavedGames` object can be pickled;
    load the pickle with the same version of the package.
    """

    values: dict[str, Any]


class SavesGames:
    """The methods `get_state`, `set_state` and `clone`; a base class of environments.

    `saved_attributes` names the attributes that change in `reset` and `step`; one of them is `episodes`.
    """

    saved_attributes: ClassVar[tuple[str, ...]]
    episodes: Episodes

    def get_state(self) -> SavedGames:
        """Return a copy of all data that determine the current and the next games; `set_state` restores them.

        The data are the positions, submitted turns, the opponents with their memory, and the random generators of
        dice, opponents and seeds. Policies and pools of opponents are not copied. An agent in Python is copied with
        `copy.deepcopy`, which may raise an exception.
        """
        return SavedGames(_copied(self.episodes, {name: getattr(self, name) for name in self.saved_attributes}))

    def set_state(self, state: SavedGames) -> None:
        """Restore a saved state of this environment, or of another environment with equal arguments.

        The next games have the opponents that were set when the state was saved. Raises InputError for an object of
        another type, and for a state of an environment with other arguments. After an InputError, the environment is
        unchanged.
        """
        if not isinstance(state, SavedGames) or set(state.values) != set(self.saved_attributes):
            raise InputError(f"a saved state must be a result of `get_state`, not {type(state).__name__}")
        saved = state.values["episodes"]
        if not isinstance(saved, Episodes) or saved.kind != self.episodes.kind:
            raise InputError("the saved state belongs to an environment with other arguments")
        self.__dict__.update(_copied(saved, state.values))

    def clone(self) -> Self:
        """Return an independent copy of the environment, with copies of the random generators.

        Equal actions give equal games in both environments. The copy and the original share constant data, policies and
        pools of opponents.
        """
        clone = type(self).__new__(type(self))
        clone.__dict__.update(self.__dict__)
        clone.__dict__["_in_use"] = UseLock()
        clone.__dict__.update(self.get_state().values)
        return clone


def _copied(episodes: Episodes, values: dict[str, Any]) -> dict[str, Any]:
    """Return a deep copy of attributes of an environment; the copy shares constant objects with the environment."""
    memo: dict[int, Any] = {id(each): each for each in _shared(episodes)}
    return copy.deepcopy(values, memo)


def _shared(episodes: Episodes) -> Iterator[Any]:
    """Yield the objects that copies of `episodes` share: constants, policies and pools of opponents."""
    yield from (episodes.form, episodes.observation_space, episodes.action_space)
    for part in episodes.parts:
        core: EnvCore = part.core
        yield from (
            core.map, core.board, core.bits, core.params, core.rules, core.encoding, core.features, core.context,
            core.bots_context, core.custom_reward, core.custom_observation,
        )  # fmt: skip
        yield from (playing.opponent for playing in part.players.playing())
    for slot in episodes.slots:
        yield slot
        if isinstance(slot, OpponentPool):
            yield from slot.members
