"""The settings of PPO with the encodings `strategies` or `factored`; the fields are the keys of a settings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warlight_env.agents.weights import THESIS, Weights
from warlight_env.networks.archive import check_network
from warlight_env.train.common.checks import check_integers
from warlight_env.train.ppo.settings import PpoSettings


@dataclass(frozen=True)
class Sb3PpoSettings(PpoSettings):
    """The settings of PPO with the action encodings `strategies` or `factored`, in addition to `PpoSettings`.

    Args:
        action: the encoding of actions: strategies or factored.
        weights: weights of the evaluation function for the encoding `strategies`: a preset, a .json file, or a table
            with the value of each weight.
        width: width of the network's layers, up to 512.
        layers: number of message-passing layers, up to 16.
        hidden: width of the layers after pooling, up to 512; only for strategies.
        shaping: potential of the potential-based reward shaping: the player's fraction of all regions, its fraction of
            all income, or none.
        shaping_scale: factor of the shaping potential.
        max_cycles: number of steps after which a training game is truncated.
        opponents: opponents in training; the agents random, smart_random, aggressive and one_big_army need almost no
            time.
        play: how the final policy plays: the most likely action, or a sample from its probabilities.
        threads: number of threads of PyTorch; the results of the run depend on this number.
        conditions: map, rules and other conditions of all games, which have two players; the condition max_rounds
            holds only for matches.

    Raises:
        InputError: a number is invalid, or a map, rules or an agent does not exist.
    """

    action: Literal["strategies", "factored"] = "strategies"
    weights: Weights = THESIS
    n_envs: int = 128
    n_steps: int = 64
    n_epochs: int = 3
    gamma: float = 0.98
    ent_coef: float = 0.01
    width: int = 32
    layers: int = 2
    hidden: int = 64
    shaping: Literal["none", "regions", "income"] = "regions"
    shaping_scale: float = 1.0
    max_cycles: int = 150
    opponents: tuple[str, ...] = ("aggressive", "smart_random", "random")
    eval_opponents: tuple[str, ...] = ("aggressive", "smart_random")
    play: Literal["likeliest", "sampled"] = "likeliest"
    threads: int = 1
    holdout: tuple[str, ...] = ("one_big_army",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, 1, "width", "layers", "hidden", "max_cycles")
        check_network(self.width, self.layers, self.hidden)
        self.conditions.check_agents("opponents", self.opponents)
