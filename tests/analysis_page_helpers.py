"""Helpers for tests of the analysis screen: mocked results of an analysis, opened logs, finished games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from warlight_env.record import GameLog, game_at
from web_helpers import Server

#: Selector of a better turn on the map: the arrows of its attacks and the armies of its deploys.
BETTER = "g.best, g.addition"

#: JavaScript: let the bot search for a short time in the analysis. The server continues for ten seconds after the last
#: poll, and searches for several seconds in the displayed position.
QUICK = "localStorage['warlight.engine.seconds'] = '0.2'"


def turn(log: GameLog, round_: int, mark: str | None, lost: float) -> dict[str, Any]:
    """Return a report on a turn of player 0. The better turn attacks from the first region of this player."""
    game = game_at(log, round_ - 1)
    own = next(r for r in range(game.map.n_regions) if game.owner[r] == 0)
    codes = [region.code.lower() for region in game.map.regions]
    orders = f"d {codes[own]} 5; a {codes[own]} {codes[game.map.neighbors[own][0]]} 4"
    better = {"orders": orders, "gain": lost, "error": 0.02} if lost else None
    return {
        "before": 0.6, "worth": 0.6 - lost, "after": 0.6 - lost, "armies": 0.5, "gain": lost, "lost": lost,
        "error": 0.02, "stake": 0.6, "luck": 0.0, "mark": mark, "better": better, "reason": None,
    }  # fmt: skip


def news(log: GameLog, version: int, marks: dict[int, tuple[str | None, float]], **body: Any) -> dict[str, Any]:
    """Return an answer of the server with the marks of player 0 by round."""
    positions = [
        {
            "played": number - 1, "level": version, "seconds": 0.1 * version, "preliminary": version < 2,
            "complete": version >= 2,
            "games": 240 * version,
            "turns": [turn(log, number, mark, lost), None], "best": [None, None], "decisions": [None, None],
            "chances": [[0.6, 0.5, 0.7], [0.4, 0.3, 0.5]],
        }
        for number, (mark, lost) in marks.items()
    ]  # fmt: skip
    player = {
        "accuracy": 0.5,
        "error": 0.1,
        "lost": 0.3,
        "luck": 0.0,
        "armies": 0.0,
        "marks": {"?!": 0, "?": 1, "??": 0},
    }
    summary = {"players": [player, player], "turning": [], "cumulative": [[0.0, 0.0]] * len(log.rounds)}
    results = {"version": version, "done": 2, "total": 9, "positions": positions, "summary": summary}
    return {"bot": "nash:secs=1", "seconds": 1, **results, **body}


def mock_analysis(page: Any, log: GameLog, answer: dict[str, Any]) -> None:
    """Let the page receive `answer` as the analysis of a log, and invented win probabilities.

    The test can change `answer` later. The server computes nothing, which would take a second of CPU time.
    """
    chances = [[[0.6, 0.5, 0.7], [0.4, 0.3, 0.5]]] * (len(log.rounds) + 1)
    for place in ("analysis", "chances"):
        page.unroute(f"**/{place}")
    page.route("**/analysis", lambda route: route.fulfill(json=answer))
    page.route("**/chances", lambda route: route.fulfill(json=chances))


def called_you(log: GameLog) -> GameLog:
    """Return the log with the viewer as its first player."""
    first, *others = log.header.players
    return replace(log, header=replace(log.header, players=(replace(first, name="You", spec=None), *others)))


def open_log(page: Any, log: GameLog, tmp_path: Path, label: str = "Log of a game") -> Any:
    """Open a log's file on the start screen. label: the label of the input in the page's language."""
    log.save(tmp_path / "game.wl.jsonl")
    page.get_by_label(label).set_input_files(tmp_path / "game.wl.jsonl")
    page.locator("path[data-region]").first.wait_for()
    return page


def open_next_log(page: Any, log: GameLog, tmp_path: Path) -> None:
    """Go back to the start screen, without loading the page again, and open another log."""
    page.evaluate("location.hash = '#/'")
    page.locator("path[data-region]").first.wait_for(state="detached")
    open_log(page, log, tmp_path)


def show_cards(page: Any) -> None:
    """Open the sheet of cards on a narrow screen."""
    if page.locator("aside .handle").get_attribute("aria-expanded") == "false":
        page.locator("aside .handle").click()


def finished(server: Server, rounds: int = 2) -> Server:
    """Play some rounds without orders against an aggressive bot, then resign."""
    played = server.begin({"name": "You"}, "aggressive", seed=8, picks="random")
    client = server.client(played.token(0))
    with server.feed(played.game, played.token(0)) as feed:
        for number in range(1, rounds + 1):
            client.post(f"games/{played.game}/orders", json={"round": number, "deploys": [], "attacks": []})
            feed.event("round")
        client.post(f"games/{played.game}/resign")
        feed.event("end")
    return played
