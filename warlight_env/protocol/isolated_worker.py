"""The process of an isolated agent: it makes the agent, and answers questions with plain data.

    python -m warlight_env.protocol.isolated_worker SPEC

Standard input contains one question per line: a pickled `IsolatedQuestion` in base64. The program writes one line of
JSON for each question to its standard output. Output of the agent goes to standard error.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
import traceback
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from warlight_env.agents import Agent, AgentError, Budget, make_agent
from warlight_env.arena.games.agent_errors import failure_detail, failure_reason
from warlight_env.engine.orders import Orders, OrdersTypeError, preferences_of
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup, view_of_position

#: The name of this package.
_PACKAGE: Final = __name__.partition(".")[0]


@dataclass(frozen=True)
class IsolatedQuestion:
    """A question to an isolated agent.

    If `seed` is None, the agent answers the question. If `seed` is a number, a new game begins: the program makes a new
    agent with this seed, and the agent is not asked.

    Attributes:
        number: the question's number, which the answer repeats.
        setup, position: the part of the game that the agent sees, with the content of a `View`.
    """

    number: int
    setup: WorkerSetup
    position: QueriedPosition
    budget: Budget | None = None
    seed: int | None = None

    def line(self) -> str:
        """Return the question as one line of text."""
        return base64.b64encode(pickle.dumps(self)).decode()


class IsolatedWorker:
    """Makes the agent for each game, and answers the questions."""

    def __init__(self, spec: str) -> None:
        self._spec = spec
        self._agent: Agent | None = None

    def answer(self, question: IsolatedQuestion) -> dict[str, Any]:
        """Return the answer as data for JSON. Errors of the agent become part of the answer."""
        try:
            return {"number": question.number, **self._answer(question)}
        except (Exception, SystemExit) as error:
            return {"number": question.number, "error": failure_reason(error), "detail": failure_detail(error)}

    def _answer(self, question: IsolatedQuestion) -> dict[str, Any]:
        view = view_of_position(question.setup, question.position)
        if question.seed is not None:
            if self._agent is not None:
                self._agent.close()
            self._agent = None  # the first agent may still be in use by a faulty constructor of the second one
            try:
                self._agent = make_agent(self._spec, question.seed)
            except AgentError as error:
                if _ran_other_code(error):
                    raise
                return {"invalid": str(error)}
            self._agent.prepare(view)
            return {}
        agent = self._agent
        assert agent is not None  # the first question of a game has a seed
        if view.phase == "pick":
            return {"picks": preferences_of(agent.pick(view), view.player)}
        orders = agent.act(view) if question.budget is None else agent.act(view, question.budget)
        if not isinstance(orders, Orders):
            raise OrdersTypeError(f"act returned {type(orders).__name__}, not Orders")
        return {**orders.to_dict(), "simulations": agent.simulations}


def _ran_other_code(error: Exception) -> bool:
    """Return whether an error comes from code outside this package, for example from the constructor of an agent."""
    if error.__cause__ is not None:
        return True
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(frame.f_globals.get("__name__", "").partition(".")[0] != _PACKAGE for frame in frames)


def serve(spec: str, lines: BinaryIO, answers: BinaryIO) -> None:
    """Answer questions until the input ends."""
    worker = IsolatedWorker(spec)
    for line in lines:
        answer = worker.answer(pickle.loads(base64.b64decode(line)))
        answers.write(json.dumps(answer).encode() + b"\n")


def main() -> int:
    """Run this module as a program, see the module's docstring. Return the exit status."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # now output of the agent goes to standard error, apart from the answers
    try:
        serve(sys.argv[1], sys.stdin.buffer, answers)
    except BrokenPipeError:
        return 0
    return 0


if __name__ == "__main__":
    from warlight_env.protocol import isolated_worker  # pickle needs the module's own name, not "__main__"

    sys.exit(isolated_worker.main())
