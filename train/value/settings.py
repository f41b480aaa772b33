"""All that decides a run of the value network's training, as people write it in a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from warlight_env.agents.registry import parse, pinned
from warlight_env.agents.turn_net.turn_file import NONE, load_turns
from warlight_env.agents.value_record import digest, load_value
from warlight_env.agents.weights import PLANNING, Weights
from warlight_env.errors import InputError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.places import check_places
from warlight_env.train.common.settings_file import check_whole, naming

#: The value of players who use the network as it is at that time.
CURRENT: Final = "current"
#: The most rounds of a game.
MOST_ROUNDS: Final = 1000


@dataclass(frozen=True)
class ValueSettings:
    """All that decides a run. What is drawn from a list comes as often as it stands there.

    Args:
        iterations: each of games, labels of their positions, a fit to these, and a gate.
        games: of an iteration.
        player: sits in every game and plays in the gate. opponents: who sits beside it, each seat drawn anew. Agents
            with `value=current` have the network as it is, and look one round ahead once there is one, unless they say
            `rounds`.
        maps: names, files, and generated ones, as generated:REGIONS:SEED. rules: presets; games have no fog.
        players: shares of games of 2, 3, … players; drawn again where a map has no room.
        dealt: share of games whose starting regions are drawn, not picked by the players.
        max_rounds: games that are not won by then are left out.
        weights: by which turns are planned, and what positions are worth while there is no network.
        start: the first network: weights (none), learned, or an .npz file.
        net: a turn network whose turns join the candidates in the rounds that labels come from: none, learned, or an
            .npz file.
        labels: of an iteration. plays: of the round, for a label. candidates: turns of each player in it.
        playouts: 0: a label is what a search of the round finds. From 1: it is the mean of `plays` games by `net` of so
            many rounds, at whose end the network as it is says what the position is worth.
        leaves: share of labels of positions that a random round leads to. outcome: weight of who won in the others'.
        steps, batch: of a fit. rate: of AdamW, which falls to 0 by a cosine; decay: of its weights.
        previous: whether a fit has the labels of the iteration before, too.
        gate_units: seeds of the match, in both seats, in which a new network meets the old one.
        accept: it replaces that if its mean score there is at least so much.
        conditions: of the gate and of the final match.
        seed: of everything, from 0 up.
        holdout_units: seeds of the final match. holdout: agents that are met there alone.

    Raises:
        InputError: a number with which nothing could be learned, or a map, rules, a file or an agent that there is not.
    """

    iterations: int = 3
    games: int = 900
    player: str = "nash:800,value=current,net=none"
    opponents: tuple[str, ...] = (
        "nash:800,value=current,net=none", "nash:800,value=current,net=none",
        "nash:800,value=current,net=none,answer=mixture",
        "nash:200,value=current,net=none", "mcts:60", "mcts:60",
    )  # fmt: skip
    maps: tuple[str, ...] = (
        *("world",) * 6, "large",
        "generated:36:100", "generated:40:101", "generated:44:102", "generated:48:103", "generated:52:104",
    )  # fmt: skip
    rules: tuple[str, ...] = (*("thesis",) * 4, "challenge1", "challenge2")
    players: tuple[float, ...] = (0.55, 0.15, 0.3)
    dealt: float = 0.6
    max_rounds: int = 90
    weights: Weights = PLANNING
    start: str = "weights"
    net: str = NONE
    labels: int = 80_000
    plays: int = 1600
    candidates: int = 20
    playouts: int = 0
    leaves: float = 0.7
    outcome: float = 0.5
    steps: int = 6000
    batch: int = 1024
    rate: float = 4e-3
    decay: float = 1e-4
    previous: bool = False
    gate_units: int = 100
    accept: float = 0.5
    conditions: Conditions = field(default_factory=Conditions)
    seed: int = 1
    holdout_units: int = 100
    holdout: tuple[str, ...] = ("mcts:457",)

    def __post_init__(self) -> None:
        check_whole(
            self, 1, "iterations", "games", "max_rounds", "labels", "plays", "steps", "batch",
            "gate_units", "holdout_units",
        )  # fmt: skip
        check_whole(self, 2, "candidates")
        check_whole(self, 0, "seed", "playouts")
        if self.max_rounds > MOST_ROUNDS:
            raise InputError(f"max_rounds = {self.max_rounds!r}: must lie in 1 .. {MOST_ROUNDS}")
        for name in ("dealt", "leaves", "outcome", "accept"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} = {getattr(self, name)!r}: must lie in 0 .. 1")
        if not self.rate > 0:
            raise InputError(f"rate = {self.rate!r}: must be a number above 0")
        if not self.decay >= 0:
            raise InputError(f"decay = {self.decay!r}: must be a number from 0 up")
        check_places(self)
        if not self.opponents:
            raise InputError("opponents: at least one must be named")
        if parse(self.player)[1].get("value") != CURRENT:
            raise InputError(f"player = {self.player!r}: must be an agent with value={CURRENT}")
        object.__setattr__(self, "player", pinned(self.player))
        for name in ("opponents", "holdout"):
            object.__setattr__(self, name, tuple(pinned(spec) for spec in getattr(self, name)))
        with naming("start", self.start):
            load_value(self.start)
        with naming("net", self.net):
            net = load_turns(self.net)
        if net is None and self.playouts:
            raise InputError(f"playouts = {self.playouts}: they are played by `net`, and that is {NONE}")
        for name in ("start", "net"):
            file = getattr(self, name)
            if file.endswith(".npz"):
                object.__setattr__(self, name, f"{file}#{digest(Path(file).read_bytes())}")

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {**asdict(self), "weights": self.weights._asdict()}
