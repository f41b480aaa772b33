"""The common part of PPO runs: iterations, evaluations, snapshots of the policy, checkpoints and TensorBoard.

Every iteration starts new games, and seeds all random generators with the run's seed and the iteration's number. An
iteration therefore depends only on the parameters of the policy, the moments of the optimizer and the statistics of the
opponents. The checkpoint contains the policy's parameters, the optimizer's moments and the statistics of the opponents,
so a killed run continues with the same result.
"""

from __future__ import annotations

import math
import shutil
import time
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from torch.utils.tensorboard import SummaryWriter

from warlight_env import bounded_io
from warlight_env.arena.games.game_setup import AgentSource
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.train.common.journal import JournalError
from warlight_env.train.common.matches import Pair, play_pairs
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.common.trainer import Trainer
from warlight_env.train.ppo.checkpoint import CHECKPOINT, Checkpoint
from warlight_env.train.ppo.league import SNAPSHOT
from warlight_env.train.ppo.settings import PpoSettings

S = TypeVar("S", bound=PpoSettings)

#: A number for `derive_seed`, so that evaluations have their own seeds.
_EVALUATION: Final = 3
#: The end of the error message if a run stops because a value is not a finite number or the disk is full.
KEPT: Final = "the run stops; its folder is kept, and the same command continues from there"
#: The largest number of points of a curve. In a longer run each point is the mean of several iterations.
_POINTS: Final = 60
_COPIES: Final = "copies of itself"
#: Names of metrics in journal entries → labels of their curves.
_FIGURES: Final = {
    "entropy_loss": "negative entropy", "explained_variance": "variance that the critic explains",
}  # fmt: skip


