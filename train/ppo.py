"""PPO by self-play: a policy learns against reference agents and copies of itself, and is kept as one file.

MaskablePPO of sb3-contrib (Schulman et al., arXiv:1707.06347; Huang & Ontañón, arXiv:2006.14171), or PPO with a masked
distribution for the encoding `factored`. The network sees regions as a set or a graph (`train.set_policy`,
`train.board_policy`), so that a policy belongs to a class of maps and not to one.

Every iteration begins all its games anew, and sets all random generators, from the run's seed and its own number. So
what it does follows from the parameters, the optimiser's moments and the league's table, which the checkpoint has: a
killed run goes on exactly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import set_random_seed

from warlight_env import maps
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.policies.policy_file import FilePolicy, PolicyFile, encoding_of, size_class
from warlight_env.arena.policies.policy_source import PolicySource
from warlight_env.engine.rng import derive_seed
from warlight_env.engine.rules import Rules
from warlight_env.envs.opponents import Opponent
from warlight_env.envs.rewards import Reward
from warlight_env.envs.sb3 import WarlightVecEnv
from warlight_env.errors import RunError
from warlight_env.train.board_policy import BoardPolicy, board_kwargs
from warlight_env.train.checkpoint import CHECKPOINT, Checkpoint
from warlight_env.train.holdout import play_pairs
from warlight_env.train.journal import Journal, JournalError
from warlight_env.train.league import League
from warlight_env.train.ppo_settings import PpoSettings
from warlight_env.train.set_policy import SetPolicy

#: The state of a run after its last iteration.
#: Parts of seeds' paths.
_PLAY, _LEARN, _EVALUATION = 1, 2, 3
_RATE_AT_END: Final = 0.1
#: What of the library's log goes into the journal.
_FIGURES: Final = (
    "loss", "value_loss", "policy_gradient_loss", "entropy_loss", "approx_kl", "clip_fraction", "explained_variance",
)  # fmt: skip
_KEPT: Final = "the run stops; what its folder has is kept, and the same command goes on from there"


class _Counter(BaseCallback):
    """Keeps who was met in the games that ended, and whether they were won."""

    def __init__(self) -> None:
        super().__init__()
        self.games: list[tuple[Opponent, bool]] = []

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        for b, opponents in self.training_env.get_attr("ended_against", 0)[0].items():
            self.games.append((opponents[0], bool(infos[b]["is_success"])))
        return True


class PpoRun:
    """A run.

    Args:
        settings: what decides it.
        journal: of its folder, open.
        jobs, backend: processes, or a cluster, for evaluations; what is learned does not depend on them.
        say: told of every iteration.
    """

    def __init__(
        self, settings: PpoSettings, journal: Journal, jobs: int = 1, backend: str | Backend = "local",
        say: Callable[[dict[str, Any]], None] = lambda entry: None,
    ) -> None:  # fmt: skip
        journal.check()
        self.settings, self.journal, self._jobs, self._backend, self._say = settings, journal, jobs, backend, say
        s, c = settings, settings.conditions
        self.map, self.rules = maps.load(c.map), Rules.of(c.rules)
        self.league = League(s.opponents, self._snapshot, s.snapshots, s.priority, s.least)
        self.env = WarlightVecEnv(
            s.envs, map=self.map, rules=self.rules, action=encoding_of(s.action, s.weights), observation="flat",
            opponent=self.league.pool, picking="random" if c.picks == "random" else "play", max_cycles=s.max_cycles,
            reward=Reward(s.shaping, s.shaping_scale, s.gamma),
            mask="info" if s.action == "strategies" else "observation",
        )  # fmt: skip
        self.board = self.env.episodes.core.board
        torch.set_num_threads(s.threads)
        set_random_seed(_short(derive_seed(s.seed, _LEARN)))
        self.model = self._make_model()

    def run(self) -> PolicyFile:
        """Go on to the end; returns the policy that scored best in an evaluation.

        Raises:
            RunError: a number is no longer one, or the folder cannot be written; the same run goes on from there.
            JournalError: the folder's files do not belong together.
            KeyboardInterrupt: stopped early.
        """
        done = self._restore()
        if done < self.settings.iterations:
            with self._logging():
                for iteration in range(done, self.settings.iterations):
                    self._iterate(iteration)
        evaluated = [entry for entry in self.journal.entries if "evaluation" in entry]
        best = max(evaluated, key=lambda entry: (mean_score(entry), entry["iteration"]))
        return self._saved(best["iteration"] + 1)

    # An iteration

    def _iterate(self, iteration: int) -> None:
        s, began = self.settings, time.perf_counter()
        share = iteration / s.iterations
        rate = s.rate * (1 - (1 - _RATE_AT_END) * share)
        self.model.lr_schedule = lambda _: rate
        set_random_seed(_short(derive_seed(s.seed, _LEARN, iteration + 1)))
        self.env.seed(_short(derive_seed(s.seed, _PLAY, iteration)))
        self.model.set_env(self.env)  # which begins all games anew
        counter = _Counter()
        try:
            self.model.learn(s.envs * s.steps, counter, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
        except ValueError as error:
            if "to satisfy the constraint" not in str(error):  # a distribution that refuses what is not a number
                raise
            raise RunError(f"iteration {iteration + 1}: the network's output is not a number; {_KEPT}") from error
        self._check_finite(iteration)
        told = self.league.count(counter.games)
        figures = self.model.logger.name_to_value
        entry: dict[str, Any] = {
            "event": "iteration", "iteration": iteration, "steps": self.model.num_timesteps,
            "games": len(counter.games), "won": sum(won for _, won in counter.games), "opponents": told,
            **{name: _number(figures[f"train/{name}"]) for name in _FIGURES},
        }  # fmt: skip
        number = iteration + 1
        evaluated = number % s.evaluation == 0 or number == s.iterations
        joins = s.snapshot > 0 and number % s.snapshot == 0
        if evaluated or joins:
            content = self.export().to_bytes()
            self.journal.write(_policy_name(number), content)
            if joins:
                self.league.add(number)
            if evaluated:
                entry["evaluation"] = self._evaluate(content)
        entry["seconds"] = round(time.perf_counter() - began, 3)
        self._log(entry)
        self._keep(entry)
        self._say(entry)

    def _check_finite(self, iteration: int) -> None:
        loss = float(self.model.logger.name_to_value.get("train/loss", 0.0))
        finite = all(bool(torch.isfinite(values).all()) for values in self.model.policy.state_dict().values())
        if not (finite and math.isfinite(loss)):
            raise RunError(f"iteration {iteration + 1}: a weight or the loss is not a number any more; {_KEPT}")

    def _evaluate(self, content: bytes) -> dict[str, Any]:
        """Score, interval and games against each opponent, in the match engine's games."""
        s, source = self.settings, PolicySource(content)
        rows = play_pairs(
            [("policy", other, source, other) for other in s.evaluate], s.evaluation_units, s.conditions,
            derive_seed(s.seed, _EVALUATION), jobs=self._jobs, backend=self._backend,
        )  # fmt: skip
        return {row["opponent"]: {key: row[key] for key in ("score", "interval", "games")} for row in rows}

    # The policy

    def _make_model(self) -> MaskablePPO | PPO:
        s = self.settings
        common: dict[str, Any] = {
            "n_steps": s.steps, "batch_size": s.minibatch, "n_epochs": s.epochs, "learning_rate": s.rate,
            "gamma": s.gamma, "gae_lambda": s.trace, "clip_range": s.clip, "ent_coef": s.entropy, "vf_coef": s.value,
            "device": "cpu",
        }  # fmt: skip
        network = board_kwargs(self.board, width=s.width, layers=s.layers)
        if s.action == "strategies":
            return MaskablePPO(SetPolicy, self.env, policy_kwargs={**network, "hidden": s.hidden}, **common)
        return PPO(BoardPolicy, self.env, policy_kwargs=network, **common)

    def export(self) -> PolicyFile:
        """The policy as it is now."""
        s, policy = self.settings, self.model.policy
        named = dict(policy.mlp_extractor.state_dict())
        if s.action == "strategies":
            named |= {f"action.{name}": values for name, values in policy.action_net.state_dict().items()}
        file = PolicyFile(
            action=s.action, map=self.map.name, size=size_class(self.map.n_regions), rules=self.rules,
            max_cycles=s.max_cycles, width=s.width, layers=s.layers, hidden=s.hidden, arrays={}, weights=s.weights,
            sampled=s.play == "sampled", note={"steps": self.model.num_timesteps, "seed": s.seed},
        )  # fmt: skip
        return replace(file, arrays={name: named[name].numpy().copy() for name in file.shapes()})

    def _saved(self, number: int) -> PolicyFile:
        return PolicyFile.load(self.journal.folder / _policy_name(number))

    def _snapshot(self, number: int) -> FilePolicy:
        return self._saved(number).player(self.board, sampled=True)

    # Going on

    def _keep(self, entry: dict[str, Any]) -> None:
        """Write the checkpoint, then the journal's line, which is in the checkpoint, too: a kill may come between."""
        policy = self.model.policy
        state = Checkpoint(
            entry, self.league.to_dict(), self.model.num_timesteps, policy.state_dict(), policy.optimizer.state_dict()
        )
        self.journal.write(CHECKPOINT, state.to_bytes())
        self.journal.append(entry)

    def _restore(self) -> int:
        """Take up the state of the checkpoint; returns the iterations that are done."""
        path, entries = self.journal.folder / CHECKPOINT, self.journal.entries
        if not path.exists():
            if entries:
                raise JournalError(f"{self.journal.folder}: {len(entries)} iterations, but no {CHECKPOINT}")
            return 0
        state = Checkpoint.load(path)
        entry = state.entry
        try:
            self.model.policy.load_state_dict(state.policy)
            self.model.policy.optimizer.load_state_dict(state.optimizer)
            self.model.num_timesteps = state.steps
            self.league.restore(state.league)
        except (RuntimeError, ValueError, KeyError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise JournalError(f"{path}: damaged ({' '.join(str(error).split())[:200]})") from None
        if entry["iteration"] == len(entries):
            self.journal.append(entry)
        if entry["iteration"] != len(self.journal.entries) - 1:
            raise JournalError(
                f"{self.journal.folder}: {CHECKPOINT} is of iteration {entry['iteration'] + 1}, and there are "
                f"{len(entries)} in the journal"
            )
        return len(self.journal.entries)

    # TensorBoard

    @contextmanager
    def _logging(self) -> Iterator[None]:
        try:
            logger = configure(str(self.journal.folder / "tensorboard"), ["tensorboard"])
        except OSError as error:
            raise RunError(f"cannot write {self.journal.folder}: {error.strerror or error}; {_KEPT}") from error
        self.model.set_logger(logger)
        try:
            yield
        finally:
            logger.close()

    def _log(self, entry: dict[str, Any]) -> None:
        logger = self.model.logger
        logger.record("games/won", entry["won"] / max(1, entry["games"]))
        for name, (games, wins) in entry["opponents"].items():
            logger.record(f"against/{name}", wins / games)
        for name, row in entry.get("evaluation", {}).items():
            logger.record(f"evaluation/{name}", row["score"])
        logger.record("time/seconds", entry["seconds"])
        try:
            logger.dump(entry["steps"])
        except OSError as error:
            raise RunError(f"cannot write {self.journal.folder}: {error.strerror or error}; {_KEPT}") from error


def mean_score(entry: dict[str, Any]) -> float:
    """Of an entry's evaluation: the mean over opponents."""
    rows = entry["evaluation"].values()
    return sum(row["score"] for row in rows) / len(rows)


def _number(value: Any) -> float | None:
    """As JSON takes it: what is explained of returns that are all the same is no number."""
    return float(value) if math.isfinite(value) else None


def _policy_name(number: int) -> str:
    return f"policies/{number:06}.npz"


def _short(seed: int) -> int:
    """A seed as NumPy's old generator takes it."""
    return seed % 2**32
