"""Functions that replay a logged game.

The functions `replay` and `result_of` only read the log. The functions `verify` and `game_at` play the logged game
again with the same dice, to verify or to continue the game.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from warlight_env.arguments import is_integer, short_repr
from warlight_env.engine.orders import Orders, OrdersTypeError
from warlight_env.errors import InputError
from warlight_env.game import Game, GameError
from warlight_env.record.errors import LogError, ReplayError, VariationError
from warlight_env.record.model import LoggedGame, Picks, Round, Start
from warlight_env.record.reader import GameLog
from warlight_env.record.variation_play import check_variations
from warlight_env.record.variations import EMPTY
from warlight_env.step_results import RoundResult, end_with_forfeits, seen_by_all


@dataclass(frozen=True)
class ReplayPosition:
    """A position of a logged game, and the step (picks or a round) that led to the position, from the log."""

    round: int  #: number of rounds played before the position
    owner: tuple[int, ...]
    army: tuple[int, ...]
    step: Picks | Round | None  #: the step before the position; None: this is the start position


@dataclass(frozen=True)
class Difference:
    """The first difference between a replayed game and its log."""

    round: int  #: the round of the difference; 0: before the first round
    field: str
    logged: Any
    played: Any

    def __str__(self) -> str:
        place = "before round 1" if self.round == 0 else f"round {self.round}"
        logged, played = self.logged, self.played
        field = self.field
        if isinstance(logged, tuple) and isinstance(played, tuple):  # show only the first difference
            index = next((i for i, pair in enumerate(zip(logged, played, strict=False)) if pair[0] != pair[1]), None)
            if index is not None:
                field, logged, played = f"{field}[{index}]", logged[index], played[index]
        return f"{place}: {field}: the log has {_brief(logged)}, the replay has {_brief(played)}"


def _check_log(log: Any) -> None:
    """Raise LogError if `log` is not a `LoggedGame`."""
    if not isinstance(log, LoggedGame):
        raise LogError(f"log = {short_repr(log)}: must be a `GameLog`")


def replay(log: GameLog) -> Iterator[ReplayPosition]:
    """Yield the positions of a logged game from the start, as the log contains them.

    `replay` does not play the game again.
    """
    _check_log(log)
    number = 0
    for step, (owner, army) in zip((None, *log.steps), log.positions(), strict=False):
        number += isinstance(step, Round)
        yield ReplayPosition(number, owner, army, step)


def result_of(log: GameLog, number: int) -> RoundResult:
    """Return the result of a round in the form of `Game.play_round`.

    number: the round, from 1.

    Raises:
        LogError: the log does not contain this round.
    """
    _check_log(log)
    if not is_integer(number) or not 1 <= number <= len(log.rounds):
        raise LogError(f"round {short_repr(number)}: the log has rounds 1 to {len(log.rounds)}")
    step, visible = log.rounds[number - 1], None
    if log.header.rules.fog:
        owners = {position.round: position.owner for position in replay(log) if position.round in (number - 1, number)}
        visible = seen_by_all(
            log.header.map.neighbors, len(log.header.players), owners[number - 1], owners[number], list(step.events)
        )
    return RoundResult(number, step.deploys, list(step.events), list(step.dropped), visible)


def verify(log: GameLog) -> list[Difference]:
    """Play the game again with the same seed, picks and orders.

    Return a list with the first difference, or an empty list if the replay is equal to the log.

    The function compares every position (its hash and all changed regions), every event, every dropped order, and the
    result of the game with the log. The function also plays all variations again.
    """
    _check_log(log)
    number = 0
    for number, _, facts in _replay_steps(log):
        for field, logged, replayed in facts:
            if logged != replayed:
                return [Difference(number, field, logged, replayed)]
    try:
        check_variations(log.variations, functools.cache(functools.partial(game_at, log)))
    except VariationError as error:
        return [Difference(number, "variations", "a turn", str(error))]
    return []


def game_at(log: GameLog, round: int | None = None) -> Game:
    """Return the game after `round` rounds; None: after all rounds in the log.

    The returned game has the same dice as the original game, so equal orders have equal results in both games.

    Raises:
        LogError: the log has fewer rounds, or ends in the picking phase.
        ReplayError: the replayed game differs from the log.
    """
    _check_log(log)
    last_round = len(log.rounds) if round is None else round
    if not is_integer(last_round) or not 0 <= last_round <= len(log.rounds):
        raise LogError(f"round {short_repr(round)}: the log has rounds 0 to {len(log.rounds)}")
    steps = tuple(step for step in log.steps if isinstance(step, Picks) or step.round <= last_round)
    partial_log = replace(log, steps=steps, end=log.end if last_round == len(log.rounds) else None, variations=EMPTY)
    if differences := verify(partial_log):
        raise ReplayError(str(differences[0]))
    *_, (_, game, _) = _replay_steps(partial_log)
    assert game is not None  # otherwise `verify` has found a difference
    if game.phase == "pick":
        raise LogError("the log was cut off before the first round")
    return game


#: A field of the log, its value in the log, and its value in the replayed game.
Fact = tuple[str, Any, Any]


def _replay_steps(log: GameLog) -> Iterator[tuple[int, Game | None, list[Fact]]]:
    """Play a logged game again.

    After the start, after each step and after the end, yield the round number, the game and a list of facts.

    A fact is a value in the log together with the value in the replayed game; the two values should be equal. If the
    rules do not allow the start or a step, the last fact contains the reason; without a start, the game is None.
    """
    try:
        game = log.header.new_game()
    except InputError as error:  # the map does not allow these rules or this number of players
        yield 0, None, [("event", "a step", str(error))]
        return
    if log.start is None:
        yield 0, game, []
        return
    start = Start.from_game(game)
    names = ("owner", "army", "offers", "picks", "hash")
    yield 0, game, [(name, getattr(log.start, name), getattr(start, name)) for name in names]
    number = 0
    for step in log.steps:
        number = step.round if isinstance(step, Round) else 0
        try:
            facts = _play_step(game, step)
        except (GameError, OrdersTypeError) as error:
            yield number, game, [("event", "a step", str(error))]
            return
        facts += [
            ("changed", step.changed, tuple(game.changed())),
            ("hash", step.hash, game.fingerprint()),
            *_failed_player_facts(log, step),
        ]
        yield number, game, facts
    if log.end is not None:
        yield number, game, _result_facts(log, game)


def _failed_player_facts(log: GameLog, step: Picks | Round) -> list[Fact]:
    """Return facts (values in the log and in the replay) about failed players, which must not give orders any more."""
    if not isinstance(step, Round):
        return []
    failed = [failure.player for failure in log.failures if failure.round <= step.round]
    return [("orders of a failed player", step.orders[p], Orders()) for p in failed if step.orders[p] is not None]


def _result_facts(log: GameLog, game: Game) -> list[Fact]:
    """Return facts (values in the log and in the replay) about the result of the game.

    A player that has lost by forfeit does not win, whatever the final position is.

    Args:
        log: the log, which contains the end of the game.
        game: the replayed game after its last step.
    """
    assert log.end is not None
    facts: list[Fact] = []
    forfeits = [(failure.player, failure.round) for failure in log.failures]
    placements, winner, is_over = end_with_forfeits(
        game.placements, game.winner, game.done, game.eliminated, forfeits, drawn=log.draw is not None
    )
    if log.draw is not None:
        remaining = tuple(p for p in range(game.players) if game.alive(p) and p not in dict(forfeits))
        facts.append(("players who agreed on a draw", log.draw.players, remaining))
    facts += [
        ("winner", log.end.winner, winner),
        ("placements", log.end.placements, placements),
        ("cut_off", log.end.cut_off, not is_over),
    ]
    if not is_over or game.round > log.header.round_limit:
        facts.append(("round_limit", log.header.round_limit, game.round))
    return facts


def _play_step(game: Game, step: Picks | Round) -> list[Fact]:
    """Play a step of the log in `game`.

    Return facts (values in the log and in the replay) about the events and the dropped orders of the step.
    """
    if isinstance(step, Picks):
        return [("dropped", step.dropped, tuple(step.play(game)))]
    result = game.play_round(step.orders, on_illegal="skip")
    return [("moves", step.events, tuple(result.events)), ("dropped", step.dropped, tuple(result.dropped))]


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:100]} … {text[-90:]}"
