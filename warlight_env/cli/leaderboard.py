"""``warlight leaderboard``: compute ratings of the bots in the web page from tournaments, and write them to a file."""

from __future__ import annotations

import json as json_format
from typing import Annotated, Any

from cyclopts import Parameter

from warlight_env.cli.common import JsonOption, PathArgument, print_json, write_file
from warlight_env.tables import align


def leaderboard(
    *runs: Annotated[
        PathArgument,
        Parameter(help="Run folders of tournaments, each on a different map (default: show the bundled ratings)."),
    ],
    out: Annotated[
        PathArgument | None, Parameter(help="Output file for the ratings, in the format that the web page reads.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show Elo ratings of the bots in the web page, from tournaments with a fixed limit of each bot per move."""
    from warlight_env.web.opponents.leaderboard import bundled, make_leaderboard

    data = make_leaderboard(runs) if runs else bundled()
    if out is not None:
        write_file(out, json_format.dumps(data, indent=1, ensure_ascii=False) + "\n")
    if json:
        print_json(data)
        return
    for part in data["ladders"]:
        print(_table(part))


def _table(part: dict[str, Any]) -> str:
    rows = [["", "rating", f"{100 * part['confidence']:.0f} % CI", "games", "rated as"]]
    for name, row in part["opponents"].items():
        spec = "" if row["as"] == name else row["as"]
        rows.append([name, str(row["elo"]), f"{row['low']} … {row['high']}", str(row["games"]), spec])
    rules = part["rules"] if isinstance(part["rules"], str) else json_format.dumps(part["rules"])
    head = f"map {part['map']}, rules {rules}, {part['players']} players, {part['games']} games, {part['anchor']} at "
    return "\n".join([f"{head}{part['anchor_elo']:.0f}", *align(rows)])
