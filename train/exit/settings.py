"""All that decides a run of expert iteration on turn networks, as people write it in a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from warlight_env.agents.registry import pinned
from warlight_env.agents.turn_net.turn_file import MOST_HEAT, NONE, load_turns
from warlight_env.agents.value_record import digest, load_value
from warlight_env.errors import InputError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.places import check_places
from warlight_env.train.common.settings_file import check_whole, naming

#: Seats that the run itself fills: by the search that teaches, and by the network as it is.
EXPERT: Final = "expert"
NETWORK: Final = "network"
#: The most rounds of a game.
MOST_ROUNDS: Final = 1000


@dataclass(frozen=True)
class ExitSettings:
    """All that decides a run. What is drawn from a list comes as often as it stands there.

    Args:
        iterations: each of games, a fit to their turns, and a gate.
        start: the network that it begins with: none, learned (that of the package), or an .npz file.
        games: of an iteration.
        seats: who plays, each seat drawn anew, the first of a game among the expert and the network: expert is the
            search, network the network as it is (the expert while there is none), the others are agents, who teach
            nothing. The turns of the expert are learned wherever it or the network sits.
        heat: divides the logits of the network that plays games.
        maps: names, files, and generated ones, as generated:REGIONS:SEED. rules: presets; games have no fog.
        players: shares of games of 2, 3, … players; drawn again where a map has no room.
        dealt: share of games whose starting regions are drawn, not picked.
        max_rounds: games end there at the latest.
        candidates: turns that the expert chooses from, half of them of the network once there is one.
        samples: plays of the round in which it tries each.
        value: what it takes positions for: learned, weights, or an .npz file.
        temperature: of the softmax of mean shares by which a turn to be learned is drawn; 0: the best.
        steps, batch: of a fit; each batch is of one place. rate: the highest of AdamW, which rises for a tenth of the
            steps, and falls to 0; decay: of its weights.
        outcome: weight of who won, beside the turns.
        keep: iterations whose turns a fit sees, the last one among them.
        gate_units: seeds of the match, in both seats, in which a new network meets the old one; the first one meets
            nobody.
        accept: it replaces that if its mean score there is at least so much.
        conditions: of the gate and of the final match.
        seed: of everything, from 0 up.
        holdout_units: seeds of the final match. holdout: agents that are met there alone.

    Raises:
        InputError: a number with which nothing could be learned, or a map, rules, a file or an agent that there is not.
    """

    iterations: int = 3
    start: str = NONE
    games: int = 2400
    seats: tuple[str, ...] = (EXPERT, EXPERT, NETWORK, NETWORK, NETWORK, "aggressive", "smart_random")
    heat: float = 0.5
    maps: tuple[str, ...] = (
        *("world",) * 6, "generated:36:100", "generated:40:101", "generated:44:102", "generated:48:103",
    )  # fmt: skip
    rules: tuple[str, ...] = ("thesis",)
    players: tuple[float, ...] = (0.8, 0.1, 0.1)
    dealt: float = 0.8
    max_rounds: int = 60
    candidates: int = 40
    samples: int = 10
    value: str = "learned"
    temperature: float = 0.0
    steps: int = 8000
    batch: int = 256
    rate: float = 3e-3
    decay: float = 1e-3
    outcome: float = 0.5
    keep: int = 3
    gate_units: int = 100
    accept: float = 0.5
    conditions: Conditions = field(default_factory=Conditions)
    seed: int = 1
    holdout_units: int = 100
    holdout: tuple[str, ...] = ("aggressive", "mcts_thesis:457")

    def __post_init__(self) -> None:
        check_whole(
            self, 1, "iterations", "games", "max_rounds", "samples", "steps", "batch", "keep", "gate_units",
            "holdout_units",
        )  # fmt: skip
        check_whole(self, 2, "candidates")
        check_whole(self, 0, "seed")
        for name, most in (("max_rounds", MOST_ROUNDS), ("candidates", 200), ("heat", MOST_HEAT)):
            if getattr(self, name) > most:
                raise InputError(f"{name} = {getattr(self, name)!r}: must be at most {most}")
        for name in ("dealt", "accept", "outcome"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} = {getattr(self, name)!r}: must lie in 0 .. 1")
        for name in ("heat", "temperature", "decay"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} = {getattr(self, name)!r}: must be a number from 0 up")
        if not self.rate > 0:
            raise InputError(f"rate = {self.rate!r}: must be a number above 0")
        check_places(self)
        if not {EXPERT, NETWORK} & set(self.seats):
            raise InputError(f"seats = {list(self.seats)!r}: {EXPERT} or {NETWORK} must be among them")
        own = (EXPERT, NETWORK)
        with naming("start", self.start):
            load_turns(self.start)
        with naming("seats", *self.seats):
            object.__setattr__(self, "seats", tuple(s if s in own else pinned(s) for s in self.seats))
        with naming("holdout", *self.holdout):
            object.__setattr__(self, "holdout", tuple(map(pinned, self.holdout)))
        if self.start.endswith(".npz"):
            object.__setattr__(self, "start", f"{self.start}#{digest(Path(self.start).read_bytes())}")
        with naming("value", self.value):
            load_value(self.value)
        if self.value.endswith(".npz"):
            object.__setattr__(self, "value", f"{self.value}#{digest(Path(self.value).read_bytes())}")

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)
