"""Prints all settings of ``warlight train`` in Markdown, for the page of the trainers' settings."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import typing
from typing import Any

from warlight_env.agents.weights import PRESETS, Weights
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.evolution.settings import EvolveSettings, Stage
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.sb3_ppo.settings import Sb3PpoSettings
from warlight_env.train.td.settings import TdSettings
from warlight_env.train.turn_ppo.settings import TurnPpoSettings
from warlight_env.train.value.settings import ValueSettings
from warlight_env.train.weights.genes import ParameterVector

#: The sections of the page: title, the text below the title, and the settings class.
SECTIONS: tuple[tuple[str, str, type], ...] = (
    ("Evolution of weights", "`warlight train evolve FILE`", EvolveSettings),
    ("The table stages", "`[[stages]]`, once for each stage of `warlight train evolve`", Stage),
    ("TD(λ)", "`warlight train td FILE`", TdSettings),
    ("Value network", "`warlight train value FILE`", ValueSettings),
    ("Expert iteration", "`warlight train exit FILE`", ExitSettings),
    (
        "PPO of strategies and factored turns", '`warlight train ppo FILE`, with `action` "strategies" or "factored"',
        Sb3PpoSettings,
    ),
    ("PPO of complete turns", '`warlight train ppo FILE`, with `action = "turns"`', TurnPpoSettings),
    ("The table conditions", "`[conditions]` of every settings file: the conditions of matches", Conditions),
    ("The table start", "`[start]` of `evolve` and `td`: the initial weights", ParameterVector),
)  # fmt: skip

_KINDS = {int: "integer", float: "number", str: "text", bool: "true or false", Weights: "weights"}


def settings_tables() -> str:
    """Return a section for each class of settings."""
    return "\n".join(f"## {title}\n\n{text}.\n\n{settings_table(kind)}\n" for title, text, kind in SECTIONS)


def settings_table(kind: type) -> str:
    """Return the settings of a dataclass as a table in Markdown: name, type, default, meaning."""
    hints, texts = typing.get_type_hints(kind), descriptions(kind)
    rows = ["| setting | type | default | meaning |", "|---|---|---|---|"]
    for each in dataclasses.fields(kind):
        cells = (f"`{each.name}`", _kind(hints[each.name]), _default(each), texts.get(each.name, ""))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def descriptions(kind: type) -> dict[str, str]:
    """Map the name of each setting to its text in the docstrings of a class and of its base classes."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        document = inspect.cleandoc(base.__doc__ or "")
        found = re.search(r"^Args:\n((?:    .*\n?|\n)*)", document, flags=re.MULTILINE)
        if found is not None:
            for names, text in re.findall(r"^    (\w[\w, ]*): (.*(?:\n {8}.*)*)", found[1], flags=re.MULTILINE):
                for name in names.split(", "):
                    texts[name] = " ".join(text.split()).rstrip(".")
    return texts


def _kind(hint: Any) -> str:
    """Return the type of a setting in the terms of a settings file, such as "number" or "list of text"."""
    if typing.get_origin(hint) is typing.Literal:
        return " or ".join(f'`"{choice}"`' for choice in typing.get_args(hint))
    if typing.get_origin(hint) is tuple:
        return f"list of {_kind(typing.get_args(hint)[0])}"
    if typing.get_origin(hint) is dict:
        return f"table of {_kind(typing.get_args(hint)[1])}"
    for title, _, kind in SECTIONS:
        if hint is kind:
            return f"[{title.removeprefix('The ')}](#{title.lower().replace(' ', '-')})"
    return _KINDS[hint]


def _default(field: dataclasses.Field[Any]) -> str:
    """Return the default of a setting in TOML. For a table return a dash, because its own section has the defaults."""
    value = field.default if field.default is not dataclasses.MISSING else field.default_factory()  # type: ignore[misc]
    first = value[0] if isinstance(value, tuple) and value else value
    return "–" if dataclasses.is_dataclass(first) or value == {} else f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    if isinstance(value, Weights):
        return _toml(next(name for name, weights in PRESETS.items() if weights == value))
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f"{value:.10g}" if isinstance(value, float) else json.dumps(value)


__all__ = ["SECTIONS", "descriptions", "settings_table", "settings_tables"]


if __name__ == "__main__":
    print(settings_tables())
