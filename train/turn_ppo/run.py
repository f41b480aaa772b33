"""PPO on complete turns: a network for maps of any size plays games in compiled code, and learns from these games."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from warlight_env.agents.context import Context, bare_context
from warlight_env.agents.evaluation.static_evaluation import write_best_picks
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.turn_record import (
    EVERY,
    UNITS,
    WITHOUT_MEMORY,
    layers_of,
    make_turn_network,
    ranks_offers,
    widened,
)
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.picks import choices_of
from warlight_env.agents.turn_net.turn_network_file import load_turn_network, pack_arrays, read_turn_network
from warlight_env.agents.weights import PLANNING
from warlight_env.arena.backends.backend import Backend
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import InputError, RunError
from warlight_env.game import Game
from warlight_env.tensor_env import toolkit
from warlight_env.train.common.game_configs import NEVER, GameConfig, GameConfigs
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.torch_threads import one_thread
from warlight_env.train.common.trainer import Say
from warlight_env.train.ppo.checkpoint import Checkpoint
from warlight_env.train.ppo.league import OpponentSampler, snapshot_name
from warlight_env.train.ppo.run import KEPT, PpoRun, number_or_none, policy_name
from warlight_env.train.turn_net.batches import CHOSEN, OFFERED, TurnRows, make_batch, plain_turns
from warlight_env.train.turn_net.device_features import TurnInputs
from warlight_env.train.turn_net.evaluators import CompiledEvaluator, TensorEvaluator
from warlight_env.train.turn_net.module import TurnModule, board_tensors
from warlight_env.train.turn_net.player import TurnPlayer, with_metadata
from warlight_env.train.turn_ppo.game_start import NETWORK, RANDOM, VARIED
from warlight_env.train.turn_ppo.opponents import (
    is_network,
    network_of,
    opponent_bot,
    opponent_context,
    snapshot_context,
)
from warlight_env.train.turn_ppo.rollout_record import Rollout
from warlight_env.train.turn_ppo.rollouts import Rollouts
from warlight_env.train.turn_ppo.settings import OWN, TurnPpoSettings
from warlight_env.train.turn_ppo.tensor_rollouts import TensorRollouts
from warlight_env.train.turn_ppo.update import TurnLearner

#: The fit of the head for picks: the picking phases of all game configs together, the smallest number for each of them,
#: gradient steps, and Adam's rate.
_PHASES: Final = 192
_LEAST_PHASES: Final = 8
_PICK_STEPS: Final = 500
_PICK_RATE: Final = 0.03

#: Numbers for `derive_seed`, so that games, learning and the choice of opponents have their own seeds.
_PLAY, _LEARN, _DRAW, _PICK = 1, 2, 4, 5
_RATE_AT_END: Final = 0.1


def imitate_picks(module: TurnModule, configs: list[GameConfig], seed: int) -> None:
    """Fit the head for picks to the start regions that the weights `planning` prefer. All other parameters stay.

    The evaluation with these weights ranks start regions for networks without a head. The fit maximizes the likelihood
    of the choices. The problem is convex, because the head is linear.
    """
    with one_thread():
        data = [
            _scored(module, config, seed, max(_LEAST_PHASES, _PHASES // len(configs)))
            for config in configs
            if config.rules.picking != "dealt"
        ]
        head = torch.zeros(UNITS, requires_grad=True)
        optimizer = torch.optim.Adam([head], lr=_PICK_RATE)
        for _ in range(_PICK_STEPS if data else 0):
            losses = [cross_entropy((x @ head).masked_fill(~open_, -torch.inf), choices) for x, open_, choices in data]
            optimizer.zero_grad()
            torch.stack(losses).mean().backward()
            optimizer.step()
    with torch.no_grad():
        module.pick.copy_(head)


def _scored(module: TurnModule, config: GameConfig, seed: int, phases: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the embeddings float32[M, N, H] of M choices, bool[M, N] the offered regions, int64[M] the chosen ones."""
    rows, board = _choices(config, seed, phases), config.board
    context = make_context(board, config.params, config.players, PLANNING)
    batch = make_batch(TurnInputs(context, len(rows.player), "cpu"), rows.tensors())
    with torch.no_grad():
        embeddings = module.embed_regions(board_tensors(board), batch.nodes, batch.overall)
    offers = batch.row[:, : board.n_regions]
    return embeddings.contiguous(), offers > 0, offers.argmax(1)


