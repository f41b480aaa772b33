"""What a request can do wrong, with the HTTP status that says so."""

from __future__ import annotations

from typing import Final

from warlight_env.errors import InputError, RunError

BUSY: Final = (429, 503)  # statuses of what may go well a moment later
LATER: Final = 2  # seconds after which it may be tried again


class RequestError(InputError):
    """A request that cannot be done; the message names the place and the reason."""

    status = 422

    def __init__(self, message: str, status: int | None = None, details: object = None) -> None:
        super().__init__(message)
        self.details = details
        if status is not None:
            self.status = status


def later(status: int) -> dict[str, str]:
    """The headers that say when to come again, where that helps."""
    return {"retry-after": str(LATER)} if status in BUSY else {}


class PageMissingError(RunError):
    """The page was not built when the package was installed."""
