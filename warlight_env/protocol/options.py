"""The options of an external bot, and a function that reads these options from an agent specification."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from warlight_env.agents import AgentError
from warlight_env.errors import did_you_mean
from warlight_env.protocol import messages as m
from warlight_env.protocol.limits import BotLimits

Policy = Literal["skip", "forfeit"]


@dataclass(frozen=True)
class ExternalBotOptions:
    """The options of an external bot.

    Attributes:
        challenge: the version of the protocol, 1 or 2; if it is None, the rules of the game determine the version.
        policy: the reaction to a missing answer of the bot. None: a late answer is lost; after `MAX_MISSED` missing
            answers, or when its process has ended, the bot fails, and the match's `on_crash` decides. "skip": the bot
            never fails, but then receives no more questions in this game. "forfeit": the first missing answer loses the
            game.
        bank, increment: the time bank and the time that each answer adds, in seconds. If `bank` or `increment` is None,
            the value of the AI Challenge is used.
        errors: a folder for the bot's standard error, with one file for each game; if it is None, standard error is not
            written to files.
        folder: the working directory of the bot.
        memory, procs, network, isolate: see `BotLimits`.
    """

    challenge: m.Challenge | None = None
    policy: Policy | None = None
    bank: float | None = None
    increment: float | None = None
    errors: Path | None = None
    folder: Path = Path(".")
    memory: int | None = None
    procs: int | None = None
    network: bool = True
    isolate: bool = False

    @property
    def limits(self) -> BotLimits:
        """The options `memory`, `procs`, `network` and `isolate` as `BotLimits`."""
        return BotLimits(self.memory, self.procs, self.network, self.isolate)


def _choice(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return text

    return read


def _challenge(text: str) -> int:
    return int(_choice("1", "2")(text))


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 86_400:
        raise ValueError("must be a number of seconds in 0 .. 86400")
    return value


def _bytes(text: str) -> int:
    form = re.fullmatch(r"([0-9]{1,15})([KMGT]?)", text, re.ASCII)
    value = int(form[1]) << 10 * " KMGT".index(form[2] or " ") if form else 0
    if not 1 << 20 <= value <= 1 << 50:
        raise ValueError("must be a number of bytes such as 512M or 2G, from 1M to 1024T")
    return value


def _count(text: str) -> int:
    value = int(text) if re.fullmatch(r"[0-9]{1,6}", text, re.ASCII) else 0
    if not value:
        raise ValueError("must be a whole number from 1 to 999999")
    return value


def _switch(text: str) -> bool:
    return _choice("on", "off")(text) == "on"


_OPTIONS: Final[dict[str, Callable[[str], Any]]] = {
    "challenge": _challenge,
    "policy": _choice("skip", "forfeit"),
    "bank": _seconds,
    "increment": _seconds,
    "errors": Path,
    "folder": Path,
    "memory": _bytes,
    "procs": _count,
    "network": _switch,
    "isolate": _switch,
}


def split_options(text: str, agent: str, form: str) -> tuple[str, str]:
    """Return the options and the rest of a specification ``AGENT[OPTION=VALUE,…]:REST`` or ``AGENT:REST``.

    Args:
        text: the specification without its first word and, if it has no options, without the colon.
        agent: the first word. form: a word for REST in the error.

    Raises:
        AgentError: the end of the options is missing.
    """
    if not text.startswith("["):
        return "", text
    options, bracket, rest = text[1:].partition("]:")
    if not bracket:
        raise AgentError(f"agent '{agent}{text}': expected {agent}[OPTION=VALUE,…]:{form}")
    return options, rest


def read_options(text: str, names: Collection[str] = tuple(_OPTIONS)) -> ExternalBotOptions:
    """Read options from a text ``name=value,…``. Raise `ValueError` if a part is not valid; the message names it.

    names: the options that are allowed.
    """
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = part.partition("=")
        if key not in names:
            raise ValueError(f"no option {key!r}{did_you_mean(key, names)}; there are {', '.join(names)}")
        try:
            values[key] = _OPTIONS[key](value)
        except ValueError as error:
            raise ValueError(f"{key} = {value!r}: {error}") from None
    return ExternalBotOptions(**values)
