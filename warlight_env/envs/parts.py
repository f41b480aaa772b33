"""Where games are kept: parts, each some games on one map, whose places games take and leave."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.engine.board import Board
from warlight_env.engine.jit import JIT_DISABLED
from warlight_env.engine.reference import address_of
from warlight_env.envs.core import EnvCore
from warlight_env.envs.players import Lineup, Players
from warlight_env.envs.step_many import MapGames, map_games
from warlight_env.errors import InputError
from warlight_env.maps import Map

#: Maps that are kept beside those that are played on.
_KEPT: Final = 256


class Part:
    """Some games on a map; `places` int64[C] says the number of each in the whole batch, or -1: nobody plays it."""

    def __init__(self, core: EnvCore, known: KnownMap) -> None:
        self.core, self.known, self.players = core, known, Players(core)
        self.index = -1  #: among all parts
        self.places = np.full(core.batch, -1, dtype=np.int64)
        self.learner = np.zeros(core.batch, dtype=np.int8)  #: int8[C]: the learner's seat in each game
        self.free = dict.fromkeys(range(core.batch))  #: places, of which the last are taken last
        self._record: MapGames | None = None

    @property
    def stale(self) -> bool:
        """Whether the core has other buffers or settings than those that kernels know."""
        return self._record is None or self._record.games is not self.core.game_batch

    @property
    def record(self) -> MapGames:
        """What kernels get; another one where it was stale."""
        if self.stale:
            self._record = map_games(self.core, self.players.chosen, self.learner, self.places)
        assert self._record is not None
        return self._record

    @property
    def played(self) -> bool:
        """Whether anybody plays here."""
        return len(self.free) < len(self.places)

    def leave(self, c: int) -> None:
        """A game that nobody plays any more."""
        self.places[c] = -1
        self.free[c] = None

    def take(self, c: int, b: int) -> None:
        """Have game b of the whole batch played here."""
        self.places[c] = b
        del self.free[c]


#: Where a game is played: a part, and its number there.
Place = tuple[Part, int]


@dataclass(eq=False)
class KnownMap:
    """A map with its parts, the first of which others are made by; and where what all its games show lies."""

    index: int
    parts: list[Part] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many games there is room for."""
        return sum(len(part.places) for part in self.parts)

    @property
    def played(self) -> bool:
        """Whether anybody plays on it."""
        return any(part.played for part in self.parts)


