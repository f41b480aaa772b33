"""Errors of HTTP requests, with status codes, and the JSON data of error responses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from warlight_env.errors import InputError, RunError

ErrorBody = dict[str, Any]

BUSY: Final = (429, 503)  # status codes of temporary errors; the same request may succeed later
RETRY_AFTER: Final = 2  # seconds after which the client may repeat the request
NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class RequestError(InputError):
    """The server cannot execute a request. The error message names the place and the reason.

    Args:
        message: an English text, for clients other than the page.
        status: the HTTP status code; None: 422.
        details: more data about the error, for JSON.
        code: the key of a translated message of the page (``frontend/src/lib/error-messages.ts``).
        values: the values to insert into the translated message.
    """

    status = 422

    def __init__(
        self, message: str, status: int | None = None, details: object = None, *, code: str = "", **values: str | float
    ) -> None:
        super().__init__(message)
        self.details, self.code, self.values = details, code, values
        if status is not None:
            self.status = status


def make_error_body(
    message: str, details: object = None, code: str = "", values: Mapping[str, object] = NOTHING
) -> ErrorBody:
    """Return the JSON data of an error response. The arguments are those of `RequestError`."""
    return {"error": message, "details": details, "code": code, "values": dict(values)}


def status_of(error: InputError | RunError) -> int:
    """Return the HTTP status code of the response for an exception."""
    return int(getattr(error, "status", 422 if isinstance(error, InputError) else 500))


def error_body_of(error: InputError | RunError) -> ErrorBody:
    """Return the JSON data of the error response for an exception.

    These errors have no code of their own: `LogError`, `StudyError` and `VariationError`. The codes of their responses
    are ``log``, ``study`` and ``variation``, and the message is the value ``reason``.
    """
    from warlight_env.record import (  # imported here: `doctor` imports this module and must not load the engine
        LogError,
        StudyError,
        VariationError,
    )

    code, values = getattr(error, "code", ""), getattr(error, "values", NOTHING)
    reason = {"reason": str(error)}
    if isinstance(error, LogError):
        code, values = "log", reason
    if isinstance(error, StudyError):
        code, values = "study", reason
    if isinstance(error, VariationError):
        code, values = "variation", reason
    return make_error_body(str(error), getattr(error, "details", None), code, values)


def os_error_body_of(error: OSError) -> ErrorBody:
    """Return the JSON data of the response for an error of the operating system, such as too many open files."""
    reason = error.strerror or "no answer"
    return make_error_body(f"the server cannot do that now: {reason}", code="unable", values={"reason": reason})


def retry_headers(status: int) -> dict[str, str]:
    """Return the header ``retry-after`` for a temporary error; for other status codes, return no headers."""
    return {"retry-after": str(RETRY_AFTER)} if status in BUSY else {}


class ProcessPoolError(RunError):
    """The task of a request failed although the request was correct."""


class PageMissingError(RunError):
    """The installed package does not contain the file of the web page."""
