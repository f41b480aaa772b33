"""``warlight train``: weights of the evaluation by evolution or TD learning, a value network by expert iteration,
policies by PPO and self-play."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from warlight_env.cli.common import JsonOption, UsageError, Whole, need, print_json
from warlight_env.cli.counting import Advance, counting
from warlight_env.cli.tournament import BackendOption, QuietOption

if TYPE_CHECKING:
    from warlight_env.train.common.journal import Journal
    from warlight_env.train.common.run_steps import Say
    from warlight_env.train.ppo.run import PolicyRun
    from warlight_env.train.sb3_ppo.settings import PpoSettings
    from warlight_env.train.turn_ppo.settings import TurnPpoSettings
    from warlight_env.train.weights.genes import Variant

app = App(
    name="train",
    help="Train: weights of the evaluation, a value network, or a policy that plays alone. Needs the extra 'train'.",
)

FileArgument = Annotated[
    Path | None, Parameter(help="Settings: a .toml file, or the settings.json of a run (default: built-in ones).")
]


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions:
    """What every training run takes on the command line."""

    out: Annotated[
        Path | None, Parameter(help="Run folder (default: runs/ and the command's name, or the settings file's).")
    ] = None
    quick: Annotated[bool, Parameter(negative="", help="Hardly any games: shows that everything works.")] = False
    jobs: Annotated[
        Whole, Parameter(help="Games, or threads of games, side by side; the outcome does not depend on it.")
    ] = 1
    backend: BackendOption = "local"
    json: JsonOption = False
    quiet: QuietOption = False

    def plain(self, file: Path | None) -> dict[str, Any]:
        """What the settings file says; looks at the options, too."""
        from warlight_env.arena.contests.resumable import check_jobs
        from warlight_env.train.common.settings_file import load_plain

        check_jobs(self.jobs)
        return {} if file is None else load_plain(file)

    @contextlib.contextmanager
    def journal(self, command: str, file: Path | None, settings: dict[str, Any]) -> Iterator[Journal]:
        """The folder of the run, open; an interruption is told how to go on."""
        from warlight_env.train.common.journal import Journal

        name = command if file is None or file.name == "settings.json" else file.stem
        with Journal(self.out or Path("runs", name), settings) as journal:
            try:
                yield journal
            except KeyboardInterrupt:
                print(f"the same command goes on from {journal.folder}", file=sys.stderr)
                raise

    def counting_final_match(self, games: int) -> AbstractContextManager[Advance]:
        """Progress of the games in which what was found meets others at last."""
        return counting("final match", games, "games", self.quiet)


@Parameter(name="*")
@dataclass(frozen=True)
class WeightsOptions(RunOptions):
    """What every way to find weights takes on the command line."""

    start: Annotated[
        str | None, Parameter(help="Weights to begin with: thesis (the default), default, or a .json file.")
    ] = None

    def read(self, kind: Any, file: Path | None) -> tuple[Any, Variant]:
        """Settings of a kind, and what the run begins with."""
        from warlight_env.train.common.settings_file import read_settings

        data = self.plain(file)
        first = _first(data, self.start)
        return read_settings(kind, data, str(file) if file else "settings"), first


def _first(data: dict[str, Any], given: str | None) -> Variant:
    """What a run begins with: as told, as its settings say, or the thesis's."""
    from warlight_env.agents.weights import Weights
    from warlight_env.train.weights.genes import Variant

    if given is not None:
        return Variant(Weights.load(given))
    saved = data.pop("start", None)
    try:
        return Variant() if saved is None else Variant.from_dict(saved)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"settings: start: not what a run begins with ({error})") from None


#: As on a command line that says nothing.
DEFAULTS = RunOptions()
WEIGHTS_DEFAULTS = WeightsOptions()


