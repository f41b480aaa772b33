"""All that decides a run of PPO on turns in full, as people write it in a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from warlight_env.agents.registry import pinned
from warlight_env.agents.turn_net.turn_file import NONE, load_turns
from warlight_env.agents.value_record import digest, load_value
from warlight_env.errors import InputError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.places import check_places
from warlight_env.train.common.settings_file import check_whole, naming
from warlight_env.train.turn_ppo.opponents import check_opponent

#: The critic that is the network's own head.
OWN: Final = "own"


@dataclass(frozen=True)
class TurnPpoSettings:
    """All that decides a run of PPO on turns in full.

    Args:
        action: what is played: turns.
        start: the network that it begins with: none, learned (that of the package), or an .npz file.
        iterations: of `envs` games at once for `steps` rounds each, learned from in `epochs` passes by minibatches; all
            games of an iteration are of one place.
        rate: of AdamW; it falls linearly to a tenth. decay: of its weights.
        gamma, trace: discount and λ of the advantages. The reward is 1 for a game that is won.
        clip, entropy, value: PPO's range of ratios, and weights of the entropy and of the critic's loss.
        target_kl: passes of an iteration end where the policy has moved so far: mean divergence, in nats.
        critic: what positions are taken for in the advantages: own (the network's head), or a value function as
            searches have it: learned, weights, an .npz file.
        maps: names, files, and generated ones, as generated:REGIONS:SEED, as often as they are drawn.
        rules: presets; games have no fog. players: shares of games of 2, 3, … players; drawn again where a map has no
            room.
        max_rounds: games end there at the latest, for what the critic says.
        opponents: who is met in training, in all other seats of a game: random, smart_random, aggressive,
            one_big_army, plan, and policy:NAME or policy:FILE of networks that play turns in full.
        snapshot: iterations between copies of the policy that join the opponents; 0: none do. snapshots: of the
            newest that stay.
        priority: opponents are met in proportion to (1 - share of games won against them) to this power, and
        least: never less often than this part of what a new one is.
        evaluation: iterations between matches of `evaluation_units` seeds, each in both seats, against each of
            `evaluate`. The policy that scored best in them is what is found.
        threads: of learning on the processor; no number depends on how many.
        conditions: of the evaluation and of the final match.
        seed: of everything.
        holdout_units: seeds of the final match. holdout: agents that are met there alone.

    Raises:
        InputError: a number with which nothing could be learned, or a map, rules, a file or an agent that there is not.
    """

    action: Literal["turns"] = "turns"
    start: str = NONE
    iterations: int = 200
    envs: int = 256
    steps: int = 32
    epochs: int = 2
    minibatch: int = 1024
    rate: float = 1e-3
    decay: float = 1e-3
    gamma: float = 1.0
    trace: float = 0.9
    clip: float = 0.2
    entropy: float = 0.001
    value: float = 0.5
    target_kl: float = 0.05
    critic: str = "learned"
    maps: tuple[str, ...] = ("world",)
    rules: tuple[str, ...] = ("thesis",)
    players: tuple[float, ...] = (1.0,)
    max_rounds: int = 100
    opponents: tuple[str, ...] = ("aggressive", "smart_random", "plan")
    snapshot: int = 20
    snapshots: int = 4
    priority: float = 1.0
    least: float = 0.1
    evaluation: int = 20
    evaluation_units: int = 50
    evaluate: tuple[str, ...] = ("aggressive", "plan")
    threads: int = 2
    conditions: Conditions = field(default_factory=Conditions)
    seed: int = 1
    holdout_units: int = 200
    holdout: tuple[str, ...] = ("mcts_thesis:457",)

    def __post_init__(self) -> None:
        check_whole(
            self, 1, "iterations", "envs", "steps", "epochs", "max_rounds", "snapshots", "evaluation",
            "evaluation_units", "threads", "holdout_units",
        )  # fmt: skip
        check_whole(self, 0, "snapshot", "seed")
        if not 2 <= self.minibatch <= self.envs * self.steps:
            raise InputError(
                f"minibatch = {self.minibatch!r}: must lie in 2 .. envs * steps = {self.envs * self.steps}"
            )
        for name in ("gamma", "trace", "least"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} = {getattr(self, name)!r}: must lie in 0 .. 1")
        for name in ("rate", "clip", "target_kl"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} = {getattr(self, name)!r}: must be a number above 0")
        for name in ("entropy", "value", "priority", "decay"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} = {getattr(self, name)!r}: must be a number from 0 up")
        check_places(self)
        for name in ("opponents", "evaluate"):
            if not getattr(self, name):
                raise InputError(f"{name}: at least one agent must be named")
        with naming("start", self.start):
            load_turns(self.start)
        with naming("critic", self.critic):
            if self.critic != OWN:
                load_value(self.critic)
        with naming("opponents", *self.opponents):
            for opponent in self.opponents:
                check_opponent(opponent)
        for name in ("opponents", "evaluate", "holdout"):
            with naming(name, *getattr(self, name)):
                agents = tuple(map(pinned, getattr(self, name)))
            if len(set(agents)) < len(agents):
                raise InputError(f"{name}: an agent is named twice")
            object.__setattr__(self, name, agents)
        for name in ("start", "critic"):
            file = getattr(self, name)
            if file.endswith(".npz"):
                object.__setattr__(self, name, f"{file}#{digest(Path(file).read_bytes())}")

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)
