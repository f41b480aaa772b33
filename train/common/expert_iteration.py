"""The common part of expert iteration: games, a fit to the expert's targets, and a gate (test) for the new network.

An iteration (Anthony et al., "Thinking Fast and Slow with Deep Learning and Tree Search", arXiv:1705.08439) has three
steps. First, the current network plays training games. Second, a search (the expert) gives the targets for the
positions of the games. A new network is fitted to the targets of the search; every tenth game is held out. Third, the
new network plays paired games against the old network, with separate seeds. The match between the new and the old
network is called the gate. The new network replaces the old network if the mean score of the new network is at least
`gate_threshold`.

The games are played in parts of equal size. The journal (the log of the run) gets a line for each part of the games,
each fit and each gate. The line of a part or of a fit contains the digest of its result file. A killed run continues
after the last line of the journal, with the same final result.
"""

from __future__ import annotations

import shutil
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, Protocol, Self, TypeVar

from warlight_env.arena.games.game_setup import AgentSource
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import InputError
from warlight_env.networks.npz import read_arrays, write_arrays
from warlight_env.train.common.checks import check_integers, check_not_negative, check_positive, check_shares
from warlight_env.train.common.game_configs import GameConfigs, check_game_configs
from warlight_env.train.common.matches import play_pairs
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.common.settings import RunSettings
from warlight_env.train.common.trainer import Trainer

#: One of every ten games is held out: fits do not use it.
HELD_OUT: Final = 10
#: The largest value of the setting `max_rounds`.
MOST_ROUNDS: Final = 1000
#: The names of arrays in files of samples stay the same if a field is renamed.
#: Field name → name of the array in files, for fields with another name in files.
_KEYS: Final = {"config_index": "place"}
_NAMES: Final = {key: name for name, key in _KEYS.items()}


@dataclass(frozen=True, kw_only=True)
class ExpertIterationSettings(RunSettings):
    """Settings of a run of expert iteration.

    Each game draws one entry of each list with equal probabilities; an entry that occurs twice is drawn twice as often.

    Args:
        iterations: number of iterations. An iteration consists of games, a fit to the positions of the games, and a
            gate. The gate is a match of the new network against the old one.
        games: number of games in an iteration.
        maps: names of maps, map files, and generated maps, as generated:REGIONS:SEED.
        rules: presets of rules.
        players: relative frequencies of games with 2, 3, … players. Map, rules and number of players are drawn again
            if the map has too few regions for the players.
        random_start_share: fraction of the games in which start regions are random instead of picked.
        max_rounds: largest number of rounds of a game.
        start: the network at the start of the run.
        steps: number of gradient steps of a fit.
        batch_size: size of a batch in a fit.
        learning_rate: highest learning rate of AdamW.
        weight_decay: weight decay of AdamW.
        outcome_weight: weight of the result of the game (its winner) in the loss or in the labels.
        gate_pairs: number of game pairs of the gate; a pair is two games with one seed and exchanged seats.
        gate_threshold: smallest mean score with which the new network passes the gate.

    Raises:
        InputError: a number is invalid, or a map, rules, a file or an agent does not exist.
    """

    iterations: int = 3
    games: int
    maps: tuple[str, ...]
    rules: tuple[str, ...]
    players: tuple[float, ...]
    random_start_share: float
    max_rounds: int
    start: str
    steps: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    outcome_weight: float = 0.5
    gate_pairs: int = 100
    gate_threshold: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, 1, "iterations", "games", "max_rounds", "steps", "batch_size", "gate_pairs")
        if self.max_rounds > MOST_ROUNDS:
            raise InputError(f"max_rounds = {self.max_rounds!r}: must lie in 1 .. {MOST_ROUNDS}")
        check_shares(self, "random_start_share", "outcome_weight", "gate_threshold")
        check_positive(self, "learning_rate")
        check_not_negative(self, "weight_decay")
        check_game_configs(self)


class TrainingSamples(Protocol):
    """Training samples as a group of arrays, which can be written to a file."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return one object with all samples of the objects `parts`, in order."""


S = TypeVar("S", bound=ExpertIterationSettings)
T = TypeVar("T", bound=TrainingSamples)


