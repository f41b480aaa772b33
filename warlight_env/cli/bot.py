"""``warlight bot``: agents as bots for the text protocol of the Warlight AI Challenges, and tools for bot authors."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import App, Parameter

from warlight_env.cli.common import FAILURE, OK, Integer, JsonOption, PathArgument, UsageError, print_json

app = App(
    name="bot",
    help="Bots for the text protocol of the Warlight AI Challenges: run an agent with any game engine that "
    "speaks the protocol; write and check your own bot (docs/reference/protocol.md).",
)


@app.command
def run(
    agent: Annotated[
        str, Parameter(help="Agent, for example mcts or mcts:1s; the game engine's time limit applies, too.")
    ],
    *,
    challenge: Annotated[
        Literal["1", "2"] | None, Parameter(help="Version of the protocol (default: detected from the engine's lines).")
    ] = None,
    seed: Annotated[Integer, Parameter(help="Seed of the agent's own randomness.")] = 0,
) -> int:
    """Run an agent as a bot: read a game engine's lines from standard input, and write answers to standard output.

    Under fog, the agent plays as if the position were the one that it considers the most likely. If the time for an
    answer runs out, the bot gives a simple turn: all armies on one border region, and attacks on weak regions. The
    first run compiles the agent, which takes longer than the time limit of a game. To compile the agent before the
    first game, run `warlight bot precompile`.
    """
    from warlight_env.protocol.runner import Runner

    runner = Runner(agent, seed, None if challenge is None else _challenges(challenge)[0])
    return runner.run(sys.stdin.buffer, sys.stdout.buffer)


@app.command
def precompile(
    agent: Annotated[str, Parameter(help="Agent, in the same form as for `warlight bot run`.")],
    *,
    challenge: Annotated[
        Literal["1", "2"] | None, Parameter(help="Prepare only this version of the protocol (default: both).")
    ] = None,
    seed: Annotated[Integer, Parameter(help="Seed of the agent's own randomness.")] = 0,
) -> None:
    """Compile an agent in advance, so that `warlight bot run` can give its first answer in time.

    The command first lets the agent play a short game against itself. The command then starts `warlight bot run` with
    the agent, and prints the time until the first answer.
    """
    from warlight_env.protocol.precompile import first_answer
    from warlight_env.protocol.precompile import precompile as prepare_agent

    seconds, compiled = 0.0, 0
    for step in prepare_agent(agent, seed, _challenges(challenge)):
        seconds, compiled = seconds + step.seconds, compiled + step.compiled
        if step.compiled:
            print(f"{step.label}: {step.seconds:.1f} s, {step.compiled} functions compiled", flush=True)
    print(f"total: {seconds:.1f} s, {compiled} functions compiled")
    print(f"`warlight bot run` gives its first answer after {first_answer(agent, seed):.1f} s")


@app.command
def check(
    command: Annotated[str, Parameter(help='Command that starts the bot, for example "java -jar bot.jar".')],
    *,
    challenge: Annotated[
        Literal["1", "2"] | None, Parameter(help="Check only this version of the protocol (default: both).")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Test a bot in games and in difficult situations, and explain each failure. The exit code is 1 if a test fails."""
    from warlight_env.protocol.conformance import check as run_cases

    outcomes = []
    for outcome in run_cases(_split(command), _challenges(challenge)):
        outcomes.append(outcome)
        if not json:
            mark = "ok  " if outcome.failure is None else "FAIL"
            print(f"{mark} challenge {outcome.challenge}, {outcome.case}: {outcome.about}", flush=True)
            if outcome.failure is not None:
                print(f"     {outcome.failure}", flush=True)
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    if json:
        print_json({"cases": [o.to_dict() for o in outcomes], "failed": len(failed)})
    else:
        print(f"{len(outcomes) - len(failed)} of {len(outcomes)} cases passed")
    return FAILURE if failed else OK


@app.command
def new(
    language: Annotated[
        str,
        Parameter(help="Programming language of a bot as a program: python, java or cpp; or class: a Python class."),
    ],
    folder: Annotated[PathArgument, Parameter(help="Folder for the bot; it is created if it does not exist.")],
) -> None:
    """Write the source code of a minimal bot, which you can then improve.

    A bot as a program supports both versions of the protocol and passes `warlight bot check`. With `class`, the command
    writes a Python class, which plays in this process and needs no protocol, and a test of the class.
    """
    from warlight_env.protocol.scaffold import CLASS, LANGUAGES, write_bot

    for path in write_bot(language, folder):
        print(f"wrote {path}")
    print(f"  cd {folder}")
    if language == CLASS:
        print("  python -m unittest")
        print("  warlight match my_bot.py:MyBot aggressive -n 20 --map small")
        print("  warlight bench my_bot.py:MyBot --map small --games 10")
        return
    template = LANGUAGES[language]
    if template.build:
        print(f"  {template.build}")
    print(f'  warlight bot check "{template.run}"')
    print(f'  warlight match "cmd:{template.run}" aggressive -n 20 --rules challenge2 --picks agents')


@app.command
def replay(
    command: Annotated[str, Parameter(help='Command that starts the bot, for example "java -jar bot.jar".')],
    *,
    log: Annotated[PathArgument, Parameter(help="Log of a game, written by `warlight match --log`.")],
    round: Annotated[Integer, Parameter(help="Print the bot's answer in this round; 0: its last pick.")],
    seat: Annotated[Integer, Parameter(help="Seat of the bot, from 1.")] = 1,
    challenge: Annotated[
        Literal["1", "2"] | None,
        Parameter(help="Version of the protocol (default: the version that has the rules of the games)."),
    ] = None,
    trace: Annotated[
        bool,
        Parameter(
            negative="",
            help="Print every line to the bot (>) and from the bot (<); with --json, print them on standard error.",
        ),
    ] = False,
    json: JsonOption = False,
) -> int:
    """Send a bot the lines of a logged game up to a round, and print the bot's answer in that round.

    The bot receives the lines that the player on this seat received. The bot's answers do not change the game: it
    continues as in the log.
    """
    from warlight_env.protocol.external_agent import ExternalBot, ExternalBotOptions
    from warlight_env.protocol.replay import replay_to
    from warlight_env.record import GameLog

    version = None if challenge is None else _challenges(challenge)[0]
    options = ExternalBotOptions(challenge=version, policy="skip")
    bot = ExternalBot(_split(command), 0, options)
    stream = sys.stderr if json else sys.stdout
    on_line = (lambda direction, line: print(direction, line, file=stream)) if trace else None
    answer = replay_to(bot, GameLog.load(log), round, seat - 1, on_line)
    if json:
        print_json(answer.to_dict())
    elif not trace:
        for line in answer.lines:
            print(line)
    for text in [*answer.illegal, *map(str, answer.faults)]:
        print(text, file=sys.stderr)
    return FAILURE if any(fault.lost for fault in answer.faults) else OK


def _split(command: str) -> list[str]:
    import shlex

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"command {command!r}: {error}") from None
    if not words:
        raise UsageError("the command is empty")
    return words


def _challenges(text: Literal["1", "2"] | None) -> tuple[Literal[1, 2], ...]:
    return (1, 2) if text is None else (1,) if text == "1" else (2,)
