"""Two players in the games of expert iteration: the expert (a search), and the student (the current network)."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.base import Budget, KernelAgent
from warlight_env.agents.evaluation.determinization import minimal_determinization
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.planning.plans import only_plans, random_style_turn
from warlight_env.agents.players.plan import ChoiceWork
from warlight_env.agents.plug_ins.functions import Functions, make_context
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.search.lookahead import make_lookahead_work
from warlight_env.agents.turn_net.agent import TurnNetAgent
from warlight_env.agents.turn_net.candidates import plans_and_samples
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.orders import Orders
from warlight_env.engine.reference import reference
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.view import View
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.exit.targets import TargetSettings, write_target


class Expert(KernelAgent):
    """The expert chooses its turn with a lookahead of one round.

    The candidate turns are plans (turns from heuristic rules). If there is a network, half of the candidate turns are
    turns of the network.

    Attributes:
        row: the last turn as a sequence of categorical choices (`factored_turns`), int8[N + 2 E].
    """

    name = "expert"

    def __init__(self, settings: ExitSettings, network: TurnNetwork | None, seed: int) -> None:
        super().__init__(seed)
        self._settings, self._network = settings, network
        self._target = TargetSettings(settings.samples, float(settings.target_temperature))

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        n, e, players, s = view.board.n_regions, view.board.n_edges, view.players, self._settings
        generator = only_plans if self._network is None else plans_and_samples
        functions = Functions(generator=generator, policy=random_style_turn, capacity=s.candidates)
        self._context = make_context(
            view.board, view.params, players, PLANNING, functions=functions, value=load_value(s.value),
            turns=self._network,
        )  # fmt: skip
        self._work = reference(
            ChoiceWork(make_generator_work(n, e, players), make_lookahead_work(n, e, players, s.candidates))
        )
        self.row = np.zeros(n + 2 * e, dtype=np.int8)

    def _write(self, view: View) -> int:
        return int(
            write_target(
                self._context, minimal_determinization(view), view.player, self._target, self.rng, self._work,
                self.row, self._deploy, self._attacks,
            )
        )  # fmt: skip

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        return self._picked(view, write_best_picks, PLANNING)


class Student(TurnNetAgent):
    """The student plays the network's turns, and also computes the turn of the expert (a search) in each position."""

    name = "pupil"

    def __init__(self, settings: ExitSettings, network: TurnNetwork, seed: int) -> None:
        super().__init__(network, seed, settings.policy_temperature)
        self.expert = Expert(settings, network, derive_seed(seed, 1))

    def act(self, view: View, budget: Budget | None = None) -> Orders:
        """See `Agent.act`."""
        self.expert.act(view)
        return super().act(view, budget)
