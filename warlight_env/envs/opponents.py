"""Opponents of a learner: bots, policies, and pools of opponents that can change during training."""

from __future__ import annotations

import contextlib
import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warlight_env.agents import Agent, make_agent
from warlight_env.agents.agent_adapter import as_agent, is_agent, makes_agents
from warlight_env.agents.base import check_once
from warlight_env.agents.players.compiled import COMPILED
from warlight_env.agents.plug_ins.functions import plug_in
from warlight_env.agents.registry import parse
from warlight_env.arguments import seed_of, short_repr
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.envs.actions.kernels import READY
from warlight_env.envs.observation_spaces import observation, observation_space_of
from warlight_env.envs.saved_policies import ModelPolicy, Policy, trust_error
from warlight_env.errors import InputError

if TYPE_CHECKING:
    from warlight_env.envs.core import EnvCore


class OpponentError(InputError):
    """An error for an invalid opponent; the message names the opponent and the reason."""


class Opponent(ABC):
    """A player that can control one or more seats in any number of games.

    The object itself does not contain the state of a game, so many games can share it. `make_memory` returns an object
    with the opponent's memory of the games in one `EnvCore`. The environment stores this object and passes it to
    `begin` and `move`.
    """

    #: Whether the opponent needs observations and masks, as a learner does.
    observes = False
    #: Whether the opponent needs views (`View`) of the games. The views then include the start regions and the last
    #: round's events, as in a match; see `EnvCore.record_history`.
    views = False
    #: Whether the method `move` may raise an exception, because it runs Python code of a user.
    raises = True

    def make_memory(self, core: EnvCore) -> Any:
        """Return the opponent's memory of the games in an `EnvCore`. The memory is an argument of `begin` and `move`.

        Raises OpponentError if the opponent cannot play in these games.
        """
        return None

    @abstractmethod
    def begin(self, memory: Any, core: EnvCore, b: int, player: int, seed: int) -> None:
        """Prepare the memory for a new game b in which the opponent controls `player`. seed: for the opponent's random
        choices."""

    @abstractmethod
    def move(
        self, memory: Any, core: EnvCore, chosen: npt.NDArray[np.int16], number: int, after: npt.NDArray[np.int8]
    ) -> None:
        """Submit a turn for each player p of each game b with ``chosen[b, p] == number``.

        Games in which player ``after[b]`` has not submitted a complete turn are skipped.
        """

    def rollback_on_error(self, memory: Any) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that restores the memory after an exception in its block.

        By default, the context manager restores nothing.
        """
        return contextlib.nullcontext()


def _to_move(
    core: EnvCore, chosen: npt.NDArray[np.int16], number: int, after: npt.NDArray[np.int8]
) -> list[tuple[int, int]]:
    """Return the pairs (game, player) for which `Opponent.move`, with the same arguments, must submit a turn now."""
    games = np.arange(core.batch)
    ready = (core.turns.status[games, after, READY] != 0) & core.out.live[games, after]
    to_move = (chosen == number) & core.out.live & ready[:, None] & (core.turns.status[:, :, READY] == 0)
    return [(int(b), int(p)) for b, p in np.argwhere(to_move)]


class BotOpponent(Opponent):
    """A compiled bot, named in `COMPILED`. One call of compiled code submits its turns in all games of a batch."""

    raises = False

    def __init__(self, name: str) -> None:
        bot = COMPILED[name]
        self.name = name
        #: The bot's two compiled functions: the policy plays rounds, and the picker picks start regions.
        self.kernels: tuple[Any, Any] = plug_in("policy", bot.policy), plug_in("picker", bot.pick)

    def make_memory(self, core: EnvCore) -> npt.NDArray[np.uint64]:
        """Return uint64[B, P, 2]: the state of a random generator for each seat.

        A bot uses only the random generators of its own seats.
        """
        return core.bot_rngs

    def begin(self, memory: npt.NDArray[np.uint64], core: EnvCore, b: int, player: int, seed: int) -> None:
        memory[b, player] = make_rng(seed)

    def move(
        self,
        memory: npt.NDArray[np.uint64],
        core: EnvCore,
        chosen: npt.NDArray[np.int16],
        number: int,
        after: npt.NDArray[np.int8],
    ) -> None:
        core.submit_policy(*self.kernels, chosen, number, after, memory, core.bots_context)

    def __reduce__(self) -> tuple[type[BotOpponent], tuple[str]]:
        return BotOpponent, (self.name,)  # addresses of compiled functions are not valid in another process


class AgentOpponent(Opponent):
    """An opponent that makes a new `Agent` for every game with the function `make(seed)`, and calls it in Python.

    After an error in a step, the environment cannot restore the agents. An agent that has moved before the error keeps
    the changes of its own data, for example of its random generator, and must choose a move again in the next step.
    """

    views = True

    def __init__(self, make: Callable[[int], Agent]) -> None:
        self._make = make

    def make_memory(self, core: EnvCore) -> dict[tuple[int, int], Agent]:
        """Return an empty dict, in which `begin` stores an agent for each pair (game, player).

        Raises the exception of the agent's method `check` if the agent cannot play these games.
        """
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
    """An opponent that plays with a policy: a function of observations and action masks that returns actions.

    One call of the policy returns actions for several games, in the environment's own action encoding.

    A policy that draws random actions may have a method `reseed(seed)`. The opponent calls `reseed` before each call of
    the policy, with an argument that depends on the seeds of the games, so that equal seeds give equal games. In a
    batch, the argument of `reseed` depends on the seeds of several games. To repeat one game of a batch exactly, repeat
    the whole batch with the same seeds.
    """

    observes = True

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def make_memory(self, core: EnvCore) -> npt.NDArray[np.uint64]:
        """Return uint64[B, P]: for each player, the seed for its next random action."""
        if isinstance(self.policy, ModelPolicy):
            self.policy.check(core.encoding.space, observation_space_of(core))
        return np.zeros((core.batch, core.players), dtype=np.uint64)

    def begin(self, memory: npt.NDArray[np.uint64], core: EnvCore, b: int, player: int, seed: int) -> None:
        memory[b, player] = seed & (2**64 - 1)

    @contextlib.contextmanager
    def rollback_on_error(self, memory: npt.NDArray[np.uint64]) -> Iterator[None]:
        """Return a context manager that restores the seeds of the next random actions after an exception."""
        before = memory.copy()
        try:
            yield
        except BaseException:
            memory[...] = before
            raise

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
            if count == core.encoding.max_parts:  # the policy has chosen only illegal actions, so end its turn
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
        """Call the policy for the pairs (game, player) in `to_move`.

        Return the action rows int64[B, S, K], and int8[B, S] with 1 for each slot that has an action.
        """
        games, players = np.array(to_move, dtype=np.int64).T
        slots = core.out.slot[games, players].astype(np.int64)
        rows = np.zeros((core.batch, core.slots, core.row_size), dtype=np.int64)
        acting = np.zeros((core.batch, core.slots), dtype=np.int8)
        for slot in np.unique(slots).tolist():
            slot_games, slot_players = games[slots == slot], players[slots == slot]
            if hasattr(self.policy, "reseed"):
                seeds = [derive_seed(int(seed)) for seed in memory[slot_games, slot_players]]
                memory[slot_games, slot_players] = seeds
                self.policy.reseed(derive_seed(*seeds))
            actions = self.policy(observation(core, slot, slot_games), core.flat_masks(slot, slot_games))
            slot_rows = np.zeros((len(slot_games), core.row_size), dtype=np.int64)
            core.read_rows(actions, slot_games, slot, slot_rows)
            rows[slot_games, slot], acting[slot_games, slot] = slot_rows, 1
        return rows, acting


class OpponentPool:
    """A set of named opponents with weights, from which an opponent is drawn at random for every game.

    The pool may change at any time. A game that has begun keeps its opponent, even if the pool no longer contains it.
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
        """Add an opponent to the pool, or replace the opponent with the same name.

        Args:
            opponent: any argument of `make_opponent`, except a pool.
            weight: the probability of a draw is the weight divided by the sum of all weights.
        """
        if not isinstance(name, str):
            raise OpponentError(f"name = {short_repr(name)}: must be a string")
        share = _finite(weight)
        if not share >= 0:
            raise OpponentError(f"opponent {short_repr(name)}: weight {short_repr(weight)} must be a number from 0 up")
        self._members[name] = (make_opponent(opponent), share)

    def remove(self, name: str) -> None:
        """Remove the opponent with the given name from the pool."""
        if not isinstance(name, str) or name not in self._members:
            raise OpponentError(f"no opponent {short_repr(name)}; there are {', '.join(self._members)}")
        del self._members[name]

    def set_weight(self, name: str, weight: float) -> None:
        """Change the weight of the opponent with the given name; see `add`."""
        if not isinstance(name, str) or name not in self._members:
            raise OpponentError(f"no opponent {short_repr(name)}; there are {', '.join(self._members)}")
        self.add(name, self._members[name][0], weight)

    @property
    def weights(self) -> dict[str, float]:
        """A dict from the name of each opponent in the pool to its weight."""
        return {name: weight for name, (_, weight) in self._members.items()}

    @property
    def members(self) -> list[Opponent]:
        """The opponents in the pool."""
        return [opponent for opponent, _ in self._members.values()]

    @property
    def observes(self) -> bool:
        """Whether any opponent in the pool needs observations."""
        return any(opponent.observes for opponent, _ in self._members.values())

    @property
    def views(self) -> bool:
        """Whether any opponent in the pool needs views."""
        return any(opponent.views for opponent, _ in self._members.values())

    def draw(self, seed: int) -> Opponent:
        """Draw an opponent at random, with probabilities in proportion to the weights."""
        total = sum(weight for _, weight in self._members.values())
        if total <= 0:
            raise OpponentError("the pool of opponents is empty, or all weights are 0")
        position = (derive_seed(seed_of(seed, OpponentError)) / 2**64) * total
        for opponent, weight in self._members.values():
            if position < weight:
                return opponent
            position -= weight
        return next(reversed([o for o, weight in self._members.values() if weight > 0]))


