"""Functions that write sortable HTML tables, and the section about faults, for the report of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from warlight_env.arena.matches.fault_table import COLUMNS, format_illegal
from warlight_env.arena.tournaments.tournament_result import Cell, TournamentResult


def html_table(rows: Sequence[Sequence[Cell]]) -> str:
    """Return a sortable HTML table. The first row contains the column titles."""
    head, *body = rows
    lines = ['<div class="wide"><table class="sortable"><thead><tr>']
    for column, title in enumerate(head):
        left = ' class="left"' if all(row[column].value is None for row in body) else ""
        lines.append(f'<th scope="col"{left}>{escape(title.text)}</th>')
    lines.append("</tr></thead><tbody>")
    for row in body:
        cells = "".join(
            f"<td>{escape(text)}</td>" if value is None else f'<td data-value="{value!r}">{escape(text)}</td>'
            for text, value in row
        )
        lines.append(f"<tr>{cells}</tr>")
    return "".join([*lines, "</tbody></table></div>"])


def fault_section(result: TournamentResult) -> str:
    """Return the table of faults, and the details of each agent with faults, as HTML."""
    faulty = [faults for faults in result.fault_table if faults.any]
    if not faulty:
        return "<p class='muted'>No agent has a fault.</p>"
    rows = [[Cell("Agent"), *(Cell(title) for title, _ in COLUMNS), Cell("Illegal orders")]]
    parts = []
    for faults in faulty:
        numbers: list[int] = [getattr(faults, field) for _, field in COLUMNS]
        illegal = sum(count for _, count in faults.illegal)
        rows.append([Cell(faults.name), *(Cell(str(n), n) for n in numbers), Cell(str(illegal), illegal)])
        lines = [f"illegal orders: {format_illegal(faults.illegal)}"] if faults.illegal else []
        lines += [f"first fault: {faults.reason}"] if faults.reason else []
        parts.append(f"<h3>{escape(faults.name)}</h3>" + "".join(f"<p>{escape(line)}</p>" for line in lines))
        if faults.detail:
            parts.append(f"<pre>{escape(faults.detail)}</pre>")
    return html_table(rows) + "".join(parts)
