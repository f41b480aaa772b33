"""A progress bar and a table of the score of a running match, in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from warlight_env.arena import GameRecord
from warlight_env.cli.match_stats import MatchStats


class ScoreBoard(Progress):
    """A progress bar and a table with the score of each bot.

    The terminal shows bar and table until the end of the match, and updates them four times a second. The bar counts
    all finished games. With the option --paired, all games with the same seed (one for each rotation of the bots on the
    seats) appear in the table together, when the last one is finished.
    """

    def __init__(self, tally: MatchStats) -> None:
        self._stats = tally
        columns = (
            TextColumn("{task.description}", markup=False), MofNCompleteColumn(), BarColumn(bar_width=24),
            TextColumn("{task.fields[speed]}"), TextColumn("eta {task.fields[eta]}"),
        )  # fmt: skip
        super().__init__(*columns, console=Console(stderr=True), transient=True, refresh_per_second=4)
        self._task = self.add_task(" vs ".join(tally.names), total=tally.total, speed=tally.speed, eta=tally.eta)

    def add(self, records: Sequence[GameRecord]) -> None:
        """Add finished games, and update the bar."""
        self._stats.count(records)
        self.update(self._task, completed=self._stats.played, speed=self._stats.speed, eta=self._stats.eta)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield the bar, the table and a line with the Elo difference.

        A thread of `Progress` also calls this method.
        """
        yield self.make_tasks_table(self.tasks)
        if hasattr(self, "_task") and self._stats.match_score.games:
            yield self._table()
            strength = self._stats.strength
            if strength:
                yield Text("  " + strength)

    def _table(self) -> Table:
        match_score = self._stats.match_score
        table = Table(box=None, padding=(0, 0, 0, 2))
        table.add_column("")
        seats = [f"seat {seat + 1}" for seat in range(len(self._stats.names))]
        for title in ("wins", "draws", "win %", "95 % CI", *seats):
            table.add_column(title, justify="right")
        for a, name in enumerate(self._stats.names):
            low, high = match_score.interval(a)
            wins = sum(match_score.wins[a])
            by_seat = zip(match_score.wins[a], match_score.played[a], strict=True)
            table.add_row(
                Text(name), str(wins), str(match_score.draws[a]), f"{100 * wins / match_score.games:.1f}",
                f"{100 * low:.1f}–{100 * high:.1f}",
                *(f"{100 * won / games:.1f}" if games else "–" for won, games in by_seat),
            )  # fmt: skip
        return table
