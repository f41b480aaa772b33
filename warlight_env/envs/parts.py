"""Storage for games on many maps: each `MapPart` is an `EnvCore` with places for games on one map."""

from __future__ import annotations

import heapq
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
from warlight_env.envs.opponent_assignment import CoreOpponents, OpponentTable
from warlight_env.envs.step_many import MapGames, map_games
from warlight_env.errors import InputError
from warlight_env.maps import Map

#: The maximum number of maps that stay in memory although no game uses them.
_KEPT: Final = 256


class MapPart:
    """An `EnvCore` for C games on one map, each with L learners. The index of a game in the `EnvCore` is its place.

    `places` int64[C] contains the number, in the whole batch, of the game at each place; -1 marks an unused place.
    """

    def __init__(self, core: EnvCore, known_map: KnownMap, learners: int) -> None:
        self.core, self.known_map, self.players = core, known_map, CoreOpponents(core)
        self.index = -1  #: the index of this `MapPart` in `EnvParts.all`
        self.places = np.full(core.batch, -1, dtype=np.int64)
        #: The places that are not in use, a heap. New games take the first ones, so that games stay close in memory.
        self.unused = list(range(core.batch))
        self.learners = np.zeros((core.batch, learners), dtype=np.int8)  #: int8[C, L]: the learners' seats
        self._record: MapGames | None = None

    @property
    def stale(self) -> bool:
        """Whether `record` must be rebuilt, because the arrays or the settings of the `EnvCore` were replaced."""
        return self._record is None or self._record.games is not self.core.game_batch

    @property
    def record(self) -> MapGames:
        """The arguments of kernels as a NamedTuple of arrays, which is rebuilt after an array is replaced."""
        if self.stale:
            self._record = map_games(self.core, self.players.chosen, self.learners, self.places)
        assert self._record is not None
        return self._record

    @property
    def in_use(self) -> bool:
        """Whether at least one place of this `MapPart` is in use by a game."""
        return len(self.unused) < len(self.places)

    def first_unused(self, count: int) -> list[int]:
        """Return the first `count` unused places in ascending order, or all of them if there are fewer."""
        return self.unused[:1] if count == 1 else sorted(self.unused)[:count]

    def release_place(self, c: int) -> None:
        """Mark the place with index c, which is in use, as unused."""
        self.places[c] = -1
        heapq.heappush(self.unused, c)

    def assign_place(self, c: int, b: int) -> None:
        """Assign the first unused place, which has the index c, to the game with number b in the whole batch."""
        heapq.heappop(self.unused)
        self.places[c] = b

    def recount(self) -> None:
        """Compute `unused` from `places`, after `places` was changed without `release_place` and `assign_place`."""
        self.unused = np.flatnonzero(self.places < 0).tolist()  # in ascending order, so it is a heap


#: The location of a game: its `MapPart`, and its place there, an index of `MapPart.places`.
Place = tuple[MapPart, int]


