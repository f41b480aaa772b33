"""Who plays against a learner: bots, policies, mixtures, and slots that can be swapped while the games go on."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, make_agent
from warlight_env.agents.compiled import COMPILED, CompiledBot
from warlight_env.agents.plug_ins import plug_in
from warlight_env.agents.registry import parse
from warlight_env.engine.jit import address
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.envs.actions.kernels import READY
from warlight_env.envs.checkpoints import Policy, load_policy
from warlight_env.envs.looking import observation
from warlight_env.errors import InputError

if TYPE_CHECKING:
    from warlight_env.envs.core import EnvCore


class OpponentError(InputError):
    """An opponent that cannot be; the message names it and the reason."""


class Opponent(ABC):
    """Somebody who moves for a player in any number of the games of a core."""

    #: Whether it needs the observations and masks that a core keeps for its slots.
    observes = False

    @abstractmethod
    def begin(self, core: EnvCore, b: int, player: int, seed: int) -> None:
        """A new game in which it is `player`."""

    @abstractmethod
    def move(self, core: EnvCore, chosen: npt.NDArray[np.int16], which: int, after: npt.NDArray[np.int8]) -> None:
        """Hand in for the players p of games b with ``chosen[b, p] == which``, where player ``after[b]`` is ready."""


class _Moving(Opponent):
    """Finds the games and players that are to move."""

    @staticmethod
    def _to_move(
        core: EnvCore, chosen: npt.NDArray[np.int16], which: int, after: npt.NDArray[np.int8]
    ) -> list[tuple[int, int]]:
        games = np.arange(core.batch)
        ready = (core.turns.status[games, after, READY] != 0) & core.out.live[games, after]
        own = (chosen == which) & core.out.live & ready[:, None] & (core.turns.status[:, :, READY] == 0)
        return [(int(b), int(p)) for b, p in np.argwhere(own)]


class BotOpponent(Opponent):
    """A bot whose kernels play the whole batch in compiled code."""

    def __init__(self, bot: CompiledBot) -> None:
        self._policy, self._pick = address(plug_in("policy", bot.policy)), address(plug_in("picker", bot.pick))
        # By core: one opponent may play in several environments.
        self._rngs: WeakKeyDictionary[EnvCore, npt.NDArray[np.uint64]] = WeakKeyDictionary()

    def begin(self, core: EnvCore, b: int, player: int, seed: int) -> None:
        if core not in self._rngs:
            self._rngs[core] = np.zeros((core.batch, core.players, 2), dtype=np.uint64)
        self._rngs[core][b, player] = make_rng(seed)

    def move(self, core: EnvCore, chosen: npt.NDArray[np.int16], which: int, after: npt.NDArray[np.int8]) -> None:
        core.hand_in_policy(self._policy, self._pick, chosen, which, after, self._rngs[core])

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("opponents that are compiled code cannot be pickled; pickle what they were made from")


class AgentOpponent(_Moving):
    """Agents in Python, one for every game, as `make(seed)` gives them."""

    def __init__(self, make: Callable[[int], Agent]) -> None:
        self._make = make
        self._agents: WeakKeyDictionary[EnvCore, dict[tuple[int, int], Agent]] = WeakKeyDictionary()

    def begin(self, core: EnvCore, b: int, player: int, seed: int) -> None:
        self._agents.setdefault(core, {})[b, player] = self._make(seed)

    def move(self, core: EnvCore, chosen: npt.NDArray[np.int16], which: int, after: npt.NDArray[np.int8]) -> None:
        for b, p in self._to_move(core, chosen, which, after):
            view, agent = core.view(p, b), self._agents[core][b, p]
            if view.phase == "pick" and not view.offers:
                core.hand_in_choice(b, p, [])
                continue
            core.hand_in_choice(b, p, agent.pick(view) if view.phase == "pick" else agent.act(view))


class PolicyOpponent(_Moving):
    """A policy over observations and masks, asked for all games at once; it uses the environment's own encoding."""

    observes = True

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def begin(self, core: EnvCore, b: int, player: int, seed: int) -> None:
        """Nothing is kept of a game."""

    def move(self, core: EnvCore, chosen: npt.NDArray[np.int16], which: int, after: npt.NDArray[np.int8]) -> None:
        illegal = core.out.illegal.copy()
        for count in range(core.encoding.max_parts + 1):
            to_move = self._to_move(core, chosen, which, after)
            if not to_move:
                break
            if count == core.encoding.max_parts:  # it goes on and on with what is illegal: its turn is over
                for b, p in to_move:
                    core.turns.status[b, p, READY] = 1
                break
            games = np.array([b for b, _ in to_move], dtype=np.int64)
            slots = np.array([core.out.slot[b, p] for b, p in to_move], dtype=np.int64)
            rows = np.zeros((core.batch, core.slots, core.row_size), dtype=np.int64)
            acting = np.zeros((core.batch, core.slots), dtype=np.int8)
            for slot in np.unique(slots).tolist():
                here = games[slots == slot]
                actions = self.policy(observation(core, slot, here), core.flat_masks(slot, here))
                part = np.zeros((len(here), core.row_size), dtype=np.int64)
                core.read_rows(actions, here, slot, part)
                rows[here, slot], acting[here, slot] = part, 1
            core.hand_in(rows, illegal, acting)
            illegal[...] = core.out.illegal
            if core.settings.stepwise:
                core.look(turns_only=True)


