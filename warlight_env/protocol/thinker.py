"""The process in which our side's agent thinks: it takes its time, and `runner` looks at the clock.

    python -m warlight_env.protocol.thinker AGENT SEED CHALLENGE      (CHALLENGE 0: as the engine says)

Standard input: the engine's lines as they are. Before each question comes ``think N ADVISED MOST INCREMENT``, a number
for it, until when it should and may be thought of, on the clock of `time.monotonic`, which all processes share, and how
many seconds come back (see `patience.Allowance`); after each pick ``said ID …``, what the engine was really given.
Standard output: ``ready`` once, then ``N ANSWER`` for each question.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from warlight_env.errors import InputError, RunError
from warlight_env.protocol import messages as m
from warlight_env.protocol.grammar import ProtocolError, format_answer, parse_message
from warlight_env.protocol.lines import lines_of

if TYPE_CHECKING:
    from warlight_env.agents import Budget
    from warlight_env.protocol.rehearsal import Rehearsal

#: Seconds of thought that there always are.
GLIMPSE: Final = 0.005
#: Exit status where there is no such agent.
REFUSED: Final = 2


def load(spec: str, seed: int, challenge: m.Challenge | None) -> tuple[Any, Budget, Rehearsal]:
    """The bot's side; the agent's own budget; and a rehearsal, which has loaded what the first answer needs.

    Raises:
        AgentError: there is no such agent.
    """
    from warlight_env.agents import Budget, make_agent
    from warlight_env.agents.registry import parse
    from warlight_env.protocol.bot_side import BotSide
    from warlight_env.protocol.rehearsal import Rehearsal

    _, values = parse(spec)
    make_agent(spec, seed)
    rehearsal = Rehearsal(lambda: make_agent(spec, seed))
    rehearsal.pick()
    side = BotSide(lambda: make_agent(spec, seed), challenge, lambda text: print(text, file=sys.stderr))
    return side, Budget(values.get("sims"), values.get("secs")), rehearsal


def think(spec: str, seed: int, challenge: m.Challenge | None, lines: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the input ends."""
    side, own, rehearsal = load(spec, seed, challenge)
    answers.write(b"ready\n")
    # In a thread of its own: picks, for which all is there, do not wait for what is compiled for turns.
    threading.Thread(target=rehearsal.turns, daemon=True).start()
    number, advised, most, increment = "", 0.0, 0.0, 0.0
    for line in lines_of(lines):
        if line is None:  # `runner` passes none on
            continue
        words = line.split()
        if words[:1] == ["think"]:
            number, (advised, most, increment) = words[1], map(float, words[2:5])
            continue
        if words[:1] == ["said"]:
            side.said(m.PicksAnswer(tuple(map(int, words[1:]))))
            continue
        try:
            message = parse_message(line)
            if not isinstance(message, m.Question):
                side.hear(message)
                continue
            now = time.monotonic()
            budget = share_out(own, max(GLIMPSE, advised - now), max(GLIMPSE, most - now), increment)
            answers.write(f"{number} {format_answer(side.answer(message, budget))}\n".encode())
        except ProtocolError as error:
            print(f"not understood: {error}", file=sys.stderr)
        except (InputError, RunError) as error:  # the engine left something out, or the agent says why it cannot
            print(f"error: {error}", file=sys.stderr)
            answers.write(f"{number} !\n".encode())
        except Exception:
            traceback.print_exc()
            answers.write(f"{number} !\n".encode())


def share_out(own: Budget, advised: float, most: float, increment: float) -> Budget:
    """What an agent gets: its own simulations and seconds, as far as time allows; else a bank, to share out itself."""
    if own.simulations is None and own.seconds is None:
        return replace(own, seconds=advised, bank=most, increment=increment)
    return replace(own, seconds=advised if own.seconds is None else min(own.seconds, advised))


def end_with(parent: int) -> None:
    """End this process soon after its parent, also in the middle of a thought."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def main() -> int:
    """See the module."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    spec, seed, challenge = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what an agent prints must not get among the answers
    try:
        think(spec, seed, {1: 1, 2: 2}.get(challenge), sys.stdin.buffer, answers)  # type: ignore[arg-type]
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    except BrokenPipeError:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
