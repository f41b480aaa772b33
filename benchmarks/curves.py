"""Learning curves: how strong what a trainer has found is, by its steps and by the time it had.

``python benchmarks/curves.py run`` has each method learn for some minutes from each seed, and then plays what it had
found on the way against one bot, on starts that are the same for all; ``draw`` makes the picture and the table of
docs/learning.md. A method that is in the folder already is left as it is. Minutes are those of a processor, which other
work on the machine does not shorten.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

EXAMPLES = Path(__file__).parent.parent / "examples"
#: Points of a curve.
POINTS = 10


class Method(NamedTuple):
    """A way to learn."""

    told: str
    settings: str  #: a file of examples/
    steps: str  #: what its steps are


METHODS = {
    "exit": Method("expert iteration", "exit_curve.toml", "turns taught"),
    "clone": Method("behaviour cloning of the expert", "exit_clone.toml", "turns taught"),
    "ppo": Method("PPO on turns in full, in batches", "ppo_turns.toml", "turns played"),
    "maskable": Method("MaskablePPO of sb3-contrib, `strategies`", "ppo_strategies.toml", "steps of environments"),
}


class Found(NamedTuple):
    """What a run had after a while."""

    seconds: float
    steps: int
    content: bytes  #: of the policy's file


class TimeOver(Exception):  # noqa: N818 -- no error
    """The time is over."""


class Clock:
    """Told of the steps of a run, it notes the processor's seconds so far, and ends the run when they are over."""

    def __init__(self, seconds: float) -> None:
        self._limit, self._began = seconds, time.process_time()
        self.spent: list[float] = []

    def __call__(self, entry: dict[str, Any]) -> None:
        self.spent.append(time.process_time() - self._began)
        if self.spent[-1] >= self._limit:
            raise TimeOver


def _taught(settings: Path, seed: int, seconds: float, folder: Path) -> list[Found]:
    """A run of `warlight train exit`."""
    from warlight_env.train.exit import ExitRun
    from warlight_env.train.exit_settings import ExitSettings
    from warlight_env.train.journal import Journal
    from warlight_env.train.settings_file import load_plain, read_settings

    told = replace(read_settings(ExitSettings, load_plain(settings), str(settings)), seed=seed)
    found, taught, clock = [], 0, Clock(seconds)
    with Journal(folder, told.to_dict()) as journal:
        with suppress(TimeOver):
            ExitRun(told, journal, say=clock).run()
        for entry, spent in zip(journal.entries, clock.spent, strict=True):
            taught += entry.get("positions", 0)
            if entry["event"] == "fit":
                content = (folder / f"network-{entry['iteration'] + 1}.npz").read_bytes()
                found.append(Found(spent, taught, content))
    return found


def _played(settings: Path, seed: int, seconds: float, folder: Path) -> list[Found]:
    """A run of `warlight train ppo`, without its evaluations."""
    from warlight_env.train.journal import Journal
    from warlight_env.train.policy_run import policy_name
    from warlight_env.train.settings_file import load_plain, read_settings

    plain, run = load_plain(settings), None
    given: dict[str, Any] = {"seed": seed, "iterations": 100_000, "evaluation": 100_000, "snapshot": 5, "threads": 1}
    with_turns = plain.get("action") == "turns"
    if with_turns:
        from warlight_env.train.turn_ppo import TurnPpoRun as Run
        from warlight_env.train.turn_ppo_settings import TurnPpoSettings as Settings
    else:
        from warlight_env.train.ppo import PpoRun as Run  # type: ignore[assignment]
        from warlight_env.train.ppo_settings import PpoSettings as Settings  # type: ignore[assignment]
    told = replace(read_settings(Settings, plain, str(settings)), **given)
    found, clock = [], Clock(seconds)
    with Journal(folder, told.to_dict()) as journal:
        run = Run(told, journal, say=clock)  # type: ignore[arg-type]
        with suppress(TimeOver):
            run.run()
        for entry, spent in zip(journal.entries, clock.spent, strict=True):
            if (path := folder / policy_name(entry["iteration"] + 1)).exists():
                found.append(Found(spent, entry["steps"], path.read_bytes()))
    return found


def _thinned(found: list[Found]) -> list[Found]:
    """At most POINTS of them, the last among them, evenly in time."""
    wanted = np.linspace(0, found[-1].seconds, POINTS + 1)[1:]
    at = {int(np.abs([one.seconds - second for one in found]).argmin()) for second in wanted}
    return [found[i] for i in sorted(at)]


def _scored(found: list[Found], opponent: str, units: int, jobs: int) -> list[dict[str, float]]:
    """Scores against the opponent, in paired games on the same starts."""
    from warlight_env.arena.matches.match import Match

    points = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "policy.npz")
        for one in found:
            path.write_bytes(one.content)
            match = Match([f"policy:{path}", opponent], games=2 * units, seed=5, paired=True, picks="random", jobs=jobs)
            result = match.run()
            points.append({"seconds": one.seconds, "steps": one.steps, "score": result.agents[0].score})
    return points