class ExpertIteration(Trainer[S, bytes], Generic[S, T]):
    """A run of expert iteration that trains a network and returns the content of its file; see `Trainer`."""

    progress_name, unit = "expert iteration", "parts"
    #: Numbers for `derive_seed`, so that fits and gates have their own seeds.
    fit_path: ClassVar[int]
    gate_path: ClassVar[int]
    #: Name of the loss in the report.
    loss_name: ClassVar[str]
    #: The class of the samples, T.
    samples_kind: type[T]

    def _prepare(self) -> None:
        self.configs = self.game_configs()

    def game_configs(self) -> GameConfigs:
        """Return the game configs of the training games."""
        return GameConfigs(self.settings)

    @staticmethod
    def progress(entry: dict[str, Any]) -> str:
        """See `Trainer.progress`."""
        score_text = f", {100 * entry['score']:.0f} % against the old network" if "score" in entry else ""
        return f"iteration {entry['iteration'] + 1}: {entry['event']}{score_text}"

    @abstractmethod
    def first(self) -> bytes:
        """Return the content of the first network's file; empty if the run starts without a network."""

    @abstractmethod
    def samples(self, iteration: int, network: bytes) -> T:
        """Play the games of an iteration, and return the samples for the next fit."""

    @abstractmethod
    def sample_window(self) -> int:
        """Return how many iterations, up to the present one, supply samples for a fit."""

    @abstractmethod
    def fit(self, samples: T, network: bytes, seed: int) -> tuple[bytes, dict[str, Any]]:
        """Return the content of the new network's file, and the fields that the journal stores about the fit."""

    @abstractmethod
    def player_of(self, network: bytes) -> AgentSource:
        """Return the source of the agents that play with a network in gates. network: the content of its file."""

    def needs_gate(self, network: bytes) -> bool:
        """Return whether a new network must win a gate (test match) against `network` to replace it."""
        return True

    def run(self) -> bytes:
        """See `Trainer.run`; returns the content of the file of the last network that passed a gate."""
        seed, network = self.settings.seed, self.first()
        samples: list[T] = []
        for iteration in range(self.settings.iterations):
            samples, old = [*samples, self.samples(iteration, network)][-self.sample_window() :], network

            def compute(iteration: int = iteration, samples: list[T] = samples, old: bytes = old) -> tuple[bytes, Any]:
                return self.fit(self.samples_kind.joined(samples), old, derive_seed(seed, self.fit_path, iteration))

            fitted = self.once_as_file({"event": "fit", "iteration": iteration}, compute)
            if not self.needs_gate(network) or self._passes(iteration, fitted, network):
                network = fitted
        return network

    def in_parts(
        self, event: str, iteration: int, total: int, size: int,
        make: Callable[[range], tuple[T, dict[str, Any]]],
    ) -> T:  # fmt: skip
        """Return all samples of an iteration, which are computed and stored in parts.

        make: a function that takes a range of numbers (of games or of labels), and returns the samples and fields of
        the journal entry.
        """
        parts = []
        for part, low in enumerate(range(0, total, size)):

            def compute(numbers: range = range(low, min(total, low + size))) -> tuple[bytes, dict[str, Any]]:
                samples, fields = make(numbers)
                return pack_samples(samples), {event: len(numbers), **fields}

            content = self.once_as_file({"event": event, "iteration": iteration, "part": part}, compute)
            parts.append(unpack_samples(self.samples_kind, content))
        return self.samples_kind.joined(parts)

    def _passes(self, iteration: int, new: bytes, old: bytes) -> bool:
        def compute() -> dict[str, Any]:
            row = self.play_gate(iteration, new, old)
            return {**row, "accepted": row["score"] >= self.settings.gate_threshold}

        return bool(self.once({"event": "gate", "iteration": iteration}, compute)["accepted"])

    def play_gate(self, iteration: int, new: bytes, old: bytes) -> dict[str, Any]:
        """Play the new network against the old one; return the number of games, the score and its 95 % interval."""
        s, folder = self.settings, self.journal.folder / f"gate-{iteration + 1}"
        (row,) = play_pairs(
            [("new", "old", self.player_of(new), self.player_of(old))], s.gate_pairs, s.conditions,
            derive_seed(s.seed, self.gate_path, iteration), folder, jobs=self._jobs, backend=self._backend,
        )  # fmt: skip
        shutil.rmtree(folder)
        return {key: row[key] for key in ("games", "score", "interval")}

    # Report

    def _fits_and_gates(self) -> tuple[list[dict[str, Any]], dict[int, dict[str, Any]]]:
        """Return the journal entries of fits, and a dict from iterations to journal entries of gates (test matches)."""
        entries = self.journal.entries
        gates = {entry["iteration"]: entry for entry in entries if entry["event"] == "gate"}
        return [entry for entry in entries if entry["event"] == "fit"], gates

    def describe_curves(self, report: Report) -> None:
        """Add the curves of the scores in gates (test matches) and of the losses of fits to the report."""
        fits, gates = self._fits_and_gates()
        report.heading("Course of the training")
        if gates:
            ends = zip(*(entry["interval"] for entry in gates.values()), strict=True)
            scores = [entry["score"] for entry in gates.values()]
            score = Line("new network against the old one", [iteration + 1 for iteration in gates], scores, *ends)
            report.curves([score], "iteration", "score in the gate", mark=self.settings.gate_threshold)
        held_out = [entry for entry in fits if entry["held_out"] is not None]
        report.curves(
            [
                Line("fitted", [entry["iteration"] + 1 for entry in fits], [entry["trained"] for entry in fits]),
                Line(
                    "held out", [entry["iteration"] + 1 for entry in held_out],
                    [entry["held_out"] for entry in held_out],
                ),
            ],
            "iteration", self.loss_name,
        )  # fmt: skip

    def describe_table(self, report: Report, head: Sequence[str], row: Callable[[dict[str, Any]], list[str]]) -> None:
        """Add the table of iterations to the report.

        Args:
            report: the report of the run.
            head: the titles of the columns between the columns "iteration" and "score in the gate".
            row: a function that takes the journal entry of one iteration's training and returns the cells of the
                columns in `head`.
        """
        fits, gates = self._fits_and_gates()
        rows = []
        for fit in fits:
            gate = gates.get(fit["iteration"])
            score = "–" if gate is None else percent(gate["score"], gate["interval"])
            network = "new" if gate is None or gate["accepted"] else "stays"
            rows.append([str(fit["iteration"] + 1), *row(fit), score, network])
        report.table(["iteration", *head, "score in the gate (95 % interval)", "network"], rows)


def in_digits(value: float | None, digits: int) -> str:
    """Return a number as text with `digits` digits after the decimal point; for None, return a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def pack_samples(samples: Any) -> bytes:
    """Return the content of an .npz file with the given samples. samples: a NamedTuple of arrays."""
    return write_arrays({_KEYS.get(name, name): array for name, array in samples._asdict().items()})


def unpack_samples(kind: Callable[..., T], content: bytes) -> T:
    """Return the samples that a file contains.

    Args:
        kind: the class of the samples, a NamedTuple of arrays.
        content: the content of the file, a result of `pack_samples`.

    Raises:
        ArraysError: see `read_arrays`.
    """
    return kind(**{_NAMES.get(key, key): array for key, array in read_arrays(content).items()})
