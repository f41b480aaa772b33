"""The class `Study`: a tree of variations from any position, on any map and under any rules, as one JSON file."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from warlight_env import bounded_io
from warlight_env.arguments import path_of
from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.rules import MAX_PLAYERS, Rules
from warlight_env.engine.validity import MAX_ROUND
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.output import write_errors, write_file
from warlight_env.record.checks import JsonFields
from warlight_env.record.decode import decode_map, decode_rules
from warlight_env.record.encode import PROGRAM, header_fields
from warlight_env.record.errors import LogError, LogWriteError, StudyError, VariationError
from warlight_env.record.reader import GameLog
from warlight_env.record.replay import game_at
from warlight_env.record.variation_codec import decode_tree, tree_data
from warlight_env.record.variation_play import check_variations, game_from_position
from warlight_env.record.variations import EMPTY, NAME, Variations, check_text

FORMAT: Final = "warlight-study"
VERSION: Final = 1
#: The end of the name of a study's file.
SUFFIX: Final = ".study.json"
#: The maximum number of bytes of a study's file.
STUDY_BYTES: Final = 8 * bounded_io.MIB
_STUDY: Final = "study"


@dataclass(frozen=True)
class Study:
    """A position with a tree of variations. Regions and players are numbered from 0."""

    map: Map
    rules: Rules
    players: tuple[str, ...]  #: the players' names
    owner: tuple[int, ...]  #: the owner of each region: a player, or -1
    army: tuple[int, ...]  #: the armies of each region
    round: int = 0  #: number of rounds played before the position
    title: str = ""
    program: str = PROGRAM
    variations: Variations = EMPTY

    @classmethod
    def of_log(cls, log: GameLog, round: int | None = None, title: str = "") -> Self:
        """Return a study of a position of a game, with the variations that begin in this position.

        round: the number of rounds before the position; None: all rounds in the log.

        Raises:
            LogError, ReplayError: see `game_at`. StudyError: the game is over in this position.
        """
        game = game_at(log, round)
        study = cls(
            log.header.map, log.header.rules, log.names, tuple(game.owner.tolist()), tuple(game.army.tolist()),
            game.round, title, PROGRAM, EMPTY.grafted(log.variations, game.round),
        )  # fmt: skip
        study.check()
        return study

    @functools.cached_property
    def game(self) -> Game:
        """The game in the position of the study. Raise `StudyError` for an impossible position."""
        try:
            return game_from_position(self.map, self.rules, len(self.players), self.owner, self.army, self.round)
        except InputError as error:
            raise StudyError(f"position: {error}") from None

    def position(self, round: int) -> Game:
        """Return the game in the position of the study; raise `StudyError` for another round than the study's."""
        if round != self.round:
            raise StudyError(f"round {round}: the study begins after {self.round} rounds")
        return self.game

    def check(self) -> None:
        """Check the position, and play all variations again.

        Raises:
            StudyError: the position, a turn or a stored result is not possible; the message names it and the reason.
        """
        try:
            check_text("title", self.title, NAME)
            for index, name in enumerate(self.players):
                check_text(f"name of player {index}", name, NAME)
            self.position(self.round)
            check_variations(self.variations, self.position)
        except VariationError as error:
            raise StudyError(str(error)) from None

    def grafted(self, other: Study) -> Study:
        """Return the study with the variations of another study of the same position.

        Raises:
            StudyError: the map, the rules, the number of players or the position differs, or there are too many
                variations.
        """
        require_same_start(other, self.game)
        try:
            return replace(self, variations=self.variations.grafted(other.variations, self.round))
        except VariationError as error:
            raise StudyError(str(error)) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the study as data for JSON."""
        return {
            **header_fields(FORMAT, VERSION, self.program, self.map, self.rules),
            "title": self.title,
            "players": [{"name": name} for name in self.players],
            "position": {"round": self.round, "owner": self.owner, "army": self.army},
            "variations": tree_data(self.variations),
        }

    @classmethod
    def from_dict(cls, data: Any, place: str = "study") -> Self:
        """Return the study that `to_dict` returned, after a check of all values, turns and positions.

        Raises:
            StudyError: the data are not a study; the message begins with `place` and names the value and the reason.
        """
        try:
            study = cls._decode(data, place)
        except LogError as error:
            raise StudyError(str(error)) from None
        try:
            study.check()
        except StudyError as error:
            raise StudyError(f"{place}: {error}") from None
        return study

    @classmethod
    def _decode(cls, data: Any, place: str) -> Self:
        fields = JsonFields.of_format(data, place, FORMAT, "a study")
        fields.check_version(VERSION, "study")
        players = fields.each("players", None, lambda item, item_place: JsonFields(item, item_place).text("name"))
        if not 2 <= len(players) <= MAX_PLAYERS:
            raise StudyError(f"{place}: 'players' must be 2 to {MAX_PLAYERS}, not {len(players)}")
        rules, map_ = decode_rules(fields), decode_map(fields)
        position = JsonFields(fields.object("position"), f"{place}: position")
        return cls(
            map=map_,
            rules=rules,
            players=players,
            owner=position.integers("owner", map_.n_regions, -1, len(players) - 1),
            army=position.integers("army", map_.n_regions, 1, ARMY_CAP),
            round=position.integer("round", 0, MAX_ROUND),
            title=fields.text("title"),
            program=fields.text("program"),
            variations=decode_tree(fields.object("variations"), f"{place}: variations", map_.n_regions, len(players)),
        )

    @classmethod
    def parse(cls, data: bytes, place: str = "study") -> Self:
        """Return the study in the bytes of a file. Raise `StudyError` for more than 8 MiB, and for errors of
        `from_dict`."""
        if len(data) > STUDY_BYTES:
            raise StudyError(f"{place}: more than {bounded_io.format_size(STUDY_BYTES)}, the limit for a study")
        text = bounded_io.decode_text(data, place, StudyError)
        content = bounded_io.parse_json(text, place, StudyError)
        if "\\ud" in text.lower():
            try:
                json.dumps(content, ensure_ascii=False).encode()  # an unpaired surrogate raises an error
            except UnicodeEncodeError:
                raise StudyError(f"{place}: not text: a character is an unpaired surrogate") from None
        return cls.from_dict(content, place)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a study's file.

        Raises:
            StudyError: the file cannot be read or is not a valid study; see `from_dict`.
        """
        path = path_of(path, "path", StudyError)
        return cls.parse(bounded_io.read_bytes(path, STUDY_BYTES, StudyError, _STUDY), bounded_io.shown(path))

    def encoded(self) -> bytes:
        """Return the bytes of the study's file: JSON in UTF-8."""
        return json.dumps(self.to_dict(), separators=(",", ":"), ensure_ascii=False).encode("utf-8") + b"\n"

    def save(self, path: str | Path) -> None:
        """Write the study to a file, in one step.

        Raises:
            StudyError: the name does not end in ``.study.json``. LogWriteError: the file cannot be written.
        """
        path = path_of(path, "path", StudyError)
        if not is_study(path.name):
            raise StudyError(f"{path}: the name of a study must end in {SUFFIX}")
        with write_errors(f"the study {path}", LogWriteError):
            write_file(path, self.encoded())


