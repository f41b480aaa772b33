"""`Game`: one game for people, bots and web pages. It checks all input; kernels execute the rounds."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Never

import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.arguments import is_integer, short_repr
from warlight_env.array_arguments import array_of
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders, OrdersTypeError, check_turn, preferences_of
from warlight_env.engine.rng import SEEDS, derive_seed, make_rng
from warlight_env.engine.round import EVENT_COLUMNS, income, play_round
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.engine.setup import (
    ALTERNATING,
    check_players,
    picker,
    resolve_picks,
    start_game,
)
from warlight_env.engine.state import (
    OVER,
    PHASES,
    PICK,
    State,
    Workspace,
    copy_state,
    make_state,
    state_bytes,
)
from warlight_env.engine.view import View, view_of
from warlight_env.engine.workspace_pool import workspace_pool
from warlight_env.notebooks import html_of
from warlight_env.saved_position import FORMAT, fill_state
from warlight_env.step_results import (
    Deploy,
    Event,
    GameError,
    IllegalOrder,
    IllegalOrdersError,
    RoundResult,
    dropped_orders,
    round_result,
)
from warlight_env.thread_ownership import UseLock, exclusive

OnIllegal = Literal["raise", "skip"]

#: A step in the path of seeds of `reseed`, so that `Game(seed=s)` and `reseed(s)` have different dice.
_RESEED: Final = 0x5EED


class _DiceSeed(NamedTuple):
    """The seed that determines the dice."""

    value: int
    reseeded: bool  # a seed of `reseed`, not of the constructor


class _Past(NamedTuple):
    """The game before a step, for `undo`."""

    state: State
    last: RoundResult | None
    dice_seed: _DiceSeed
    past: _Past | None


class Game:
    """A game of 2 to 6 players. One thread at a time may use it.

    Args:
        map: a bundled map's name, a file, or a `Map`.
        rules: a preset's name, a `Rules` record, or a dict of its fields.
        players: 2 to 6.
        seed: any integer; it determines the offers and all dice. `reseed` replaces the dice.
        picks: "play" starts with the picking phase; "random" picks start regions for all players at random.

    Raises:
        MapError, RulesError: the map or the rules are not valid; the message gives the place and the reason.
    """

    __slots__ = (
        "_board", "_dice_seed", "_in_use", "_last", "_params", "_past", "_starts", "_state", "_workspaces", "map",
        "players", "rules",
    )  # fmt: skip

    def __init__(
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        seed: int = 0,
        picks: Literal["play", "random"] = "play",
    ) -> None:
        self._dice_seed = _DiceSeed(_checked_seed(seed), reseeded=False)
        if not isinstance(picks, str) or picks not in ("play", "random"):
            raise GameError(f"picks = {short_repr(picks)}: must be 'play' or 'random'")
        self._in_use = UseLock()
        self.map = map if isinstance(map, maps.Map) else maps.load(map)
        self.rules = Rules.of(rules)
        self.players = players
        self._board = make_board(self.map)
        self._params = check_players(self._board, self.rules, players)
        self._workspaces = workspace_pool(self._board.n_regions, self._board.n_edges, players)
        self._state = make_state(1, self._board.n_regions, players)
        self._past: _Past | None = None
        self._last: RoundResult | None = None  # for views, like the start regions below
        self._starts: tuple[tuple[int, ...], ...] | None = None
        self._state.rng[0] = make_rng(derive_seed(self.seed))
        with self._workspaces.borrow() as work:
            if not start_game(self._board, self._params, self._state, 0, work.scratch):
                raise RulesError(
                    f"map {self.map.name!r}: cannot find start regions for {players} players that are not neighbours"
                )
            if picks == "random" and self.phase == "pick":
                self._pick_at_random(work)
        self._note_starts()

    # State

    @property
    def seed(self) -> int:
        """The seed of the dice: the argument of the constructor, or of the last `reseed`. Read-only.

        After an `undo` it is again the seed of the dice that the game then has.
        """
        return self._dice_seed.value

    @seed.setter
    def seed(self, value: Never) -> None:
        raise AttributeError("Game.seed is read-only: call reseed(seed) for new dice, or clone(seed=...) for a copy")

    @property
    def reseeded(self) -> bool:
        """Whether the dice come from `reseed`, not from the constructor's seed."""
        return self._dice_seed.reseeded

    @property
    def phase(self) -> str:
        """ "pick", "play" or "over"."""
        return PHASES[self._state.phase[0]]

    @property
    def round(self) -> int:
        """Number of played rounds."""
        return int(self._state.round[0])

    @property
    def owner(self) -> npt.NDArray[np.int8]:
        """int8[N]: for each region -1 (neutral) or the player who owns it. Read-only."""
        return _read_only(self._state.owner[0])

    @property
    def army(self) -> npt.NDArray[np.int32]:
        """int32[N]: for each region its armies, at least 1. Read-only."""
        return _read_only(self._state.army[0])

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        return bool(self._state.phase[0] == OVER)

    @property
    def winner(self) -> int | None:
        """The winner; None during the game and after a draw."""
        winner = int(self._state.winner[0])
        return winner if winner >= 0 else None

    @property
    def placements(self) -> tuple[int, ...]:
        """Each player's place in the current state; 1 is the best. Equal players share a place.

        Players who are still in the game come first. They share a place, unless one has won or the rules break ties by
        regions and then armies. Eliminated players follow; a later elimination is better.
        """
        scores = []
        for p in range(self.players):
            out = int(self._state.eliminated_at[0, p])
            mine = self._state.owner[0] == p
            size = (int(mine.sum()), int(self._state.army[0][mine].sum()))
            by_size = size if self.rules.tie_break == "regions" and out == 0 else (0, 0)
            scores.append((out == 0, out, p == self.winner, *by_size))
        return tuple(1 + sum(other > mine for other in scores) for mine in scores)

    @property
    def eliminated(self) -> tuple[int | None, ...]:
        """For each player the round in which it lost its last region, or None if it is still in the game."""
        return tuple(int(last) or None for last in self._state.eliminated_at[0, : self.players])

    def alive(self, player: int) -> bool:
        """Return whether a player has regions; in the phase "pick", whether it will get some."""
        self._check_player(player)
        return bool(self._state.eliminated_at[0, player] == 0)

    def income(self, player: int) -> int:
        """Return the armies that the player may deploy this round; 0 for an eliminated player."""
        self._check_player(player)
        if not self.alive(player):
            return 0
        return int(income(self._board, self._params.base_income, self._state.owner[0], player))

    def pickers(self) -> tuple[int, ...]:
        """Return the players who must pick now."""
        if self.phase != "pick":
            return ()
        if self._params.picking == ALTERNATING:
            return (int(picker(self._state.turn[0], self.players)),)
        return tuple(range(self.players))

    @exclusive
    def view(self, player: int) -> View:
        """Return the player's view. Under fog it shows own regions and their neighbours; in the phase "pick", all."""
        self._check_player(player)
        told = None if self._last is None else functools.partial(self._last.seen_by, player)
        return view_of(
            self.map, self._board, self.rules, self._params, self._state, 0, player, starts=self._starts, told=told
        )

    def offers(self, player: int) -> tuple[int, ...]:
        """Return the regions that the player may pick."""
        self._check_player(player)
        if self.phase != "pick":
            return ()
        return tuple(np.flatnonzero(self._state.offers[0] >> player & 1).tolist())

    def _check_player(self, player: int) -> None:
        if not is_integer(player) or not 0 <= player < self.players:
            raise GameError(f"player = {short_repr(player)}: this game has players 0 to {self.players - 1}")

    # Steps of the game

    @exclusive
    def pick(
        self, preferences: Mapping[int, Sequence[int]] | None = None, on_illegal: OnIllegal = "raise"
    ) -> list[IllegalOrder]:
        """Pick start regions for the players who must pick now. Picks without a preferred region are drawn at random.

        preferences: for each of these players a list of preferred regions, best first. If a list is longer than the
            rules need ("ranked"), only its first regions count.
        on_illegal: "raise" is strict: every list must have enough regions, all of them offered and none twice. "skip"
            drops illegal regions and returns them.
        """
        _check_on_illegal(on_illegal)
        if self.phase != "pick":
            raise GameError(f"pick is not possible now: the game's phase is {self.phase!r}")
        if not isinstance(preferences, Mapping | None):
            raise GameError(
                f"preferences must be a dict with a list of regions for each player, not {short_repr(preferences)}"
            )
        preferences = {} if preferences is None else _copied(preferences, "preferences")
        pickers = self.pickers()
        illegal: list[IllegalOrder] = []
        table = np.full((self.players, max(1, self._board.n_regions)), -1, dtype=np.int32)
        for player in preferences:
            self._check_player(player)
            if player not in pickers:
                raise GameError(f"player {player} cannot pick now; the players who must pick are {pickers}")
        counts = np.zeros(self.players, dtype=np.int32)
        for player in pickers:
            legal = self._legal_preferences(player, preferences.get(player, ()), illegal, strict=on_illegal == "raise")
            table[player, : len(legal)] = legal
            counts[player] = len(legal)
        if illegal and on_illegal == "raise":
            raise IllegalOrdersError(illegal)
        state = copy_state(self._state)
        with self._workspaces.borrow() as work:
            resolve_picks(self._params, state, 0, table, counts, work.scratch)
        self._go_on(state)
        self._note_starts()
        return illegal

    def _note_starts(self) -> None:
        if self.phase != "play":
            return
        picked: dict[int, int] = {}  # region: the step of the game in which it was picked
        now, past, step = self._state, self._past, 0
        while past is not None:
            for region in np.flatnonzero(now.owner[0] != past.state.owner[0]).tolist():
                picked[region] = step
            now, past, step = past.state, past.past, step - 1
        # Regions assigned at random, or picked before the game was loaded, come first: the step of their pick is
        # unknown.
        starts = (np.flatnonzero(self.owner == p).tolist() for p in range(self.players))
        self._starts = tuple(tuple(sorted(start, key=lambda r: picked.get(r, step))) for start in starts)

    def _legal_preferences(
        self, player: int, preferences: Sequence[int], illegal: list[IllegalOrder], *, strict: bool
    ) -> list[int]:
        offers = set(self.offers(player))
        legal: list[int] = []
        for index, region in enumerate(preferences_of(preferences, player)):
            if region in legal:
                illegal.append(IllegalOrder(player, "pick", index, (region,), "named twice"))
            elif region not in offers:
                illegal.append(IllegalOrder(player, "pick", index, (region,), "not offered to the player"))
            else:
                legal.append(region)
        needed = 1 if self._params.picking == ALTERNATING else self._params.picks
        if strict and not illegal and len(legal) < needed:
            reason = f"{needed} regions must be named"
            illegal.append(IllegalOrder(player, "pick", len(legal), tuple(legal), reason))
        return legal

    def _pick_at_random(self, work: Workspace) -> None:
        table, counts = np.full((self.players, 1), -1, dtype=np.int32), np.zeros(self.players, dtype=np.int32)
        while self._state.phase[0] == PICK:
            resolve_picks(self._params, self._state, 0, table, counts, work.scratch)

    @exclusive
    def check(self, player: int, orders: Orders) -> list[IllegalOrder]:
        """Return those of a player's orders that the rules forbid now, with reasons; play nothing."""
        with self._workspaces.borrow() as work:
            return self._check(player, orders, work)

    def _check(self, player: int, orders: Orders, work: Workspace) -> list[IllegalOrder]:
        """See `check`; afterwards the workspace contains the legal orders."""
        self._check_player(player)
        if self.phase != "play":
            raise GameError(f"orders are not possible now: the game's phase is {self.phase!r}")
        if not isinstance(orders, Orders):
            raise OrdersTypeError(f"orders must be `Orders`, not {type(orders).__name__}", player)
        try:
            count, dropped, reasons = check_turn(
                self._board, self._params, self._state.owner[0], player, self.income(player), orders,
                work.deploy[player], work.attacks[player],
            )  # fmt: skip
        except OrdersTypeError as error:
            raise OrdersTypeError(error.reason, player) from None
        work.counts[player] = count
        return dropped_orders(player, orders, reasons) if dropped else []

    @exclusive
    def play_round(
        self,
        orders: Sequence[Orders | None] | Mapping[int, Orders | None],
        on_illegal: OnIllegal = "raise",
        script: npt.NDArray[np.int64] | None = None,
    ) -> RoundResult:
        """Play a round with the orders of all players. A player without orders, or with None, does nothing.

        on_illegal: "raise" is strict: any illegal order raises `IllegalOrdersError`, and nothing is played. "skip"
            drops illegal orders and lists them in the result.
        script: decisions that replace the dice, int64[1 + K], see `engine.dice.scripted_below`.
        """
        _check_on_illegal(on_illegal)
        if script is not None:
            script = array_of(script, "script")
            if script.dtype != np.int64 or script.ndim != 1 or len(script) < 2 or not script.flags.carray:
                raise GameError("script must be a contiguous, writeable array int64[1 + K]: a cursor, then K decisions")
        given = self._by_player(orders)
        illegal: list[IllegalOrder] = []
        with self._workspaces.borrow() as work:
            for player in range(self.players):
                turn = given.get(player)
                illegal += self._check(player, Orders() if turn is None else turn, work)
            if illegal and on_illegal == "raise":
                raise IllegalOrdersError(illegal)
            events = np.zeros((int(work.counts.sum()), EVENT_COLUMNS), dtype=np.int32)
            before, state = self._state.owner[0], copy_state(self._state)
            done = play_round(self._params, state, 0, work, script, events)
            self._go_on(state)
            self._last = round_result(
                self.map.neighbors, self.rules.fog, self.round, work.deploy, events[:done], before,
                self._state.owner[0], illegal,
            )  # fmt: skip
            return self._last

    def _by_player(self, orders: Any) -> dict[int, Orders | None]:
        if isinstance(orders, Mapping):
            given = _copied(orders, "orders")
            for player in given:
                self._check_player(player)
            return given
        if isinstance(orders, Orders) or not isinstance(orders, Sequence) or len(orders) != self.players:
            raise GameError(
                f"orders must be a list of {self.players} turns, one for each player, or a dict of turns by player"
            )
        return dict(enumerate(orders))

    # Undo and copies

    def _go_on(self, state: State) -> None:
        """Make this state the current one. States in `_state` and `_past` are never modified: clones share them."""
        self._past, self._state = _Past(self._state, self._last, self._dice_seed, self._past), state

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._past is not None

    @exclusive
    def changed(self) -> list[tuple[int, int, int]]:
        """Return the regions that the last pick or round changed, as (region, owner, army).

        Raises:
            GameError: there was no such step, or it was undone.
        """
        if self._past is None:
            raise GameError("there is no last step: the game has just begun, or the step was undone")
        now, before = self._state, self._past.state
        regions = ((now.owner != before.owner) | (now.army != before.army)).nonzero()[1]
        owner, army = now.owner[0].take(regions), now.army[0].take(regions)
        return list(zip(regions.tolist(), owner.tolist(), army.tolist(), strict=True))

    @exclusive
    def undo(self) -> None:
        """Undo the last pick or round, including the dice."""
        if self._past is None:
            raise GameError("nothing to undo: the game has just begun")
        self._state, self._last, self._dice_seed, self._past = self._past

    @exclusive
    def reseed(self, seed: int) -> None:
        """Replace the dice of all future steps. Afterwards only the position and the seed determine them.

        Possible in all phases. The position, the offers and the undo history stay the same. `reseed` is not a step:
        `undo` undoes the last pick or round, and restores the dice from before it, also older dice.

        seed: any integer. The dice differ from those of a new game with this seed.

        Raises:
            GameError: the seed is not an integer of fewer than 300 digits.
        """
        checked = _checked_seed(seed)
        self._state = self._state._replace(rng=make_rng(derive_seed(checked, _RESEED)).reshape(1, 2))
        self._dice_seed = _DiceSeed(checked, reseeded=True)

    @exclusive
    def clone(self, seed: int | None = None) -> Game:
        """Return an independent copy, with the same undo history.

        A search must give each copy a new seed. Otherwise the search knows the results of the real game's dice.

        seed: None: the same future, including dice. An integer: new dice, see `reseed`.

        Raises:
            GameError: the seed is neither None nor an integer of fewer than 300 digits.
        """
        other = Game.__new__(Game)
        other._in_use = UseLock()
        other.map, other.rules, other.players = self.map, self.rules, self.players
        other._board, other._params, other._workspaces = self._board, self._params, self._workspaces
        other._state, other._past, other._dice_seed = self._state, self._past, self._dice_seed
        other._last, other._starts = self._last, self._starts
        if seed is not None:
            other.reseed(seed)
        return other

    copy = clone
    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return self.to_dict()

    def __setstate__(self, data: dict[str, Any]) -> None:
        loaded = Game.from_dict(data)
        for slot in Game.__slots__:
            setattr(self, slot, getattr(loaded, slot))

    # Saving

    @exclusive
    def hash(self) -> str:
        """Return a hex digest of map, rules and position, including the dice: equal hashes mean equal futures."""
        digest = hashlib.sha256()
        digest.update(json.dumps([FORMAT, self.map.digest(), self.rules.to_dict(), self.players]).encode())
        digest.update(state_bytes(self._state))
        return digest.hexdigest()

    @exclusive
    def fingerprint(self) -> str:
        """Return 16 hex digits for the position, including the dice: a 64-bit BLAKE2b, fast enough for logs.

        Unlike `hash`, it leaves out map and rules, which do not change during a game.
        """
        arrays: Any = self._state  # of one game, each contiguous
        return hashlib.blake2b(b"".join(arrays), digest_size=8).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.hash() == other.hash()

    __hash__ = None  # type: ignore[assignment]

    @exclusive
    def to_dict(self) -> dict[str, Any]:
        """Return the game as plain data for JSON, with the dice but without the undo history."""
        bundled = self.map.name in maps.names() and maps.load(self.map.name) == self.map
        return {
            "format": FORMAT,
            "map": self.map.name if bundled else self.map.to_dict(),
            "rules": self.rules.to_dict(),
            "players": self.players,
            "seed": self.seed,
            "reseeded": self.reseeded,
            "state": {name: array[0].tolist() for name, array in self._state._asdict().items()},
            "hash": self.hash(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Game:
        """Return the game from data of `to_dict`; the map may also be a `Map`. A `GameError` names any wrong field."""
        if not isinstance(data, dict) or not is_integer(data.get("format")) or data["format"] != FORMAT:
            raise GameError(f"not a saved game of format {FORMAT}")
        for key in ("map", "rules", "players", "seed", "state"):
            if key not in data:
                raise GameError(f"saved game: {key!r} is missing")
        reseeded = data.get("reseeded", False)  # missing in older files
        if not isinstance(reseeded, bool):
            raise GameError(f"saved game: 'reseeded' must be true or false, not {short_repr(reseeded)}")
        map_ = data["map"]
        if not isinstance(map_, maps.Map):
            map_ = maps.load(map_) if isinstance(map_, str) else maps.from_dict(map_)
        game = cls(map_, data["rules"], data["players"], data["seed"])
        fill_state(game._params, game._state, data["state"])
        game._dice_seed = game._dice_seed._replace(reseeded=reseeded)
        game._starts = None  # not saved: only the first round needs them
        if "hash" in data and not (isinstance(data["hash"], str) and data["hash"] == game.hash()):
            raise GameError("saved game: the hash does not match the other fields")
        return game

    # Pictures

    def _repr_svg_(self) -> str:
        from warlight_env.render import ShownPosition, to_svg

        return to_svg(ShownPosition(self.map, self.owner, self.army, self.players, self.round))

    def _repr_html_(self) -> str | None:
        """Return an HTML frame with the web page, for notebooks; None without the page: they show the picture."""
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"Game(map={self.map.name!r}, rules={self.rules.name!r}, players={self.players}, "
            f"phase={self.phase!r}, round={self.round})"
        )


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _copied(given: Mapping[int, Any], what: str) -> dict[int, Any]:
    """Return a caller's values by player as a new dict."""
    try:
        return {player: given[player] for player in given}
    except Exception as error:  # methods of the caller's own object may raise anything
        raise GameError(f"{what}: the entries cannot be read: {type(error).__name__}") from None


def _checked_seed(seed: Any) -> int:
    if not is_integer(seed):
        raise GameError(f"seed = {short_repr(seed)}: must be an integer")
    if abs(int(seed)) >= SEEDS:
        raise GameError("seed: must have fewer than 300 digits")
    return int(seed)


def _check_on_illegal(on_illegal: str) -> None:
    if not isinstance(on_illegal, str) or on_illegal not in ("raise", "skip"):
        raise GameError(f"on_illegal = {short_repr(on_illegal)}: must be 'raise' or 'skip'")


__all__ = [
    "Deploy",
    "Event",
    "Game",
    "GameError",
    "IllegalOrder",
    "IllegalOrdersError",
    "Orders",
    "OrdersTypeError",
    "RoundResult",
]
