"""A function for ``warlight bot replay``: it sends a bot the lines of a logged game, and checks the bot's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from warlight_env.arguments import is_integer, short_repr
from warlight_env.engine.orders import Orders
from warlight_env.errors import InputError
from warlight_env.protocol.bot_faults import BotFault
from warlight_env.protocol.external_agent import ExternalBot
from warlight_env.record import GameLog, LogError, Picks


@dataclass(frozen=True)
class ReplayedAnswer:
    """A bot's answer in a round of a logged game.

    Attributes:
        round: the round, from 1; 0: the bot's last pick.
        lines: the lines that the bot wrote in this round.
        orders: the orders in these lines; None for picks.
        illegal: descriptions of orders that the rules forbid.
        faults: the faults of the bot in this round.
        logged: the player's orders in the log; for picks, the player's list of preferred regions in the log.
    """

    round: int
    lines: tuple[str, ...]
    orders: Orders | None
    illegal: tuple[str, ...]
    faults: tuple[BotFault, ...]
    logged: Orders | tuple[int, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as data for JSON."""

        def plain(orders: Orders | tuple[int, ...] | None) -> Any:
            if isinstance(orders, Orders):
                return orders.to_dict()
            return None if orders is None else list(orders)

        return {
            "round": self.round,
            "said": list(self.lines),
            "orders": plain(self.orders),
            "illegal": list(self.illegal),
            "faults": [fault.to_dict() for fault in self.faults],
            "logged": plain(self.logged),
        }


def replay_to(
    bot: ExternalBot, log: GameLog, round: int, seat: int = 0, trace: Callable[[str, str], None] | None = None
) -> ReplayedAnswer:
    """Replay a logged game to a bot up to a round, and return the bot's answer in this round.

    The bot receives the same messages and questions as the player on its seat. The bot's answers do not change the
    game, which continues as in the log.

    Args:
        bot: the bot, an `ExternalBot`.
        log: the log of the game.
        round: the round of the answer, from 1; 0: the last pick.
        seat: the seat of the bot, from 0.
        trace: a function that is called with ">" and each line to the bot, and with "<" and each line from the bot.

    Raises:
        LogError: `log` is not a `GameLog`, or does not contain this round or seat; or `round` is 0 and the log has no
            picks of the seat.
        InputError: the bot is not an `ExternalBot`, or `trace` is not a function.
    """
    if not isinstance(log, GameLog):
        raise LogError(f"log = {short_repr(log)}: must be a GameLog")
    if not isinstance(bot, ExternalBot):
        raise InputError(f"bot = {short_repr(bot)}: must be an ExternalBot")
    if trace is not None and not callable(trace):
        raise InputError(f"trace = {short_repr(trace)}: must be a function or None")
    for name, number in (("round", round), ("seat", seat)):
        if not is_integer(number) or abs(number) > 10**9:
            raise LogError(f"{name} = {short_repr(number)}: must be an integer")
    header = log.header
    if not 0 <= seat < len(header.players):
        raise LogError(f"seat {seat + 1}: the game has seats 1 to {len(header.players)}")
    if not 0 <= round <= len(log.rounds):
        raise LogError(f"round {round}: the log has rounds 1 to {len(log.rounds)}")
    if round == 0 and not any(isinstance(step, Picks) and step.preferences[seat] is not None for step in log.steps):
        raise LogError(f"round 0: the log has no picks of seat {seat + 1}")
    lines: list[str] = []

    def listen(direction: str, line: str) -> None:
        if direction == "<":
            lines.append(line)
        if trace is not None:
            trace(direction, line)

    bot.on_line = listen
    game = header.new_game()
    try:
        preferences: tuple[int, ...] | None = None
        for step in log.steps:
            if isinstance(step, Picks):
                if seat in game.pickers():
                    lines.clear()
                    bot.pick(game.view(seat))
                    preferences = step.preferences[seat]
                step.play(game)
                continue
            if step.round > round:
                break
            if not game.alive(seat):
                raise LogError(f"round {step.round}: the player on seat {seat + 1} is no longer in the game")
            lines.clear()
            orders = bot.act(game.view(seat))
            if step.round == round:
                illegal = tuple(str(order) for order in game.check(seat, orders))
                faults = tuple(fault for fault in bot.faults if fault.round == round)
                return ReplayedAnswer(round, tuple(lines), orders, illegal, faults, step.orders[seat])
            game.play_round(step.orders, on_illegal="skip")
        if round == 0:
            return ReplayedAnswer(0, tuple(lines), None, (), tuple(bot.faults), preferences)
        raise LogError(f"round {round}: the log has rounds 1 to {len(log.rounds)}")
    finally:
        bot.close()
