"""How much may be asked at once that takes a process's time: by each who asks, and by all."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

from warlight_env.web.errors import RequestError

EACH: Final = 2  # questions to bots at once with one token, or about one opened log
ALL: Final = 8  # and of all together: two workers do not answer more in the time that somebody waits


class Turnstile:
    """Lets so many through; those beyond are sent away, instead of waiting without end."""

    def __init__(self, each: int = EACH, all_: int = ALL) -> None:
        self._each, self._all = each, all_
        self._inside: Counter[str] = Counter()

    @contextlib.contextmanager
    def through(self, key: str) -> Iterator[None]:
        """While it lasts, one more is being asked with that key.

        Raises:
            RequestError: there are as many already, with the key (429) or in all (503).
        """
        if self._inside[key] >= self._each:
            text = f"{self._each} questions to bots are still being answered: wait for those"
            raise RequestError(text, 429, code="questions", n=self._each)
        if self._inside.total() >= self._all:
            raise RequestError("the bots are asked too much: try again in a moment", 503, code="bots-busy")
        self._inside[key] += 1
        try:
            yield
        finally:
            self._inside[key] -= 1
            if not self._inside[key]:
                del self._inside[key]
