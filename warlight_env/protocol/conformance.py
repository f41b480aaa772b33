"""Tests that check whether a bot follows the protocol, in games and in difficult situations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from warlight_env.agents import Agent, make_agent
from warlight_env.arena.games.game_loop import pick_regions, play_rounds, round_limit
from warlight_env.beliefs.order_observer import NO_OPPONENT_ORDERS
from warlight_env.engine.view import View
from warlight_env.game import Game
from warlight_env.protocol import messages as m
from warlight_env.protocol.answers import expected_answer, parse_answer
from warlight_env.protocol.clock import BotClock
from warlight_env.protocol.engine_messages import NAMES, opening_messages, pick_question, region_ids, round_messages
from warlight_env.protocol.external_agent import ExternalBot, ExternalBotOptions
from warlight_env.protocol.grammar import format_message, quote
from warlight_env.protocol.process import BotProcess

#: The maximum time in seconds for a bot to end after its input is closed.
END_TIME: Final = 2.0
#: The time bank in milliseconds in the test of a bot that has little time left.
SHORT: Final = 300


class NonconformanceError(Exception):
    """A bot violates the protocol or the rules. The message describes the violation."""


@dataclass(frozen=True)
class CaseOutcome:
    """The result of one test of a bot."""

    challenge: m.Challenge
    case: str
    about: str  #: a description of the test
    failure: str | None  #: the explanation of the failure; None if the bot passed the test

    def to_dict(self) -> dict[str, Any]:
        """Return the result as data for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Case:
    """A test of a bot, and the versions of the protocol for which the test exists."""

    name: str
    about: str
    run: Callable[[Sequence[str], m.Challenge], None]
    challenges: tuple[m.Challenge, ...] = (1, 2)


def check(command: Sequence[str], challenges: Iterable[m.Challenge] = (1, 2)) -> Iterable[CaseOutcome]:
    """Run all tests of a bot for the protocol versions in `challenges`, one after the other. Yield the results.

    Raises:
        CommandError: the command cannot be started.
    """
    command = [word.replace("{seed}", "0") for word in command]  # `ExternalBot` does the same replacement
    for challenge in challenges:
        for case in CASES:
            if challenge not in case.challenges:
                continue
            failure = None
            try:
                case.run(command, challenge)
            except NonconformanceError as error:
                failure = str(error)
            yield CaseOutcome(challenge, case.name, case.about, failure)


# Games


def _play(command: Sequence[str], challenge: m.Challenge, seat: int, map_: str = "world", rounds: int = 500) -> None:
    """Play a game against an attacking agent. The test fails at the first missing, malformed or illegal answer."""
    bot = ExternalBot(command, 0, ExternalBotOptions(challenge=challenge, policy="skip"))
    agents: list[Agent] = [make_agent("aggressive", 1), make_agent("aggressive", 1)]
    agents[seat] = bot
    game = Game(map_, f"challenge{challenge}", seed=7 + seat)
    try:
        illegal = [i for i in pick_regions(game, agents) if i.player == seat]
        _check_faults(bot, illegal, 0)
        limit = min(rounds, round_limit(game.rules, game.map.n_regions, None))
        for _, result in play_rounds(game, agents, limit):
            _check_faults(bot, [i for i in result.dropped if i.player == seat], result.round)
    finally:
        bot.close()


def _check_faults(bot: ExternalBot, illegal: Sequence[Any], round: int) -> None:
    if bot.faults:
        raise NonconformanceError(str(bot.faults[0]))
    for order in illegal:
        ids = " ".join(str(r + 1) for r in order.order[: 1 if order.kind != "attack" else 2])
        armies = f" {order.order[-1]}" if order.kind != "pick" else ""
        kind = {"deploy": m.PLACE, "attack": m.ATTACK, "pick": "pick"}[order.kind]
        stage = f"round {round}" if round else "picking"
        raise NonconformanceError(
            f"{stage}: '{kind} {ids}{armies}' (order {order.index + 1}) is illegal: {order.reason}"
        )


