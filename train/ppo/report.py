"""The section of the report on the course of a PPO run."""

from __future__ import annotations

from typing import Any, Final

from warlight_env.train.common.report import Line, Report
from warlight_env.train.ppo.league import SNAPSHOT
from warlight_env.train.ppo.settings import PpoSettings

#: The largest number of points of a curve. In a longer run each point is the mean of several iterations.
_POINTS: Final = 60
_COPIES: Final = "copies of itself"
#: Names of metrics in journal entries → labels of their curves.
_FIGURES: Final = {
    "entropy_loss": "negative entropy", "explained_variance": "variance that the critic explains",
}  # fmt: skip


def describe_course(report: Report, settings: PpoSettings, entries: list[dict[str, Any]]) -> None:
    """Add curves of evaluations, games and learning metrics to the report. entries: the entries of the journal."""
    report.heading("Course of the training")
    evaluated = [e for e in entries if "evaluation" in e]
    at = [e["steps"] for e in evaluated]
    lines = []
    for name in settings.eval_opponents:
        told = [e["evaluation"][name] for e in evaluated]
        ends = zip(*(row["interval"] for row in told), strict=True)
        lines.append(Line(name, at, [row["score"] for row in told], *ends))
    report.curves(lines, "steps", "score in evaluations", mark=0.5)
    report.text(
        f"Evaluations are matches of the match engine, {2 * settings.eval_pairs} games against each opponent, on "
        "the same seeds every time. In training the policy samples its actions. Opponents that beat it play more often:"
    )
    met = {name for e in entries for name in e["opponents"]} & set(settings.opponents)
    groups = [name for name in settings.opponents if name in met]
    if any(_group(key) == _COPIES for e in entries for key in e["opponents"]):
        groups.append(_COPIES)
    won, share = [], []
    for name in groups:
        x, y, part = _binned(entries, name)
        won.append(Line(name, x, y))
        share.append(Line(name, x, part))
    report.curves(won, "steps", "share of games won in training", mark=0.5)
    report.curves(share, "steps", "share of games played in training")
    for name, label in _FIGURES.items():
        report.curves([Line(label, [e["steps"] for e in entries], [e[name] for e in entries])], "steps", label)


def _group(opponent: str) -> str:
    """Return the name of the curve that shows an opponent; all snapshots share one curve."""
    return _COPIES if opponent.startswith(SNAPSHOT) else opponent


def _binned(entries: list[dict[str, Any]], name: str) -> tuple[list[int], list[float], list[float]]:
    """Return the points of the curves for a group of opponents. name: the name of the group.

    Returns the numbers of steps, the fractions of games won against the group, and the fractions of all games that were
    played against the group. A point is the mean of one or more iterations.
    """
    size = max(1, len(entries) // _POINTS)
    x, won, part = [], [], []
    for low in range(0, len(entries), size):
        group = entries[low : low + size]
        counts = [row for e in group for opponent, row in e["opponents"].items() if _group(opponent) == name]
        games = sum(row[0] for row in counts)
        if games:
            x.append(group[-1]["steps"])
            won.append(sum(row[1] for row in counts) / games)
            part.append(games / sum(e["games"] for e in group))
    return x, won, part
