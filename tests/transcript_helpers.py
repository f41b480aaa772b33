"""Complete games of the engines of the two AI Challenges: all lines of the protocol, in ``tests/transcripts``.

A file contains the rules and the map. Then follow for each round the results of the dice (for `Game.play_round`) and
the lines of both seats: ``1>`` to the first bot and ``1<`` from it, ``2>`` and ``2<`` for the second bot. ``MS``
replaces the time bank, which differs between runs. The bots sometimes made errors on purpose: unknown regions, other
names, late orders, and additional output.
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
    """A recorded game; `lines` are by seat, with their directions: "> …" to the bot, "< …" from it."""

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
        """Return the regions in the first line to the first seat that starts with `head`."""
        line = next(line for line in self.told(0) if line.startswith(head))
        return [int(word) - 1 for word in line.removeprefix(head).split() if word != "MS"]

    def game(self) -> Game:
        """Return the game before its first pick, with the offered regions and wastelands of the recorded game."""
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
        """Return the dice of round `round` (from 0) for `Game.play_round`."""
        return np.array([0, *(self.dice[round] or [0])], dtype=np.int64)
