"""All that decides a run of expert iteration on turn networks, as people write it in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_file import MOST_HEAT, NONE, load_turns
from warlight_env.errors import InputError
from warlight_env.train.common.checks import check_most, check_not_negative, check_whole, pin_agents, pin_files
from warlight_env.train.common.expert_iteration import ExpertIterationSettings

#: Seats that the run itself fills: by the search that teaches, and by the network as it is.
EXPERT: Final = "expert"
NETWORK: Final = "network"


@dataclass(frozen=True)
class ExitSettings(ExpertIterationSettings):
    """All that decides a run, beside `ExpertIterationSettings`.

    Args:
        start: the network that it begins with: none, learned (that of the package), or an .npz file.
        seats: who plays, each seat drawn anew, the first of a game among the expert and the network: expert is the
            search, network the network as it is (the expert while there is none), the others are agents, who teach
            nothing. The turns of the expert are learned wherever it or the network sits.
        heat: divides the logits of the network that plays games.
        candidates: turns that the expert chooses from, half of them of the network once there is one.
        samples: plays of the round in which it tries each.
        value: what it takes positions for: learned, weights, or an .npz file.
        temperature: of the softmax of mean shares by which a turn to be learned is drawn; 0: the best.
        batch: each is of one place. rate: rises for a tenth of the steps, and falls to 0.
        outcome: weight of who won, beside the turns.
        keep: iterations whose turns a fit sees, the last one among them.
        gate_units: the first network meets nobody.

    Raises:
        InputError: a number with which nothing could be learned, or a map, rules, a file or an agent that there is not.
    """

    quick_values: ClassVar[dict[str, Any]] = {
        "iterations": 2, "games": 6, "max_rounds": 20, "candidates": 6, "samples": 2, "steps": 20, "batch": 16,
        "gate_units": 1, "accept": 0.0, "holdout_units": 1,
    }  # fmt: skip

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
    keep: int = 3
    holdout: tuple[str, ...] = ("aggressive", "mcts_thesis:457")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, 1, "samples", "keep")
        check_whole(self, 2, "candidates")
        check_most(self, 200, "candidates")
        check_most(self, MOST_HEAT, "heat")
        check_not_negative(self, "heat", "temperature")
        if not {EXPERT, NETWORK} & set(self.seats):
            raise InputError(f"seats = {list(self.seats)!r}: {EXPERT} or {NETWORK} must be among them")
        pin_agents(self, "seats", "holdout", but=(EXPERT, NETWORK))
        pin_files(self, start=load_turns, value=load_value)
