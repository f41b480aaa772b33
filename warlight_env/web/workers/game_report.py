"""What a game was decided by: how good each turn was beside the best one that a search finds, and what the dice did.

A turn is worth the share of games won from the positions that it leads to: the round is played many times with other
dice, all other orders being as they were, and each of its ends is played out with everybody playing like `aggressive`.
Two turns of a player are compared with the same dice and playouts, so that their difference is surer than either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.registry import make_agent
from warlight_env.battle import MAX_BATTLE, battle_odds
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.notation import format_orders
from warlight_env.record import GameLog, Round, game_at
from warlight_env.web.workers.rollout_estimate import win_chances

#: The strongest search, with its budget for a turn.
JUDGE: Final = "nash:secs=1"
ROLLS: Final = 48  # of a round's dice
PLAYOUTS: Final = 20  # of each of its ends
TURNING: Final = 5  # turning points that are told
CHANGE: Final = 0.08  # of the win probability, that makes one
_SURE: Final = 1.96  # standard errors on either side: 95 %


class GameReportError(InputError):
    """A game that nothing can be said of."""


@dataclass(frozen=True)
class Better:
    """A turn that wins more. gain: of win probability. error: half of its interval of 95 %."""

    orders: str
    gain: float
    error: float


@dataclass(frozen=True)
class TurnReport:
    """A player's turn, in win probability of 0 to 1 but for `armies`.

    before: of the position. worth: of the turn, over all dice. after: of what came of it. armies: what the dice of the
    round's battles gave the player beyond their expectation. lost: by not playing the best turn that is known, and half
    of the interval of 95 %. better: that turn, where the difference is beyond doubt.
    """

    before: float
    worth: float
    after: float
    armies: float
    lost: float
    error: float
    better: Better | None

    @property
    def luck(self) -> float:
        """What the dice changed."""
        return self.after - self.worth


@dataclass(frozen=True)
class GameReport:
    """All rounds of a game. rounds: by round, then by player; None: it was out, or did not move."""

    judge: str
    rolls: int
    playouts: int
    names: tuple[str, ...]
    rounds: tuple[tuple[TurnReport | None, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain data: the rounds, and what follows from them."""
        return {
            "judge": self.judge,
            "rolls": self.rolls,
            "playouts": self.playouts,
            "rounds": [
                [None if turn is None else {**asdict(turn), "luck": turn.luck} for turn in turns]
                for turns in self.rounds
            ],
            "players": [self._player(player) for player in range(len(self.names))],
            "turning": [{"round": number, "player": player} for number, player in self.turning],
        }

    def _player(self, player: int) -> dict[str, float]:
        """accuracy: the share of the win probability that its turns kept, on the average, with `error`."""
        turns = [turns[player] for turns in self.rounds]
        played = [turn for turn in turns if turn is not None]
        count = max(1, len(played))
        return {
            "accuracy": 1 - sum(turn.lost for turn in played) / count,
            "error": float(np.sqrt(sum(turn.error**2 for turn in played))) / count,
            "luck": sum(turn.luck for turn in played),
            "armies": sum(turn.armies for turn in played),
        }

    @property
    def turning(self) -> list[tuple[int, int]]:
        """(round, player) where most win probability was lost, by the turn, the others' or the dice; in order."""
        falls = [
            (turn.before - turn.after, number, player)
            for number, turns in enumerate(self.rounds, 1)
            for player, turn in enumerate(turns)
            if turn is not None and turn.before - turn.after >= CHANGE
        ]
        return sorted((number, player) for _, number, player in sorted(falls, reverse=True)[:TURNING])


