"""`EnvCore`: a batch of games in arrays, stepped by one kernel call; all environments are thin fronts over it."""

from __future__ import annotations

import hashlib
import json
import operator
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from numba.core.ccallback import CFunc

from warlight_env import maps
from warlight_env.agents.context import Context, bare_context, picker_signature, policy_signature
from warlight_env.agents.plug_ins import make_context
from warlight_env.agents.weights import THESIS
from warlight_env.engine.bits import make_bits
from warlight_env.engine.board import make_board
from warlight_env.engine.jit import JIT_DISABLED, address
from warlight_env.engine.memory import together
from warlight_env.engine.orders import Orders, check_turn
from warlight_env.engine.raised import watched
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import DEALT, check_players
from warlight_env.engine.state import PLAY, State, copy_state, make_state
from warlight_env.engine.view import View, view_of
from warlight_env.envs.actions import Choice, EncodingFactory, make_encoding
from warlight_env.envs.actions.kernels import (
    COUNT,
    OFFERED,
    READY,
    Turn,
    mask_pointer,
    no_mask,
    submit_pointer,
)
from warlight_env.envs.arrays import fitting, index
from warlight_env.envs.buffers import Buffers, EnvSettings, make_buffers
from warlight_env.envs.chronicle import Chronicle
from warlight_env.envs.own_functions import (
    Games,
    ObservationFunction,
    OwnObservation,
    OwnReward,
    RewardFunction,
    SeenGames,
    read_only,
    some_games,
)
from warlight_env.envs.rewards import SHAPINGS, Reward
from warlight_env.envs.snapshots import STANDING, Snapshot, check_core, checked, checked_turns, copied, start_of
from warlight_env.envs.step import (
    MOST_ILLEGAL,
    Turns,
    Work,
    begin,
    hand_in,
    hand_in_and_resolve,
    hand_in_policy,
    look,
    look_at_turns,
    make_turns,
    make_work,
    resolve,
)
from warlight_env.errors import InputError
from warlight_env.features.columns import OBSERVATIONS, TURN, observed_features
from warlight_env.game import Game
from warlight_env.step_results import tell_dropped