def _choices(config: GameConfig, seed: int, phases: int) -> TurnRows:
    """Return the preferred start regions of all players in some picking phases, with one choice in each row."""
    context = bare_context(config.board, config.params, config.players, PLANNING)
    n, rows = config.board.n_regions, list[tuple[Any, ...]]()
    size = n + 2 * config.board.n_edges
    no_rng: npt.NDArray[np.uint64] = np.zeros(2, np.uint64)
    for number in range(phases):
        game = Game(config.map, config.rules, config.players, seed=derive_seed(seed, number))
        while game.phase == "pick":
            picks = {}
            for p in game.pickers():
                view, free, preferences = game.view(p), np.zeros(n, np.int8), np.zeros(n, np.int32)
                free[list(view.offers)] = OFFERED
                count = int(write_best_picks(context, view.position, free, p, no_rng, preferences))
                picks[p] = preferences[:count].tolist()
                owner = view.owner.copy()
                for region in picks[p][: int(choices_of(config.params, free))]:
                    row = np.zeros(size, np.int8)
                    row[:n], row[region] = free, CHOSEN
                    rows.append((owner.copy(), view.army, p, row))
                    free[region], owner[region] = 0, p
            game.pick(picks)
    owners, armies, players, choices = zip(*rows, strict=True)
    count = len(rows)
    turns = plain_turns(
        np.array(owners), np.array(armies), np.zeros(count, np.int32), np.array(players, np.int64), np.array(choices),
        np.zeros((count, config.players), np.float32),
    )  # fmt: skip
    return turns._replace(picking=np.ones(count, np.bool_))


class _Games:
    """The objects that the run needs to play games of one game config; the run makes these objects only once."""

    def __init__(self, settings: TurnPpoSettings, config: GameConfig, jobs: int) -> None:
        self.config = config
        self.rollouts = Rollouts(config, settings.n_envs, settings.n_steps, settings.max_rounds, jobs, settings.picks)
        context = make_context(config.board, config.params, config.players, PLANNING)
        self.turns = CompiledEvaluator(context, settings.threads)
        self.opponents: dict[str, Context] = {}


class _TensorGames:
    """The objects with which the run plays games of one game config as tensors; see `_Games`."""

    def __init__(self, settings: TurnPpoSettings, config: GameConfig, device: str) -> None:
        s, context = settings, make_context(config.board, config.params, config.players, PLANNING)
        self.config, self.turns = config, TensorEvaluator(context, max(s.n_envs, s.batch_size), device)
        #: The opponents that are bots; all other opponents are networks.
        self.bots = [name for name in s.opponents if not is_network(name)]
        bots = [opponent_bot(config, name) for name in self.bots]
        inputs, board = self.turns.inputs, self.turns.board
        self.rollouts = TensorRollouts(config, s.n_envs, s.n_steps, s.max_rounds, bots, device, inputs, board)
        self.networks: dict[str, TurnModule] = {}


