"""The agent that plays the turns of a turn network, without search."""

from __future__ import annotations

import numpy as np

from warlight_env.agents.base import KernelAgent, check_request
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.generator_work import make_generator_work
from warlight_env.agents.records.turn_record import TurnNetwork
from warlight_env.agents.turn_net.game_memory import GameMemory
from warlight_env.agents.turn_net.picks import network_picks
from warlight_env.agents.turn_net.turn_network_file import checked_temperature
from warlight_env.agents.turn_net.turns import network_turn
from warlight_env.agents.weights import PLANNING
from warlight_env.engine.view import View


class TurnNetAgent(KernelAgent):
    """Plays the turns of a turn network, on any map, with any rules and any number of players.

    A network with a head for picks also chooses the start regions; otherwise the evaluation of the weights `planning`
    chooses them. Under fog, a network that reads features of the memory gets the believed position of a `GameMemory`.
    For all other networks, `minimal_determinization` supplies the owners and armies of hidden regions.

    Args:
        network: the network that plays.
        temperature: the divisor of the logits before choices are drawn; with 0, each choice has its most likely value.

    Raises:
        TurnNetworkError: the temperature is not a number from 0 to `turn_network_file.MAX_TEMPERATURE`.
    """

    name = "policy"

    def __init__(self, network: TurnNetwork, seed: int = 0, temperature: float = 0.0) -> None:
        super().__init__(seed)
        self._network, self.temperature = network, checked_temperature(temperature)
        self._memory = GameMemory(network)

    def _prepare(self, view: View) -> None:
        super()._prepare(view)
        self._context = make_context(view.board, view.params, view.players, PLANNING, turns=self._network)
        self._work = make_generator_work(view.board.n_regions, view.board.n_edges, view.players)

    def _write(self, view: View) -> int:
        position = self._memory.position(view, self._work.net.memory)
        return int(
            network_turn(
                self._context, position, view.player, np.float64(self.temperature), self.rng, self._work, self._deploy,
                self._attacks,
            )
        )  # fmt: skip

    def pick(self, view: View) -> list[int]:
        """See `Agent.pick`."""
        check_request(view)
        self._prepare_for(view)
        picks = network_picks(self._context, view, self.temperature, self.rng, self._work)
        self._memory.picked(view, picks)
        return picks
