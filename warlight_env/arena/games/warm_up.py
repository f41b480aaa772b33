"""The warm-up of agents: short games before a match, so that compiled code is ready before clocks run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final, Protocol

from warlight_env.agents import Agent
from warlight_env.arena.games.clocks import Clock
from warlight_env.arena.games.game_loop import AgentCrashError, GameStopped

#: The number of rounds of a warm-up game, and the number of simulations per turn in these rounds. The agent gets enough
#: simulations to use all parts of a search, and enough rounds to receive the events of an earlier round.
ROUNDS: Final = 3
SIMULATIONS: Final = 64
#: After this number of seconds, a warm-up game ends with its current round. An agent in its own process that does not
#: answer within this time has no further questions in the warm-up.
SECONDS: Final = 30.0
#: The opponents in the warm-up game of an agent with a process of its own.
STAND_IN: Final = "random"

#: A function that is called before each warm-up game, with the number of finished warm-up games, the total number, and
#: the agent.
OnWarmUp = Callable[[int, int, str], None]

#: The warm-up games that this process has played.
_warmed_up: set[tuple[Hashable, ...]] = set()


class WarmUpGames(Protocol):
    """The interface of a setup of games whose agents need warm-up games; `MatchSetup` implements this interface."""

    @property
    def agents(self) -> tuple[Any, ...]:
        """The agents' sources: specifications, or functions that make agents."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agents."""
        ...

    def sample_agent(self, index: int) -> Agent:
        """Return a new agent with the number `index` in the match; the agent is for checks, not for games."""
        ...

    def warm_up_key(self, index: int) -> tuple[Hashable, ...]:
        """Return a key for the warm-up of an agent. Agents with equal keys need only one warm-up game."""
        ...

    def warm_up_setup(self, index: int, rounds: int, clock: Clock) -> WarmUpGames:
        """Return the setup of an agent's warm-up game. clock: the clock of all agents in the warm-up game."""
        ...

    def play(self, number: int, stop: Callable[[], bool] | None = None) -> object:
        """Play a game, see `MatchSetup.play`."""
        ...


def warm_up_all(setups: Iterable[WarmUpGames], on_warm_up: OnWarmUp | None = None, *, worker: bool = False) -> None:
    """Play a warm-up game with each agent that needs one, once in this process for each set of rules.

    The failures of agents are ignored here, because they occur again in the real games. An `InvalidAgentError` is
    raised, because the agent can never play.

    Args:
        setups: the setups of the games that are played after the warm-up.
        on_warm_up: see `OnWarmUp`.
        worker: whether this is a worker process. In a worker process, only agents with the scope "process" get a
            warm-up game.
    """
    keys = set(_warmed_up)
    games: list[tuple[WarmUpGames, set[tuple[Hashable, ...]]]] = []  # with the keys to store after the game
    for setup in setups:
        for index, source in enumerate(setup.agents):
            key = setup.warm_up_key(index)
            if key in keys:
                continue
            keys.add(key)
            scope = setup.sample_agent(index).warm_up_scope
            if scope == "process" or (scope == "machine" and not worker):
                clock = Clock(SIMULATIONS, None if scope == "process" else SECONDS)
                stored_keys = {key} if isinstance(source, str) else set()  # the set must not keep functions alive
                games.append((setup.warm_up_setup(index, ROUNDS, clock), stored_keys))
    for done, (game, stored_keys) in enumerate(games):
        if on_warm_up is not None:
            on_warm_up(done, len(games), game.names[0])
        _play(game)
        _warmed_up.update(stored_keys)


def _play(setup: WarmUpGames) -> None:
    end = time.perf_counter() + SECONDS
    with contextlib.suppress(AgentCrashError, GameStopped):
        setup.play(0, lambda: time.perf_counter() > end)
