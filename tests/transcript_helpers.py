"""Whole games as the competitions' engines played them, recorded line by line in both seats: ``tests/transcripts``.

A file says which rules and map; then, for each round, what the dice showed (for `Game.play_round`); then each seat's
lines, ``1>`` to the first bot and ``1<`` from it, ``2>`` and ``2<`` of the second one. ``MS`` stands for the bank,
which no two runs share. The bots were made to be rude now and then: unknown regions, other names, orders that come too
late or say too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from warlight_env.engine.rules import Rules
from warlight_env.game import Game

FOLDER = Path(__file__).parent / "transcripts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


@dataclass(frozen=True)
class Transcript:
    """A recorded game; `lines` by seat, each with its direction: "> …" to the bot, "< …" from it."""

    rules: str
    map: str
    dice: list[list[int]]
    lines: list[list[str]]

    @classmethod
    def load(cls, name: str) -> Transcript:
        rules = map_ = ""
        dice: list[list[int]] = []
        lines: list[list[str]] = [[], []]
        for line in (FOLDER / f"{name}.txt").read_text().splitlines():
            head, _, rest = line.partition(" ")
            if head == "rules":
                rules = rest
            elif head == "map":
                map_ = rest
            elif head == "dice":
                dice.append([int(word) for word in rest.split()])
            else:
                lines[int(head[0]) - 1].append(line[1:])
        return cls(rules, map_, dice, lines)

    @property
    def challenge(self) -> int:
        return int(self.rules[-1])

    def told(self, seat: int) -> list[str]:
        return [line[2:] for line in self.lines[seat] if line[0] == ">"]

    def answers(self, seat: int) -> list[str]:
        return [line[2:] for line in self.lines[seat] if line[0] == "<"]

    def regions(self, head: str) -> list[int]:
        """The regions of the first seat's first line that begins so."""
        line = next(line for line in self.told(0) if line.startswith(head))
        return [int(word) - 1 for word in line.removeprefix(head).split() if word != "MS"]

    def game(self) -> Game:
        """The game before its first pick, with what the recorded one offered and its wastelands."""
        rules = Rules.of(self.rules)
        game = Game(self.map, rules)
        data = game.to_dict()
        del data["hash"]
        wastes = self.regions("setup_map wastelands") if self.challenge == 2 else []
        offered = self.regions("settings starting_regions" if self.challenge == 2 else "pick_starting_regions")
        n = game.map.n_regions
        data["state"]["army"] = [rules.wasteland_army if r in wastes else 2 for r in range(n)]
        data["state"]["offers"] = [3 if r in offered else 0 for r in range(n)]
        return Game.from_dict(data)

    def script(self, round: int) -> npt.NDArray[np.int64]:
        """The dice of a round, from 0."""
        return np.array([0, *(self.dice[round] or [0])], dtype=np.int64)
