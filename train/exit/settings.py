"""The settings of expert iteration on turn networks. The names of the fields are the keys of a settings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_network_file import MAX_TEMPERATURE, NONE, load_turn_network
from warlight_env.errors import InputError
from warlight_env.train.common.checks import (
    check_integers,
    check_most,
    check_not_negative,
    pin_agents,
    pin_files,
)
from warlight_env.train.common.expert_iteration import ExpertIterationSettings

#: Names of players that the run itself provides: the expert (a search), and the current network.
EXPERT: Final = "expert"
NETWORK: Final = "network"


@dataclass(frozen=True)
class ExitSettings(ExpertIterationSettings):
    """The settings of a run, in addition to the settings of `ExpertIterationSettings`.

    Args:
        rules: presets of rules; games have no fog.
        start: the initial network: none, learned (the network in this package), or an .npz file. The trained network
            has as many layers as `start`, or two without it.
        seat_agents: players of the seats; each seat draws its player separately, but one seat always has the expert or
            the network. The entry "expert" stands for the search that chooses the training targets. The entry "network"
            stands for the current network; as long as there is no network, the expert plays instead. All entries other
            than "expert" and "network" are names of agents. The network learns the expert's turns for the seats of the
            expert and of the network, and no turns of agents.
        policy_temperature: temperature of the network's turns in games: its logits are divided by this number.
        candidates: number of turns from which the expert chooses; if there is a network, half of the turns are turns of
            the network.
        samples: number of simulated rounds for each candidate.
        value: the expert's value function: learned, weights, or an .npz file.
        target_temperature: temperature of the softmax over the mean values of the candidates, from which the turn to
            learn is drawn; 0: the best turn.
        batch_size: number of turns in a batch; all turns of a batch have the same map, rules and number of players.
        learning_rate: highest learning rate; the rate rises for a tenth of the steps, and then falls to 0.
        outcome_weight: weight of the loss of the predicted winner, relative to the loss of turns.
        window: number of the last iterations that give the turns for a fit.
        gate_pairs: number of game pairs of the gate; the first network need not pass a gate.

    Raises:
        InputError: a number is invalid; a map, rules, a file or an agent does not exist; or an agent of `holdout` is in
            the list twice, or cannot play under `conditions`.
    """

    quick_values: ClassVar[dict[str, Any]] = {
        "iterations": 2, "games": 6, "max_rounds": 20, "candidates": 6, "samples": 2, "steps": 20, "batch_size": 16,
        "gate_pairs": 1, "gate_threshold": 0.0, "holdout_pairs": 1,
    }  # fmt: skip

    start: str = NONE
    games: int = 2400
    seat_agents: tuple[str, ...] = (EXPERT, EXPERT, NETWORK, NETWORK, NETWORK, "aggressive", "smart_random")
    policy_temperature: float = 0.5
    maps: tuple[str, ...] = (
        *("world",) * 6, "generated:36:100", "generated:40:101", "generated:44:102", "generated:48:103",
    )  # fmt: skip
    rules: tuple[str, ...] = ("thesis",)
    players: tuple[float, ...] = (0.8, 0.1, 0.1)
    random_start_share: float = 0.8
    max_rounds: int = 60
    candidates: int = 40
    samples: int = 10
    value: str = "learned"
    target_temperature: float = 0.0
    steps: int = 8000
    batch_size: int = 256
    learning_rate: float = 3e-3
    weight_decay: float = 1e-3
    window: int = 3
    holdout: tuple[str, ...] = ("aggressive", "mcts_thesis:457")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, 1, "samples", "window")
        check_integers(self, 2, "candidates")
        check_most(self, 200, "candidates")
        check_most(self, MAX_TEMPERATURE, "policy_temperature")
        check_not_negative(self, "policy_temperature", "target_temperature")
        if not {EXPERT, NETWORK} & set(self.seat_agents):
            raise InputError(f"seat_agents = {list(self.seat_agents)!r}: must contain {EXPERT} or {NETWORK}")
        pin_agents(self, "seat_agents", allowed=(EXPERT, NETWORK))
        pin_agents(self, "holdout")
        self.check_agents("holdout")
        pin_files(self, start=load_turn_network, value=load_value)
