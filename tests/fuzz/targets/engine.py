"""Messages of a faulty game server, for the project's bots and the fallback policy, which answers without a search."""

from __future__ import annotations

import random
from pathlib import Path

from fuzz import mutate, small_maps
from fuzz.target import Data, Target, expect, refused
from warlight_env.agents import make_agent
from warlight_env.beliefs import OrderObserver
from warlight_env.errors import InputError, RunError
from warlight_env.game import Game
from warlight_env.maps import Map
from warlight_env.protocol import messages as m
from warlight_env.protocol.bot_side import BotSide
from warlight_env.protocol.clock import BotClock
from warlight_env.protocol.engine_messages import challenge_of, opening_messages, region_ids, round_messages
from warlight_env.protocol.fallback_policy import FallbackPolicy
from warlight_env.protocol.grammar import ProtocolError, format_answer, format_message, parse_message

AGENTS = ("random", "aggressive", "one_big_army", "smart_random")


class Engine(Target):
    """``(agent, challenge, lines)``"""

    share = 25

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._told = [
            engine_text(map_, rules, seat).encode()
            for map_ in (small_maps.RING, small_maps.ladder_map(6))
            for rules in ("challenge1", "challenge2")
            for seat in (0, 1)
        ]
        for agent in AGENTS:  # compile before the first input
            self.run((agent, None, self._told[0].decode()))

    def make(self, rng: random.Random) -> Data:
        text = rng.choice(self._told)
        if rng.random() < 0.5:
            text = mutate.damaged_lines(text, rng, self._told)
        if rng.random() < 0.7:
            text = mutate.damaged(text, rng, self._told)
        return (rng.choice(AGENTS), rng.choice((None, 1, 2)), text.decode("utf-8", "replace"))

    def run(self, data: Data) -> bool:
        agent, challenge, text = data
        side, fallback = BotSide(lambda: make_agent(agent, 1), challenge), FallbackPolicy()
        accepted = True
        for line in text.split("\n")[:60]:
            try:
                message = parse_message(line)
            except ProtocolError as error:
                accepted = refused(error)
                continue
            if not isinstance(message, m.Question):
                fallback.receive(message)
                side.receive(message)
                continue
            fallback_answer = format_answer(fallback.answer(message))
            expect("\n" not in fallback_answer, "an answer of several lines")
            try:
                answer = side.answer(message)
            except (InputError, RunError) as error:
                accepted = refused(error)
                continue
            expect("\n" not in format_answer(answer), "an answer of several lines")
            if isinstance(answer, m.PicksAnswer):
                expect(set(answer.regions) <= set(message.regions), "a pick that was not offered")
                side.confirm_picks(answer)
        return accepted


def engine_text(map_: Map, rules: str, seat: int, rounds: int = 3) -> str:
    """Return the messages that an engine sends to a player in the first rounds of a game between bots."""
    game = Game(map_, rules, seed=seat)
    players, watcher = [make_agent("aggressive", seat) for _ in range(2)], OrderObserver()
    lines: list[m.Message] = []
    for _ in range(rounds + 8):
        view = game.view(seat)
        if not lines:
            lines += opening_messages(view, challenge_of(game.rules), BotClock.for_challenge(2))
        if game.phase == "pick":
            if seat in game.pickers():
                offers = region_ids(view.offers)
                lines.append(m.PickRegion(500, offers) if rules == "challenge2" else m.PickRegions(500, offers))
            game.pick({p: players[p].pick(game.view(p)) for p in game.pickers()}, on_illegal="skip")
            continue
        if game.done or game.round >= rounds:
            break
        lines += [*round_messages(view, watcher.observe(view)), m.Go(m.PLACE, 500), m.Go(m.ATTACK, 500)]
        game.play_round([players[p].act(game.view(p)) for p in range(2)], on_illegal="skip")
    return "\n".join(map(format_message, lines))


TARGET = Engine