class PpoRun(Trainer[S, bytes]):
    """A PPO run that trains a policy and returns the content of its file; see `Trainer`.

    The arguments `jobs` and `backend` are for the evaluations; learning does not use these arguments.
    """

    command, artifact_name, progress_name, unit = "ppo", "policy.npz", "PPO", "iterations"

    # Methods that subclasses define

    @abstractmethod
    def learn(self, iteration: int) -> dict[str, Any]:
        """Run an iteration, and return the fields of its journal entry.

        The journal entry contains the number of environment steps so far, the numbers of games and of won games, the
        games and wins by opponent, and learning metrics.

        Raises:
            RunError: a value is not a finite number.
        """

    @abstractmethod
    def export(self) -> bytes:
        """Return the content of the current policy's file."""

    @abstractmethod
    def player_of(self, content: bytes) -> AgentSource:
        """Return an object that makes agents that play with a policy. content: the content of the policy's file."""

    @abstractmethod
    def with_metadata(self, content: bytes, extra: dict[str, Any]) -> bytes:
        """Return the content of a policy file with more entries in its metadata."""

    @abstractmethod
    def add_snapshot(self, number: int) -> None:
        """Add the policy in the file with the given number (see `policy_name`) to the opponents."""

    @abstractmethod
    def state(self, entry: dict[str, Any]) -> Checkpoint:
        """Return the state from which the run can continue. entry: the last entry of the journal."""

    @abstractmethod
    def load_state(self, state: Checkpoint) -> None:
        """Restore a state, which the method `state` returned, in a new run."""

    # Methods of all runs

    @staticmethod
    def total(settings: S) -> int:
        """See `Trainer.total`."""
        return settings.iterations

    @staticmethod
    def progress(entry: dict[str, Any]) -> str:
        """See `Trainer.progress`."""
        won = 100 * entry["won"] / max(1, entry["games"])
        scores = ", ".join(f"{100 * row['score']:.0f} % v {name}" for name, row in entry.get("evaluation", {}).items())
        done = f"{entry['steps']:,} steps, won {won:.0f} % in training"
        return f"{done}, score {scores}" if scores else done

    def run(self) -> bytes:
        """See `Trainer.run`; returns the content of the policy's file, see `chosen`."""
        done = self._restore()
        if done < self.settings.iterations:
            with self._logging() as writer:
                for iteration in range(done, self.settings.iterations):
                    self._iterate(iteration, writer)
        return self.chosen()

    def chosen(self) -> bytes:
        """Return the result of a finished run: the policy with the highest score in an evaluation."""
        return self.saved(self._best()["iteration"] + 1)

    def origin(self) -> str:
        """Return a sentence for the report on the choice of the policy."""
        return f"This is the policy of step {self._best()['steps']:,}, which scored best in the evaluations below."

    def evaluated(self) -> list[dict[str, Any]]:
        """Return the journal entries that contain an evaluation; each of these policies has a file, see `saved`."""
        return [entry for entry in self.journal.entries if "evaluation" in entry]

    def _best(self) -> dict[str, Any]:
        """Return the journal entry with the highest mean evaluation score; among equal scores, the last entry."""
        return max(self.evaluated(), key=lambda entry: (_mean_score(entry), entry["iteration"]))

    def saved(self, number: int) -> bytes:
        """Return the content of the policy file with the given number in the folder of the run."""
        path = self.journal.folder / policy_name(number)
        return bounded_io.read_bytes(path, bounded_io.ARRAYS_BYTES, JournalError, "policy of this run")

    def _iterate(self, iteration: int, writer: SummaryWriter) -> None:
        s, start = self.settings, time.perf_counter()
        entry = {"event": "iteration", "iteration": iteration, **self.learn(iteration)}
        number = iteration + 1
        evaluated = number % s.eval_interval == 0 or number == s.iterations
        joins = s.snapshot_interval > 0 and number % s.snapshot_interval == 0
        if evaluated or joins:
            content = self.export()
            self.journal.write(policy_name(number), content)
            if joins:
                self.add_snapshot(number)
            if evaluated:
                entry["evaluation"] = self._evaluate(content)
        entry["seconds"] = round(time.perf_counter() - start, 3)
        self._log(writer, entry)
        # The checkpoint also contains the journal's line, in case the process is killed before it writes the line.
        self.journal.write(CHECKPOINT, self.state(entry).to_bytes())
        self.journal.append(entry)
        self._say(entry)

    def _evaluate(self, content: bytes) -> dict[str, Any]:
        """Play evaluation games in the match engine; return score, interval and number of games for each opponent."""
        s, source = self.settings, self.player_of(content)
        rows = play_pairs(
            [("policy", opponent, source, opponent) for opponent in s.eval_opponents], s.eval_pairs, s.conditions,
            derive_seed(s.seed, _EVALUATION), jobs=self._jobs, backend=self._backend,
        )  # fmt: skip
        return {row["opponent"]: {key: row[key] for key in ("score", "interval", "games")} for row in rows}

    def _restore(self) -> int:
        """Restore the state of the checkpoint; return the number of finished iterations."""
        path, entries = self.journal.folder / CHECKPOINT, self.journal.entries
        if not path.exists():
            if entries:
                raise JournalError(
                    f"{self.journal.folder}: {len(entries)} iterations in the journal, but {CHECKPOINT} is missing"
                )
            return 0
        state = Checkpoint.load(path)
        entry = state.entry
        try:
            self.load_state(state)
        except (RuntimeError, ValueError, KeyError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise JournalError(f"{path}: damaged ({' '.join(str(error).split())[:200]})") from None
        if entry["iteration"] == len(entries):
            self.journal.append(entry)
        if entry["iteration"] != len(self.journal.entries) - 1:
            raise JournalError(
                f"{self.journal.folder}: {CHECKPOINT} is of iteration {entry['iteration'] + 1}, but there are "
                f"{len(entries)} iterations in the journal"
            )
        return len(self.journal.entries)

    # TensorBoard

    @contextmanager
    def _logging(self) -> Iterator[SummaryWriter]:
        folder = self.journal.folder / "tensorboard"
        is_new = not folder.exists()
        with self._disk():
            writer = SummaryWriter(str(folder))
        try:
            yield writer
        finally:
            writer.close()
            if is_new and not self.journal.entries:  # a run that has stored nothing leaves no files
                shutil.rmtree(folder, ignore_errors=True)

    def _log(self, writer: SummaryWriter, entry: dict[str, Any]) -> None:
        scalars = {"games/won": entry["won"] / max(1, entry["games"]), "time/seconds": entry["seconds"]}
        scalars |= {f"train/{name}": value for name, value in entry.items() if isinstance(value, float)}
        scalars |= {f"against/{name}": wins / games for name, (games, wins) in entry["opponents"].items()}
        scalars |= {f"evaluation/{name}": row["score"] for name, row in entry.get("evaluation", {}).items()}
        with self._disk():
            for name, value in scalars.items():
                writer.add_scalar(name, value, entry["steps"])
            writer.flush()

    @contextmanager
    def _disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunError(f"cannot write {self.journal.folder}: {error.strerror or error}; {KEPT}") from error

    # Final match and report

    def pairs(self, artifact: bytes) -> list[Pair]:
        """See `Trainer.pairs`."""
        source = self.player_of(artifact)
        return [("policy", opponent, source, opponent) for opponent in self._final_opponents()]

    def _final_opponents(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.settings.eval_opponents, *self.settings.holdout)))

    def content(self, artifact: bytes, result: dict[str, Any]) -> bytes:
        """See `Trainer.content`; the metadata in the file contain the number of training steps."""
        return self.with_metadata(artifact, {"trained": f"{self.journal.entries[-1]['steps']} steps"})

    def facts(self, artifact: bytes) -> dict[str, Any]:
        """See `Trainer.facts`."""
        steps = self.journal.entries[-1]["steps"]
        return {"player": f"policy:{self.journal.folder / self.artifact_name}", "steps": steps}

    def summary(self, result: dict[str, Any]) -> str:
        """See `Trainer.summary`."""
        rows = result["holdout"]
        scores = "; ".join(f"{row['opponent']} {percent(row['score'], row['interval'])}" for row in rows)
        return (
            f"Scores in {rows[0]['games']} games against each opponent, with seeds that training never used: {scores}. "
            f"Training took {result['steps']:,} steps, {result['games']:,} games and {result['seconds'] / 60:.1f} "
            "minutes, evaluations included. The policy plays without any search."
        )

    def describe(self, report: Report, artifact: bytes, result: dict[str, Any]) -> None:
        """See `Trainer.describe`."""
        s = self.settings
        kept_out = [name for name in self._final_opponents() if name not in (*s.opponents, *s.eval_opponents)]
        report.text(
            f"Each seed is played in both seats. Kept out of training: {', '.join(kept_out) or 'no agent'}. "
            f"{self.origin()}"
        )
        describe_course(report, s, self.journal.entries)


