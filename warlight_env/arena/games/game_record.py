"""`GameRecord`: the result of a finished game."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from warlight_env.arena.games.seated_agent import AgentFaults, Failure, TimeUse


@dataclass(frozen=True)
class GameRecord:
    """The result of a finished game. Seats and agents are numbered from 0."""

    number: int  #: the number of the game in its match
    unit: int  #: the number of the unit; all games of a unit have the same seed
    seed: int  #: the seed of the offered regions and of the battles
    seats: tuple[int, ...]  #: the number of the agent on each seat
    winner: int | None  #: the agent that has won; None: a draw
    rounds: int  #: the number of rounds played
    placements: tuple[int, ...]  #: the final rank of each agent; 1 is the best, and several agents may have one rank
    cut_off: bool  #: whether a round limit stopped the game; then the remaining agents have a draw
    dropped: tuple[int, ...]  #: the number of illegal picks and orders of each agent; the game ignored them
    seconds: float = field(default=0.0, compare=False)  #: the duration of the game, including the agents' computations
    failures: tuple[Failure, ...] = ()  #: the failures of agents that lost by forfeit, in the order of time
    use: tuple[TimeUse, ...] = field(default=(), compare=False)  #: the time and the simulations of each agent
    faults: tuple[AgentFaults, ...] = field(default=(), compare=False)  #: the faults that agents reported, by seat
    #: for each agent, the kinds of its illegal picks and orders with their numbers, as in ("pick: not offered", 3)
    illegal: tuple[tuple[tuple[str, int], ...], ...] = field(default=(), compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the result of the game as JSON data."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GameRecord:
        """Convert a result of `to_dict` to a record. Raise TypeError, KeyError or ValueError for invalid data."""
        values: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in data.items()}
        values["failures"] = tuple(Failure(*failure) for failure in values["failures"])
        values["use"] = tuple(TimeUse(*use) for use in values["use"])
        values["faults"] = tuple(
            AgentFaults(agent, total, lost, tuple(first), _pairs(kinds), detail)
            for agent, total, lost, first, kinds, detail in values["faults"]
        )
        values["illegal"] = tuple(map(_pairs, values["illegal"]))
        return cls(**values)


def _pairs(data: Any) -> tuple[tuple[str, int], ...]:
    """Return the pairs of a text and a number in JSON data.

    Raise `TypeError` or `ValueError` if the data do not consist of pairs.
    """
    return tuple((kind, count) for kind, count in data)
