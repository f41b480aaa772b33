"""Writes the log of a game on the server; each line is on disk before viewers receive it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.arena.contests.append_only import append_whole
from warlight_env.output import WRITE, move_output, open_output
from warlight_env.record import Header, LogError, LoggedFailure, Player, Recorder
from warlight_env.record.encode import failure_data
from warlight_env.record.model import RESIGNED
from warlight_env.record.names import PARTIAL, PLAIN
from warlight_env.web.documents.replay_document import tree_document
from warlight_env.web.storage.game_folder import write_private, writing

#: The number of the latest events that are kept as objects. Older events are parsed again from their lines.
KEPT: Final = 8


class SeatState:
    """The data that a `Recorder` needs about a seat: the player's name, and the insight to log with the next turn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.next_insight: dict[str, Any] | None = None

    def insight(self) -> dict[str, Any] | None:
        """Return the insight once, then None; see `Agent.insight`."""
        next_insight, self.next_insight = self.next_insight, None
        return next_insight


class GameLogWriter(Recorder):
    """Writes a game's log to ``NAME.partial.wl.jsonl``, and keeps its lines for the viewers.

    Recorded lines wait until `save`, which writes all of them to the disk or none. A line becomes part of `lines` only
    after it is on the disk. Viewers therefore receive no event that is not on disk, and a full disk only delays the
    game.

    Args:
        path: ``NAME.wl.jsonl``, the name of the finished game.
        players: the states of the seats, by seat.
    """

    def __init__(self, path: Path, players: Sequence[Player]) -> None:
        super().__init__(players, insight=True)
        self.path = path
        self.partial = path.with_name(path.name.removesuffix(PLAIN) + PARTIAL + PLAIN)
        self.seat_states = [SeatState(player.name) for player in players]
        self.lines: list[bytes] = []  #: the lines on disk, header first; bytes, as a long game has 100,000 events
        self.size = 0  #: bytes of the lines
        self._recent_events: dict[int, dict[str, Any]] = {}  # the latest events by number, for the viewers
        self.steps = 0  #: picks and rounds among the lines
        self.complete = False  #: whether the game has ended
        self.variations: bytes | None = None  #: the JSON of the tree of variations, see `save_variations`
        self._unsaved: list[bytes] = []
        self._file: int | None = None
        self._end = 0  # size of the file in bytes, after the last complete write

    def write(self, line: bytes) -> None:
        """See `Recorder`."""
        self._unsaved.append(line)

    def record_event(self, event: dict[str, Any]) -> None:
        """See `Recorder`."""
        super().record_event(event)
        self._recent_events[self.events + len(self._unsaved) - 1] = event
        if len(self._recent_events) > KEPT:
            del self._recent_events[min(self._recent_events)]

    def _insight(self, seat: int, number: int) -> dict[str, Any] | None:
        """See `Recorder`. The server, unlike an agent, may give the reason of a missing answer."""
        return self.seat_states[seat].insight()

    @property
    def has_unsaved(self) -> bool:
        """Whether a recorded line is not on disk yet."""
        return bool(self._unsaved)

    @property
    def events(self) -> int:
        """The number of events on disk."""
        return len(self.lines) - 1

    def event(self, number: int) -> dict[str, Any]:
        """Return event number `number`; older events are parsed from their lines."""
        return self._recent_events.get(number) or _read(self.lines[number + 1])

    def save(self) -> None:
        """Write all waiting lines to the disk, then add them to `lines`.

        Raises:
            DiskError: the write failed; the lines still wait.
        """
        with writing(self.partial):
            if self._file is None:
                self._file, self._end = self._create_file()
            else:
                self._end = append_whole(self._file, self._end, _text(self._unsaved))
        self._publish()

    def _publish(self) -> None:
        self.lines += self._unsaved
        self.size += sum(map(len, self._unsaved))
        self.steps += sum(line.startswith(_STEPS) for line in self._unsaved)
        self._unsaved.clear()

    def _create_file(self) -> tuple[int, int]:
        """Write the file with all lines in one step, and replace an older file. Return the open file and its size."""
        new_path = self.partial.with_name(self.partial.name + ".new")
        file = open_output(new_path, WRITE | os.O_APPEND, 0o600)
        try:
            end = append_whole(file, 0, _text([*self.lines, *self._unsaved]))
            move_output(new_path, self.partial)
        except OSError:
            os.close(file)
            with contextlib.suppress(OSError):
                os.unlink(new_path)
            raise
        return file, end

    def log_resignation(self, seat: int, number: int) -> None:
        """Log that a seat resigned and makes no more moves from that round on."""
        self.record_event(failure_data(LoggedFailure(seat, number, RESIGNED)))

    def finish(self, record_end: Callable[[], None]) -> None:
        """Call `record_event` for the end of the game, and rename the file. `DiskError`: call it again."""
        if not self.complete:
            if not self._unsaved:
                record_end()
            self.save()
            self.complete = True
        with writing(self.path):
            move_output(self.partial, self.path)
        self.close()

    def save_variations(self, tree: bytes) -> None:
        """Write the log of a finished game with another tree of variations. The server does not send the tree to
        viewers.

        tree: a JSON object, the event "variations" without its type.

        Raises:
            LogError: the log would be too large. DiskError: the file cannot be written, and is unchanged.
        """
        data = self.text(tree)
        if len(data) > bounded_io.LOG_BYTES:
            raise LogError(f"the log with its variations has more than {bounded_io.format_size(bounded_io.LOG_BYTES)}")
        write_private(self.path, data)
        self.variations = tree

    @property
    def replay_fields(self) -> dict[str, Any]:
        """The variations for the document of the game's replay; empty if there are none."""
        return {} if self.variations is None else tree_document(json.loads(self.variations))

    def text(self, tree: bytes | None) -> bytes:
        """Return the bytes of the log, with a tree of variations; None: without one."""
        variation_lines = [] if tree is None else [b'{"event":"variations",' + tree[1:]]
        return _text([*self.lines, *variation_lines])

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def load(self, header: Header, lines: Iterable[bytes], complete: bool, *, on_disk: bool = False) -> None:
        """Continue the game of the log `lines`, unless the game is complete. on_disk: the lines are already on disk."""
        self._agents, self.header, self.complete = self.seat_states, header, complete
        self._unsaved = list(lines)
        if on_disk:
            while not complete and self._unsaved[-1].startswith(_INSIGHT):
                self._unsaved.pop()  # the insights of an interrupted round: the bots are asked again
            self._publish()


_STEPS: Final = (b'{"event":"picks"', b'{"event":"round"')
_INSIGHT: Final = b'{"event":"insight"'


def _read(line: bytes) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(line)
    return event


def _text(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
