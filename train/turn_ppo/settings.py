"""The settings of PPO on complete turns. The names of the fields are the keys of a settings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from warlight_env.agents.players.styles import STYLES
from warlight_env.agents.records.turn_record import MAX_LAYERS, layers_of
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_network_file import NONE, load_turn_network
from warlight_env.errors import InputError
from warlight_env.train.common.checks import (
    check_different_agents,
    check_integers,
    check_most,
    check_not_negative,
    check_positive,
    naming,
    pin_agents,
    pin_files,
)
from warlight_env.train.common.game_configs import NEVER, Fog, check_game_configs
from warlight_env.train.ppo.settings import PpoSettings
from warlight_env.train.turn_ppo.game_start import RANDOM, Picks
from warlight_env.train.turn_ppo.opponents import check_opponent

#: The name of the critic that is the network's own value head.
OWN: Final = "own"


@dataclass(frozen=True)
class TurnPpoSettings(PpoSettings):
    """The settings of a run of PPO on complete turns, in addition to the settings of `PpoSettings`.

    Args:
        action: the type of actions; only turns is possible.
        start: the initial network: none, learned (the network in this package), or an .npz file.
        layers: number of message-passing layers of the network, at most 8; 0: as many as `start`, or 2 without it. If
            `start` has fewer layers, it gets more.
        n_steps: number of steps of each game in an iteration; a step is a round, or the network's choice of a start
            region. All games of an iteration have the same map, rules and number of players.
        learning_rate: learning rate of AdamW.
        weight_decay: weight decay of AdamW.
        gamma: discount factor; the reward is 1 for a won game.
        target_kl: maximum mean KL divergence from the policy that played the games, in nats; above it, the iteration
            begins no further passes.
        critic: value function for the advantages: own (the network's value head), or a value function of the searches:
            learned, weights, or an .npz file.
        maps: names of maps, map files, and generated maps, as generated:REGIONS:SEED; repeat an entry to weight it.
        rules: presets of rules.
        fog: in which games the players have fog: never, rules (as in the preset of rules), or always. Under fog, the
            learner and its opponents play on the position that their memories believe.
        picks: how the players get their start regions: random, weights (all players pick with their weights),
            network (the network picks, and learns to pick from the results of the games; a network that cannot pick
            first imitates the weights), or varied (as network, but each choice of an opponent is random with
            probability 1/2). Only the CPU supports fog, and picks other than random.
        players: relative frequencies of games with 2, 3, … players. Map, rules and number of players are drawn again
            if the map has too few regions for the players.
        max_rounds: games are truncated after this number of rounds; the critic then estimates the result.
        opponents: opponents for all other seats of a game: random, smart_random, aggressive, one_big_army, plan, the
            one-sided styles rush, turtle and expand, and policy:NAME or policy:FILE of networks that play complete
            turns.
        averaged: the parameters of the run's result are the means of this number of policies, those of the last
            evaluations, or of all policies if there are fewer (stochastic weight averaging, Izmailov et al. 2018); 1:
            the policy with the highest score in an evaluation is the result.
        threads: number of CPU threads for learning; the results do not depend on it.
        conditions: map, rules and other conditions of the evaluations and of the final match.

    Raises:
        InputError: a number is invalid, or a map, rules, a file or an agent does not exist.
    """

    action: Literal["turns"] = "turns"
    start: str = NONE
    layers: int = 0
    n_envs: int = 256
    n_steps: int = 32
    n_epochs: int = 2
    weight_decay: float = 1e-3
    gamma: float = 1.0
    ent_coef: float = 0.001
    target_kl: float = 0.05
    critic: str = "learned"
    maps: tuple[str, ...] = ("world",)
    rules: tuple[str, ...] = ("thesis",)
    fog: Fog = NEVER
    picks: Picks = RANDOM
    players: tuple[float, ...] = (1.0,)
    max_rounds: int = 100
    opponents: tuple[str, ...] = ("aggressive", "smart_random", "plan")
    eval_opponents: tuple[str, ...] = ("aggressive", "plan")
    averaged: int = 1
    threads: int = 2
    holdout: tuple[str, ...] = ("mcts_thesis:457",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, 1, "max_rounds", "averaged")
        check_integers(self, 0, "layers")
        check_most(self, MAX_LAYERS, "layers")
        check_positive(self, "target_kl")
        check_not_negative(self, "weight_decay")
        check_game_configs(self)
        with naming("opponents", *self.opponents):
            for opponent in self.opponents:
                check_opponent(opponent)
        pin_agents(self, "opponents", allowed=tuple(STYLES))
        pin_agents(self, "eval_opponents", "holdout")
        # With the digests, two entries for the same network (by name and by file) are equal.
        check_different_agents(self, "opponents", "eval_opponents", "holdout")
        pin_files(self, start=load_turn_network)
        start = load_turn_network(self.start)
        if start is not None and 0 < self.layers < layers_of(start):
            raise InputError(f"layers = {self.layers}: start has {layers_of(start)} layers, so use at least as many")
        if self.critic != OWN:
            pin_files(self, critic=load_value)
