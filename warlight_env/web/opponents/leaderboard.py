"""Ratings of the page's opponents, read from a file of the package, which is made from tournaments."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.arena.tournaments.tournament_live import RESULT
from warlight_env.errors import InputError

VERSION: Final = 1
FILE: Final = Path(__file__).with_name("ladder.json")


class LeaderboardError(InputError):
    """The leaderboard cannot be made from the results of some tournaments; the error message gives the reason."""


def make_leaderboard(folders: Sequence[Path]) -> dict[str, Any]:
    """Return the leaderboard of some tournaments' run folders, each on a different map.

    The key of an agent is the specification that the page offers. The field `as` contains the specification with which
    the agent played the rated games.

    Raises:
        LeaderboardError: a folder has no finished tournament, or two tournaments use the same map, or one tournament
            has several maps or rules.
    """
    parts = [_part(folder) for folder in folders]
    places = [part["map"] for part in parts]
    for place in places:
        if places.count(place) > 1:
            raise LeaderboardError(
                f"map {place!r}: {places.count(place)} tournaments use it; each map needs exactly one tournament"
            )
    return {"version": VERSION, "ladders": parts}


def _part(folder: Path) -> dict[str, Any]:
    path = folder / RESULT
    text = bounded_io.read_text(path, bounded_io.RESULT_BYTES, LeaderboardError, "result of a tournament")
    data = bounded_io.parse_json(text, str(path), LeaderboardError)
    try:
        tournament, ratings = data["tournament"], data["ratings"]
        if data["interrupted"] or not ratings:
            raise LeaderboardError(f"{path}: games are missing: continue the tournament with its command")
        maps, rules = tournament["maps"], tournament["rules"]
        if len(maps) != 1 or len(rules) != 1:
            raise LeaderboardError(
                f"{path}: {len(maps)} maps and {len(rules)} rules: a leaderboard needs one map and one preset"
            )
        specs = {agent["name"]: agent["spec"] for agent in tournament["agents"]}
        clocks = {agent["name"]: agent["clock"] for agent in tournament["agents"]}
        opponents = {
            row["name"]: {
                "as": specs[row["name"]] + (f" with {clock}" if (clock := clocks[row["name"]]) != "none" else ""),
                **{key: round(row[key]) for key in ("elo", "low", "high")},
                "games": row["games"],
            }
            for row in ratings
        }
        facts = {key: tournament[key] for key in ("players", "picks", "anchor", "anchor_elo")}
        return {
            "map": maps[0], "rules": rules[0], **facts, "games": data["games"], "confidence": data["confidence"],
            "opponents": opponents,
        }  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LeaderboardError):
            raise
        raise LeaderboardError(f"{path}: not the result of a tournament ({type(error).__name__}: {error})") from None


@functools.cache
def bundled() -> dict[str, Any]:
    """Return the leaderboard that comes with the package."""
    leaderboard: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return leaderboard


def ratings_of(spec: str) -> dict[str, dict[str, Any]]:
    """Return an opponent's ratings by map; an empty dictionary for an opponent without ratings."""
    return {part["map"]: part["opponents"][spec] for part in bundled()["ladders"] if spec in part["opponents"]}
