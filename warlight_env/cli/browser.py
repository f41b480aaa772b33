"""``warlight play``, ``warlight hotseat`` and ``warlight watch --live``: games in the browser, from a local server."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from warlight_env.cli.common import (
    FogOption,
    Integer,
    MapOption,
    PathArgument,
    RulesOption,
    UsageError,
    read_rules,
    require_extra,
)

#: The bot that plays against a person if the command names no bot.
OPPONENT = "one_ply"

PortOption = Annotated[Integer, Parameter(name="--port", help="Port of the server; 0 means any free port.")]
HostOption = Annotated[
    str,
    Parameter(name="--host", help="Address on which the server listens; users need the token in the printed link."),
]
ProxyOption = Annotated[
    list[str] | None,
    Parameter(
        name="--proxy",
        negative="",
        help="IP address of a reverse proxy; the server trusts its X-Forwarded-For header.",
    ),
]
BrowserOption = Annotated[bool, Parameter(name="--browser", help="Open the page in the browser.")]


@Parameter(name="*")
@dataclass(frozen=True)
class GameOptions:
    """The command-line options of all commands for games in the browser."""

    fog: FogOption = False
    seed: Annotated[Integer | None, Parameter(help="Seed of the offered regions and the dice (default: random).")] = (
        None
    )
    map: MapOption = "world"
    rules: RulesOption = "thesis"
    log: Annotated[
        PathArgument | None, Parameter(help="Folder for a log of each game (default: in the user's data folder).")
    ] = None
    runs: Annotated[
        PathArgument | None, Parameter(help="Folder with run folders of tournaments; the page shows them.")
    ] = None
    opponents: Annotated[
        PathArgument | None, Parameter(help="Folder with your own policies (.npz) to play against.")
    ] = None
    host: HostOption = "127.0.0.1"
    port: PortOption = 8040
    proxy: ProxyOption = None
    browser: BrowserOption = True


#: The default values of all options.
DEFAULTS = GameOptions()


def play(
    *,
    vs: Annotated[
        list[str] | None,
        Parameter(
            name="--vs", negative="", help=f"Opponent bot; repeat the option for up to five bots (default: {OPPONENT})."
        ),
    ] = None,
    name: Annotated[str, Parameter(help="Your name.")] = "You",
    study: Annotated[
        PathArgument | None,
        Parameter(help="Open this study (NAME.study.json) instead of a game. The server uses a copy of the file."),
    ] = None,
    options: GameOptions = DEFAULTS,
) -> None:
    """Play against bots in the browser, with the mouse or only with the keyboard."""
    if study is not None:
        _open_study(study, vs, options)
        return
    bots = vs or [OPPONENT]
    players = [(name, None), *((bot, bot) for bot in bots)]
    _serve(players, bots, "play", options)


def hotseat(
    *names: Annotated[str, Parameter(help="Names of two to six people.")],
    options: GameOptions = DEFAULTS,
) -> None:
    """Play with several people at one screen. The page hides the position while the next player takes the seat."""
    players = [(name, None) for name in names]
    _serve(players, [], "play", options)


def watch_live(agents: Sequence[str], picks: Literal["random", "agents"], options: GameOptions) -> None:
    """Play a game between bots and show it in the browser, for ``warlight watch A B --live``."""
    players = [(bot, bot) for bot in agents]
    _serve(players, list(agents), "random" if picks == "random" else "play", options)


def _serve(players: Sequence[tuple[str, str | None]], bots: Sequence[str], picks: str, options: GameOptions) -> None:
    """Create a game, and run the web server until Ctrl-C.

    Args:
        players: for each seat, the name of a person and None, or the name and the specification of a bot.
        bots: bots that the page lists as opponents before its usual bots.
        picks: the argument `picks` of `Game`: "random" or "play".
    """
    if not 2 <= len(players) <= 6:
        raise UsageError(f"{len(players)} players: a game needs two to six players")
    _check_options(options)
    for person, spec in players:
        if spec is None and not (person.isprintable() and 1 <= len(person.strip()) <= 32):
            raise UsageError(f"name {person!r}: must be 1 to 32 printable characters")
    require_extra("web", "fastapi", "pydantic", "uvicorn", "websockets")
    if sys.stderr is not None and sys.stderr.isatty():  # the imports take seconds, on a busy machine much longer
        print("Starting the server …", file=sys.stderr, flush=True)

    from warlight_env.engine.board import make_board
    from warlight_env.engine.setup import check_players
    from warlight_env.maps import load
    from warlight_env.web.opponents.supported_games import games_of

    rules = read_rules(options.rules, options.fog)
    if options.fog:  # the page shows the fog beside the name of the rules
        rules = replace(rules, name=read_rules(options.rules).name)
    map_ = load(options.map)
    for bot in bots:
        if refused := games_of(bot).refusal(len(players), map_.n_regions, rules):
            raise UsageError(f"{bot} {refused}")
    check_players(make_board(map_), rules, len(players))

    async def first(lobby: Any) -> str:
        room = await lobby.create_game(players, map_, rules, options.seed, picks)
        if room.watch_token is not None:
            return f"g/{room.id}?key={room.watch_token}"
        keys = "&".join(f"key{seat}={state.token}" for seat, state in enumerate(room.seats) if state.spec is None)
        return f"g/{room.id}?{keys}"

    _run(first, bots, options)


def _open_study(file: Path, bots: Sequence[str] | None, options: GameOptions) -> None:
    """Copy a study into the folder of games, and run the web server until Ctrl-C. bots: more bots for the replies."""
    changed = {
        "--fog": options.fog, "--seed": options.seed is not None, "--map": options.map != "world",
        "--rules": options.rules != "thesis",
    }  # fmt: skip
    if unused := [option for option, is_changed in changed.items() if is_changed]:
        raise UsageError(f"{unused[0]}: not possible with --study, because the study has its own map and rules")
    _check_options(options)
    require_extra("web", "fastapi", "pydantic", "uvicorn", "websockets")

    from warlight_env.record import Study
    from warlight_env.web.storage.study_store import StudyStore

    data = Study.load(file).encoded()

    async def first(lobby: Any) -> str:
        return f"study/{StudyStore(lobby.folder).create(data)}"

    _run(first, list(bots or ()), options)


def _check_options(options: GameOptions) -> None:
    """Raise `UsageError` for options of the server that are not possible."""
    if options.seed is not None and options.seed < 0:
        raise UsageError(f"--seed {options.seed}: must not be negative")
    for option, folder in (("runs", options.runs), ("opponents", options.opponents)):
        if folder is not None and not folder.is_dir():
            raise UsageError(f"--{option} {folder}: this folder does not exist")
    if not 0 <= options.port < 65536:
        raise UsageError(f"--port {options.port}: must be 0 to 65535")
    for proxy in options.proxy or ():
        if not _is_address(proxy):
            raise UsageError(f"--proxy {proxy!r}: must be an IP address")


def _run(first: Callable[[Any], Awaitable[str]], bots: Sequence[str], options: GameOptions) -> None:
    """Run the web server. first: makes the first game or study, and returns its address on the page."""
    from platformdirs import user_data_path

    from warlight_env.web.http.server import run_server
    from warlight_env.web.http.settings import BOTS, Listen, ServerSettings

    folder = options.log if options.log is not None else user_data_path("warlight") / "games"
    listen = Listen(options.host, options.port, tuple(options.proxy or ()))
    offered = tuple(dict.fromkeys((*bots, *BOTS)))
    settings = ServerSettings(folder, offered, runs=options.runs, opponents=options.opponents)
    run_server(listen, settings, first, open_browser=options.browser, print_line=_print_line)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _print_line(line: str) -> None:
    print(line, flush=True)
