"""Opponents of a learner: bots, policies, mixtures, and pools that can change during training."""

from __future__ import annotations

import functools
import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, make_agent
from warlight_env.agents.agent_adapter import as_agent, is_agent
from warlight_env.agents.base import check_once
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.agents.registry import parse
from warlight_env.arguments import is_integer, short_repr
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.envs.actions.kernels import READY
from warlight_env.envs.observation_spaces import observation, observation_space_of
from warlight_env.envs.saved_policies import ModelPolicy, Policy, load_policy
from warlight_env.errors import InputError

if TYPE_CHECKING:
    from warlight_env.envs.core import EnvCore


class OpponentError(InputError):
    """An error for an invalid opponent; the message gives the opponent and the reason."""


class Opponent(ABC):
    """A player of one or more seats, in any number of games of any number of cores.

    The object itself has no state of a game. `make_memory` makes the memory for the games of a core, which the
    environment stores, so that many games can share an opponent.
    """

    #: Whether the opponent needs the observations and masks that a core computes for its slots.
    observes = False
    #: Whether the opponent needs views. Views then include the same history as in a match, see
    #: `EnvCore.record_history`.
    views = False
    #: Whether `move` may raise an exception because it runs a user's Python code.
    raises = True

    def make_memory(self, core: EnvCore) -> Any:
        """Return the memory for `begin` and `move` in this core's games; raise OpponentError if it cannot play them."""
        return None

    @abstractmethod
    def begin(self, memory: Any, core: EnvCore, b: int, player: int, seed: int) -> None:
        """Begin a new game as `player`."""

    @abstractmethod
    def move(
        self, memory: Any, core: EnvCore, chosen: npt.NDArray[np.int16], number: int, after: npt.NDArray[np.int8]
    ) -> None:
        """Submit turns for players p of games b with ``chosen[b, p] == number``, if player ``after[b]`` is ready."""


def _to_move(
    core: EnvCore, chosen: npt.NDArray[np.int16], number: int, after: npt.NDArray[np.int8]
) -> list[tuple[int, int]]:
    """Return the (game, player) pairs that must act now."""
    games = np.arange(core.batch)
    ready = (core.turns.status[games, after, READY] != 0) & core.out.live[games, after]
    own = (chosen == number) & core.out.live & ready[:, None] & (core.turns.status[:, :, READY] == 0)
    return [(int(b), int(p)) for b, p in np.argwhere(own)]


class BotOpponent(Opponent):
    """A bot in `COMPILED`; its kernels act in the whole batch in compiled code."""

    raises = False

    def __init__(self, name: str) -> None:
        bot = COMPILED[name]
        self.name = name
        self._policy, self._pick = plug_in("policy", bot.policy), plug_in("picker", bot.pick)

    def make_memory(self, core: EnvCore) -> npt.NDArray[np.uint64]:
        """Return uint64[B, P, 2]: the random generators of all bots; a bot uses those of the seats that it plays."""
        return core.bot_rngs

    def begin(self, memory: npt.NDArray[np.uint64], core: EnvCore, b: int, player: int, seed: int) -> None:
        memory[b, player] = make_rng(seed)

    @property
    def kernels(self) -> tuple[Any, Any]:
        """The policy and the picker, for kernels that take their addresses."""
        return self._policy, self._pick

    def move(
        self,
        memory: npt.NDArray[np.uint64],
        core: EnvCore,
        chosen: npt.NDArray[np.int16],
        number: int,
        after: npt.NDArray[np.int8],
    ) -> None:
        core.submit_policy(self._policy, self._pick, chosen, number, after, memory, core.bots_context)

    def __reduce__(self) -> tuple[type[BotOpponent], tuple[str]]:
        return BotOpponent, (self.name,)  # addresses are not valid in another process


