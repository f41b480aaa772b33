"""Learning curves: the strength of trained policies by steps and by time.

``python benchmarks/learning_curves.py run`` trains each method for some minutes from each seed. It then plays the
policies of the run against one bot, on the same starts for all. ``draw`` writes the figure and prints the table of
docs/results/learning-curves.md. The folder also keeps the last policy of each run. Existing curves are kept; a folder
with curves of other settings is refused. Minutes are CPU time, so other work on the machine does not shorten them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from curve_files import END, SETTINGS, Curve, CurveError, check_alike, curves_in, write_curve
from curve_runs import METHODS, LearnedPolicy, half_interval, keep

#: Largest number of points of a curve.
POINTS = 10
#: Score for which the table shows the time to reach it.
REACHED = 0.84


def _thinned(policies: list[LearnedPolicy]) -> list[LearnedPolicy]:
    """Return at most POINTS of the policies, including the last one, evenly spaced in time."""
    times = np.linspace(0, policies[-1].seconds, POINTS + 1)[1:]
    indices = {int(np.abs([policy.seconds - second for policy in policies]).argmin()) for second in times}
    return [policies[i] for i in sorted(indices)]


def _scored(policies: list[LearnedPolicy], opponent: str, units: int, jobs: int) -> list[dict[str, float]]:
    """Return the score of each policy against the opponent, in paired games on the same starts."""
    from warlight_env.arena.matches.match import Match

    points = []
    for policy in policies:
        match = Match(
            [policy.agent, opponent], games=2 * units, seed=5, paired=True, picks="random", jobs=jobs, on_crash="stop"
        )
        result = match.run()
        points.append({"seconds": policy.seconds, "steps": policy.steps, "score": result.agents[0].score})
    return points


def run(args: argparse.Namespace) -> int:
    """Train each method from each seed, and play with its policies.

    Raises:
        CurveError: the folder has curves of other settings.
    """
    names = args.methods.split(",")
    settings = {setting: getattr(args, setting) for setting in SETTINGS}
    check_alike([*(("this command", {"method": name, **settings}) for name in names), *curves_in(args.out)])
    for seed in range(1, args.seeds + 1):
        for name in names:
            out = args.out / f"{name}-{seed}{END}"
            if out.exists():
                continue
            start, method = time.perf_counter(), METHODS[name]
            with tempfile.TemporaryDirectory() as folder:
                policies = method.learn(seed, 60 * args.minutes, Path(folder, "run"))
                if not policies:
                    print(f"{name}: nothing was found yet; --minutes has to be more", file=sys.stderr)
                    return 1
                points = _scored(_thinned(policies), args.opponent, args.units, args.jobs)
                args.out.mkdir(parents=True, exist_ok=True)
                keep(policies[-1].policy, args.out / f"{name}-{seed}{method.suffix}")
            write_curve(out, {"method": name, "seed": seed, **settings, "points": points})
            last = points[-1]
            print(
                f"{name}, seed {seed}: {100 * last['score']:.1f} % after {last['seconds'] / 60:.1f} minutes of "
                f"learning, {time.perf_counter() - start:.0f} s in all",
                file=sys.stderr,
            )
    return 0


def _curve(rows: Sequence[Curve], axis: str) -> npt.NDArray[np.float64]:
    """Return the mean curve of several seeds where all seeds have points.

    Returns:
        float64[4, K]: place on the axis, mean, and the limits of its 95 % interval (Student's t, within 0 .. 1). For
        one seed the limits are 0 and 1.
    """
    ends = [[row["points"][k][axis] for row in rows] for k in (0, -1)]
    grid = np.linspace(max(ends[0]), max(max(ends[0]), min(ends[1])), 60)
    values = np.array([
        np.interp(grid, [point[axis] for point in row["points"]], [point["score"] for point in row["points"]])
        for row in rows
    ])  # fmt: skip
    mean, half = values.mean(0), half_interval(values)
    return np.stack([grid, mean, np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1)])


def _time_to(row: Curve, score: float) -> float:
    """Return the seconds until the first policy with the score; infinity: there is none."""
    return next((float(point["seconds"]) for point in row["points"] if point["score"] >= score), float("inf"))


def draw(args: argparse.Namespace) -> int:
    """Write the figure, and print the table as Markdown.

    Raises:
        CurveError: a file is damaged, or the curves have different settings.
    """
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    curves = curves_in(args.out)
    check_alike(curves)
    by_method: dict[str, list[Curve]] = {}
    for _, row in curves:
        by_method.setdefault(row["method"], []).append(row)
    if not by_method:
        print(f"{args.out}: no curves; first: python benchmarks/learning_curves.py run", file=sys.stderr)
        return 1
    pyplot.rcParams.update({"svg.hashsalt": "curves", "svg.fonttype": "none", "font.size": 9})
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    opponent, target_text = curves[0][1]["opponent"], f"{100 * REACHED:.0f} %"
    print(
        f"| method | seeds | minutes | steps | score against `{opponent}` (95 %) | to {target_text}, of the seeds that "
        "reached it |\n|---|---|---|---|---|---|"
    )
    for name in (name for name in METHODS if name in by_method):
        rows, method = by_method[name], METHODS[name]
        for panel, axis, unit in zip(panels, ("seconds", "steps"), (60.0, 1.0), strict=True):
            grid, mean, low, high = _curve(rows, axis)
            panel.plot(grid / unit, 100 * mean, label=method.description.replace("`", ""))
            if len(rows) > 1:
                panel.fill_between(grid / unit, 100 * low, 100 * high, alpha=0.2, linewidth=0)
        last = np.array([row["points"][-1]["score"] for row in rows])
        half = f"± {100 * half_interval(last):.1f}" if len(rows) > 1 else "–"
        times = [time_ for time_ in (_time_to(row, REACHED) for row in rows) if time_ < float("inf")]
        time_text = f"{np.mean(times) / 60:.1f} minutes, {len(times)} of {len(rows)}" if times else "none did"
        ends = [row["points"][-1] for row in rows]
        print(
            f"| {method.description} | {len(rows)} | {np.mean([end['seconds'] for end in ends]) / 60:.1f} | "
            f"{np.mean([end['steps'] for end in ends]):,.0f} {method.steps} | "
            f"{100 * last.mean():.1f} % ({half}) | {time_text} |"
        )
    panels[0].set(xlabel="minutes of a processor", ylabel=f"score against {opponent}, %", xlim=(0, None), ylim=(0, 100))
    panels[1].set(xlabel="steps", xscale="log", xlim=(1e3, None))
    panels[1].legend(loc="lower right", frameon=False, fontsize=8)
    for panel in panels:
        panel.axhline(100 * REACHED, color="grey", linewidth=0.6, linestyle=":")
        panel.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(args.svg, metadata={"Date": None})
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
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
    draws.add_argument("--svg", type=Path, default=Path("docs/results/learning-curves.svg"))
    draws.set_defaults(act=draw)
    for command in (runs, draws):
        command.add_argument("--out", type=Path, default=Path("runs/curves"), help="folder of the curves")
    args = parser.parse_args(arguments)
    if unknown := set(getattr(args, "methods", "exit").split(",")) - set(METHODS):
        parser.error(f"--methods: no {', '.join(sorted(unknown))}; there are {', '.join(METHODS)}")
    try:
        return int(args.act(args))
    except CurveError as error:
        print(f"curves: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
