"""The file next to a game's log: seats, tokens, name and settings.

Only the user of the operating system who runs the server can read the file.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io
from warlight_env.arena.contests.append_only import MALFORMED_DATA
from warlight_env.web.access.auth import tokens_equal
from warlight_env.web.documents.fog_filter import SPECTATOR
from warlight_env.web.errors import RequestError
from warlight_env.web.storage.game_folder import write_private

SEATS: Final = ".seats.json"


@dataclass(frozen=True)
class SavedGame:
    """The data of a game that the server saves in addition to the game's log.

    Attributes:
        seats: for each seat, the player's name, the specification of its bot (None for a person), and its token.
        watch: the token with which the server's owner watches a game between bots; None for a game of people.
        pace: the number of seconds between two rounds of a game between bots.
        paused: whether a game between bots is paused.
        name: the name that a user gave to the game; an empty string if the game has no name.
        friends: the seats of invited people.
        spectate: the token with which spectators watch a game of people; None if there are no spectators.
        clock: the time limit of a turn in seconds; None: there is no limit.
        rematch: the id of the next game of the same players; None: there is no rematch yet.
        opened: whether a player has opened the game on the page.
    """

    seats: list[tuple[str, str | None, str]]
    watch: str | None
    pace: float
    paused: bool = False
    name: str = ""
    friends: tuple[int, ...] = ()
    spectate: str | None = None
    clock: int | None = None
    rematch: str | None = None
    opened: bool = False

    @classmethod
    def from_dict(cls, data: Any) -> SavedGame:
        """Convert plain data from `to_dict` to a `SavedGame`; raise one of `MALFORMED_DATA` for invalid data."""
        rows, watch, pace, paused = data["seats"], data["watch"], data["pace"], data.get("paused", False)
        title, friends, clock = data.get("name", ""), tuple(data.get("friends", ())), data.get("clock")
        spectate, rematch = data.get("spectate"), data.get("rematch")
        opened = data.get("opened", False)
        seats = [(name, spec, token) for name, spec, token in rows]
        texts = [text for name, _, token in seats for text in (name, token)] + [title]
        optional_texts = (watch, spectate, rematch, *(spec for _, spec, _ in seats))
        texts += [text for text in optional_texts if text is not None]
        integers = [*friends, *(() if clock is None else (clock,))]
        if (
            not all(isinstance(text, str) for text in texts)
            or not all(type(number) is int and number >= 0 for number in integers)
            or type(paused) is not bool
            or type(opened) is not bool
            or not 0 <= pace < 1e9
        ):
            raise ValueError("not the data of a game")
        return cls(seats, watch, pace, paused, title, friends, spectate, clock, rematch, opened)

    def to_dict(self) -> dict[str, Any]:
        """Return the saved data as plain data for JSON; `from_dict` reads the plain data."""
        return {**asdict(self), "seats": [list(seat) for seat in self.seats]}

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, (_, spec, _) in enumerate(self.seats) if spec is None]

    def token(self, seat: int) -> str | None:
        """Return the token of a seat; for SPECTATOR, the token of spectators. Return None if there is no such token."""
        if seat == SPECTATOR:
            return self.spectate
        return self.seats[seat][2] if seat < len(self.seats) else None

    def accepts_token(self, token: str) -> bool:
        """Return whether the token belongs to the seat of a person, or gives the right to watch a game between bots."""
        tokens = [seat_token for _, spec, seat_token in self.seats if spec is None] + [self.watch or ""]
        return any(tokens_equal(valid_token, token) for valid_token in tokens if valid_token)

    def invites(self, token: str) -> bool:
        """Return whether the token belongs to a guest: to the seat of an invited person, or to a spectator of a game of
        people.
        """
        tokens = [self.seats[seat][2] for seat in self.friends if seat < len(self.seats)] + [self.spectate or ""]
        return any(tokens_equal(valid_token, token) for valid_token in tokens if valid_token)


def read_saved_game(folder: Path, id: str) -> SavedGame | None:
    """Return the saved data of a game in a folder; None if the folder does not contain the game.

    Raises:
        RequestError: the file cannot be read, or is damaged.
    """
    path = folder / f"{id}{SEATS}"
    try:
        return SavedGame.from_dict(bounded_io.decode_line(path.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RequestError(f"{path.name} cannot be read: {error.strerror or 'unknown error'}", 500) from None
    except MALFORMED_DATA:
        raise RequestError(f"{path.name} cannot be read: the file is damaged", 500) from None


def write_saved_game(folder: Path, id: str, saved: SavedGame) -> None:
    """Write the saved data to the disk; after a `DiskError`, the previous file is unchanged."""
    write_private(folder / f"{id}{SEATS}", json.dumps(saved.to_dict()).encode())
