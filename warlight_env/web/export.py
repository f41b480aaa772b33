"""Functions that show games in the web page without a server: in one HTML file, or in a notebook."""

from __future__ import annotations

import html
import itertools
from pathlib import Path
from typing import Any

from warlight_env.game import Game
from warlight_env.output import write_errors, write_file
from warlight_env.record import GameLog, Header, LogWriteError, Player, Study
from warlight_env.web.documents.replay_document import VERSION, embed, header_document, replay_document, study_document
from warlight_env.web.errors import PageMissingError
from warlight_env.web.page import page


def replay_html(
    log: GameLog, *, seat: int | None = None, chances: bool = True, report: dict[str, Any] | None = None
) -> str:
    """Return an HTML page with a logged game: its positions, orders and dice results, and the bots' evaluations.

    Args:
        log: the log of a game, which need not be finished.
        seat: a player, from 0. The page contains only events that this player saw, and no win probabilities. If `seat`
            is None, the page contains all events.
        chances: whether to add win probabilities from playouts, which take about 30 ms per position.
        report: the report on the game, see `workers.game_report.GameReport.to_dict`; None: no report.

    Raises:
        PageMissingError: the installed package does not contain the page.
    """
    win_probabilities = _chances(log) if chances and seat is None else None
    extra_fields = {} if report is None else {"report": report}
    return embed(page(), {**replay_document(log, win_probabilities, seat), **extra_fields})


def write_html(
    log: GameLog,
    path: Path,
    *,
    seat: int | None = None,
    chances: bool = True,
    report: dict[str, Any] | None = None,
) -> None:
    """Write the page of `replay_html` to a file. Raise `LogWriteError` if the file cannot be written."""
    _write(path, replay_html(log, seat=seat, chances=chances, report=report))


def write_study_html(study: Study, path: Path) -> None:
    """Write an HTML page with a study: its position and its variations, which the page shows but cannot change.

    Raises:
        LogWriteError: the file cannot be written. PageMissingError: see `replay_html`.
    """
    _write(path, embed(page(), study_document(study)))


def _write(path: Path, text: str) -> None:
    with write_errors(path, LogWriteError):
        write_file(path, text)


def _chances(log: GameLog) -> list[list[list[float]]] | None:
    from warlight_env.web.workers.win_probability import win_probabilities_of

    return win_probabilities_of(log)


def framed(game: Game | GameLog) -> str | None:
    """Return an HTML frame that shows a log, or a game with its undo history, in a notebook.

    Return None if the installed package does not contain the page.
    """
    document = replay_document(game) if isinstance(game, GameLog) else game_document(game)
    try:
        escaped_page = html.escape(embed(page(), document), quote=True)
    except PageMissingError:
        return None
    return (
        f'<iframe srcdoc="{escaped_page}" sandbox="allow-scripts" title="Warlight" '
        'style="width:100%;height:720px;border:0;border-radius:12px"></iframe>'
    )


def game_document(game: Game) -> dict[str, Any]:
    """Return the JSON data that the page needs to show a game that has no log.

    The positions in the undo history become rounds without orders.
    """
    players = tuple(Player(f"player {p + 1}") for p in range(game.players))
    header = Header(game.map, game.rules, players, game.seed, "random", 10**6, "")
    history = [g for g in _steps(game) if g.phase != "pick"] or [game]
    first = history[0]
    events: list[dict[str, Any]] = [{"event": "start", "owner": first.owner.tolist(), "army": first.army.tolist()}]
    for before, after in itertools.pairwise(history):
        rows = zip(before.owner.tolist(), before.army.tolist(), after.owner.tolist(), after.army.tolist(), strict=True)
        changed = [[r, o, a] for r, (bo, ba, o, a) in enumerate(rows) if (bo, ba) != (o, a)]
        no_orders = [None] * game.players
        events.append(
            {
                "event": "round",
                "round": after.round,
                "orders": no_orders,
                "deploys": [],
                "moves": [],
                "changed": changed,
            }
        )
    return {**header_document(header), "kind": "replay", "version": VERSION, "events": events, "chances": None}


def _steps(game: Game) -> list[Game]:
    """Return copies of the game after each step of its undo history, in chronological order."""
    steps, position = [game], game.clone()
    while position.can_undo:
        position.undo()
        steps.append(position.clone())
    return steps[::-1]
