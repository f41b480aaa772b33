"""The faults of each agent in many games: lost games, errors, late and missing answers, and illegal orders by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from warlight_env.arena.games.game_record import GameRecord
from warlight_env.tables import align, printable


@dataclass(frozen=True)
class AgentFaultSummary:
    """The faults of one agent in its games."""

    name: str
    games: int  #: the number of games with a fault
    crashes: int  #: the number of games lost because the agent failed
    late_losses: int  #: the number of games lost because an answer was late
    forfeits: int  #: the number of games that the agent gave up
    errors: int  #: the number of errors after which the game continued
    late: int  #: the number of late answers
    missing: int  #: the number of answers that are missing for another reason
    unreadable: int  #: the number of parts of answers that are not in the right form
    other: int  #: the number of other faults, for example too much output
    illegal: tuple[tuple[str, int], ...]  #: the kinds of illegal picks and orders, with their numbers
    reason: str = ""  #: the reason of the first lost game, or else the first reported fault
    detail: str = ""  #: the end of the traceback or of the standard error

    @property
    def any(self) -> bool:
        """Whether the agent has a fault."""
        return self.games > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the faults as JSON data."""
        return {**asdict(self), "illegal": [{"kind": kind, "count": count} for kind, count in self.illegal]}


#: The columns of the table, with the fields of `AgentFaultSummary`.
COLUMNS: Final = (
    ("Games with faults", "games"), ("Lost by failing", "crashes"), ("Lost by a late answer", "late_losses"),
    ("Given up", "forfeits"), ("Errors", "errors"), ("Late answers", "late"), ("Missing answers", "missing"),
    ("Unreadable parts", "unreadable"), ("Other", "other"),
)  # fmt: skip


def summarize_faults(name: str, games: Iterable[tuple[str, int, GameRecord]]) -> AgentFaultSummary:
    """Return the faults of an agent.

    Args:
        name: the agent's name.
        games: for each game, a text that names it, the number of the agent in the game, and the result of the game.
    """
    counts: Counter[str] = Counter()
    illegal: Counter[str] = Counter()
    lost: tuple[str, str] | None = None
    reported: tuple[str, str] | None = None
    for place, agent, record in games:
        before = counts.total() + illegal.total()
        for failure in record.failures:
            if failure.agent == agent:
                counts[{"crash": "crashes", "late": "late_losses"}.get(failure.kind, "forfeits")] += 1
                moment = f"round {failure.round}" if failure.round else "picks"
                lost = lost or (f"{place}, {moment}: {failure.reason}", failure.detail)
        for faults in record.faults:
            if faults.agent == agent:
                for kind, count in faults.kinds or (("other", faults.total),):
                    counts[{"error": "errors"}.get(kind, kind)] += 0 if kind == "late" else count
                first = faults.first[0] if faults.first else "a fault without a description"
                reported = reported or (f"{place}, {first}", faults.detail)
        if record.use:
            counts["late"] += record.use[agent].late
        if record.illegal:
            illegal.update(dict(record.illegal[agent]))
        counts["games"] += counts.total() + illegal.total() > before
    reason, detail = lost or reported or ("", "")
    values = {field: counts[field] for _, field in COLUMNS}
    return AgentFaultSummary(name, **values, illegal=tuple(illegal.most_common()), reason=reason, detail=detail)


def format_illegal(illegal: Iterable[tuple[str, int]]) -> str:
    """Return the kinds of illegal orders with their numbers, as one line of text."""
    return ", ".join(f"{count} × {kind}" for kind, count in illegal)


def fault_lines(summaries: Iterable[AgentFaultSummary]) -> list[str]:
    """Return the table of faults as lines of text. Columns and agents without faults are left out."""
    faulty = [summary for summary in summaries if summary.any]
    if not faulty:
        return []
    columns = [(title, field) for title, field in COLUMNS if any(getattr(summary, field) for summary in faulty)]
    rows = [["faults", *(title.lower() for title, _ in columns)]]
    rows += [[summary.name, *(str(getattr(summary, field)) for _, field in columns)] for summary in faulty]
    lines = align(rows)
    for summary in faulty:
        if summary.illegal:
            lines.append(f"  illegal orders of {printable(summary.name)}: {format_illegal(summary.illegal)}")
        if summary.reason:
            lines.append(f"  first fault of {printable(summary.name)}: {printable(summary.reason)}")
    return lines


def detail_lines(summaries: Iterable[AgentFaultSummary]) -> list[str]:
    """Return the tracebacks and ends of standard error of all agents as lines of text."""
    lines: list[str] = []
    for summary in summaries:
        if summary.detail:
            head = printable(f"{summary.name}, {summary.reason}")
            lines += ["", head, *(f"    {printable(line)}" for line in summary.detail.splitlines())]
    return lines
