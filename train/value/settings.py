"""The settings of a run that trains the value network. The names of the fields are the keys of a settings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.registry import parse
from warlight_env.agents.turn_net.turn_network_file import NONE, load_turn_network
from warlight_env.agents.weights import PLANNING, Weights
from warlight_env.errors import InputError
from warlight_env.train.common.checks import check_integers, check_shares, pin_agents, pin_files
from warlight_env.train.common.expert_iteration import ExpertIterationSettings
from warlight_env.train.common.game_configs import NEVER, Fog

#: In specifications of agents, `value=` with this word means the current network of the run.
CURRENT: Final = "current"


@dataclass(frozen=True)
class ValueSettings(ExpertIterationSettings):
    """The settings of a run, in addition to the settings of `ExpertIterationSettings`.

    Args:
        rules: presets of rules; the setting `fog` determines whether the games have fog.
        fog: in which games the players have fog: never, rules (as in the preset of rules), or always. The network's
            input is always the true position.
        actors: agents that play the games; each seat draws its agent from them. Without actors, `player` and
            `opponents` play the games.
        player: the agent that plays in every game without actors, and in the gate.
        opponents: agents for the other seats; each seat draws its agent separately. Agents with `value=current` use the
            current network. As soon as there is a network, these agents simulate one round, unless they specify
            `rounds`.
        max_rounds: largest number of rounds of a game; a game without a winner after this number gives no labels.
        weights: weights of the evaluation function, for heuristic turns, and for values of positions as long as there
            is no network.
        start: the first network: weights (none), learned, or an .npz file.
        net: a turn network that gives more candidate turns to the search for labels: none, learned, or an .npz file.
        labels: number of labels in an iteration.
        label_simulations: number of simulated rounds for a label.
        candidates: number of candidate turns of each player in a simulated round.
        playout_rounds: If 0, a label is the result of a search of one round. If 1 or more, a label is the mean of
            `label_simulations` playouts by `net` of this many rounds; the current network evaluates their last
            positions.
        random_move_share: fraction of the labels that are for the position after one random round.
        outcome_weight: weight of the outcome of the game in the labels of positions without a random round; with 1,
            these labels need no search.
        learning_rate: learning rate; it falls to 0 along a cosine.
        previous: whether a fit also uses the labels of the previous iteration.

    Raises:
        InputError: a number is invalid; a map, rules, a file or an agent does not exist; or an agent of `holdout` is in
            the list twice, or cannot play under `conditions`.
    """

    quick_values: ClassVar[dict[str, Any]] = {
        "iterations": 2, "games": 12, "labels": 200, "label_simulations": 60, "steps": 40, "gate_pairs": 1,
        "gate_threshold": 0.0, "holdout_pairs": 1,
    }  # fmt: skip

    games: int = 900
    fog: Fog = NEVER
    actors: tuple[str, ...] = ()
    player: str = "nash:800,value=current,net=none"
    opponents: tuple[str, ...] = (
        "nash:800,value=current,net=none", "nash:800,value=current,net=none",
        "nash:800,value=current,net=none,final_move=mixture",
        "nash:200,value=current,net=none", "mcts:60", "mcts:60",
    )  # fmt: skip
    maps: tuple[str, ...] = (
        *("world",) * 6, "large",
        "generated:36:100", "generated:40:101", "generated:44:102", "generated:48:103", "generated:52:104",
    )  # fmt: skip
    rules: tuple[str, ...] = (*("thesis",) * 4, "challenge1", "challenge2")
    players: tuple[float, ...] = (0.55, 0.15, 0.3)
    random_start_share: float = 0.6
    max_rounds: int = 90
    weights: Weights = PLANNING
    start: str = "weights"
    net: str = NONE
    labels: int = 80_000
    label_simulations: int = 1600
    candidates: int = 20
    playout_rounds: int = 0
    random_move_share: float = 0.7
    steps: int = 6000
    batch_size: int = 1024
    learning_rate: float = 4e-3
    weight_decay: float = 1e-4
    previous: bool = False
    holdout: tuple[str, ...] = ("mcts:457",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, 1, "labels", "label_simulations")
        check_integers(self, 2, "candidates")
        check_integers(self, 0, "playout_rounds")
        check_shares(self, "random_move_share")
        if not self.opponents:
            raise InputError("opponents: give at least one agent")
        if parse(self.player)[1].get("value") != CURRENT:
            raise InputError(f"player = {self.player!r}: must be an agent with value={CURRENT}")
        pin_agents(self, "player", "opponents", "actors", "holdout")
        self.check_agents(
            "holdout", excluded=[agent for agent in self.holdout if parse(agent)[1].get("value") == CURRENT]
        )
        pin_files(self, start=load_value, net=load_turn_network)
        if load_turn_network(self.net) is None and self.playout_rounds:
            raise InputError(
                f"playout_rounds = {self.playout_rounds}: playouts need a turn network, but net = {NONE!r}"
            )