class AgentOpponent(Opponent):
    """Agents in Python: `make(seed)` makes a new agent for every game."""

    views = True

    def __init__(self, make: Callable[[int], Agent]) -> None:
        self._make = make

    def make_memory(self, core: EnvCore) -> dict[tuple[int, int], Agent]:
        """Return a dict for the agents, with keys (game, player). Raise the errors of the agent's `check`."""
        check_once(self._make(0), core.map, core.rules, core.players)
        return {}

    def begin(self, memory: dict[tuple[int, int], Agent], core: EnvCore, b: int, player: int, seed: int) -> None:
        memory[b, player] = self._make(seed)

    def move(
        self,
        memory: dict[tuple[int, int], Agent],
        core: EnvCore,
        chosen: npt.NDArray[np.int16],
        number: int,
        after: npt.NDArray[np.int8],
    ) -> None:
        for b, p in _to_move(core, chosen, number, after):
            view, agent = core.view(p, b), memory[b, p]
            if view.phase == "pick":
                core.submit_choice(b, p, agent.pick(view) if view.offers else [])
                continue
            orders = agent.act(view)
            if not isinstance(orders, Orders):
                raise OpponentError(f"opponent {agent.name!r}: act returned {type(orders).__name__}, not Orders")
            core.submit_choice(b, p, orders)


