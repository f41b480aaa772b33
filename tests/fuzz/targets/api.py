"""Calls of the public interface with wrong arguments: each call raises an `InputError` and changes nothing."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

from env_helpers import equal
from fuzz import adversarial_values
from fuzz.api_functions import Functions
from fuzz.api_subjects import Arguments, objects
from fuzz.target import Data, Target, expect, refused
from warlight_env.engine.orders import Orders
from warlight_env.errors import InputError

#: Arguments that determine the use of memory, and the largest number of games in an input.
SIZES: Final = ("batch", "num_envs", "n_envs", "map_limits", "resamples")
MOST_GAMES: Final = 1000


class Api(Target):
    """``(subject, method, [(path, value) …])``: paths in the arguments, and the values that replace the parts there."""

    share = 60

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._subjects = {"functions": Functions(folder), **objects()}
        for name, subject in self._subjects.items():  # compile before the first input
            for method in subject.methods:
                self.run((name, method, []))

    def make(self, rng: random.Random) -> Data:
        name = rng.choice(list(self._subjects))
        subject = self._subjects[name]
        subject.begin()
        method = rng.choice(list(subject.methods))
        arguments = subject.methods[method]()
        changes = []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            path: list[Any] = [rng.choice(list(arguments))]
            inner = arguments[path[0]]
            while rng.random() < 0.6 and (keys := _keys(inner)):
                path.append(rng.choice(keys))
                inner = _inside(inner, path[-1])
            changes.append((tuple(path), _small(path[0], adversarial_values.value(rng))))
        return (name, method, changes)

    def run(self, data: Data) -> bool:
        name, method, changes = data
        subject = self._subjects[name]
        subject.begin()
        arguments = subject.methods[method]()
        for path, value in changes:
            _put(arguments, path, adversarial_values.real(value))
        before = subject.state()
        try:
            subject.call(method, arguments)
        except (InputError, *subject.others.get(method, ())) as error:
            expect(equal(subject.state(), before), f"a refused call of {name}.{method} that changed something")
            subject.go_on()
            return refused(error) if isinstance(error, InputError) else False
        subject.begin()
        subject.go_on()
        return True


def _small(name: str, value: Data) -> Data:
    """Return a value that needs little memory: a batch of a million games is valid, but too large for the fuzzer."""
    return -value if name in SIZES and isinstance(value, int) and value > MOST_GAMES else value


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, Orders):
        return ["deploys", "attacks"]
    return list(range(len(value))) if isinstance(value, list | tuple) else []


def _inside(value: Any, key: Any) -> Any:
    return getattr(value, key) if isinstance(value, Orders) else value[key]


def _put(arguments: Arguments, path: tuple[Any, ...], new: Any) -> None:
    """Replace the part at a path; do nothing if an earlier change removed the path."""
    if path[0] not in _keys(arguments):
        return
    key, rest = path[0], path[1:]
    if rest:
        inner = _inside(arguments, key)
        if isinstance(inner, tuple):
            inner = list(inner)
            _put(inner, rest, new)  # type: ignore[arg-type]
            new = tuple(inner)
        else:
            _put(inner, rest, new)
            return
    if isinstance(arguments, Orders):
        setattr(arguments, key, new)
    else:
        arguments[key] = new


TARGET = Api
