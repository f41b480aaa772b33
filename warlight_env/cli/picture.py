"""``warlight picture``: a position out of a seeded game, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from warlight_env.cli.common import MapOption, RulesOption, SeedOption, UsageError, announce_compiling


def picture(
    *agents: Annotated[str, Parameter(help="Two to six bots (default: random aggressive).")],
    seed: SeedOption = 1,
    rounds: Annotated[int, Parameter(help="Rounds to play first.")] = 8,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="A .svg or .png file (default: SVG on standard output).")
    ] = None,
    orders: Annotated[bool, Parameter(help="Draw the orders of the next round as arrows.")] = True,
    map: MapOption = "world",
    rules: RulesOption = "thesis",
) -> None:
    """Draw a position as SVG or PNG: bots play some rounds, then their next orders are drawn as arrows."""
    if rounds < 0:
        raise UsageError(f"--rounds {rounds}: must be at least 0")
    suffix = ".svg" if output is None else output.suffix.lower()
    if suffix not in (".svg", ".png"):
        raise UsageError(f"--output {output}: must end in .svg or .png")
    announce_compiling()
