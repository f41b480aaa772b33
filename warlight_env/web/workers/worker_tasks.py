"""Tasks of the process pool: long work with logs, maps and folders."""

from __future__ import annotations

import contextlib
import functools
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from cachetools import LRUCache

from warlight_env import bounded_io, maps
from warlight_env.arena.contests.append_only import MALFORMED_DATA
from warlight_env.arena.games.game_loop import round_limit
from warlight_env.engine.board import make_board
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.engine.setup import check_players
from warlight_env.errors import InputError, crash_reason
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.protocol.view_transfer import QueriedPosition
from warlight_env.record import (
    GameLog,
    Header,
    LogError,
    LoggedDraw,
    LoggedFailure,
    Picks,
    Player,
    Recorder,
    check_variations,
    game_at,
    summarize,
)
from warlight_env.record.encode import log_lines
from warlight_env.record.names import COMPRESSED, PARTIAL, PLAIN
from warlight_env.record.reader import read, read_text
from warlight_env.record.variation_codec import tree_data
from warlight_env.record.variations import EMPTY
from warlight_env.web.documents.faces import displayed_names, face_of
from warlight_env.web.documents.map_drawing import drawing
from warlight_env.web.documents.replay_document import encoded, replay_document, with_more
from warlight_env.web.errors import ProcessPoolError, RequestError, error_body_of, status_of
from warlight_env.web.storage.saved_game import SavedGame, read_saved_game
from warlight_env.web.storage.submitted_turns import TURNS, SubmittedTurns
from warlight_env.web.workers.child_process import serve_questions
from warlight_env.web.workers.win_probability import Chances, curve_of, estimate_positions

try:
    import resource
except ImportError:  # systems without such limits
    resource = None  # type: ignore[assignment]

CACHED_VALUES: Final = 1_000_000  # the most values of all cached logs together, see `bounded.json_object_bound`
UPLOADED: Final = 3_000_000  # maximum number of JSON values of a log that a user opens
MEMORY: Final = 2 << 30  # bytes of memory for a process of the pool: more than any log and the kernels need
TAKEN_OVER: Final = 16 << 20  # maximum bytes of a log that a new game continues


@dataclass(frozen=True)
class LogSource:
    """A log's file, and a key that is unique for its bytes."""

    key: str
    data: bytes


@dataclass(frozen=True)
class LoadedGame:
    """A game in the last position of its log, ready to continue.

    Attributes:
        saved: the game as plain data, see `Game.from_dict`.
        lines: the lines of the new log; the first line is the header.
        complete: whether the game has ended.
        failures: the players that have resigned or failed.
        draw: the draw on which the players have agreed; None if there is no draw.
        variations: the JSON of the tree of variations, which is not in `lines`; None if there is no tree.
    """

    header: Header
    saved: dict[str, Any]
    lines: list[bytes]
    complete: bool
    failures: tuple[LoggedFailure, ...] = ()
    draw: LoggedDraw | None = None
    variations: bytes | None = None


# Maps


def generate_map(regions: int, seed: int) -> tuple[Map, bytes]:
    """Return a new map with its drawing as JSON."""
    map_ = maps.generate(regions, seed=seed)
    return map_, map_drawing_json(map_)


def map_drawing_json(map_: Map) -> bytes:
    """Return a map's drawing as JSON."""
    return encoded(drawing(map_))


@functools.lru_cache(maxsize=16)
def bundled_drawing(name: str) -> bytes:
    """Return the drawing of a bundled map as JSON."""
    return map_drawing_json(maps.load(name))


# Logs


@dataclass(frozen=True)
class _ReadLog:
    """A log with its weight, the number of its JSON values; see `bounded_io.json_object_bound`."""

    log: GameLog
    weight: int


def _read(data: bytes, values: int) -> _ReadLog:
    """Return the log of a file's bytes, compressed or not; raise `LogError` for a log with errors."""
    suffix = COMPRESSED if data[:2] == b"\x1f\x8b" else PLAIN
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log{suffix}"
        path.write_bytes(data)
        try:
            text = read_text(path, values)
            return _ReadLog(read(text, path), bounded_io.json_object_bound(text))
        except LogError as error:
            raise LogError(str(error).removeprefix(f"{path}: ")) from None


