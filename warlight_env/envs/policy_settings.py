"""The environment settings of a trained policy.

A file next to the saved model contains these settings, so that other programs can use the model as an agent.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.arguments import path_of, short_repr
from warlight_env.engine.rules import Rules, RulesError
from warlight_env.envs.actions import ENCODINGS, EncodingFactory
from warlight_env.envs.map_sets import MapLimits
from warlight_env.envs.padding import Padding
from warlight_env.errors import InputError, clipped
from warlight_env.features.columns import OBSERVATIONS

VERSION: Final = 1


class PolicySettingsError(InputError):
    """An error for a file with invalid environment settings; the message names the file and the reason."""


@dataclass(frozen=True)
class PolicySettings:
    """The environment settings on which a policy depends.

    Attributes:
        action: the name of the action encoding (the key "name") and its other arguments.
        map, regions, edges: the map's name, and its numbers of regions and directed edges.
        padded: True for a policy that plays on many maps; then `regions` and `edges` are the maximum numbers.
    """

    action: dict[str, Any]
    observation: str
    max_cycles: int
    picking: str
    players: int
    rules: Rules
    map: str
    regions: int
    edges: int
    padded: bool = False

    @property
    def padding(self) -> Padding | None:
        """The padding of observations and actions; None for a policy of one map."""
        return Padding(MapLimits(self.regions, self.edges), self.action["name"]) if self.padded else None

    @property
    def encoding(self) -> EncodingFactory:
        """A function that makes the action encoding for a board and the parameters of the rules."""
        arguments = {key: value for key, value in self.action.items() if key != "name"}
        return functools.partial(ENCODINGS[self.action["name"]], **arguments)

    def fits(self, size: MapLimits) -> bool:
        """Whether the policy can play on a map with these numbers of regions and directed edges.

        Without padding, the map's numbers of regions and directed edges must be equal to the numbers in the settings.
        With padding, the map must not have more regions or more directed edges than the numbers in the settings.
        """
        if self.padded:
            return size.regions <= self.regions and size.edges <= self.edges
        return (self.regions, self.edges) == size

    def to_json(self) -> str:
        """Return the settings as JSON text for the settings file; `load` reads this file."""
        record = {"version": VERSION, **vars(self), "rules": self.rules.to_dict()}
        return json.dumps(record, indent=2) + "\n"

    @classmethod
    def load(cls, model: str | Path) -> PolicySettings | None:
        """Load the settings file of a saved model; return None if there is no settings file.

        model: the path of the saved model.

        Raises:
            PolicySettingsError: the settings file does not contain valid settings.
        """
        path = settings_path(model)
        if not path.exists():
            return None
        text = bounded_io.read_text(path, bounded_io.SETTINGS_BYTES, PolicySettingsError, "settings of a policy")
        record = bounded_io.parse_json(text, str(path), PolicySettingsError)
        try:
            if record.pop("version") != VERSION:
                raise InputError(f"version must be {VERSION}")
            settings = cls(**{**record, "rules": Rules.of(record["rules"])})
            settings._check()
        except (KeyError, TypeError, ValueError, AttributeError, RulesError) as error:
            raise PolicySettingsError(f"{path}: not valid settings of a policy ({clipped(repr(error), 200)})") from None
        return settings

    def _check(self) -> None:
        kinds = {"int": int, "bool": bool, "str": str, "dict[str, Any]": dict}
        for field in dataclasses.fields(self):
            value, kind = getattr(self, field.name), kinds.get(str(field.type))
            if kind is not None and type(value) is not kind:
                raise InputError(f"{field.name} = {value!r:.60}")
        if self.action["name"] not in ENCODINGS or self.observation not in OBSERVATIONS:
            raise InputError(f"unknown action {self.action['name']!r:.60} or observation {self.observation!r:.60}")
        if self.padding is not None and (self.observation != "graph" or len(self.action) > 1):
            raise InputError(
                "a policy of many maps must have the observation 'graph', and an action encoding without arguments "
                "such as priority"
            )


def settings_path(model: str | Path) -> Path:
    """Return the path of the settings file of a saved model: the path of the model, with the suffix .json."""
    try:
        return path_of(model, "model", PolicySettingsError).with_suffix(".json")
    except ValueError:
        raise PolicySettingsError(f"model = {short_repr(model)}: must be the path of a file") from None


def action_to_dict(action: str | EncodingFactory) -> dict[str, Any]:
    """Convert the argument `action` of an environment to a dict for JSON.

    The dict contains the encoding's name (the key "name") and, for a `functools.partial`, the keyword arguments.

    Raises:
        PolicySettingsError: the action is neither a name, nor a class in `ENCODINGS`, nor a partial of one with
            numbers or strings.
    """
    if isinstance(action, str):
        return {"name": action}
    arguments = action.keywords if isinstance(action, functools.partial) and not action.args else {}
    encoding = action.func if isinstance(action, functools.partial) else action
    names = [name for name, candidate in ENCODINGS.items() if candidate is encoding]
    if not names or not all(isinstance(value, int | float | str) for value in arguments.values()):
        raise PolicySettingsError(
            f"action = {short_repr(action)}: a policy file can only store one of {', '.join(ENCODINGS)}, or a "
            "functools.partial of one with numbers"
        )
    return {"name": names[0], **arguments}
