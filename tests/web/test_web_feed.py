"""Events for viewers during a game: they come from the game's steps and equal the events from its log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from warlight_env import Game, Orders, Rules
from warlight_env.agents import make_agent
from warlight_env.arena.games.game_loop import ask_orders
from warlight_env.record import GameLog, Player
from warlight_env.record.encode import log_lines
from warlight_env.web.documents.fog_filter import FogFilter
from warlight_env.web.documents.replay_document import events_of
from warlight_env.web.games.feed import Feed
from warlight_env.web.storage import game_log as books
from warlight_env.web.storage.game_log import GameLogWriter

LOGS = sorted(Path(__file__).parents[1].joinpath("logs").iterdir())
ROUNDS = 12
SEATS = (None, 0, 1)


class FakeRoom:
    """A game between bots that is played step by step, with the attributes of a room that a `Feed` uses."""

    def __init__(self, path: Path) -> None:
        self.game = Game("small", Rules.of("thesis", fog=True), 2, 5)
        self.bots = [make_agent("smart_random", 1), make_agent("aggressive", 2)]
        self.log = GameLogWriter(path, [Player("one"), Player("two")])
        self.log.began(self.game, self.log.seat_states, 500)
        self.log.save()
        self.feed = Feed(self)

    def live_state(self, seat):
        return {"type": "now"}

    def viewers_changed(self, seat): ...

    def play(self) -> None:
        """Play the next step, with search statistics, and with orders in unusual types."""
        if self.game.phase == "pick":
            preferences = {p: self.bots[p].pick(self.game.view(p)) for p in self.game.pickers()}
            self.log.picked(preferences, self.game.pick(preferences, on_illegal="skip"), self.game)
        else:
            self.log.seat_states[0].next_insight = {"round": self.game.round}
            orders = dict(ask_orders(self.game, self.bots))
            if self.game.round % 3 == 1:
                deploys, attacks = orders[0].arrays()
                orders[0] = Orders(list(deploys), [tuple(row) for row in attacks])
            if self.game.round % 3 == 2:
                orders[0] = Orders([*orders[0].deploys, (np.int64(0), True)], orders[0].attacks)
            self.log.played(orders, self.game.play_round(orders, on_illegal="skip"), self.game)
        self.log.save()
        self.feed.notify()


async def first_events(feed: Feed, seat: int | None, count: int) -> list[dict]:
    """Return the first `count` events that a viewer receives."""
    events = []
    async for text in feed.follow(seat, -1):
        message = json.loads(text)
        if message.pop("type") == "event":
            assert message.pop("n") == len(events)
            events.append(message)
        if len(events) == count:
            break
    return events


def expected_events(log: GameLog, seat: int | None) -> list[dict]:
    return json.loads(json.dumps(list(events_of(log, seat))))


def test_live_viewers_receive_the_steps_and_no_step_is_parsed_again(tmp_path, monkeypatch):
    lines = []

    def read_line(line: bytes):
        lines.append(line)
        return json.loads(line)

    monkeypatch.setattr(books, "_read", read_line)

    async def run() -> None:
        room = FakeRoom(tmp_path / "game.wl.jsonl")
        steps = 2 + ROUNDS  # including the start and the picks
        counts = {None: steps + ROUNDS, 0: steps + ROUNDS, 1: steps}  # player 1 gets no statistics of player 0
        viewers = [asyncio.create_task(first_events(room.feed, seat, counts[seat])) for seat in SEATS]
        for _ in range(1 + ROUNDS):
            await asyncio.sleep(0.01)
            room.play()
        events = dict(zip(SEATS, await asyncio.gather(*viewers), strict=True))
        assert lines and all(line.startswith(b'{"event":"insight"') for line in lines)  # not from the game loop
        log = GameLog.load(room.log.partial)
        assert len(log.rounds) == ROUNDS
        assert events == {seat: expected_events(log, seat) for seat in SEATS}
        room.log.close()

    asyncio.run(run())


def test_late_viewers_receive_the_same_events(tmp_path, monkeypatch):
    monkeypatch.setattr(books, "KEPT", 4)

    async def run() -> None:
        room = FakeRoom(tmp_path / "game.wl.jsonl")
        for _ in range(1 + ROUNDS):
            room.play()
        log = GameLog.load(room.log.partial)
        for seat in SEATS:
            expected = expected_events(log, seat)
            assert await first_events(room.feed, seat, len(expected)) == expected
        room.log.close()

    asyncio.run(run())


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_replay_events_equal_the_filtered_lines_of_the_log(path):
    log = GameLog.load(path)
    lines = [json.loads(line) for line in log_lines(log)][1:]
    for seat in (None, *range(len(log.header.players))):
        filter_ = FogFilter(log.header.map, log.header.rules, len(log.header.players), seat)
        expected = [event for event in map(filter_.filter, lines) if event is not None]
        assert expected_events(log, seat) == expected
