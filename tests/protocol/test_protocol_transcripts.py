"""Whole games for both seats: each line is compared with the messages of the competitions' engines."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from protocol_helpers import MISBEHAVING
from transcript_helpers import NAMES, Transcript
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import ask_orders, pick_regions
from warlight_env.envs import WarlightEnv
from warlight_env.envs.opponents import AgentOpponent
from warlight_env.game import Game
from warlight_env.protocol import messages as m
from warlight_env.protocol.answers import parse_answer
from warlight_env.protocol.bot_side import BotSide
from warlight_env.protocol.clock import BotClock
from warlight_env.protocol.external_agent import ExternalBot
from warlight_env.protocol.grammar import format_answer, parse_message

ANSWERING = Path(__file__).parents[1] / "bots" / "scripted_bot.py"


def host_game(transcript: Transcript, folder: Path) -> list[tuple[int, str]]:
    """Return all lines of a recorded game that our host plays with the recorded bots, in order, each with its seat."""
    lines: list[tuple[int, str]] = []
    bots: list[ExternalBot] = []
    for seat in range(2):
        answers = folder / f"{seat}.txt"
        answers.write_text("".join(line + "\n" for line in transcript.answers(seat)))
        command = shlex.join([sys.executable, "-I", "-S", str(ANSWERING), str(answers)])
        options = "[bank=30]" if transcript.challenge == 1 else ""  # in challenge 2 the messages contain the bank
        bot = make_agent(f"cmd{options}:{command}", seat)
        assert isinstance(bot, ExternalBot)
        bot.on_line = lambda direction, line, seat=seat: lines.append((seat, f"{direction} {line}"))  # type: ignore[misc]
        bots.append(bot)
    game = transcript.game()
    pick_regions(game, bots)
    for number in range(len(transcript.dice)):
        orders = ask_orders(game, bots)
        game.play_round(orders, on_illegal="skip", script=transcript.script(number))
    for bot in bots:
        bot.close()
    assert game.done, "the recorded game was over by now"
    return [(seat, re.sub(r"^(> (?:go \S+|pick_starting_regions?)) \d+", r"\1 MS", line)) for seat, line in lines]


def normalized(line: str) -> str:
    """Sort borders, offers and foreign regions in a line: challenge 1's engine wrote them in an order of its own."""
    head, words = line.split(" ")[:3], line.split(" ")[3:]
    if line.startswith("> setup_map neighbors"):
        borders = (f"{a}-{b}" for a, near in zip(words[::2], words[1::2], strict=True) for b in near.split(","))
        return " ".join([*head, *sorted(borders)])
    if line.startswith("> pick_starting_regions"):
        return " ".join([*head, *sorted(words)])
    if line.startswith("> update_map"):
        rows = [" ".join(row) for row in zip(*[iter(line.split(" ")[2:])] * 3, strict=True)]
        own = {row.split()[1] for row in rows[:1]}
        return " ".join([*(row for row in rows if row.split()[1] in own), *sorted(rows)])
    return line


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_receives_the_messages_of_the_competitions(name, tmp_path):
    transcript = Transcript.load(name)
    lines = host_game(transcript, tmp_path)
    for seat in range(2):
        ours = [line for seat_of_line, line in lines if seat_of_line == seat]
        theirs = transcript.lines[seat]
        if transcript.challenge == 1:
            ours, theirs = list(map(normalized, ours)), list(map(normalized, theirs))
        assert ours == theirs


