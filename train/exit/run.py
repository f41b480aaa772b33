"""Expert iteration on turn networks: a search that knows the network says what the next network should play.

An iteration (Anthony et al., "Thinking Fast and Slow with Deep Learning and Tree Search", arXiv:1705.08439) has three
steps. Games are played (`games`) by the expert, by the network as it is, and by other agents; in each position
where the first two move, the expert says what it takes for good: the best of its plans and of the network's own turns,
by a look one round ahead. Where the network moves, its own mistakes lead to the positions that it learns from (DAgger;
Ross et al., arXiv:1011.0686). A new network is fitted to these turns (`fit`), each tenth game left out. It meets
the old one in paired games, and replaces it where its mean score is at least `accept`.

The journal has a line for each part of games, for each fit and for each gate (the first network of a run that starts
with none passes none), with the digest of the file that it left behind;
a killed run goes on from the last one, exactly.
"""

from __future__ import annotations

import shutil
from typing import Any, Final

from warlight_env.agents.turn_net.turn_file import NONE, load_turns, turn_file
from warlight_env.arena.backends.backend import Backend
from warlight_env.arena.contests.resumable import check_jobs
from warlight_env.engine.rng import derive_seed
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.matches import play_pairs
from warlight_env.train.common.places import Places
from warlight_env.train.common.run_steps import RunSteps, Say
from warlight_env.train.exit.fit import fit_turns
from warlight_env.train.exit.games import TaughtGames, Teach, teaching
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.exit.taught_turns import TaughtTurns
from warlight_env.train.turn_net.player import TurnPlayer, read_network

#: Parts of seeds' paths.
_GAMES, _FIT, _GATE = 1, 2, 3
#: Games of a part, of which a kill costs no more than one.
GAMES_PART: Final = 100


def parts_of(settings: ExitSettings) -> int:
    """Lines that the journal of a whole run has."""
    of_games = -(-settings.games // GAMES_PART)
    return settings.iterations * (of_games + 2) - (settings.start == NONE)


class ExitRun:
    """A run.

    Args:
        settings: what decides it.
        journal: of its folder, open.
        jobs: games side by side; what is found does not depend on them.
        backend: that plays them, see `play_contests`; with ``local``, those that teach are played in threads.
        say: told of every part.
    """

    def __init__(
        self, settings: ExitSettings, journal: Journal, jobs: int = 1, backend: str | Backend = "local",
        say: Say = lambda entry: None,
    ) -> None:  # fmt: skip
        check_jobs(jobs)
        self._steps = RunSteps(journal, say)
        self.settings, self.journal, self.places = settings, journal, Places(settings)
        self._jobs, self._backend = jobs, backend

    def run(self) -> bytes:
        """Go on to the end; returns the file of the last network that came through a gate.

        Raises:
            RunError: a number is none any more, or the folder cannot be written; in that case the same run goes on
                from there.
            JournalError: the journal and its files are not of this run.
            KeyboardInterrupt: stopped early.
        """
        start = load_turns(self.settings.start)
        network = b"" if start is None else turn_file(start._asdict())
        taught: list[TaughtTurns] = []
        for iteration in range(self.settings.iterations):
            taught = [*taught, self._games(iteration, network)][-self.settings.keep :]
            fitted = self._fit(iteration, TaughtTurns.joined(taught), network)
            if self._gate(iteration, fitted, network):
                network = fitted
        return network

    def _games(self, iteration: int, network: bytes) -> TaughtTurns:
        s, parts = self.settings, []
        games = TaughtGames(s, network, derive_seed(s.seed, _GAMES, iteration))
        with teaching(games, self._jobs, self._backend) as teach:
            for part, low in enumerate(range(0, s.games, GAMES_PART)):

                def compute(
                    numbers: range = range(low, min(s.games, low + GAMES_PART)), teach: Teach = teach
                ) -> tuple[bytes, dict[str, Any]]:
                    turns = teach(numbers)
                    won = turns.game[turns.value.any(axis=1)]
                    return turns.to_bytes(), {
                        "games": len(numbers), "won": len(set(won.tolist())), "positions": len(turns.place),
                    }  # fmt: skip

                content = self._steps.file({"event": "games", "iteration": iteration, "part": part}, compute)
                parts.append(TaughtTurns.from_bytes(content))
        return TaughtTurns.joined(parts)

    def _fit(self, iteration: int, turns: TaughtTurns, network: bytes) -> bytes:
        def compute() -> tuple[bytes, dict[str, Any]]:
            seed = derive_seed(self.settings.seed, _FIT, iteration)
            fit = fit_turns(self.settings, self.places, turns, seed, read_network(network), self._jobs)
            return turn_file(fit.arrays), {
                "labels": len(turns.place), "trained": fit.trained, "held_out": fit.held_out, "result": fit.result,
            }  # fmt: skip

        return self._steps.file({"event": "fit", "iteration": iteration}, compute)

    def _gate(self, iteration: int, new: bytes, old: bytes) -> bool:
        s = self.settings
        if not old:
            return True

        def compute() -> dict[str, Any]:
            folder = self.journal.folder / f"gate-{iteration + 1}"
            (row,) = play_pairs(
                [("new", "old", TurnPlayer(new), TurnPlayer(old))], s.gate_units, s.conditions,
                derive_seed(s.seed, _GATE, iteration), folder, jobs=self._jobs, backend=self._backend,
            )  # fmt: skip
            shutil.rmtree(folder)
            told = {key: row[key] for key in ("games", "score", "interval")}
            return {**told, "accepted": row["score"] >= s.accept}

        return bool(self._steps.once({"event": "gate", "iteration": iteration}, compute)["accepted"])
