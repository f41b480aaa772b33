"""Where games on many maps are kept: parts, each some games on one map, whose places games take and leave."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from warlight_env.engine.jit import JIT_DISABLED
from warlight_env.engine.reference import address_of
from warlight_env.envs.episodes import Episodes
from warlight_env.envs.padding import Padding
from warlight_env.envs.step_many import MapGames, map_games, seat_some
from warlight_env.maps import Map

#: Maps that are kept beside those that are played on.
_KEPT: Final = 256


class MapPart:
    """Some games on a map; `places` int64[C] says the number of each in the whole batch, or -1: nobody plays it."""

    def __init__(self, episodes: Episodes, known: KnownMap) -> None:
        self.episodes, self.known, self.index = episodes, known, -1
        self.places = np.full(episodes.batch, -1, dtype=np.int64)
        self.free = list(range(episodes.batch))[::-1]
        self._record: MapGames | None = None

    @property
    def record(self) -> MapGames:
        """What kernels get; another one where the core has other buffers by now."""
        core = self.episodes.core
        if self._record is None or self._record.out is not core.out:
            self._record = map_games(
                core, self.episodes.chosen, self.episodes.learner, self.episodes.seeds, self.places
            )
        return self._record

    @property
    def by_hand(self) -> bool:
        """Whether rounds are not the kernels' alone: somebody takes views, or is paid by a user's function."""
        return self.episodes.core.own_reward is not None or self.episodes.core.remembers

    @property
    def played(self) -> bool:
        """Whether anybody plays here."""
        return len(self.free) < len(self.places)

    def leave(self, c: int) -> None:
        """A game that nobody plays any more."""
        self.places[c] = -1
        self.free.append(c)

    def come_back(self, c: int, b: int) -> None:
        """Play a game on that was left, number b in the whole batch; nothing has begun in its place."""
        self.places[c] = b
        self.free.remove(c)


class JointSeating:
    """Games in which nobody but kernels plays against the learner: they are seated together."""

    def __init__(self) -> None:
        self._parts: list[Any] = []
        self._places: list[int] = []
        self._seeds: list[int] = []
        self._numbers: list[list[int]] = []

    def add(self, part: MapPart, seeds: list[int], places: list[int], numbers: list[int]) -> None:
        """Games of a part, with the bots that have these numbers there."""
        self._parts += [address_of(part.record)] * len(places)
        self._places += places
        self._seeds += seeds
        self._numbers += [numbers] * len(places)

    def seat(self, learner: int | Literal["random"]) -> None:
        """Write who plays where, and their dice."""
        if not self._parts:
            return
        parts = self._parts if JIT_DISABLED else np.array(self._parts, dtype=np.int64)
        places, seeds = np.array(self._places, dtype=np.int64), np.array(self._seeds, dtype=np.uint64)
        numbers = np.array(self._numbers, dtype=np.int16)
        seat_some(parts, places, seeds, numbers, -1 if learner == "random" else int(learner))


@dataclass(eq=False)
class KnownMap:
    """A map with its parts, the first of which others are made by; and where what all its games show lies."""

    index: int
    parts: list[MapPart] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many games there is room for."""
        return sum(len(part.places) for part in self.parts)

    @property
    def played(self) -> bool:
        """Whether anybody plays on it."""
        return any(part.played for part in self.parts)


class PartsOfMaps:
    """All parts.

    Args:
        make: gives games on a map, one of them.
        padding: for what all games of a map show.

    Attributes:
        boards: that of all maps, by its name in observations [K, …]; sizes: regions and directed edges, int64[K, 2].
    """

    def __init__(self, make: Callable[[Map], Episodes], padding: Padding) -> None:
        self._make, self._padding = make, padding
        self._known: OrderedDict[str, KnownMap] = OrderedDict()
        self.boards: dict[str, npt.NDArray[Any]] = {}
        self.sizes = np.zeros((0, 2), dtype=np.int64)
        self._old: list[KnownMap] = []  # that no game begins on any more
        self._unused: list[int] = []
        self.all: list[MapPart] = []
        self.changed = False  #: whether `all` is another list than when somebody said False here

    def of(self, map_: Map) -> KnownMap:
        """What is known of a map."""
        key = map_.digest()
        if key not in self._known:
            first = self._make(map_)
            known = self._known[key] = KnownMap(self._show(first))
            known.parts.append(MapPart(first, known))
            self._add(known.parts[0])
        self._known.move_to_end(key)
        return self._known[key]

    def take(self, map_: Map, count: int, opponent: Any) -> list[tuple[MapPart, int]]:
        """Places for so many games on a map, and against whom; in as few parts as can be.

        What raises takes none.
        """
        known = self.of(map_)
        missing = count - sum(len(part.free) for part in known.parts)
        if missing > 0:
            # How many games a map has goes up and down.
            size = max(missing + 3 * math.isqrt(missing) + 2, known.size // 4)
            part = MapPart(known.parts[0].episodes.another(size), known)
            known.parts.append(part)
            self._add(part)
        taken: list[tuple[MapPart, int]] = []
        for part in known.parts:
            taken += [(part, part.free.pop()) for _ in range(min(len(part.free), count - len(taken)))]
        for part in {id(part): part for part, _ in taken}.values():
            if part.episodes.opponent is not opponent:
                part.episodes.set_opponent(opponent)
        return taken

    def some(self) -> Episodes | None:
        """Games of some map as they are made now, if there are any."""
        return next((known.parts[0].episodes for known in self._known.values()), None)

    def forget(self) -> None:
        """Make games anew from now on; those that are played go on, and are let go of with their ends."""
        self._old += self._known.values()
        self._known.clear()
        self.forget_idle()

    def _show(self, episodes: Episodes) -> int:
        """Note what the games of a map show; returns where."""
        board, count = episodes.core.board, len(self.sizes)
        arrays = {**self._padding.board_arrays(board), "": np.array([board.n_regions, board.n_edges])}
        if not self._unused:
            known = {**self.boards, "": self.sizes} if count else {}
            more = {name: np.zeros((2 * count + 4, *array.shape), array.dtype) for name, array in arrays.items()}
            for name, array in known.items():
                more[name][:count] = array
            self.sizes, self.boards = more.pop(""), more
            self._unused = list(range(count, 2 * count + 4))[::-1]
        at = self._unused.pop()
        self.sizes[at] = arrays.pop("")
        for name, array in arrays.items():
            self.boards[name][at] = array
        return at

    def _add(self, part: MapPart) -> None:
        self.all.append(part)
        self._number()

    def _number(self) -> None:
        for i, part in enumerate(self.all):
            part.index = i
        self.changed = True

    def forget_idle(self) -> None:
        """Let go of the maps that were wanted longest ago, where there are many, and of old ones, where nobody plays on
        them; not while places are taken that nobody is written into yet."""
        idle = [key for key, known in self._known.items() if not known.played]
        gone = [self._known.pop(key) for key in idle[: max(0, len(idle) - _KEPT)]]
        gone += [known for known in self._old if not known.played]
        if gone:
            self._old = [known for known in self._old if known.played]
            self._unused += [known.index for known in gone]
            self.all = [part for part in self.all if part.known not in gone]
            self._number()
