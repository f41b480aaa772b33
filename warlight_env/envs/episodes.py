"""`Episodes`: a batch of games in which one player learns and opponents play the others; what all fronts stand on."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from warlight_env import maps
from warlight_env.arguments import is_integer, short_repr
from warlight_env.array_arguments import fitting
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.envs import showing
from warlight_env.envs.actions import EncodingFactory
from warlight_env.envs.actions.batches import part_of
from warlight_env.envs.arrays import fixed
from warlight_env.envs.core import InnerCore
from warlight_env.envs.core_arguments import cycles
from warlight_env.envs.observation_spaces import observation, observation_space_of
from warlight_env.envs.opponents import BotOpponent, Opponent, OpponentError, OpponentPool, Slot, make_slots
from warlight_env.envs.own_functions import ObservationFunction, RewardFunction
from warlight_env.envs.policy_settings import PolicySettings, told_action
from warlight_env.envs.reset_options import ResetOptions, read_options
from warlight_env.envs.rewards import Reward
from warlight_env.envs.seeds import draw_seed
from warlight_env.errors import InputError

NO_OPTIONS = ResetOptions()


class _Playing(NamedTuple):
    """An opponent that plays in some game, and what it remembers of the games here."""

    opponent: Opponent
    memory: Any


class Episodes:
    """B games of one learner each, in slot 0 of an `EnvCore`, against opponents that play inside.

    Args:
        map, rules, players, action, observation, fog, picking, max_cycles, reward: as for `EnvCore`.
        opponent: who plays the other seats; see `make_opponent`. A list has one for each, a mapping of opponents to
            weights or an `OpponentPool` is drawn from for every game.
        seat: the learner's, or "random" for another in every game.
        mask: "info" keeps masks out of observations, "observation" adds them as the key action_mask.
        batch: B.
    """

    def __init__(
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        opponent: Any = "random",
        action: str | EncodingFactory = "steps",
        observation: str | ObservationFunction = "flat",
        fog: bool | None = None,
        picking: Literal["play", "random"] = "random",
        max_cycles: int | None = None,
        reward: str | Reward | RewardFunction = "win",
        seat: int | Literal["random"] = "random",
        mask: Literal["observation", "info"] = "info",
        batch: int = 1,
    ) -> None:
        if not isinstance(mask, str) or mask not in ("observation", "info"):
            raise InputError(f"mask = {short_repr(mask)}: must be 'observation' or 'info'")
        self.core = InnerCore(
            map, rules, players, batch, action=action, observation=observation, fog=fog, picking=picking,
            max_cycles=max_cycles, reward=reward, slots=1,
        )  # fmt: skip
        seated = is_integer(seat) and 0 <= int(seat) < players
        if not seated and not (isinstance(seat, str) and seat == "random"):
            raise InputError(f"seat = {short_repr(seat)}: must be 'random' or 0 .. {players - 1}")
        self.batch, self.seat, self.mask, self._action = batch, seat, mask, action
        masks = self.core.encoding.mask_space
        #: M, the length of a flat mask; 0 where the encoding has none.
        self.mask_size = 0 if masks is None else int(spaces.flatdim(masks))
        self._table: list[_Playing | None] = []
        self._make_arrays()
        self.observation_space = self._make_observation_space()
        self.action_space = self.core.encoding.space
        self._remembers_for_opponents = False
        self.set_opponent(opponent)

    def another(self, batch: int) -> Episodes:
        """Such games, none of them begun, for the same thread; see `EnvCore.another`."""
        other = Episodes.__new__(Episodes)
        other.__dict__.update(self.__dict__)
        other.batch, other.core = batch, self.core.another(batch)
        other._table = []
        other._make_arrays()
        return other

    def _make_arrays(self) -> None:
        batch, core = self.batch, self.core
        #: int8[B]: the learner's seat in each game.
        self.learner = np.zeros(batch, dtype=np.int8)
        #: int64[B]: the seed of each game.
        self.seeds = np.zeros(batch, dtype=np.uint64)
        self._games = np.arange(batch)
        self._chosen = np.full((batch, core.players), -1, dtype=np.int16)
        self._rows = np.zeros((batch, core.row_size), dtype=np.int64)

    def _make_observation_space(self) -> spaces.Space[Any]:
        space, size = observation_space_of(self.core), self.mask_size
        if self.mask == "info" or size == 0:
            return space
        mask = fixed(spaces.Box(0, 1, (size,), np.int8))
        inner = space.spaces if isinstance(space, spaces.Dict) else {"observation": space}
        return spaces.Dict({**inner, "action_mask": mask})

    @property
    def policy_settings(self) -> PolicySettings:
        """What a policy has to know of its environment in order to play elsewhere.

        Raises InputError where observations are a function's of one's own, which no file tells.
        """
        core = self.core
        if core.own_observation is not None:
            raise InputError("observation: a function of one's own; a policy that needs it cannot say so in a file")
        return PolicySettings(
            told_action(self._action), core.observation, core.max_cycles, core.picking, core.players, core.rules,
            core.map.name, core.board.n_regions, core.board.n_edges,
        )  # fmt: skip

    # Opponents

    def set_opponent(self, opponent: Any) -> None:
        """Who plays from the next games on; those that have begun are finished by whom they were begun with."""
        #: As it was given.
        self.opponent = opponent
        self._slots: list[Slot] = make_slots(opponent, self.core.players - 1)
        self._prepare()

    def _prepare(self) -> None:
        if self.core.slots == 1 and any(slot.observes for slot in self._slots):
            self.core.set_slots(self.core.players)
        if any(slot.views for slot in self._slots) and not self.core.remembers:
            self.core.remember()
            self._remembers_for_opponents = True

    def remember(self) -> None:
        """See `EnvCore.remember`; it does not end with opponents that take views."""
        self.core.remember()
        self._remembers_for_opponents = False

    def _number(self, opponent: Opponent) -> int:
        """Where the opponent stands in the table of those who play."""
        free = len(self._table)
        for i, known in enumerate(self._table):
            if known is None:
                free = min(free, i)
            elif known.opponent is opponent:
                return i
        if free >= 30_000:
            raise OpponentError("too many opponents play at once")
        if free == len(self._table):
            self._table.append(None)
        self._table[free] = _Playing(opponent, opponent.make_memory(self.core))
        return free

    def _forget_idle(self) -> None:
        """Let go of opponents that play in no game any more."""
        if len(self._table) > 1:
            in_use = np.isin(np.arange(len(self._table)), self._chosen)
            self._table = [known if used else None for known, used in zip(self._table, in_use, strict=True)]
        if self._remembers_for_opponents:
            playing = (known.opponent for known in self._table if known is not None)
            if not any(one.views for one in (*self._slots, *playing)):
                self.core.chronicle, self._remembers_for_opponents = None, False

    def opponents(self, b: int) -> tuple[Opponent, ...]:
        """Who plays against the learner in game b, by seat."""
        playing = (self._table[i] for i in self._chosen[b] if i >= 0)
        return tuple(known.opponent for known in playing if known is not None)

    def playing(self) -> list[tuple[int, Opponent, Any]]:
        """Who plays in some game: the number in `chosen`, the opponent, and what it remembers."""
        return [(i, known.opponent, known.memory) for i, known in enumerate(self._table) if known is not None]

    @property
    def chosen(self) -> npt.NDArray[np.int16]:
        """int16[B, P]: the number of who plays there, or -1."""
        return self._chosen

    # Playing

    def read_options(self, options: Mapping[str, Any] | None, known: Collection[str]) -> ResetOptions:
        """See `reset_options.read_options`; InputError, too, where the learner may be out of the game to start from."""
        read = read_options(self.core, options, known)
        self.check_start(read)
        return read

    def draw(self, stream: np.random.Generator, options: ResetOptions = NO_OPTIONS) -> int:
        """What decides the next game of an environment with this stream: its seed."""
        return draw_seed(stream)

    def limit_cycles(self, count: int) -> None:
        """Truncate after so many steps, if that was not sooner; InputError where it is no number of steps."""
        self.core.max_cycles = min(self.core.max_cycles, cycles(count))

    def reset(self, seeds: Sequence[int], which: Sequence[int], options: ResetOptions = NO_OPTIONS) -> None:
        """Begin the games `which`, each with its seed.

        Raises:
            InputError: the learner is out of the game from which they are to start.
        """
        if len(which) == 0:
            return
        begun = self.seat_players(seeds, which, options)
        self.core.reset(seeds, which)
        if options.start is not None:
            self.core.start_from(options.start, which)
        self.let_begin(begun)

    def seat_of(self, options: ResetOptions) -> int | Literal["random"]:
        """The learner's in games that begin with these options."""
        return self.seat if options.seat is None else options.seat

    def check_start(self, options: ResetOptions) -> None:
        """Raises InputError where the learner may be out of the game from which games are to start."""
        seat, start = self.seat_of(options), options.start
        seats = range(self.core.players) if seat == "random" else [int(seat)]
        if start is not None and not all(map(start.alive, seats)):
            raise InputError("option 'start': the learner may be out of that game; say which seat it has by 'seat'")

    def seat_players(
        self, seeds: Sequence[int], which: Sequence[int], options: ResetOptions = NO_OPTIONS
    ) -> list[tuple[int, int, int]]:
        """The first part of `reset`: who plays where; returns the game, the player and the seed of each opponent."""
        core, seat = self.core, self.seat_of(options)
        self.check_start(options)
        self._prepare()  # a pool may have changed
        drawn = [
            [slot.draw(derive_seed(seed, 2, k)) if isinstance(slot, OpponentPool) else slot
             for k, slot in enumerate(self._slots)]
            for seed in seeds
        ]  # fmt: skip
        begun, slots, out = [], core.slots, core.out
        for b, seed, opponents in zip(which, seeds, drawn, strict=True):
            learner = derive_seed(seed, 1) % core.players if seat == "random" else int(seat)
            self.learner[b], self.seeds[b] = learner, seed & (2**64 - 1)
            order = [learner, *(p for p in range(core.players) if p != learner)]
            out.seat[b] = order[:slots]
            for k, player in enumerate(order):
                out.slot[b, player] = k if k < slots else -1
            self._chosen[b] = -1
            for player, opponent in zip(order[1:], opponents, strict=True):
                self._chosen[b, player] = self._number(opponent)
                begun.append((b, player, derive_seed(seed, 3, player)))
        return begun

    def numbers_of_bots(self) -> list[int] | None:
        """The numbers in `chosen` of who plays against the learner, if all of them are bots that are kernels."""
        if not all(isinstance(slot, BotOpponent) for slot in self._slots):
            return None
        return [self._number(slot) for slot in self._slots if isinstance(slot, BotOpponent)]

    def let_begin(self, begun: list[tuple[int, int, int]]) -> None:
        """The last part of `reset`: opponents are told of their games, which have begun."""
        for b, player, seed in begun:
            playing = self._table[self._chosen[b, player]]
            assert playing is not None
            playing.opponent.begin(playing.memory, self.core, b, player, seed)
        self._forget_idle()

    def step(self, actions: Any, acting: npt.NDArray[np.bool_] | None = None) -> None:
        """Step the games with the learners' actions, or those with acting bool[B]; `reward` and so on tell the rest.

        Raises InputError, with nothing stepped, for actions that are none and an `acting` of another shape, and
        whatever an opponent or a reward of one's own raises, with nothing stepped either.
        """
        core = self.core
        moves = np.zeros((self.batch, core.slots), dtype=np.int8)
        moves[:, 0] = 1 if acting is None else fitting(acting, "acting", np.int8, (self.batch,))
        dropped = np.zeros((self.batch, core.players), dtype=np.int32)
        dropped[self._games, self.learner] = self._read(actions, moves[:, 0] != 0)
        rows = self._rows[:, None]
        if core.slots > 1:
            rows = np.concatenate([rows, np.zeros((self.batch, core.slots - 1, core.row_size), dtype=np.int64)], axis=1)
        playing = self.playing()
        may_raise = core.own_reward is not None or any(opponent.raises for _, opponent, _ in playing)
        with core.undoing() if may_raise else contextlib.nullcontext():
            core.hand_in(rows, dropped, moves)
            for i, opponent, memory in playing:
                opponent.move(memory, core, self._chosen, i, self.learner)
            core.resolve_bare(moves[:, 0])

    def _read(self, actions: Any, acting: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """Write the learners' rows; returns what was dropped, int32[B]."""
        try:
            return showing.read_rows(self.core, actions, self._games, 0, self._rows)
        except InputError:
            if acting.all():
                raise
        # Of games that only begin anew in this step the actions do not matter, whatever they are.
        games = np.flatnonzero(acting)
        dropped, rows = np.zeros(self.batch, dtype=np.int32), self._rows[games]
        dropped[games] = showing.read_rows(self.core, part_of(self.action_space, actions, games), games, 0, rows)
        self._rows[games] = rows
        return dropped

    # Looking

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """float64[B] of the learners, in the last step."""
        return self.core.out.reward[self._games, self.learner]

    @property
    def terminated(self) -> npt.NDArray[np.bool_]:
        """bool[B]"""
        return self.core.out.terminated[self._games, self.learner]

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """bool[B]"""
        return self.core.out.truncated[self._games, self.learner]

    def observe(self, games: slice | int | npt.NDArray[np.int64] = slice(None)) -> Any:
        """The learners' observations of several games, or of one, in arrays of their own."""
        seen = observation(self.core, 0, games)
        if self.mask == "info" or self.mask_size == 0:
            return seen
        mask = self.core.mask(0, games) if isinstance(games, int) else self.core.flat_masks(0, games)
        return {**(seen if isinstance(seen, dict) else {"observation": seen}), "action_mask": mask}

    def masks(self) -> npt.NDArray[np.int8]:
        """int8[B, M]: what the learners may do, flat."""
        return self.core.flat_masks(0)

    def infos(self) -> dict[str, npt.NDArray[Any]]:
        """What goes into infos at every step, an array [B] each: illegal, income, round, phase, is_success."""
        out, state = self.core.out, self.core.state
        return {
            "illegal": out.illegal[self._games, self.learner].astype(np.int64),
            "income": out.income[self._games, self.learner].astype(np.int64),
            "round": state.round.astype(np.int64),
            "phase": state.phase.astype(np.int64),
            "is_success": self.won(),
        }

    def won(self) -> npt.NDArray[np.bool_]:
        """bool[B]: whether the learner has won."""
        return self.core.state.winner == self.learner

    def render(self, mode: str | None, b: int) -> Any:
        """The true position of game b; see `EnvCore.render`."""
        return self.core.render(mode, b)
