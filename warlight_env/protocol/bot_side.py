"""The class `BotSide`: it lets an agent of this package play as a bot of a game engine.

`BotSide` receives the messages of the game engine and returns the answers. The class neither measures time nor reads or
writes streams.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np

from warlight_env import maps
from warlight_env.agents import Agent, Budget
from warlight_env.arguments import accepts_arguments, is_integer, short_repr
from warlight_env.beliefs.belief import Observation
from warlight_env.beliefs.belief_agent import BeliefAgent
from warlight_env.beliefs.order_observer import OpponentOrders
from warlight_env.engine.army_cap import ARMY_CAP
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.engine.state import NEUTRAL, UNKNOWN
from warlight_env.engine.view import View
from warlight_env.errors import InputError, RunError
from warlight_env.protocol import messages as m
from warlight_env.protocol.engine_messages import NAMES
from warlight_env.protocol.grammar import format_message
from warlight_env.protocol.turn_start import TurnStart, income
from warlight_env.step_results import Deploy, Event, RoundResult, seen_by_all

#: The maximum number of orders in an answer: the limit that the game engines of the AI Challenges really apply. It is
#: one more than the documented limit.
_MAX_ORDERS: Final = m.MAX_ORDERS + 1


def estimated_round(before: View, own_orders: Orders, opponent_orders: OpponentOrders, after: View) -> RoundResult:
    """Return a round of a game of two players, with estimates of the results and losses.

    The text protocol sends no losses and no captures, so they are estimated from the orders that the bot knows.
    The attacks and transfers of the player come first. If the target of an order is visible after the round, its owner
    decides whether the order captured it. A region that the player lost is captured. Otherwise, the order captured its
    target if the expected losses of the defender are at least its armies. All losses are expected losses, rounded. The
    armies of all orders together are limited to `ARMY_CAP`.

    Args:
        before: the player's view at the start of the round.
        own_orders: the player's orders.
        opponent_orders: the opponent's orders that the player saw.
        after: the player's view at the end of the round.
    """
    player, rules, result = before.player, before.rules, RoundResult(after.round)
    owner, army = before.owner.copy(), before.army.astype(np.int64)  # the position during the round
    deploys = [(player, *row) for row in own_orders.deploys] + [(1 - player, *row) for row in opponent_orders.deploys]
    moves = [(player, *row) for row in own_orders.attacks] + [(1 - player, *row) for row in opponent_orders.moves]
    armies_left = ARMY_CAP
    for seat, region, armies in deploys:
        armies = min(armies, armies_left)
        armies_left -= armies
        owner[region] = seat
        army[region] += armies
        result.deploys.append(Deploy(seat, region, armies))
    armies_left = ARMY_CAP
    for seat, source, target, armies in moves:
        armies = min(armies, armies_left)
        armies_left -= armies
        if armies < 1:
            continue
        army[source] = max(1, army[source] - armies)
        if owner[target] in (seat, UNKNOWN):
            army[target] += armies
            result.events.append(Event(seat, source, target, armies, "transfer", 0, 0, False))
            continue
        defenders = max(1, int(army[target]))
        killed, lost = round(rules.attack_kill * armies), round(rules.defense_kill * defenders)
        captured = bool(after.owner[target] == seat)
        if after.owner[target] == UNKNOWN:
            captured = owner[target] == player or killed >= defenders
        attackers_lost = min(lost, armies - 1 if captured else armies)
        defenders_lost = defenders if captured else min(killed, defenders - 1)
        result.events.append(Event(seat, source, target, armies, "attack", attackers_lost, defenders_lost, captured))
        if captured:
            owner[target], army[target] = seat, armies - attackers_lost
        else:
            army[target] -= defenders_lost
            army[source] += armies - attackers_lost
    owners = before.owner.tolist(), after.owner.tolist()
    visible = seen_by_all(before.map.neighbors, before.players, *owners, result.events)
    return replace(result, visible=(visible[player],) * before.players)


@dataclass
class EngineState:
    """The content of the messages that the bot has received from the game engine so far."""

    name: str = ""  #: name of the bot; "" until it is received
    max_rounds: int | None = None
    setup: list[str] = field(default_factory=list)  #: the three lines that describe the map
    wastelands: tuple[int, ...] = ()
    offered: tuple[int, ...] = ()
    amount: int | None = None
    opponent_starts: tuple[int, ...] | None = None
    rows: tuple[tuple[int, str, int], ...] = ()
    orders: tuple[m.PlaceOrder | m.MoveOrder, ...] = ()
    turn: TurnStart = field(default_factory=TurnStart)


class BotSide:
    """An agent that plays one game as a bot.

    The caller calls `receive` with every message in the order of arrival and `answer` with each question. The caller
    calls `confirm_picks` with the picks that it has sent to the game engine.

    Args:
        make: a function that makes the agent; the constructor of `BotSide` calls `make` once.
        challenge: the version of the protocol, 1 or 2. If `challenge` is None, the first question determines the
            version.
        report: a function that receives a sentence for each setting that the game engine has not sent.
    """

    def __init__(
        self,
        make: Callable[[], Agent],
        challenge: m.Challenge | None = None,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        if not callable(make) or not accepts_arguments(make):
            raise InputError(f"make = {short_repr(make)}: must be a function without arguments")
        if not callable(report) or not accepts_arguments(report, ""):
            raise InputError(f"report = {short_repr(report)}: must be a function with one string argument")
        if challenge is not None and (not is_integer(challenge) or challenge not in (1, 2)):
            raise InputError(f"challenge = {short_repr(challenge)}: must be 1, 2 or None")
        self._report = report
        self._agent = BeliefAgent(make())
        self._challenge = challenge
        self._engine = EngineState()
        self._map: maps.Map | None = None
        self._orders: Orders | None = None  # the orders of this round; None until they are planned
        self._own_picks: list[int] = []
        self._starts: tuple[tuple[int, ...], ...] | None = None  # each player's start regions, if they are public
        self._last_turn: tuple[View, Orders] | None = None  # the view and the orders of the last round

    def receive(self, message: m.Message) -> None:
        """Store the content of a message that is not a question."""
        engine = self._engine
        match message:
            case m.YourBot(name):
                engine.name = name
            case m.MaxRounds(rounds):
                engine.max_rounds = rounds
            case m.SuperRegions() | m.Regions() | m.Neighbors():
                engine.setup.append(format_message(message))
            case m.Wastelands(regions):
                engine.wastelands = regions
            case m.StartingRegions(regions):
                engine.offered = regions
            case m.StartingPickAmount(amount):
                engine.amount = amount
            case m.OpponentStartingRegions(regions):
                engine.opponent_starts = regions
            case m.StartingArmies(armies):
                engine.turn.receive_armies(armies)
            case m.UpdateMap(rows):
                engine.turn.receive_map()
                engine.rows, self._orders = rows, None
            case m.OpponentMoves(orders):
                engine.orders = orders

    def answer(self, question: m.Question, budget: Budget | None = None) -> m.Answer:
        """Return the answer to a question.

        At the first question of a round, the agent plans its whole turn, so that the answer to the second question of
        the round takes no time.

        Raises:
            RunError: the game engine has not sent a message that is necessary for the answer.
            MapError: the agent cannot play on the game engine's map.
        """
        if self._map is None:
            self._begin_game(question)
        if isinstance(question, m.Go):
            if self._engine.turn.receive_question(question.kind == m.PLACE):
                self._orders = None
                number = self._engine.turn.round + 1
                self._report(f"round {number}: no 'update_map': the bot uses the map of round {number - 1}")
            if self._orders is None:
                self._orders = self._turn(budget)
            name, ids = self._engine.name, self._ids
            if question.kind == m.PLACE:
                deploys = self._orders.deploys[: m.MAX_ORDERS]
                return m.PlaceOrders(tuple(m.PlaceOrder(name, ids[region], armies) for region, armies in deploys))
            attacks = self._orders.attacks[:_MAX_ORDERS]
            return m.MoveOrders(tuple(m.MoveOrder(name, ids[a], ids[b], armies) for a, b, armies in attacks))
        return m.PicksAnswer(tuple(self._ids[r] for r in self._picks(question)))

    def confirm_picks(self, picks: m.PicksAnswer) -> None:
        """Store the picks that were sent to the game engine, which may differ from the agent's answer."""
        regions = self._indices(picks.regions) if self._map is not None else []
        self._own_picks += regions
        self._agent.set_picks(regions)

    # The game

    def _begin_game(self, question: m.Question) -> None:
        if len(self._engine.setup) < 3:
            raise RunError("the engine sent no map (setup_map super_regions, regions, neighbors) before a question")
        game_map = maps.from_setup_lines("\n".join(self._engine.setup), "the engine's map")
        # `from_setup_lines` numbers the regions from 0 in the order of their ids.
        regions = next(line for line in self._engine.setup if line.startswith("setup_map regions")).split()[2::2]
        self._ids = sorted(map(int, regions))
        self._index = {region: index for index, region in enumerate(self._ids)}
        is_version_2 = isinstance(question, m.PickRegion) or self._engine.max_rounds is not None
        challenge = self._challenge or (2 if is_version_2 else 1)
        changes: dict[str, Any] = {}
        if challenge == 2 and self._engine.max_rounds is not None:
            changes = {"max_rounds": self._engine.max_rounds, "rounds_per_region": 0.0}
        if challenge == 2 and self._engine.amount:
            changes["picks"] = self._engine.amount
        self._rules = Rules.of(f"challenge{challenge}", **changes)
        self._board = make_board(game_map)
        self._params = self._rules.params(self._board.n_regions, self._board.n_super_regions)
        self._start = np.array(game_map.starting_armies, dtype=np.int32)
        self._start[self._indices(self._engine.wastelands)] = self._rules.wasteland_army
        if not self._engine.name:
            self._engine.name = NAMES[0]
            self._report(f"the engine sent no 'settings your_bot': the bot uses the name {NAMES[0]}")
        self.player = NAMES.index(self._engine.name) if self._engine.name in NAMES else 0
        self._map = game_map  # set this last, so that after an error the game has not begun

    def _indices(self, ids: tuple[int, ...]) -> list[int]:
        return [self._index[region] for region in ids if region in self._index]

    def _view(self, phase: str, owner: Any, army: Any, **fields: Any) -> View:
        return View(
            map=self._map,
            board=self._board,
            rules=self._rules,
            params=self._params,
            player=self.player,
            players=2,
            phase=phase,
            round=max(0, self._engine.turn.round),
            owner=owner,
            army=army,
            **{"income": self._rules.base_income, "offers": (), "picks_left": 0, **fields},
        )

    def _picks(self, question: m.PickRegions | m.PickRegion) -> list[int]:
        offers = self._indices(question.regions)
        owner = np.full(len(self._ids), NEUTRAL, dtype=np.int8)
        picks_left = self._params.picks or max(1, len(self._indices(self._engine.offered)) // 2)
        is_single = isinstance(question, m.PickRegion)
        if is_single:
            # A region that is no longer offered was picked. It belongs to the bot if it is in `_own_picks`, and to the
            # opponent otherwise.
            picked_regions = [r for r in self._indices(self._engine.offered) if r not in offers]
            own_picks = [r for r in picked_regions if r in self._own_picks]
            owner[picked_regions], owner[own_picks] = 1 - self.player, self.player
            picks_left -= len(own_picks)
        view = self._view("pick", owner, self._start.copy(), offers=tuple(offers), picks_left=picks_left)
        preferences = [r for r in self._agent.pick(view) if r in offers]
        if is_single:
            return preferences[:1] or offers[:1]
        unranked = [r for r in offers if r not in preferences]
        return [*preferences, *unranked][: max(self._params.ranked, 1)]

    def _turn(self, budget: Budget | None) -> Orders:
        engine = self._engine
        assert self._map is not None
        if engine.turn.round < 0 or not engine.rows:
            raise RunError("the engine sent no update_map before a question")
        owner = np.full(len(self._ids), UNKNOWN, dtype=np.int8)
        army = np.zeros(len(self._ids), dtype=np.int32)
        for region, name, army_size in engine.rows:
            if region not in self._index or name == m.UNKNOWN_NAME:
                continue
            player = self.player if name == engine.name else NEUTRAL if name == m.NEUTRAL_NAME else 1 - self.player
            owner[self._index[region]], army[self._index[region]] = player, army_size
        placements, moves = [], []
        orders, engine.orders = engine.orders, ()  # use the opponent's visible orders for one turn only
        for order in orders:
            if isinstance(order, m.PlaceOrder) and order.region in self._index:
                placements.append((self._index[order.region], order.armies))
            elif isinstance(order, m.MoveOrder) and {order.source, order.target} <= self._index.keys():
                source, target = self._index[order.source], self._index[order.target]
                if target in self._map.neighbors[source]:
                    moves.append((source, target, order.armies))
        starts = None if engine.opponent_starts is None else self._indices(engine.opponent_starts)
        armies = engine.turn.armies
        if armies is None:
            owned = np.flatnonzero(owner == self.player).tolist()
            members, bonuses = dict(enumerate(self._map.super_region_of)), dict(enumerate(self._map.bonuses))
            armies = income(owned, members, bonuses)
            self._report(
                f"round {engine.turn.round + 1}: no 'settings starting_armies': under the rules it is {armies}"
            )
        opponent_orders, last_turn = OpponentOrders(tuple(placements), tuple(moves)), self._last_turn
        if starts is not None and engine.turn.round == 0:
            own_starts = tuple(np.flatnonzero(owner == self.player).tolist())
            self._starts = (own_starts, tuple(starts)) if self.player == 0 else (tuple(starts), own_starts)
        view = self._view("play", owner, army, starts=self._starts, income=armies)
        if last_turn is not None and last_turn[0].round == view.round - 1:
            view = replace(view, _last_round=partial(estimated_round, *last_turn, opponent_orders, view))
        turn = self._agent.act_on(view, Observation(engine.turn.round, owner, army, opponent_orders, starts), budget)
        self._last_turn = view, turn
        return turn
