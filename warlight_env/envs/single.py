"""The Gymnasium environment: one player learns, opponents play inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
import numpy.typing as npt

from warlight_env import maps
from warlight_env.engine.rules import Rules
from warlight_env.engine.view import View
from warlight_env.envs.actions import ActionEncoding, EncodingFactory
from warlight_env.envs.actions.batches import batch_of_one
from warlight_env.envs.episodes import Episodes, Results
from warlight_env.envs.handing_in import tell_nothing_played
from warlight_env.envs.own_functions import ObservationFunction, RewardFunction
from warlight_env.envs.policy_settings import PolicySettings
from warlight_env.envs.rendering import RENDERING, checked_mode
from warlight_env.envs.rewards import Reward
from warlight_env.envs.seeds import checked_seed
from warlight_env.errors import InputError
from warlight_env.features.columns import Features
from warlight_env.ownership import OneThread


class WarlightEnv(OneThread, gymnasium.Env[Any, Any]):
    """## Description

    Warlight for one learner against 1 to 5 opponents, which play inside the environment. Everybody hands in a turn at
    once (armies to deploy, attacks on neighbours), dice decide the battles, and who holds the last regions wins.

    ```python
    import gymnasium, warlight_env.envs
    env = gymnasium.make("warlight/Warlight-v0", opponent="aggressive", action="steps")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
    ```

    ## Action Space

    N regions, E directed edges (world: 42 and 164). Each encoding's class says what it can express.

    | `action` | space | a step is |
    |---|---|---|
    | "steps" | Discrete(3 * N + 4 * E + 1): deploy, attack, or end the turn | a part of a turn, see `StepActions` |
    | "factored" | MultiDiscrete([5] * (N + E)): deploy weights, shares of armies | a round, see `FactoredActions` |
    | "continuous" | Box(-1, 1, (N + E,)): the same as scores | a round, see `ContinuousActions` |
    | "strategies" | Discrete(9): the ways of the thesis's bot | a round, see `StrategyActions` |
    | "orders" | Dict of MultiDiscrete: armies by the piece, up to 62 an attack or all | a round, see `OrdersActions` |

    What is allowed is one flat int8 vector in ``info["action_mask"]``, which ``action_space.sample(mask)`` takes, and
    from ``action_masks()`` (the method that MaskablePPO asks for). With ``mask="observation"`` it is also in the
    observation, which is a Dict then, as the key action_mask. No action in the space raises: what is illegal is dropped
    by a fixed rule and counted in ``info["illegal"]``.

    ## Observation Space

    | `observation` | space |
    |---|---|
    | "flat" | Box float32: the two below in one vector |
    | "graph" | Dict: nodes float32[N, F], globals float32[G]; see `node_features`, `global_features` |
    | "raw" | Dict: owner, army, offered, round, income, phase |

    ``env.unwrapped.features`` names every number of them, with its place, range and unit (see `Features`).

    With "steps" the turn so far is part of it, see `TURN_FEATURES`. The learner sees the board through its own eyes:
    itself first, opponents in seat order after it, and under fog nothing but its own regions and their neighbours.

    ## Rewards

    +1 for winning, -1 for losing the last region or for somebody else's win, 0 otherwise, so 0 for a draw and for
    truncation. `reward` "regions" or "income" adds potential-based shaping; a `Reward` sets its scale and discount.

    ## Starting State

    ``picking="random"`` draws the starting regions; with ``picking="play"`` the rules' picking phase is the episode's
    first step (or steps). Seats and opponents are drawn by the game's seed, too.

    ## Episode End

    Terminated when the learner has lost its last region, when somebody has won, or at the rules' own limit of rounds;
    truncated after `max_cycles` steps.

    ## Information

    ``info`` holds the same at every step: illegal (orders dropped), income, round (rounds played), phase (0 picking,
    1 playing, 2 over), is_success (whether the learner has won) and, where there are masks, action_mask. What does
    not change is an attribute of ``env.unwrapped``: `features`, `encoding`, `edge_index` (int64[2, E], source and
    target of each directed edge).

    ## Arguments

    | name | default | means |
    |---|---|---|
    | map | "world" | a bundled map's name, a file, or a `Map` |
    | rules | "thesis" | a preset's name, a `Rules` record or a dict of its fields |
    | players | 2 | 2 to 6, the learner included |
    | opponent | "random" | who plays the other seats, see below |
    | action | "steps" | see above, or a factory such as ``functools.partial(StepActions, max_attacks=8)`` |
    | observation | "flat" | see above, or an `ObservationFunction` |
    | fog | None | fog of war; None: as the rules have it |
    | picking | "random" | or "play" |
    | max_cycles | None | steps until truncation; None: 100, with "steps" as many as 100 rounds can take |
    | reward | "win" | "regions", "income", a `Reward`, or a `RewardFunction` |
    | seat | "random" | the learner's seat, 0 …, or another one in every game |
    | mask | "info" | or "observation" |
    | render_mode | None | "human" prints text, "ansi" returns it, "rgb_array" returns a picture |

    An opponent is an agent's name ("aggressive", "mcts:sims=50"), an agent's class, a policy (a function of
    observations and masks), as `load_policy` reads it from what Stable-Baselines3 saved; an `OpponentPool`, or a
    mapping of opponents to weights, of which one is drawn for every game; or a list with one for each seat. See
    `make_opponent`.
    ``set_opponent(…)`` changes who plays, from the next game on.

    ## Version History

    The number rises when what a learner meets under an id changes (rules, spaces, features, rewards, defaults). Before
    1.0 of the package v0 may change, and the changelog says so. `registration.VARIANTS` has ids with other defaults.

    * v0: first version.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = (
        "reset", "step", "action_masks", "set_opponent", "view", "render",
    )  # fmt: skip

    metadata: dict[str, Any] = {**RENDERING}  # noqa: RUF012

    def __init__(
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
            map, rules, players, opponent, action, observation, fog, picking, max_cycles, reward, seat, mask
        )
        self._set_up(episodes, render_mode)

    def _set_up(self, episodes: Episodes, render_mode: str | None) -> None:
        self.render_mode = checked_mode(render_mode)
        #: The games, a batch of one.
        self.episodes = episodes
        self.observation_space, self.action_space = episodes.observation_space, episodes.action_space
        self._live = False

    @property
    def features(self) -> Features:
        """What an observation (without its mask) holds, by name."""
        return self.episodes.core_of(0)[0].features

    @property
    def encoding(self) -> ActionEncoding:
        """How turns become actions: `decode` and `encode` with what a view tells."""
        return self.episodes.core_of(0)[0].encoding

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """int64[2, E]: source and target of each directed edge."""
        return self.episodes.core_of(0)[0].edge_index

    @property
    def policy_settings(self) -> PolicySettings:
        """What a policy has to know of its environment in order to play elsewhere."""
        return self.episodes.policy_settings

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game: from a seed, or the next one of the stream.

        options: of this game alone: ``start``, a `Game` of the same kind from whose position it is played, with dice
        of its own, and ``seat``, the learner's; ``map`` where there are many. InputError, with nothing changed, for
        others, and for a map without room.
        """
        read = self.episodes.read_options(options, ("start", "seat"))
        super().reset(seed=checked_seed(seed))
        self.episodes.reset([self.episodes.draw(self.np_random, read)], [0], read)
        self._live = True
        return self.episodes.observe(0), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a round, or a part of a turn.

        Raises InputError, with nothing played, for what is no action (an ActionError where it is out of its space), and
        whatever an opponent or a reward of one's own raises, with nothing played either.
        """
        if not self._live:
            raise InputError("the game is over or has not begun; call reset()")
        episodes = self.episodes
        try:
            episodes.step(batch_of_one(self.action_space, action))
        except InputError as error:
            tell_nothing_played(error)
            raise
        results = episodes.results()
        terminated, truncated = bool(results.terminated[0]), bool(results.truncated[0])
        self._live = not (terminated or truncated)
        return episodes.observe(0), float(results.reward[0]), terminated, truncated, self._info(results)

    def _info(self, results: Results | None = None) -> dict[str, Any]:
        # Scalars of NumPy, as other environments give them: some libraries ask for their dtype.
        info = {name: values[0] for name, values in (results or self.episodes.results()).infos.items()}
        if self.episodes.mask_size:
            info["action_mask"] = self.action_masks()
        return info

    def action_masks(self) -> npt.NDArray[np.int8]:
        """What is allowed, as one flat int8 vector, as MaskablePPO wants it."""
        masks: npt.NDArray[np.int8] = self.episodes.masks()[0]
        return masks

    def set_opponent(self, opponent: Any) -> None:
        """Who plays from the next game on; see `make_opponent`."""
        self.episodes.set_opponent(opponent)

    def view(self) -> View:
        """What the learner sees as a `View`: what bots take, and what encodings decode and encode with.

        Who has asked once is also told of each round that follows, as in a match (`View.last_round`).
        """
        return self.episodes.view(0)

    def render(self) -> Any:
        """The true position: printed ("human"), as text ("ansi") or as uint8[H, W, 3] ("rgb_array")."""
        return self.episodes.render(self.render_mode, 0)
