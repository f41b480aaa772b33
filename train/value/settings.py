"""All that decides a run of the value network's training, as people write it in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.registry import parse
from warlight_env.agents.turn_net.turn_file import NONE, load_turns
from warlight_env.agents.weights import PLANNING, Weights
from warlight_env.errors import InputError
from warlight_env.train.common.checks import check_shares, check_whole, pin_agents, pin_files
from warlight_env.train.common.expert_iteration import ExpertIterationSettings

#: The value of players who use the network as it is at that time.
CURRENT: Final = "current"


@dataclass(frozen=True)
class ValueSettings(ExpertIterationSettings):
    """All that decides a run, beside `ExpertIterationSettings`.

    Args:
        player: sits in every game and plays in the gate. opponents: who sits beside it, each seat drawn anew. Agents
            with `value=current` have the network as it is, and look one round ahead once there is one, unless they say
            `rounds`.
        max_rounds: games that are not won by then are left out.
        weights: by which turns are planned, and what positions are worth while there is no network.
        start: the first network: weights (none), learned, or an .npz file.
        net: a turn network whose turns join the candidates in the rounds that labels come from: none, learned, or an
            .npz file.
        labels: of an iteration. plays: of the round, for a label. candidates: turns of each player in it.
        playouts: 0: a label is what a search of the round finds. From 1: it is the mean of `plays` games by `net` of so
            many rounds, at whose end the network as it is says what the position is worth.
        leaves: share of labels of positions that a random round leads to. outcome: weight of who won in the others'.
        rate: falls to 0 by a cosine.
        previous: whether a fit has the labels of the iteration before, too.

    Raises:
        InputError: a number with which nothing could be learned, or a map, rules, a file or an agent that there is not.
    """

    quick_values: ClassVar[dict[str, Any]] = {
        "iterations": 2, "games": 12, "labels": 200, "plays": 60, "steps": 40, "gate_units": 1, "accept": 0.0,
        "holdout_units": 1,
    }  # fmt: skip

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
    steps: int = 6000
    batch: int = 1024
    rate: float = 4e-3
    decay: float = 1e-4
    previous: bool = False
    holdout: tuple[str, ...] = ("mcts:457",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, 1, "labels", "plays")
        check_whole(self, 2, "candidates")
        check_whole(self, 0, "playouts")
        check_shares(self, "leaves")
        if not self.opponents:
            raise InputError("opponents: at least one must be named")
        if parse(self.player)[1].get("value") != CURRENT:
            raise InputError(f"player = {self.player!r}: must be an agent with value={CURRENT}")
        pin_agents(self, "player", "opponents", "holdout")
        pin_files(self, start=load_value, net=load_turns)
        if load_turns(self.net) is None and self.playouts:
            raise InputError(f"playouts = {self.playouts}: they are played by `net`, and that is {NONE}")
