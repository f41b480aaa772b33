"""Prints the tables of the feature registry in Markdown, for the page "Features" of the site."""

from __future__ import annotations

from warlight_env.features.definitions import (
    EDGES,
    GLOBALS,
    INCOME_LEFT,
    NODES,
    OVERALL,
    PLAYERS,
    RAW,
    REGIONS,
    RULES,
    STATE_OVERALL,
    STATE_REGIONS,
    TURNS,
)
from warlight_env.features.registry import OPPONENT, PLAYER, Feature, Group

_SUFFIX = {"": "", OPPONENT: "_k", PLAYER: "_p"}


def _bound(value: float) -> str:
    return {float("inf"): "∞", float("-inf"): "-∞"}.get(value, f"{value:.10g}")


def _row(feature: Feature) -> str:
    name = feature.name + _SUFFIX[feature.per]
    return f"| `{name}` | {feature.description} | {_bound(feature.low)} … {_bound(feature.high)} | {feature.unit} |"


def group_table(*groups: Group) -> str:
    """Return the features of the groups as one table in Markdown: name, meaning, range, unit."""
    rows = [_row(feature) for group in groups for feature in group.features]
    return "\n".join(["| feature | meaning | range | unit |", "|---|---|---|---|", *rows])


def registry_tables() -> str:
    """Return all groups of the registry in Markdown, with a heading for each network, observation and state."""
    readers = {
        'Observations: `"graph"` and `"flat"`': (NODES, GLOBALS),
        'Observations with `action="steps"`': (TURNS, INCOME_LEFT),
        "State": (STATE_REGIONS, STATE_OVERALL),
        "Turn network": (REGIONS, OVERALL, EDGES),
        "Value network": (PLAYERS, RULES),
    }
    parts = []
    for title, groups in readers.items():
        parts.append(f"## {title}")
        parts += [f"`{group.name}`, for {group.subject}:\n\n{group_table(group)}" for group in groups]
    return "\n\n".join([*parts, '## Observations: `"raw"`', group_table(*RAW.values())]) + "\n"


if __name__ == "__main__":
    print(registry_tables())