def _finite(value: Any) -> float:
    """Convert a finite real number of any type to a float; return NaN for other values, including booleans."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def make_opponent(source: Any) -> Opponent:
    """Make an `Opponent` from one of the following arguments.

    - The name of a registered agent, with or without parameters: "aggressive", "mcts:sims=50". An agent in `COMPILED`
      without parameters runs as compiled code.
    - A policy that Stable-Baselines3 or sb3-contrib saved: `load_policy("learner.zip", trust=True)`. The policy must
      have the same action space and observation space as the environment. A file name as argument raises an error,
      because a file of Stable-Baselines3 can run any program when it is read.
    - An agent's class, or a function with `seed` as its first parameter. The environment calls the class or the
      function for every game to make an agent.
    - Any other callable, which must be a `Policy`.
    """
    if isinstance(source, Opponent):
        return source
    if isinstance(source, str | Path):
        if str(source).endswith(".zip"):
            raise trust_error(source, "use opponent=load_policy(path, trust=True)")
        info, parameters = parse(str(source))
        if info.name in COMPILED and not parameters:
            return BotOpponent(info.name)
        return AgentOpponent(functools.partial(make_agent, str(source)))
    if isinstance(source, type):
        if not makes_agents(source):
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
        if makes_agents(source):
            return AgentOpponent(functools.partial(_make_seeded, source))
        return PolicyOpponent(source)
    raise OpponentError(
        f"opponent {short_repr(source)}: must be an agent's name, a class, a policy, a checkpoint or a pool"
    )


def _make_seeded(make: Callable[..., Any], seed: int) -> Agent:
    return as_agent(make(seed=seed))


Slot = Opponent | OpponentPool


def make_slots(opponent: Any, count: int) -> list[Slot]:
    """Return a list with an `Opponent` or an `OpponentPool` for each of `count` seats.

    opponent: a single opponent for all seats, a list with one opponent for each seat, or a dict from opponents to
    weights.
    """
    sources = opponent if isinstance(opponent, Sequence) and not isinstance(opponent, str) else [opponent] * count
    if len(sources) != count:
        raise OpponentError(f"opponent: the list has {len(sources)} opponents for {count} seats")
    slots_by_source: dict[int, Slot] = {}
    slots: list[Slot] = []
    for source in sources:
        if id(source) not in slots_by_source:
            if isinstance(source, Mapping):
                slots_by_source[id(source)] = OpponentPool(source)
            else:
                slots_by_source[id(source)] = source if isinstance(source, OpponentPool) else make_opponent(source)
        slots.append(slots_by_source[id(source)])
    return slots
