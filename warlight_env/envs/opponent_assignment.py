"""Tables that name the opponents in each game: `CoreOpponents` for one `EnvCore`, `OpponentTable` for several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from warlight_env.engine.jit import address
from warlight_env.engine.reference import address_array
from warlight_env.engine.rng import derive_seed
from warlight_env.envs.core import EnvCore
from warlight_env.envs.opponents import BotOpponent, Opponent, OpponentError, OpponentPool, Slot


def draw_opponents(slots: Sequence[Slot], seeds: Sequence[int]) -> list[list[Opponent]]:
    """Return the opponents in each game, by seat; the seed of a game determines its random draws from pools.

    slots: the opponents, or pools of opponents. seeds: the seeds of the games. Without slots, the list is empty.
    """
    if not slots:
        return []
    return [
        [slot.draw(derive_seed(seed, 2, k)) if isinstance(slot, OpponentPool) else slot for k, slot in enumerate(slots)]
        for seed in seeds
    ]


class ActiveOpponent(NamedTuple):
    """An opponent in the games of an `EnvCore`, with its number and its memory of these games."""

    number: int
    opponent: Opponent
    memory: Any


class CoreOpponents:
    """The opponents in the games of an `EnvCore`. Each opponent has a number.

    Attributes:
        chosen: int16[B, P], the number of the opponent that controls each player, or -1 for a learner.
    """

    def __init__(self, core: EnvCore) -> None:
        self._core = core
        self.changed = True  #: whether the opponents have changed since the last `OpponentTable.set_opponents`
        self.chosen = np.full((core.batch, core.players), -1, dtype=np.int16)
        self._slots: Sequence[Slot] = ()
        self._table: list[ActiveOpponent | None] = []
        # An `EnvCore` that `EnvCore.new_like` made may already record the history of its games.
        self._remembers_for_opponents = core.records_history

    def prepare(self, slots: Sequence[Slot], history: bool) -> None:
        """Set the opponents of games that begin now; make the `EnvCore` compute the data that these opponents need.

        The data are observations for some opponents, and views of the games for other opponents.

        history: whether to record the history of the games even if no opponent needs views.
        """
        self._slots, core = slots, self._core
        if core.slots < core.players and any(slot.observes for slot in slots):
            core.set_slots(core.players)
        if history:
            self.record_history()
        elif not core.records_history and any(slot.views for slot in slots):
            core.record_history()
            self._remembers_for_opponents = True

    def record_history(self) -> None:
        """Record the history of the games from now on, even if no opponent needs views."""
        self._core.record_history()
        self._remembers_for_opponents = False

    def number(self, opponent: Opponent) -> int:
        """Return the number of an opponent in this object. An opponent without a number gets an unused number."""
        free = len(self._table)
        for i, entry in enumerate(self._table):
            if entry is None:
                free = min(free, i)
            elif entry.opponent is opponent:
                return i
        if free >= 30_000:
            raise OpponentError("more than 30,000 opponents play at the same time")
        active = ActiveOpponent(free, opponent, opponent.make_memory(self._core))
        self._table[free : free + 1] = [active]
        self.changed = True
        return free

    def begin(self, b: int, seed: int) -> None:
        """Call `Opponent.begin` of all opponents in game b that are not compiled; `seed` is the game's seed."""
        for player, number in enumerate(self.chosen[b].tolist()):
            playing = self._table[number] if number >= 0 else None
            if playing is not None and not isinstance(playing.opponent, BotOpponent):
                playing.opponent.begin(playing.memory, self._core, b, player, derive_seed(seed, 3, player))

    def forget_idle(self, has_games: bool) -> None:
        """Remove the opponents that play in no game. has_games: whether the `EnvCore` contains a game."""
        if len(self._table) > 1 or not has_games:
            in_use = np.isin(np.arange(len(self._table)), self.chosen)
            for i in np.flatnonzero(~in_use).tolist():
                self.changed |= self._table[i] is not None
                self._table[i] = None
        if self._remembers_for_opponents:
            sources = (*(self._slots if has_games else ()), *(playing.opponent for playing in self.playing()))
            if not any(source.views for source in sources):
                self._core.round_history, self._remembers_for_opponents = None, False

    def playing(self) -> list[ActiveOpponent]:
        """Return the opponents that play in at least one game."""
        return [active for active in self._table if active is not None]

    def in_game(self, b: int) -> tuple[Opponent, ...]:
        """Return the opponents in game b, in the order of their seats."""
        entries = (self._table[i] for i in self.chosen[b] if i >= 0)
        return tuple(active.opponent for active in entries if active is not None)


class OpponentTable:
    """The opponents in the games of several `EnvCore` objects, as arguments for the kernel `step_many`.

    Attributes:
        numbers: int16[K, C], the number of compiled bot k in `CoreOpponents` c; -1 if the bot plays in none of its
            games.
        others: a dict from the index of an `EnvCore` to its opponents that are not compiled.
    """

    def __init__(self, cores: int) -> None:
        self._bots: list[BotOpponent] = []
        self.numbers = np.zeros((0, cores), np.int16)
        self.others: dict[int, list[ActiveOpponent]] = {}

    def set_opponents(self, i: int, players: CoreOpponents) -> None:
        """Store the opponents of all games in the `EnvCore` that has the index i in this table."""
        self.numbers[:, i] = -1
        self.others.pop(i, None)
        for playing in players.playing():
            if isinstance(playing.opponent, BotOpponent):
                row = self._row_of(playing.opponent)  # this call may replace `self.numbers` by a larger array
                self.numbers[row, i] = playing.number
            else:
                self.others.setdefault(i, []).append(playing)

    def _row_of(self, bot: BotOpponent) -> int:
        """Return the row index of a bot in `numbers`; add a row if the bot has none."""
        if bot not in self._bots:
            in_use = np.asarray((self.numbers >= 0).any(axis=1))
            self._bots = [old_bot for old_bot, is_used in zip(self._bots, in_use, strict=True) if is_used] + [bot]
            new_row = np.full((1, self.numbers.shape[1]), -1, np.int16)
            self.numbers = np.vstack((self.numbers[in_use], new_row))
        return self._bots.index(bot)

    def kernels(self) -> tuple[Any, Any]:
        """Return the addresses of the compiled functions of the K bots: K that play rounds, and K that pick regions."""
        policies, pickers = (address_array([address(bot.kernels[i]) for bot in self._bots]) for i in (0, 1))
        return policies, pickers