_logs: LRUCache[str, _ReadLog] = LRUCache(CACHED_VALUES, getsizeof=lambda entry: entry.weight)


def opened_log(source: LogSource) -> GameLog:
    """Return the log of a file, cached by its key; raise `InputError` for a log with errors."""
    entry = _logs.get(source.key)
    if entry is None:
        entry = _read(source.data, UPLOADED)
        _check_players(entry.log)
        check_variations(entry.log.variations, functools.cache(functools.partial(game_at, entry.log)))
        with contextlib.suppress(ValueError):  # too large for the cache
            _logs[source.key] = entry
    return entry.log


def _check_players(log: GameLog) -> None:
    """Raise `RulesError` for a log with rules that do not fit its map."""
    header = log.header
    check_players(make_board(header.map), header.rules, len(header.players))


def game_in(source: LogSource) -> tuple[int, int, Rules]:
    """Return the numbers of players and regions of a log's game, and its rules."""
    header = opened_log(source).header
    return len(header.players), header.map.n_regions, header.rules


def replay_json(source: LogSource, chances: bytes, extra_fields: dict[str, Any]) -> bytes:
    """Return a log's replay document with the fields `extra_fields` as JSON.

    chances: the JSON of the win probabilities.
    """
    document = replay_document(opened_log(source))
    del document["chances"]
    return with_more({**document, **extra_fields}, {"chances": chances})


def win_probability_part(
    source: LogSource, known_estimates: dict[int, Chances], seconds: float
) -> tuple[dict[int, Chances], bool]:
    """Estimate the win probabilities of more positions of a log; see `estimate_positions`."""
    return estimate_positions(opened_log(source), known_estimates, seconds)


def win_curve(source: LogSource, estimates: dict[int, Chances]) -> list[Chances] | None:
    """Return win probabilities for every position of a log; see `curve_of`."""
    return curve_of(opened_log(source), estimates)


def visible_position(game: Game, seat: int) -> QueriedPosition:
    """Return the position that a player sees; raise `RequestError` if the player has no turn in it."""
    if seat >= game.players:
        raise RequestError(f"seat {seat}: the game has {game.players} players")
    if game.phase != "play" or not game.alive(seat):
        raise RequestError("this player has no turn now: choose another player or round", 409, code="no-turn")
    return QueriedPosition.from_view(game.view(seat))


def bot_seed(game: Game) -> int:
    """Return the seed for a bot's answer about a position."""
    return derive_seed(game.seed, 99, game.round)


# Games that continue


def load_game(data: bytes) -> LoadedGame:
    """Load a game of the server from its log."""
    log = _read(data, bounded_io.VALUES).log
    saved = _replayed_game(log, len(log.rounds))
    lines = list(log_lines(replace(log, variations=EMPTY)))
    tree = encoded(tree_data(log.variations)) if log.variations else None
    return LoadedGame(log.header, saved, lines, log.complete, log.failures, log.draw, tree)


def branch_game(source: LogSource, rounds: int, players: Sequence[Player]) -> LoadedGame:
    """Return a log's position after `rounds` rounds, for a new game.

    Raise `RequestError` if a new game cannot start from the position after `rounds` rounds.
    """
    log = opened_log(source)
    if not 0 <= rounds <= len(log.rounds):
        raise RequestError(f"round {rounds}: the log has rounds 0 to {len(log.rounds)}")
    if len(players) != len(log.header.players):
        raise RequestError(f"{len(players)} players: the game has {len(log.header.players)}")
    saved = _replayed_game(log, rounds)
    lines = _Lines(players)
    lines.continued(log, rounds, [], round_limit(log.header.rules, log.header.map.n_regions, None))
    if (size := sum(map(len, lines.lines))) > TAKEN_OVER:
        max_mebibytes = TAKEN_OVER >> 20
        text = f"the log up to this round has {size >> 20} MiB: you can play on from at most {max_mebibytes} MiB"
        raise RequestError(text, 413, code="log-long", size=size >> 20, most=max_mebibytes)
    assert lines.header is not None  # of `continued`
    return LoadedGame(lines.header, saved, lines.lines, False)


class _Lines(Recorder):
    """Keeps a log's lines."""

    def __init__(self, players: Sequence[Player]) -> None:
        super().__init__(players)
        self.lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        self.lines.append(line)