class EnvCore:
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
        if not isinstance(observation, str) or observation not in OBSERVATIONS:
            raise ValueError(f"observation = {observation!r}: there are {', '.join(OBSERVATIONS)}")
        if picking not in ("play", "random"):
            raise ValueError(f"picking = {picking!r}: must be 'play' or 'random'")
        if fog is not None and not isinstance(fog, bool):
            raise ValueError(f"fog = {fog!r}: must be True, False or None (as the rules have it)")
        if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
            raise ValueError(f"batch = {batch!r}: must be an integer from 1 up")
        if not isinstance(map, str | Path | maps.Map):
            raise maps.MapError(f"map = {map!r:.80}: must be one map; warlight/WarlightMaps-v0 plays on several")
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
        self._limits: npt.NDArray[np.int64] = np.array(self.encoding.limits)
        #: int64[K]: the entries of an action's row must be at least 0 and below these. Read-only.
        self.limits = self._limits.view()
        self.limits.flags.writeable = False
        #: Of the map, the rules and the number of players: equal digests, games of the same kind.
        self.digest = digest_of(self.map, self.rules, players)
        #: What the encoding's kernels get.
        self.context = self.encoding.context(players)
        #: What bots get that are kernels.
        self.bots_context = bare_context(self.board, self.params, players, THESIS)
        self._config = self.encoding.config
        self._set_settings(self.encoding.default_cycles if max_cycles is None else max_cycles)
        self.state = make_state(batch, self.board.n_regions, players)
        self.out = self._make_buffers(players if slots is None else slots)
        self._everybody, self._every_game = np.ones((batch, self.slots), np.int8), np.ones(batch, np.int8)
        #: Room for actions of another dtype than the kernels': new memory for a large batch costs more than a copy.
        self._converted = np.empty((batch, self.slots, self.row_size), np.int64)
        self._work: Work | None = None
        self._turns: Turns | None = None
        self._chronicle: Chronicle | None = None
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
        if isinstance(max_cycles, bool) or not isinstance(max_cycles, int | np.integer) or not 0 < max_cycles < 2**31:
            raise ValueError(f"max_cycles = {max_cycles!r}: must be an integer from 1 to {2**31 - 1}")
        encoding = self.encoding
        n, e = self.board.n_regions, self.board.n_edges
        self.settings = reference(
            EnvSettings(
                row_width=encoding.row_width,
                priority=encoding.mask_rows > n + e,
                asks_mask=encoding.write_mask is not None,
                stepwise=encoding.stepwise,
                features=self.observation != "raw",
                fog=self.rules.fog,
                max_cycles=int(max_cycles),
                max_income=encoding.max_income,
                shaping=SHAPINGS.index(self.reward.shaping),
                scale=float(self.reward.scale),
                gamma=float(self.reward.gamma),
            )
        )

    def _make_buffers(self, slots: int) -> Buffers:
        if isinstance(slots, bool) or not isinstance(slots, int | np.integer) or not 1 <= slots <= self.players:
            raise InputError(f"slots = {slots!r}: must be an integer in 1 .. {self.players}")
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
        self._everybody = np.ones((self.batch, slots), np.int8)
        self._converted = np.empty((self.batch, slots, self.row_size), np.int64)
        self._look()

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
    def _submit(self) -> Any:
        return address(submit_pointer(self.encoding.submit))

    @property
    def _write_mask(self) -> Any:
        return address(mask_pointer(self.encoding.write_mask or no_mask))

    @property
    def turns(self) -> Turns:
        """What players have handed in, made when it is first needed."""
        if self._turns is None:
            self._turns = make_turns(self.board.n_regions, self.board.n_edges, self.players, self.batch)
        return self._turns

    # Playing

    def reset(self, seeds: Sequence[int], which: Sequence[int] | None = None) -> None:
        """Start games anew, all or those named, each from a seed (any integer)."""
        games = self._named(which)
        try:
            words = [operator.index(seed) for seed in seeds]
        except TypeError as error:
            raise InputError(f"seeds must be a list of integers: {error}") from None
        if len(words) != len(games):
            raise InputError(f"{len(words)} seeds for {len(games)} games")
        before = (self.snapshot(), copied(self.turns)) if self._may_fail else None
        self.set_dice(words, games)
        failed = begin(
            self.context,
            self.settings,
            self._write_mask,
            self._config,
            self.state,
            self.out,
            self.turns,
            self.bits,
            self.work,
            self.picking == "random",
            np.array(games, dtype=np.int64),
        )
        if failed >= 0:
            if before is not None:
                self._put(before[0])
                _assign(self.turns, before[1])
            raise RulesError(f"map {self.map.name!r}: found no deal in which {self.players} players start apart")
        if self._chronicle is not None:
            self._chronicle.begin(self.state, games)

    def _named(self, which: Sequence[int] | None) -> list[int]:
        """The games that are named, None: all; else InputError."""
        try:
            games = list(range(self.batch)) if which is None else [operator.index(b) for b in which]
        except TypeError as error:
            raise InputError(f"which must be a list of integers: {error}") from None
        if not all(0 <= b < self.batch for b in games) or len(set(games)) < len(games):
            raise InputError(f"which = {games}: must be different games from 0 to {self.batch - 1}")
        return games

    @property
    def _may_fail(self) -> bool:
        """Whether there need not be a deal."""
        return bool(self.params.picking == DEALT and self.params.dealt_apart)

    @property
    def begins_alone(self) -> bool:
        """Whether `set_dice` and the kernel `begin` are all that `reset` does."""
        return not self._may_fail and self._chronicle is None

    def set_dice(self, seeds: Sequence[int], which: Sequence[int]) -> None:
        """The dice of games that are about to begin."""
        for b, seed in zip(which, seeds, strict=True):
            self.state.rng[b] = make_rng(derive_seed(seed))

    def check_start(self, game: Game) -> None:
        """Raises InputError for a game from which those here cannot go on: of another kind, or over."""
        if not isinstance(game, Game):
            raise InputError(f"start must be a `Game`, not {type(game).__name__}")
        if digest_of(game.map, game.rules, game.players) != self.digest:
            raise InputError("start: a game of another map, other rules (fog is one) or other players")
        if game.done:
            raise InputError("start: that game is over")

    def start_from(self, game: Game, which: Sequence[int] | None = None) -> None:
        """Have games that have just begun, all or those named, go on from another one's position; their own dice decide
        the rest. What is handed in in them is forgotten.

        Raises:
            InputError: see `check_start`; one has been played already, or is named twice. Nothing changes then.
        """
        self.check_start(game)
        games = np.array(sorted(self._named(which)), dtype=np.int64)
        played = games[self.out.cycles[games] != 0]
        if len(played):
            raise InputError(f"game {played[0]}: it has been played already")
        start, out = start_of(self, game), self.out
        for name, array in self.state._asdict().items():
            if name != "rng":
                array[games] = getattr(start, name)
        out.live[games] = start.eliminated_at == 0
        out.terminated[games], out.illegal[games] = ~out.live[games], 0
        self.turns.status[games], self.turns.deploy[games] = 0, 0
        if self._chronicle is not None:
            self._chronicle.forget(games.tolist())
        for run in np.split(games, np.flatnonzero(np.diff(games) > 1) + 1) if len(games) else ():
            self._look(first=int(run[0]), end=int(run[-1]) + 1)
        if self.reward.shaping == "regions":
            out.potential[games] = [(start.owner == p).mean() for p in range(self.players)]
        elif self.reward.shaping == "income":
            out.potential[games] = out.income[games] / max(1, self.settings.max_income)

    def remember(self) -> None:
        """From now on keep what views tell besides the position: who started where, and what the last round brought.

        That costs some time at each round; of a game that has begun, it is known from the next round on.
        """
        if self._chronicle is None:
            self._chronicle = Chronicle(self.map, self.board, self.rules, self.params)

    @property
    def remembers(self) -> bool:
        """Whether `remember` was called."""
        return self._chronicle is not None

    def step(self, actions: npt.NDArray[np.integer[Any]], dropped: npt.NDArray[np.int32] | None = None) -> None:
        """Step every game that is not over with actions int[B, S, K] of all players that have a slot.

        Rows of players who are out, or ready already, are not looked at. `dropped` int32[B, P] is what an encoding
        dropped before; it is counted in `out.illegal`. Games that are over stay as they are, with reward 0. Raises
        InputError, with nothing stepped, for rows out of `limits` (an ActionError) and arrays of another shape.
        """
        if self._chronicle is None and self.own_reward is None:
            self._submit_rows(actions, dropped, self._everybody, True)
            return
        before = None if self.own_reward is None else self.save_turns()
        self._submit_rows(actions, dropped, self._everybody, False)
        try:
            self.resolve()
        except BaseException:
            if before is not None:
                self.restore_turns(before)
            raise

    def hand_in(
        self,
        actions: npt.NDArray[np.integer[Any]],
        dropped: npt.NDArray[np.int32] | None = None,
        acting: npt.NDArray[np.int8] | None = None,
    ) -> None:
        """The first half of `step`, for those with acting int8[B, S] not 0 (None: all)."""
        if acting is not None:
            acting = fitting(acting, "acting", np.int8, (self.batch, self.slots))
        self._submit_rows(actions, dropped, self._everybody if acting is None else acting, False)

    def _submit_rows(
        self,
        actions: npt.NDArray[np.integer[Any]],
        dropped: npt.NDArray[np.int32] | None,
        acting: npt.NDArray[np.int8],
        on: bool,
    ) -> None:
        """Hand in, and go on to resolve in the same call: each call of a kernel costs tens of microseconds."""
        shape, small = (self.batch, self.slots, self.row_size), getattr(actions, "dtype", None) == np.int8
        # Kernels take rows of either size: an eighth of the memory is what a large batch is read in.
        actions = fitting(actions, "actions", np.int8 if small else np.int64, shape, None if small else self._converted)
        if dropped is not None:
            dropped = fitting(dropped, "dropped", np.int32, (self.batch, self.players))
        before = self.out.illegal.copy()
        self.out.illegal[:] = 0 if dropped is None else dropped
        if on:
            bad = hand_in_and_resolve(
                self.context,
                self.settings,
                self._submit,
                self._write_mask,
                self._config,
                self.state,
                self.out,
                self.turns,
                self.bits,
                self.work,
                self._limits,
                acting,
                actions,
                self._every_game,
            )
        else:
            bad = hand_in(
                self.context,
                self.settings,
                self._submit,
                self._config,
                self.state,
                self.out,
                self.turns,
                self.work,
                self._limits,
                acting,
                actions,
            )
        if bad >= 0:
            self.out.illegal[:] = before
            if bad >= self.batch * self.slots:
                raise InputError(f"dropped: in game {bad - self.batch * self.slots} not all in 0 .. {MOST_ILLEGAL}")
            b, s = divmod(int(bad), self.slots)
            row = actions[b, s]
            i = int(np.flatnonzero((row < 0) | (row >= self.limits))[0])
            player = int(self.out.seat[b, s])
            raise ActionError(b, player, f"entry {i} is {row[i]}; it must lie in 0 .. {self.limits[i] - 1}")

    def hand_in_choice(self, b: int, player: int, choice: Choice) -> None:
        """A player's whole turn in game b: orders, or wishes while regions are picked; what is illegal is dropped."""
        view = self.view(player, b)
        turn = Turn(*(array[b, player] for array in self.turns))
        if isinstance(choice, Orders) == (view.phase == "pick"):
            wanted = "regions to pick" if view.phase == "pick" else "Orders"
            raise InputError(f"game {b}, player {player}: asked for {wanted}, not {choice!r:.60}")
        if isinstance(choice, Orders):
            count, dropped, reasons = check_turn(
                self.board, self.params, view.owner, player, view.income, choice, turn.deploy, turn.attacks
            )
            if self._chronicle is not None:
                self._chronicle.drop(b, player, tell_dropped(player, choice, reasons))
        else:
            wished, dropped = _wishes(view, choice)
            count = len(wished)
            turn.wishes[:count], turn.deploy[:] = wished, 0
        turn.status[:] = 0
        turn.status[COUNT], turn.status[READY] = count, 1
        self.out.illegal[b, player] = min(int(self.out.illegal[b, player]) + dropped, 2**31 - 1)

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
        """Let a bot's kernels move, plug-ins of the kinds "policy" and "picker"; see `step.hand_in_policy`.

        context: what they get; None: one with the thesis's evaluation and the built-in functions. What a user's
        function raises is raised, and no one has handed in then.
        """
        if context is None:
            context = make_context(self.board, self.params, self.players, THESIS)
        batch, players = self.batch, self.players
        own = fitting(rngs, "rngs", np.uint64, (batch, players, 2))
        if not rngs.flags.writeable:
            raise InputError("rngs: read-only, and the bots' generators go on")
        ready = self.turns.status.copy()
        try:
            with watched():
                bad = hand_in_policy(
                    context,
                    self.settings,
                    _address_of(policy_signature, policy),
                    _address_of(picker_signature, pick),
                    self.state,
                    self.out,
                    self.turns,
                    self.work,
                    fitting(chosen, "chosen", np.int16, (batch, players)),
                    index(which, "which", 2**15),
                    fitting(after, "after", np.int8, (batch,)),
                    own,
                )
        except BaseException:
            self.turns.status[...] = ready
            raise
        if bad >= 0:
            raise InputError(f"after: {after[bad]} in game {bad} is no player; they are 0 .. {players - 1}")
        if own is not rngs:
            rngs[...] = own

    def resolve(
        self, which: npt.NDArray[np.int8] | None = None, numbers: npt.NDArray[np.int64] | None = None
    ) -> None:  # fmt: skip
        """The second half of `step`: play the rounds for which all turns are in, pay, and observe.

        Of the games with which int8[B] not 0 (None: all); the others stay as they are, with reward 0. What a user's
        reward raises is raised, and nothing has been played then. numbers int64[B]: of the games in a larger batch,
        by which errors tell them, or -1: nobody plays it, and a user's reward is not asked of it.
        """
        before = earlier = None
        if self.own_reward is not None:
            before = self.snapshot()
            earlier = self._games(before.state, before.live, self.out.income.copy())
        which = self._every_game if which is None else fitting(which, "which", np.int8, (self.batch,))
        owners = (
            None if self._chronicle is None else self._chronicle.before(self.state, self.out.live, self.turns, which)
        )
        resolve(
            self.context,
            self.settings,
            self._write_mask,
            self._config,
            self.state,
            self.out,
            self.turns,
            self.bits,
            self.work,
            which,
        )
        if before is not None and earlier is not None:
            try:
                paid = self._own_paid(earlier, numbers)
            except BaseException:
                self._put(before)
                raise
            self.out.reward[...] = np.where(before.live & (which != 0)[:, None], paid, 0.0)
        if self._chronicle is not None and owners is not None:
            self._chronicle.after(self.state, owners)

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
        if whole and not turns_only:
            check_core(self)
        if not turns_only:
            self._forget()
        self._look(turns_only)

    def _look(self, turns_only: bool = False, first: int = 0, end: int | None = None) -> None:
        end = self.batch if end is None else end
        if turns_only:
            look_at_turns(
                self.context,
                self.settings,
                self._write_mask,
                self._config,
                self.state,
                self.out,
                self.turns,
                self.work,
                first,
                end,
            )
            return
        look(
            self.context,
            self.settings,
            self._write_mask,
            self._config,
            self.state,
            self.out,
            self.turns,
            self.bits,
            self.work,
            first,
            end,
        )

    # Looking

    def games(self) -> Games:
        """The games as they are, for a `RewardFunction`; read-only, and changed by the next step."""
        return self._games(self.state, self.out.live, self.out.income)

    @staticmethod
    def _games(state: State, live: npt.NDArray[np.bool_], income: npt.NDArray[np.int32]) -> Games:
        return Games(
            read_only(state.owner), read_only(state.army), read_only(income), read_only(state.round),
            read_only(state.phase), read_only(state.winner), read_only(live),
        )  # fmt: skip

    def seen(self, slot: int, games: slice | npt.NDArray[np.int64] = slice(None)) -> SeenGames:
        """What the players of a slot see of several games, for an `ObservationFunction`; read-only."""
        state, out = self.state, self.out
        seat = out.seat[games, slot].astype(np.int64)[:, None]
        count, turn, left = len(seat), np.zeros((len(seat), 0, len(TURN)), np.float32), np.ones(len(seat), np.float32)
        if self.encoding.stepwise:
            values = out.features[games, slot]
            turn, left = self.features["turn"].cut(values), self.features["income_left"].cut(values).reshape(count)
        income = np.take_along_axis(out.income[games], seat, axis=1)[:, 0]
        arrays = (
            out.seen_owner[games, slot], out.seen_army[games, slot], (out.free[games, slot] == OFFERED).view(np.int8),
            state.round[games], income, state.phase[games], turn, left,
        )  # fmt: skip
        return SeenGames(*map(read_only, arrays))

    def view(self, player: int, b: int = 0) -> View:
        """What the player may see of game b, as agents take it."""
        state, b, player = self.state, index(b, "b", self.batch), index(player, "player", self.players)
        starts, told = None, None
        if self._chronicle is not None:
            starts, told = self._chronicle.starts(b), self._chronicle.told(b, player)
        if starts is None and state.phase[b] == PLAY and not state.round[b]:
            starts = tuple(tuple(np.flatnonzero(state.owner[b] == p).tolist()) for p in range(self.players))
        return view_of(self.map, self.board, self.rules, self.params, state, b, player, starts=starts, told=told)

    def render(self, mode: str | None, b: int = 0) -> str | npt.NDArray[np.uint8] | None:
        """The true position of game b: printed ("human"), as text ("ansi") or as uint8[H, W, 3] ("rgb_array")."""
        if mode is None:
            gymnasium.logger.warn("render() does nothing: this environment was made without a render_mode")
            return None
        from warlight_env.render import ShownPosition, to_rgb, to_text

        state, b = self.state, index(b, "b", self.batch)
        position = ShownPosition(
            self.map, state.owner[b].copy(), state.army[b].copy(), self.players, int(state.round[b])
        )
        if mode == "rgb_array":
            return to_rgb(position)
        text: str = to_text(position)
        if mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def mask(self, slot: int, b: int = 0) -> npt.NDArray[np.int8]:
        """What the player of a slot may do in game b, as one flat int8 vector of its own."""
        b, slot = index(b, "b", self.batch), index(slot, "slot", self.slots)
        if self.encoding.mask_size:
            return self.out.mask[b, slot].copy()
        return self.encoding.flat_mask(self.view(int(self.out.seat[b, slot]), b))

    def flat_masks(self, slot: int, games: slice | npt.NDArray[np.int64] = slice(None)) -> npt.NDArray[np.int8]:
        """`mask` of several games, int8[M, K]."""
        if self.encoding.mask_size:
            return self.out.mask[games, slot].copy()
        return np.stack([self.mask(slot, int(b)) for b in np.arange(self.batch)[games]])

    def read_rows(
        self, actions: Any, games: npt.NDArray[np.int64], slot: int, out: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Write the kernel rows of the actions of a slot's players to out, int64[M, K]; returns what was dropped."""
        return self.encoding.rows(actions, lambda i: self.view(int(self.out.seat[games[i], slot]), int(games[i])), out)

    def shaped_mask(self, slot: int, b: int = 0) -> Any:
        """The same in the form that the action space's `sample` takes."""
        b, slot = index(b, "b", self.batch), index(slot, "slot", self.slots)
        if self.encoding.mask_size:
            return self.encoding.shape_mask(self.out.mask[b, slot].copy())
        return self.encoding.mask(self.view(int(self.out.seat[b, slot]), b))

    # Saving

    def save_turns(self) -> Any:
        """What is handed in so far, for `restore_turns`; where that is nothing, no turns are copied."""
        empty = not self.settings.stepwise and not self.turns.status.any()
        return None if empty else copied(self.turns), self.out.illegal.copy()

    def restore_turns(self, saved: Any) -> None:
        """Take back what was handed in since `save_turns`. Raises StateError for anything else, and changes nothing."""
        turns, illegal = checked_turns(self, saved)
        if turns is None:
            self.turns.status[...] = 0
        else:
            _assign(self.turns, turns)
        self.out.illegal[...] = illegal
        if self.settings.stepwise:
            self._look(turns_only=True)

    def snapshot(self) -> Snapshot:
        """A copy of everything that decides how the games go on, dice included."""
        out = self.out
        return Snapshot(
            self.digest, copy_state(self.state), out.cycles.copy(), out.potential.copy(), out.reward.copy(),
            out.illegal.copy(), out.live.copy(), out.terminated.copy(), out.truncated.copy(),
            copied(self.turns) if self.settings.stepwise else None,
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this core or of one made alike, observations and masks included.

        What is handed in and not resolved is forgotten, but for what the snapshot has of it. Every array must be as
        `snapshot` makes them, shape, dtype and byte order, and the games such as can come about: else StateError tells
        the place and the reason, and nothing changes.
        """
        self._put(checked(self, snapshot))
        self._forget()

    def _forget(self) -> None:
        """The games go on from positions to which nobody saw them come."""
        if self._chronicle is not None:
            self._chronicle = None
            self.remember()

    def _put(self, snapshot: Snapshot) -> None:
        _assign(self.state, snapshot.state)
        for name in STANDING:
            getattr(self.out, name)[...] = getattr(snapshot, name)
        if snapshot.turns is not None:
            _assign(self.turns, snapshot.turns)
        else:
            self.turns.status[...] = 0
        self._look()

    def another(self, batch: int) -> EnvCore:
        """A core of such games, none of them begun, for the same thread: what is static and working memory are shared.

        Its arrays lie in one block of memory.
        """
        other = EnvCore.__new__(EnvCore)
        other.__dict__.update(self.__dict__)
        other.batch, other._work, other._chronicle = batch, self.work, None
        n, e, players = self.board.n_regions, self.board.n_edges, self.players
        state, rngs = make_state(batch, n, players), np.zeros((batch, players, 2), dtype=np.uint64)
        out: tuple[Any, ...] = tuple(other._make_buffers(self.slots))
        turns: tuple[Any, ...] = tuple(make_turns(n, e, players, batch))
        arrays = iter(together([*state, *out, *turns, rngs]))
        other.state = State(*islice(arrays, len(state)))
        other.out = reference(Buffers(*islice(arrays, len(out))))
        other._turns, other.bot_rngs = reference(Turns(*islice(arrays, len(turns)))), next(arrays)
        other._everybody, other._every_game = np.ones((batch, self.slots), np.int8), np.ones(batch, np.int8)
        other._converted = np.empty((batch, self.slots, self.row_size), np.int64)
        if self.remembers:
            other.remember()
        return other

    def clone(self) -> EnvCore:
        """An independent copy that goes on exactly as this one would; what is static is shared."""
        other = EnvCore.__new__(EnvCore)
        other.__dict__.update(self.__dict__)
        other.state = copy_state(self.state)
        arrays: Any = self.out
        other.out = reference(Buffers(*[array.copy() for array in arrays]))
        other._converted, other._work = np.empty_like(self._converted), None
        other.bot_rngs = self.bot_rngs.copy()
        other._turns = None
        if self._turns is not None and (self.settings.stepwise or self._turns.status.any()):
            other._turns = reference(copied(self._turns))
        other._chronicle = None if self._chronicle is None else self._chronicle.copy()
        return other


#: Arrays of `Buffers` that do not depend on slots.
_PER_PLAYER = ("income", "illegal", "reward", "potential", "live", "terminated", "truncated", "cycles")


def digest_of(map: maps.Map, rules: Rules, players: int) -> str:
    """A digest of what decides of what kind a game is."""
    return hashlib.sha256(json.dumps([map.digest(), rules.to_dict(), players]).encode()).hexdigest()


def _assign(mine: Any, theirs: Any) -> None:
    """Write arrays into those that kernels work in."""
    for own, other in zip(mine, theirs, strict=True):
        own[...] = other


def _address_of(signature: Callable[[], Any], plug: Any) -> Any:
    made: Any = plug if isinstance(plug, CFunc) else None
    if not JIT_DISABLED and (made is None or made._sig.args != signature().args):
        raise InputError(f"must be a plug-in that `plug_in` made, with another signature: {plug!r:.60}")
    return address(plug)


def _wishes(view: View, choice: Any) -> tuple[list[int], int]:
    """The regions wished for that are offered, each once, and how many others there were."""
    try:
        wishes = [operator.index(region) for region in choice]
    except TypeError:
        raise InputError(f"player {view.player}: picks must be a list of regions, not {choice!r:.60}") from None
    offers = set(view.offers)
    wished = [region for region in dict.fromkeys(wishes) if region in offers]
    return wished, len(wishes) - len(wished)


class ActionError(InputError):
    """An action out of its space; nothing was stepped."""

    def __init__(self, game: int, player: int, reason: str) -> None:
        super().__init__(f"game {game}, player {player}: {reason}")
        self.game, self.player, self.reason = game, player, reason

    def __reduce__(self) -> tuple[type[ActionError], tuple[int, int, str]]:
        return ActionError, (self.game, self.player, self.reason)


__all__ = ["ActionError", "EnvCore", "Snapshot"]
