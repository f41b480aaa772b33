"""The end of a run of PPO: the policy's file, the final match, and the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from warlight_env.agents.turn_net.turn_file import is_turn_file, read_turn_file, turn_file
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.policies.policy_file import PolicyFile
from warlight_env.arena.policies.policy_source import PolicySource
from warlight_env.train.common.finish import final_match, write_report
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.matches import holdout_seed, play_pairs
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.ppo.league import SNAPSHOT
from warlight_env.train.ppo.run import PolicyRunSettings
from warlight_env.train.turn_net.player import TurnPlayer

#: The policy that was found, for ``policy:FILE``.
POLICY: Final = "policy.npz"
#: Points of a curve of iterations: each is the mean of as many as that takes.
_POINTS: Final = 60
_COPIES: Final = "copies of itself"
#: What entries tell of learning, and how that reads.
_FIGURES: Final = {
    "entropy_loss": "negative entropy", "explained_variance": "variance the critic explains",
}  # fmt: skip


def finish_ppo(
    settings: PolicyRunSettings, journal: Journal, found: bytes, *, jobs: int, backend: str | Backend,
    advance: Callable[[int, str], None],
) -> dict[str, Any]:  # fmt: skip
    """Play the final match, and write policy.npz, result.json and the report; returns the result as plain data.

    Args:
        found: the policy's file.
    """
    entries = journal.entries
    seconds, steps = sum(e["seconds"] for e in entries), entries[-1]["steps"]
    content, note = _with_note(found, f"{steps} steps")
    journal.write(POLICY, content)
    source = TurnPlayer(content) if is_turn_file(content) else PolicySource(content)
    opponents = tuple(dict.fromkeys((*settings.evaluate, *settings.holdout)))
    rows = play_pairs(
        [("policy", other, source, other) for other in opponents], settings.holdout_units,
        settings.conditions, holdout_seed(settings.seed), journal.folder / "holdout", jobs=jobs, backend=backend,
        advance=advance,
    )  # fmt: skip
    report = Report(f"{_title(settings)} by PPO and self-play")
    told = "; ".join(f"{row['opponent']} {percent(row['score'], row['interval'])}" for row in rows)
    kept_out = [name for name in opponents if name not in (*settings.opponents, *settings.evaluate)]
    report.text(
        f"Scores in {rows[0]['games']} games each with seeds that training never used: {told}. Training took "
        f"{steps:,} steps, {sum(e['games'] for e in entries):,} games and {seconds / 60:.1f} minutes, evaluations "
        "included. The policy plays without any search."
    )
    final_match(report, rows)
    report.text(
        f"Games are paired: each seed in both seats. Kept out of training: {', '.join(kept_out) or 'nobody'}. "
        f"The policy is that of step {note['steps']:,}, which scored best in the evaluations below."
    )
    _course(report, settings, entries)
    result = {
        "kind": "ppo", "player": f"policy:{journal.folder / POLICY}", "holdout": rows, "steps": steps,
        "found_at": note["steps"], "games": sum(e["games"] for e in entries), "seconds": seconds,
    }  # fmt: skip
    write_report(report, journal, "ppo", result)
    return result


def _course(report: Report, settings: PolicyRunSettings, entries: list[dict[str, Any]]) -> None:
    report.heading("How it went")
    evaluated = [e for e in entries if "evaluation" in e]
    at = [e["steps"] for e in evaluated]
    lines = []
    for name in settings.evaluate:
        told = [e["evaluation"][name] for e in evaluated]
        ends = zip(*(row["interval"] for row in told), strict=True)
        lines.append(Line(name, at, [row["score"] for row in told], *ends))
    report.curves(lines, "steps", "score in evaluations", mark=0.5)
    report.text(
        f"Evaluations are matches of the match engine, {2 * settings.evaluation_units} games against each opponent, on "
        "the same seeds every time. In training the policy plays by chance, and meets those the more often who beat it:"
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


def _title(settings: PolicyRunSettings) -> str:
    if settings.action == "turns":
        return "A network that plays turns in full,"
    return f"A policy for {settings.conditions.map}"


def _with_note(content: bytes, trained: str) -> tuple[bytes, dict[str, Any]]:
    """The file that says for how long it was trained, and its note."""
    if is_turn_file(content):
        turns = read_turn_file(content, "policy of this run")
        note = {**turns.note, "trained": trained}
        return turn_file(turns.network._asdict(), turns.heat, note), note
    file = PolicyFile.from_bytes(content, "policy of this run")
    file = replace(file, note={**file.note, "trained": trained})
    return file.to_bytes(), file.note


def _group(opponent: str) -> str:
    """The curve that an opponent belongs to."""
    return _COPIES if opponent.startswith(SNAPSHOT) else opponent


def _binned(entries: list[dict[str, Any]], name: str) -> tuple[list[int], list[float], list[float]]:
    """Steps, the share of games won, and the share of all games, against a group, several iterations each."""
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
