"""``warlight watch``: show a game between bots in the terminal, round by round."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from warlight_env.cli.browser import BrowserOption, GameOptions, HostOption, PortOption, watch_live
from warlight_env.cli.common import (
    Count,
    FogOption,
    MapOption,
    PicksOption,
    RulesOption,
    SeedOption,
    UsageError,
    start_game,
)
from warlight_env.cli.round_text import describe_round, show_position
from warlight_env.tables import counted

if TYPE_CHECKING:
    from warlight_env.game import Game


@Parameter(name="*")
@dataclass(frozen=True)
class WatchOptions:
    """The options of ``warlight watch``."""

    seed: SeedOption = 1
    game: Annotated[Count, Parameter(help="Number of the game to show, among the games of a match, from 1.")] = 1
    delay: Annotated[float, Parameter(help="Pause between rounds on a terminal, in seconds.")] = 0.5
    rounds: Annotated[Count | None, Parameter(help="Stop after this many rounds.")] = None
    picks: PicksOption = "random"
    map: MapOption = "world"
    rules: RulesOption = "thesis"
    fog: FogOption = False
    live: Annotated[bool, Parameter(negative="", help="Show the game in the browser instead of the terminal.")] = False
    host: HostOption = "127.0.0.1"
    port: PortOption = 8040
    browser: BrowserOption = True


def watch(
    *agents: Annotated[str, Parameter(help="Two to six bots, for example random or random:chunks=5.")],
    options: WatchOptions = WatchOptions(),
) -> None:
    """Watch a game between bots in the terminal. Show the position after each round, with its orders and battles.

    If the output is not a terminal, the command prints all rounds without pauses.
    """
    if not 2 <= len(agents) <= 6:
        raise UsageError(f"{counted(len(agents), 'bot')}: give two to six bots: warlight watch mcts aggressive")
    if options.live:
        changed = {"--game": options.game != 1, "--delay": options.delay != 0.5, "--rounds": options.rounds is not None}
        if unused := [option for option, is_changed in changed.items() if is_changed]:
            raise UsageError(f"{unused[0]}: not possible with --live, because the page controls the game")
        game_options = GameOptions(
            seed=options.seed, map=options.map, rules=options.rules, fog=options.fog,
            host=options.host, port=options.port, browser=options.browser,
        )  # fmt: skip
        watch_live(agents, options.picks, game_options)
        return
    if not 0 <= options.delay <= 3600:
        raise UsageError(f"--delay {options.delay}: must be 0 to 3600 seconds")
    from warlight_env.arena.games.game_loop import play_rounds, round_limit

    game, bots = start_game(
        agents, options.map, options.rules, options.seed, options.picks, options.game - 1, fog=options.fog
    )
    names = [f"{seat + 1} {bot.name}" for seat, bot in enumerate(bots)]
    limit = round_limit(game.rules, game.map.n_regions, options.rounds)
    terminal = sys.stdout.isatty()
    _show(game, names, [], terminal)
    for orders, result in play_rounds(game, bots, limit):
        if terminal:
            time.sleep(options.delay)
        _show(game, names, list(describe_round(game.map, names, orders, result)), terminal)
    print(_outcome(game, names))


def _show(game: Game, names: Sequence[str], lines: Sequence[str], live: bool) -> None:
    from warlight_env.render import ShownPosition

    position = ShownPosition(game.map, game.owner, game.army, game.players, game.round, tuple(names))
    incomes = {name: game.income(p) for p, name in enumerate(names) if game.alive(p)}
    show_position(position, incomes, lines, live)


def _outcome(game: Game, names: Sequence[str]) -> str:
    rounds = counted(game.round, "round")
    if game.winner is not None:
        return f"{names[game.winner]} wins after {rounds}"
    return f"{'draw' if game.done else 'stopped'} after {rounds}"
