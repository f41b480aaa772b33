"""What a target is: a kind of input, how one is made, and what may come of it."""

from __future__ import annotations

import importlib
import marshal
import random
from abc import ABC, abstractmethod
from math import inf, nan
from pathlib import Path
from typing import Any, ClassVar, Final

#: Plain data: what `repr` writes and Python reads again. Bytes alone are a file's content.
Data = Any

#: The longest message of an error that a person can be asked to read.
LONGEST: Final = 2048
#: All kinds, the quick ones first.
KINDS: Final = (
    "lines", "engine", "orders", "rules", "games", "settings", "specs", "maps", "logs", "policies", "folders",
    "actions", "states", "plug_ins", "requests", "api",
)  # fmt: skip


class Finding(AssertionError):  # noqa: N818 -- what fuzzers call it
    """Something that must not be, though nothing was raised."""


class Target(ABC):
    """A kind of input. One is made in every process; `make` depends on its `rng` alone.

    share: of a thousand inputs of all kinds. folder: for files, gone afterwards.
    """

    share: ClassVar[int]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def make(self, rng: random.Random) -> Data:
        """An input."""

    @abstractmethod
    def run(self, data: Data) -> bool:
        """Give an input to the public interface: whether it was taken. What it raises or prints is a finding."""

    def close(self) -> None:  # noqa: B027 -- most hold nothing open
        """Let go of what is held open."""


def refused(error: BaseException, *places: str) -> bool:
    """False, for an input that was refused; a finding where the refusal does not say what and where, or says too much.

    places: of which the message must name one.
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
    """A finding unless the condition holds."""
    if not condition:
        raise Finding(what)


def load(kind: str, folder: Path) -> Target:
    """The target of a kind, or of a module outside of the home (``module``), with a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    module = importlib.import_module(f"fuzz.targets.{kind}" if kind in KINDS else kind)
    target: Target = module.TARGET(folder)
    return target


def make(target: Target, kind: str, seed: int, number: int) -> Data:
    """The input of that number: the same for the same seed, whoever makes it and whatever came before."""
    return target.make(random.Random(f"{seed} {kind} {number}"))


def write(data: Data) -> bytes:
    """An input as a file's content."""
    return _file(data)[1]


def suffix(data: Data) -> str:
    """Of such a file."""
    return _file(data)[0]


def read(path: Path) -> Data:
    """The input that a file holds; such files are ours, they are read as Python."""
    content = path.read_bytes()
    if path.suffix == ".bin":
        return content
    if path.suffix == ".marshal":
        return marshal.loads(content)
    return eval(content, {"__builtins__": {}}, {"nan": nan, "inf": inf})  # our own file


def _file(data: Data) -> tuple[str, bytes]:
    """Bytes as they are, others as Python, or marshalled where 200 brackets in one another are too many for it."""
    if isinstance(data, bytes):
        return ".bin", data
    text = (repr(data) + "\n").encode("utf-8", "backslashreplace")
    try:
        compile(text, "input", "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ".marshal", marshal.dumps(data)
    return ".txt", text
