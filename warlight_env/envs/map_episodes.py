"""`MapEpisodes`: a batch of games of one learner each, every one on another map, stepped by a few kernel calls."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding

from warlight_env.engine.jit import JIT_DISABLED, address
from warlight_env.engine.reference import address_of, reference
from warlight_env.envs.actions.base import integers
from warlight_env.envs.actions.continuous import scores_of
from warlight_env.envs.actions.kernels import mask_pointer, no_mask, submit_pointer
from warlight_env.envs.core import ActionError, EnvCore
from warlight_env.envs.episodes import NO_OPTIONS, Episodes
from warlight_env.envs.map_sets import GeneratedMaps, MapLike, MapRoom, edges_of, map_set
from warlight_env.envs.opponents import BotOpponent, Opponent, make_slots
from warlight_env.envs.padding import DEPLOYS, SENDS, Padding
from warlight_env.envs.policy_settings import PolicySettings, told_action
from warlight_env.envs.reset_options import ResetOptions, read_options
from warlight_env.envs.seeds import draw_seed
from warlight_env.envs.step_many import (
    NUMBERS,
    Padded,
    gather_many,
    hand_in_many,
    map_game,
    move_many,
    resolve_many,
)
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps import Map

#: What stands for several maps.
MapsLike = MapLike | Sequence[MapLike] | Mapping[Any, float] | GeneratedMaps
#: Maps whose games are kept beside those that are played.
_KEPT: Final = 256


class Beginning(NamedTuple):
    """What decides a game."""

    map: Map
    seed: int


@dataclass
class _KnownMap:
    """Games of a map: those that wait, and one by which others are made."""

    first: Episodes
    waiting: list[Episodes] = field(default_factory=list)


class MapEpisodes:
    """B games of one learner each, every one on a map of a set, in spaces of one size; see `WarlightMapsEnv`.

    To fronts it is what `Episodes` are. Every game has a core of its own, of batch one: arrays have the sizes of their
    map, and kernels go from one to the next.

    Args:
        map: see `WarlightMapsEnv`. room: for how many regions and edges; None: as the set needs.
        settings: others of `Episodes`.
        batch: B.
    """

    def __init__(
        self,
        map: MapsLike = ("small", "world"),
        *,
        room: MapRoom | tuple[int, int] | None = None,
        action: Literal["factored", "continuous", "strategies", "steps"] = "factored",
        mask: Literal["observation", "info"] = "info",
        opponent: Any = "random",
        batch: int = 1,
        **settings: Any,
    ) -> None:
        if mask not in ("observation", "info"):
            raise InputError(f"mask = {mask!r:.80}: must be observation or info")
        if "observation" in settings:
            raise InputError("observation: many maps have one form, see WarlightMapsEnv")
        if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
            raise InputError(f"batch = {batch!r:.80}: must be an integer from 1 up")
        self._maps = map_set(map)
        self.padding = Padding(self._maps.room if room is None else MapRoom(*room), action)
        self._check_room()
        self.batch, self.mask, self._settings = batch, mask, {**settings, "action": action, "observation": "graph"}
        self._slots = make_slots(opponent, settings.get("players", 2) - 1)
        self._max_cycles: int | None = None
        self._known: OrderedDict[str, _KnownMap] = OrderedDict()
        self._keys: list[str] = [""] * batch
        self._set_up(self._new(self._maps.draw(np.random.default_rng(0))))

    def _set_up(self, some: Episodes) -> None:
        """Spaces and arrays, which a game of any of the maps has alike."""
        core, padding, batch = some.core, self.padding, self.batch
        self.action_space = padding.action_space(core.encoding.space)
        self.observation_space = padding.observation_space(some.observation_space, self.mask == "observation")
        self.mask_size = padding.mask_size
        shape = self.observation_space["nodes"].shape, self.observation_space["globals"].shape
        assert shape[0] is not None and shape[1] is not None
        self._padded: Padded = reference(
            Padded(
                nodes=np.zeros((batch, *shape[0]), np.float32), overall=np.zeros((batch, *shape[1]), np.float32),
                mask=np.zeros((batch, self.mask_size), np.int8), reward=np.zeros(batch),
                terminated=np.zeros(batch, np.bool_), truncated=np.zeros(batch, np.bool_),
                numbers=np.zeros((batch, len(NUMBERS)), np.int64),
            )
        )  # fmt: skip
        of_board = padding.board_arrays(core.board)
        self._boards = {name: np.zeros((batch, *array.shape), array.dtype) for name, array in of_board.items()}
        self._submit = address(submit_pointer(core.encoding.submit))
        self._write_mask = address(mask_pointer(core.encoding.write_mask or no_mask))
        self._games: list[Episodes | None] = [None] * batch
        self._records: list[Any] = [None] * batch
        self._addresses: Any = [None] * batch if JIT_DISABLED else np.zeros(batch, np.int64)
        self._rows = np.zeros((batch, sum(padding.room)), np.int64)
        self._begun = False
        self._sizes = np.zeros((batch, 2), np.int64)
        #: Games that Python resolves: somebody there takes views, or is paid by a function of a user's.
        self._by_hand = np.zeros(batch, np.bool_)
        #: Bots that are kernels, and their number in each game's `chosen`, or -1; who else plays where.
        self._bots: dict[BotOpponent, npt.NDArray[np.int16]] = {}
        self._others: dict[int, list[tuple[int, Opponent, Any]]] = {}
        self._all = np.arange(batch)

    # Maps

    def _check_room(self) -> None:
        wanted, room = self._maps.room, self.padding.room
        if wanted.regions > room.regions or wanted.edges > room.edges:
            raise InputError(
                f"maps of {wanted.regions} regions and {wanted.edges} directed edges: there is room for {room.regions} "
                f"and {room.edges}; say room=({wanted.regions}, {wanted.edges}) from the start"
            )

    def set_maps(self, map: MapsLike) -> None:
        """Draw from other maps from the next games on; InputError, with nothing changed, for what has no room."""
        before, self._maps = self._maps, map_set(map)
        try:
            self._check_room()
        except InputError:
            self._maps = before
            raise

    def map_of(self, b: int) -> Map:
        """Of game b."""
        return self.core_of(b).map

    def core_of(self, b: int) -> EnvCore:
        """The core of game b, a batch of one."""
        return self._game(b).core

    def _game(self, b: int) -> Episodes:
        game = self._games[b]
        if game is None:
            raise InputError(f"game {b}: it has not begun")
        return game

    def _new(self, map_: Map) -> Episodes:
        made = Episodes(map_, opponent=self._slots, **self._settings)
        if self._max_cycles is not None:
            made.limit_cycles(self._max_cycles)
        return made

    def _some_map(self) -> Map:
        return self._maps.draw(np.random.default_rng(0))

    def _known_map(self, map_: Map) -> _KnownMap:
        key = map_.digest()
        if key not in self._known:
            self._known[key] = _KnownMap(self._new(map_))
        return self._known[key]

    def _take(self, map_: Map, b: int) -> Episodes:
        """A game on a map that nobody plays; the one that was played in place b waits for the next on its map."""
        before, key = self._games[b], map_.digest()
        if before is not None and self._keys[b] in self._known:
            self._known[self._keys[b]].waiting.append(before)
        known, self._keys[b] = self._known_map(map_), key
        self._known.move_to_end(key)
        while len(self._known) > _KEPT + self.batch:
            self._known.popitem(last=False)
        taken = known.waiting.pop() if known.waiting else known.first.another()
        taken.set_opponent(self._slots)
        return taken

    # Opponents

    def set_opponent(self, opponent: Any) -> None:
        """Who plays from the next games on; those that have begun are finished by whom they were begun with."""
        self._slots = make_slots(opponent, self._settings.get("players", 2) - 1)

    def opponents(self, b: int) -> tuple[Opponent, ...]:
        """Who plays against the learner in game b, by seat."""
        return self._game(b).opponents(0)

    def _enter(self, b: int, game: Episodes) -> None:
        """Note a game that begins in place b."""
        core, board = game.core, game.core.board
        record = self._records[b]
        if self._games[b] is not game or record is None or record.out is not core.out:
            one = np.zeros(1, np.int64)
            columns = self.padding.own_columns(board) if core.row_size > 1 else one
            self._records[b] = map_game(core, columns, game.chosen, game.learner)
            self._addresses[b] = address_of(self._records[b])
            for name, array in self.padding.board_arrays(board).items():
                self._boards[name][b] = array
            self._padded.nodes[b], self._padded.mask[b] = 0.0, self.padding.blank_mask()
            self._sizes[b] = board.n_regions, board.n_edges
        self._games[b] = game
        self._by_hand[b] = core.own_reward is not None or core.remembers
        for places in self._bots.values():
            places[b] = -1
        others = []
        for i, opponent, memory in game.playing():
            if isinstance(opponent, BotOpponent):
                places = self._bots.setdefault(opponent, np.full(self.batch, -1, np.int16))
                places[b] = i
            else:
                others.append((i, opponent, memory))
        self._others.pop(b, None)
        if others:
            self._others[b] = others

    # Playing

    def limit_cycles(self, count: int) -> None:
        """Truncate games that begin from now on after so many steps, if that was not sooner."""
        self._max_cycles = count if self._max_cycles is None else min(count, self._max_cycles)
        self._known.clear()

    def read_options(self, options: Mapping[str, Any] | None, known: Collection[str]) -> ResetOptions:
        """See `reset_options.read_options`; ``map`` may be named, too, and a `Game` to start from has its own.

        Raises:
            InputError: one is not known, makes no sense, or the map has no room.
        """
        more = dict(options or {})
        told = more.pop("map") if "map" in more else None
        if told is None and isinstance(more.get("start"), Game):
            told = more["start"].map
        if told is None:
            some = next(iter(self._known.values()), None)
            return read_options((some.first if some else self._new(self._some_map())).core, more, (*known, "map"))
        chosen, room = map_set(told).draw(np.random.default_rng(0)), self.padding.room
        if not room.holds(chosen):
            raise InputError(
                f"option 'map': {len(chosen.regions)} regions and {edges_of(chosen)} directed edges; there is room for "
                f"{room.regions} and {room.edges}"
            )
        read = read_options(self._known_map(chosen).first.core, more, (*known, "map"))
        return read._replace(map=chosen)

    def draw(self, stream: np.random.Generator, options: ResetOptions = NO_OPTIONS) -> Beginning:
        """What decides the next game of an environment with this stream: its map, unless that was chosen, and seed."""
        chosen = self._maps.draw(stream) if options.map is None else options.map
        return Beginning(chosen, draw_seed(seeding.np_random(draw_seed(stream))[0]))

    def reset(
        self, beginnings: Sequence[Beginning], which: Sequence[int], options: ResetOptions = NO_OPTIONS
    ) -> None:  # fmt: skip
        """Begin the games `which`, each as it was drawn."""
        for beginning, b in zip(beginnings, which, strict=True):
            game = self._take(beginning.map, b)
            game.reset([beginning.seed], [0], options)
            self._enter(b, game)
        self._begun = self._begun or None not in self._games
        self._gather(np.asarray(which, dtype=np.int64))

    def step(self, actions: Any, acting: npt.NDArray[np.bool_] | None = None) -> None:
        """Step the games with the learners' actions, or those with acting bool[B]; `reward` and so on tell the rest.

        Raises ValueError, with nothing stepped, for actions that are none, and whatever an opponent or a reward of
        one's own raises, with nothing stepped either.
        """
        if not self._begun:
            raise ValueError("not all games have begun; call reset()")
        moves = np.ones(self.batch, np.int8) if acting is None else acting.astype(np.int8)
        rows, dropped = self._read(actions, moves != 0)
        by_hand = np.flatnonzero(self._by_hand).tolist()
        undo = [
            (core := self.core_of(b), core.save_turns(), core.snapshot() if core.own_reward is not None else None)
            for b in (range(self.batch) if by_hand or self._others else ())
        ]  # fmt: skip
        counts = self.padding.action == "factored"
        bad = hand_in_many(self._submit, self._addresses, moves, rows, counts, dropped)
        if bad >= 0:
            raise ActionError(int(bad), int(self._game(bad).learner[0]), "out of the limits of its map")
        try:
            for bot, places in self._bots.items():
                policy, pick = bot.kernels
                move_many(address(policy), address(pick), self._addresses, places)
            for b, others in sorted(self._others.items()):
                for i, opponent, memory in others:
                    game = self._game(b)
                    opponent.move(memory, game.core, game.chosen, i, game.learner)
            for b in by_hand:
                self.core_of(b).resolve(moves[b : b + 1])
        except BaseException:
            for core, turns, snapshot in undo:
                if snapshot is not None:
                    core.restore(snapshot)
                else:
                    core.restore_turns(turns)
            raise
        resolve_many(self._write_mask, self._addresses, (~self._by_hand).astype(np.int8))
        self._gather(self._all)

    def _gather(self, which: npt.NDArray[np.int64]) -> None:
        factored = self.padding.action == "factored"
        gather_many(self._addresses, which, self._padded, self.padding.room.regions, factored)

    def _read(self, actions: Any, acting: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], Any]:
        """Actions as rows int64[B, M] with room for any map, and what of them was illegal before, int64[B]."""
        padding, dropped = self.padding, np.zeros(self.batch, np.int64)
        if padding.action == "continuous":
            assert isinstance(self.action_space, spaces.Box)
            values = np.asarray(actions)
            if values.shape == (self.batch, *self.action_space.shape) and not acting.all():
                values = np.where(acting[:, None], values, 0.0)
            rows = scores_of(values, (self.batch, *self.action_space.shape), "actions")[0]
            there = np.concatenate((self._boards["region_mask"], self._boards["edge_mask"]), axis=1)
            dropped[:] = np.count_nonzero(((values < -1) | (values > 1)) & (there != 0), axis=1)
            return rows, dropped
        if padding.action == "factored":
            wide = integers(actions, (self.batch, sum(padding.room)), "actions")
            self._check(wide, 5, acting)
            np.copyto(self._rows, wide, casting="unsafe")
            return self._rows, dropped
        numbers = integers(actions, (self.batch,), "actions").astype(np.int64)
        self._check(numbers[:, None], self.mask_size, acting)
        if padding.action == "steps":
            numbers, dropped = self._own_steps(numbers)
        return numbers[:, None].copy(), dropped

    def _own_steps(self, numbers: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """`Padding.own_action` of all games."""
        (n, e), start = self._sizes.T, DEPLOYS * self.padding.room.regions
        end, sends = DEPLOYS * n + SENDS * e, numbers - start
        own = np.where(sends < 0, numbers, DEPLOYS * n + sends)
        there = np.where(sends < 0, numbers < DEPLOYS * n, sends < SENDS * e)
        last = numbers == self.mask_size - 1
        return np.where(there & ~last, own, end), (~there & ~last).astype(np.int64)

    def _check(self, values: npt.NDArray[Any], limit: int, acting: npt.NDArray[np.bool_]) -> None:
        wrong = ((values < 0) | (values >= limit)) & acting[:, None]
        if wrong.any():
            b, i = (int(k) for k in np.argwhere(wrong)[0])
            player = int(self._game(b).learner[0])
            raise ActionError(b, player, f"entry {i} is {values[b, i]}; it must lie in 0 .. {limit - 1}")

    # Looking

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """float64[B] of the learners, in the last step."""
        return self._padded.reward.copy()

    @property
    def terminated(self) -> npt.NDArray[np.bool_]:
        """bool[B]"""
        return self._padded.terminated.copy()

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """bool[B]"""
        return self._padded.truncated.copy()

    def observe(self, games: slice | int | npt.NDArray[np.int64] = slice(None)) -> dict[str, npt.NDArray[Any]]:
        """The learners' observations of several games, or of one, in arrays of their own."""
        seen: dict[str, npt.NDArray[Any]] = {
            "nodes": self._padded.nodes[games].copy(),
            "globals": self._padded.overall[games].copy(),
        }
        seen |= {name: array[games].copy() for name, array in self._boards.items()}
        if "action_mask" in self.observation_space.spaces:
            seen["action_mask"] = self._padded.mask[games].copy()
        return seen

    def masks(self) -> npt.NDArray[np.int8]:
        """int8[B, M]: what the learners may do, flat."""
        return self._padded.mask.copy()

    def infos(self) -> dict[str, npt.NDArray[Any]]:
        """What goes into infos at every step, an array [B] each, as of `Episodes`."""
        told = {name: self._padded.numbers[:, i].copy() for i, name in enumerate(NUMBERS)}
        return {**told, "is_success": told["is_success"].astype(np.bool_)}

    @property
    def policy_settings(self) -> PolicySettings:
        """What a policy has to know of its environment in order to play elsewhere."""
        known = next(iter(self._known.values()), None)
        core = self._new(self._some_map()).core if known is None else known.first.core
        return PolicySettings(
            told_action(self.padding.action), "graph", core.max_cycles, core.picking, core.players, core.rules,
            "many maps", *self.padding.room, padded=True,
        )  # fmt: skip

    def render(self, mode: str | None, b: int) -> Any:
        """The true position of game b; see `EnvCore.render`."""
        return self.core_of(b).render(mode)