def run(told: argparse.Namespace) -> int:
    """Learn and play, method by method and seed by seed."""
    for seed in range(1, told.seeds + 1):
        for name in told.methods.split(","):
            out = told.out / f"{name}-{seed}.json"
            if out.exists():
                continue
            began, method = time.perf_counter(), METHODS[name]
            learn = _taught if method.settings.startswith("exit") else _played
            with tempfile.TemporaryDirectory() as folder:
                found = learn(EXAMPLES / method.settings, seed, 60 * told.minutes, Path(folder, "run"))
                if not found:
                    print(f"{name}: nothing was found yet; --minutes has to be more", file=sys.stderr)
                    return 1
                points = _scored(_thinned(found), told.opponent, told.units, told.jobs)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(json.dumps({"method": name, "seed": seed, "opponent": told.opponent, "points": points}))
            last = points[-1]
            print(
                f"{name}, seed {seed}: {100 * last['score']:.1f} % after {last['seconds'] / 60:.1f} minutes of "
                f"learning, {time.perf_counter() - began:.0f} s in all",
                file=sys.stderr,
            )
    return 0


def _curve(rows: Sequence[dict[str, Any]], axis: str) -> npt.NDArray[np.float64]:
    """Where all seeds have been measured: the place, the mean, and the ends of its 95 % interval (Student's t, within
    0 .. 1), float64[4, K]."""
    ends = [[row["points"][k][axis] for row in rows] for k in (0, -1)]
    at = np.linspace(max(ends[0]), max(max(ends[0]), min(ends[1])), 60)
    values = np.array([
        np.interp(at, [point[axis] for point in row["points"]], [point["score"] for point in row["points"]])
        for row in rows
    ])  # fmt: skip
    half = stats.t.ppf(0.975, max(1, len(rows) - 1)) * values.std(0, ddof=min(1, len(rows) - 1)) / np.sqrt(len(rows))
    mean = values.mean(0)
    return np.stack([at, mean, np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1)])


def _time_to(row: dict[str, Any], score: float) -> float:
    """Seconds until something was found that has the score."""
    return next((float(point["seconds"]) for point in row["points"] if point["score"] >= score), float("inf"))


def draw(told: argparse.Namespace) -> int:
    """The picture, and the table as Markdown."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    known: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(told.out.glob("*.json")):
        row = json.loads(path.read_text())
        known.setdefault(row["method"], []).append(row)
    if not known:
        print(f"{told.out}: no curves; first: python benchmarks/curves.py run", file=sys.stderr)
        return 1
    pyplot.rcParams.update({"svg.hashsalt": "curves", "svg.fonttype": "none", "font.size": 9})
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    print(
        "| method | seeds | minutes | steps | score (95 %) | to 84 %, of the seeds that reached it |\n"
        "|---|---|---|---|---|---|"
    )
    for name in (name for name in METHODS if name in known):
        rows, method = known[name], METHODS[name]
        for panel, axis, unit in zip(panels, ("seconds", "steps"), (60.0, 1.0), strict=True):
            at, mean, low, high = _curve(rows, axis)
            panel.plot(at / unit, 100 * mean, label=method.told.replace("`", ""))
            panel.fill_between(at / unit, 100 * low, 100 * high, alpha=0.2, linewidth=0)
        last = np.array([row["points"][-1]["score"] for row in rows])
        half = stats.t.ppf(0.975, len(rows) - 1) * last.std(ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.nan
        times = [time_ for time_ in (_time_to(row, 0.84) for row in rows) if time_ < float("inf")]
        reached = f"{np.mean(times) / 60:.1f} minutes, {len(times)} of {len(rows)}" if times else "none did"
        ends = [row["points"][-1] for row in rows]
        print(
            f"| {method.told} | {len(rows)} | {np.mean([end['seconds'] for end in ends]) / 60:.1f} | "
            f"{np.mean([end['steps'] for end in ends]):,.0f} {method.steps} | "
            f"{100 * last.mean():.1f} % (± {100 * half:.1f}) | {reached} |"
        )
    panels[0].set(xlabel="minutes of a processor", ylabel="score against aggressive, %", xlim=(0, None), ylim=(0, 100))
    panels[1].set(xlabel="steps", xscale="log", xlim=(1e3, None))
    panels[1].legend(loc="lower right", frameon=False, fontsize=8)
    for panel in panels:
        panel.axhline(84, color="grey", linewidth=0.6, linestyle=":")
        panel.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(told.svg, metadata={"Date": None})
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run", help="learn, and play what was found")
    runs.add_argument("--methods", default=",".join(METHODS), help=f"of {', '.join(METHODS)} (default: all)")
    runs.add_argument("--seeds", type=int, default=3, help="default: 3")
    runs.add_argument("--minutes", type=float, default=6.0, help="of learning (default: 6)")
    runs.add_argument("--units", type=int, default=50, help="starts of a score, each from both seats (default: 50)")
    runs.add_argument("--opponent", default="aggressive")
    runs.add_argument("--jobs", type=int, default=1, help="games of a score side by side")
    runs.set_defaults(act=run)
    draws = commands.add_parser("draw", help="the picture and the table")
    draws.add_argument("--svg", type=Path, default=Path("docs/learning.svg"))
    draws.set_defaults(act=draw)
    for command in (runs, draws):
        command.add_argument("--out", type=Path, default=Path("runs/curves"), help="folder of the curves")
    told = parser.parse_args(arguments)
    if unknown := set(getattr(told, "methods", "exit").split(",")) - set(METHODS):
        parser.error(f"--methods: no {', '.join(sorted(unknown))}; there are {', '.join(METHODS)}")
    return int(told.act(told))


if __name__ == "__main__":
    sys.exit(main())
