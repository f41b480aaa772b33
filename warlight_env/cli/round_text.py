"""Functions that show a game in the terminal: positions, and descriptions of deploys, attacks and their outcomes."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from warlight_env.tables import printable

if TYPE_CHECKING:
    from warlight_env.engine.orders import Orders
    from warlight_env.maps import Map
    from warlight_env.render import ShownPosition
    from warlight_env.step_results import Event, RoundResult

#: Terminal codes that move the cursor to the top left and clear the screen.
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


def show_position(position: ShownPosition, incomes: Mapping[str, int], lines: Sequence[str], live: bool) -> None:
    """Print a position, the players' incomes and some lines of text.

    live: True if the output is a terminal that shows one position after another. If `live` is True, the function first
    clears the screen, and leaves the last line of the terminal free.
    """
    from warlight_env.render import to_text

    text_lines = (
        [f"income: {', '.join(f'{printable(name)} {income}' for name, income in incomes.items())}"] if incomes else []
    )
    text_lines += [f"  {printable(line)}" for line in lines]
    if live:
        size = shutil.get_terminal_size()
        width = max(40, min(100, size.columns))
        board_lines = to_text(position, colour="NO_COLOR" not in os.environ, width=width).split("\n")
        print(_CLEAR + "\n".join(_fitted(board_lines, text_lines, width, size.lines - 2)), flush=True)
    else:
        print("\n".join([to_text(position, width=80), "", *text_lines, ""]), flush=True)


def _fitted(board_lines: list[str], text_lines: Sequence[str], width: int, rows: int) -> list[str]:
    """Return the lines of a position and of a wrapped text, at most `rows` lines; leave out text that does not fit."""
    words = textwrap.TextWrapper(width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    wrapped = [row for line in text_lines for row in words.wrap(line)]
    all_lines = [*board_lines, "", *wrapped, ""]
    if len(all_lines) <= rows:
        return all_lines
    board_lines = [line for line in board_lines if line]
    room = max(2, rows - len(board_lines))
    if len(wrapped) > room:
        wrapped = [*wrapped[: room - 1], f"    … {len(wrapped) - room + 1} more lines: make the terminal taller"]
    return [*board_lines, *wrapped]


def describe_round(map_: Map, names: Sequence[str], orders: Mapping[int, Orders], result: RoundResult) -> Iterator[str]:
    """Yield lines that describe a round: the deploys of each player, then attacks and transfers in execution order.

    The last lines name the illegal orders, which the round did not execute.

    Args:
        orders: the orders of each player as submitted.
    """
    from warlight_env.step_results import without_illegal

    for player, turn in orders.items():
        legal_deploys = without_illegal(player, turn, result.dropped).deploys
        deploys = ", ".join(f"{armies} on {map_.regions[region].name}" for region, armies in legal_deploys)
        if deploys:
            yield f"{names[player]} deploys {deploys}"
    for event in result.events:
        yield describe_event(map_, names, event)
    for illegal in result.dropped:
        yield f"illegal order of {names[illegal.player]}, left out: {illegal.describe(map_)}"


def describe_event(map_: Map, names: Sequence[str], event: Event) -> str:
    """Return a line that describes an attack or a transfer."""
    source, target = map_.regions[event.source].name, map_.regions[event.target].name
    name, armies = names[event.player], event.armies
    if event.kind == "transfer":
        return f"{name} moves {armies} from {source} to {target}"
    losses = f"loses {event.attackers_lost}, kills {event.defenders_lost}"
    outcome = f"takes {target}" if event.captured else "is beaten back"
    return f"{name} attacks {target} from {source} with {armies}: {losses}, {outcome}"