@pytest.mark.parametrize("name, order", [("challenge2-world", "ABBAAB"), ("challenge2-small", "ABBA")])
def test_the_order_of_picks_and_the_messages_about_them(name, order, tmp_path):
    """Check the order of the seats, the regions left for each pick, and the messages to both bots about the picks."""
    transcript = Transcript.load(name)
    lines = host_game(transcript, tmp_path)
    offered = transcript.regions("settings starting_regions")
    got: list[list[int]] = [[], []]
    left, asked = list(offered), ""
    questions = [(seat, line) for seat, line in lines if line.startswith("> pick_starting_region")]
    for seat, line in questions:
        asked += "AB"[seat]
        assert [int(word) - 1 for word in line.split()[3:]] == left
        pick = int(transcript.answers(seat)[len(got[seat])]) - 1
        got[seat].append(pick)
        left.remove(pick)
    assert asked == order
    for seat in range(2):
        words_of_seat = [line.split() for seat_of_line, line in lines if seat_of_line == seat]
        all_ = next(words for words in words_of_seat if words[1:3] == ["settings", "starting_regions"])
        assert [int(word) - 1 for word in all_[3:]] == offered, "those that the other has picked by then as well"
        assert ["settings", "starting_pick_amount", str(len(order) // 2)] in [words[1:] for words in words_of_seat]
        others = next(words for words in words_of_seat if words[1:3] == ["setup_map", "opponent_starting_regions"])
        assert [int(word) - 1 for word in others[3:]] == got[1 - seat], "in the order in which they were picked"
        at = words_of_seat.index(others)
        assert [words[1:3] for words in words_of_seat[at + 1 : at + 5]] == [
            ["settings", "starting_armies"],
            ["update_map", words_of_seat[at + 2][2]],
            ["opponent_moves"],
            ["go", "place_armies"],
        ]


def test_an_empty_line_of_wastelands_is_sent():
    from warlight_env.engine.rules import Rules
    from warlight_env.protocol.engine_messages import opening_messages
    from warlight_env.protocol.grammar import format_message

    view = Game("world", Rules.of("challenge2", wastelands=0)).view(1)
    assert "setup_map wastelands" in [
        format_message(message) for message in opening_messages(view, 2, BotClock.for_challenge(2))
    ]


def test_views_contain_the_picks_in_order_after_clone_and_undo():
    game = Game("world", "challenge2", seed=8)
    got: list[list[int]] = [[], []]
    while game.phase == "pick":
        (seat,) = game.pickers()
        got[seat].append(game.offers(seat)[-1])
        game.pick({seat: got[seat][-1:]})
        game = game.clone()
    assert game.view(0).starts == tuple(map(tuple, got))
    game.undo()
    assert game.view(0).starts is None
    (seat,) = game.pickers()
    got[seat][-1] = game.offers(seat)[0]
    game.pick({seat: got[seat][-1:]})
    assert game.view(1).starts == tuple(map(tuple, got))


def test_a_bot_in_an_environment_receives_the_starting_regions():
    """Environments may deal regions; under rules with public picks the bot receives them all the same."""
    lines: list[str] = []

    def opponent(seed: int) -> ExternalBot:
        command = shlex.join([sys.executable, "-I", "-S", str(MISBEHAVING), "honest"])
        bot = make_agent(f"cmd[bank=30]:{command}", seed)
        assert isinstance(bot, ExternalBot)
        bot.on_line = lambda direction, line: lines.append(line) if direction == ">" else None
        return bot

    env = WarlightEnv(map="world", rules="challenge2", opponent=AgentOpponent(opponent), seat=0, action="factored")
    env.reset(seed=3)
    env.step(np.zeros(env.action_space.shape, dtype=np.int64))
    env.close()
    messages = {" ".join(line.split()[:2]): line.split()[2:] for line in reversed(lines)}
    assert len(messages["setup_map opponent_starting_regions"]) == 3
    assert len(messages["settings starting_regions"]) == 6 and messages["settings starting_pick_amount"] == ["3"]


@pytest.mark.parametrize("agent", ["aggressive", "random"])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_our_bot_side_understands_the_engines_of_the_competitions(name, seat, agent):
    """Every recorded line is parsed, and every answer is well-formed and names only regions of the bot."""
    transcript = Transcript.load(name)
    side = BotSide(lambda: make_agent(agent, 1))
    own: set[int] = set()
    picked = iter(transcript.answers(seat))
    for text in transcript.told(seat):
        message = parse_message(text.replace("MS", "10000"))
        assert not isinstance(message, m.Other), text
        if isinstance(message, m.UpdateMap):
            own = {region for region, by, _ in message.regions if by == f"player{seat + 1}"}
        if not isinstance(message, m.Question):
            side.receive(message)
            continue
        answer = side.answer(message)
        read = parse_answer(message, format_answer(answer), f"player{seat + 1}")
        assert read.problems == () and read.answer == answer
        match answer:
            case m.PicksAnswer(regions):
                assert set(regions) <= set(message.regions)  # type: ignore[union-attr]
                # The recorded game goes on as if the recorded pick had been ours.
                side.confirm_picks(m.PicksAnswer(tuple(map(int, next(picked).split()))))
            case m.PlaceOrders(orders):
                assert {order.region for order in orders} <= own
            case m.MoveOrders(orders):
                assert {order.source for order in orders} <= own


def test_our_bot_side_accepts_the_position_after_the_end_of_a_game():
    """The engines sent a position after the last round: the loser got an empty ``update_map`` and no question."""
    transcript = Transcript.load("challenge2-small")
    side = BotSide(lambda: make_agent("random", 1))
    for text in [*transcript.told(0), "settings starting_armies 5", "update_map", "opponent_moves"]:
        message = parse_message(text.replace("MS", "10000"))
        assert not isinstance(message, m.Other)
        if isinstance(message, m.Question):
            side.answer(message)
        else:
            side.receive(message)
