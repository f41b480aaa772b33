"""All that decides a run of PPO on turns in full, as people write it in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_file import NONE, load_turns
from warlight_env.train.common.checks import (
    check_agents,
    check_not_negative,
    check_positive,
    check_whole,
    naming,
    pin_agents,
    pin_files,
)
from warlight_env.train.common.places import check_places
from warlight_env.train.ppo.settings import PpoSettings
from warlight_env.train.turn_ppo.opponents import check_opponent

#: The critic that is the network's own head.
OWN: Final = "own"


@dataclass(frozen=True)
class TurnPpoSettings(PpoSettings):
    """All that decides a run of PPO on turns in full, beside `PpoSettings`.

    Args:
        action: what is played: turns.
        start: the network that it begins with: none, learned (that of the package), or an .npz file.
        steps: rounds; all games of an iteration are of one place.
        rate: of AdamW. decay: of its weights.
        gamma: the reward is 1 for a game that is won.
        target_kl: passes of an iteration end where the policy has moved so far: mean divergence, in nats.
        critic: what positions are taken for in the advantages: own (the network's head), or a value function as
            searches have it: learned, weights, an .npz file.
        maps: names, files, and generated ones, as generated:REGIONS:SEED, as often as they are drawn.
        rules: presets; games have no fog. players: shares of games of 2, 3, … players; drawn again where a map has no
            room.
        max_rounds: games end there at the latest, for what the critic says.
        opponents: who is met in all other seats of a game: random, smart_random, aggressive, one_big_army, plan, and
            policy:NAME or policy:FILE of networks that play turns in full.
        threads: no number depends on how many.
        conditions: of the evaluation and of the final match.

    Raises:
        InputError: a number with which nothing could be learned, or a map, rules, a file or an agent that there is not.
    """

    action: Literal["turns"] = "turns"
    start: str = NONE
    envs: int = 256
    steps: int = 32
    epochs: int = 2
    decay: float = 1e-3
    gamma: float = 1.0
    entropy: float = 0.001
    target_kl: float = 0.05
    critic: str = "learned"
    maps: tuple[str, ...] = ("world",)
    rules: tuple[str, ...] = ("thesis",)
    players: tuple[float, ...] = (1.0,)
    max_rounds: int = 100
    opponents: tuple[str, ...] = ("aggressive", "smart_random", "plan")
    evaluate: tuple[str, ...] = ("aggressive", "plan")
    threads: int = 2
    holdout: tuple[str, ...] = ("mcts_thesis:457",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self, 1, "max_rounds")
        check_positive(self, "target_kl")
        check_not_negative(self, "decay")
        check_places(self)
        with naming("opponents", *self.opponents):
            for opponent in self.opponents:
                check_opponent(opponent)
        pin_agents(self, "opponents", "evaluate", "holdout")
        check_agents(self, "opponents", "evaluate", "holdout")  # names and files may be the same
        pin_files(self, start=load_turns)
        if self.critic != OWN:
            pin_files(self, critic=load_value)
