"""The analysis of one position of a logged game: the played turns compared with those of a search.

The value of a turn is the share of games won from the positions after it. To value a turn, the round is played many
times with different dice, and the other players keep their orders. Then the program plays each resulting position to
the end of the game, and all players choose turns like the bot `aggressive`. Two turns of a player are compared with the
same dice and playouts: their difference is more certain than each value.

The best of the turns that the searches found is chosen by other simulations than those that value it. Otherwise luck in
these simulations would make it look too good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warlight_env.agents.registry import make_agent
from warlight_env.engine.orders import Orders
from warlight_env.engine.rng import derive_seed, make_rng
from warlight_env.game import Game
from warlight_env.notation import format_orders, parse_orders
from warlight_env.record import Round, VariationError
from warlight_env.record.decision_info import decision_info
from warlight_env.web.workers.dice_luck import dice_luck
from warlight_env.web.workers.rollout_estimate import (
    OwnersAndArmies,
    estimate_win_probabilities,
    later_positions,
    positions_of,
    win_shares,
)
from warlight_env.web.workers.turn_difference import ROUNDS_LATER, difference
from warlight_env.web.workers.turn_report import CHANGE, LOSSES, Better, TurnReport
from warlight_env.web.workers.turning_points import main_cause, reason_of

#: The turns of all players in a round, by player; None for a player without a turn.
Turns = Mapping[int, Orders | None]

ROLLS: Final = 48  # repetitions of a round with other dice
PLAYOUTS: Final = 20  # playouts of each resulting position
CANDIDATES: Final = 4  # the most turns of a player that are compared; more searches replace the worst of them
_Z_95: Final = 1.96  # half the width of a 95 % interval, in standard errors


class TurnValues:
    """Win probabilities after turns of one round. All turns get the same rolls of the dice and the same playouts.

    Objects with different streams have independent dice and playouts. A value in one stream is therefore unbiased also
    for a turn that was chosen by its value in another stream.
    """

    def __init__(self, game: Game, playouts: int, stream: int, absent: frozenset[int]) -> None:
        """Store the position before the round, and the number of playouts of each position after it.

        absent: the players that give no orders after the round, see `LoggedGame.absent`.
        """
        self.game, self.playouts, self._stream, self._absent = game, playouts, stream, absent
        saved = game.to_dict()
        del saved["hash"]  # it contains the dice, which are replaced
        self._saved = saved
        self._starts: list[Game] = []
        self._rows: dict[tuple[int, str], list[npt.NDArray[np.float64]]] = {}

    @property
    def rolls(self) -> int:
        """The number of times that the round is played with other dice."""
        return len(self._starts)

    def extend(self, rolls: int) -> None:
        """Use at least `rolls` rolls of the dice."""
        while len(self._starts) < rolls:
            dice = make_rng(self._seed(77, len(self._starts))).tolist()
            state = {**self._saved["state"], "rng": dice}
            self._starts.append(Game.from_dict({**self._saved, "map": self.game.map, "state": state}))

    def win_probabilities(
        self, player: int, key: str, turns: Turns, own_orders: Orders | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the player's win probability after the round for each roll of the dice, float64[roll].

        key: a name of the turn. own_orders: orders that replace the player's orders in `turns`; if it is None, `turns`
        stay unchanged.
        """
        rows = self._rows.setdefault((-1 if own_orders is None else player, key), [])
        rolls = range(len(rows), len(self._starts))
        if rolls:
            after = positions_of([self._game_after(roll, player, turns, own_orders) for roll in rolls])
            seeds = [self._seed(79, 2 + roll) for roll in rolls]
            rows.extend(win_shares(self.game.view(0), after, seeds, self.playouts, self._absent))
        return np.array(rows)[:, player]

    def games(self, player: int, turns: Turns, own_orders: Orders | None = None) -> list[Game]:
        """Return the games after the round for each roll of the dice; see `win_probabilities`."""
        return [self._game_after(roll, player, turns, own_orders) for roll in range(len(self._starts))]

    def later(self, games: Sequence[Game], rounds: Sequence[int]) -> list[OwnersAndArmies]:
        """Return the positions after each number of further rounds, in one playout of each game.

        The playouts of different lists of games have the same dice.
        """
        return later_positions(self.game.view(0), games, self._seed(80, 0), rounds, self._absent)

    def position(self, game: Game, games: int, absent: frozenset[int]) -> list[list[float]]:
        """Return for each player the share of playouts won from a position of the log, with its 95 % interval.

        The result depends only on the position and the number of playouts: a position has the same value as the end of
        one round and as the start of the next. absent: the players that give no more orders in this position.
        """
        owner, army = game.owner.tolist(), game.army.tolist()
        seed = derive_seed(game.seed, 79, game.round, 0)
        return estimate_win_probabilities(game.view(0), owner, army, seed, games, absent)

    def _game_after(self, roll: int, player: int, turns: Turns, own_orders: Orders | None) -> Game:
        game = self._starts[roll].clone()
        game.play_round(turns if own_orders is None else {**turns, player: own_orders}, on_illegal="skip")
        return game

    def _seed(self, kind: int, number: int) -> int:
        return derive_seed(self.game.seed, kind + 10 * self._stream, self.game.round, number)


