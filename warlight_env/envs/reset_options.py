"""The options of an environment's ``reset(options=…)``. An unknown option raises an error."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from warlight_env.arguments import index, short_repr
from warlight_env.envs.core import EnvCore
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps import Map


class ResetOptions(NamedTuple):
    """The options of the games that one call of `reset` begins. Later games do not use these options.

    Attributes:
        start: the game from whose position the new games start; None: they start according to the rules.
        seat: the learner's seat; None: the environment's argument `seat`.
        map: the map, in environments of many maps; None: the map is drawn.
    """

    start: Game | None = None
    seat: int | None = None
    map: Map | None = None


#: Names of arguments of environments that `reset` does not accept as options. Users may take these for options.
_MADE_WITH = ("map", "rules", "players", "opponent", "action", "observation", "fog", "picking", "max_cycles", "reward")


def options_given(options: Any) -> Mapping[str, Any]:
    """Return `options`, or an empty dict for None; raise `InputError` for any other value that is not a dict."""
    if not isinstance(options, Mapping | None):
        raise InputError(f"options = {short_repr(options)}: must be a dict")
    return {} if options is None else options


def read_options(core: EnvCore, options: Mapping[str, Any] | None, allowed: Collection[str]) -> ResetOptions:
    """Check the options of a reset and return them. allowed: the names of the allowed options.

    Raises:
        InputError: an option is unknown, or its value is invalid.
    """
    options = options_given(options)
    for name in options:
        if name in _MADE_WITH:
            raise InputError(f"option {name!r}: reset cannot change this argument; make another environment")
        if name not in allowed:
            raise InputError(f"no option {short_repr(name)}; there are {', '.join(allowed)}")
    checked = ResetOptions(**{name: options[name] for name in ResetOptions._fields if name in options})
    if checked.start is not None:
        core.check_start(checked.start)
    if checked.seat is not None:
        index(checked.seat, "option 'seat'", core.players)
        if checked.start is not None and not checked.start.alive(checked.seat):
            raise InputError(f"option 'start': player {checked.seat} is eliminated in that game")
    return checked