class TurnPpoRun(PpoRun[TurnPpoSettings]):
    """A run of PPO on complete turns; see `PpoRun`.

    Args:
        jobs: number of threads for the games and the evaluations.
        device: cpu, or cuda. On a GPU the games, the network and the updates stay in the GPU's memory. With the device
            cuda, the critic must be the network's own value head.

    Raises:
        InputError: PyTorch cannot use the device on this machine, or the device does not support this critic.
    """

    title = "A network that plays complete turns, by PPO and self-play"

    def __init__(
        self, settings: TurnPpoSettings, journal: Journal, jobs: int = 1, backend: str | Backend = "local",
        say: Say = lambda entry: None, device: str = "cpu",
    ) -> None:  # fmt: skip
        super().__init__(settings, journal, jobs, backend, say)
        self.device = device
        s = settings
        if device == "cuda":
            toolkit.require()
        try:
            torch.zeros(1, device=device)
        except (RuntimeError, AssertionError) as error:
            raise InputError(f"device {device!r}: {str(error).splitlines()[0][:200]}") from None
        if device.startswith("cuda:"):
            raise InputError(f"device {device!r}: use 'cuda', and choose the GPU with CUDA_VISIBLE_DEVICES")
        if device != "cpu" and s.critic != OWN:
            raise InputError(f"critic = {s.critic!r}: on the device {device!r} it must be {OWN!r}")
        if device != "cpu" and (s.fog != NEVER or s.picks != RANDOM):
            name, value, must = ("fog", s.fog, NEVER) if s.fog != NEVER else ("picks", s.picks, RANDOM)
            raise InputError(f"{name} = {value!r}: on the device {device!r} it must be {must!r}")
        self.configs, self._games = GameConfigs(settings, s.fog), dict[int, _Games | _TensorGames]()
        self.table = OpponentSampler(s.opponents, s.max_snapshots, s.pfsp_exponent, s.min_opponent_weight)
        self._copies: dict[str, bytes] = {}
        self._steps = 0
        start = load_turn_network(s.start, "start")
        generator = torch.Generator().manual_seed(derive_seed(s.seed, _LEARN) >> 1)
        module = TurnModule(generator, s.layers or layers_of(start))
        if start is None:
            module.quieten()
        else:
            module.copy_network(start)
        self.learner = TurnLearner(s, module, device)

    # An iteration

    def learn(self, iteration: int) -> dict[str, Any]:
        """See `PpoRun.learn`."""
        s, start = self.settings, time.perf_counter()
        draw = np.random.default_rng(derive_seed(s.seed, _DRAW, iteration))
        if iteration == 0 and s.picks in (NETWORK, VARIED) and not ranks_offers(make_turn_network(self._arrays())):
            imitate_picks(self.learner.module, self.configs.played, derive_seed(s.seed, _PICK))
        games = self._games_of(self.configs.draw(draw))
        names, opponent_index = self._draw_opponents(draw)
        play: Any = self._play if isinstance(games, _Games) else self._play_tensors
        rollout = play(games, names, opponent_index, derive_seed(s.seed, _PLAY, iteration))
        play_seconds = time.perf_counter() - start
        rate = s.learning_rate * (1 - (1 - _RATE_AT_END) * iteration / s.iterations)
        update = self.learner.update(games.turns, rollout, rate, draw)
        arrays = self._arrays()
        if not all(np.isfinite(values).all() for values in arrays.values()):
            raise RunError(f"iteration {iteration + 1}: a parameter of the network is not a finite number; {KEPT}")
        self._steps += s.n_envs * s.n_steps
        done, won = (np.asarray(torch.as_tensor(part).cpu()) for part in (rollout.done, rollout.won))
        ended = [(names[opponent_index[b]], bool(won[b, t])) for b, t in np.argwhere(done)]
        return {
            "steps": self._steps, "games": len(ended), "won": sum(won for _, won in ended),
            "opponents": self.table.count(ended), "map": games.config.map.name, "players": games.config.players,
            **{name: number_or_none(value) for name, value in update._asdict().items()},
            "playing": round(play_seconds, 3), "learning": round(time.perf_counter() - start - play_seconds, 3),
        }  # fmt: skip

    def _games_of(self, number: int) -> _Games | _TensorGames:
        if number not in self._games:
            s, config = self.settings, self.configs[number]
            on_cpu = self.device == "cpu"
            self._games[number] = _Games(s, config, self._jobs) if on_cpu else _TensorGames(s, config, self.device)
        return self._games[number]

    def _draw_opponents(self, draw: np.random.Generator) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Return the names of the opponents, and for each game the index of its opponent. draw: a generator."""
        weights = self.table.weights()
        shares = np.array(list(weights.values()))
        return list(weights), draw.choice(len(weights), self.settings.n_envs, p=shares / shares.sum())

    def _play(self, games: _Games, names: list[str], opponent_index: npt.NDArray[np.int64], seed: int) -> Rollout:
        s, config = self.settings, games.config
        for name in names:
            if name not in games.opponents:
                content = self._copies.get(name)
                games.opponents[name] = (
                    opponent_context(config, name) if content is None else snapshot_context(config, content)
                )
        games.opponents = {name: games.opponents[name] for name in names}
        critic = None if s.critic == OWN else load_value(s.critic)
        network = make_turn_network(self._arrays())
        learner = make_context(config.board, config.params, config.players, PLANNING, value=critic, turns=network)
        return games.rollouts.play(
            learner, [games.opponents[name] for name in names], opponent_index, seed, s.critic == OWN
        )

    def _play_tensors(
        self, games: _TensorGames, names: list[str], opponent_index: npt.NDArray[np.int64], seed: int
    ) -> Rollout:
        """Play the games of an iteration as `_play` does, but with tensors."""
        networks = [name for name in names if name not in games.bots]
        for name in networks:
            if name not in games.networks:
                content = self._copies.get(name)
                network = network_of(name) if content is None else read_turn_network(content, name).network
                module = TurnModule(torch.Generator(), layers_of(network))
                module.copy_network(network)
                games.networks[name] = module.to(self.device)
        games.networks = {name: games.networks[name] for name in networks}
        numbers = np.array([[*games.bots, *networks].index(name) for name in names])
        return games.rollouts.play(self.learner.module, list(games.networks.values()), numbers[opponent_index], seed)

    # The policy

    def _arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        return self.learner.module.arrays()

    def export(self) -> bytes:
        """See `PpoRun.export`."""
        return self._packed(self._arrays())

    def _packed(self, arrays: dict[str, npt.NDArray[np.float32]]) -> bytes:
        reads = EVERY if any(config.rules.fog for config in self.configs.played) else WITHOUT_MEMORY
        return pack_arrays(arrays, reads=reads, metadata={"steps": self._steps, "seed": self.settings.seed})

    def chosen(self) -> bytes:
        """See `PpoRun.chosen`; or the mean of the last policies, see `TurnPpoSettings`."""
        if self.settings.averaged == 1:
            return super().chosen()
        numbers = [entry["iteration"] + 1 for entry in self._averaged()]
        policies = [widened(read_turn_network(self.saved(number), policy_name(number)).network) for number in numbers]
        return self._packed({name: np.mean([policy[name] for policy in policies], axis=0) for name in policies[0]})

    def origin(self) -> str:
        """See `PpoRun.origin`."""
        if self.settings.averaged == 1:
            return super().origin()
        steps = " and ".join(f"{entry['steps']:,}" for entry in (self._averaged()[0], self._averaged()[-1]))
        return f"The parameters are the means of {len(self._averaged())} policies between the steps {steps}."

    def _averaged(self) -> list[dict[str, Any]]:
        return self.evaluated()[-self.settings.averaged :]

    def player_of(self, content: bytes) -> TurnPlayer:
        """See `PpoRun.player_of`."""
        return TurnPlayer(content)

    def with_metadata(self, content: bytes, extra: dict[str, Any]) -> bytes:
        """See `PpoRun.with_metadata`."""
        return with_metadata(content, extra)

    def add_snapshot(self, number: int) -> None:
        """See `PpoRun.add_snapshot`."""
        removed = self.table.add(number)
        self._copies[snapshot_name(number)] = self.saved(number)
        if removed is not None:
            del self._copies[snapshot_name(removed)]

    # Checkpoints

    def state(self, entry: dict[str, Any]) -> Checkpoint:
        """See `PpoRun.state`."""
        module, optimizer = self.learner.module, self.learner.optimizer
        return Checkpoint(entry, self.table.to_dict(), self._steps, module.state_dict(), optimizer.state_dict())

    def load_state(self, state: Checkpoint) -> None:
        """See `PpoRun.load_state`."""
        self.learner.module.load_state_dict(state.policy)
        self.learner.optimizer.load_state_dict(state.optimizer)
        self._steps = state.steps
        self._copies = {snapshot_name(number): self.saved(number) for number in self.table.restore(state.league)}
