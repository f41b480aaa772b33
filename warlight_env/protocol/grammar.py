"""Functions that convert the message objects of `messages` to lines of the protocol, and a game engine's lines back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

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


class ProtocolError(InputError):
    """A line does not have the form that the protocol requires. The message quotes the line and the required form."""

    def __init__(self, text: str, expected: str) -> None:
        super().__init__(text, expected)
        self.text, self.expected = quote(text), expected

    def __str__(self) -> str:
        return f"{self.text}: expected {self.expected}"


def quote(text: str) -> str:
    """Return a text for an error message: unprintable characters are escaped, and long texts are shortened."""
    shown = text[:QUOTED].encode("unicode_escape").decode("ascii") if not text[:QUOTED].isprintable() else text[:QUOTED]
    return f"'{shown}'" if len(text) <= QUOTED else f"'{shown}…' ({len(text)} characters)"


# From message objects to lines


def format_message(message: Message) -> str:
    """Return a message as a line of the protocol, without the line end."""
    match message:
        case YourBot(name):
            return f"settings your_bot {name}"
        case OpponentBot(name):
            return f"settings opponent_bot {name}"
        case Timebank(ms):
            return f"settings timebank {ms}"
        case TimePerMove(ms):
            return f"settings time_per_move {ms}"
        case MaxRounds(rounds):
            return f"settings max_rounds {rounds}"
        case SuperRegions(pairs):
            return _line("setup_map super_regions", (f"{s} {bonus}" for s, bonus in pairs))
        case Regions(pairs):
            return _line("setup_map regions", (f"{r} {s}" for r, s in pairs))
        case Neighbors(lists):
            return _line("setup_map neighbors", (f"{r} {','.join(map(str, near))}" for r, near in lists))
        case Wastelands(regions):
            return _line("setup_map wastelands", map(str, regions))
        case StartingRegions(regions):
            return _line("settings starting_regions", map(str, regions))
        case StartingPickAmount(amount):
            return f"settings starting_pick_amount {amount}"
        case PickRegions(ms, regions):
            return _line(f"pick_starting_regions {ms}", map(str, regions))
        case PickRegion(ms, regions):
            return _line(f"pick_starting_region {ms}", map(str, regions))
        case OpponentStartingRegions(regions):
            return _line("setup_map opponent_starting_regions", map(str, regions))
        case StartingArmies(armies):
            return f"settings starting_armies {armies}"
        case UpdateMap(regions):
            return _line("update_map", (f"{r} {owner} {army}" for r, owner, army in regions))
        case OpponentMoves(orders):
            return _line("opponent_moves", map(format_order, orders))
        case Go(kind, ms):
            return f"go {kind} {ms}"
        case Other(text):
            return text


def _line(head: str, parts: Iterable[str]) -> str:
    return " ".join([head, *parts])


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


def _number(line: str, word: str, what: str = "a whole number") -> int:
    if not NUMBER.fullmatch(word):
        raise ProtocolError(line, f"{what}, not {quote(word)}")
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


def _pairs(line: str, words: Sequence[str], form: str) -> tuple[tuple[int, int], ...]:
    return tuple((_number(line, a), _number(line, b)) for a, b in _groups(line, words, 2, form))


def _one(line: str, words: Sequence[str], form: str) -> str:
    if len(words) != 1:
        raise ProtocolError(line, form)
    return words[0]


def _read_neighbors(line: str, words: Sequence[str]) -> Neighbors:
    form = "ID ID,ID"
    groups = []
    for region, near in _groups(line, words, 2, form):
        named = [word for word in near.split(",") if word]
        if not named:
            raise ProtocolError(line, f"{form} …")
        groups.append((_number(line, region), _numbers(line, named)))
    return Neighbors(tuple(groups))


def _read_map(line: str, words: Sequence[str]) -> UpdateMap:
    return UpdateMap(
        tuple(
            (_number(line, region), owner, _armies(line, army))
            for region, owner, army in _groups(line, words, 3, "ID OWNER ARMY")
        )
    )


def _read_moves(line: str, words: Sequence[str]) -> OpponentMoves:
    orders: list[PlaceOrder | MoveOrder] = []
    at = 0
    while at < len(words):
        kind = words[at + 1].lower() if at + 1 < len(words) else ""
        width = {PLACE: 4, ATTACK: 5}.get(kind, 0)
        if not width or at + width > len(words):
            raise ProtocolError(
                line, "a list of moves, each NAME place_armies ID ARMIES or NAME attack/transfer FROM TO ARMIES"
            )
        _armies(line, words[at + width - 1])
        orders.append(parse_order(line, words[at], kind, words[at + 2 : at + width]))
        at += width
    return OpponentMoves(tuple(orders))


def parse_order(line: str, name: str, kind: str, words: Sequence[str]) -> PlaceOrder | MoveOrder:
    """Return an order of the player `name`.

    Args:
        kind: the type of the order, `PLACE` or `ATTACK`.
        words: the order's numbers as texts, as many as its type requires.

    Raises:
        ProtocolError: a word is not a number; the error quotes the line.
    """
    return PlaceOrder(name, *_numbers(line, words)) if kind == PLACE else MoveOrder(name, *_numbers(line, words))


def _timed(make: Callable[[int, tuple[int, ...]], Message]) -> Callable[[str, Sequence[str]], Message]:
    def read(line: str, words: Sequence[str]) -> Message:
        if not words:
            raise ProtocolError(line, "a time in ms, then ids")
        return make(_number(line, words[0]), _numbers(line, words[1:]))

    return read


def _go(line: str, words: Sequence[str]) -> Message:
    kind = words[0].lower() if words else ""
    if kind not in (PLACE, ATTACK) or len(words) != 2:
        raise ProtocolError(line, f"go {PLACE} MS or go {ATTACK} MS")
    return Go(PLACE if kind == PLACE else ATTACK, _number(line, words[1]))


_SETTINGS: Final[dict[str, Callable[[str, Sequence[str]], Message]]] = {
    "your_bot": lambda line, words: YourBot(_one(line, words, "settings your_bot NAME")),
    "opponent_bot": lambda line, words: OpponentBot(_one(line, words, "settings opponent_bot NAME")),
    "timebank": lambda line, words: Timebank(_number(line, _one(line, words, "settings timebank MS"))),
    "time_per_move": lambda line, words: TimePerMove(_number(line, _one(line, words, "settings time_per_move MS"))),
    "max_rounds": lambda line, words: MaxRounds(_number(line, _one(line, words, "settings max_rounds ROUNDS"))),
    "starting_regions": lambda line, words: StartingRegions(_numbers(line, words)),
    "starting_pick_amount": lambda line, words: StartingPickAmount(
        _number(line, _one(line, words, "settings starting_pick_amount REGIONS"))
    ),
    "starting_armies": lambda line, words: StartingArmies(
        _armies(line, _one(line, words, "settings starting_armies ARMIES"))
    ),
}
_SETUP: Final[dict[str, Callable[[str, Sequence[str]], Message]]] = {
    "super_regions": lambda line, words: SuperRegions(_pairs(line, words, "ID BONUS")),
    "regions": lambda line, words: Regions(_pairs(line, words, "ID SUPER_REGION")),
    "neighbors": _read_neighbors,
    "wastelands": lambda line, words: Wastelands(_numbers(line, words)),
    "opponent_starting_regions": lambda line, words: OpponentStartingRegions(_numbers(line, words)),
}
_TOP: Final[dict[str, Callable[[str, Sequence[str]], Message]]] = {
    "pick_starting_regions": _timed(PickRegions),
    "pick_starting_region": _timed(PickRegion),
    "update_map": _read_map,
    "opponent_moves": _read_moves,
    "go": _go,
}


def parse_message(line: str) -> Message:
    """Convert a line of a game engine to a message object. Ignore extra white space and the case of words.

    For a line of an unknown type, return `Other`, because game engines may send lines that a bot does not know.

    Raises:
        ProtocolError: the line has a known type, but not the form that the protocol requires.
    """
    words = line.split()
    head = words[0].lower() if words else ""
    second = words[1].lower() if len(words) > 1 else ""
    if head == "settings" and second in _SETTINGS:
        return _SETTINGS[second](line, words[2:])
    if head == "setup_map" and second in _SETUP:
        return _SETUP[second](line, words[2:])
    if head in _TOP:
        return _TOP[head](line, words[1:])
    return Other(line)
