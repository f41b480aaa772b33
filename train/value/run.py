"""The value network by expert iteration: a search with the network says what the next network should say.

An iteration (Anthony et al., "Thinking Fast and Slow with Deep Learning and Tree Search", arXiv:1705.08439) has four
steps. The network as it is plays games against itself and others (`games`). Positions of these, and some that
random rounds lead from them to, are searched with the network at the leaves, which says what they are worth to each
player (`labels`). A new network is fitted to that (`fit`), each tenth game left out. It meets the old one
in paired games on seeds of their own, and replaces it where its mean score is at least `accept`. That is a mean and no
end of an interval: a step is worth far more than the games' noise, and what is damaged gets nowhere near one half.

The journal has a line for each part of games or labels, for each fit and for each gate, with the digest of the file
that it left behind; a killed run goes on from the last one, exactly.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from warlight_env.agents.value_record import make_network
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.resumable import check_jobs
from warlight_env.engine.rng import derive_seed
from warlight_env.errors import RunError
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.matches import play_pairs
from warlight_env.train.common.places import Places
from warlight_env.train.common.run_steps import RunSteps, Say
from warlight_env.train.value.fit import fit_network
from warlight_env.train.value.games import play_games
from warlight_env.train.value.labels import label_positions
from warlight_env.train.value.players import NetworkPlayer, first_network, pack_network
from warlight_env.train.value.positions import ValuedPositions
from warlight_env.train.value.settings import ValueSettings

#: Parts of seeds' paths.
_GAMES, _LABELS, _FIT, _GATE = 1, 2, 3, 4
#: Games and labels of a part, of which a kill costs no more than one. Its arrays stay within `bounded.ARRAYS_BYTES`
#: where all games last for `settings.MOST_ROUNDS` on the largest maps.
GAMES_PART: Final = 64
LABELS_PART: Final = 4096


def parts_of(settings: ValueSettings) -> int:
    """Lines that the journal of a whole run has."""
    return settings.iterations * (-(-settings.games // GAMES_PART) + -(-settings.labels // LABELS_PART) + 2)


class ValueRun:
    """A run.

    Args:
        settings: what decides it.
        journal: of its folder, open.
        jobs: threads of games and labels, and games of the gate side by side; what is found does not depend on them.
        backend: for the gate's games, see `play_contests`.
        say: told of every part.
    """

    def __init__(
        self, settings: ValueSettings, journal: Journal, jobs: int = 1, backend: str | Backend = "local",
        say: Say = lambda entry: None,
    ) -> None:  # fmt: skip
        check_jobs(jobs)
        self._steps = RunSteps(journal, say)
        self.settings, self.journal, self.places = settings, journal, Places(settings)
        self._jobs, self._backend = jobs, backend

    def run(self) -> bytes:
        """Go on to the end; returns the last network that came through a gate, packed.

        Raises:
            RunError: none did, a number is none any more, or the folder cannot be written; in that case the same run
                goes on from there.
            JournalError: the journal and its files are not of this run.
            KeyboardInterrupt: stopped early.
        """
        start = network = first_network(self.settings)
        before: list[ValuedPositions] = []
        for iteration in range(self.settings.iterations):
            games = self._games(iteration, network)
            labels = self._labels(iteration, network, games)
            fitted = self._fit(iteration, ValuedPositions.joined([*before, labels]))
            if self._gate(iteration, fitted, network):
                network = fitted
            before = [labels] if self.settings.previous else []
        if network == start:
            raise RunError(
                f"{self.journal.folder}: no network of {self.settings.iterations} iterations came through the gate; "
                "more labels, games or steps may help"
            )
        return network

    def games(self) -> list[ValuedPositions]:
        """The positions of all games so far."""
        entries = [entry for entry in self.journal.entries if entry["event"] == "games"]
        return [ValuedPositions.from_bytes(self._steps.read(entry)) for entry in entries]

    def _parts(
        self, event: str, iteration: int, total: int, size: int,
        make: Callable[[range], tuple[ValuedPositions, dict[str, Any]]],
    ) -> ValuedPositions:  # fmt: skip
        """All parts of the games or labels of an iteration, joined; `make` makes those of some numbers."""
        parts = []
        for part, low in enumerate(range(0, total, size)):

            def compute(numbers: range = range(low, min(total, low + size))) -> tuple[bytes, dict[str, Any]]:
                samples, told = make(numbers)
                return samples.to_bytes(), {event: len(numbers), **told}

            content = self._steps.file({"event": event, "iteration": iteration, "part": part}, compute)
            parts.append(ValuedPositions.from_bytes(content))
        return ValuedPositions.joined(parts)

    def _games(self, iteration: int, network: bytes) -> ValuedPositions:
        s, seed = self.settings, derive_seed(self.settings.seed, _GAMES, iteration)

        def make(numbers: range) -> tuple[ValuedPositions, dict[str, Any]]:
            played = play_games(s, self.places, network, seed, numbers, self._jobs)
            won = played.game[played.value.any(axis=1)]
            return played, {"won": len(set(won.tolist())), "positions": len(played.place)}

        return self._parts("games", iteration, s.games, GAMES_PART, make)

    def _labels(self, iteration: int, network: bytes, games: ValuedPositions) -> ValuedPositions:
        s, seed = self.settings, derive_seed(self.settings.seed, _LABELS, iteration)

        def make(numbers: range) -> tuple[ValuedPositions, dict[str, Any]]:
            return label_positions(s, self.places, network, games, seed, numbers, self._jobs), {}

        return self._parts("labels", iteration, s.labels, LABELS_PART, make)

    def _fit(self, iteration: int, labels: ValuedPositions) -> bytes:
        def compute() -> tuple[bytes, dict[str, Any]]:
            fit = fit_network(self.settings, self.places, labels, derive_seed(self.settings.seed, _FIT, iteration))
            told = {"labels": len(labels.place), "trained": fit.trained, "held_out": fit.held_out}
            return pack_network(make_network(fit.arrays)), told

        return self._steps.file({"event": "fit", "iteration": iteration}, compute)

    def _gate(self, iteration: int, new: bytes, old: bytes) -> bool:
        s = self.settings

        def compute() -> dict[str, Any]:
            row = play_gate(
                s, new, old, derive_seed(s.seed, _GATE, iteration), self.journal.folder / f"gate-{iteration + 1}",
                self._jobs, self._backend,
            )  # fmt: skip
            return {**row, "accepted": row["score"] >= s.accept}

        return bool(self._steps.once({"event": "gate", "iteration": iteration}, compute)["accepted"])


def play_gate(
    settings: ValueSettings, new: bytes, old: bytes, seed: int, folder: Path, jobs: int, backend: str | Backend
) -> dict[str, Any]:
    """The player with a new network against itself with the old one: games, score, and its 95 % interval.

    Args:
        new, old: packed.
        seed: of the games. folder: of the run of these games, which is removed at the end.
    """
    pair = (
        NetworkPlayer(settings.player, new, tuple(settings.weights)),
        NetworkPlayer(settings.player, old, tuple(settings.weights)),
    )
    (row,) = play_pairs(
        [("new", "old", *pair)], settings.gate_units, settings.conditions, seed, folder, jobs=jobs, backend=backend
    )
    shutil.rmtree(folder)
    return {key: row[key] for key in ("games", "score", "interval")}
