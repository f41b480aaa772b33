"""Errors of requests, with their HTTP status codes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from warlight_env.errors import InputError, RunError

ErrorBody = dict[str, Any]

BUSY: Final = (429, 503)  # status codes of temporary failures: a later attempt may succeed
LATER: Final = 2  # seconds until the client may try again
NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class RequestError(InputError):
    """The server cannot carry out a request. The message names the place and the reason.

    Args:
        message: an English text, for clients that call the server without its page.
        status: HTTP status code.
        details: more about the error, as plain data.
        code: the key of the page's own message in the reader's language (``frontend/src/lib/error-messages.ts``).
        values: the values in this message.
    """

    status = 422

    def __init__(
        self, message: str, status: int | None = None, details: object = None, *, code: str = "", **values: str | float
    ) -> None:
        super().__init__(message)
        self.details, self.code, self.values = details, code, values
        if status is not None:
            self.status = status


def refusal(message: str, details: object = None, code: str = "", values: Mapping[str, object] = NOTHING) -> ErrorBody:
    """Return the answer to a request that the server refuses; see `RequestError`."""
    return {"error": message, "details": details, "code": code, "values": dict(values)}


def refusal_of(error: InputError) -> ErrorBody:
    """Return the `refusal` for an error. The reason of a `LogError` varies, so it is a value of the code ``log``."""
    from warlight_env.record import LogError  # imported here: `doctor` imports this module and must not load the engine

    code, values = getattr(error, "code", ""), getattr(error, "values", NOTHING)
    if isinstance(error, LogError):
        code, values = "log", {"reason": str(error)}
    return refusal(str(error), getattr(error, "details", None), code, values)


def unable_now(error: OSError) -> ErrorBody:
    """Return the answer for an error of the operating system, such as too many open files or a deleted folder."""
    reason = error.strerror or "no answer"
    return refusal(f"the server cannot do that now: {reason}", code="unable", values={"reason": reason})


def later(status: int) -> dict[str, str]:
    """Return headers with the time for the next attempt; no headers if a new attempt would have the same status."""
    return {"retry-after": str(LATER)} if status in BUSY else {}


class PageMissingError(RunError):
    """The installed package does not contain the page."""