class Parts:
    """All parts of B games.

    Args:
        batch: B.
        make: gives a core for games on a map.
        show: what all games on a board show, by its name in observations.

    Attributes:
        where: where each game is played; None: nowhere yet. index, place: int64[B], the same for kernels, or -1.
        map: int64[B], the number of each game's map in `boards`.
        boards: what games show by `show`, of all maps [K, …]; sizes: regions and directed edges, int64[K, 2].
        lineup: who plays in the parts.
    """

    def __init__(
        self, batch: int, make: Callable[[Map], EnvCore], show: Callable[[Board], dict[str, npt.NDArray[Any]]]
    ) -> None:  # fmt: skip
        self._make, self._show = make, show
        self._known: OrderedDict[str, KnownMap] = OrderedDict()
        self.boards: dict[str, npt.NDArray[Any]] = {}
        self.sizes = np.zeros((0, 2), dtype=np.int64)
        self._unused: list[int] = []
        self.all: list[Part] = []
        self.where: list[Place | None] = [None] * batch
        self.index, self.place = np.full(batch, -1, dtype=np.int64), np.full(batch, -1, dtype=np.int64)
        self.map = np.zeros(batch, dtype=np.int64)
        self.lineup = Lineup(0)
        self._addresses: Any = []
        self._changed = True  # whether `all` is another list than the one that was noted
        self._played: list[Part] | None = None  # None: not known since games have moved

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy's games stand elsewhere in memory."""
        self.__dict__.update(state)
        self._changed = True

    @property
    def addresses(self) -> Any:
        """Of the records of all parts."""
        if self._changed:
            self.note(())
        return self._addresses

    @property
    def games(self) -> tuple[Any, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """All games as kernels find them: the addresses of the parts, and `index` and `place`."""
        return self.addresses, self.index, self.place

    def of(self, map_: Map) -> KnownMap:
        """What is known of a map."""
        key = map_.digest()
        if key not in self._known:
            self._first(self._make(map_))
        self._known.move_to_end(key)
        return self._known[key]

    def _first(self, core: EnvCore) -> Part:
        """The first part on a map."""
        known = self._known[core.map.digest()] = KnownMap(self._note_board(core.board))
        part = Part(core, known)
        self._add(part)
        return part

    def at(self, b: int) -> Place:
        """Where game b is played."""
        place = self.where[b]
        if place is None:
            raise InputError(f"game {b}: it has not begun")
        return place

    def settle(self, core: EnvCore) -> None:
        """Have all games played by this core, in its order."""
        part = self._first(core)
        for b in range(core.batch):
            self._put(b, (part, b))

    def move(self, maps: Sequence[Map], which: Sequence[int]) -> list[Place]:
        """Have the games `which` played on these maps: where they are, if that is such a map, else at a free place.

        What raises moves none.
        """
        of_map: dict[str, list[int]] = {}
        left: list[tuple[int, Place]] = []
        for k, (b, map_) in enumerate(zip(which, maps, strict=True)):
            place, key = self.where[b], map_.digest()
            if place is not None and place[0].known is self._known.get(key):
                self._known.move_to_end(key)
                continue
            of_map.setdefault(key, []).append(k)
            if place is not None:
                left.append((b, place))
                place[0].leave(place[1])
        taken: list[tuple[int, Place]] = []
        try:
            for chosen in of_map.values():
                found = self._free(maps[chosen[0]], len(chosen))
                for k, place in zip(chosen, found, strict=True):
                    self._put(which[k], place)
                    taken.append((which[k], place))
        except BaseException:
            for b, (part, c) in taken:
                part.leave(c)
                self.where[b], self.index[b] = None, -1
            for b, place in left:
                self._put(b, place)
            raise
        for _, (part, c) in left:
            if part.places[c] < 0:
                part.players.chosen[c] = -1
        if of_map:
            self._forget_idle()
        return [place for b in which if (place := self.where[b]) is not None]

    def _put(self, b: int, place: Place) -> None:
        part, c = place
        part.take(c, b)
        self._played = None
        self.where[b], self.index[b], self.place[b], self.map[b] = place, part.index, c, part.known.index

    def _free(self, map_: Map, count: int) -> list[Place]:
        """Places for so many games on a map, in as few parts as can be."""
        known = self.of(map_)
        missing = count - sum(len(part.free) for part in known.parts)
        if missing > 0:
            # How many games a map has goes up and down.
            size = max(missing + 3 * math.isqrt(missing) + 2, known.size // 4)
            self._add(Part(known.parts[0].core.another(size), known))
        places = ((part, c) for part in known.parts for c in part.free)
        return [place for place, _ in zip(places, range(count), strict=False)]

    def _note_board(self, board: Board) -> int:
        """Note what the games of a map show; returns where."""
        arrays, count = {**self._show(board), "": np.array([board.n_regions, board.n_edges])}, len(self.sizes)
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

    def _add(self, part: Part) -> None:
        part.index = len(self.all)
        part.known.parts.append(part)
        self.all.append(part)
        self._changed = True

    def _forget_idle(self) -> None:
        """Let go of the maps that were wanted longest ago, where there are many, and nobody plays on them."""
        if len(self._known) <= _KEPT:
            return
        idle = [key for key, known in self._known.items() if not known.played]
        gone = [self._known.pop(key) for key in idle[: max(0, len(idle) - _KEPT)]]
        if not gone:
            return
        self._unused += [known.index for known in gone]
        self.all = [part for part in self.all if part.known not in gone]
        for i, part in enumerate(self.all):
            part.index = i
            played = part.places >= 0
            self.index[part.places[played]] = i
        self._changed = True

    def note(self, parts: Iterable[Part]) -> None:
        """Games have begun in these parts; where there are other parts than before, all are noted anew."""
        if self._changed:
            parts, count = self.all, len(self.all)
            self._addresses = [None] * count if JIT_DISABLED else np.zeros(count, np.int64)
            self.lineup, self._changed = Lineup(count), False
            for part in parts:
                part.players.changed = True
        for part in parts:
            self._addresses[part.index] = address_of(part.record)
            if part.players.changed:
                self.lineup.note(part.index, part.players)
                part.players.changed = False

    def renew(self, parts: Iterable[Part]) -> None:
        """Update the addresses of these parts."""
        addresses = self.addresses
        for part in parts:
            if part.stale:
                addresses[part.index] = address_of(part.record)

    def played(self) -> list[Part]:
        """The parts with games; their addresses are up to date."""
        if self._played is None:
            self._played = [part for part in self.all if part.played]
        self.renew(self._played)
        return self._played

    def some(self, which: Sequence[int]) -> tuple[Any, npt.NDArray[np.int64]]:
        """The games `which` as kernels find them: the addresses of their parts, and their places in these."""
        index, addresses = self.index[which], self.addresses
        return [addresses[i] for i in index] if JIT_DISABLED else addresses[index], self.place[which]


__all__ = ["KnownMap", "Part", "Parts", "Place"]
