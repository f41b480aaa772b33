"""The analysis of one position of a logged game: the played turns compared with those of a search.

The value of a turn is the share of games won from the positions after it. To value a turn, the round is played many
times with different dice, and the other players keep their orders. Then the program plays each resulting position to
the end of the game, and all players choose turns like the bot `aggressive`. Two turns of a player are compared with the
same dice and playouts: their difference is more certain than each value.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from warlight_env.web.workers.rollout_estimate import estimate_win_probabilities
from warlight_env.web.workers.turn_report import CHANGE, LOSSES, Better, TurnReport
from warlight_env.web.workers.turning_points import reason_of

ROLLS: Final = 48  # repetitions of a round with other dice
PLAYOUTS: Final = 20  # playouts of each resulting position
CANDIDATES: Final = 4  # the most turns of a player that are compared; more searches replace the worst of them
_SURE: Final = 1.96  # half the width of a 95 % interval, in standard errors


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

    def __init__(self, game: Game, step: Round | None, playouts: int = PLAYOUTS) -> None:
        """Store the position `game`, and the round `step` that was played from it; None if no round was played."""
        self.game, self.step, self.playouts = game.clone(), step, playouts
        saved = game.to_dict()
        del saved["hash"]  # it contains the dice, which are replaced
        self._saved = saved
        self._starts: list[Game] = []
        self._rows: dict[tuple[int, str], list[list[float]]] = {}
        self._found: list[list[str]] = [[] for _ in range(self.game.players)]
        self._decisions: list[dict[str, Any] | None] = [None] * self.game.players

    @property
    def analysed(self) -> bool:
        """Whether the searches have tried turns of every player with as many rolls of the dice as a whole pass has."""
        return len(self._starts) >= ROLLS

    def deepen(self, bot: str, rolls: int) -> PositionResult:
        """Let a bot search a turn for each player, and return the results as means over at least `rolls` dice rolls."""
        while len(self._starts) < rolls:
            dice = make_rng(derive_seed(self.game.seed, 77, self.game.round, len(self._starts))).tolist()
            state = {**self._saved["state"], "rng": dice}
            self._starts.append(Game.from_dict({**self._saved, "map": self.game.map, "state": state}))
        many = len(self._starts) * self.playouts
        before = self._intervals(self.game, 0, many)
        players = range(self.game.players) if self.game.phase == "play" else ()
        for player in players:
            if self.game.alive(player):
                self._search(bot, player)
        if self.step is None:
            return self._result([None] * self.game.players, before)
        orders = dict(enumerate(self.step.orders))
        after = self.game.clone()
        after.play_round(orders, on_illegal="skip")
        come = self._intervals(after, 1, many)
        armies = dice_luck(self.game, self.step)
        turns = [
            None
            if turn is None or not self.game.alive(player)
            else self._explained(
                self._compared(player, orders, before[player][0], come[player][0], armies[player]), player, after
            )
            for player, turn in orders.items()
        ]
        return self._result(turns, before)

    def judge(self, player: int, orders: Orders) -> Judgement:
        """Compare a turn of a player with its played turn and with the best turn that the searches found.

        Call `deepen` before. The result uses the same rolls of the dice as the report on the played turn.

        Raises:
            VariationError: no round was played, the player has no turn in it, or an order is illegal.
        """
        if self.step is None or not self.game.alive(player) or self.step.orders[player] is None:
            raise VariationError(f"seat {player}: there is no turn of this player after {self.game.round} rounds")
        if illegal := self.game.check(player, orders):
            raise VariationError(f"illegal order: {illegal[0]}")
        played = dict(enumerate(self.step.orders))
        text = format_orders(self.game.map, orders)
        tried = self._values(player, text, played, orders)
        before = self._values(player, "played", played)
        found = self._found[player]
        values = {other: self._values(player, other, played, parse_orders(self.game.map, other)) for other in found}
        best = max(found, key=lambda other: float(values[other].mean()))
        gain = tried - before
        better = values[best] if values[best].mean() > before.mean() else before
        lost = better - tried
        error = _half_width(lost)
        missing = max(0.0, float(lost.mean()))
        passed = missing < LOSSES[-1][0] or missing <= error
        return Judgement(
            text, float(tried.mean()), float(before.mean()), float(better.mean()), float(gain.mean()),
            _half_width(gain), missing, error, passed and float(gain.mean()) > 0, best,
        )  # fmt: skip

    def _result(self, turns: list[TurnReport | None], before: list[list[float]]) -> PositionResult:
        """Return the results; a player's best turn is the first turn in `_found`, which `_compared` sorts."""
        best = tuple(found[0] if found else None for found in self._found)
        return PositionResult(tuple(turns), best, tuple(self._decisions), tuple(before))

    def _search(self, bot: str, player: int) -> None:
        agent = make_agent(bot, derive_seed(self.game.seed, 78, self.game.round, player))
        text = format_orders(self.game.map, agent.act(self.game.view(player)))
        self._decisions[player] = decision_info(agent, self.game.round + 1)
        if text not in self._found[player]:
            self._found[player].insert(0, text)

    def _compared(
        self, player: int, orders: Mapping[int, Orders | None], before: float, after: float, armies: float
    ) -> TurnReport:
        """Return the report on a player's turn, compared with the turns that the searches found."""
        actual = self._values(player, "played", orders)
        found = self._found[player]
        values = {text: self._values(player, text, orders, parse_orders(self.game.map, text)) for text in found}
        found.sort(key=lambda text: -float(values[text].mean()))
        del found[CANDIDATES:]
        best = found[0]
        gains = values[best] - actual
        gain, error = float(gains.mean()), _SURE * float(gains.std(ddof=1)) / len(gains) ** 0.5
        idle = float((actual - self._values(player, "", orders, Orders())).mean())
        better = Better(best, gain, error) if gain > error else None
        stake = max(0.0, idle) + max(0.0, gain)
        return TurnReport(before, float(actual.mean()), after, armies, gain, error, stake, better)

    def _explained(self, turn: TurnReport, player: int, after: Game) -> TurnReport:
        """Add the reason to a turn with a mark or with a large loss of win probability from any cause."""
        assert self.step is not None
        if turn.mark in (None, "!") and turn.before - turn.after < CHANGE:
            return turn
        return replace(turn, reason=reason_of(turn, player, self.game, self.step, after))

    def _values(
        self, player: int, key: str, orders: Mapping[int, Orders | None], own: Orders | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the player's win probability after the round for each roll of the dice, float64[roll].

        own: orders that replace the player's orders in `orders`; if it is None, `orders` stay unchanged.
        """
        rows = self._rows.setdefault((-1 if own is None else player, key), [])
        for roll in range(len(rows), len(self._starts)):
            game = self._starts[roll].clone()
            game.play_round(orders if own is None else {**orders, player: own}, on_illegal="skip")
            rows.append([share for share, *_ in self._intervals(game, 2 + roll, self.playouts)])
        return np.array(rows)[:, player]

    def _intervals(self, game: Game, place: int, games: int) -> list[list[float]]:
        seed = derive_seed(self.game.seed, 79, self.game.round, place)
        owner, army = game.owner.tolist(), game.army.tolist()
        return estimate_win_probabilities(self.game.view(0), owner, army, seed, games)


def _half_width(values: npt.NDArray[np.float64]) -> float:
    """Return half the width of the 95 % interval of a mean."""
    return _SURE * float(values.std(ddof=1)) / len(values) ** 0.5
