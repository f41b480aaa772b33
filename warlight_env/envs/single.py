"""The Gymnasium environment: one learner plays against opponents inside the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.envs.action_submission import ActionError, tell_nothing_played
from warlight_env.envs.actions import EncodingFactory
from warlight_env.envs.actions.batches import batch_of_one
from warlight_env.envs.core import EnvCore
from warlight_env.envs.core_arguments import RENDERING, checked_mode
from warlight_env.envs.custom_functions import ObservationFunction, RewardFunction
from warlight_env.envs.episodes import Episodes
from warlight_env.envs.episodes_env import DescribesGames, TellsItsLimit
from warlight_env.envs.policy_settings import PolicySettings
from warlight_env.envs.results import StepResults, info_rows
from warlight_env.envs.rewards import Reward
from warlight_env.envs.saved_games import SavesGames
from warlight_env.envs.seeds import checked_seed
from warlight_env.errors import InputError
from warlight_env.thread_ownership import SingleThreaded


class WarlightEnv(SavesGames, TellsItsLimit, DescribesGames, SingleThreaded, gymnasium.Env[Any, Any]):
    """## Description

    Warlight for one learner against 1 to 5 opponents, which the environment controls. In each round all players submit
    a turn at the same time: armies to deploy, and attacks on neighbouring regions. Random numbers ("dice") decide the
    battles. The last player who owns a region wins.

    ```python
    import gymnasium, warlight_env.envs
    env = gymnasium.make("warlight/Warlight-v0", opponent="aggressive", action="steps")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
    ```

    ## Action Space

    A map has N regions and E directed edges (the map "world": 42 and 164). The class of each encoding documents which
    turns it can express.

    | `action` | action space | one step is |
    |---|---|---|
    | "steps" | Discrete(3 * N + 4 * E + 1): deploy, attack, or end the turn | a part of a turn, see `StepActions` |
    | "factored" | MultiDiscrete([5] * (N + E)): deploy weights, fractions of armies | a round, see `FactoredActions` |
    | "continuous" | Box(-1, 1, (N + E,)): scores for deployments and attacks | a round, see `ContinuousActions` |
    | "strategies" | Discrete(9): the strategies of the thesis's bot | a round, see `StrategyActions` |
    | "orders" | Dict of MultiDiscrete: exact armies, per attack up to 62 or all | a round, see `OrdersActions` |

    The action mask is one flat int8 vector in ``info["action_mask"]``, and ``action_space.sample(mask)`` accepts it.
    ``action_masks()``, the method that MaskablePPO calls, returns the same mask. With ``mask="observation"`` the
    observation is a Dict that also contains the mask, with the key action_mask. An action in the space never raises an
    error. Illegal orders are dropped according to a fixed rule and counted in ``info["illegal"]``.

    ## Observation Space

    | `observation` | space |
    |---|---|
    | "flat" | Box float32: the arrays nodes and globals of "graph" in one vector |
    | "graph" | Dict: nodes float32[N, F], globals float32[G]; see `node_features`, `global_features` |
    | "raw" | Dict: owner, army, offered, round, income, phase |

    ``env.unwrapped.features`` gives the name, index, range and unit of every number in an observation (see `Features`).

    With ``action="steps"`` the observation includes the unfinished turn, see `TURN_FEATURES`. The learner sees the
    board from its own perspective: the learner itself comes first, then its opponents in seat order after it. Under fog
    of war the learner sees only its own regions and their neighbours.

    ## Rewards

    The learner gets +1 for a win, and -1 when it loses its last region or another player wins. In all other steps the
    reward is 0, also for a draw and for truncation. With ``reward="regions"`` or ``reward="income"``, potential-based
    shaping is added; a `Reward` object sets the scale and the discount of the shaping.

    ## Starting State

    With ``picking="random"`` the starting regions are drawn at random. With ``picking="play"`` the players pick their
    starting regions in the first steps of the episode. The game's seed also determines the random choice of seats and
    opponents.

    ## Episode End

    The episode terminates when the learner loses its last region, when a player wins, or when the game reaches the
    maximum number of rounds in the rules. The episode is truncated after `max_cycles` steps.

    ## Information

    ``info`` has the same keys at every step: illegal (number of dropped orders), income, round (number of rounds
    played), phase (0 picking, 1 playing, 2 over), is_success (bool: whether the learner has won) and, for encodings
    with masks, action_mask. Data that never change are attributes of ``env.unwrapped``: `features`, `encoding` and
    `edge_index` (int64[2, E], the source and the target region of each directed edge).

    ## Arguments

    | name | default | meaning |
    |---|---|---|
    | map | "world" | a bundled map's name, a file, or a `Map` |
    | rules | "thesis" | the name of a preset, a `Rules` object or a dict of its fields |
    | players | 2 | the number of players, 2 to 6, including the learner |
    | opponent | "random" | the players in the other seats, see the list after this table |
    | action | "steps" | see "Action Space", or a factory such as ``functools.partial(StepActions, max_attacks=8)`` |
    | observation | "flat" | see "Observation Space", or an `ObservationFunction` |
    | fog | None | whether there is fog of war; None: the rules' setting |
    | picking | "random" | or "play" |
    | max_cycles | None | steps until truncation; None: 100, or with "steps" the maximum number of steps in 100 rounds |
    | reward | "win" | "regions", "income", a `Reward`, or a `RewardFunction` |
    | seat | "random" | the learner's seat, from 0; "random": a random seat in every game |
    | mask | "info" | or "observation" |
    | render_mode | None | "human" prints text, "ansi" returns text, "rgb_array" returns a picture |

    The argument `opponent` is one of:

    - an agent's name ("aggressive", "mcts:sims=50") or an agent's class;
    - a policy (a function of observations and masks); `load_policy` reads a policy from a file of Stable-Baselines3;
    - an `OpponentPool`, or a mapping of opponents to weights: for every game, one opponent is drawn at random;
    - a list with one opponent for each seat.

    See `make_opponent`. ``set_opponent(…)`` changes the opponents from the next game on.

    ## Version History

    The version in an environment's id increases when its rules, spaces, features, rewards or defaults change. Before
    version 1.0 of the package, v0 may change without a new number; the changelog lists these changes. More ids, with
    other defaults, are in `registration.VARIANTS`.

    * v0: first version.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = (
        "reset", "step", "action_masks", "set_opponent", "view", "render", "get_state", "set_state", "clone",
    )  # fmt: skip
    saved_attributes = ("episodes", "_np_random", "_np_random_seed", "_live")

    metadata: dict[str, Any] = {**RENDERING}  # noqa: RUF012

    def __init__(  # noqa: PLR0913 -- one argument for each setting of users
        self,
        map: str | Path | maps.Map = "world",
        rules: str | Rules | dict[str, Any] = "thesis",
        players: int = 2,
        opponent: Any = "random",
        action: str | EncodingFactory = "steps",
        observation: str | ObservationFunction = "flat",
        fog: bool | None = None,
        picking: Literal["play", "random"] = "random",
        max_cycles: int | None = None,
        reward: str | Reward | RewardFunction = "win",
        seat: int | Literal["random"] = "random",
        mask: Literal["observation", "info"] = "info",
        render_mode: str | None = None,
    ) -> None:
        checked_mode(render_mode)
        episodes = Episodes(
            map, opponent, seat=seat, mask=mask, rules=rules, players=players, action=action, observation=observation,
            fog=fog, picking=picking, max_cycles=max_cycles, reward=reward,
        )  # fmt: skip
        self._set_up(episodes, render_mode)

    def _set_up(self, episodes: Episodes, render_mode: str | None) -> None:
        self.render_mode = checked_mode(render_mode)
        #: The game of this environment, as a batch of one game.
        self.episodes = episodes
        self.observation_space, self.action_space = episodes.observation_space, episodes.action_space
        self._live = False

    @property
    def _described_core(self) -> EnvCore:
        return self.episodes.core_of(0)[0]

    @property
    def policy_settings(self) -> PolicySettings:
        """The environment settings that a policy file contains, so that other programs can use the policy."""
        return self.episodes.policy_settings

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; return its observation and info.

        Args:
            seed: starts a new sequence of games; None: start the next game of the current sequence.
            options: a dict for this game only. ``start`` is a `Game` with the same map, rules and number of players.
                The new game starts from the position of this `Game`, with a random generator of its own. ``seat`` is
                the learner's seat. ``map`` is the map, in environments of many maps. Any other option, and a map that
                is too large, raise InputError, and the game does not change.
        """
        read = self.episodes.read_options(options, ("start", "seat"))
        super().reset(seed=checked_seed(seed))
        self.episodes.reset(self.episodes.draw([self.np_random], read), [0], read)
        self._live = True
        return self.episodes.observe(0), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a round or, with the encoding "steps", a part of a turn.

        Raises InputError for an invalid action, and ActionError for an action outside the action space. If an opponent
        or a custom reward function raises an exception, this method raises the same exception. If the method raises an
        exception, the game does not change.
        """
        if not self._live:
            raise InputError("the game is over or has not begun; call reset()")
        episodes = self.episodes
        try:
            episodes.step([batch_of_one(self.action_space, action)])
        except InputError as error:
            if isinstance(error, ActionError):
                error.args = (f"action {error.reason}",)
            tell_nothing_played(error)
            raise
        results = episodes.results()
        terminated, truncated = bool(results.terminated[0]), bool(results.truncated[0])
        self._live = not (terminated or truncated)
        return episodes.observe(0), float(results.reward[0]), terminated, truncated, self._info(results)

    def _info(self, results: StepResults | None = None) -> dict[str, Any]:
        (info,) = info_rows((results or self.episodes.results()).infos)
        if self.episodes.mask_size:
            info["action_mask"] = self.action_masks()
        return info

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return the action mask as one flat int8 vector, the format of MaskablePPO."""
        masks: npt.NDArray[np.int8] = self.episodes.masks()[0]
        return masks

    def set_opponent(self, opponent: Any) -> None:
        """Set the opponents of the games that begin after this call; see `make_opponent`."""
        self.episodes.set_opponent(opponent)

    def view(self) -> View:
        """Return the learner's `View`: the argument of a bot's methods, and of `decode` and `encode` of an encoding.

        After the first call, views also include the events of each later round, as in a match (`View.last_round`).
        """
        return self.episodes.view(0)

    def render(self) -> Any:
        """Render the true position, without fog of war.

        The mode "human" prints text, "ansi" returns text, and "rgb_array" returns an image uint8[H, W, 3].
        """
        return self.episodes.render(self.render_mode, 0)