def _replayed_game(log: GameLog, rounds: int) -> dict[str, Any]:
    """Play the picks and the first `rounds` rounds of a log; return the game as plain data.

    Raises:
        LogError: the replayed game differs from its log.
    """
    game = log.header.new_game()
    for step in log.steps:
        if isinstance(step, Picks):
            step.play(game)
        elif step.round <= rounds:
            game.play_round(step.orders, on_illegal="skip")
        else:
            break
        if game.fingerprint() != step.hash:
            raise LogError(f"round {game.round}: a replay of the game differs from its log")
    return {**game.to_dict(), "map": game.map}


# Lists


def log_path(folder: Path, id: str) -> Path:
    """Return the path of the log of a server's game, finished or not."""
    finished_path = folder / f"{id}{PLAIN}"
    return finished_path if finished_path.exists() else folder / f"{id}{PARTIAL}{PLAIN}"


def rows_of(folder: Path, ids: Sequence[str]) -> list[dict[str, Any] | None]:
    """Return the list entries of games in a folder; None for a game with unreadable files."""
    return [_row_of(folder, id) for id in ids]


def _row_of(folder: Path, id: str) -> dict[str, Any] | None:
    try:
        saved = read_saved_game(folder, id)
        if saved is None:
            return None
        summary = summarize(log_path(folder, id))
        is_over, turns = summary.end is not None, SubmittedTurns(folder / f"{id}{TURNS}")
        continuation = summary.header.continues
        is_played = summary.picks + summary.rounds > 0 if continuation is None else summary.rounds > continuation.rounds
        winner = None if summary.end is None else summary.end.winner
        has_begun = is_over or is_played or turns.exists or bool(saved.friends) or saved.opened
        return row(saved, summary.header, summary.rounds, winner, over=is_over, begun=has_begun)
    except (OSError, LogError, RequestError, *MALFORMED_DATA):
        return None


def row(
    saved: SavedGame, header: Header, rounds: int, winner: int | None, *, over: bool, begun: bool
) -> dict[str, Any]:
    """Return the list entry of a game. begun: whether a person took any action in it, such as to open it.

    The entry contains no token of a seat; only the people who made the game have the tokens of seats. For a game
    without secrets, the entry contains a token in the field ``watch``: the token for watching bots or, after the end of
    a game of people, the token of spectators.
    """
    watch = saved.spectate if saved.watch is None and over else saved.watch
    return {
        "name": saved.name,
        "players": displayed_names([(name, spec) for name, spec, _ in saved.seats]),
        "bots": [spec for _, spec, _ in saved.seats],
        "faces": [face_of(spec) for _, spec, _ in saved.seats],
        "watch": watch,
        "map": header.map.title or header.map.name,
        "rules": header.rules.name,
        "rounds": rounds,
        "fog": header.rules.fog,
        "over": over,
        "winner": winner,
        "begun": begun,
    }


def read_as_json(read: Callable[..., dict[str, Any]], *args: Any) -> bytes:
    """Return the result of a function that reads a folder, as JSON."""
    return encoded(read(*args))


def failed(error: BaseException) -> RequestError | ProcessPoolError:
    """Return the error that the server raises for an error in a task. The error can be pickled."""
    if isinstance(error, InputError):
        body = error_body_of(error)
        return RequestError(body["error"], status_of(error), body["details"], code=body["code"], **body["values"])
    if isinstance(error, MemoryError):
        return RequestError("the request needs more memory than the server allows", 503, code="memory")
    return ProcessPoolError(crash_reason(error))


def _answer(question: tuple[Any, tuple[Any, ...], float]) -> Any:
    """Do the work. If the system supports it, end the process when its computing time exceeds the limit."""
    work, args, seconds = question
    if not hasattr(signal, "setitimer"):
        return work(*args)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # the signal has no handler, so it ends even compiled code
    try:
        return work(*args)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def _limit_memory() -> None:
    """Limit the memory of this process: larger requests raise `MemoryError`, so that other processes have memory."""
    if sys.platform != "linux":  # other systems do not enforce this limit
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def serve(pipe: Connection) -> None:
    """Answer the tasks that arrive in a process of the pool, until the pipe closes."""
    _limit_memory()
    serve_questions(pipe, _answer, failed, 10)
