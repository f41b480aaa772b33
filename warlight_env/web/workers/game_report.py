"""The report on a game: the quality of each turn in comparison with the best turn of a search, and the effect of dice.

The value of a turn is the fraction of games that the player wins from the positions after the turn. The round is played
many times with other dice, while all other orders stay the same. From each position after the round, playouts continue
the game with all players like `aggressive`. Two turns of a player are compared with the same dice and playouts: their
difference is more certain than each value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from warlight_env.step_results import Event
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities

#: The strongest search, with its budget for a turn.
JUDGE: Final = "nash:secs=1"
ROLLS: Final = 48  # repetitions of a round with other dice
PLAYOUTS: Final = 20  # playouts of each resulting position
TURNING: Final = 5  # the maximum number of turning points (large losses of win probability) in a report
CHANGE: Final = 0.08  # the loss of win probability that makes a turning point
_SURE: Final = 1.96  # half the width of a 95 % interval, in standard errors


class GameReportError(InputError):
    """A game without rounds has no report."""


@dataclass(frozen=True)
class Better:
    """A better turn. gain: the gain of win probability. error: half the width of the 95 % interval of the gain."""

    orders: str
    gain: float
    error: float


@dataclass(frozen=True)
class TurnReport:
    """The report on a player's turn.

    All numbers but `armies` are win probabilities from 0 to 1, or differences of them.

    before: value of the position before the turn. worth: value of the turn, as a mean over the dice. after: value of
    the position after the round. armies: armies that the player gained from the dice of the round's battles beyond
    their expectation. lost: the turn's loss of value compared with the best known turn. error: half the width of its 95
    % interval. stake: the value of the best known turn minus the value of a turn without orders, at least `lost`.
    better: the best known turn, if the difference is significant.
    """

    before: float
    worth: float
    after: float
    armies: float
    lost: float
    error: float
    stake: float
    better: Better | None

    @property
    def luck(self) -> float:
        """The change of win probability because of the dice."""
        return self.after - self.worth


@dataclass(frozen=True)
class GameReport:
    """All rounds of a game. rounds: by round, then by player; None: the player was eliminated or did not move."""

    judge: str
    rolls: int
    rollouts: int
    names: tuple[str, ...]
    rounds: tuple[tuple[TurnReport | None, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the rounds, and statistics of them."""
        return {
            "judge": self.judge,
            "rolls": self.rolls,
            "playouts": self.rollouts,
            "rounds": [
                [None if turn is None else {**asdict(turn), "luck": turn.luck} for turn in turns]
                for turns in self.rounds
            ],
            "players": [self._player(player) for player in range(len(self.names))],
            "turning": [{"round": number, "player": player} for number, player in self.turning],
            "cumulative": self.cumulative,
        }

    @property
    def cumulative(self) -> list[list[float]]:
        """The sum of `TurnReport.lost` of each player up to each round, by round, then by player."""
        sums = [0.0] * len(self.names)
        rows = []
        for turns in self.rounds:
            sums = [total + (0.0 if turn is None else turn.lost) for total, turn in zip(sums, turns, strict=True)]
            rows.append(sums)
        return rows

    def _player(self, player: int) -> dict[str, float]:
        """Return a player's statistics.

        accuracy: 1 minus the sum of the turns' losses, divided by the sum of the turns' stakes (`TurnReport.lost` and
        `stake`); 1 if the sum of the stakes is 0. Turns in decided positions have small stakes, and therefore little
        weight. error: half the width of the 95 % interval of `accuracy`.
        """
        turns = [turns[player] for turns in self.rounds]
        played = [turn for turn in turns if turn is not None]
        stakes = sum(turn.stake for turn in played)
        return {
            "accuracy": 1 - sum(turn.lost for turn in played) / stakes if stakes else 1.0,
            "error": min(1.0, float(np.sqrt(sum(turn.error**2 for turn in played))) / stakes) if stakes else 0.0,
            "lost": sum(turn.lost for turn in played),
            "luck": sum(turn.luck for turn in played),
            "armies": sum(turn.armies for turn in played),
        }

    @property
    def turning(self) -> list[tuple[int, int]]:
        """The (round, player) with the largest losses of win probability, from any cause, sorted by round."""
        falls = [
            (turn.before - turn.after, number, player)
            for number, turns in enumerate(self.rounds, 1)
            for player, turn in enumerate(turns)
            if turn is not None and turn.before - turn.after >= CHANGE
        ]
        return sorted((number, player) for _, number, player in sorted(falls, reverse=True)[:TURNING])


