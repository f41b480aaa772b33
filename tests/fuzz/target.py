"""Targets of the fuzzer: kinds of inputs, how to make them, and which results are correct."""

from __future__ import annotations

import importlib
import marshal
import random
from abc import ABC, abstractmethod
from math import inf, nan
from pathlib import Path
from typing import Any, ClassVar, Final

#: Plain data, which `repr` can write and Python can read. An input of only bytes is the content of a file.
Data = Any

#: Maximum length of an error message, in characters.
LONGEST: Final = 2048
#: All kinds, fast ones first.
KINDS: Final = (
    "lines", "engine", "orders", "rules", "games", "settings", "specs", "maps", "logs", "studies", "policies",
    "folders", "actions", "states", "plug_ins", "requests", "api",
)  # fmt: skip


class Finding(AssertionError):  # noqa: N818 -- the usual term of fuzzers
    """An incorrect result without an exception."""


class Target(ABC):
    """A kind of input. Each process has one target per kind; `make` depends only on its `rng`.

    share: number of inputs of this kind among 1000 inputs of all kinds. folder: for files, deleted at the end.
    """

    share: ClassVar[int]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def make(self, rng: random.Random) -> Data:
        """Return an input."""

    @abstractmethod
    def run(self, data: Data) -> bool:
        """Pass an input to the public interface; return whether it was accepted. Errors and output are findings."""

    def close(self) -> None:  # noqa: B027 -- most targets hold no resources
        """Close open files and processes."""


def refused(error: BaseException, *places: str) -> bool:
    """Return False for a refused input; raise a `Finding` if the error message is empty, too long or not printable.

    places: if given, the message must contain one of them.
    """
    message = str(error)
    if not message:
        raise Finding(f"no reason: {type(error).__name__}") from error
    if len(message) > LONGEST:
        raise Finding(f"too long a reason: {len(message)} characters") from error
    if not message.replace("\n", "").isprintable():
        raise Finding(f"a reason that cannot be printed: {message!r:.300}") from error
    if places and not any(place in message for place in places):
        raise Finding(f"a reason without a place: {message!r:.300}") from error
    return False


def expect(condition: Any, what: str) -> None:
    """Raise a `Finding` unless the condition is true."""
    if not condition:
        raise Finding(what)


def load(kind: str, folder: Path) -> Target:
    """Return the target of a kind, or of a module outside of this package (``module``), with a folder for its files."""
    folder.mkdir(parents=True, exist_ok=True)
    module = importlib.import_module(f"fuzz.targets.{kind}" if kind in KINDS else kind)
    target: Target = module.TARGET(folder)
    return target


def make(target: Target, kind: str, seed: int, number: int) -> Data:
    """Return the input with a number. It depends only on kind, seed and number, not on earlier inputs."""
    return target.make(random.Random(f"{seed} {kind} {number}"))


def write(data: Data) -> bytes:
    """Convert an input to the content of a file."""
    return _file(data)[1]


def suffix(data: Data) -> str:
    """Return the suffix of the file name for an input."""
    return _file(data)[0]


def read(path: Path) -> Data:
    """Read an input from a file. Our own files are trusted, so text is evaluated as Python."""
    content = path.read_bytes()
    if path.suffix == ".bin":
        return content
    if path.suffix == ".marshal":
        return marshal.loads(content)
    return eval(content, {"__builtins__": {}}, {"nan": nan, "inf": inf})  # a trusted file


def _file(data: Data) -> tuple[str, bytes]:
    """Return a suffix and content: bytes unchanged, the text of `repr`, or marshal for deeply nested data."""
    if isinstance(data, bytes):
        return ".bin", data
    text = (repr(data) + "\n").encode("utf-8", "backslashreplace")
    try:
        compile(text, "input", "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ".marshal", marshal.dumps(data)
    return ".txt", text
