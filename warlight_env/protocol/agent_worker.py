"""The process that computes the answers of an agent that plays as a bot. The process of `runner` enforces time limits.

    python -m warlight_env.protocol.agent_worker AGENT SEED CHALLENGE

CHALLENGE is the version of the protocol, 1 or 2; with 0, the process derives it from the game engine's messages.

Standard input contains the game engine's lines, unchanged, and two types of lines that the module `runner` writes.
Before each question, `runner` writes ``think N OPTIMUM MAXIMUM INCREMENT``. N is the number of the question. OPTIMUM
and MAXIMUM are the suggested and the latest end of the search, as values of `time.monotonic`, a clock that is the same
in all processes. INCREMENT is the number of seconds that each round adds to the time (see `runner.MoveTime`).
After each pick, `runner` writes ``said ID …`` with the picks that it sent to the game engine. Standard output contains
``ready`` once, and then one line ``N ANSWER`` for each question.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, Final

from warlight_env.errors import InputError, RunError
from warlight_env.protocol import messages as m
from warlight_env.protocol.grammar import ProtocolError, format_answer, lines_of, parse_message

if TYPE_CHECKING:
    from warlight_env.agents import Budget

#: The minimum time of a search, in seconds.
MIN_SEARCH_SECONDS: Final = 0.005
#: The exit status of this process if the agent does not exist.
EXIT_UNKNOWN_AGENT: Final = 2


def serve(spec: str, seed: int, challenge: m.Challenge | None, lines: BinaryIO, answers: BinaryIO) -> None:
    """Make an agent and load its code for the picks. Then read lines and answer the questions until the input ends.

    Raises:
        AgentError: no agent exists for the specification `spec`.
    """
    from warlight_env.agents import Budget, make_agent
    from warlight_env.agents.registry import parse
    from warlight_env.protocol.bot_side import BotSide
    from warlight_env.protocol.warm_up import WarmUp

    _, values = parse(spec)
    make_agent(spec, seed)
    warm_up = WarmUp(lambda: make_agent(spec, seed))
    warm_up.pick()
    side = BotSide(lambda: make_agent(spec, seed), challenge, lambda text: print(text, file=sys.stderr))
    agent_budget = Budget(values.get("sims"), values.get("secs"))  # the limits in the agent's specification
    answers.write(b"ready\n")
    # A separate thread compiles the code for turns. The code for the picks is ready, so the picks need not wait for it.
    threading.Thread(target=warm_up.turns, daemon=True).start()
    number, optimum, maximum, increment = "", 0.0, 0.0, 0.0
    for line in lines_of(lines):
        if line is None:  # a line that is too long; `runner` sends no such line
            continue
        words = line.split()
        if words[:1] == ["think"]:
            number, (optimum, maximum, increment) = words[1], map(float, words[2:5])
            continue
        if words[:1] == ["said"]:
            side.confirm_picks(m.PicksAnswer(tuple(map(int, words[1:]))))
            continue
        try:
            message = parse_message(line)
            if not isinstance(message, m.Question):
                side.receive(message)
                continue
            now = time.monotonic()
            budget = turn_budget(
                agent_budget, max(MIN_SEARCH_SECONDS, optimum - now), max(MIN_SEARCH_SECONDS, maximum - now), increment
            )
            answers.write(f"{number} {format_answer(side.answer(message, budget))}\n".encode())
        except ProtocolError as error:
            print(f"cannot read a line: {error}", file=sys.stderr)
        except (InputError, RunError) as error:  # a message is missing, or the agent cannot play here
            print(f"error: {error}", file=sys.stderr)
            answers.write(f"{number} !\n".encode())
        except Exception:
            traceback.print_exc()
            answers.write(f"{number} !\n".encode())


def turn_budget(agent_budget: Budget, optimum: float, maximum: float, increment: float) -> Budget:
    """Return an agent's budget for a turn.

    agent_budget: the limits in the agent's specification. If the specification has a limit of seconds or simulations,
    the agent keeps this limit, but a turn takes at most `optimum` seconds. An agent without limits receives a time bank
    of `maximum` seconds, and decides how much of this time a turn uses.
    """
    if agent_budget.simulations is None and agent_budget.seconds is None:
        return replace(agent_budget, seconds=optimum, bank=maximum, increment=increment)
    return replace(
        agent_budget, seconds=optimum if agent_budget.seconds is None else min(agent_budget.seconds, optimum)
    )


def end_with(parent: int) -> None:
    """End this process within a second after its parent process ends, even during a search."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def main() -> int:
    """Run this module as a program, see the module's docstring. Return the exit status."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    spec, seed, challenge = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # now output of the agent goes to standard error, apart from the answers
    try:
        serve(spec, seed, {1: 1, 2: 2}.get(challenge), sys.stdin.buffer, answers)  # type: ignore[arg-type]
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_UNKNOWN_AGENT
    except BrokenPipeError:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
