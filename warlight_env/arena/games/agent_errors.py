"""Errors with which an agent fails, and the texts about a failure: its reason, and the end of the traceback."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import Final

from warlight_env.agents import AgentError
from warlight_env.errors import RunError, clipped, crash_reason

#: The maximum number of characters of the end of a traceback or of a process's standard error.
DETAIL: Final = 2000
#: The folders of packages with functions that call the agents. Tracebacks leave these functions out.
_CALLERS: Final = tuple(str(Path(__file__).parents[2] / name) + os.sep for name in ("arena", "protocol"))


class AgentProcessError(RunError):
    """An error for an agent in its own process, if the process has ended or does not answer.

    detail: the end of the process's standard error.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    def __str__(self) -> str:
        return self.reason


class ForfeitError(AgentProcessError):
    """An error that an agent raises to give up the game. The agent loses the game, even with ``on_crash="stop"``."""


class InvalidAgentError(AgentError):
    """An error for an agent in its own process that can never play, for example a class without the method `act`.

    This error is not a failure in a game: it ends the match before the first round.
    """


def failure_reason(error: BaseException) -> str:
    """Return the reason of an agent's failure as one line of text."""
    return error.reason if isinstance(error, AgentProcessError) else crash_reason(error)


def failure_detail(error: BaseException) -> str:
    """Return the end of an error's traceback, or of the standard error of the agent's process.

    The text has at most `DETAIL` characters. The traceback begins with the first function outside of the
    packages `arena` and `protocol`.
    """
    if isinstance(error, AgentProcessError):
        return error.detail.strip()[-DETAIL:]
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_CALLERS):
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace)).strip()
    return clipped(text, DETAIL)