def report_of(
    log: GameLog,
    judge: str = JUDGE,
    rolls: int = ROLLS,
    playouts: int = PLAYOUTS,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> GameReport:
    """The report of a log, as far as it goes.

    Args:
        judge: specification of the bot whose turns the players' are held against.
        rolls, playouts: of a round's dice, and of each of its ends.
        told: is told how many rounds are done, of how many.

    Raises:
        GameReportError: no round was played. LogError, ReplayError: the log does not hold.
    """
    if not log.rounds:
        raise GameReportError("the log has no rounds: there is nothing to be said of them")
    game_at(log)  # the whole log holds
    game, rounds = game_at(log, 0), []
    for step in log.rounds:
        rounds.append(_AnalysedRound(game, step, judge, rolls, playouts).turns())
        game.play_round(step.orders, on_illegal="skip")
        told(len(rounds), len(log.rounds))
    return GameReport(judge, rolls, playouts, tuple(log.names), tuple(rounds))


class _AnalysedRound:
    """A round, played again and again."""

    def __init__(self, game: Game, step: Round, judge: str, rolls: int, playouts: int) -> None:
        self.game, self.step, self.judge, self.playouts = game, step, judge, playouts
        saved = game.to_dict()
        del saved["hash"]  # of the dice that are replaced
        self._starts = [
            Game.from_dict({**saved, "map": game.map, "state": {**saved["state"], "rng": self._dice(roll)}})
            for roll in range(rolls)
        ]

    def _dice(self, roll: int) -> list[int]:
        return make_rng(derive_seed(self.game.seed, 77, self.game.round, roll)).tolist()

    def turns(self) -> tuple[TurnReport | None, ...]:
        """What each player's turn was worth."""
        orders = dict(enumerate(self.step.orders))
        after = self.game.clone()
        after.play_round(orders, on_illegal="skip")
        many = len(self._starts) * self.playouts
        before, come = self._chances(self.game, 0, many), self._chances(after, 1, many)
        actual = self._values(orders)
        armies = dice_luck(self.game, self.step)
        found: list[TurnReport | None] = []
        for player, turn in orders.items():
            if turn is None or not self.game.alive(player):
                found.append(None)
                continue
            best = make_agent(self.judge, derive_seed(self.game.seed, 78, self.game.round, player)).act(
                self.game.view(player)
            )
            gains = self._values({**orders, player: best})[:, player] - actual[:, player]
            gain, error = float(gains.mean()), _SURE * float(gains.std(ddof=1)) / len(gains) ** 0.5
            better = Better(format_orders(self.game.map, best), gain, error) if gain > error else None
            found.append(
                TurnReport(
                    before[player], float(actual[:, player].mean()), come[player], armies[player],
                    max(0.0, gain), error, better,
                )
            )  # fmt: skip
        return tuple(found)

    def _values(self, orders: Mapping[int, Orders | None]) -> npt.NDArray[np.float64]:
        """[roll, player] win probability after the round with these dice."""
        rows = []
        for roll, start in enumerate(self._starts):
            game = start.clone()
            game.play_round(orders, on_illegal="skip")
            rows.append(self._chances(game, 2 + roll, self.playouts))
        return np.array(rows)

    def _chances(self, game: Game, place: int, games: int) -> list[float]:
        seed = derive_seed(self.game.seed, 79, self.game.round, place)
        owner, army = game.owner.tolist(), game.army.tolist()
        return [share for share, *_ in win_chances(self.game.view(0), owner, army, seed, games)]


def analysed_round(
    log: GameLog, number: int, judge: str, rolls: int = ROLLS, playouts: int = PLAYOUTS
) -> tuple[TurnReport | None, ...]:
    """One round of `report_of`, for who makes a report bit by bit."""
    return _AnalysedRound(game_at(log, number - 1), log.rounds[number - 1], judge, rolls, playouts).turns()


def dice_luck(game: Game, step: Round) -> list[float]:
    """For each player the armies that a round's dice gave it beyond their expectation, and took from its opponents."""
    army, owner = game.army.tolist(), game.owner.tolist()
    for deploy in step.deploys:
        army[deploy.region] += deploy.armies
    luck = [0.0] * game.players
    for event in step.events:
        source, target = event.source, event.target
        if event.kind == "transfer":
            army[source] -= event.armies
            army[target] += event.armies
            continue
        sent, stood, defender = event.armies, army[target], owner[target]
        left = 0 if event.captured else max(1, stood - event.defenders_lost)
        if max(sent, stood) <= MAX_BATTLE:
            odds = battle_odds(sent, stood, game.rules)
            more = (sent - event.attackers_lost - odds.expected_attackers) + (odds.expected_defenders - left)
            luck[event.player] += more
            if defender >= 0:
                luck[defender] -= more
        army[source] -= sent if event.captured else event.attackers_lost
        army[target] = sent - event.attackers_lost if event.captured else left
        if event.captured:
            owner[target] = event.player
    return luck


def turning_words(report: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The turning points of a report in words."""
    lines = []
    for point in report["turning"]:
        turn = report["rounds"][point["round"] - 1][point["player"]]
        fall, luck = round(100 * (turn["after"] - turn["before"])), round(100 * turn["luck"])
        parts = [f"round {point['round']}: {names[point['player']]} {fall:+d} points, {luck:+d} by the dice"]
        if better := turn["better"]:
            parts.append(f"better by {100 * better['gain']:.0f} ± {100 * better['error']:.0f}: {better['orders']}")
        lines.append("; ".join(parts))
    return lines