def is_study(name: str) -> bool:
    """Return whether a file with this name is a study."""
    return name.endswith(SUFFIX) and name != SUFFIX


def require_same_start(study: Study, game: Game) -> None:
    """Raise `StudyError` if a study has another map, position or number of players, or other rules, than a game."""
    if study.map.digest() != game.map.digest():
        raise StudyError(f"map {study.map.name!r}: it differs from the map of the game, {game.map.name!r}")
    if study.rules.to_dict() != game.rules.to_dict():
        raise StudyError(
            f"rules {study.rules.name!r}: these rules differ from the rules of the game, {game.rules.name!r}"
        )
    if len(study.players) != game.players:
        raise StudyError(f"{len(study.players)} players: the game has {game.players}")
    if study.round != game.round:
        raise StudyError(f"round {study.round}: the position of the game is after {game.round} rounds")
    if difference := _first_difference(study.owner, game.owner.tolist()) or _first_difference(
        study.army, game.army.tolist()
    ):
        name = game.map.regions[difference - 1].name
        raise StudyError(f"position: region {name!r} differs from the position of the game after round {game.round}")


def _first_difference(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the number of the first region that differs, from 1; 0: none."""
    return next((index for index, (a, b) in enumerate(zip(first, second, strict=True), 1) if a != b), 0)