# Difficult situations


class Session:
    """A running bot that plays as player1 on the world map; the session starts in round 1, after the picks."""

    def __init__(self, command: Sequence[str], challenge: m.Challenge, chatter: Sequence[str] = ()) -> None:
        self.process = BotProcess(command)
        game = Game("world", f"challenge{challenge}", seed=11)
        for message in opening_messages(game.view(0), challenge, BotClock.for_challenge(challenge)):
            self.process.send(format_message(message))
            for line in chatter:
                self.process.send(line)
        try:
            self._pick(game, make_agent("random", 2), challenge)
        except BaseException:
            self.process.close()
            raise
        self.view: View = game.view(0)

    def _pick(self, game: Game, opponent: Agent, challenge: m.Challenge) -> None:
        ms = BotClock.for_challenge(challenge).milliseconds
        while game.phase == "pick":
            preferences: dict[int, list[int]] = {}
            for seat in game.pickers():
                if seat == 1:
                    preferences[seat] = opponent.pick(game.view(seat))
                    continue
                answer = self.ask(pick_question(game.view(seat), challenge, ms))
                assert isinstance(answer, m.PicksAnswer)
                preferences[seat] = [region - 1 for region in answer.regions]
            for order in game.pick(preferences, on_illegal="skip"):
                raise NonconformanceError(f"the bot picked region {order.order[0] + 1}: {order.reason}")
        if starts := game.view(0).starts:
            self.process.send(format_message(m.OpponentStartingRegions(region_ids(starts[1]))))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.close()

    def round(self, view: View, ms: int = 10_000) -> tuple[m.Answer, m.Answer]:
        """Ask the bot for its deploys and its attacks in a round, and return both answers.

        Raises:
            NonconformanceError: an answer is missing, late or malformed, or illegal in the position of `view`.
        """
        for message in round_messages(view, NO_OPPONENT_ORDERS):
            self.process.send(format_message(message))
        placements = self.ask(m.Go(m.PLACE, ms))
        army = view.army.copy()
        armies_left = view.income
        assert isinstance(placements, m.PlaceOrders)
        for place in placements.orders:
            order_text = f"{m.PLACE} {place.region} {place.armies}"
            if not 1 <= place.region <= len(army):
                _reject_order(order_text, "no such region")
            if view.owner[place.region - 1] != view.player:
                _reject_order(order_text, f"region {place.region} is not the bot's")
            if place.armies < 1:
                _reject_order(order_text, "at least one army is needed")
            if place.armies > armies_left:
                _reject_order(order_text, f"{armies_left} of {view.income} armies are left to place")
            armies_left -= place.armies
            army[place.region - 1] += place.armies
        moves = self.ask(m.Go(m.ATTACK, ms))
        assert isinstance(moves, m.MoveOrders)
        for move in moves.orders:
            source, target = move.source - 1, move.target - 1
            order_text = f"{m.ATTACK} {move.source} {move.target} {move.armies}"
            if not (0 <= source < len(army) and 0 <= target < len(army)):
                _reject_order(order_text, "no such region")
            if view.owner[source] != view.player:
                _reject_order(order_text, f"region {move.source} is not the bot's")
            if target not in view.map.neighbors[source]:
                _reject_order(order_text, f"region {move.target} is not a neighbour of region {move.source}")
            if move.armies < 1:
                _reject_order(order_text, "at least one army is needed")
            if move.armies >= army[source]:
                _reject_order(order_text, f"region {move.source} has {army[source]} armies, and one must stay")
        return placements, moves

    def ask(self, question: m.Question) -> m.Answer:
        """Return the bot's answer to a question.

        Raises:
            NonconformanceError: the answer is missing, late or malformed.
        """
        line = format_message(question)
        reply = self.process.ask(line, question.milliseconds / 1000)
        form = expected_answer(question)
        if reply.stale:
            raise NonconformanceError(f"the bot wrote a line before the question '{line}': {quote(reply.stale_text)}")
        if reply.text is None:
            errors = self.process.errors.tail(500)
            detail = f"; its standard error ends: {errors!r}" if errors else ""
            raise NonconformanceError(f"'{line}': {reply.cause}; expected {form}{detail}")
        parsed = parse_answer(question, reply.text, NAMES[0])
        for problem in parsed.problems:
            raise NonconformanceError(f"'{line}': {problem}")
        return parsed.answer


