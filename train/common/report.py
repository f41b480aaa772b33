"""The report of a run, as Markdown and as one HTML file that needs no other files and no internet access."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from warlight_env.arena.contests.provenance import collect_provenance, format_provenance

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
_STYLE = """
:root{color-scheme:light dark;--ground:#fbfaf6;--panel:#fff;--ink:#16222b;--muted:#556872;--line:#d9dfe2}
@media (prefers-color-scheme:dark){:root{--ground:#0f181f;--panel:#16222b;--ink:#e6edf1;--muted:#9fb3bf;--line:#2b3842}}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:900px;margin:0 auto;padding:2rem 1.2rem 4rem}
h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}p{max-width:75ch}
.wide{overflow-x:auto}table{border-collapse:collapse;background:var(--panel);font-variant-numeric:tabular-nums}
th,td{padding:.35rem .7rem;border:1px solid var(--line);text-align:right}th:first-child,td:first-child{text-align:left}
pre{background:var(--panel);border:1px solid var(--line);padding:.7rem;overflow-x:auto}
figure{margin:1rem 0;background:#fff;padding:.4rem;border-radius:4px}figure svg{max-width:100%;height:auto}
"""


@dataclass(frozen=True)
class Line:
    """A curve of a figure; it has error bars if `low` and `high` are given."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


class Report:
    """The report's paragraphs, tables, code and figures, as parts in Markdown and in HTML.

    Attributes:
        figures: the figures as SVG texts, in the order of the report.
    """

    def __init__(self, title: str) -> None:
        self.title, self.figures = title, list[str]()
        self._markdown, self._html = [f"# {title}"], [f"<h1>{escape(title)}</h1>"]

    def _add(self, markdown: str, html: str) -> None:
        self._markdown.append(markdown)
        self._html.append(html)

    def heading(self, text: str) -> None:
        """Add the heading of a section."""
        self._add(f"## {text}", f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self._add(text, f"<p>{escape(text)}</p>")

    def code(self, text: str) -> None:
        """Add lines of code."""
        self._add(f"```\n{text}\n```", f"<pre>{escape(text)}</pre>")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table. head: the titles of the columns. rows: the texts of the cells."""
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        self._add(
            "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines),
            f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>',
        )

    def machine(self) -> None:
        """Add a description of the machine and the versions of the software."""
        self.text(format_provenance(collect_provenance()))

    def curves(self, lines: Sequence[Line], x: str, y: str, mark: float | None = None, diagonal: bool = False) -> None:
        """Add a figure of curves, drawn by Matplotlib; `mark` is the height of a horizontal line."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        with matplotlib.rc_context({"svg.hashsalt": "warlight", "svg.fonttype": "none"}):
            figure, axes = pyplot.subplots(figsize=(7.5, 3.6), constrained_layout=True)
            for colour, line in zip(_COLOURS * 4, lines, strict=False):
                axes.plot(line.x, line.y, color=colour, label=line.name, marker="." if len(line.x) < 60 else "")
                if len(line.low):
                    axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.2, linewidth=0)
            if mark is not None:
                axes.axhline(mark, color="#888888", linestyle=":", linewidth=1)
            if diagonal:
                axes.plot([0, 1], [0, 1], color="#888888", linestyle=":", linewidth=1)
            axes.set(xlabel=x, ylabel=y)
            if lines:
                axes.legend(frameon=False)
            axes.spines[["top", "right"]].set_visible(False)
            buffer = io.StringIO()
            figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
            pyplot.close(figure)
        svg = buffer.getvalue()
        self.figures.append(svg[svg.index("<svg") :])
        caption = f"{y} by {x}: {', '.join(line.name for line in lines)}"
        self._add(
            f"![{caption}](curve-{len(self.figures)}.svg)",
            f'<figure role="img" aria-label="{escape(caption)}">{self.figures[-1]}</figure>',
        )

    def to_markdown(self) -> str:
        """Return the report as Markdown, which names the files curve-1.svg, curve-2.svg, … of the figures."""
        return "\n\n".join(self._markdown) + "\n"

    def to_html(self) -> str:
        """Return the report as HTML, with all figures inside."""
        policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}"><link rel="icon" href="data:,">'
            f"<title>{escape(self.title)}</title><style>{_STYLE}</style></head><body><main>"
            + "\n".join(self._html)
            + "</main></body></html>\n"
        )


def percent(share: float, interval: Sequence[float] | None = None) -> str:
    """Return a number in 0 .. 1 as text in per cent, with its interval."""
    text = f"{100 * share:.1f} %"
    return text if interval is None else f"{text} ({100 * interval[0]:.1f}–{100 * interval[1]:.1f})"
