"""All that decides a run of PPO, as people write it in a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from warlight_env import maps
from warlight_env.agents.registry import parse
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.networks.archive import check_network
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.settings_file import check_whole


@dataclass(frozen=True)
class PpoSettings:
    """All that decides a run of PPO.

    Args:
        action: the encoding. weights: of the evaluation behind `strategies`; a preset, a .json file, or values by name.
        iterations: of `envs` games at once for `steps` steps each, learned from in `epochs` passes by minibatches.
        rate: of Adam; it falls linearly to a tenth. gamma, trace: discount and λ of the advantages.
        clip, entropy, value: PPO's range of ratios, and weights of the entropy and of the critic's loss.
        width, layers, hidden: of the network, up to 512, 16 and 512; hidden: of the layers after pooling (strategies).
        shaping, shaping_scale: of the reward, see `envs.rewards.Reward`.
        max_cycles: steps after which a game in training is cut off.
        opponents: agents that are met in training. Those of `agents.compiled` cost next to nothing.
        snapshot: iterations between copies of the policy that join the opponents; 0: none do. snapshots: of the
            newest that stay.
        priority: opponents are met in proportion to (1 - share of games won against them) to this power, and
        least: never less often than this part of what a new one is.
        evaluation: iterations between matches of `evaluation_units` seeds, each in both seats, against each of
            `evaluate`. The policy that scored best in them is what is found.
        play: what the policy found plays: what is the likeliest, or by its probabilities.
        threads: of PyTorch; the numbers, and so the run, depend on how many.
        conditions: of all games, which are games of two (max_rounds: of matches).
        seed: of everything.
        holdout_units: seeds of the final match. holdout: agents that are met there alone.
    """

    action: Literal["strategies", "factored"] = "strategies"
    weights: Weights = THESIS
    iterations: int = 200
    envs: int = 128
    steps: int = 64
    epochs: int = 3
    minibatch: int = 1024
    rate: float = 1e-3
    gamma: float = 0.98
    trace: float = 0.9
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    width: int = 32
    layers: int = 2
    hidden: int = 64
    shaping: Literal["none", "regions", "income"] = "regions"
    shaping_scale: float = 1.0
    max_cycles: int = 150
    opponents: tuple[str, ...] = ("aggressive", "smart_random", "random")
    snapshot: int = 20
    snapshots: int = 4
    priority: float = 1.0
    least: float = 0.1
    evaluation: int = 20
    evaluation_units: int = 50
    evaluate: tuple[str, ...] = ("aggressive", "smart_random")
    play: Literal["likeliest", "sampled"] = "likeliest"
    threads: int = 1
    conditions: Conditions = field(default_factory=Conditions)
    seed: int = 1
    holdout_units: int = 200
    holdout: tuple[str, ...] = ("one_big_army",)

    def __post_init__(self) -> None:
        check_whole(
            self, 1, "iterations", "envs", "steps", "epochs", "width", "layers", "hidden", "max_cycles", "snapshots",
            "evaluation", "evaluation_units", "threads", "holdout_units",
        )  # fmt: skip
        check_network(self.width, self.layers, self.hidden)
        if not 2 <= self.minibatch <= self.envs * self.steps:
            raise InputError(
                f"minibatch = {self.minibatch!r}: must lie in 2 .. envs * steps = {self.envs * self.steps}"
            )
        check_whole(self, 0, "snapshot")
        for name in ("gamma", "trace", "least"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} = {getattr(self, name)!r}: must lie in 0 .. 1")
        for name in ("rate", "clip"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} = {getattr(self, name)!r}: must be a number above 0")
        for name in ("entropy", "value", "priority"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} = {getattr(self, name)!r}: must be a number from 0 up")
        maps.load(self.conditions.map)
        Rules.of(self.conditions.rules)
        for name in ("opponents", "evaluate"):
            if not getattr(self, name):
                raise InputError(f"{name}: at least one agent must be named")
        for name in ("opponents", "evaluate", "holdout"):
            agents = getattr(self, name)
            for agent in agents:
                parse(agent)
            if len(set(agents)) < len(agents):
                raise InputError(f"{name}: an agent is named twice")

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {**asdict(self), "weights": self.weights._asdict()}
