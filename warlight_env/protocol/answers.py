"""Functions that read a bot's answers leniently: they use the valid parts of an answer, and list the invalid parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from warlight_env.protocol.grammar import NO_MOVES, NUMBER, ProtocolError, parse_order, quote
from warlight_env.protocol.messages import (
    ATTACK,
    MAX_ORDERS,
    PLACE,
    Answer,
    Go,
    MoveOrder,
    MoveOrders,
    PickRegion,
    PickRegions,
    PicksAnswer,
    PlaceOrder,
    PlaceOrders,
    Question,
)

#: The correct form of each type of answer, for error messages.
PICKS_FORM: Final = "ID ID …: offered ids, the best first"
PICK_FORM: Final = "ID: one of the offered ids"
PLACE_FORM: Final = "NAME place_armies ID ARMIES, …, or No moves"
ATTACK_FORM: Final = "NAME attack/transfer FROM TO ARMIES, …, or No moves"


@dataclass(frozen=True)
class Problem:
    """A part of a bot's answer that was ignored, or that the engines of the AI Challenges would not accept."""

    text: str  #: the part, in quotes
    reason: str
    expected: str

    def __str__(self) -> str:
        return f"{self.text}: {self.reason}; expected {self.expected}"


@dataclass(frozen=True)
class ParsedAnswer:
    """The valid part of a bot's answer, and a list of the answer's invalid parts."""

    answer: Answer
    problems: tuple[Problem, ...] = ()


def expected_answer(question: Question) -> str:
    """Return the correct form of the answer to a question, for error messages."""
    if isinstance(question, Go):
        return PLACE_FORM if question.kind == PLACE else ATTACK_FORM
    return PICKS_FORM if isinstance(question, PickRegions) else PICK_FORM


def parse_answer(question: Question, line: str, name: str, max_orders: int = MAX_ORDERS + 1) -> ParsedAnswer:
    """Read a bot's answer leniently: ignore and list invalid parts, and raise no errors.

    The function does not check whether the rules of the game allow the orders.

    Args:
        question: the question that the bot answers.
        line: the bot's answer.
        name: the bot's name. Orders with a different player name are ignored.
        max_orders: the maximum number of orders. If the answer has more orders, only the first `max_orders` orders are
            used.
    """
    if isinstance(question, Go):
        return _read_orders(question, line, name, max_orders)
    problems: list[Problem] = []
    form = expected_answer(question)
    if isinstance(question, PickRegion) and line != line.strip():
        problems.append(Problem(quote(line), "spaces around the id; an engine of challenge 2 cannot read it", form))
    words = line.replace(",", " ").split()
    regions = [int(word) for word in words[:max_orders] if NUMBER.fullmatch(word)]
    if len(regions) < len(words[:max_orders]):
        problems.append(Problem(quote(line), f"{len(words[:max_orders]) - len(regions)} words are not ids", form))
    if isinstance(question, PickRegion):
        if len(words) > 1:
            problems.append(Problem(quote(line), f"{len(words)} words; only the first counts", form))
        regions = regions[:1]
    if not words:
        problems.append(Problem(quote(line), "an empty answer", form))
    return ParsedAnswer(PicksAnswer(tuple(regions)), tuple(problems))


def _read_orders(question: Go, line: str, name: str, max_orders: int) -> ParsedAnswer:
    form = expected_answer(question)
    problems: list[Problem] = []
    orders: list[PlaceOrder | MoveOrder] = []
    if line.strip().lower() == NO_MOVES.lower():
        if line != NO_MOVES:
            problems.append(
                Problem(quote(line), "not exactly 'No moves'; an engine of challenge 1 cannot read it", form)
            )
    else:
        if not line.strip():
            problems.append(Problem(quote(line), "an empty line, read as 'No moves'", form))
        # Split only up to the limit, because splitting a very long list would take long.
        parts = line.split(",", max_orders)
        excess = parts.pop() if len(parts) > max_orders else ""
        for part in filter(str.strip, parts):
            order = _read_order(question.kind, part, name)
            if isinstance(order, Problem):
                problems.append(order)
            else:
                orders.append(order)
        if excess.strip():
            count = sum(1 for part in excess.split(",") if part.strip())
            problems.append(Problem(quote(excess), f"{count} orders after the first {max_orders} are ignored", form))
    if question.kind == PLACE:
        return ParsedAnswer(PlaceOrders(tuple(o for o in orders if isinstance(o, PlaceOrder))), tuple(problems))
    return ParsedAnswer(MoveOrders(tuple(o for o in orders if isinstance(o, MoveOrder))), tuple(problems))


def _read_order(kind: str, part: str, name: str) -> PlaceOrder | MoveOrder | Problem:
    form = f"{name} {PLACE} ID ARMIES" if kind == PLACE else f"{name} {ATTACK} FROM TO ARMIES"
    words = part.split()
    if len(words) < 2 or words[1].lower() not in (PLACE, ATTACK):
        return Problem(quote(part.strip()), "not an order", form)
    if words[1].lower() != kind:
        return Problem(quote(part.strip()), f"the question was for {kind}", form)
    if words[0] != name:
        return Problem(quote(part.strip()), f"the bot's name is {name}", form)
    if len(words) != (4 if kind == PLACE else 5):
        return Problem(quote(part.strip()), "too few or too many words", form)
    try:
        return parse_order(part, name, kind, words[2:])
    except ProtocolError:
        return Problem(quote(part.strip()), "not a whole number", form)
