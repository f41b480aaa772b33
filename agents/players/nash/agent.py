"""The agent that plays with equilibrium search."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Annotated, Final, Literal

import numpy as np

from warlight_env.agents.context import Context
from warlight_env.agents.parameters import (
    FROM_ONE,
    SECONDS,
    WEIGHTS,
    Param,
    Range,
    check_values,
    documented,
    parameters_of,
)
from warlight_env.agents.planning.plans import generate_plans, planned_turn
from warlight_env.agents.planning.simulated_picks import simulated_picks
from warlight_env.agents.players.nash.nash_work import NashWork, SimpleContexts, make_nash_setup, make_nash_work
from warlight_env.agents.players.nash.opponent_types import OPPONENT_TYPES, OpponentTypes
from warlight_env.agents.players.nash.recognized_bots import RecognizedBots
from warlight_env.agents.players.nash.round_solver import (
    BY_NETWORK,
    BY_PLAYS,
    OwnTurns,
    RoundGame,
    Sizes,
    sizes_for,
    solve_round,
    turns_of,
)
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.search_record import Candidate, SearchRecord
from warlight_env.agents.records.turn_record import N_MEMORY, TurnNetwork, ranks_offers
from warlight_env.agents.records.value_record import VALUE, ValueNetwork, load_value
from warlight_env.agents.search.search_agent import Limits, SearchAgent
from warlight_env.agents.turn_net.candidates import plans_and_samples
from warlight_env.agents.turn_net.choice import load_networks
from warlight_env.agents.turn_net.game_memory import GameMemory
from warlight_env.agents.turn_net.picks import network_picks
from warlight_env.agents.turn_net.turn_network_file import NET
from warlight_env.agents.turn_net.turns import sampled_turn
from warlight_env.agents.weights import Weights
from warlight_env.engine.orders import Orders
from warlight_env.engine.position import Position
from warlight_env.engine.rng import make_rng
from warlight_env.engine.view import View
from warlight_env.errors import InputError

#: Number of simulations of a move if the agent has no limit of simulations or seconds.
NASH_SIMULATIONS: Final = 1200
#: Assumed number of steps (`Sizes.steps`) per second and thread, until the agent has measured its speed. The numbers
#: are for two players on the world map, without and with a turn network.
_RATE, _NETWORK_RATE = 200_000.0, 30_000.0
_WORLD_REGIONS: Final = 42
#: _ENOUGH: the agent measures its speed only in moves with at least this number of simulations. _LAST: the weight of
#: the last move in the running average of the speed.
_ENOUGH: Final = 50
_LAST: Final = 0.5
#: Minimum gain in win probability before the search leaves the network's most likely turn, without fog and with fog.
#: Under fog, parts of a position are guesses, so an estimated gain is less reliable.
_ANCHOR: Final = 0.03
_ANCHOR_IN_FOG: Final = 0.1
#: The final move `mixture` never draws a turn with less than this fraction of the highest probability in the mixture,
#: because smaller probabilities are noise.
_LEAST: Final = 0.1


def _defaults(field: str) -> str:
    """Return the default values of a field of `Sizes`, as text for a parameter's help."""

    def describe(table: Sequence[tuple[int, Sizes]]) -> str:
        *_, (_, few), (threshold, many) = table
        first, second = getattr(few, field), getattr(many, field)
        return f"{first}" if first == second else f"{first}, or {second} from {threshold} simulations on"

    return f"{describe(BY_NETWORK)}; without a turn network {describe(BY_PLAYS)}"


