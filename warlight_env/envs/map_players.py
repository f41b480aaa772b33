"""Who plays on many maps: where kernels find the games and the bots that are kernels, and who else moves in which."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warlight_env.engine.jit import JIT_DISABLED, address
from warlight_env.engine.reference import address_of
from warlight_env.envs.map_parts import MapPart, PartsOfMaps
from warlight_env.envs.opponents import BotOpponent, Opponent


class MapPlayers:
    """What `step_many` gets of all parts.

    Attributes:
        addresses: of the parts' records, by the parts' indices.
        numbers: int16[K, parts], each bot's number in a part's `chosen`, or -1.
        others: by a part's index, who is no bot in compiled code: the number in `chosen`, the opponent, its memory.
    """

    def __init__(self, parts: PartsOfMaps) -> None:
        self._parts = parts
        self._bots: list[BotOpponent] = []
        self.addresses: Any = []
        self.numbers = np.zeros((0, 0), np.int16)
        self.others: dict[int, list[tuple[int, Opponent, Any]]] = {}

    def note(self, parts: Collection[MapPart]) -> None:
        """Games have begun in these parts, or nowhere; where there are other parts than before, all are noted anew."""
        if self._parts.changed:
            parts, count = self._parts.all, len(self._parts.all)
            self.addresses = [None] * count if JIT_DISABLED else np.zeros(count, np.int64)
            self._bots, self.numbers, self.others = [], np.zeros((0, count), np.int16), {}
            self._parts.changed = False
        for part in parts:
            self.addresses[part.index] = address_of(part.record)
            self.numbers[:, part.index] = -1
            others = []
            for i, opponent, memory in part.episodes.playing():
                if isinstance(opponent, BotOpponent):
                    row = self._row_of(opponent)  # which may make one
                    self.numbers[row, part.index] = i
                else:
                    others.append((i, opponent, memory))
            self.others.pop(part.index, None)
            if others:
                self.others[part.index] = others

    def _row_of(self, bot: BotOpponent) -> int:
        """Where a bot stands among those that play."""
        if bot not in self._bots:
            playing = np.asarray((self.numbers >= 0).any(axis=1))
            self._bots = [known for known, plays in zip(self._bots, playing, strict=True) if plays] + [bot]
            more = np.full((1, self.numbers.shape[1]), -1, np.int16)
            self.numbers = np.vstack((self.numbers[playing], more))
        return self._bots.index(bot)

    def kernels(self) -> tuple[Any, Any]:
        """The addresses of the bots' policies, and of their pickers, K each."""
        policies, pickers = (_addresses([bot.kernels[i] for bot in self._bots]) for i in (0, 1))
        return policies, pickers

    def found(self, games: Sequence[tuple[MapPart, int]]) -> tuple[Any, npt.NDArray[np.int64]]:
        """Games as kernels find them: the addresses of their parts, and places in them."""
        parts = [self.addresses[part.index] for part, _ in games]
        places = np.array([c for _, c in games], dtype=np.int64)
        return parts if JIT_DISABLED else np.array(parts, dtype=np.int64), places


def _addresses(found: Sequence[Any]) -> Any:
    """Of functions, as kernels take several."""
    return [address(each) for each in found] if JIT_DISABLED else np.array(list(map(address, found)), dtype=np.int64)
