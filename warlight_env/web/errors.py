"""What a request can do wrong, with the HTTP status that says so."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from warlight_env.errors import InputError, RunError

Refusal = dict[str, Any]

BUSY: Final = (429, 503)  # statuses of what may go well a moment later
LATER: Final = 2  # seconds after which it may be tried again
NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class RequestError(InputError):
    """A request that cannot be done; the message names the place and the reason.

    Args:
        message: in English, for whoever calls the server without its page.
        status: of HTTP.
        details: more of it, as plain data.
        code: by which the page finds its own sentence, in the reader's language (``frontend/src/lib/refusals.ts``).
        values: that the sentence names.
    """

    status = 422

    def __init__(
        self, message: str, status: int | None = None, details: object = None, *, code: str = "", **values: str | float
    ) -> None:
        super().__init__(message)
        self.details, self.code, self.values = details, code, values
        if status is not None:
            self.status = status


def refusal(message: str, details: object = None, code: str = "", values: Mapping[str, object] = NOTHING) -> Refusal:
    """What is answered where something is refused; see `RequestError`."""
    return {"error": message, "details": details, "code": code, "values": dict(values)}


def refusal_of(error: InputError) -> Refusal:
    """The same of an error; one whose reason nobody can foresee has that as a value of its code."""
    from warlight_env.record import LogError  # here, as `doctor` asks for the page's errors and loads no engine

    code, values = getattr(error, "code", ""), getattr(error, "values", NOTHING)
    if isinstance(error, LogError):
        code, values = "log", {"reason": str(error)}
    return refusal(str(error), getattr(error, "details", None), code, values)


def unable_now(error: OSError) -> Refusal:
    """What is answered where the system refuses: files exhausted, a folder that is gone."""
    reason = error.strerror or "no answer"
    return refusal(f"the server cannot do that now: {reason}", code="unable", values={"reason": reason})


def later(status: int) -> dict[str, str]:
    """The headers that say when to come again, where that helps."""
    return {"retry-after": str(LATER)} if status in BUSY else {}


class PageMissingError(RunError):
    """The page was not built when the package was installed."""
