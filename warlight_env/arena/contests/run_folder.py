"""Run folders. A run writes every finished game to its folder, and continues from there after an interruption."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.arena.contests.append_only import MALFORMED_DATA, AppendOnlyFolder, RunFolderError, whole_lines
from warlight_env.arena.contests.contest_progress import Contest
from warlight_env.arena.games.game_record import GameRecord
from warlight_env.errors import clipped
from warlight_env.folder_lock import FolderLock
from warlight_env.version import __version__

#: The version number of the file format of run folders.
FORMAT: Final = 1
DESCRIPTION: Final = "run.json"
GAMES: Final = "games.jsonl"


class RunFolder(AppendOnlyFolder):
    """The folder of a run. `run.json` describes its contests; `games.jsonl` has one line for every finished game.

    Args:
        folder: the folder or its lock, see `AppendOnlyFolder`.
        contests: the contests of the run.

    Raises:
        RunFolderError, RunError: see `AppendOnlyFolder`.

    Attributes:
        finished: a dict from the key of each contest to its games that the folder contained at the start.
    """

    description_name, lines_name, item = DESCRIPTION, GAMES, "a game"
    sync_seconds = 1.0  # a run can finish many games per second, and fsync is slow

    def __init__(self, folder: Path | FolderLock, contests: Sequence[Contest]) -> None:
        super().__init__(folder, describe_run(contests))
        self.finished: dict[str, list[GameRecord]] = {contest.key: [] for contest in contests}
        self._contests = {contest.key: contest for contest in contests}
        self._numbers: dict[str, set[int]] = {contest.key: set() for contest in contests}

    def setting_name(self, keys: Sequence[str]) -> str:
        """Return the name of the command-line option that sets a field of the run's description, for error messages.

        If the run has several contests, the name includes the contest's key.
        """
        if keys[0] != "contests" or len(keys) < 2:
            return super().setting_name(keys)
        key, *inside = keys[1:]
        if not inside:
            return f"contest {key!r}"
        option = "rounds" if inside[0] == "max_rounds" else inside[0].replace("_", "-")
        name = super().setting_name([option, *inside[1:]])
        return name if self._contests.keys() == {key} else f"{name} of contest {key!r}"

    def append(self, key: str, records: Sequence[GameRecord]) -> None:
        """Append a line for each of several finished games of a contest. key: the key of the contest.

        Raises:
            RunError: the lines cannot be written. The lines of earlier games remain.
        """
        self.append_lines([{"contest": key, **record.to_dict()} for record in records])

    def load_line(self, fields: Any) -> None:
        """Read the line of a game, and add the game to `finished`; see `AppendOnlyFolder.load_line`."""
        key = fields.pop("contest")
        record = GameRecord.from_dict(fields)
        contest = self._contests[key]
        if not 0 <= record.number < contest.n_games:
            raise ValueError(f"the contest has no game {record.number}")
        if (record.unit, record.seats) != contest.setup.seat_order(record.number):
            raise ValueError(
                f"the unit or the seats of game {record.number} differ from those in the setup of the contest"
            )
        _check_result(record)
        if record.number not in self._numbers[key]:
            self._numbers[key].add(record.number)
            self.finished[key].append(record)


def played_games(folder: Path, key: str) -> list[GameRecord]:
    """Read the finished games of a contest from a run folder; return them in the order of their numbers.

    The function also works while a run is writing to the folder.

    Args:
        folder: the run folder.
        key: the key of the contest.

    Raises:
        RunFolderError: the folder does not exist, or it is damaged.
    """
    any_of = b'{"contest": "'  # the beginning of every line; it allows to skip other contests without parsing JSON
    begin = json.dumps({"contest": key})[:-1].encode() + b","
    records: dict[int, GameRecord] = {}
    try:
        with bounded_io.open_file(folder / GAMES) as file:
            for number, line in enumerate(whole_lines(file), 1):
                if line is not None and line.startswith(any_of) and not line.startswith(begin):
                    continue
                contest, record = _read_game(line, f"{folder / GAMES}, line {number}")
                if contest == key:
                    records.setdefault(record.number, record)
    except OSError as error:
        raise RunFolderError(f"cannot read {folder / GAMES}: {error.strerror or error}") from None
    return [record for _, record in sorted(records.items())]


def _read_game(line: bytes | None, place: str) -> tuple[Any, GameRecord]:
    """Return the contest's key and the game in a line. place: the place of the line for error messages."""
    try:
        if line is None:
            raise ValueError("the line is too long")
        fields = bounded_io.decode_line(line)
        contest = fields.pop("contest")
        record = GameRecord.from_dict(fields)
        _check_result(record)
        return contest, record
    except MALFORMED_DATA as error:
        raise RunFolderError(f"{place}: not a game ({clipped(str(error), 300)})") from None


def _check_result(record: GameRecord) -> None:
    """Raise `ValueError` if a game has an impossible value; such a value in the file would falsify statistics."""
    players = range(len(record.seats))
    checks = {
        "winner": record.winner is None or (type(record.winner) is int and record.winner in players),
        "rounds": _counts(record.rounds),
        "placements": len(record.placements) == len(players) and all(p - 1 in players for p in record.placements),
        "cut_off": type(record.cut_off) is bool,
        "dropped": len(record.dropped) == len(players) and _counts(*record.dropped),
        "number": _counts(record.number),
        "seed": type(record.seed) is int,
        "seconds": _numbers(record.seconds),
        "use": len(record.use) in (0, len(players))
        and all(_numbers(*use[:5], 0 if use.simulations is None else use.simulations) for use in record.use),
        "failures": all(
            _counts(f.round)
            and f.agent in players
            and all(isinstance(text, str) for text in (f.kind, f.reason, f.detail))
            for f in record.failures
        ),
        "faults": all(
            _counts(f.total, f.lost, *dict(f.kinds).values()) and f.agent in players and isinstance(f.detail, str)
            for f in record.faults
        ),
        "illegal": len(record.illegal) in (0, len(players)) and all(_counts(*dict(i).values()) for i in record.illegal),
    }
    for name, is_valid in checks.items():
        if not is_valid:
            raise ValueError(f"game {record.number} has {name} = {getattr(record, name)!r:.60}")


def _counts(*values: Any) -> bool:
    """Return whether all arguments are integers from 0 to 2**60 - 1."""
    return all(type(value) is int and 0 <= value < 2**60 for value in values)


def _numbers(*values: Any) -> bool:
    """Return whether all arguments are numbers of at least 0 and less than 10**18."""
    return all(type(value) in (int, float) and 0 <= value < 1e18 for value in values)


def describe_run(contests: Sequence[Contest]) -> dict[str, Any]:
    """Return all settings that determine the games of a run, as JSON data."""
    described = {
        contest.key: {
            **contest.setup.describe(),
            "games": contest.n_games,
            "stop": None if contest.stop is None else contest.stop.describe(),
        }
        for contest in contests
    }
    return {"format": FORMAT, "version": __version__, "contests": described}