@app.command
def evolve(file: FileArgument = None, *, options: WeightsOptions = WEIGHTS_DEFAULTS) -> None:
    """Evolve weights and parameters of the search by CMA-ES, in stages from a cheap player to the search itself.

    Everything is kept in the run folder: the same command goes on after an interruption or a kill, exactly. At the end
    it holds found.json (for ``weights=``), report.md and report.html.

    ```toml
    genes = ["bonus", "regions", "army", "whole_bonus_squared"]   # default: all that matter
    seed = 1
    holdout = ["one_big_army"]     # met in the final match alone
    [[stages]]
    player = "one_ply"
    generations = 30
    rivals = ["start", "champion", "hall"]
    [[stages]]
    player = "mcts:sims=25"
    generations = 20
    units = 10                     # seeds, each in both seats
    genes = ["army", "sharpness", "c"]
    ```
    """
    need("train", "cma", "matplotlib")
    from warlight_env.train.evolution.report import finish_evolution
    from warlight_env.train.evolution.run import Evolution, EvolveSettings, Stage
    from warlight_env.train.weights.report import FOUND

    settings, first = options.read(EvolveSettings, file)
    if options.quick:
        few = Stage(generations=2, population=4, units=2, most_units=4, review=2, review_units=4)
        stages = tuple(replace(few, player=s.player, rivals=s.rivals, genes=s.genes) for s in settings.stages)
        settings = replace(settings, stages=stages, holdout_units=2)
    with options.journal("evolve", file, {**settings.to_dict(), "start": first.to_dict()}) as journal:
        total = sum(stage.generations for stage in settings.stages)
        with counting("evolution", total, "generations", options.quiet) as advance:

            def say(entry: dict[str, Any]) -> None:
                if entry["event"] == "generation":
                    advance(1, f"stage {entry['stage'] + 1}, best {max(entry['scores']):.2f}")

            done = sum(entry.get("event") == "generation" for entry in journal.entries)
            if done:
                advance(done, "as found in the run folder")
            found = Evolution(settings, journal, first, options.jobs, options.backend, say).run()
        with options.counting_final_match(_games(settings)) as advance:
            result = finish_evolution(
                settings, journal, first, found, jobs=options.jobs, backend=options.backend, advance=advance
            )
        _tell(result, journal.folder, options.json, FOUND)


@app.command
def td(file: FileArgument = None, *, options: WeightsOptions = WEIGHTS_DEFAULTS) -> None:
    """Learn weights by TD(λ) in self-play of the one-ply player, with the share as the chance to win.

    Everything is kept in the run folder: the same command goes on after an interruption or a kill, exactly. At the end
    it holds found.json (for ``weights=``), report.md and report.html, with a calibration plot.

    ```toml
    batches = 40
    games = 256       # of self-play in a batch
    trace = 0.8       # lambda
    rate = 0.03
    ```
    """
    need("train", "matplotlib")
    from warlight_env.train.td.report import finish_td
    from warlight_env.train.td.run import TdRun, TdSettings
    from warlight_env.train.weights.report import FOUND

    settings, first = options.read(TdSettings, file)
    if options.quick:
        settings = replace(settings, batches=2, games=8, review_units=2, holdout_units=2)
    with options.journal("td", file, {**settings.to_dict(), "start": first.to_dict()}) as journal:
        with counting("TD learning", settings.batches, "batches", options.quiet) as advance:
            if journal.entries:
                advance(len(journal.entries), "as found in the run folder")

            def say(entry: dict[str, Any]) -> None:
                advance(1, f"loss {entry['loss']:.3f}")

            run = TdRun(settings, journal, first.weights, options.jobs, say)
            found = run.run()
        with options.counting_final_match(_games(settings)) as advance:
            result = finish_td(
                settings, journal, first.weights, found, run.calibration(40 if options.quick else 1000),
                jobs=options.jobs, backend=options.backend, advance=advance,
            )  # fmt: skip
        _tell(result, journal.folder, options.json, FOUND)


