"""What runs of PPO share: iterations, evaluations, copies of the policy, the checkpoint, TensorBoard.

Every iteration begins all its games anew, and sets all random generators, from the run's seed and its own number. So
what it does follows from the parameters, the optimiser's moments and the league's table, which the checkpoint has: a
killed run goes on exactly.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from torch.utils.tensorboard import SummaryWriter

from warlight_env import bounded
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.playing.game_setup import AgentSource
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.matches import play_pairs
from warlight_env.train.common.run_steps import Say
from warlight_env.train.ppo.checkpoint import CHECKPOINT, Checkpoint

#: Part of seeds' paths.
_EVALUATION: Final = 3
#: What a run says that stops where a number is none any more, or the disk is full.
KEPT: Final = "the run stops; what its folder has is kept, and the same command goes on from there"


class PolicyRunSettings(Protocol):
    """What every such run is told."""

    @property
    def action(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def opponents(self) -> tuple[str, ...]: ...
    @property
    def holdout(self) -> tuple[str, ...]: ...
    @property
    def holdout_units(self) -> int: ...
    @property
    def evaluation(self) -> int: ...
    @property
    def evaluation_units(self) -> int: ...
    @property
    def evaluate(self) -> tuple[str, ...]: ...
    @property
    def snapshot(self) -> int: ...
    @property
    def conditions(self) -> Conditions: ...
    @property
    def seed(self) -> int: ...


class PolicyRun(ABC):
    """A run.

    Args:
        settings: what decides it.
        journal: of its folder, open.
        jobs, backend: processes, or a cluster, for evaluations; what is learned does not depend on them.
        say: told of every iteration.
    """

    def __init__(
        self, settings: PolicyRunSettings, journal: Journal, jobs: int, backend: str | Backend, say: Say
    ) -> None:  # fmt: skip
        journal.check()
        self._told, self.journal, self._jobs, self._backend, self._say = settings, journal, jobs, backend, say

    # What kinds of runs do in their own way

    @abstractmethod
    def learn(self, iteration: int) -> dict[str, Any]:
        """Do an iteration: steps so far, games, won, opponents (games and wins by name), and figures.

        Raises:
            RunError: a number is none any more.
        """

    @abstractmethod
    def content(self) -> bytes:
        """The file of the policy as it is now."""

    @abstractmethod
    def player(self, content: bytes) -> AgentSource:
        """Who plays such a file."""

    @abstractmethod
    def join(self, number: int) -> None:
        """Let the policy of that number (`policy_name`) be met from now on."""

    @abstractmethod
    def state(self, entry: dict[str, Any]) -> Checkpoint:
        """What the run goes on from."""

    @abstractmethod
    def take(self, state: Checkpoint) -> None:
        """Become what `state` gave, in a run that has just been made."""

    # What all do

    def run(self) -> bytes:
        """Go on to the end; returns the file of the policy that scored best in an evaluation.

        Raises:
            RunError: a number is no longer one, or the folder cannot be written; the same run goes on from there.
            JournalError: the folder's files do not belong together.
            KeyboardInterrupt: stopped early.
        """
        done = self._restore()
        if done < self._told.iterations:
            with self._logging() as writer:
                for iteration in range(done, self._told.iterations):
                    self._iterate(iteration, writer)
        evaluated = [entry for entry in self.journal.entries if "evaluation" in entry]
        best = max(evaluated, key=lambda entry: (mean_score(entry), entry["iteration"]))
        return self.saved(best["iteration"] + 1)

    def saved(self, number: int) -> bytes:
        """The file that the run wrote at that number."""
        path = self.journal.folder / policy_name(number)
        return bounded.read_bytes(path, bounded.ARRAYS_BYTES, JournalError, "policy of this run")

    def _iterate(self, iteration: int, writer: SummaryWriter) -> None:
        s, began = self._told, time.perf_counter()
        entry = {"event": "iteration", "iteration": iteration, **self.learn(iteration)}
        number = iteration + 1
        evaluated = number % s.evaluation == 0 or number == s.iterations
        joins = s.snapshot > 0 and number % s.snapshot == 0
        if evaluated or joins:
            content = self.content()
            self.journal.write(policy_name(number), content)
            if joins:
                self.join(number)
            if evaluated:
                entry["evaluation"] = self._evaluate(content)
        entry["seconds"] = round(time.perf_counter() - began, 3)
        self._log(writer, entry)
        self.journal.write(CHECKPOINT, self.state(entry).to_bytes())  # has the line, too: a kill may come between
        self.journal.append(entry)
        self._say(entry)

    def _evaluate(self, content: bytes) -> dict[str, Any]:
        """Score, interval and games against each opponent, in the match engine's games."""
        s, source = self._told, self.player(content)
        rows = play_pairs(
            [("policy", other, source, other) for other in s.evaluate], s.evaluation_units, s.conditions,
            derive_seed(s.seed, _EVALUATION), jobs=self._jobs, backend=self._backend,
        )  # fmt: skip
        return {row["opponent"]: {key: row[key] for key in ("score", "interval", "games")} for row in rows}

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
            self.take(state)
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
    def _logging(self) -> Iterator[SummaryWriter]:
        with self._disk():
            writer = SummaryWriter(str(self.journal.folder / "tensorboard"))
        try:
            yield writer
        finally:
            writer.close()

    def _log(self, writer: SummaryWriter, entry: dict[str, Any]) -> None:
        told = {"games/won": entry["won"] / max(1, entry["games"]), "time/seconds": entry["seconds"]}
        told |= {f"train/{name}": value for name, value in entry.items() if isinstance(value, float)}
        told |= {f"against/{name}": wins / games for name, (games, wins) in entry["opponents"].items()}
        told |= {f"evaluation/{name}": row["score"] for name, row in entry.get("evaluation", {}).items()}
        with self._disk():
            for name, value in told.items():
                writer.add_scalar(name, value, entry["steps"])
            writer.flush()

    @contextmanager
    def _disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunError(f"cannot write {self.journal.folder}: {error.strerror or error}; {KEPT}") from error


def mean_score(entry: dict[str, Any]) -> float:
    """Of an entry's evaluation: the mean over opponents."""
    rows = entry["evaluation"].values()
    return sum(row["score"] for row in rows) / len(rows)


def policy_name(number: int) -> str:
    """The file of the policy after so many iterations, in the run's folder."""
    return f"policies/{number:06}.npz"


def number_or_none(value: Any) -> float | None:
    """As JSON takes it: what is explained of returns that are all the same is no number."""
    return float(value) if math.isfinite(value) else None


__all__ = ["KEPT", "PolicyRun", "PolicyRunSettings", "mean_score", "number_or_none", "policy_name"]
