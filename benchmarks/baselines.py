"""Score cards of the bots that come with the package, in one table: ``python benchmarks/baselines.py``.

Each is what ``warlight bench BOT`` finds in the suite that does not change; a card that is in the folder already is
left as it is, and an interrupted one is gone on with. A row of one's own: ``python benchmarks/baselines.py --bots
my_bot``, or any agent's specification, learned models among them (``sb3:file=learner.zip,trust=yes``).
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

#: Those that think for no longer than a few milliseconds, and searches of fixed size.
BOTS = (
    "random", "one_big_army", "smart_random", "aggressive", "one_ply", "policy:strategies", "plan", "policy:any",
    "mcts_thesis:sims=100", "mcts:sims=100", "nash:sims=500",
)  # fmt: skip


def card(bot: str, folder: Path, suite: str, jobs: int) -> dict[str, Any]:
    """The score card of a bot."""
    own = folder / re.sub(r"[^\w=.-]+", "-", bot)
    path = own / "card.json"
    if not path.exists():
        words = [sys.executable, "-m", "warlight_env", "bench", bot, "--suite", suite, "--out", str(own)]
        subprocess.run([*words, "--jobs", str(jobs)], check=True, stdout=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def text(row: dict[str, Any]) -> str:
    """A score with its interval, in per cent."""
    low, high = row["interval"]
    return f"{100 * row['score']:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def main(arguments: Sequence[str] | None = None) -> int:
    """The table, as Markdown, the best bot first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", nargs="*", default=BOTS, help="specifications (default: those of the package)")
    parser.add_argument("--suite", default="suite-v1")
    parser.add_argument("--out", type=Path, default=Path("runs/baselines"), help="folder of the cards")
    parser.add_argument("--jobs", type=int, default=2)
    told = parser.parse_args(arguments)
    rows: list[tuple[float, str]] = []
    maps: list[str] = []
    for bot in told.bots:
        try:
            found = card(bot, told.out, told.suite, told.jobs)
        except subprocess.CalledProcessError:
            print(f"baselines: {bot} has no card; the others follow", file=sys.stderr)
            continue
        maps = maps or list(found["maps"])
        cells = " | ".join(text(found["maps"][name]) for name in maps)
        rows.append((found["total"]["score"], f"| `{bot}` | {text(found['total'])} | {cells} |"))
        print(f"{bot}: {text(found['total'])}", file=sys.stderr)
    print("| bot | score | " + " | ".join(f"`{name}`" for name in maps) + " |\n|" + "---|" * (2 + len(maps)))
    for _, line in sorted(rows, reverse=True):
        print(line)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