@documented
class NashAgent(SearchAgent):
    """Approximates an equilibrium in mixed strategies of the next round by regret matching, and plays by its strategy.

    The candidate turns of all players are plans and samples of a turn network. Local search finds best responses to the
    mixed strategies, and adds the responses to the candidate turns. A simulation plays the next round and possibly
    later rounds. A budget in simulations limits the number of simulations.
    """

    name = "nash"
    default_simulations = NASH_SIMULATIONS

    def __init__(  # noqa: PLR0913 -- one argument for each setting of users
        self,
        seed: int = 0,
        sims: Annotated[
            int | None,
            Param(
                f"simulations per move (default: {NASH_SIMULATIONS}, unless secs is given)",
                1,
                10**9,
                python_range=FROM_ONE,
                spec_name="sims",
            ),
        ] = None,
        secs: Annotated[float | None, SECONDS] = None,
        candidates: Annotated[
            int | None, Param(f"initial number of turns of each player (default: {_defaults('candidates')})", 1, 200)
        ] = None,
        rounds: Annotated[
            int | None,
            Param(
                "rounds of a simulation: the first with candidate turns, later rounds with turns of the network or "
                f"planned turns (default: {_defaults('rounds')}; without both networks: 2)",
                1,
                100,
            ),
        ] = None,
        best_responses: Annotated[
            int | None, Param(f"number of searches for best responses (default: {_defaults('best_responses')})", 0, 100)
        ] = None,
        local_search: Annotated[
            float,
            Param(
                "fraction of the budget for the search for best responses",
                0,
                0.99,
                python_range=Range(0, 1, below_high=True),
                shared=True,
            ),
        ] = 0.5,
        scenarios: Annotated[
            int | None,
            Param(
                f"number of scenarios that test best responses (default: {_defaults('scenarios')})",
                1,
                10_000,
                shared=True,
            ),
        ] = None,
        final_move: Annotated[
            Literal["best", "most_likely", "mixture"] | None,
            Param(
                "rule for the answer: best (best turn against the other players' mixtures), most_likely (most likely "
                "turn of the own mixture), mixture (turn drawn from it); default: best, under fog most_likely",
                choices=("best", "most_likely", "mixture"),
            ),
        ] = None,
        value: Annotated[str | ValueNetwork | None, VALUE] = "learned",
        net: Annotated[str | TurnNetwork | None, NET] = "learned",
        policy_anchor: Annotated[
            float | None,
            Param(
                "minimum gain in win probability before the search leaves the network's most likely turn; applies also "
                f"to players with the same candidate turns (default: {_ANCHOR}, under fog {_ANCHOR_IN_FOG})",
                0,
                1,
                more="The network is the anchor policy of piKL (Jacob et al., 2022).",
            ),
        ] = None,
        opponent_model: Annotated[
            Literal["recognized", "same", "observed", "plans", "network", "generators"],
            Param(
                "candidate turns of the other players: same (as for this player), recognized (as same, but in games "
                "without fog a player recognized as one_big_army or aggressive gets this bot's turn), plans, network, "
                "generators (of the thesis), observed (plans, network and generators, weighted by similarity to "
                "observed turns)",
                choices=("recognized", "same", "observed", *OPPONENT_TYPES),
            ),
        ] = "recognized",
        threads: Annotated[
            int, Param("number of parallel searches per move, each with the whole budget", 1, 1000, shared=True)
        ] = 1,
        picks: Annotated[
            Literal["network", "simulated", "best"] | None,
            Param(
                "choice of starting regions: by the head for picks of own_net (network), by simulated games "
                "(simulated) or by the weights (best); default: network if own_net has such a head, else simulated",
                choices=("network", "simulated", "best"),
                shared=True,
            ),
        ] = None,
        own_net: Annotated[
            str | TurnNetwork | None,
            Param(
                "turn network that proposes this player's candidates, with this player's memory under fog (default: "
                "the network of net; for net=learned under fog policy:fog for two players on the world map, else "
                "policy:any_fog)",
            ),
        ] = None,
        weights: Annotated[str | Weights, WEIGHTS] = "planning",
    ) -> None:
        super().__init__(seed, sims, secs, weights)
        self.local_search, self.threads = local_search, threads
        self.final_move, self.picks, self.opponent_model = final_move, picks, opponent_model
        self.policy_anchor = policy_anchor
        options = {"candidates": candidates, "best_responses": best_responses, "scenarios": scenarios, "rounds": rounds}
        check_values(NashAgent, {**vars(self), **options, "sims": sims, "secs": secs})
        self.rng = make_rng(self.seed)
        self.value, self.nets = load_value(value), load_networks(net)
        self.own_nets = self.nets if own_net is None else load_networks(own_net, "own_net")
        self._game_memory = GameMemory(None)
        if rounds is None and self.nets is None:
            rounds = 2 if self.value is None else 1
        self.rounds, self.sizes = rounds, (candidates, best_responses, scenarios, rounds)
        self._rate: float | None = None  # measured number of steps (`Sizes.steps`) per second
        if opponent_model == "network" and self.nets is None:
            raise InputError("opponent_model = 'network': there is no turn network, because net = 'none'")
        if picks == "network" and not any(ranks_offers(network) for network in self.own_nets or ()):
            raise InputError("picks = 'network': no network of own_net has a head for picks")
        self._opponents: OpponentTypes | None = None
        self._simple: RecognizedBots | None = None

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        kind, network = self.picks, self._memory_for(view).network
        if kind is None:
            kind = "network" if network is not None and ranks_offers(network) else "simulated"
        if kind == "best":
            picks = super().pick(view)
        elif kind == "network":
            picks = self._network_picks(view, network)
        else:
            net = self._net(view)
            policy = planned_turn if net is None else sampled_turn
            picks = simulated_picks(view, self.weights, self.value, self.rng, policy=policy, net=net)
        self._memory_for(view).picked(view, picks)
        return picks

    def _network_picks(self, view: View, network: TurnNetwork | None) -> list[int]:
        if network is None or not ranks_offers(network):
            raise InputError("picks = 'network': the network of own_net for this game has no head for picks")
        context = make_context(view.board, view.params, view.players, self.weights, turns=network)
        work = make_generator_work(view.board.n_regions, view.board.n_edges, view.players)
        return network_picks(context, view, 0.0, self.rng, work)

    def _net(self, view: View) -> TurnNetwork | None:
        """Return the turn network for the game of a view, or None if the agent has no turn network."""
        return None if self.nets is None else self.nets.for_known_position(view)

    def _memory_for(self, view: View) -> GameMemory:
        """Return the memory of the game for the turn network of this player's candidate turns."""
        network = None if self.own_nets is None else self.own_nets.for_own_turn(view)
        if self._game_memory.network is not network:
            self._game_memory = GameMemory(network)
        return self._game_memory

    def _context(self, view: View, net: TurnNetwork | None, sizes: Sizes) -> Context:
        """Return the context in which a turn network or, with None, plans give the turns."""
        generator, policy = (generate_plans, planned_turn) if net is None else (plans_and_samples, sampled_turn)
        functions = Functions(generator=generator, policy=policy, capacity=sizes.candidates)
        return make_context(
            view.board, view.params, view.players, self.weights, functions=functions, value=self.value, turns=net
        )

    def _anchor_for(self, view: View) -> float:
        """Return the bonus for the network's most likely turn: the parameter `policy_anchor` or its default."""
        if self.policy_anchor is not None:
            return self.policy_anchor
        return _ANCHOR_IN_FOG if view.rules.fog else _ANCHOR

    def _sizes(self, view: View, limits: Limits) -> Sizes:
        """Return the sizes of the search; the budget determines each size that the agent's parameters do not set."""
        if self._rate is None:
            world_rate = _RATE if self.nets is None else _NETWORK_RATE
            self._rate = world_rate * _WORLD_REGIONS / view.board.n_regions * 2 / view.players
        plays = math.inf if limits.simulations is None else float(limits.simulations)
        steps = math.inf if limits.deadline == math.inf else self._rate * (limits.deadline - time.perf_counter())
        defaults = sizes_for(BY_PLAYS if self.nets is None else BY_NETWORK, plays, steps, self.rounds)
        return Sizes(
            *(default if value is None else value for value, default in zip(self.sizes, defaults, strict=True))
        )

    def _measure(self, plays: int, sizes: Sizes, seconds: float) -> None:
        """Update the measured speed of the search after a move."""
        assert self._rate is not None
        if plays >= _ENOUGH:
            self._rate += _LAST * (plays * sizes.steps / max(1e-6, seconds) - self._rate)

    def _works(self, view: View, sizes: Sizes) -> list[NashWork]:
        """Return working memory for each thread; it is allocated again if the board, players or sizes changed."""

        def make(*counts: int) -> list[NashWork]:
            return [make_nash_work(*counts) for _ in range(self.threads)]

        return self._memory(view, make, *sizes[:3])

    def _opponent_types(self, view: View, position: Position, work: NashWork) -> OpponentTypes | None:
        """Return the estimated types (policies) of the other players, after an update with the last round.

        position: the position of the search. Returns None if `opponent_model` is "recognized" or "same": the other
        players then have candidate turns of the same types as the agent.
        """
        if self.opponent_model in ("recognized", "same"):
            return None
        types = self._opponents
        if types is None or not types.goes_on(view):
            kinds = [
                kind
                for kind in OPPONENT_TYPES
                if self.opponent_model in (kind, "observed") and (kind, self.nets) != ("network", None)
            ]
            types = OpponentTypes(view, kinds, self.weights, self._net(view))
            self._opponents = types
        types.update(view, position, work)
        return types

    def _recognized_bots(self, view: View, position: Position) -> RecognizedBots | None:
        """Return estimates of whether the other players are simple bots, after an update with the last round.

        Returns None if the agent does not recognise simple bots, or if the game has fog.
        """
        if self.opponent_model != "recognized" or view.rules.fog:
            return None
        if self._simple is None or not self._simple.goes_on(view):
            self._simple = RecognizedBots(view)
        self._simple.update(view, position)
        return self._simple

    def _search(self, view: View, limits: Limits) -> SearchRecord:
        sizes, net = self._sizes(view, limits), self._net(view)
        memory, features = self._memory_for(view), np.zeros((view.board.n_regions, N_MEMORY), np.float32)
        works = self._works(view, sizes)
        works[0].rng[:] = self.rng
        context = self._context(view, net, sizes)
        own_context = context if memory.network is net else self._context(view, memory.network, sizes)
        own_position, player, anchor = memory.position(view, features), view.player, self._anchor_for(view)
        position = own_position if view.estimated is None else view.position
        opponents = self._opponent_types(view, position, works[0])
        simple = self._recognized_bots(view, position)
        setup = make_nash_setup(
            context, sizes.rounds, sizes.scenarios, None if simple is None else SimpleContexts(*simple.contexts)
        )
        game = RoundGame(
            context, setup, position, player, opponents, simple, sizes.candidates, sizes.best_responses,
            self.local_search, 0.0 if net is None else anchor,
            OwnTurns(own_context, own_position, features, 0.0 if memory.network is None else anchor),
        )  # fmt: skip
        start_counts = solve_round(game, works, limits)
        self.rng[:] = works[0].rng
        self._measure(int(works[0].counters[0]), sizes, time.perf_counter() - limits.start)
        # If other players are not visible, their mixed strategies are guesses, so the best turn against them is less
        # reliable.
        answer = self.final_move or ("most_likely" if view.rules.fog else "best")
        return self._candidates_record(works, view.player, start_counts[view.player], answer, limits)

    def _candidates_record(
        self, works: list[NashWork], player: int, start_count: int, answer: str, limits: Limits
    ) -> SearchRecord:
        turns = turns_of(works, player, start_count)
        if not turns.orders:  # the player has no region
            return limits.record([Candidate(Orders(), 0, 0.0)], 0, 0, 1, 1)
        # The mean share of a best response is an estimate, which may exceed 1.
        totals = np.minimum(turns.total, turns.visits)
        candidates = [
            Candidate(orders, int(visits), float(total), refined=i >= start_count, probability=float(probability))
            for i, (orders, visits, total, probability) in enumerate(
                zip(turns.orders, turns.visits, totals, turns.mixture, strict=True)
            )
        ]
        mixture = turns.mixture
        best = int((turns.total / np.maximum(1, turns.visits) + turns.bonus).argmax())
        likely = np.where(mixture >= _LEAST * mixture.max(), mixture, 0.0)
        if answer == "most_likely":
            best = int(mixture.argmax())
        elif answer == "mixture" and likely.sum() > 0:
            best = int(np.random.default_rng(int(self.rng[0])).choice(len(candidates), p=likely / likely.sum()))
        order = sorted(range(len(candidates)), key=lambda i: (i != best, -mixture[i]))
        plays, nodes = sum(int(work.counters[0]) for work in works), sum(int(work.sizes.sum()) for work in works)
        return limits.record([candidates[i] for i in order], plays, nodes, 1, 1)


#: The parameters that specifications of this agent accept.
PARAMETERS: Final = parameters_of(NashAgent)
