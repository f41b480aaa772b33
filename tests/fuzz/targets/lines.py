"""Single lines of the text protocol: answers of bots, which are parsed leniently, and messages of game servers."""

from __future__ import annotations

import random
from pathlib import Path

from fuzz import mutate, values
from fuzz.target import Data, Target, expect, refused
from warlight_env.protocol import messages as m
from warlight_env.protocol.answers import parse_answer
from warlight_env.protocol.grammar import ProtocolError, format_answer, format_message, parse_message, quote

ANSWERS = (
    "3 9 14 20 31 40", "9", "No moves", "", "player1 place_armies 3 4, player1 place_armies 9 1",
    "player1 attack/transfer 3 4 5, player1 attack/transfer 9 10 3,", "player2 place_armies 3 4",
    "player1 place_armies 3 -4,,, player1 place_armies +9 1 1,player1 attack/transfer 3 4",
)  # fmt: skip
MESSAGES = (
    "settings your_bot player1", "settings opponent_bot player2", "settings timebank 10000",
    "settings time_per_move 500", "settings max_rounds 105", "setup_map super_regions 1 5 2 2",
    "setup_map regions 1 1 2 1 3 2", "setup_map neighbors 1 2,3 2 3", "setup_map wastelands 3", "setup_map wastelands",
    "settings starting_regions 1 3", "settings starting_pick_amount 3", "pick_starting_regions 2000 3 9",
    "pick_starting_region 10000 3 9", "setup_map opponent_starting_regions 4 8", "settings starting_armies 7",
    "update_map 1 player1 3 2 neutral 2", "opponent_moves",
    "opponent_moves player2 place_armies 5 3 player2 attack/transfer 5 6 4", "go place_armies 10000",
    "go attack/transfer 9500", "something else",
)  # fmt: skip
QUESTIONS: dict[str, m.Question] = {
    "place": m.Go(m.PLACE, 500),
    "attack": m.Go(m.ATTACK, 500),
    "rank": m.PickRegions(500, (1, 2, 3, 9)),
    "pick": m.PickRegion(500, (1, 2, 3, 9)),
}
#: Maximum length of a problem in characters; problems quote only parts of a line.
LONGEST = 2000


class Lines(Target):
    """``(question, line, maximum of orders)`` for a bot's answer, ``("", line, 0)`` for an engine's line."""

    share = 230

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._answers = [line.encode() for line in ANSWERS]
        self._messages = [line.encode() for line in MESSAGES]

    def make(self, rng: random.Random) -> Data:
        is_answer = rng.random() < 0.5
        seeds = self._answers if is_answer else self._messages
        if rng.random() < 0.15:
            words = [rng.choice((*b" ".join(seeds).decode().split(), values.text(rng), str(values.number(rng))))
                     for _ in range(rng.choice((1, 3, 8, 200)))]  # fmt: skip
            line = rng.choice((" ", " ", ",", "\t", "\u00a0")).join(words)
        else:
            line = mutate.damaged(rng.choice(seeds), rng, seeds).decode("utf-8", "replace")
        question = rng.choice(list(QUESTIONS)) if is_answer else ""
        return (question, line, rng.choice((51, 51, 1, 0, 1000)) if is_answer else 0)

    def run(self, data: Data) -> bool:
        question, line, most = data
        return _check_answer(QUESTIONS[question], line, most) if question else _check_message(line)


def _check_answer(question: m.Question, line: str, most: int) -> bool:
    read = parse_answer(question, line, "player1", most)
    expect(all(len(str(p)) < LONGEST and str(p).isprintable() for p in read.problems), "a problem that is too much")
    answer = read.answer
    size = len(answer.regions) if isinstance(answer, m.PicksAnswer) else len(answer.orders)
    expect(size <= max(most, 1), "more orders than count")
    if size:
        again = parse_answer(question, format_answer(answer), "player1", most)
        expect(again.answer == answer, "an answer that is read otherwise when it is written again")
        expect(not again.problems, "problems with an answer of ours")
    return not read.problems


def _check_message(line: str) -> bool:
    try:
        message = parse_message(line)
    except ProtocolError as error:
        return refused(error, quote(line))
    expect(parse_message(format_message(message)) == message, "a message that is read otherwise when written again")
    return True


TARGET = Lines