class OpponentPool:
    """Opponents with weights, one of which is drawn for every game; it may be changed while games go on.

    A game that has begun is finished by the one that was drawn for it, also if it is removed.
    """

    def __init__(self, weights: Mapping[Any, float] | None = None) -> None:
        self._members: dict[str, tuple[Opponent, float]] = {}
        for source, weight in (weights or {}).items():
            self.add(str(source), source, weight)

    def add(self, name: str, opponent: Any, weight: float = 1.0) -> None:
        """Add or replace a member; `opponent` is anything that `make_opponent` takes, but pools."""
        if not (np.isfinite(weight) and weight >= 0):
            raise OpponentError(f"opponent {name!r}: weight {weight!r} must be a number from 0 up")
        self._members[name] = (make_opponent(opponent), float(weight))

    def remove(self, name: str) -> None:
        """Remove a member."""
        if name not in self._members:
            raise OpponentError(f"no opponent {name!r}; there are {', '.join(self._members)}")
        del self._members[name]

    def set_weight(self, name: str, weight: float) -> None:
        """Change how often a member is drawn."""
        if name not in self._members:
            raise OpponentError(f"no opponent {name!r}; there are {', '.join(self._members)}")
        self.add(name, self._members[name][0], weight)

    @property
    def weights(self) -> dict[str, float]:
        """The members' weights by name."""
        return {name: weight for name, (_, weight) in self._members.items()}

    @property
    def observes(self) -> bool:
        """Whether some member needs observations."""
        return any(opponent.observes for opponent, _ in self._members.values())

    def draw(self, seed: int) -> Opponent:
        """A member, at random in proportion to the weights."""
        total = sum(weight for _, weight in self._members.values())
        if total <= 0:
            raise OpponentError("the pool of opponents is empty, or all weights are 0")
        at = (derive_seed(seed) / 2**64) * total
        for opponent, weight in self._members.values():
            if at < weight:
                return opponent
            at -= weight
        return next(reversed([o for o, weight in self._members.values() if weight > 0]))


def make_opponent(source: Any) -> Opponent:
    """An opponent from an agent's name with parameters, an `Agent`'s class or factory, a policy, or a checkpoint.

    - "aggressive", "mcts:sims=50": registered agents; those without parameters in `COMPILED` play in compiled code.
    - "learner.zip": a policy that Stable-Baselines3 or sb3-contrib saved, with the environment's own spaces.
    - a class or function with a parameter named `seed`: makes an agent for every game.
    - any other callable: a `Policy`.
    """
    if isinstance(source, Opponent):
        return source
    if isinstance(source, str | Path):
        if str(source).endswith(".zip"):
            return PolicyOpponent(load_policy(source))
        info, parameters = parse(str(source))
        if info.name in COMPILED and not parameters:
            return BotOpponent(COMPILED[info.name])
        spec = str(source)
        return AgentOpponent(lambda seed: make_agent(spec, seed))
    if isinstance(source, Agent) and not isinstance(source, type):
        raise OpponentError(f"opponent {source!r} is one agent; give its class, for one in every game")
    if callable(source):
        return AgentOpponent(lambda seed: source(seed=seed)) if _takes_seed(source) else PolicyOpponent(source)
    raise OpponentError(f"opponent {source!r}: must be an agent's name, a class, a policy, a checkpoint or a pool")


def _takes_seed(source: Callable[..., Any]) -> bool:
    try:
        return "seed" in inspect.signature(source).parameters
    except (TypeError, ValueError):
        return False


Slot = Opponent | OpponentPool


def make_slots(opponent: Any, count: int) -> list[Slot]:
    """The opponents of `count` seats: one for all, or a list with one each; a mapping is a pool of weights."""
    sources = opponent if isinstance(opponent, Sequence) and not isinstance(opponent, str) else [opponent] * count
    if len(sources) != count:
        raise OpponentError(f"{len(sources)} opponents for {count} seats")
    made: dict[int, Slot] = {}
    slots: list[Slot] = []
    for source in sources:
        if id(source) not in made:
            if isinstance(source, Mapping):
                made[id(source)] = OpponentPool(source)
            else:
                made[id(source)] = source if isinstance(source, OpponentPool) else make_opponent(source)
        slots.append(made[id(source)])
    return slots
