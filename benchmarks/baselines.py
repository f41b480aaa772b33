"""Score cards of the bots that come with the package, and of what methods learn, in one table each.

``python benchmarks/baselines.py bots``: each row is what ``warlight bench BOT`` finds in a suite that does not change.
``python benchmarks/baselines.py learned``: what ``curves.py run`` found by each method, from all its seeds; the mean of
their scores with its 95 % interval (Student's t).

A card that is in the folder already is left as it is, and an interrupted one is gone on with. A row of one's own:
``python benchmarks/baselines.py bots my_bot``, or any agent's specification, learned models among them
(``sb3:file=learner.zip,trust=yes``).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from curve_runs import METHODS, agent_of, half_interval

#: Those that play maps of some sizes alone, and their maps of the suite that does not change.
ONLY = {"policy:strategies": ["world"], "policy:small": ["small"]}
#: Those that think for no longer than a few milliseconds, and searches of fixed size.
BOTS = (
    "random", "one_big_army", "smart_random", "aggressive", "one_ply", "policy:strategies", "plan", "policy:any",
    "mcts_thesis:sims=100", "mcts:sims=100", "nash:sims=500",
)  # fmt: skip


def card(bot: str, folder: Path, told: argparse.Namespace, maps: Sequence[str] = ()) -> dict[str, Any]:
    """The score card of a bot, on these maps of the suite or on all."""
    path = folder / "card.json"
    if not path.exists():
        words = [sys.executable, "-m", "warlight_env", "bench", bot, "--suite", told.suite, "--out", str(folder)]
        words += ["--jobs", str(told.jobs), *(["--map", *maps] if maps else [])]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def text(row: dict[str, Any] | None) -> str:
    """A score with its interval, in per cent."""
    if row is None:
        return "–"
    low, high = row["interval"]
    return f"{100 * row['score']:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def mean(scores: Sequence[float]) -> dict[str, Any]:
    """The mean of the scores of seeds, within 0 .. 1, with its interval."""
    middle, half = np.mean(scores), half_interval(scores) if len(scores) > 1 else np.inf
    return {"score": middle, "interval": (max(0.0, middle - half), min(1.0, middle + half))}


def show(first: str, rows: Sequence[tuple[str, dict[str, Any] | None, dict[str, Any]]]) -> int:
    """The table, as Markdown, the best first: of each row its name, its score in all and those by map."""
    maps = list(max((by_map for _, _, by_map in rows), key=len, default={}))
    print(f"| {first} | score | " + " | ".join(f"`{name}`" for name in maps) + " |\n|" + "---|" * (2 + len(maps)))
    for name, total, by_map in sorted(rows, key=lambda row: -(row[1] or {"score": -1})["score"]):
        print(f"| {name} | {text(total)} | " + " | ".join(text(by_map.get(on)) for on in maps) + " |")
    return 0 if rows else 1


def bots(told: argparse.Namespace) -> int:
    """The table of bots."""
    rows = []
    for bot in told.bots or BOTS:
        try:
            maps = ONLY.get(bot, []) if told.suite == "suite-v1" else []
            found = card(bot, told.out / told.suite / re.sub(r"[^\w=.-]+", "-", bot), told, maps)
        except subprocess.CalledProcessError:
            print(f"baselines: {bot} has no card; the others follow", file=sys.stderr)
            continue
        rows.append((f"`{bot}`", found["total"], found["maps"]))
        print(f"{bot}: {', '.join(f'{on} {text(row)}' for on, row in found['maps'].items())}", file=sys.stderr)
    return show("bot", rows)


def learned(told: argparse.Namespace) -> int:
    """The table of methods."""
    rows = []
    for name, method in METHODS.items():
        if not (policies := sorted(told.curves.glob(f"{name}-*{method.suffix}"))):
            continue
        if not method.any_map and told.suite != "suite-v1":
            continue
        maps = told.map if told.map or method.any_map else ["world"]
        cards = [card(agent_of(path), told.out / told.suite / path.stem, told, maps) for path in policies]
        played = {on: mean([one["maps"][on]["score"] for one in cards]) for on in cards[0]["maps"]}
        whole = all(one["total"] for one in cards)
        total = mean([one["total"]["score"] for one in cards]) if whole else None
        rows.append((f"{method.told}, {len(cards)} seeds", total, played))
        print(f"{name}: {', '.join(f'{on} {text(row)}' for on, row in played.items())}", file=sys.stderr)
    if not rows:
        print(f"{told.curves}: nothing was learned there; first: python benchmarks/curves.py run", file=sys.stderr)
    return show("method", rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_bots = commands.add_parser("bots", help="a table of bots")
    of_bots.add_argument("bots", nargs="*", help="specifications (default: those of the package)")
    of_bots.set_defaults(act=bots)
    of_learned = commands.add_parser("learned", help="a table of methods that learn")
    of_learned.add_argument("--curves", type=Path, default=Path("runs/curves"), help="the folder of curves.py")
    of_learned.add_argument("--map", nargs="*", default=[], help="only these of the suite (default: all that it plays)")
    of_learned.set_defaults(act=learned)
    for command in (of_bots, of_learned):
        command.add_argument("--suite", default="suite-v1", help="or suite-maps-v1 (default: suite-v1)")
        command.add_argument("--out", type=Path, default=Path("runs/baselines"), help="folder of the cards")
        command.add_argument("--jobs", type=int, default=2, help="games side by side (default: 2)")
    told = parser.parse_args(arguments)
    return int(told.act(told))


if __name__ == "__main__":
    sys.exit(main())