@dataclass(eq=False)
class KnownMap:
    """A map, with the `MapPart` objects for its games. `index` is the map's row in the arrays of `EnvParts.boards`."""

    index: int
    parts: list[MapPart] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of places for games on this map, including unused places."""
        return sum(len(part.places) for part in self.parts)

    @property
    def in_use(self) -> bool:
        """Whether at least one game is on this map."""
        return any(part.in_use for part in self.parts)


class EnvParts:
    """The `MapPart` objects of B games, and the place of each game in its `MapPart`.

    Args:
        batch: B, the number of games.
        make: a function that makes an `EnvCore` for games on a map.
        learners: L, the number of learners in each game.
        show: a function that returns a dict of the arrays of a board that observations contain; None: no arrays.

    Attributes:
        where: the place of each game, or None if it has no place yet.
        index, place: int64[B], the same information for kernels: the index in `all` of the game's `MapPart`, and the
            game's place in this `MapPart`. The index and the place are -1 for a game without a place.
        map: int64[B], the row of each game's map in the arrays of `boards`.
        boards: a dict of arrays [K, …] that contain the results of `show` for K maps, one row for each map.
        sizes: int64[K, 2], the numbers of regions and directed edges of each map.
        lineup: the opponents in all `MapPart` objects.
    """

    def __init__(
        self, batch: int, make: Callable[[Map], EnvCore], learners: int,
        show: Callable[[Board], dict[str, npt.NDArray[Any]]] | None = None,
    ) -> None:  # fmt: skip
        self._make, self._learners, self._show = make, learners, show
        self._known_maps: OrderedDict[str, KnownMap] = OrderedDict()
        self.boards: dict[str, npt.NDArray[Any]] = {}
        self.sizes = np.zeros((0, 2), dtype=np.int64)
        self._unused: list[int] = []
        self.all: list[MapPart] = []
        self.where: list[Place | None] = [None] * batch
        self.index, self.place = np.full(batch, -1, dtype=np.int64), np.full(batch, -1, dtype=np.int64)
        self.map = np.zeros(batch, dtype=np.int64)
        self.lineup = OpponentTable(0)
        self._addresses: Any = []
        self._changed = True  # whether the list `all` has changed since the last call of `update_parts`
        self._active_parts: list[MapPart] | None = None  # the `MapPart`s with games; None: compute it again

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled object; the addresses of its arrays are computed again at their next use."""
        self.__dict__.update(state)
        self._changed = True

    @property
    def addresses(self) -> Any:
        """The memory addresses of the attribute `record` of all `MapPart` objects, for kernels."""
        if self._changed:
            self.update_parts(())
        return self._addresses

    @property
    def games(self) -> tuple[Any, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The arguments with which kernels find all games: `addresses`, `index` and `place`."""
        return self.addresses, self.index, self.place

    def get_or_add_map(self, map_: Map) -> KnownMap:
        """Return the `KnownMap` of a map; add the map first if it is not stored yet."""
        key = map_.full_digest
        if key not in self._known_maps:
            self._first(self._make(map_))
        self._known_maps.move_to_end(key)
        return self._known_maps[key]

    def _first(self, core: EnvCore) -> KnownMap:
        """Store a new map with an `EnvCore` for its first games; return its `KnownMap`."""
        known_map = self._known_maps[core.map.full_digest] = KnownMap(self._note_board(core.board))
        self._add(MapPart(core, known_map, self._learners))
        return known_map

    def at(self, b: int) -> Place:
        """Return the place of game b; raise InputError if the game has not begun."""
        place = self.where[b]
        if place is None:
            raise InputError(f"game {b} has not begun; call reset()")
        return place

    def add_core(self, core: EnvCore) -> None:
        """Make a `MapPart` from an `EnvCore`, and assign each game b to the place with index b."""
        (part,) = self._first(core).parts
        for b in range(core.batch):
            self._put(b, (part, b))

    def move(self, maps: Sequence[Map], games: Sequence[int]) -> list[Place]:
        """Assign each game in `games` to its map in `maps`, and return the places of these games.

        A game that is already on its map keeps its place. A game that changes its map gets an unused place. Opponents
        that no longer play in any game of a `MapPart` are removed from this `MapPart`. If an error occurs, all games
        keep their places.
        """
        indices_by_map: dict[str, list[int]] = {}
        left_places: list[tuple[int, Place]] = []
        taken_places: list[tuple[int, Place]] = []
        try:
            for k, (b, map_) in enumerate(zip(games, maps, strict=True)):
                place, key = self.where[b], map_.full_digest
                if place is not None and place[0].known_map is self._known_maps.get(key):
                    self._known_maps.move_to_end(key)
                    continue
                indices_by_map.setdefault(key, []).append(k)
                if place is not None:
                    left_places.append((b, place))
                    place[0].release_place(place[1])
            for indices in indices_by_map.values():
                places = self._free(maps[indices[0]], len(indices))
                for k, place in zip(indices, places, strict=True):
                    taken_places.append((games[k], place))
                    self._put(games[k], place)
        except BaseException:
            self._active_parts = None
            for b, (part, c) in taken_places:
                part.places[c], self.where[b], self.index[b] = -1, None, -1
            for b, (part, c) in left_places:
                part.places[c] = b
                self._note_place(b, (part, c))
            for part in dict.fromkeys(part for _, (part, _) in (*taken_places, *left_places)):
                part.recount()
            raise
        for _, (part, c) in left_places:
            if part.places[c] < 0:
                part.players.chosen[c] = -1
        if indices_by_map:
            self._forget_idle()
        if left_places:
            parts = list(dict.fromkeys(part for _, (part, _) in left_places))
            for part in parts:
                has_games = part.in_use
                if not has_games:
                    self._active_parts = None
                part.players.forget_idle(has_games)
            if not self._changed:
                self.update_parts([part for part in parts if part.players.changed])
        return [place for b in games if (place := self.where[b]) is not None]

    def _put(self, b: int, place: Place) -> None:
        part, c = place
        if not part.in_use:
            self._active_parts = None
        part.assign_place(c, b)
        self._note_place(b, place)

    def _note_place(self, b: int, place: Place) -> None:
        """Store the place of game b."""
        part, c = place
        self.where[b], self.index[b], self.place[b], self.map[b] = place, part.index, c, part.known_map.index

    def _free(self, map_: Map, count: int) -> list[Place]:
        """Return `count` unused places for games on a map.

        If there are too few unused places, add a `MapPart` to the map.
        """
        known_map = self._known_maps.get(map_.full_digest)
        if known_map is None:
            core = self._make(map_)
            known_map = self._first(core if count == 1 else core.new_like(_size_for(count)))
        self._known_maps.move_to_end(map_.full_digest)
        places = _first_places(known_map, count)
        if len(places) < count:
            size = max(_size_for(count - len(places)), known_map.size // 4)
            self._add(MapPart(known_map.parts[0].core.new_like(size), known_map, self._learners))
            places = _first_places(known_map, count)
        return places

    def _note_board(self, board: Board) -> int:
        """Store the board arrays of a map in `boards` and `sizes`; return their row index."""
        shown, count = {} if self._show is None else self._show(board), len(self.sizes)
        arrays = {**shown, "": np.array([board.n_regions, board.n_edges])}
        if not self._unused:
            old_arrays = {**self.boards, "": self.sizes} if count else {}
            new_arrays = {name: np.zeros((2 * count + 4, *array.shape), array.dtype) for name, array in arrays.items()}
            for name, array in old_arrays.items():
                new_arrays[name][:count] = array
            self.sizes, self.boards = new_arrays.pop(""), new_arrays
            self._unused = list(range(count, 2 * count + 4))[::-1]
        row = self._unused.pop()
        self.sizes[row] = arrays.pop("")
        for name, array in arrays.items():
            self.boards[name][row] = array
        return row

    def _add(self, part: MapPart) -> None:
        part.index = len(self.all)
        part.known_map.parts.append(part)
        self.all.append(part)
        self._changed = True

    def _forget_idle(self) -> None:
        """If more than `_KEPT` stored maps have no game, remove the least recently used of these maps."""
        if len(self._known_maps) <= _KEPT:
            return
        idle = [key for key, known_map in self._known_maps.items() if not known_map.in_use]
        removed = [self._known_maps.pop(key) for key in idle[: max(0, len(idle) - _KEPT)]]
        if not removed:
            return
        self._unused += [known_map.index for known_map in removed]
        self.all = [part for part in self.all if part.known_map not in removed]
        for i, part in enumerate(self.all):
            part.index = i
            in_use = part.places >= 0
            self.index[part.places[in_use]] = i
        self._changed = True

    def update_parts(self, parts: Iterable[MapPart]) -> None:
        """Update the addresses and the opponents of the given `MapPart` objects.

        If a `MapPart` was added to the list `all` or removed from it, the method updates all objects in the list.
        """
        if self._changed:
            parts, count = self.all, len(self.all)
            self._addresses = [None] * count if JIT_DISABLED else np.zeros(count, np.int64)
            self.lineup, self._changed = OpponentTable(count), False
            for part in parts:
                part.players.changed = True
        for part in parts:
            self._addresses[part.index] = address_of(part.record)
            if part.players.changed:
                self.lineup.set_opponents(part.index, part.players)
                part.players.changed = False

    def refresh_addresses(self, parts: Iterable[MapPart]) -> None:
        """Update the addresses of the given `MapPart` objects after some of their arrays were replaced."""
        addresses = self.addresses
        for part in [part for part in parts if part.stale]:
            addresses[part.index] = address_of(part.record)

    def parts_in_use(self) -> list[MapPart]:
        """Return the `MapPart` objects that contain at least one game, and update the addresses of these objects."""
        if self._active_parts is None:
            self._active_parts = [part for part in self.all if part.in_use]
        self.refresh_addresses(self._active_parts)
        return self._active_parts

    def game_arguments(self, games: npt.NDArray[np.int64]) -> tuple[Any, npt.NDArray[np.int64]]:
        """Return the arguments with which kernels find the `games`: an address and a place for each game."""
        index, addresses = self.index[games], self.addresses
        return [addresses[i] for i in index] if JIT_DISABLED else addresses[index], self.place[games]


def _first_places(known_map: KnownMap, count: int) -> list[Place]:
    """Return the first `count` unused places for games on a map, or all of them if there are fewer."""
    places: list[Place] = []
    for part in known_map.parts:
        if len(places) == count:
            break
        places += [(part, c) for c in part.first_unused(count - len(places))]
    return places


def _size_for(count: int) -> int:
    """Return the number of places of a new `MapPart` for `count` games. The number of games on a map varies later."""
    return count + 3 * math.isqrt(count) + 2