@dataclass(frozen=True)
class PositionResult:
    """The results of the analysis of one position; each field has an entry for each player.

    Attributes:
        turns: the reports on the played turns; None for a player without a turn in this round.
        best: the best turns that the searches found, as orders in the syntax of logs; None for a player without a turn.
        decisions: the explanations of the bot that searched, see `decision_info`.
        chances: the share of playouts that the player won, with the lower and the upper end of its 95 % interval.
    """

    turns: tuple[TurnReport | None, ...]
    best: tuple[str | None, ...]
    decisions: tuple[dict[str, Any] | None, ...]
    chances: tuple[list[float], ...]


@dataclass(frozen=True)
class Judgement:
    """The judgement on a turn that a user would have played. All values are win probabilities of the player, 0 to 1.

    Attributes:
        orders: the user's turn in the syntax of logs.
        worth, played, best: the values of the user's turn, of the played turn and of the best known turn, as means over
            the dice.
        gain: `worth` minus `played`, with half the width of the difference's 95 % interval in `gain_error`.
        lost: `best` minus `worth`, at least 0, with half the width of the difference's 95 % interval in `lost_error`.
        passed: whether the user's turn is better than the played turn and loses little: the loss is below 5 percentage
            points, or is not significant.
        better: the best turn that the searches found.
    """

    orders: str
    worth: float
    played: float
    best: float
    gain: float
    gain_error: float
    lost: float
    lost_error: float
    passed: bool
    better: str


