"""Plays games on a server in this process, and checks that no message contains information hidden from its seat.

The checker takes the position from the engine, and computes from it what a player sees with the oracle. Every field
that is not in the lists below counts as a leak.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest import mock

import httpx

import oracle
from warlight_env import Game
from warlight_env.agents import Agent
from warlight_env.agents.registry import make_agent
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import PRESETS
from warlight_env.engine.state import UNKNOWN
from warlight_env.protocol.view_transfer import QueriedPosition, WorkerSetup
from warlight_env.web.documents.fog_filter import SPECTATOR
from warlight_env.web.games import feed
from warlight_env.web.games.room import Room
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings
from warlight_env.web.storage.game_log import GameLogWriter
from warlight_env.web.workers.bot_process import BotQuery, Worker

#: The bot for hints. It gives the same answer to the same query.
HINTS: Final = "mcts:sims=20"
#: The fields that a player may receive, by event. "!": the values of the own seat only; "?": checked against the
#: position.
EVENTS: Final = {
    "start": {"owner?", "army?", "offers!", "picks"},
    "picks": {"wishes!", "changed?", "dropped!"},
    "round": {"round", "orders!", "deploys?", "moves?", "dropped!", "changed?"},
    "insight": {"player!", "round", "data"},
    "failure": {"player", "round", "reason"},
    "draw": {"round", "players"},
    "end": {"winner", "rounds", "placements", "cut_off"},
}
NOW: Final = {
    "type", "phase", "round", "awaited", "thinking", "preparing", "failed", "clocks", "paused", "pace",
    "error", "code", "values", "chances", "you", "out", "resigned", "draw", "here", "watching", "clock", "rematch",
}  # fmt: skip
YOU: Final = {"income", "offers", "picks", "in", "alive"}
LOOK: Final = {
    "version", "program", "map", "rules", "limit", "players", "faces", "colours", "continues", "id", "kind", "seat",
    "people", "chances", "awaited", "spectator", "clock", "friends",
}  # fmt: skip


@dataclass
class Truth:
    """The true position of the engine."""

    phase: str
    round: int
    owner: list[int]
    army: list[int]
    offers: list[list[int]]  #: regions that can be picked, by player


@dataclass
class SeatMonitor:
    """Collects all messages to one seat, and checks them against the information that the seat may have."""

    room: Room
    seat: int
    truths: list[Truth]  #: the position at the start and after each step
    secrets: tuple[str, ...]  #: texts that no message may contain
    owner: list[int] = field(default_factory=list)  #: owners according to the messages; `army` likewise
    army: list[int] = field(default_factory=list)
    events: int = 0
    steps: int = 0
    hidden: int = 0  #: number of regions out of sight, summed over all rounds
    hints: int = 0  #: number of hints that were compared with a bot's answer to the seat's view of the position
    late: int = 0  #: number of hints that the server did not compute in time, for example on a busy machine
    texts: list[str] = field(default_factory=list)  #: messages from the socket that are not checked yet

    async def listen(self) -> None:
        """Receive messages from the socket until the room closes."""
        async for text in self.room.feed.follow(self.seat, -1):
            self.texts.append(text)

    def check(self) -> bool:
        """Check the received messages; return whether they include the last step."""
        for text in self.texts:
            self.hear(text)
        self.texts.clear()
        return self.steps == len(self.truths) - 1

    def hear(self, text: str) -> None:
        """Check one message of the socket."""
        message = self.scan(text)
        kind = message.pop("type")
        if kind == "now":
            self.now({"type": kind, **message})
        else:
            assert kind == "event"
            assert message.pop("n") == self.events
            self.events += 1
            self.event(message)

    def scan(self, text: str) -> Any:
        """Parse JSON that must not contain the seed, hashes, or tokens of other seats."""
        for secret in self.secrets:
            assert secret not in text, secret
        return json.loads(text)

    def sight(self, step: int) -> list[bool]:
        """Return for each region whether the seat sees it after `step` steps."""
        truth = self.truths[step]
        if truth.phase == "pick" or not self.room.game.rules.fog:
            return [True] * len(truth.owner)
        return oracle.visible(self.room.game.map.neighbors, truth.owner, self.seat)

    def position(self, step: int) -> tuple[list[int], list[int]]:
        """Return the owners and armies that the seat may know after `step` steps."""
        truth = self.truths[step]
        shown = list(zip(self.sight(step), truth.owner, truth.army, strict=True))
        return [o if seen else UNKNOWN for seen, o, _ in shown], [a if seen else 0 for seen, _, a in shown]

    def event(self, event: dict[str, Any]) -> None:
        """Check an event of the log."""
        kind = event.pop("event")
        allowed = {name.rstrip("?!") for name in EVENTS[kind]}
        assert set(event) <= allowed, (kind, set(event) - allowed)
        for name in ("wishes", "orders", "offers"):
            for player, value in enumerate(event.get(name) or ()):
                assert player == self.seat or not value, (name, player)
        for row in event.get("dropped", ()):
            assert row[0] == self.seat
        if kind == "insight":
            assert event["player"] == self.seat
        if kind == "start":
            self.owner, self.army = event["owner"], event["army"]
        if kind in ("picks", "round"):
            before = self.sight(self.steps)
            self.steps += 1
            seen = [old or new for old, new in zip(before, self.sight(self.steps), strict=True)]
            for player, _, target, *rest in event.get("moves", ()):
                if player == self.seat and rest[1:] and rest[-1]:  # the player held the target at least for a moment
                    for region in (target, *self.room.game.map.neighbors[target]):
                        seen[region] = True
            for player, region, _ in event.get("deploys", ()):
                assert player == self.seat or seen[region]
            for player, source, target, *_ in event.get("moves", ()):
                assert player == self.seat or seen[source] or seen[target]
            for region, owner, army in event["changed"]:
                self.owner[region], self.army[region] = owner, army
        if kind in ("start", "picks", "round"):
            assert (self.owner, self.army) == self.position(self.steps)
            self.hidden += self.owner.count(UNKNOWN) if kind == "round" else 0

    def now(self, state: dict[str, Any]) -> None:
        """Check a state message: it must match a position with the same round and phase."""
        assert set(state) <= NOW, set(state) - NOW
        assert set(state["you"]) <= YOU, set(state["you"]) - YOU
        assert state["chances"] is None
        assert (state["error"], state["code"], state["values"]) == (None, "", {})
        matches = [(state["phase"], state["round"]) == (truth.phase, truth.round) for truth in self.truths]
        steps = [step for step, fits in enumerate(matches) if fits]
        assert state["you"]["offers"] in [self.truths[step].offers[self.seat] for step in steps]
        gone = [[p for p in range(self.room.game.players) if p not in self.truths[step].owner] for step in steps]
        # all players know which players are eliminated
        assert state["out"] in ([[]] if state["phase"] == "pick" else gone)
        if state["you"]["alive"]:
            assert state["you"]["income"] in [self.income(step) for step in steps]

    def income(self, step: int) -> int:
        """Return the seat's income after `step` steps. It depends only on regions that the seat sees."""
        map_, rules = self.room.game.map, oracle.OracleRules(base_income=self.room.game.rules.base_income)
        return oracle.income(map_.super_region_of, map_.bonuses, rules, self.position(step)[0], self.seat)

    def look(self, answer: httpx.Response) -> None:
        """Check the document of a running game."""
        document = self.scan(answer.text)
        assert set(document) <= LOOK, set(document) - LOOK
        assert document["seat"] == self.seat
        assert document["chances"] == []
        assert all(set(player) == {"name", "spec"} for player in document["players"])

    def hint(self, answer: httpx.Response, worker: Worker) -> None:
        """Check a hint: it must equal a bot's answer to a query with only the seat's view of the position."""
        hint = self.scan(answer.text)
        if answer.status_code == 503:
            self.late += 1
            return
        assert answer.status_code == 200, answer.text
        self.hints += 1
        game = self.room.game
        owner, army = self.position(len(self.truths) - 1)
        income = self.income(len(self.truths) - 1)
        position = QueriedPosition(self.seat, "play", game.round, owner, army, income, (), 0)
        setup = WorkerSetup.for_game(game.map, game.rules, game.players)
        seed = derive_seed(game.seed, 99, game.round)
        mine = worker.answer(BotQuery(setup, position, HINTS, seed, win_probabilities=True))
        assert mine.error is None
        assert (hint["player"], hint["chances"]) == (self.seat, mine.win_probabilities)
        assert hint["orders"] == mine.orders.to_dict()
        assert set(hint) == {"player", "round", "orders", "data", "chances", "seconds"}
        without = [{**data, "seconds": 0} for data in (hint["data"], json.loads(json.dumps(mine.insight)))]
        assert without[0] == without[1]