def _mean_score(entry: dict[str, Any]) -> float:
    """Return the mean score over all opponents in the evaluation of a journal entry."""
    rows = entry["evaluation"].values()
    return sum(row["score"] for row in rows) / len(rows)


def policy_name(number: int) -> str:
    """Return the path of the policy after `number` iterations, relative to the folder of the run."""
    return f"policies/{number:06}.npz"


def number_or_none(value: Any) -> float | None:
    """Return a number for JSON, or None if it is not finite, such as the explained variance of constant returns."""
    return float(value) if math.isfinite(value) else None


def describe_course(report: Report, settings: PpoSettings, entries: list[dict[str, Any]]) -> None:
    """Add curves of evaluations, games and learning metrics to the report. entries: the entries of the journal."""
    report.heading("Course of the training")
    evaluated = [e for e in entries if "evaluation" in e]
    steps = [e["steps"] for e in evaluated]
    lines = []
    for name in settings.eval_opponents:
        rows = [e["evaluation"][name] for e in evaluated]
        ends = zip(*(row["interval"] for row in rows), strict=True)
        lines.append(Line(name, steps, [row["score"] for row in rows], *ends))
    report.curves(lines, "steps", "score in evaluations", mark=0.5)
    report.text(
        f"Evaluations are matches of the match engine, {2 * settings.eval_pairs} games against each opponent, on "
        "the same seeds every time. In training the policy samples its actions. Opponents that beat it play more often:"
    )
    opponents = {name for e in entries for name in e["opponents"]} & set(settings.opponents)
    groups = [name for name in settings.opponents if name in opponents]
    if any(_group(key) == _COPIES for e in entries for key in e["opponents"]):
        groups.append(_COPIES)
    won, share = [], []
    for name in groups:
        x, y, part = _binned(entries, name)
        won.append(Line(name, x, y))
        share.append(Line(name, x, part))
    report.curves(won, "steps", "share of games won in training", mark=0.5)
    report.curves(share, "steps", "share of games played in training")
    for name, label in _FIGURES.items():
        report.curves([Line(label, [e["steps"] for e in entries], [e[name] for e in entries])], "steps", label)


def _group(opponent: str) -> str:
    """Return the name of the curve that shows an opponent; all snapshots share one curve."""
    return _COPIES if opponent.startswith(SNAPSHOT) else opponent


def _binned(entries: list[dict[str, Any]], name: str) -> tuple[list[int], list[float], list[float]]:
    """Return the points of the curves for a group of opponents. name: the name of the group.

    Returns the numbers of steps, the fractions of games won against the group, and the fractions of all games that were
    played against the group. A point is the mean of one or more iterations.
    """
    size = max(1, len(entries) // _POINTS)
    x, won, part = [], [], []
    for low in range(0, len(entries), size):
        group = entries[low : low + size]
        counts = [row for e in group for opponent, row in e["opponents"].items() if _group(opponent) == name]
        games = sum(row[0] for row in counts)
        if games:
            x.append(group[-1]["steps"])
            won.append(sum(row[1] for row in counts) / games)
            part.append(games / sum(e["games"] for e in group))
    return x, won, part