def _reject_order(order_text: str, reason: str) -> None:
    raise NonconformanceError(f"'{order_text}' is illegal: {reason}")


def _with_regions(view: View, regions: dict[int, tuple[int, int]], income: int | None = None) -> View:
    """Return a copy of a player's view in which the regions, and perhaps the income, are replaced.

    regions: the owner and the army of each region that the player sees. The player also sees the neighbours of its own
    regions; a neighbour is neutral with 2 armies unless `regions` contains it. The
    player sees no other regions.
    """
    owner, army = view.owner.copy(), view.army.copy()
    owner[:], army[:] = -2, 0
    for region, (holder, armies) in regions.items():
        owner[region], army[region] = holder, armies
        if holder == view.player:
            for neighbor in view.map.neighbors[region]:
                if neighbor not in regions:
                    owner[neighbor], army[neighbor] = -1, 2
    return replace(view, owner=owner, army=army, income=view.income if income is None else income)


def _last_region(command: Sequence[str], challenge: m.Challenge) -> None:
    with Session(command, challenge) as session:
        session.round(session.view)
        neighbors = session.view.map.neighbors[0]
        session.round(_with_regions(session.view, {0: (0, 1), **dict.fromkeys(neighbors, (1, 30))}))


def _all_own(command: Sequence[str], challenge: m.Challenge) -> None:
    with Session(command, challenge) as session:
        n = session.view.map.n_regions
        view = _with_regions(session.view, {r: (0, 1 + 3 * (r % 4)) for r in range(n - 1)}, income=29)
        session.round(view)


def _huge_armies(command: Sequence[str], challenge: m.Challenge) -> None:
    with Session(command, challenge) as session:
        session.round(_with_regions(session.view, {0: (0, 1_000_000), 1: (1, 999_999)}, income=100_000))


def _chatter(command: Sequence[str], challenge: m.Challenge) -> None:
    with Session(command, challenge, chatter=["", "settings weather fair", "greetings to all"]) as session:
        session.round(session.view)


def _short_of_time(command: Sequence[str], challenge: m.Challenge) -> None:
    with Session(command, challenge) as session:
        session.round(session.view)
        for _ in range(3):
            session.round(session.view, SHORT)


def _end(command: Sequence[str], challenge: m.Challenge) -> None:
    with Session(command, challenge) as session:
        session.round(session.view)
        if not session.process.ends_itself(END_TIME):
            raise NonconformanceError(f"the bot still runs {END_TIME:g} s after its input was closed")


CASES: Final = (
    Case("first", "a game as player1, to its end, on the world map", lambda c, v: _play(c, v, 0)),
    Case("second", "a game as player2", lambda c, v: _play(c, v, 1)),
    Case("small map", "a map of ten regions, described by setup_map lines", lambda c, v: _play(c, v, 0, "small"), (2,)),
    Case("large map", "ten rounds on a large map", lambda c, v: _play(c, v, 1, "large", 10), (2,)),
    Case("chatter", "the bot ignores blank lines and unknown lines", _chatter),
    Case("last region", "one region with one army, surrounded by enemies", _last_region),
    Case("nearly all", "all regions except one, and an income of 29", _all_own),
    Case("huge armies", "a million armies on a region", _huge_armies),
    Case("short of time", f"questions with {SHORT} ms in the bank", _short_of_time, (2,)),
    Case("end", "the process ends when its input is closed", _end),
)
