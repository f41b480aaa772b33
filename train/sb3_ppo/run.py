"""PPO with self-play: a policy learns against reference agents and its own snapshots, and is saved as one file.

The algorithm is MaskablePPO of sb3-contrib (Schulman et al., arXiv:1707.06347; Huang & Ontañón, arXiv:2006.14171), or
PPO with a masked distribution for the encoding `factored`. The network treats the regions as a set or a graph
(`set_policy`, `board_policy`), so its weights fit maps of any size.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import set_random_seed

from warlight_env import maps
from warlight_env.arena.policies.policy_agent import PolicySource
from warlight_env.arena.policies.policy_file import FilePolicy, PolicyFile, encoding_of, size_class
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.envs.opponents import Opponent
from warlight_env.envs.rewards import Reward
from warlight_env.envs.sb3 import WarlightVecEnv
from warlight_env.errors import RunError
from warlight_env.train.ppo.checkpoint import Checkpoint
from warlight_env.train.ppo.league import League
from warlight_env.train.ppo.run import KEPT, PpoRun, number_or_none, policy_name
from warlight_env.train.sb3_ppo.board_policy import BoardPolicy, board_kwargs
from warlight_env.train.sb3_ppo.set_policy import SetPolicy
from warlight_env.train.sb3_ppo.settings import Sb3PpoSettings

#: Numbers for `derive_seed`, so that games and learning have their own seeds.
_PLAY, _LEARN = 1, 2
_RATE_AT_END: Final = 0.1
#: The metrics that the journal copies from the log of Stable-Baselines3.
_FIGURES: Final = (
    "loss", "value_loss", "policy_gradient_loss", "entropy_loss", "approx_kl", "clip_fraction", "explained_variance",
)  # fmt: skip


class _Counter(BaseCallback):
    """Collects the opponent of each game that ended, and whether the policy won."""

    def __init__(self) -> None:
        super().__init__()
        self.games: list[tuple[Opponent, bool]] = []

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        for b, opponents in self.training_env.get_attr("ended_against", 0)[0].items():
            self.games.append((opponents[0], bool(infos[b]["is_success"])))
        return True


class Sb3PpoRun(PpoRun[Sb3PpoSettings]):
    """A PPO run for the action encodings `strategies` and `factored`; see `PpoRun`."""

    def _prepare(self) -> None:
        s, c = self.settings, self.settings.conditions
        self.title = f"A policy for {c.map} by PPO and self-play"
        self.map, self.rules = maps.load(c.map), Rules.of(c.rules)
        self.league = League(s.opponents, self._snapshot, s.max_snapshots, s.pfsp_exponent, s.min_opponent_weight)
        self.env = WarlightVecEnv(
            s.n_envs, map=self.map, rules=self.rules, action=encoding_of(s.action, s.weights), observation="flat",
            opponent=self.league.pool, picking="random" if c.picks == "random" else "play", max_cycles=s.max_cycles,
            reward=Reward(s.shaping, s.shaping_scale, s.gamma),
            mask="info" if s.action == "strategies" else "observation",
        )  # fmt: skip
        self.board = self.env.episodes.core.board
        torch.set_num_threads(s.threads)
        set_random_seed(_short(derive_seed(s.seed, _LEARN)))
        self.model = self._make_model()
        self.model.set_logger(Logger(None, []))

    def learn(self, iteration: int) -> dict[str, Any]:
        """See `PpoRun.learn`."""
        s = self.settings
        rate = s.learning_rate * (1 - (1 - _RATE_AT_END) * iteration / s.iterations)
        self.model.lr_schedule = lambda _: rate
        set_random_seed(_short(derive_seed(s.seed, _LEARN, iteration + 1)))
        self.env.seed(_short(derive_seed(s.seed, _PLAY, iteration)))
        self.model.set_env(self.env)  # this also restarts all games
        counter = _Counter()
        try:
            self.model.learn(s.n_envs * s.n_steps, counter, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
        except ValueError as error:
            if "to satisfy the constraint" not in str(error):  # PyTorch's message if a distribution gets NaN
                raise
            raise RunError(f"iteration {iteration + 1}: the network's output is not a number; {KEPT}") from error
        self._check_finite(iteration)
        figures = self.model.logger.name_to_value
        return {
            "steps": self.model.num_timesteps, "games": len(counter.games),
            "won": sum(won for _, won in counter.games), "opponents": self.league.count_opponents(counter.games),
            **{name: number_or_none(figures[f"train/{name}"]) for name in _FIGURES},
        }  # fmt: skip

    def _check_finite(self, iteration: int) -> None:
        loss = float(self.model.logger.name_to_value.get("train/loss", 0.0))
        finite = all(bool(torch.isfinite(values).all()) for values in self.model.policy.state_dict().values())
        if not (finite and math.isfinite(loss)):
            raise RunError(f"iteration {iteration + 1}: a weight or the loss is no longer a number; {KEPT}")

    # The policy

    def _make_model(self) -> MaskablePPO | PPO:
        s = self.settings
        common: dict[str, Any] = {
            "n_steps": s.n_steps, "batch_size": s.batch_size, "n_epochs": s.n_epochs, "learning_rate": s.learning_rate,
            "gamma": s.gamma, "gae_lambda": s.gae_lambda, "clip_range": s.clip_range, "ent_coef": s.ent_coef,
            "vf_coef": s.vf_coef, "device": "cpu",
        }  # fmt: skip
        network = board_kwargs(self.board, width=s.width, layers=s.layers)
        if s.action == "strategies":
            return MaskablePPO(SetPolicy, self.env, policy_kwargs={**network, "hidden": s.hidden}, **common)
        return PPO(BoardPolicy, self.env, policy_kwargs=network, **common)

    def export(self) -> bytes:
        """See `PpoRun.export`."""
        s, policy = self.settings, self.model.policy
        named = dict(policy.mlp_extractor.state_dict())
        if s.action == "strategies":
            named |= {f"action.{name}": values for name, values in policy.action_net.state_dict().items()}
        file = PolicyFile(
            action=s.action, map=self.map.name, size=size_class(self.map.n_regions), rules=self.rules,
            max_cycles=s.max_cycles, width=s.width, layers=s.layers, hidden=s.hidden, arrays={}, weights=s.weights,
            sampled=s.play == "sampled", note={"steps": self.model.num_timesteps, "seed": s.seed},
        )  # fmt: skip
        return replace(file, arrays={name: named[name].numpy().copy() for name in file.shapes()}).to_bytes()

    def player_of(self, content: bytes) -> PolicySource:
        """See `PpoRun.player_of`."""
        return PolicySource(content)

    def with_metadata(self, content: bytes, extra: dict[str, Any]) -> bytes:
        """See `PpoRun.with_metadata`."""
        file = PolicyFile.from_bytes(content, "policy of this run")
        return replace(file, note={**file.note, **extra}).to_bytes()

    def add_snapshot(self, number: int) -> None:
        """See `PpoRun.add_snapshot`."""
        self.league.add(number)

    def _snapshot(self, number: int) -> FilePolicy:
        file = PolicyFile.load(self.journal.folder / policy_name(number))
        return file.bind(self.board, sampled=True)

    # Checkpoints

    def state(self, entry: dict[str, Any]) -> Checkpoint:
        """See `PpoRun.state`."""
        policy = self.model.policy
        return Checkpoint(
            entry, self.league.to_dict(), self.model.num_timesteps, policy.state_dict(), policy.optimizer.state_dict()
        )

    def load_state(self, state: Checkpoint) -> None:
        """See `PpoRun.load_state`."""
        self.model.policy.load_state_dict(state.policy)
        self.model.policy.optimizer.load_state_dict(state.optimizer)
        self.model.num_timesteps = state.steps
        self.league.restore(state.league)


def _short(seed: int) -> int:
    """Return a seed in the range that NumPy's legacy generator accepts."""
    return seed % 2**32
