"""``warlight bot``: our agents as bots of the AI Challenges, and tools for those who write such bots."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import App, Parameter

from warlight_env.cli.common import Whole

app = App(
    name="bot",
    help="Bots of the AI Challenges: run ours under any engine, check and write your own (docs/protocol.md).",
)


@app.command
def run(
    agent: Annotated[str, Parameter(help="An agent, as in mcts or mcts:1s; of its time it takes what it may.")],
    *,
    challenge: Annotated[
        Literal["1", "2"] | None, Parameter(help="Version of the protocol (default: what the engine says).")
    ] = None,
    seed: Annotated[Whole, Parameter(help="Of the agent's own randomness.")] = 0,
) -> None:
    """Be a bot: read an engine's lines on standard input and answer on standard output.

    The agent plays under fog, on the position that it believes the most likely. It answers within the time it is
    told, in need by reflex: all armies onto one border, no moves.
    """
    from warlight_env.protocol.runner import run as run_bot

    run_bot(agent, seed, None if challenge is None else 1 if challenge == "1" else 2)
