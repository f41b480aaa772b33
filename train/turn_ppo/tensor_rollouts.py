"""Rollouts of a turn network in the memory of a device: games, network and results stay on the GPU.

`rollouts` plays the same games in compiled code on the CPU, one game after another.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from warlight_env.engine.rng import derive_seed
from warlight_env.engine.state import OVER
from warlight_env.envs.actions import FactoredActions
from warlight_env.envs.core import InnerCore
from warlight_env.envs.restarting_games import LEARNER, NEVER
from warlight_env.tensor_env.games import Bot, CpuGames, DeviceGames, make_seats
from warlight_env.train.common.game_configs import GameConfig
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.module import BoardTensors, TurnModule
from warlight_env.train.turn_net.turn_inputs import NetworkPositions
from warlight_env.train.turn_net.turn_sampler import draw_turns
from warlight_env.train.turn_ppo.rollout_record import Rollout, make_rollout


class TensorRollouts:
    """Plays rollouts in games of one game config with tensors.

    Args:
        config: the game config.
        games: B, the number of games.
        steps: T, the number of steps; a step is a round.
        max_rounds: games are truncated after this number of rounds.
        bots: the opponents that are bots.
        device: "cpu" or "cuda".
        inputs: computes the network's inputs for B positions.
        board: the tensors of the map, on the device.

    Raises DeviceError if there is no GPU, or if its memory is too small.
    """

    def __init__(
        self, config: GameConfig, games: int, steps: int, max_rounds: int, bots: Sequence[Bot], device: str,
        inputs: TurnInputs, board: BoardTensors,
    ) -> None:  # fmt: skip
        self._games, self._steps, self._players, self._bots = games, steps, config.players, len(bots)
        self._inputs, self._board, self._device = inputs, board, torch.device(device)
        core = InnerCore(
            config.map, config.rules, config.players, games if device == "cpu" else 1,
            action=functools.partial(FactoredActions, priority=True), observation="raw", fog=False, picking="random",
            max_cycles=max_rounds,
        )  # fmt: skip
        seats = make_seats(core, [LEARNER] * config.players, NEVER)
        self._device_games: DeviceGames
        if device == "cpu":
            self._device_games = CpuGames(core, seats, bots)
        else:
            from warlight_env.tensor_env.gpu import GpuGames

            self._device_games = GpuGames(core, seats, bots, games)
        tensor, tree, seats = self._device_games.tensor, self._device_games.games, self._device_games.seats
        self._owner, self._army = tensor(tree.state.owner), tensor(tree.state.army)
        self._round, self._winner = tensor(tree.state.round), tensor(tree.state.winner)
        self._phase, self._live = tensor(tree.state.phase), tensor(tree.out.live)
        self._seeds, self._number = tensor(seats.seeds.view(np.int64)), tensor(seats.games)
        self._restarting, self._truncated = tensor(seats.restarting), tensor(seats.truncated)
        n, e = core.board.n_regions, core.board.n_edges
        self._rows = torch.zeros((games, config.players, n + 2 * e), dtype=torch.int8, device=self._device)
        #: int64[B]: the learner's seat in each game.
        self._seat = torch.arange(games, device=self._device) % config.players
        self._all_games = torch.arange(games, device=self._device)
        arrays: Any = make_rollout(games, steps, n, e, fog=False)
        tensors: Any = [torch.from_numpy(array).to(self._device) for array in arrays]
        self._out = Rollout(*tensors)

    def play(
        self, module: TurnModule, networks: Sequence[TurnModule], opponent_index: npt.NDArray[np.int64], seed: int
    ) -> Rollout:
        """Play games, and return their data as a rollout of tensors. The next call overwrites these tensors.

        Args:
            module: the learner's network; the value head of this network is the critic.
            networks: the opponents that are networks.
            opponent_index: int64[B], for each game the number of its opponent: first the bots, then `networks`.
            seed: the seed of all random numbers.
        """
        with torch.no_grad():
            return self._play(module, networks, opponent_index, seed)

    def _play(
        self, module: TurnModule, networks: Sequence[TurnModule], opponent_index: npt.NDArray[np.int64], seed: int
    ) -> Rollout:  # fmt: skip
        generator = torch.Generator(self._device).manual_seed(derive_seed(seed, 1) >> 1)
        bots = self._bots
        seated = (
            np.where(opponent_index < bots, opponent_index, LEARNER)
            .astype(np.int8)[:, None]
            .repeat(self._players, axis=1)
        )
        seated[np.arange(self._games), self._seat.cpu().numpy()] = LEARNER
        self._device_games.seat(seated)
        seeds = np.random.default_rng(derive_seed(seed, 2)).integers(-(2**63), 2**63, self._games)
        self._seeds.copy_(torch.from_numpy(seeds))
        self._number.zero_()
        self._restart(torch.ones(self._games, dtype=torch.bool, device=self._device))
        network_seats = self._seats_of_networks(opponent_index - bots, len(networks))
        out = self._out
        for t in range(self._steps):
            self._record(module, t, generator)
            for network, (games, seats) in zip(networks, network_seats, strict=True):
                self._submit(network, games, seats, generator)
            self._device_games.step(self._rows)
            self._finish(module, t)
        out.values[:, self._steps] = self._value(module, self._all_games)
        return out

    def _seats_of_networks(self, network_index: npt.NDArray[np.int64], networks: int) -> list[tuple[Tensor, Tensor]]:
        """Return the games and the seats that each network plays.

        network_index: int64[B], a network's number or < 0.
        """
        network_seats = []
        for number in range(networks):
            games = torch.from_numpy(np.flatnonzero(network_index == number)).to(self._device)
            pairs = torch.cartesian_prod(games, torch.arange(self._players, device=self._device)).reshape(-1, 2)
            seat_pairs = pairs[pairs[:, 1] != self._seat[pairs[:, 0]]]
            network_seats.append((seat_pairs[:, 0].contiguous(), seat_pairs[:, 1].contiguous()))
        return network_seats

    def _positions(self, games: Tensor, seats: Tensor) -> NetworkPositions:
        return NetworkPositions(self._owner[games], self._army[games], self._round[games], seats)

    def _record(self, module: TurnModule, t: int, generator: torch.Generator) -> None:
        """Draw the learner's turns of round t, and write them to the rollout."""
        out, positions = self._out, self._positions(self._all_games, self._seat)
        turns = draw_turns(module, self._board, self._inputs, positions, self._players, generator)
        self._rows[self._all_games, self._seat] = turns.rows
        out.owner[:, t], out.army[:, t], out.round[:, t], out.player[:, t] = positions
        out.row[:, t], out.log_probs[:, t] = turns.rows, turns.log_probs
        out.values[:, t] = _chances(turns.scores, self._seat)

    def _submit(self, network: TurnModule, games: Tensor, seats: Tensor, generator: torch.Generator) -> None:
        """Draw the turns of a network for seats of several games; the game ignores turns of eliminated players."""
        size = self._games
        for low in range(0, len(games), size):
            part_games, part_seats = games[low : low + size], seats[low : low + size]
            positions = self._positions(part_games, part_seats)
            turns = draw_turns(network, self._board, self._inputs, positions, self._players, generator)
            self._rows[part_games, part_seats] = turns.rows

    def _finish(self, module: TurnModule, t: int) -> None:
        """Write the results of round t to the rollout, and begin new games in place of those that ended."""
        out = self._out
        won = (self._phase == OVER) & (self._winner == self._seat)
        done = ~self._live[self._all_games, self._seat]
        out.done[:, t], out.won[:, t], out.reward[:, t] = done, won, won.float()
        late = self._truncated[self._all_games, self._seat] & done
        indices = late.nonzero()[:, 0]
        if len(indices):  # the critic's value replaces the rewards of later rounds
            out.reward[indices, t] = self._value(module, indices)
        self._restart(done)

    def _value(self, module: TurnModule, games: Tensor) -> Tensor:
        """Return the critic's win probabilities of the learners in some games, float32[M]."""
        positions = self._positions(games, self._seat[games])
        embeddings = module.embed_regions(self._board, *self._inputs.regions(positions))
        scores = module.scores(embeddings, positions.owner.long(), positions.player, self._players)
        return _chances(scores, positions.player)

    def _restart(self, mask: Tensor) -> None:
        self._restarting.copy_(mask)
        self._truncated.masked_fill_(mask[:, None], False)
        self._device_games.restart()


def _chances(scores: Tensor, player: Tensor) -> Tensor:
    """Return the win probabilities of players, float32[M], from the scores float32[M, P] of all players."""
    return torch.softmax(scores, 1).gather(1, player[:, None])[:, 0]
