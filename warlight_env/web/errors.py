"""What a request can do wrong, with the HTTP status that says so."""

from __future__ import annotations

from warlight_env.errors import InputError, RunError


class RequestError(InputError):
    """A request that cannot be done; the message names the place and the reason."""

    status = 422

    def __init__(self, message: str, status: int | None = None, details: object = None) -> None:
        super().__init__(message)
        self.details = details
        if status is not None:
            self.status = status


class PageMissingError(RunError):
    """The page was not built when the package was installed."""
