"""Warlight as a game of OpenSpiel. An import of this module registers the game "warlight" with `pyspiel`.

>>> import pyspiel
>>> import warlight_env.openspiel
>>> game = pyspiel.load_game("warlight(map=small,players=2,action=strategies,max_cycles=20)")
>>> state = game.new_initial_state()
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyspiel

from warlight_env.arguments import check_choice, check_integer, index, short_repr
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.engine.state import OVER, PICK
from warlight_env.envs import EnvCore, StepActions
from warlight_env.envs.actions.kernels import OFFERED, READY
from warlight_env.envs.actions.step_kernels import DEPLOYS, SHARES
from warlight_env.envs.actions.strategies import STRATEGIES
from warlight_env.errors import InputError
from warlight_env.features.definitions import SEEN_MINE, SEEN_NEUTRAL, SEEN_UNKNOWN

#: The parameters of the game string, and their default values.
DEFAULTS: Final[dict[str, Any]] = {
    "map": "world",
    "rules": "thesis",
    "players": 2,
    "action": "strategies",
    "picking": "play",
    "max_cycles": 0,
    "chance_outcomes": 64,
}
#: The action encodings with one integer per action, which OpenSpiel needs.
ACTIONS: Final = ("strategies", "steps")
_MOST_OUTCOMES: Final = 2**20
_AMOUNTS: Final = ("1 army", "a quarter of the income", "the rest")


class OpenSpielError(InputError):
    """An invalid parameter of the game string, or an illegal action."""


def _game_type(players: int) -> Any:
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name="warlight",
        long_name="Warlight",
        dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if players == 2 else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=6,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


class _Setup:
    """The data that all states of a game share: the arguments of an `EnvCore`, and the number of chance outcomes."""

    def __init__(self, params: dict[str, Any]) -> None:
        settings = {**DEFAULTS, **params}
        action, outcomes, cycles = settings["action"], settings["chance_outcomes"], settings["max_cycles"]
        check_choice(action, "action", ACTIONS, OpenSpielError)
        check_integer(outcomes, "chance_outcomes", 1, _MOST_OUTCOMES, OpenSpielError)
        #: Each state makes a copy of this `EnvCore`. The original never plays a round.
        self.core = EnvCore(
            settings["map"], settings["rules"], settings["players"], action=action, observation="flat",
            picking=settings["picking"], max_cycles=cycles or None,
        )  # fmt: skip
        self.outcomes = int(outcomes)

    def action_text(self, action: int, picking: bool) -> str:
        """Return an action in words. picking: whether the players pick their start regions."""
        if not isinstance(self.core.encoding, StepActions):
            return "pick the best regions" if picking else STRATEGIES[action]
        n, regions = self.core.board.n_regions, self.core.map.regions
        if action < DEPLOYS * n:
            name = regions[action // DEPLOYS].name
            return f"prefer {name}" if picking else f"deploy {_AMOUNTS[action % DEPLOYS]} on {name}"
        if action == self.core.encoding.end:
            return "end the turn"
        edge, share = divmod(action - DEPLOYS * n, SHARES)
        source, target = (regions[r].name for r in self.core.edge_index[:, edge].tolist())
        return f"attack {source} -> {target} with {25 * (share + 1)} %"


#: The setup of each loaded game by its game string. OpenSpiel can lose the Python attributes of a game that only a
#: state refers to, for example after `pickle.loads(state)`. Therefore a `WarlightGame` has no attributes of its own.
_SETUPS: Final[dict[str, _Setup]] = {}


class WarlightGame(pyspiel.Game):  # pyspiel has no types
    """The game "warlight": simultaneous moves, imperfect information, two to six players.

    | parameter | default | meaning |
    |---|---|---|
    | map | world | the name of a bundled map, or a file |
    | rules | thesis | the name of a preset |
    | players | 2 | 2 to 6 |
    | action | strategies | "strategies" (9 actions, one action per turn) or "steps" (several actions per turn) |
    | picking | play | "play": players pick their start regions; "random": a chance node draws them |
    | max_cycles | 0 | the number of joint actions after which the game ends; 0: the encoding's default |
    | chance_outcomes | 64 | the number of outcomes of each chance node, 1 to 2**20 |

    A chance node begins the game, and another one follows when all players have completed their turns. All outcomes of
    a chance node have the same probability. An outcome is the seed of the dice of one round. The seeds depend on all
    earlier outcomes of the game. A state therefore depends only on its history, and OpenSpiel can copy, save and replay
    a state. A real round has many more outcomes: the outcomes of a chance node are a fixed sample of the real outcomes.

    At the end the winner has the return 1. A player who was eliminated or who lost has the return -1. A draw, or the
    end after `max_cycles`, gives the return 0. With two players the game is a zero-sum game.

    Raises OpenSpielError, or another InputError, for invalid values of the parameters.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        setup = _Setup(params or {})
        core = setup.core
        info = pyspiel.GameInfo(
            num_distinct_actions=int(core.limits[0]),
            max_chance_outcomes=setup.outcomes,
            num_players=core.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if core.players == 2 else None,
            max_game_length=core.max_cycles,
        )
        super().__init__(_game_type(core.players), info, params or {})
        _SETUPS[str(self)] = setup

    @property
    def setup(self) -> _Setup:
        """The data that all states of this game share."""
        return _SETUPS[str(self)]

    def new_initial_state(self) -> WarlightState:
        """Return a new state, at the chance node that begins the game."""
        return WarlightState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the largest number of chance nodes in a game."""
        return self.setup.core.max_cycles + 1

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> WarlightObserver:
        """Return an observer of this game; see `WarlightObserver`."""
        return WarlightObserver(self.setup.core, iig_obs_type, params)


class _Sight:
    """The view of a player after a round. The object never changes, so copies of a state share it."""

    def __init__(self, core: EnvCore, player: int) -> None:
        self._core = core.map, core.players, player
        out, state = core.out, core.state
        self._owner, self._army = out.seen_owner[0, player].tolist(), out.seen_army[0, player].tolist()
        self._offered = np.flatnonzero(out.free[0, player] == OFFERED).tolist()
        self._head = int(state.phase[0]), int(state.round[0]), int(out.income[0, player])

    @functools.cached_property
    def text(self) -> str:
        map_, players, player = self._core
        phase, number, income = self._head
        words = {PICK: "pick", OVER: "over"}.get(phase, "play")
        lines = [f"player {player}, {words}, round {number}, income {income}"]
        if self._offered:
            lines.append("offered: " + ", ".join(map_.regions[r].name for r in self._offered))
        names = {SEEN_UNKNOWN: "unknown", SEEN_NEUTRAL: "neutral"}
        for r, (owner, army) in enumerate(zip(self._owner, self._army, strict=True)):
            if owner != SEEN_UNKNOWN:
                owner_name = names.get(owner) or f"player {(player + owner - SEEN_MINE) % players}"
                lines.append(f"{map_.regions[r].name}: {owner_name} {army}")
        return "\n".join(lines)


class _Position:
    """The changing part of a state; its `copy.deepcopy` is fast, because OpenSpiel clones states with `deepcopy`."""

    def __init__(self, setup: _Setup) -> None:
        self.setup, self.players = setup, setup.core.players
        #: The game's `EnvCore`; None before the first chance node.
        self.core: EnvCore | None = None
        self.seed, self.chance = 0, True
        self.returns = [0.0] * self.players
        #: For each player, what it has seen and done: a `_Sight` after each round, and its own actions as text.
        self.memory: list[list[_Sight | str]] = [[] for _ in range(self.players)]

    def __deepcopy__(self, memo: Any) -> _Position:
        clone = object.__new__(_Position)
        clone.__dict__.update(self.__dict__)
        clone.core = None if self.core is None else self.core.clone()
        clone.returns, clone.memory = self.returns[:], [events[:] for events in self.memory]
        return clone

    def acts(self, player: int) -> bool:
        """Return whether the player must act now: it is live and has not completed its turn."""
        core = self.core
        return core is not None and bool(core.out.live[0, player] and not core.turns.status[0, player, READY])

    @property
    def picking(self) -> bool:
        return self.core is not None and int(self.core.state.phase[0]) == PICK

    def roll(self, outcome: int) -> None:
        """Apply an outcome of a chance node: begin the game, or play the round for which all turns are complete."""
        seed = derive_seed(self.seed, outcome)
        if self.core is None:
            core = self.setup.core.clone()
            core.reset([seed])
            self.core = core
        else:
            self.core.state.rng[0] = make_rng(seed)
            self._resolve()
        self.seed, self.chance = seed, False
        for player, events in enumerate(self.memory):
            events.append(_Sight(self.core, player))

    def submit(self, actions: Sequence[int]) -> None:
        """Submit one action of each player. Actions of players who do not act are ignored."""
        core = self.core
        assert core is not None
        acting = [player for player in range(self.players) if self.acts(player)]
        rows, marks = np.zeros((1, self.players, 1), np.int64), np.zeros((1, self.players), np.int8)
        for player in acting:
            rows[0, player], marks[0, player] = self._legal(player, actions[player]), 1
        picking = self.picking
        core.submit_actions(rows, acting=marks)
        for player in acting:
            self.memory[player].append(self.setup.action_text(int(actions[player]), picking))
        if any(self.acts(player) for player in range(self.players)):
            self._resolve()  # counts the step; no round is played
        else:
            self.chance = True

    def _legal(self, player: int, action: Any) -> int:
        core = self.core
        assert core is not None
        mask = core.out.mask[0, player]
        value = index(action, f"player {player}: action", len(mask), OpenSpielError)
        if not mask[value]:
            raise OpenSpielError(f"player {player}: action {value} is illegal in this state; the state has not changed")
        return value

    def _resolve(self) -> None:
        assert self.core is not None
        self.core.resolve()
        self.returns = [old + new for old, new in zip(self.returns, self.core.out.reward[0].tolist(), strict=True)]

    @property
    def over(self) -> bool:
        return self.core is not None and not self.chance and not self.core.out.live.any()

    def observation(self, player: int) -> str:
        """Return what the player sees now, and its actions in the unfinished turn."""
        events = self.memory[player]
        last = next((i for i in reversed(range(len(events))) if isinstance(events[i], _Sight)), 0)
        return _text(events[last:])


def _text(events: Sequence[_Sight | str]) -> str:
    return "\n".join(event.text if isinstance(event, _Sight) else f"action: {event}" for event in events)


class WarlightState(pyspiel.State):  # pyspiel has no types
    """A state of the game "warlight".

    All live players act at the same time. A player who was eliminated, or who has already completed its turn with the
    encoding "steps", has no legal actions.
    """

    def __init__(self, game: WarlightGame) -> None:
        super().__init__(game)
        self.position = _Position(game.setup)

    def current_player(self) -> int:
        """Return the player who acts: all players at the same time, or a chance node, or the end of the game."""
        if self.position.chance:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL if self.position.over else pyspiel.PlayerId.SIMULTANEOUS)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return all outcomes of a chance node with their equal probabilities."""
        count = self.position.setup.outcomes
        return [(outcome, 1.0 / count) for outcome in range(count)]

    def _legal_actions(self, player: int) -> list[int]:
        position = self.position
        if position.chance or position.core is None or not position.acts(player):
            return []
        legal: list[int] = np.flatnonzero(position.core.out.mask[0, player]).tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        position = self.position
        if not position.chance:
            raise OpenSpielError("the players act at the same time: use apply_actions with one action of each player")
        position.roll(index(action, "outcome", position.setup.outcomes, OpenSpielError))

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.position.submit(actions)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"dice {action}"
        return self.position.setup.action_text(action, self.position.picking)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.over

    def returns(self) -> list[float]:
        """Return the return of each player; 0 for all players before the end of the game."""
        return self.position.returns[:] if self.position.over else [0.0] * self.position.players

    def __str__(self) -> str:
        """Return the true position, without fog of war, and the numbers of the round and of the step."""
        core = self.position.core
        if core is None:
            return "the game has not begun"
        owner, army = core.state.owner[0].tolist(), core.state.army[0].tolist()
        regions = ", ".join(
            f"{region.name}: {'neutral' if player < 0 else f'player {player}'} {armies}"
            for region, player, armies in zip(core.map.regions, owner, army, strict=True)
        )
        return f"round {int(core.state.round[0])}, step {int(core.out.cycles[0])}: {regions}"


