"""`TomlFile`: read settings from a TOML file. The messages of errors contain the file, the line and the key."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from warlight_env import bounded_io
from warlight_env.arguments import kind_in_words
from warlight_env.errors import InputError, did_you_mean

T = TypeVar("T")


class TomlFile:
    """The content of a TOML file. The methods return single values and check their types.

    Args:
        path: the path of the file.
        error: the class of the exceptions that the methods raise or return.
    """

    def __init__(self, path: Path, error: type[InputError]) -> None:
        self.path, self.error = path, error
        self.text = bounded_io.read_text(path, bounded_io.SETTINGS_BYTES, error, "settings file")
        self.values = bounded_io.parse_toml(self.text, str(path), error)

    def problem(self, where: str, reason: str) -> InputError:
        """Return an exception with a message about a key.

        Args:
            where: the key, such as ``games`` or ``agents[2].name``.
            reason: the text after the file, the line and the key.
        """
        line = self.line(where)
        place = f"{self.path}, line {line}" if line else str(self.path)
        return self.error(f"{place}: {where}: {reason}")

    def line(self, where: str) -> int | None:
        """Return the number, from 1, of the line that sets a key; None if there is no line for this key."""
        first, _, rest = where.partition(".")
        found = re.fullmatch(r"([^\[\]]+)(?:\[(\d{1,9})\])?", first)
        if found is None:
            return None
        name, number = found.groups()
        lines = self.text.splitlines()
        headers = [i for i, line in enumerate(lines) if re.match(rf"\s*\[\[?\s*{re.escape(name)}\s*\]\]?", line)]
        start = headers[int(number or 0)] if int(number or 0) < len(headers) else None
        if start is None:
            return _find(lines, name, 0)
        return (_find(lines, rest, start + 1) if rest else None) or start + 1

    def check_keys(self, table: dict[str, Any], known: Iterable[str], where: str = "") -> None:
        """Raise an error if the table contains a key that is not in `known`.

        where: the text before the key in the message, such as ``agents[2].``.
        """
        known = list(known)
        for key in table:
            if key not in known:
                hint = did_you_mean(key, known)
                raise self.problem(f"{where}{key}", f"no such key{hint}; there are {', '.join(known)}")

    def typed(self, value: Any, kind: type[T], where: str) -> T:
        """Return a value; raise an error unless it has the type `kind`.

        For `float`, integers are accepted and converted. For `int`, true and false are not accepted.
        """
        fits = isinstance(value, (int, float) if kind is float else kind)
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise self.problem(where, f"must be {kind_in_words(kind)}, not {value!r:.60}")
        if kind is float and not math.isfinite(value):
            raise self.problem(where, f"must be a finite number, not {value!r}")
        return float(value) if kind is float else value  # type: ignore[return-value]

    def get(self, key: str, kind: type[T], default: T) -> T:
        """Return the value of a key outside of all tables; return `default` if the file does not contain the key."""
        return self.typed(self.values[key], kind, key) if key in self.values else default

    def integer(self, key: str, default: int, low: int, high: int = 10**9) -> int:
        """Return the value of a key, which must be an integer from `low` to `high`."""
        value = self.get(key, int, default)
        if not low <= value <= high:
            raise self.problem(key, f"must lie in {low} .. {high}, not {value}")
        return value

    def one_of(self, key: str, choices: Iterable[str], default: str) -> str:
        """Return the value of a key, which must be one of the strings in `choices`."""
        choices = list(choices)
        value = self.get(key, str, default)
        if value not in choices:
            known = ", ".join(choices)
            raise self.problem(key, f"unknown value {value!r}{did_you_mean(value, choices)}; there are {known}")
        return value


def _find(lines: list[str], key: str, start: int) -> int | None:
    """Return the number, from 1, of the line that sets a key; None if no line before the next table sets it.

    start: the index, from 0, of the line at which the search begins.
    """
    for i in range(start, len(lines)):
        if re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", lines[i]):
            return i + 1
        if start and re.match(r"\s*\[", lines[i]):
            return None
    return None