def report_of(
    log: GameLog,
    reference_agent: str = JUDGE,
    rolls: int = ROLLS,
    playouts: int = PLAYOUTS,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> GameReport:
    """Return the report of a log, up to its last round.

    Args:
        judge: specification of the bot whose turns are compared with the players' turns.
        rolls, playouts: repetitions of a round with other dice, and playouts of each resulting position.
        told: is called with the number of finished rounds and the number of all rounds.

    Raises:
        GameReportError: no round was played. LogError, ReplayError: the log is not valid.
    """
    if not log.rounds:
        raise GameReportError("the log has no rounds: a report needs at least one round")
    game_at(log)  # raises an error if the log is not valid
    game, rounds = game_at(log, 0), []
    for step in log.rounds:
        rounds.append(_AnalysedRound(game, step, reference_agent, rolls, playouts).turns())
        game.play_round(step.orders, on_illegal="skip")
        on_progress(len(rounds), len(log.rounds))
    return GameReport(reference_agent, rolls, playouts, tuple(log.names), tuple(rounds))


class _AnalysedRound:
    """A round that is played many times."""

    def __init__(self, game: Game, step: Round, judge: str, rolls: int, playouts: int) -> None:
        self.game, self.step, self.judge, self.playouts = game, step, judge, playouts
        saved = game.to_dict()
        del saved["hash"]  # it contains the dice, which are replaced
        self._starts = [
            Game.from_dict({**saved, "map": game.map, "state": {**saved["state"], "rng": self._dice(roll)}})
            for roll in range(rolls)
        ]

    def _dice(self, roll: int) -> list[int]:
        return make_rng(derive_seed(self.game.seed, 77, self.game.round, roll)).tolist()

    def turns(self) -> tuple[TurnReport | None, ...]:
        """Return the report on each player's turn."""
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
            lost = max(0.0, gain)
            idle = float((actual[:, player] - self._values({**orders, player: Orders()})[:, player]).mean())
            better = Better(format_orders(self.game.map, best), gain, error) if gain > error else None
            found.append(
                TurnReport(
                    before[player], float(actual[:, player].mean()), come[player], armies[player],
                    lost, error, max(0.0, idle) + lost, better,
                )
            )  # fmt: skip
        return tuple(found)

    def _values(self, orders: Mapping[int, Orders | None]) -> npt.NDArray[np.float64]:
        """Return the win probability of each player after the round with the given orders, float64 [roll, player]."""
        rows = []
        for roll, start in enumerate(self._starts):
            game = start.clone()
            game.play_round(orders, on_illegal="skip")
            rows.append(self._chances(game, 2 + roll, self.playouts))
        return np.array(rows)

    def _chances(self, game: Game, place: int, games: int) -> list[float]:
        seed = derive_seed(self.game.seed, 79, self.game.round, place)
        owner, army = game.owner.tolist(), game.army.tolist()
        return [share for share, *_ in estimate_win_probabilities(self.game.view(0), owner, army, seed, games)]


def analysed_round(
    log: GameLog, number: int, judge: str, rolls: int = ROLLS, playouts: int = PLAYOUTS
) -> tuple[TurnReport | None, ...]:
    """Return one round of `report_of`, for callers that make a report in steps."""
    return _AnalysedRound(game_at(log, number - 1), log.rounds[number - 1], judge, rolls, playouts).turns()


def dice_luck(game: Game, step: Round) -> list[float]:
    """Return for each player the armies that the dice gave it and took from its opponents, beyond expectation."""
    luck = [0.0] * game.players
    for _, gains in battle_luck(game, step):
        for player, gain in gains.items():
            luck[player] += gain
    return luck


def battle_luck(game: Game, step: Round) -> list[tuple[Event, dict[int, float]]]:
    """Return the battles of a round, each with the armies that its dice gave to each player beyond expectation."""
    army, owner = game.army.tolist(), game.owner.tolist()
    for deploy in step.deploys:
        army[deploy.region] += deploy.armies
    battles: list[tuple[Event, dict[int, float]]] = []
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
            battles.append((event, {event.player: more, **({defender: -more} if defender >= 0 else {})}))
        army[source] -= sent if event.captured else event.attackers_lost
        army[target] = sent - event.attackers_lost if event.captured else left
        if event.captured:
            owner[target] = event.player
    return battles