class WarlightObserver:
    """The observations of one player, as a tensor and as text.

    `tensor` is float32[K], the numbers of the observation "flat", and `dict` has the parts of `tensor` by name (for
    example nodes float32[N, F]). The attribute `core.features` of the game has the name of each number. An
    observer with perfect recall has no tensor; its text contains all that the player has seen and done.

    Raises OpenSpielError for a non-empty `params`.
    """

    def __init__(self, core: EnvCore, iig_obs_type: Any = None, params: Any = None) -> None:
        if params:
            raise OpenSpielError(f"params = {short_repr(params)}: this game's observers have no parameters")
        self._recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        self.tensor: npt.NDArray[np.float32] | None = None
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        if not self._recall:
            self.tensor = np.zeros(core.features.size, np.float32)
            self.dict = {part.name: part.cut(self.tensor) for part in core.features.parts}

    def set_from(self, state: Any, player: int) -> None:
        """Write the player's observation to `tensor`. Before the first chance node, all numbers of `tensor` are 0."""
        core = state.position.core
        if self.tensor is not None:
            self.tensor[...] = 0 if core is None else core.out.features[0, player]

    def string_from(self, state: Any, player: int) -> str:
        """Return the player's observation as text, or its information state if the observer has perfect recall."""
        position = state.position
        return _text(position.memory[player]) if self._recall else position.observation(player)


pyspiel.register_game(_game_type(DEFAULTS["players"]), WarlightGame)
