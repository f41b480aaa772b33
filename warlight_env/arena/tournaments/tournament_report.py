"""The report of a tournament as one HTML page with a light and a dark theme; it needs no other file and no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from warlight_env.arena.contests.provenance import collect_provenance, format_provenance
from warlight_env.arena.games.play_options import failure_rule
from warlight_env.arena.matches.fault_table import COLUMNS, format_illegal
from warlight_env.arena.ratings.elo import ELO_CONVENTION
from warlight_env.arena.tournaments.head_to_head import HeadToHead
from warlight_env.arena.tournaments.tournament_result import Cell, TournamentResult, percent, signed

_STYLE = """
:root{color-scheme:light dark;--ground:#fbfaf6;--panel:#fff;--ink:#16222b;--muted:#556872;--line:#d9dfe2;
--win:#0072b2;--loss:#d55e00;--mark:#0072b2}
@media (prefers-color-scheme:dark){:root{--ground:#0f181f;--panel:#16222b;--ink:#e6edf1;--muted:#9fb3bf;
--line:#2b3842;--win:#4aa8e0;--loss:#f08a3c;--mark:#6fb7ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1100px;margin:0 auto;padding:2rem 1.2rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
p{margin:.3rem 0 .8rem;max-width:75ch}
.muted{color:var(--muted)}
.warning{border-left:4px solid var(--loss);padding:.4rem .8rem;background:var(--panel)}
.wide{overflow-x:auto}
table{border-collapse:collapse;background:var(--panel);font-variant-numeric:tabular-nums}
th,td{padding:.35rem .7rem;border:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child,td:not([data-value]),th.left{text-align:left}
thead th{color:var(--muted);font-weight:600;vertical-align:bottom}
th button{all:unset;cursor:pointer}
th button:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" \\25b2"}
th[aria-sort=descending] button::after{content:" \\25bc"}
.cross td{text-align:center}
.cross td small{display:block;color:var(--muted)}
.cross .self{background:var(--ground)}
svg{display:block;max-width:100%;height:auto;margin-bottom:1rem}
svg text{fill:var(--ink);font:13px system-ui,sans-serif}
svg .muted{fill:var(--muted)}
svg .grid{stroke:var(--line)}
svg .whisker{stroke:var(--mark);stroke-width:2}
svg .dot{fill:var(--mark)}
pre{background:var(--panel);border:1px solid var(--line);padding:.6rem;overflow-x:auto}
details summary{cursor:pointer;color:var(--muted)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
"""

_SCRIPT = """
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "descending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "ascending" : "descending");
      const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const order = (a, b) => value(a).localeCompare(value(b), undefined, {numeric: true});
      const numeric = (a, b) => Number(value(a)) - Number(value(b));
      const rows = [...table.tBodies[0].rows];
      const numbers = rows.every(row => row.cells[column].dataset.value !== undefined);
      rows.sort(numbers ? numeric : order);
      table.tBodies[0].append(...(down ? rows : rows.reverse()));
    });
  });
}
"""


def to_html(result: TournamentResult) -> str:
    """Return the report of a tournament as the text of an HTML page."""
    t = result.tournament
    planned_games = sum(pairing.games_asked for pairing in result.pairings)
    kind = "Round robin" if t.format == "round-robin" else f"Gauntlet of {', '.join(t.challengers)}"
    warning = ""
    if result.interrupted:
        warning = (
            f'<p class="warning">Interrupted: {result.games:,} of {planned_games:,} games. '
            "The same command continues the tournament.</p>"
        )
    skill = ""
    if result.skills is not None:
        skill = (
            "<p class='muted'>Skill is openskill's Plackett–Luce rating, μ − 3σ: a lower bound of an agent's skill.</p>"
        )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'; img-src data:\">",
            '<link rel="icon" href="data:,">',
            f"<title>{escape(t.name)}</title><style>{_STYLE}</style></head><body><main>",
            f"<h1>{escape(t.name)}</h1>",
            f'<p class="muted">{escape(kind)}, {len(t.entrants)} agents, {t.players} a game, {result.games:,} games; '
            f"{escape(', '.join(map_.name for map_ in t.maps))}; "
            f"rules {escape(', '.join(rules.name for rules in t.rules))}.</p>",
            warning,
            "<h2>Ratings</h2>",
            _chart(result),
            _html_table(result.ratings_table),
            f"<p class='muted'>{ELO_CONVENTION}. {_zero(result)}{_perfect(result)}</p>",
            skill,
            "<h2>Who beats whom</h2>",
            _crosstable(result),
            "<p class='muted'>Score of the row against the column in per cent, with a draw as half a win; below it "
            "the 95 % interval. Point at a cell for wins, losses and draws.</p>",
            "<h2>Pairings</h2>",
            _pairings(result),
            "<h2>Faults</h2>",
            _fault_section(result),
            "<h2>Conditions</h2>",
            _conditions(result),
            f"</main><script>{_SCRIPT}</script></body></html>",
        ]
    )


def _zero(result: TournamentResult) -> str:
    t = result.tournament
    if t.anchor is None:
        return "The mean of all agents is 0."
    return f"The rating of {escape(t.anchor)} is fixed at {t.anchor_elo:g}."


def _perfect(result: TournamentResult) -> str:
    names = [r.name for r in result.ratings if r.perfect]
    if not names:
        return ""
    return f" {escape(', '.join(names))}: won or lost all games, so the prior decides the outer end of the interval."


def _chart(result: TournamentResult) -> str:
    """Return an SVG chart with a dot for each rating and a line for its confidence interval."""
    ratings = [result.ratings[i] for i in result.order]
    low, high = min(r.low for r in ratings), max(r.high for r in ratings)
    step = next((s for s in (10, 25, 50, 100, 200, 400, 800) if (high - low) / s <= 8), 1600)
    first, last = int(low // step) * step, -int(-high // step) * step
    last = max(last, first + step)
    left = 24 + 7 * min(34, max(len(r.name) for r in ratings))
    width, row, top = 1000, 26, 24
    height = top + row * len(ratings) + 6

    def x(elo: float) -> float:
        return round(left + (elo - first) / (last - first) * (width - left - 30), 1)

    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        'aria-label="Ratings with their intervals">'
    ]
    for tick in range(first, last + 1, step):
        parts.append(f'<line class="grid" x1="{x(tick)}" x2="{x(tick)}" y1="{top - 4}" y2="{height}"/>')
        parts.append(f'<text class="muted" x="{x(tick)}" y="{top - 9}" text-anchor="middle">{signed(tick)}</text>')
    for k, r in enumerate(ratings):
        y = top + row * k + row / 2
        name = r.name if len(r.name) <= 34 else r.name[:33] + "…"
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<line class="whisker" x1="{x(r.low)}" x2="{x(r.high)}" y1="{y}" y2="{y}"/>')
        title = f"{r.name}: {signed(r.elo)} ({signed(r.low)} to {signed(r.high)})"
        parts.append(f'<circle class="dot" cx="{x(r.elo)}" cy="{y}" r="5"><title>{escape(title)}</title></circle>')
    return "".join([*parts, "</svg>"])


def _crosstable(result: TournamentResult) -> str:
    names, order = result.tournament.names, result.order
    lines = ['<div class="wide"><table class="cross"><thead><tr><th></th>']
    lines += [f'<th scope="col">{escape(names[j])}</th>' for j in order]
    lines.append("</tr></thead><tbody>")
    for i, meetings in result.crosstable:
        cells = [_cell(meeting, i == j) for j, meeting in zip(order, meetings, strict=True)]
        lines.append(f'<tr><th scope="row">{escape(names[i])}</th>{"".join(cells)}</tr>')
    return "".join([*lines, "</tbody></table></div>"])


def _cell(meeting: HeadToHead | None, is_diagonal: bool) -> str:
    if meeting is None:
        return '<td class="self"></td>' if is_diagonal else "<td>–</td>"
    colour = "win" if meeting.score >= 0.5 else "loss"
    share = round(70 * abs(meeting.score - 0.5))
    title = f"{meeting.wins} won, {meeting.losses} lost, {meeting.draws} drawn"
    low, high = meeting.interval
    return (
        f'<td style="background:color-mix(in srgb,var(--{colour}) {share}%,var(--panel))" title="{title}">'
        f"{percent(meeting.score)}<small>{100 * low:.0f}–{100 * high:.0f}</small></td>"
    )


def _pairings(result: TournamentResult) -> str:
    names = result.tournament.names
    head = ["Map", "Rules", "Wins", "Games", "No winner", "Stopped", "Rounds", "Seconds"]
    rows = [[Cell(title) for title in head]]
    for p in result.pairings:
        wins_text = ", ".join(f"{names[i]} {wins}" for i, wins in zip(p.entrants, p.wins, strict=True))
        counts = [Cell(f"{p.games:,}", p.games), Cell(str(p.draws), p.draws), Cell(str(p.cut_off), p.cut_off)]
        means = [Cell(f"{value:.1f}", value) for value in (p.mean_rounds, p.seconds)]
        rows.append([Cell(p.map), Cell(p.rules), Cell(wins_text), *counts, *means])
    return _html_table(rows)


def _conditions(result: TournamentResult) -> str:
    t = result.tournament
    seats = (
        "each seed with all rotations of the seats, counted as one unit"
        if t.paired
        else "the agents change seats after each game"
    )
    rows = [
        ("Games", f"{t.games:,} of each pairing, on each map, with each rules; seed {t.seed}"),
        ("Seats", seats),
        ("Starting regions", "at random" if t.picks == "random" else "picked by the agents"),
        ("Clock", "each agent uses its own parameters" if t.clock is None else str(t.clock)),
        (
            "Round limit",
            "as in the rules, or 500" if t.max_rounds is None else f"{t.max_rounds} rounds, then a draw",
        ),
        *(
            (e.name, e.spec if e.clock is None else f"{e.spec}, clock {e.clock}")
            for e in t.entrants
            if e.name != e.spec or e.clock is not None
        ),
        ("Failures", failure_rule(t.on_crash, t.on_late)),
        ("Made with", format_provenance(collect_provenance())),
    ]
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows) + "</dl>"


def _html_table(rows: Sequence[Sequence[Cell]]) -> str:
    """Return a sortable HTML table. The first row contains the column titles."""
    head, *body = rows
    lines = ['<div class="wide"><table class="sortable"><thead><tr>']
    for column, title in enumerate(head):
        alignment = ' class="left"' if all(row[column].value is None for row in body) else ""
        lines.append(f'<th scope="col"{alignment}>{escape(title.text)}</th>')
    lines.append("</tr></thead><tbody>")
    for row in body:
        cells = "".join(
            f"<td>{escape(text)}</td>" if value is None else f'<td data-value="{value!r}">{escape(text)}</td>'
            for text, value in row
        )
        lines.append(f"<tr>{cells}</tr>")
    return "".join([*lines, "</tbody></table></div>"])


def _fault_section(result: TournamentResult) -> str:
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
    return _html_table(rows) + "".join(parts)
