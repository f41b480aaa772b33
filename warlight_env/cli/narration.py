"""A game in the terminal: positions, and rounds in words: who deploys where, and what came of each attack."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from warlight_env.tables import printable

if TYPE_CHECKING:
    from warlight_env.engine.orders import Orders
    from warlight_env.maps import Map
    from warlight_env.render import ShownPosition
    from warlight_env.step_results import Event, RoundResult

#: Moves the cursor home and clears the screen.
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


def show_position(position: ShownPosition, incomes: Mapping[str, int], lines: Sequence[str], live: bool) -> None:
    """Print a position, the incomes by player's name and some lines; `live` clears the terminal first."""
    from warlight_env.render import to_text

    width = max(40, min(100, shutil.get_terminal_size().columns)) if live else 80
    print(f"{_CLEAR if live else ''}{to_text(position, colour=live and 'NO_COLOR' not in os.environ, width=width)}\n")
    if incomes:
        print(f"income: {', '.join(f'{printable(name)} {income}' for name, income in incomes.items())}")
    for line in lines:
        print(f"  {printable(line)}")
    print(flush=True)


def tell_round(map_: Map, names: Sequence[str], orders: Mapping[int, Orders], result: RoundResult) -> Iterator[str]:
    """The lines of a round: deploys by player, attacks and transfers in the order in which they happened."""
    for player, turn in orders.items():
        deploys = ", ".join(f"{armies} on {map_.regions[region].name}" for region, armies in turn.deploys)
        if deploys:
            yield f"{names[player]} deploys {deploys}"
    for event in result.events:
        yield tell_event(map_, names, event)
    for illegal in result.dropped:
        yield f"left out: {names[illegal.player]}, {illegal.kind} {illegal.order}: {illegal.reason}"


def tell_event(map_: Map, names: Sequence[str], event: Event) -> str:
    """An attack or a transfer in one line."""
    source, target = map_.regions[event.source].name, map_.regions[event.target].name
    name, armies = names[event.player], event.armies
    if event.kind == "transfer":
        return f"{name} moves {armies} from {source} to {target}"
    losses = f"loses {event.attackers_lost}, kills {event.defenders_lost}"
    outcome = f"takes {target}" if event.captured else "is beaten back"
    return f"{name} attacks {target} from {source} with {armies}: {losses}, {outcome}"