class AnalysedPosition:
    """A position with the round that was played from it, and turns that searches find. `deepen` refines the results.

    Results depend only on the game, the round and the sequence of calls of `deepen`.
    """

    def __init__(
        self, game: Game, step: Round | None, playouts: int = PLAYOUTS, games: int = ROLLS * PLAYOUTS,
        absent: Callable[[int], frozenset[int]] = lambda rounds: frozenset(),
    ) -> None:  # fmt: skip
        """Store the position `game`, and the round `step` that was played from it; None if no round was played.

        Args:
            playouts: the number of playouts of each position that a turn leads to.
            games: the number of playouts of the positions before and after the round. `deepen` does not change it, so
                that the reports on two successive rounds give the position between them the same value.
            absent: `LoggedGame.absent` of the game's log.
        """
        self.game, self.step, self.playouts, self.games = game.clone(), step, playouts, games
        self._absent = absent(game.round), absent(game.round + 1)  # before and after the round
        self._values = TurnValues(self.game, playouts, 0, self._absent[1])
        # chooses the best of the turns that the searches found
        self._choice = TurnValues(self.game, playouts, 1, self._absent[1])
        self._found_turns: list[list[str]] = [[] for _ in range(self.game.players)]
        self._decisions: list[dict[str, Any] | None] = [None] * self.game.players

    @property
    def analysed(self) -> bool:
        """Whether the searches have tried turns of every player with as many rolls of the dice as a whole pass has."""
        return self._values.rolls >= ROLLS

    def deepen(self, bot: str, rolls: int) -> PositionResult:
        """Let a bot search a turn for each player, and return the results as means over at least `rolls` dice rolls."""
        self._values.extend(rolls)
        before_values = self._values.position(self.game, self.games, self._absent[0])
        players = range(self.game.players) if self.game.phase == "play" else ()
        for player in players:
            if self._plays(player):
                self._search_turn(bot, player)
        if self.step is None:
            return self._result([None] * self.game.players, before_values)
        orders = dict(enumerate(self.step.legal_orders))
        after = self.game.clone()
        after.play_round(orders, on_illegal="skip")
        after_values = self._values.position(after, self.games, self._absent[1])
        armies = dice_luck(self.game, self.step)
        turns = [
            None
            if turn is None or not self._plays(player)
            else self._explain(
                self._compare(player, orders, before_values[player][0], after_values[player][0], armies[player]),
                player,
                orders,
                after,
                [now[0] - was[0] for was, now in zip(before_values, after_values, strict=True)],
            )
            for player, turn in orders.items()
        ]
        return self._result(turns, before_values)

    def judge(self, player: int, orders: Orders) -> Judgement:
        """Compare a turn of a player with its played turn and with the best turn that the searches found.

        Call `deepen` before. The result uses the same rolls of the dice as the report on the played turn.

        Raises:
            VariationError: no round was played, the player has no turn in it, or an order is illegal.
        """
        if self.step is None or not self._plays(player) or self.step.orders[player] is None:
            raise VariationError(f"seat {player}: there is no turn of this player after {self.game.round} rounds")
        if illegal := self.game.check(player, orders):
            raise VariationError(f"illegal order: {illegal[0]}")
        played_orders = dict(enumerate(self.step.legal_orders))
        text = format_orders(self.game.map, orders)
        judged_values = self._values.win_probabilities(player, text, played_orders, orders)
        played_values = self._values.win_probabilities(player, "played", played_orders)
        best = self._best_turn(player, played_orders)
        search_values = self._values.win_probabilities(player, best, played_orders, parse_orders(self.game.map, best))
        gain = judged_values - played_values
        best_values = search_values if search_values.mean() > played_values.mean() else played_values
        loss = best_values - judged_values
        error = _half_width(loss)
        mean_loss = max(0.0, float(loss.mean()))
        passed = mean_loss < LOSSES[-1][0] or mean_loss <= error
        return Judgement(
            text, float(judged_values.mean()), float(played_values.mean()), float(best_values.mean()),
            float(gain.mean()), _half_width(gain), mean_loss, error, passed and float(gain.mean()) > 0, best,
        )  # fmt: skip

    def _plays(self, player: int) -> bool:
        """Whether a player gives orders in the round: it is not eliminated, and has not resigned or failed."""
        return self.game.alive(player) and player not in self._absent[1]

    def _result(self, turns: list[TurnReport | None], before: list[list[float]]) -> PositionResult:
        """Return the results; a player's best turn is the first turn in `_found_turns`, which `_best_turn` sorts."""
        best = tuple(turn_texts[0] if turn_texts else None for turn_texts in self._found_turns)
        return PositionResult(tuple(turns), best, tuple(self._decisions), tuple(before))

    def _search_turn(self, bot: str, player: int) -> None:
        agent = make_agent(bot, derive_seed(self.game.seed, 78, self.game.round, player))
        text = format_orders(self.game.map, agent.act(self.game.view(player)))
        self._decisions[player] = decision_info(agent, self.game.round + 1)
        if text not in self._found_turns[player]:
            self._found_turns[player].insert(0, text)

    def _compare(self, player: int, orders: Turns, before: float, after: float, armies: float) -> TurnReport:
        """Return the report on a player's turn, compared with the turns that the searches found."""
        actual = self._values.win_probabilities(player, "played", orders)
        best = self._best_turn(player, orders)
        gains = self._values.win_probabilities(player, best, orders, parse_orders(self.game.map, best)) - actual
        gain, error = float(gains.mean()), _half_width(gains)
        idle = float((actual - self._values.win_probabilities(player, "", orders, Orders())).mean())
        better_turn = Better(best, gain, error) if gain > error else None
        stake = max(0.0, idle) + max(0.0, gain)
        return TurnReport(before, float(actual.mean()), after, armies, gain, error, stake, better_turn)

    def _best_turn(self, player: int, orders: Turns) -> str:
        """Return the best turn that the searches found, and forget the worst ones if there are many."""
        turn_texts = self._found_turns[player]
        if len(turn_texts) > 1:
            self._choice.extend(self._values.rolls)
            turns = {text: parse_orders(self.game.map, text) for text in turn_texts}
            turn_texts.sort(
                key=lambda text: -float(self._choice.win_probabilities(player, text, orders, turns[text]).mean())
            )
            del turn_texts[CANDIDATES:]
        return turn_texts[0]

    def _explain(
        self, turn: TurnReport, player: int, orders: Turns, after: Game, changes: Sequence[float]
    ) -> TurnReport:
        """Add the reason to a turn with a mark or with a large loss of win probability from any cause.

        changes: the change of the win probability of each player in the round.
        """
        assert self.step is not None
        if turn.mark in (None, "!") and turn.before - turn.after < CHANGE:
            return turn
        if turn.better is None or main_cause(turn) != "turn":
            return replace(turn, reason=reason_of(turn, player, self.game, self.step, after, changes))
        best = parse_orders(self.game.map, turn.better.orders)
        games = self._values.games(player, orders), self._values.games(player, orders, best)
        later_positions = list(zip(*(self._values.later(after, ROUNDS_LATER) for after in games), strict=True))
        reason = difference(self.game, player, (orders[player] or Orders(), best), *games, later_positions)
        return replace(turn, reason=reason)


def _half_width(values: npt.NDArray[np.float64]) -> float:
    """Return half the width of the 95 % interval of a mean."""
    return _Z_95 * float(values.std(ddof=1)) / len(values) ** 0.5