class PolicyOpponent(Opponent):
    """A policy over observations and masks, called for all games at once, with the environment's own encoding.

    A policy with random draws may have a method `reseed(seed)`. It is called before each call of the policy; its
    argument depends on the games' seeds. So equal seeds give equal games: in a single environment the seed of the game,
    in a batch the seeds of all games.
    """

    observes = True

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def make_memory(self, core: EnvCore) -> npt.NDArray[np.uint64]:
        """Return uint64[B, P]: for each player the seed of its next action."""
        if isinstance(self.policy, ModelPolicy):
            self.policy.check(core.encoding.space, observation_space_of(core))
        return np.zeros((core.batch, core.players), dtype=np.uint64)

    def begin(self, memory: npt.NDArray[np.uint64], core: EnvCore, b: int, player: int, seed: int) -> None:
        memory[b, player] = seed & (2**64 - 1)

    def move(
        self,
        memory: npt.NDArray[np.uint64],
        core: EnvCore,
        chosen: npt.NDArray[np.int16],
        number: int,
        after: npt.NDArray[np.int8],
    ) -> None:
        illegal = core.out.illegal.copy()
        for count in range(core.encoding.max_parts + 1):
            to_move = _to_move(core, chosen, number, after)
            if not to_move:
                break
            if count == core.encoding.max_parts:  # the policy chooses only illegal actions: end its turn
                for b, p in to_move:
                    core.turns.status[b, p, READY] = 1
                break
            rows, acting = self._ask(memory, core, to_move)
            core.submit_actions(rows, illegal, acting)
            illegal[...] = core.out.illegal
            if core.settings.stepwise:
                core.refresh_observations(turns_only=True)

    def _ask(
        self, memory: npt.NDArray[np.uint64], core: EnvCore, to_move: list[tuple[int, int]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]:
        """Return action rows int64[B, S, K], and int8[B, S]: 1 for the slots with a row."""
        games, players = np.array(to_move, dtype=np.int64).T
        slots = core.out.slot[games, players].astype(np.int64)
        rows = np.zeros((core.batch, core.slots, core.row_size), dtype=np.int64)
        acting = np.zeros((core.batch, core.slots), dtype=np.int8)
        for slot in np.unique(slots).tolist():
            here, who = games[slots == slot], players[slots == slot]
            if hasattr(self.policy, "reseed"):
                seeds = [derive_seed(int(seed)) for seed in memory[here, who]]
                memory[here, who] = seeds
                self.policy.reseed(derive_seed(*seeds))
            actions = self.policy(observation(core, slot, here), core.flat_masks(slot, here))
            part = np.zeros((len(here), core.row_size), dtype=np.int64)
            core.read_rows(actions, here, slot, part)
            rows[here, slot], acting[here, slot] = part, 1
        return rows, acting


class OpponentPool:
    """Opponents with weights; every game draws one of them. The pool may change while games are in play.

    A game in play keeps its opponent, even after the pool removes it.
    """

    def __init__(self, weights: Mapping[Any, float] | None = None) -> None:
        self._members: dict[str, tuple[Opponent, float]] = {}
        if not isinstance(weights, Mapping | None):
            raise OpponentError(f"weights = {short_repr(weights)}: must be a dict of weights by opponent")
        for source, weight in ({} if weights is None else weights).items():
            if str(source) in self._members:
                raise OpponentError(
                    f"two opponents are named {short_repr(str(source))}; use `add` to give them different names"
                )
            self.add(str(source), source, weight)

    def add(self, name: str, opponent: Any, weight: float = 1.0) -> None:
        """Add or replace a member. opponent: any argument of `make_opponent`, except a pool."""
        if not isinstance(name, str):
            raise OpponentError(f"name = {short_repr(name)}: must be a string")
        share = _finite(weight)
        if not share >= 0:
            raise OpponentError(f"opponent {short_repr(name)}: weight {short_repr(weight)} must be a number from 0 up")
        self._members[name] = (make_opponent(opponent), share)

    def remove(self, name: str) -> None:
        """Remove a member."""
        if not isinstance(name, str) or name not in self._members:
            raise OpponentError(f"no opponent {short_repr(name)}; there are {', '.join(self._members)}")
        del self._members[name]

    def set_weight(self, name: str, weight: float) -> None:
        """Change the weight of a member in the draw."""
        if not isinstance(name, str) or name not in self._members:
            raise OpponentError(f"no opponent {short_repr(name)}; there are {', '.join(self._members)}")
        self.add(name, self._members[name][0], weight)

    @property
    def weights(self) -> dict[str, float]:
        """The members' weights by name."""
        return {name: weight for name, (_, weight) in self._members.items()}

    @property
    def observes(self) -> bool:
        """Whether any member needs observations."""
        return any(opponent.observes for opponent, _ in self._members.values())

    @property
    def views(self) -> bool:
        """Whether any member needs views."""
        return any(opponent.views for opponent, _ in self._members.values())

    def draw(self, seed: int) -> Opponent:
        """Draw a member at random in proportion to the weights."""
        total = sum(weight for _, weight in self._members.values())
        if total <= 0:
            raise OpponentError("the pool of opponents is empty, or all weights are 0")
        if not is_integer(seed):
            raise OpponentError(f"seed = {short_repr(seed)}: must be an integer")
        at = (derive_seed(int(seed)) / 2**64) * total
        for opponent, weight in self._members.values():
            if at < weight:
                return opponent
            at -= weight
        return next(reversed([o for o, weight in self._members.values() if weight > 0]))


def _finite(value: Any) -> float:
    """Return a finite number as a float, whatever its type; NaN for other values, including booleans."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def make_opponent(source: Any) -> Opponent:
    """Make an opponent from an agent's name with parameters, an `Agent` class or factory, a policy, or a checkpoint.

    - "aggressive", "mcts:sims=50": registered agents. Agents in `COMPILED`, without parameters, run as compiled code.
    - `load_policy("learner.zip", trust=True)`: a policy that Stable-Baselines3 or sb3-contrib saved, with the
      environment's own spaces. A file name alone raises an error, because such a file can run any program when it is
      read.
    - an agent's class, or a function with `seed` as its first parameter: it makes an agent for every game.
    - any other callable: it is a `Policy`.
    """
    if isinstance(source, Opponent):
        return source
    if isinstance(source, str | Path):
        if str(source).endswith(".zip"):
            load_policy(source)  # this raises an error that explains `trust`
        info, parameters = parse(str(source))
        if info.name in COMPILED and not parameters:
            return BotOpponent(info.name)
        return AgentOpponent(functools.partial(make_agent, str(source)))
    if isinstance(source, type):
        if not (hasattr(source, "act") and hasattr(source, "pick")):
            raise OpponentError(
                f"opponent {source.__name__}: the class must be an agent's class, with the methods pick and act"
            )
        return AgentOpponent(functools.partial(_make_seeded, source))
    if is_agent(source):
        raise OpponentError(
            f"opponent {short_repr(source)}: must not be an agent object; "
            "pass its class, so that each game has its own agent"
        )
    if callable(source):
        if _takes_seed_first(source):
            return AgentOpponent(functools.partial(_make_seeded, source))
        return PolicyOpponent(source)
    raise OpponentError(
        f"opponent {short_repr(source)}: must be an agent's name, a class, a policy, a checkpoint or a pool"
    )


def _make_seeded(make: Callable[..., Any], seed: int) -> Agent:
    return as_agent(make(seed=seed))


def _takes_seed_first(source: Callable[..., Any]) -> bool:
    try:
        return next(iter(inspect.signature(source).parameters), None) == "seed"
    except (TypeError, ValueError):
        return False


Slot = Opponent | OpponentPool


def make_slots(opponent: Any, count: int) -> list[Slot]:
    """Return the opponents of `count` seats. opponent: one for all, a list with one for each, or a dict of weights."""
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
