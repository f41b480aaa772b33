"""Tables of score cards: of the bots in the package, and of the policies that learning methods find.

``python benchmarks/baselines.py bots``: each row is the result of ``warlight bench BOT`` on a fixed suite.

``python benchmarks/baselines.py learned``: each row is a method of ``learning_curves.py run``: the mean score over its
seeds, with its 95 % interval (Student's t).

The commands keep complete cards of the same bot, maps and files, and continue interrupted cards. To add a row, give the
specification of any agent: ``python benchmarks/baselines.py bots my_bot``. Learned models are agents too
(``sb3:file=learner.zip,trust=yes``).
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from curve_runs import METHODS, agent_of, half_interval

from warlight_env import bounded_io
from warlight_env.errors import InputError

#: Bots that can play only maps of some sizes, with their maps of the suite "suite-v1".
ONLY = {"policy:strategies": ["world"], "policy:world": ["world"], "policy:small": ["small"]}
#: Bots that need at most a few milliseconds per turn, and searches with a fixed number of simulations.
BOTS = (
    "random", "one_big_army", "smart_random", "aggressive", "one_ply", "policy:strategies", "policy:small", "plan",
    "policy:any", "policy:world", "mcts_thesis:sims=100", "mcts:sims=100", "nash:sims=500",
)  # fmt: skip


def place_of(bot: str, maps: Sequence[str]) -> str:
    """Return the folder name for a card: the bot, and a digest of the bot, its maps and the contents of its files."""
    digest = hashlib.sha256(repr((bot, sorted(set(maps)))).encode())
    for path in (Path(word) for word in re.split("[:,=]", bot)):
        # the settings of a model are in a file next to it
        for file in (path, path.with_suffix(".json")) if path.is_file() else ():
            digest.update(file.read_bytes() if file.is_file() else b"")
    readable = re.sub(r"[^\w=.-]+", "-", re.sub("[^:,=]*/", "", bot))
    return f"{readable[:100]}-{digest.hexdigest()[:8]}"


def card(bot: str, args: argparse.Namespace, maps: Sequence[str]) -> dict[str, Any]:
    """Return the score card of a bot on some maps of the suite, or on all if `maps` is empty.

    Raises:
        CalledProcessError: `warlight bench` failed. InputError: the card is damaged.
    """
    folder = args.out / args.suite / place_of(bot, maps)
    path = folder / "card.json"
    if not path.exists() or _read(path)["interrupted"]:
        words = [sys.executable, "-m", "warlight_env", "bench", bot, "--suite", args.suite, "--out", str(folder)]
        words += ["--jobs", str(args.jobs), *(["--map", *maps] if maps else [])]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return _read(path)


def _read(path: Path) -> dict[str, Any]:
    place, text = bounded_io.shown(path), bounded_io.read_text(path, bounded_io.RESULT_BYTES, InputError, "score card")
    record = bounded_io.parse_json(text, place, InputError)
    if not isinstance(record, dict) or not {"maps", "total", "interrupted"} <= record.keys():
        raise InputError(f"{place}: no score card")
    return record


def cards(
    bots_and_maps: Sequence[tuple[str, Sequence[str]]], args: argparse.Namespace
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield bots with their cards. A bot whose card cannot be made is reported and skipped."""
    for bot, maps in bots_and_maps:
        try:
            yield bot, card(bot, args, maps)
        except (subprocess.CalledProcessError, InputError) as error:
            print(f"baselines: {bot} has no card, the others follow: {error}", file=sys.stderr)


def text(row: dict[str, Any] | None) -> str:
    """Format a score with its interval in per cent."""
    if row is None:
        return "–"
    interval = "–".join(f"{100 * end:.1f}" for end in row["interval"])
    return f"{100 * row['score']:.1f} ({interval or '–'})"


def mean(scores: Sequence[float]) -> dict[str, Any]:
    """Return the mean score over seeds with its interval, limited to 0 .. 1. One seed has no interval."""
    middle, half = np.mean(scores), half_interval(scores)
    interval = (max(0.0, middle - half), min(1.0, middle + half)) if np.isfinite(half) else ()
    return {"score": middle, "interval": interval}


def show(first: str, rows: Sequence[tuple[str, dict[str, Any] | None, dict[str, Any]]]) -> int:
    """Print a Markdown table, best rows first: name, total score and scores by map."""
    longest = sorted((by_map for _, _, by_map in rows), key=len, reverse=True)
    maps = list(dict.fromkeys(name for by_map in longest for name in by_map))
    print(f"| {first} | score | " + " | ".join(f"`{name}`" for name in maps) + " |\n|" + "---|" * (2 + len(maps)))
    for name, total, by_map in sorted(rows, key=lambda row: -(row[1] or {"score": -1})["score"]):
        print(f"| {name} | {text(total)} | " + " | ".join(text(by_map.get(map_name)) for map_name in maps) + " |")
    return 0 if rows else 1


def bots(args: argparse.Namespace) -> int:
    """Print the table of bots."""
    rows, allowed_maps = [], ONLY if args.suite == "suite-v1" else {}
    for bot, result in cards([(bot, allowed_maps.get(bot, [])) for bot in args.bots or BOTS], args):
        rows.append((f"`{bot}`", result["total"], result["maps"]))
        print(
            f"{bot}: {', '.join(f'{map_} {text(row)}' for map_, row in result['maps'].items())}",
            file=sys.stderr,
        )
    return show("bot", rows)


def learned(args: argparse.Namespace) -> int:
    """Print the table of learning methods."""
    rows = []
    policy_files = {name: sorted(args.curves.glob(f"{name}-*{method.suffix}")) for name, method in METHODS.items()}
    if not any(policy_files.values()):
        print(
            f"{args.curves}: nothing was learned there; first: python benchmarks/learning_curves.py run",
            file=sys.stderr,
        )
    for name, policies in policy_files.items():
        method = METHODS[name]
        if not method.any_map and args.suite != "suite-v1":
            continue
        maps = args.map if args.map or method.any_map else ["world"]
        results = [result for _, result in cards([(agent_of(path), maps) for path in policies], args)]
        if not results:
            continue
        map_scores = {map_: mean([result["maps"][map_]["score"] for result in results]) for map_ in results[0]["maps"]}
        is_complete = all(result["total"] for result in results)
        total = mean([result["total"]["score"] for result in results]) if is_complete else None
        rows.append((f"{method.description}, {len(results)} seeds", total, map_scores))
        print(f"{name}: {', '.join(f'{map_} {text(row)}' for map_, row in map_scores.items())}", file=sys.stderr)
    return show("method", rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_bots = commands.add_parser("bots", help="a table of bots")
    of_bots.add_argument("bots", nargs="*", help="specifications (default: those of the package)")
    of_bots.set_defaults(act=bots)
    of_learned = commands.add_parser("learned", help="a table of methods that learn")
    of_learned.add_argument("--curves", type=Path, default=Path("runs/curves"), help="the folder of learning_curves.py")
    of_learned.add_argument("--map", nargs="*", default=[], help="only these of the suite (default: all that it plays)")
    of_learned.set_defaults(act=learned)
    for command in (of_bots, of_learned):
        command.add_argument("--suite", default="suite-v1", help="or suite-maps-v1 (default: suite-v1)")
        command.add_argument("--out", type=Path, default=Path("runs/baselines"), help="folder of the cards")
        command.add_argument("--jobs", type=int, default=2, help="games side by side (default: 2)")
    args = parser.parse_args(arguments)
    return int(args.act(args))


if __name__ == "__main__":
    sys.exit(main())
