"""Functions that read lines, and convert the message objects of `messages` to lines of the protocol and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.errors import InputError
from warlight_env.protocol.messages import (
    ATTACK,
    PLACE,
    Answer,
    Go,
    MaxRounds,
    Message,
    MoveOrder,
    Neighbors,
    OpponentBot,
    OpponentMoves,
    OpponentStartingRegions,
    Other,
    PickRegion,
    PickRegions,
    PicksAnswer,
    PlaceOrder,
    Regions,
    StartingArmies,
    StartingPickAmount,
    StartingRegions,
    SuperRegions,
    Timebank,
    TimePerMove,
    UpdateMap,
    Wastelands,
    YourBot,
)

NO_MOVES: Final = "No moves"

#: Matches a whole number of at most 18 digits, which fits into 64 bits.
NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
#: The maximum number of characters of a text that an error message quotes.
QUOTED: Final = 200
#: The maximum length of a line, in bytes. It is about a hundred times the length of the longest legal answer in the AI
#: Challenges. The longest line of a game engine, the list of neighbours of the largest map, is shorter than this limit.
MAX_LINE: Final = 1 << 20


class ProtocolError(InputError):
    """A line does not have the form that the protocol requires. The message quotes the line and the required form."""

    def __init__(self, text: str, expected: str) -> None:
        super().__init__(text, expected)
        self.text, self.expected = quote(text), expected

    def __str__(self) -> str:
        return f"{self.text}: expected {self.expected}"


def quote(text: str) -> str:
    """Return a text for an error message: unprintable characters are escaped, and long texts are shortened."""
    escaped = (
        text[:QUOTED].encode("unicode_escape").decode("ascii") if not text[:QUOTED].isprintable() else text[:QUOTED]
    )
    return f"'{escaped}'" if len(text) <= QUOTED else f"'{escaped}…' ({len(text)} characters)"


# From message objects to lines


def format_message(message: Message) -> str:
    """Return a message as a line of the protocol, without the line end."""
    if isinstance(message, Other):
        return message.text
    form = _BY_KIND[type(message)]
    return " ".join([form.head, *form.write(*vars(message).values())])


def format_order(order: PlaceOrder | MoveOrder) -> str:
    """Return an order in the form that answers and ``opponent_moves`` use, for example ``player1 place_armies 3 4``."""
    if isinstance(order, PlaceOrder):
        return f"{order.player} {PLACE} {order.region} {order.armies}"
    return f"{order.player} {ATTACK} {order.source} {order.target} {order.armies}"


def format_answer(answer: Answer) -> str:
    """Return an answer as a line of the protocol, without the line end and without a space at the end."""
    if isinstance(answer, PicksAnswer):
        return " ".join(map(str, answer.regions))
    return ", ".join(map(format_order, answer.orders)) or NO_MOVES


# From lines to message objects


def lines_of(stream: BinaryIO) -> Iterator[str | None]:
    """Yield the lines of a stream as text, with their line ends. For a line over `MAX_LINE` bytes, yield None."""
    while raw := stream.readline(MAX_LINE + 1):
        if len(raw) <= MAX_LINE or raw.endswith(b"\n"):
            yield raw.decode("utf-8", "replace")
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE)
        yield None


def _number(line: str, word: str) -> int:
    if not NUMBER.fullmatch(word):
        raise ProtocolError(line, f"a whole number, not {quote(word)}")
    return int(word)


def _armies(line: str, word: str) -> int:
    """Return the number of armies in a line of a game engine.

    Raise `ProtocolError` unless the number is from 0 to ARMY_CAP.
    """
    number = _number(line, word)
    if not 0 <= number <= ARMY_CAP:
        raise ProtocolError(line, f"0 to {ARMY_CAP} armies, not {quote(word)}")
    return number


def _numbers(line: str, words: Sequence[str]) -> tuple[int, ...]:
    return tuple(_number(line, word) for word in words)


def _groups(line: str, words: Sequence[str], size: int, form: str) -> list[tuple[str, ...]]:
    if len(words) % size:
        raise ProtocolError(line, f"{form} …")
    return [tuple(words[i : i + size]) for i in range(0, len(words), size)]


def _read_neighbors(line: str, words: Sequence[str]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    form = "ID ID,ID"
    groups = []
    for region, neighbors in _groups(line, words, 2, form):
        ids = [word for word in neighbors.split(",") if word]
        if not ids:
            raise ProtocolError(line, f"{form} …")
        groups.append((_number(line, region), _numbers(line, ids)))
    return tuple(groups)


def _read_map(line: str, words: Sequence[str]) -> tuple[tuple[int, str, int], ...]:
    return tuple(
        (_number(line, region), owner, _armies(line, army))
        for region, owner, army in _groups(line, words, 3, "ID OWNER ARMY")
    )


def _read_moves(line: str, words: Sequence[str]) -> tuple[PlaceOrder | MoveOrder, ...]:
    orders: list[PlaceOrder | MoveOrder] = []
    index = 0
    while index < len(words):
        kind = words[index + 1].lower() if index + 1 < len(words) else ""
        width = {PLACE: 4, ATTACK: 5}.get(kind, 0)
        if not width or index + width > len(words):
            raise ProtocolError(
                line, "a list of moves, each NAME place_armies ID ARMIES or NAME attack/transfer FROM TO ARMIES"
            )
        _armies(line, words[index + width - 1])
        orders.append(parse_order(line, words[index], kind, words[index + 2 : index + width]))
        index += width
    return tuple(orders)


def parse_order(line: str, name: str, kind: str, words: Sequence[str]) -> PlaceOrder | MoveOrder:
    """Return an order of the player `name`.

    Args:
        kind: the type of the order, `PLACE` or `ATTACK`.
        words: the order's numbers as texts, as many as its type requires.

    Raises:
        ProtocolError: a word is not a number; the error quotes the line.
    """
    return PlaceOrder(name, *_numbers(line, words)) if kind == PLACE else MoveOrder(name, *_numbers(line, words))


def _read_timed(line: str, words: Sequence[str]) -> tuple[int, tuple[int, ...]]:
    if not words:
        raise ProtocolError(line, "a time in ms, then ids")
    return _number(line, words[0]), _numbers(line, words[1:])


def _read_go(line: str, words: Sequence[str]) -> tuple[str, int]:
    kind = words[0].lower() if words else ""
    if kind not in (PLACE, ATTACK) or len(words) != 2:
        raise ProtocolError(line, f"go {PLACE} MS or go {ATTACK} MS")
    return kind, _number(line, words[1])


@dataclass(frozen=True)
class _Form:
    """The form of the lines with one type of message.

    Attributes:
        kind: the class of the messages.
        head: the first words of a line.
        write: a function that takes the fields of a message, and returns the other words of its line.
        read: a function that takes a line and its words after the head, and returns the fields of the message.
    """

    kind: Callable[..., Message]
    head: str
    write: Callable[..., Iterable[str]]
    read: Callable[[str, Sequence[str]], tuple[Any, ...]]


def _value(
    kind: Callable[[Any], Message], head: str, description: str, read: Callable[[str, str], Any] = _number
) -> _Form:
    """Return the form of messages with one value, which `description` describes in error messages."""

    def read_fields(line: str, words: Sequence[str]) -> tuple[Any]:
        if len(words) != 1:
            raise ProtocolError(line, f"{head} {description}")
        return (read(line, words[0]),)

    return _Form(kind, head, lambda value: (str(value),), read_fields)


def _items(
    kind: Callable[[Any], Message], head: str, read: Callable[[str, Sequence[str]], tuple[Any, ...]],
    write: Callable[[Any], str] = str,
) -> _Form:  # fmt: skip
    """Return the form of messages with one tuple of items. `read` reads all items, and `write` formats one item."""
    return _Form(kind, head, lambda items: map(write, items), lambda line, words: (read(line, words),))


def _pairs(kind: Callable[[Any], Message], head: str, description: str) -> _Form:
    """Return the form of messages with one tuple of pairs of numbers."""

    def read(line: str, words: Sequence[str]) -> tuple[tuple[int, int], ...]:
        return tuple((_number(line, a), _number(line, b)) for a, b in _groups(line, words, 2, description))

    return _items(kind, head, read, lambda pair: f"{pair[0]} {pair[1]}")


_FORMS: Final = (
    _value(YourBot, "settings your_bot", "NAME", lambda line, word: word),
    _value(OpponentBot, "settings opponent_bot", "NAME", lambda line, word: word),
    _value(Timebank, "settings timebank", "MS"),
    _value(TimePerMove, "settings time_per_move", "MS"),
    _value(MaxRounds, "settings max_rounds", "ROUNDS"),
    _items(StartingRegions, "settings starting_regions", _numbers),
    _value(StartingPickAmount, "settings starting_pick_amount", "REGIONS"),
    _value(StartingArmies, "settings starting_armies", "ARMIES", _armies),
    _pairs(SuperRegions, "setup_map super_regions", "ID BONUS"),
    _pairs(Regions, "setup_map regions", "ID SUPER_REGION"),
    _items(Neighbors, "setup_map neighbors", _read_neighbors, lambda row: f"{row[0]} {','.join(map(str, row[1]))}"),
    _items(Wastelands, "setup_map wastelands", _numbers),
    _items(OpponentStartingRegions, "setup_map opponent_starting_regions", _numbers),
    _Form(PickRegions, "pick_starting_regions", lambda ms, regions: map(str, (ms, *regions)), _read_timed),
    _Form(PickRegion, "pick_starting_region", lambda ms, regions: map(str, (ms, *regions)), _read_timed),
    _items(UpdateMap, "update_map", _read_map, lambda row: " ".join(map(str, row))),
    _items(OpponentMoves, "opponent_moves", _read_moves, format_order),
    _Form(Go, "go", lambda kind, ms: (kind, str(ms)), _read_go),
)
_BY_KIND: Final[dict[Any, _Form]] = {form.kind: form for form in _FORMS}
_BY_HEAD: Final = {form.head: form for form in _FORMS}


def parse_message(line: str) -> Message:
    """Convert a line of a game engine to a message object. Ignore extra white space and the case of words.

    For a line of an unknown type, return `Other`, because game engines may send lines that a bot does not know.

    Raises:
        ProtocolError: the line has a known type, but not the form that the protocol requires.
    """
    words = line.split()
    for count in (2, 1):
        form = _BY_HEAD.get(" ".join(words[:count]).lower())
        if form is not None:
            return form.kind(*form.read(line, words[count:]))
    return Other(line)