class Spectating(SeatMonitor):
    """Checks the messages to a spectator: information for all players, and in fog no positions after the picks."""

    def sight(self, step: int) -> list[bool]:
        """See `SeatMonitor`."""
        truth = self.truths[step]
        return [truth.phase == "pick" or not self.room.game.rules.fog] * len(truth.owner)

    def now(self, state: dict[str, Any]) -> None:
        """See `SeatMonitor`."""
        assert set(state) <= NOW - {"you"}, set(state) - NOW
        assert state["chances"] is None and state["error"] is None and state["rematch"] is None

    def look(self, answer: httpx.Response) -> None:
        """See `SeatMonitor`."""
        document = self.scan(answer.text)
        assert set(document) <= LOOK, set(document) - LOOK
        assert (document["seat"], document["spectator"], document["chances"]) == (None, True, [])


class Checker:
    """Plays games between people on a server and checks every message.

    The attribute `seat_rounds` is the number of checked rounds, summed over the seats.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng, self.kind_rng = random.Random(seed), random.Random(f"{seed}/kinds")
        self.app = create_app(
            ServerSettings(folder, bots=(HINTS, "aggressive", "random"), rate=1e9, workers=1, max_rooms=8)
        )
        transport = httpx.ASGITransport(self.app)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/", timeout=60)
        self.worker = Worker()
        self.seat_rounds = self.hidden = self.hints = self.late = self.watched = 0
        self.kinds: set[tuple[Any, ...]] = set()
        self.truths: dict[GameLogWriter, list[Truth]] = {}
        self._patches = [
            mock.patch.object(GameLogWriter, name, self._noting(name)) for name in ("began", "picked", "played")
        ]
        for patch in self._patches:
            patch.start()

    def _noting(self, name: str) -> Callable[..., None]:
        """Return a wrapper of a log method that also stores the position.

        A game between bots may leave a position soon, so it is stored at once.
        """
        plain = getattr(GameLogWriter, name)

        def noting(log: GameLogWriter, *arguments: Any) -> None:
            game = arguments[0] if name == "began" else arguments[-1]
            self.truths.setdefault(log, []).append(_truth(game))
            plain(log, *arguments)

        return noting

    async def close(self) -> None:
        """Remove the patches and close the server."""
        for patch in self._patches:
            patch.stop()
        await self.client.aclose()
        await self.app.state.lobby.close()

    async def run(self, seat_rounds: int) -> None:
        """Play games with different settings until `seat_rounds` rounds are checked, summed over the seats."""
        feed.MESSAGE_SECONDS = feed.STATE_SECONDS = 0.0  # type: ignore[misc]
        for number, kind in enumerate(self.choices()):
            if self.seat_rounds >= seat_rounds:
                return
            await self.game(number, *kind)

    def choices(self) -> Iterator[tuple[str, str, int, str, bool]]:
        """Yield rules, map, players, picks and fog: all presets on all maps, with random numbers of players."""
        yield "challenge2", "small", 2, "choose", True  # fewer picks than in the rules, because the map is too small
        while True:
            for map_ in ("small", "world", "generated", "large"):
                for rules in PRESETS:
                    players = self.kind_rng.choice((2, 2, 3, 4, 5, 6))
                    # also without fog, orders are secret until all players have committed
                    fog = self.kind_rng.random() < 0.9
                    yield rules, map_, players, self.kind_rng.choice(("choose", "choose", "random")), fog

    async def game(self, number: int, rules: str, map_: str, players: int, picks: str, fog: bool) -> None:
        """Create a game and play it for a number of rounds that depends on `number`."""
        people: list[dict[str, str]] = [{"name": f"P{p}"} for p in range(players)]
        if number % 5 == 3:
            people[-1] = {"bot": "random"}
        if number % 3 == 2:
            people[1:] = [{**person, "friend": "bot" not in person} for person in people[1:]]
        body = {"players": people, "map": map_, "rules": rules, "fog": fog, "picks": picks}
        regions = self.kind_rng.randrange(12, 30)
        made = await self.client.post("games", json={**body, "regions": regions})
        if made.status_code == 422 and "can offer each player only" in made.text:
            return
        assert made.status_code == 200, made.text
        game = made.json()
        game["tokens"].update(game["invites"])
        room = (await self.app.state.lobby.find(game["id"], game["tokens"]["0"])).room
        self.kinds.add((rules, map_, players, picks))
        await self.play(room, game, rounds=8 + number % 25)

    async def play(self, room: Room, made: dict[str, Any], rounds: int) -> None:
        """Play a game and check all messages."""
        truths = self.truths[room.log]
        seats = []
        for seat in room.humans:
            others = [token for other, token in made["tokens"].items() if other != str(seat)]
            secrets = (str(room.game.seed), '"hash"', *others)
            seats.append(SeatMonitor(room, seat, truths, secrets))
        secrets = (str(room.game.seed), '"hash"', *made["tokens"].values())
        seats.append(Spectating(room, SPECTATOR, truths, secrets))
        listeners = [asyncio.create_task(seat.listen()) for seat in seats]
        agents = {seat: make_agent("smart_random", self.rng.randrange(2**31)) for seat in room.humans}
        try:
            while not room.over and room.game.round < rounds:
                if self.rng.random() < 0.1:
                    await self.ask(room, made, seats)
                turns = sum(len(truths) == 1 or truths[-1].phase == "play" for _ in room.humans)
                await self.step(room, made, agents)
                await self.heard(seats)
                self.seat_rounds += turns if truths[-1].phase != "pick" else 0
            if not room.over:
                await self.ask(room, made, seats)
        finally:
            for listener in listeners:
                listener.cancel()
            await asyncio.gather(*listeners, return_exceptions=True)
        self.hidden += sum(seat.hidden for seat in seats)
        self.hints += sum(seat.hints for seat in seats)
        self.late += sum(seat.late for seat in seats)
        self.watched += sum(seat.steps for seat in seats if isinstance(seat, Spectating))

    async def step(self, room: Room, made: dict[str, Any], agents: dict[int, Agent]) -> None:
        """Commit a turn for each person that the server waits for."""
        before, game = room.log.steps, room.game
        for seat in room.awaited:
            if room.seats[seat].spec is not None:
                continue
            headers = {"authorization": f"Bearer {made['tokens'][str(seat)]}"}
            view = room.game.view(seat)
            if room.game.phase == "pick":
                preferences = [int(r) for r in agents[seat].pick(view)]
                place, body = "picks", {"wishes": preferences}
            else:
                deploys, attacks = (rows.tolist() for rows in agents[seat].act(view).arrays())
                orders = {"round": room.game.round + 1, "deploys": deploys, "attacks": attacks}
                place, body = "orders", {**orders, "hint": self.rng.choice(("off", "coach", "full"))}
            answer = await self.client.post(f"games/{room.id}/{place}", json=body, headers=headers)
            assert answer.status_code == 200, answer.text
            assert set(answer.json()) == {"ok", "awaited"}
        async with asyncio.timeout(60):
            while room.log.steps == before:
                await asyncio.sleep(0 if game.players == len(room.humans) else 0.002)

    async def heard(self, seats: list[SeatMonitor]) -> None:
        """Check the messages of all seats until all have received the last step."""
        async with asyncio.timeout(60):
            while sum(seat.check() for seat in seats) < len(seats):
                await asyncio.sleep(0)

    async def ask(self, room: Room, made: dict[str, Any], seats: list[SeatMonitor]) -> None:
        """Send each request that a seat can send over HTTP, and check the answers."""
        url = f"games/{room.id}"
        together = room.kind == "together"
        for seat in seats:
            if isinstance(seat, Spectating):
                await self.ask_as_spectator(room, made, seat)
                continue
            headers = {"authorization": f"Bearer {made['tokens'][str(seat.seat)]}"}
            seat.look(await self.client.get(url, headers=headers))
            for path, body, statuses in (
                ("replay", None, {409}),
                ("branch", {"round": 0, "players": [{"name": "x"}] * room.game.players}, {409}),
                ("insight", {"bot": HINTS, "seat": (seat.seat + 1) % room.game.players}, {422}),
                ("insight", {"bot": HINTS, "round": room.game.round + 1}, {422}),
                ("analysis", {"bot": HINTS}, {409}),
                ("variations", {"round": 0, "seat": seat.seat, "reply": "known"}, {409}),
                ("orders", {"round": 1, "deploys": [[r, 1] for r in range(10)], "attacks": [[0, 1, 1]]}, {409, 422}),
                ("orders", {"round": room.game.round + 1, "deploys": [[0, 999]], "attacks": [[0, 9, 1]]}, {409, 422}),
                ("picks", {"wishes": [999]}, {409, 422}),
                ("control", {"paused": True}, {409}),
                ("nothing", None, {404}),
            ):
                method = "GET" if body is None else "POST"
                answer = await self.client.request(method, f"{url}/{path}", json=body, headers=headers)
                assert answer.status_code in statuses, (path, body, answer.text)
                if answer.status_code != 200:
                    assert set(seat.scan(answer.text)) <= {"error", "details", "code", "values"}
                    assert (
                        "seat" not in answer.text
                        or "seat: Extra inputs are not permitted" in answer.text
                        or "does not give access" in answer.text
                        or "the turn of this seat" in answer.text
                    )
            if room.game.phase == "play" and room.game.alive(seat.seat) and self.rng.random() < 0.2 and not together:
                seat.hint(await self.client.post(f"{url}/insight", json={"bot": HINTS}, headers=headers), self.worker)
        home = (await self.client.get("home")).text + (await self.client.get("library")).text
        assert str(room.game.seed) not in home
        assert all(token not in home for token in made["tokens"].values())
        with_other = {"authorization": f"Bearer {made['tokens'][str(seats[0].seat)]}x"}
        assert (await self.client.get(url, headers=with_other)).status_code == 404

    async def ask_as_spectator(self, room: Room, made: dict[str, Any], seat: Spectating) -> None:
        """Send each request as a spectator: all actions must be rejected, and errors must contain no game data."""
        url, headers = f"games/{room.id}", {"authorization": f"Bearer {made['spectate']}"}
        seat.look(await self.client.get(url, headers=headers))
        turn = {"round": room.game.round + 1, "deploys": [], "attacks": []}
        for path, body, statuses in (
            ("replay", None, {409}), ("log", None, {409}), ("file", None, {409}), ("analysis", {"bot": HINTS}, {409}),
            ("branch", {"round": 0, "players": [{"name": "x"}] * room.game.players}, {409}), ("rematch", {}, {409}),
            ("insight", {"bot": HINTS}, {403}), ("insight", {"bot": HINTS, "seat": 0}, {422}), ("orders", turn, {403}),
            ("picks", {"wishes": [0]}, {403}), ("take-back", {}, {403}), ("resign", {}, {403}),
            ("draw", {"agree": True}, {403}), ("control", {"paused": True}, {409}), ("name", {"name": "x"}, {404}),
            ("delete", {}, {404}),
        ):  # fmt: skip
            answer = await self.client.request(
                "GET" if body is None else "POST", f"{url}/{path}", json=body, headers=headers
            )
            assert answer.status_code in statuses, (path, body, answer.text)
            assert set(seat.scan(answer.text)) <= {"error", "details", "code", "values"}


def _truth(game: Game) -> Truth:
    offers = [list(game.offers(p)) for p in range(game.players)]
    return Truth(game.phase, game.round, game.owner.tolist(), game.army.tolist(), offers)
