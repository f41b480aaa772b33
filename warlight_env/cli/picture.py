"""``warlight picture``: draw a position that bots reach in a game from a seed."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from warlight_env.cli.common import (
    Integer,
    MapOption,
    PathArgument,
    RulesOption,
    SeedOption,
    UsageError,
    check_writable,
    start_game,
    write_file,
)
from warlight_env.cli.streams import reserved_output

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def picture(
    *agents: Annotated[str, Parameter(help="Two to six bots (default: random aggressive).")],
    seed: SeedOption = 1,
    rounds: Annotated[Integer, Parameter(help="Number of rounds to play before the picture.")] = 8,
    output: Annotated[
        PathArgument | None,
        Parameter(name=["--out", "-o"], help="Output file, .svg or .png (default: SVG on standard output)."),
    ] = None,
    orders: Annotated[bool, Parameter(help="Draw the orders of the next round as arrows.")] = True,
    map: MapOption = "world",
    rules: RulesOption = "thesis",
) -> None:
    """Let bots play some rounds, and draw the position as SVG or PNG, with the bots' next orders as arrows."""
    if rounds < 0:
        raise UsageError(f"--rounds {rounds}: must be at least 0")
    suffix = ".svg" if output is None else output.suffix.lower()
    if suffix not in (".svg", ".png"):
        raise UsageError(f"--out {output}: must end in .svg or .png")
    if output is not None:
        check_writable(output)
    from warlight_env.arena.games.game_loop import ask_orders, play_rounds
    from warlight_env.render import ShownPosition, to_rgb, to_svg

    with reserved_output():
        game, bots = start_game(agents or ("random", "aggressive"), map, rules, seed)
        for _ in play_rounds(game, bots, rounds):
            pass
        names = tuple(bot.name for bot in bots)
        position = ShownPosition(game.map, game.owner, game.army, game.players, game.round, names)
        next_orders = ask_orders(game, bots) if orders and not game.done else None
    if suffix == ".png":
        assert output is not None  # without --out, the picture is SVG
        write_file(output, _png(to_rgb(position, next_orders)))
    elif output is not None:
        write_file(output, to_svg(position, next_orders))
    else:
        sys.stdout.write(to_svg(position, next_orders))


def _png(pixels: npt.NDArray[np.uint8]) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
