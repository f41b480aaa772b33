"""`EnvCore`: a batch of games in arrays, stepped by one kernel call; all environments are thin fronts over it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.agents.context import Context, bare_context
from warlight_env.agents.weights import THESIS
from warlight_env.arguments import check_flag, integers_of
from warlight_env.array_arguments import fitting
from warlight_env.engine.bits import make_bits
from warlight_env.engine.board import make_board
from warlight_env.engine.jit import address
from warlight_env.engine.memory import together
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import DEALT, check_players
from warlight_env.engine.state import State, copy_state, make_state
from warlight_env.engine.view import View
from warlight_env.envs import handing_in, showing, snapshots
from warlight_env.envs.actions import Choice, EncodingFactory, make_encoding
from warlight_env.envs.actions.kernels import mask_pointer, no_mask
from warlight_env.envs.arrays import games_named
from warlight_env.envs.buffers import Buffers, make_buffers
from warlight_env.envs.chronicle import Chronicle
from warlight_env.envs.core_arguments import check_arguments, check_batch, check_slots, make_settings
from warlight_env.envs.core_protocol import StepArguments, make_row_room
from warlight_env.envs.handing_in import ActionError
from warlight_env.envs.own_functions import (
    Games,
    ObservationFunction,
    OwnObservation,
    OwnReward,
    RewardFunction,
    SeenGames,
    some_games,
)
from warlight_env.envs.rewards import Reward
from warlight_env.envs.snapshots import Snapshot
from warlight_env.envs.step import Turns, Work, begin, make_turns, make_work, resolve
from warlight_env.errors import InputError
from warlight_env.features.columns import observed_features
from warlight_env.game import Game
from warlight_env.ownership import OneThread, UseLock, unchecked


class EnvCore(OneThread):
    """B games of P players; one step is one round (or pick, or part of a turn) of every game.

    What a step produces lies in `out` (see `Buffers`), in memory that the next step overwrites; `nodes` and `globals`
    are views of its features. An action is a row of integers, K = `row_size` of them, as the encoding writes it.
    Arrays that are handed in may have any integer dtype; what does not fit raises InputError, and nothing changes.
    `state` and `out` are the core's own memory, in which kernels work without further checks: whoever changes it by
    hand calls `look`, which checks it.

    Args:
        map, rules, players: as for `Game`. fog: None leaves it to the rules.
        batch: number of games.
        action: an encoding's name, or a factory such as ``functools.partial(FactoredActions, priority=True)``.
        observation: "graph", "flat" or "raw", which spares the features; or an `ObservationFunction`.
        picking: "play" makes the picks part of the episode, "random" draws them.
        max_cycles: steps after which a game is truncated; None: the encoding's `default_cycles`.
        reward: "win", "regions", "income", a `Reward`, or a `RewardFunction`.
        slots: S, the number of players for whom observations and masks are kept; None: all.
    """

    exclusive_methods = (
        "set_slots", "reset", "set_dice", "start_from", "remember", "step", "hand_in", "hand_in_choice",
        "hand_in_policy", "resolve", "resolve_bare", "look", "games", "seen", "view", "render", "mask",
        "flat_masks", "read_rows", "shaped_mask", "snapshot", "restore", "another", "clone",
    )  # fmt: skip

    def __init__(
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        batch: int = 1,
        *,
        action: str | EncodingFactory = "factored",
        observation: str | ObservationFunction = "graph",
        fog: bool | None = None,
        picking: Literal["play", "random"] = "play",
        max_cycles: int | None = None,
        reward: str | Reward | RewardFunction = "win",
        slots: int | None = None,
    ) -> None:
        own_observation = None if isinstance(observation, str) or not callable(observation) else observation
        own_reward = None if isinstance(reward, str | Reward) or not callable(reward) else reward
        observation = "raw" if own_observation is not None else observation
        check_arguments(map, batch, observation, fog, picking)
        assert isinstance(observation, str)
        self.map = map if isinstance(map, maps.Map) else maps.load(map)
        self.rules = Rules.of(rules) if fog is None else Rules.of(rules, fog=fog)
        self.players, self.batch = players, batch
        self.picking, self.reward = picking, Reward.of("win" if own_reward is not None else reward)
        self.board = make_board(self.map)
        self.bits = make_bits(self.board)
        #: int64[2, E]: source and target of each directed edge. Read-only.
        self.edge_index = np.stack([self.board.edge_source, self.board.edge_target]).astype(np.int64)
        self.edge_index.flags.writeable = False
        self.params = check_players(self.board, self.rules, players)
        self.encoding = make_encoding(action, self.board, self.params)
        self.observation = observation
        #: What observations hold, by name.
        self.features = observed_features(observation, self.board.n_regions, players, self.encoding.stepwise)
        limits: npt.NDArray[np.int64] = np.array(self.encoding.limits)
        #: int64[K]: the entries of an action's row must be at least 0 and below these. Read-only.
        self.limits = limits.view()
        self.limits.flags.writeable = False
        #: Of the map, the rules and the number of players: equal digests, games of the same kind.
        self.digest = snapshots.digest_of(self.map, self.rules, players)
        #: What the encoding's kernels get.
        self.context = self.encoding.context(players)
        #: What bots get that are kernels.
        self.bots_context = bare_context(self.board, self.params, players, THESIS)
        self._config = self.encoding.config
        self._set_settings(self.encoding.default_cycles if max_cycles is None else max_cycles)
        self.state = make_state(batch, self.board.n_regions, players)
        self.out = self._make_buffers(players if slots is None else slots)
        #: What rows are handed in with.
        self.row_room = make_row_room(limits, batch, self.slots)
        self._work: Work | None = None
        self._turns: Turns | None = None
        #: What views tell besides the position, see `remember`; None: nothing.
        self.chronicle: Chronicle | None = None
        #: uint64[B, P, 2]: the generators of bots that play here in compiled code, by the player that one plays.
        self.bot_rngs = np.zeros((batch, players, 2), dtype=np.uint64)
        self._add_own(own_reward, own_observation)

    def _add_own(self, reward: RewardFunction | None, observation: ObservationFunction | None) -> None:
        """Try the user's functions on games that have just begun."""
        #: What pays instead of `reward`, and what is seen instead of `observation`; None: nothing of one's own.
        self.own_reward: OwnReward | None = None
        self.own_observation: OwnObservation | None = None
        if reward is not None or observation is not None:
            self.reset(range(self.batch))
        if reward is not None:
            self.own_reward = OwnReward(reward, self.games())
        if observation is not None:
            self.own_observation = OwnObservation(observation, self.seen(0))

    def _set_settings(self, max_cycles: int) -> None:
        choices, features = self.board.n_regions + self.board.n_edges, self.observation != "raw"
        self.settings = make_settings(self.encoding, choices, features, self.rules.fog, max_cycles, self.reward)

    def _make_buffers(self, slots: int) -> Buffers:
        check_slots(slots, self.players)
        return make_buffers(
            self.board, self.players, self.batch, slots, self.settings, self.features, self.encoding.mask_size
        )

    def set_slots(self, slots: int) -> None:
        """Keep observations of so many players, from now on; who they are is for `out.seat` and `out.slot` to say."""
        out, new = self.out, self._make_buffers(slots)
        for name in _PER_PLAYER:
            getattr(new, name)[...] = getattr(out, name)
        kept = min(slots, self.slots)
        new.seat[:, kept:], new.seat[:, :kept] = -1, out.seat[:, :kept]
        new.slot[...] = np.where(out.slot < kept, out.slot, -1)
        self.out = new
        self.row_room = make_row_room(self.row_room.limits, self.batch, slots)
        showing.refresh(self)

    @property
    def slots(self) -> int:
        """S, the players of a game for whom observations and masks are kept."""
        return self.out.seat.shape[1]

    @property
    def nodes(self) -> npt.NDArray[np.float32]:
        """float32[B, S, N, F], a view of the features: the nodes'. Raises KeyError where the observation is "raw"."""
        nodes: npt.NDArray[np.float32] = self.features["nodes"].cut(self.out.features)
        return nodes

    @property
    def globals(self) -> npt.NDArray[np.float32]:
        """float32[B, S, G], a view of the features: the globals. Raises KeyError where the observation is "raw"."""
        overall: npt.NDArray[np.float32] = self.features["globals"].cut(self.out.features)
        return overall

    @property
    def row_size(self) -> int:
        """K, the integers of an action's row."""
        return len(self.limits)

    @property
    def max_cycles(self) -> int:
        """Steps after which a game is truncated."""
        return self.settings.max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int) -> None:
        self._set_settings(value)

    @property
    def work(self) -> Work:
        """Working memory, made when it is first needed."""
        if self._work is None:
            self._work = make_work(self.board, self.bits, self.players, self.row_size)
        return self._work

    @property
    def arguments(self) -> StepArguments:
        """What kernels of a step get."""
        mask = _mask_address(self.encoding.write_mask)
        return (
            self.context, self.settings, mask, self._config, self.state, self.out, self.turns, self.bits, self.work,
        )  # fmt: skip

    @property
    def turns(self) -> Turns:
        """What players have handed in, made when it is first needed."""
        if self._turns is None:
            self._turns = make_turns(self.board.n_regions, self.board.n_edges, self.players, self.batch)
        return self._turns

    # Playing

    def reset(self, seeds: Sequence[int], which: Sequence[int] | None = None) -> None:
        """Start games anew, all or those named, each from a seed (any integer)."""
        words, games = self._seeds_and_games(seeds, which)
        with snapshots.undoing(self, True) if self._may_fail else contextlib.nullcontext():
            self._write_dice(words, games)
            failed = begin(*self.arguments, self.picking == "random", np.array(games, dtype=np.int64))
            if failed >= 0:
                raise RulesError(f"map {self.map.name!r}: found no deal in which {self.players} players start apart")
        if self.chronicle is not None:
            self.chronicle.begin(self.state, games)

    @property
    def _may_fail(self) -> bool:
        """Whether there need not be a deal."""
        return bool(self.params.picking == DEALT and self.params.dealt_apart)

    @property
    def begins_alone(self) -> bool:
        """Whether `set_dice` and the kernel `begin` are all that `reset` does."""
        return not self._may_fail and self.chronicle is None

    def set_dice(self, seeds: Sequence[int], which: Sequence[int]) -> None:
        """The dice of games that are about to begin; seeds and games as for `reset`."""
        self._write_dice(*self._seeds_and_games(seeds, which))

    def _seeds_and_games(self, seeds: Any, which: Any) -> tuple[list[int], list[int]]:
        """As many integers as different games; else InputError."""
        games = games_named(which, self.batch)
        words = integers_of(seeds, "seeds")
        if len(words) != len(games):
            raise InputError(f"{len(words)} seeds for {len(games)} games")
        return words, games

    def _write_dice(self, seeds: list[int], which: list[int]) -> None:
        for b, seed in zip(which, seeds, strict=True):
            self.state.rng[b] = make_rng(derive_seed(seed))

    def check_start(self, game: Game) -> None:
        """Raises InputError for a game from which those here cannot go on: of another kind, or over."""
        snapshots.check_start(self, game)

    def start_from(self, game: Game, which: Sequence[int] | None = None) -> None:
        """Have games that have just begun, all or those named, go on from another one's position, by their own dice.

        What is handed in to them is forgotten.

        Raises:
            InputError: see `check_start`; one has been played already, or is named twice. Nothing changes then.
        """
        snapshots.start_from(self, game, which)

    def remember(self) -> None:
        """From now on keep what views tell besides the position: who started where, and what the last round brought.

        That costs some time at each round; of a game that has begun, it is known from the next round on.
        """
        if self.chronicle is None:
            self.chronicle = Chronicle(self.map, self.board, self.rules, self.params)

    @property
    def remembers(self) -> bool:
        """Whether `remember` was called."""
        return self.chronicle is not None

    def step(self, actions: npt.NDArray[np.integer[Any]], dropped: npt.NDArray[np.int32] | None = None) -> None:
        """Step every game that is not over with actions int[B, S, K] of all players that have a slot.

        Rows of players who are out, or ready already, are not looked at. `dropped` int32[B, P] is what an encoding
        dropped before; it is counted in `out.illegal`. Games that are over stay as they are, with reward 0. Raises
        InputError, with nothing stepped, for rows out of `limits` (an ActionError) and arrays of another shape.
        """
        if self.chronicle is None and self.own_reward is None:
            handing_in.submit_rows(self, actions, dropped, self.row_room.everybody, True)
            return
        with self.undoing():
            handing_in.submit_rows(self, actions, dropped, self.row_room.everybody, False)
            self.resolve_bare()

    def hand_in(
        self,
        actions: npt.NDArray[np.integer[Any]],
        dropped: npt.NDArray[np.int32] | None = None,
        acting: npt.NDArray[np.int8] | None = None,
    ) -> None:
        """The first half of `step`, for those with acting int8[B, S] not 0 (None: all)."""
        everybody = self.row_room.everybody
        acting = everybody if acting is None else fitting(acting, "acting", np.int8, everybody.shape)
        handing_in.submit_rows(self, actions, dropped, acting, False)

    def hand_in_choice(self, b: int, player: int, choice: Choice) -> None:
        """A player's whole turn in game b: orders, or wishes while regions are picked; what is illegal is dropped."""
        handing_in.submit_choice(self, b, player, choice)

    def hand_in_policy(
        self,
        policy: Any,
        pick: Any,
        chosen: npt.NDArray[np.int16],
        which: int,
        after: npt.NDArray[np.int8],
        rngs: npt.NDArray[np.uint64],
        context: Context | None = None,
    ) -> None:
        """Let a bot's kernels move for players p of games b with chosen[b, p] == which, once player after[b] is ready.

        Args:
            policy, pick: plug-ins of the kinds "policy" and "picker".
            chosen: int16[B, P], who plays. which: a number in 0 .. 2**15 - 1. after: int8[B], players.
            rngs: uint64[B, P, 2], the bots' own generators, which go on.
            context: what the kernels get; None: one with the thesis's evaluation and the built-in functions.

        Raises:
            InputError: arguments of another kind, or an entry of `after` that is no player. What a user's function
                raises is raised as it is. No one has handed in then, and the generators are as before.
        """
        handing_in.submit_policy(self, policy, pick, chosen, which, after, rngs, context)

    def resolve(
        self, which: npt.NDArray[np.int8] | None = None, numbers: npt.NDArray[np.int64] | None = None
    ) -> None:  # fmt: skip
        """The second half of `step`: play the rounds for which all turns are in, pay, and observe.

        Of the games with which int8[B] not 0 (None: all); the others stay as they are, with reward 0. What a user's
        reward raises is raised; nothing has been played then, and what was handed in still is. numbers int64[B]: of the
        games in a larger batch, by which errors tell them, or -1: nobody plays it, and a user's reward is not asked of
        it.
        """
        with contextlib.nullcontext() if self.own_reward is None else self.undoing():
            self.resolve_bare(which, numbers)

    def resolve_bare(
        self, which: npt.NDArray[np.int8] | None = None, numbers: npt.NDArray[np.int64] | None = None
    ) -> None:  # fmt: skip
        """`resolve` for who is `undoing` already: what a user's reward raises leaves the rounds played, and unpaid."""
        earlier = None if self.own_reward is None else some_games(self.games(), np.arange(self.batch))
        which = self.row_room.every_game if which is None else fitting(which, "which", np.int8, (self.batch,))
        owners = None if self.chronicle is None else self.chronicle.before(self.state, self.out.live, self.turns, which)
        resolve(*self.arguments, which)
        if earlier is not None:
            self.out.reward[...] = np.where(earlier.live & (which != 0)[:, None], self._own_paid(earlier, numbers), 0.0)
        if self.chronicle is not None and owners is not None:
            self.chronicle.after(self.state, owners)

    def _own_paid(self, earlier: Games, numbers: npt.NDArray[np.int64] | None) -> npt.NDArray[np.float64]:
        """float64[B, P]: what the user's reward pays, asked of the games that are played alone."""
        own, games, wins = self.own_reward, self.games(), self.out.reward
        assert own is not None
        if numbers is None or numbers.min() >= 0:
            return own.paid(earlier, games, wins, numbers)
        paid, played = np.zeros(wins.shape), np.flatnonzero(numbers >= 0)
        before, after = some_games(earlier, played), some_games(games, played)
        paid[played] = own.paid(before, after, wins[played], numbers[played])
        return paid

    def look(self, turns_only: bool = False, whole: bool = True) -> None:
        """Bring observations and masks up to date, after something was changed by hand.

        `turns_only`: only what they say of turns that are not complete, after `hand_in`. Else everything that kernels
        rely on is checked first: a StateError says what cannot be. `whole`: False for positions as a player sees them,
        in which something may be missing (others' offers): they are not checked.
        """
        check_flag(turns_only, "turns_only")
        check_flag(whole, "whole")
        if whole and not turns_only:
            snapshots.check_core(self)
        if not turns_only and self.chronicle is not None:
            self.chronicle.forget(range(self.batch))
        showing.refresh(self, turns_only=turns_only)

    # Looking

    def games(self) -> Games:
        """The games as they are, for a `RewardFunction`; read-only, and changed by the next step."""
        return showing.games_of(self.state, self.out.live, self.out.income)

    def seen(self, slot: int, games: slice | npt.NDArray[np.int64] = slice(None)) -> SeenGames:
        """What the players of a slot see of several games, for an `ObservationFunction`; read-only."""
        return showing.seen(self, slot, games)

    def view(self, player: int, b: int = 0) -> View:
        """What the player may see of game b, as agents take it."""
        return showing.view(self, player, b)

    def render(self, mode: str | None, b: int = 0) -> str | npt.NDArray[np.uint8] | None:
        """The true position of game b: printed ("human"), as text ("ansi") or as uint8[H, W, 3] ("rgb_array")."""
        return showing.render(self, mode, b)

    def mask(self, slot: int, b: int = 0) -> npt.NDArray[np.int8]:
        """What the player of a slot may do in game b, as one flat int8 vector of its own."""
        return showing.mask(self, slot, b)

    def flat_masks(self, slot: int, games: slice | npt.NDArray[np.int64] = slice(None)) -> npt.NDArray[np.int8]:
        """int8[M, W]: `mask` of several games, given by a slice or int64[M]; W is the length of a flat mask."""
        return showing.flat_masks(self, slot, games)

    def read_rows(
        self, actions: Any, games: npt.NDArray[np.int64], slot: int, out: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Write the kernel rows of actions to out, int64[M, K]; returns what was dropped, int32[M].

        actions: a batch of M of the encoding's space, of the players of a slot in the games int64[M]. InputError tells
        what is no action; entries beyond `limits` are not looked at.
        """
        showing.check_reading(self, games, slot, out)
        return showing.read_rows(self, actions, games, slot, out)

    def shaped_mask(self, slot: int, b: int = 0) -> Any:
        """`mask` in the form that the action space's `sample` takes."""
        return showing.shaped_mask(self, slot, b)

    # Saving

    def undoing(self) -> contextlib.AbstractContextManager[None]:
        """Brings everything back to how it is now where `hand_in` or `resolve` raises meanwhile: turns, `bot_rngs`, and
        where a user's reward may raise after the round, the games and what is told of them."""
        return snapshots.undoing(self, self.own_reward is not None)

    def snapshot(self) -> Snapshot:
        """A copy of everything that decides how the games go on, dice included."""
        return snapshots.snapshot_of(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this core or of one made alike, observations and masks included.

        What is handed in and not resolved is forgotten, but for what the snapshot has of it. Every array must be as
        `snapshot` makes them, shape, dtype and byte order, and the games such as can come about: else StateError tells
        the place and the reason, and nothing changes.
        """
        snapshots.restore(self, snapshot)

    def another(self, batch: int) -> Self:
        """A core of such games, none of them begun, for the same thread: what is static and working memory are shared.

        Its arrays lie in one block of memory.
        """
        check_batch(batch)
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.batch, other._work, other.chronicle = batch, self.work, None
        n, e, players = self.board.n_regions, self.board.n_edges, self.players
        state, rngs = make_state(batch, n, players), np.zeros((batch, players, 2), dtype=np.uint64)
        out: tuple[Any, ...] = tuple(other._make_buffers(self.slots))
        turns: tuple[Any, ...] = tuple(make_turns(n, e, players, batch))
        arrays = iter(together([*state, *out, *turns, rngs]))
        other.state = State(*islice(arrays, len(state)))
        other.out = reference(Buffers(*islice(arrays, len(out))))
        other._turns, other.bot_rngs = reference(Turns(*islice(arrays, len(turns)))), next(arrays)
        other.row_room = make_row_room(self.row_room.limits, batch, self.slots)
        if self.remembers:
            other.remember()
        return other

    def clone(self) -> Self:
        """An independent copy that goes on exactly as this one would; what is static is shared."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._in_use = UseLock()
        other.state = copy_state(self.state)
        arrays: Any = self.out
        other.out = reference(Buffers(*[array.copy() for array in arrays]))
        other.row_room = self.row_room._replace(converted=np.empty_like(self.row_room.converted))
        other.bot_rngs = self.bot_rngs.copy()
        other._turns = other._work = None
        if self._turns is not None and (self.settings.stepwise or self._turns.status.any()):
            other._turns = reference(snapshots.copied(self._turns))
        other.chronicle = None if self.chronicle is None else self.chronicle.copy()
        return other


@unchecked
class InnerCore(EnvCore):
    """The `EnvCore` of an environment, which checks itself that one thread uses it."""


@functools.cache
def _mask_address(write_mask: Callable[..., Any] | None) -> Any:
    return address(mask_pointer(write_mask or no_mask))


#: Arrays of `Buffers` that do not depend on slots.
_PER_PLAYER = ("income", "illegal", "reward", "potential", "live", "terminated", "truncated", "cycles")


__all__ = ["ActionError", "EnvCore", "InnerCore", "Snapshot"]
