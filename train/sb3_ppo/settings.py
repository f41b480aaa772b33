"""All that decides a run of PPO on strategies or factored turns, as people write it in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warlight_env import maps
from warlight_env.agents.registry import parse
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.engine.rules import Rules
from warlight_env.networks.archive import check_network
from warlight_env.train.common.checks import check_whole
from warlight_env.train.ppo.settings import PpoSettings


@dataclass(frozen=True)
class Sb3PpoSettings(PpoSettings):
    """All that decides a run of PPO on strategies or factored turns, beside `PpoSettings`.

    Args:
        action: the encoding. weights: of the evaluation behind `strategies`; a preset, a .json file, or values by name.
        width, layers, hidden: of the network, up to 512, 16 and 512; hidden: of the layers after pooling (strategies).
        shaping, shaping_scale: of the reward, see `envs.rewards.Reward`.
        max_cycles: steps after which a game in training is cut off.
        opponents: those of `agents.players.compiled` cost next to nothing.
        play: what the policy found plays: what is the likeliest, or by its probabilities.
        threads: of PyTorch; the numbers, and so the run, depend on how many.
        conditions: of all games, which are games of two (max_rounds: of matches).

    Raises:
        InputError: a number with which nothing could be learned, or a map, rules or an agent that there is not.
    """

    action: Literal["strategies", "factored"] = "strategies"
    weights: Weights = THESIS
    envs: int = 128
    steps: int = 64
    epochs: int = 3
    gamma: float = 0.98
    entropy: float = 0.01
    width: int = 32
    layers: int = 2
    hidden: int = 64
    shaping: Literal["none", "regions", "income"] = "regions"
    shaping_scale: float = 1.0
    max_cycles: int = 150
    opponents: tuple[str, ...] = ("aggressive", "smart_random", "random")
    evaluate: tuple[str, ...] = ("aggressive", "smart_random")
    play: Literal["likeliest", "sampled"] = "likeliest"
    threads: int = 1
    holdout: tuple[str, ...] = ("one_big_army",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, 1, "width", "layers", "hidden", "max_cycles")
        check_network(self.width, self.layers, self.hidden)
        maps.load(self.conditions.map)
        Rules.of(self.conditions.rules)
        for agent in (*self.opponents, *self.evaluate, *self.holdout):
            parse(agent)