@app.command
def value(file: FileArgument = None, *, options: RunOptions = DEFAULTS) -> None:
    """Train the value network of `nash` by expert iteration: what its search finds is what the next network says.

    Everything is kept in the run folder: the same command goes on after an interruption or a kill, exactly. At the end
    it holds value.npz (for ``nash:value=FILE``), report.md and report.html.

    ```toml
    iterations = 3
    games = 900       # of an iteration: the network as it is against itself and others
    labels = 80000    # positions of these that are searched
    plays = 1600      # of the round, for a label
    steps = 6000      # of the fit
    maps = ["world", "large", "generated:40:101"]   # a map of 40 regions from seed 101
    players = [0.55, 0.15, 0.3]                       # shares of games of 2, 3 and 4 players
    ```
    """
    need("train", "torch", "matplotlib")
    from warlight_env.train.common.settings_file import read_settings
    from warlight_env.train.value.report import VALUE, finish_value
    from warlight_env.train.value.run import ValueRun, parts_of
    from warlight_env.train.value.settings import ValueSettings

    settings = read_settings(ValueSettings, options.plain(file), str(file) if file else "settings")
    if options.quick:
        settings = replace(
            settings, iterations=2, games=12, labels=200, plays=60, steps=40, gate_units=1, accept=0.0, holdout_units=1
        )
    with options.journal("value", file, settings.to_dict()) as journal:
        with counting("expert iteration", parts_of(settings), "parts", options.quiet) as advance:
            if journal.entries:
                advance(len(journal.entries), "as found in the run folder")

            def say(entry: dict[str, Any]) -> None:
                more = f", {100 * entry['score']:.0f} % against the old network" if entry["event"] == "gate" else ""
                advance(1, f"iteration {entry['iteration'] + 1}: {entry['event']}{more}")

            run = ValueRun(settings, journal, options.jobs, options.backend, say)
            found = run.run()
        with options.counting_final_match(2 * settings.holdout_units * (1 + len(settings.holdout))) as advance:
            result = finish_value(
                settings, journal, found, run.games(), jobs=options.jobs, backend=options.backend, advance=advance
            )
        _tell(result, journal.folder, options.json, VALUE)


@app.command(name="exit")
def expert_iteration(file: FileArgument = None, *, options: RunOptions = DEFAULTS) -> None:
    """Train a network that plays turns in full, by expert iteration: it learns what a look one round ahead takes for
    good, and that look then chooses among the network's turns, too.

    Everything is kept in the run folder: the same command goes on after an interruption or a kill, exactly. At the end
    it holds policy.npz (for ``policy:FILE``), report.md and report.html.

    ```toml
    iterations = 4
    games = 2400      # of an iteration
    seats = ["expert", "network", "aggressive"]      # who sits there, drawn
    steps = 6000      # of the fit
    maps = ["world", "generated:40:101"]              # a map of 40 regions from seed 101
    players = [0.8, 0.1, 0.1]                         # shares of games of 2, 3 and 4 players
    ```
    """
    need("train", "torch", "matplotlib")
    from warlight_env.train.common.settings_file import read_settings
    from warlight_env.train.exit.report import POLICY, finish_exit
    from warlight_env.train.exit.run import ExitRun, parts_of
    from warlight_env.train.exit.settings import ExitSettings

    settings = read_settings(ExitSettings, options.plain(file), str(file) if file else "settings")
    if options.quick:
        settings = replace(
            settings, iterations=2, games=6, max_rounds=20, candidates=6, samples=2, steps=20, batch=16, gate_units=1,
            accept=0.0, holdout_units=1,
        )  # fmt: skip
    with options.journal("exit", file, settings.to_dict()) as journal:
        with counting("expert iteration", parts_of(settings), "parts", options.quiet) as advance:
            if journal.entries:
                advance(len(journal.entries), "as found in the run folder")

            def say(entry: dict[str, Any]) -> None:
                more = f", {100 * entry['score']:.0f} % against the old network" if "score" in entry else ""
                advance(1, f"iteration {entry['iteration'] + 1}: {entry['event']}{more}")

            found = ExitRun(settings, journal, options.jobs, options.backend, say).run()
        with options.counting_final_match(2 * settings.holdout_units * len(settings.holdout)) as advance:
            result = finish_exit(settings, journal, found, jobs=options.jobs, backend=options.backend, advance=advance)
        _tell(result, journal.folder, options.json, POLICY)


