"""What ``reset(options=…)`` takes; anything else is refused, so that nobody believes that it was heeded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from warlight_env.arguments import index, short_repr
from warlight_env.envs.core import EnvCore
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps import Map


class ResetOptions(NamedTuple):
    """Of the games that begin now, and of no later ones.

    start: the position from which they are played, None: as the rules begin. seat: the learner's, None: as always.
    map: where there are many, None: drawn.
    """

    start: Game | None = None
    seat: int | None = None
    map: Map | None = None


#: Arguments of environments that somebody may look for here.
_MADE_WITH = ("map", "rules", "players", "opponent", "action", "observation", "fog", "picking", "max_cycles", "reward")


def options_given(options: Any) -> Mapping[str, Any]:
    """The options, none for None; `InputError` where they are no dict."""
    if not isinstance(options, Mapping | None):
        raise InputError(f"options = {short_repr(options)}: must be a dict")
    return {} if options is None else options


def read_options(core: EnvCore, options: Mapping[str, Any] | None, known: Collection[str]) -> ResetOptions:
    """The options, of which `known` are taken here.

    Raises:
        InputError: one is not known, or its value makes no sense.
    """
    options = options_given(options)
    for name in options:
        if name in _MADE_WITH:
            raise InputError(f"option {name!r}: an environment has one from its beginning to its end; make another one")
        if name not in known:
            raise InputError(f"no option {short_repr(name)}; there are {', '.join(known)}")
    read = ResetOptions(**{name: options[name] for name in ResetOptions._fields if name in options})
    if read.start is not None:
        core.check_start(read.start)
    if read.seat is not None:
        index(read.seat, "option 'seat'", core.players)
        if read.start is not None and not read.start.alive(read.seat):
            raise InputError(f"option 'start': player {read.seat} is out of that game")
    return read