@app.command
def ppo(
    file: FileArgument = None, *, options: RunOptions = DEFAULTS,
    device: Annotated[str, Parameter(help="Where PyTorch computes, for turns in full: cpu, cuda, cuda:1, …")] = "cpu",
) -> None:  # fmt: skip
    """Train a policy by PPO and self-play, for any match as ``policy:FILE``.

    With action = "turns", a network that plays turns in full on any map; games are played in compiled code, in batches.

    Everything is kept in the run folder: the same command goes on after an interruption or a kill, exactly. At the end
    it holds policy.npz, report.md and report.html; TensorBoard reads its folder tensorboard all the while.

    ```toml
    iterations = 200                # each plays `envs` games side by side for `steps` steps, and learns from these
    opponents = ["aggressive", "smart_random", "random"]   # beside copies of the policy itself
    evaluate = ["aggressive", "smart_random"]              # by the match engine, every 20 iterations
    holdout = ["one_big_army"]      # met in the final match alone
    action = "strategies"           # factored; turns: other settings, see examples/ppo_turns.toml
    weights = "found.json"          # behind the encoding `strategies`; default: the thesis's
    [conditions]
    map = "world"
    ```
    """
    data, place = options.plain(file), str(file) if file else "settings"
    if data.get("action") == "turns":
        _ppo_on_turns(data, place, file, options, device)
        return
    if device != "cpu":
        raise UsageError(f'--device {device}: only with action = "turns"')
    need("train", "torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard")
    from warlight_env.train.common.settings_file import read_settings
    from warlight_env.train.sb3_ppo.run import PpoRun
    from warlight_env.train.sb3_ppo.settings import PpoSettings

    settings = read_settings(PpoSettings, data, place)
    if options.quick:
        settings = replace(
            settings, iterations=2, envs=8, steps=16, minibatch=32, snapshot=1, evaluation=1, evaluation_units=1,
            holdout_units=2,
        )  # fmt: skip
    _ppo(settings, file, options, lambda journal, say: PpoRun(settings, journal, options.jobs, options.backend, say))


def _ppo_on_turns(data: dict[str, Any], place: str, file: Path | None, options: RunOptions, device: str) -> None:
    need("train", "torch", "torchrl", "matplotlib", "tensorboard")
    from warlight_env.train.common.settings_file import read_settings
    from warlight_env.train.turn_ppo.run import TurnPpoRun
    from warlight_env.train.turn_ppo.settings import TurnPpoSettings

    settings = read_settings(TurnPpoSettings, data, place)
    if options.quick:
        settings = replace(
            settings, iterations=2, envs=8, steps=16, minibatch=32, snapshot=1, evaluation=1, evaluation_units=1,
            holdout_units=2,
        )  # fmt: skip

    def make(journal: Journal, say: Say) -> TurnPpoRun:
        return TurnPpoRun(settings, journal, options.jobs, options.backend, say, device)

    _ppo(settings, file, options, make)


def _ppo(
    settings: PpoSettings | TurnPpoSettings, file: Path | None, options: RunOptions,
    make: Callable[[Journal, Say], PolicyRun],
) -> None:  # fmt: skip
    from warlight_env.train.ppo.report import POLICY, finish_ppo

    with options.journal("ppo", file, settings.to_dict()) as journal:
        with counting("PPO", settings.iterations, "iterations", options.quiet) as advance:
            if journal.entries:
                advance(len(journal.entries), "as found in the run folder")

            def say(entry: dict[str, Any]) -> None:
                won = 100 * entry["won"] / max(1, entry["games"])
                scores = (f"{name} {100 * row['score']:.0f} %" for name, row in entry.get("evaluation", {}).items())
                advance(1, ", ".join([f"{entry['steps']:,} steps, won {won:.0f} % in training", *scores]))

            found = make(journal, say).run()
        games = 2 * settings.holdout_units * len({*settings.evaluate, *settings.holdout})
        with options.counting_final_match(games) as advance:
            result = finish_ppo(settings, journal, found, jobs=options.jobs, backend=options.backend, advance=advance)
        _tell(result, journal.folder, options.json, POLICY)


def _games(settings: Any) -> int:
    """Games of the final match of weights: what was found and what it began with against each other and others."""
    return 2 * settings.holdout_units * (1 + 2 * len(settings.holdout))


def _tell(result: dict[str, Any], folder: Path, json: bool, found: str) -> None:
    if json:
        print_json(result)
        return
    for row in result["holdout"]:
        low, high = row["interval"]
        score = f"{100 * row['score']:.1f} % ({100 * low:.1f}–{100 * high:.1f})"
        print(f"{result['player']}, {row['player']} against {row['opponent']}: {score} of {row['games']} games")
    print(f"found: {folder / found}\nreport: {folder / 'report.html'}")
