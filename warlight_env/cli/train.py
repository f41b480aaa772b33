"""``warlight train``: train the weights of the evaluation function, a value network, or a policy network.

Evolution and TD learning train the weights of the evaluation function. Expert iteration trains networks. PPO with
self-play trains policies.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import App, Parameter

from warlight_env.cli.common import (
    BackendOption,
    Count,
    JsonOption,
    PathArgument,
    QuietOption,
    UsageError,
    print_json,
    require_extra,
)
from warlight_env.cli.progress import unit_progress

if TYPE_CHECKING:
    from warlight_env.train.common.journal import Journal
    from warlight_env.train.common.settings import RunSettings
    from warlight_env.train.common.trainer import Trainer

app = App(
    name="train",
    help="Train the weights of the evaluation function, a value network, or a policy network that plays "
    "without search. Requires the extra 'train'.",
)

FileArgument = Annotated[
    PathArgument | None,
    Parameter(help="Settings: a .toml file, or the settings.json of a run (default: built-in settings)."),
]


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions:
    """The command-line options of all training commands."""

    out: Annotated[
        PathArgument | None,
        Parameter(
            help="Run folder (default: runs/NAME, where NAME is the name of the settings file or of the command)."
        ),
    ] = None
    quick: Annotated[bool, Parameter(negative="", help="Play very few games, as a test of the setup.")] = False
    jobs: Annotated[Count, Parameter(help="Number of parallel games or threads; results do not depend on it.")] = 1
    backend: BackendOption = "local"
    json: JsonOption = False
    quiet: QuietOption = False

    def check(self) -> None:
        """Raise an error if the number of jobs is not valid."""
        from warlight_env.arena.contests.contest_runner import check_jobs

        check_jobs(self.jobs)

    def plain(self, file: Path | None) -> dict[str, Any]:
        """Check the options, and return the content of the settings file as a dict; without a file, an empty dict."""
        from warlight_env.train.common.settings_file import load_plain

        self.check()
        return {} if file is None else load_plain(file)

    def settings(self, kind: type[RunSettings], file: Path | None) -> RunSettings:
        """Return the settings of the trainer, an object of type `kind`, from the settings file and the options."""
        from warlight_env.train.common.settings_file import load_settings, read_settings

        self.check()
        settings = read_settings(kind, {}, "settings") if file is None else load_settings(kind, file)
        return settings.quick() if self.quick else settings

    @contextlib.contextmanager
    def journal(self, command: str, file: Path | None, settings: RunSettings) -> Iterator[Journal]:
        """Open the journal in the run folder. If the run is interrupted, print how to continue it."""
        from warlight_env.train.common.journal import Journal

        name = command if file is None or file.name == "settings.json" else file.stem
        with Journal(self.out or Path("runs", name), settings.to_dict()) as journal:
            try:
                yield journal
            except KeyboardInterrupt:
                print(f"the same command continues the run in {journal.folder}", file=sys.stderr)
                raise


@Parameter(name="*")
@dataclass(frozen=True)
class WeightsOptions(RunOptions):
    """The command-line options of all commands that train the weights of the evaluation function."""

    start: Annotated[
        str | None, Parameter(help="Initial weights: thesis, default, or a .json file (default: thesis).")
    ] = None

    def settings(self, kind: type[RunSettings], file: Path | None) -> RunSettings:
        """Return the settings like `RunOptions.settings`, with initial evaluation weights from the option --start."""
        from warlight_env.agents.weights import Weights
        from warlight_env.train.weights.genes import ParameterVector

        settings = super().settings(kind, file)
        overrides: dict[str, Any] = {} if self.start is None else {"start": ParameterVector(Weights.load(self.start))}
        return replace(settings, **overrides)


#: The values of the setting `action` of PPO, and its default. The value "turns" has settings of its own.
PPO_ACTIONS: Final = ("turns", "strategies", "factored")
DEFAULT_PPO_ACTION: Final = "strategies"
#: The default values of all options.
DEFAULTS = RunOptions()
WEIGHTS_DEFAULTS = WeightsOptions()


@app.command
def evolve(file: FileArgument = None, *, options: WeightsOptions = WEIGHTS_DEFAULTS) -> None:
    """Evolve evaluation weights and search parameters with CMA-ES. Early stages use a fast player without search.

    The run folder stores all progress. After an interruption, even a killed process, the same command continues the
    run. An interrupted and continued run has the same result as a run without interruptions. At the end the folder
    contains the weights in found.json (for the agent parameter ``weights=``), report.md and report.html.

    ```toml
    parameters = ["bonus", "regions", "army", "whole_bonus_squared"]   # default: all that have an effect
    seed = 1
    holdout = ["one_big_army"]     # an opponent of the final match only
    [[stages]]
    player = "one_ply"
    generations = 30
    opponents = ["start", "champion", "hall"]
    [[stages]]
    player = "mcts:sims=25"
    generations = 20
    pairs = 10                     # seeds; each seed is played in both seats
    parameters = ["army", "sharpness", "c"]
    ```
    """
    require_extra("train", "cma", "matplotlib")
    from warlight_env.train.evolution.run import Evolution
    from warlight_env.train.evolution.settings import EvolveSettings

    _train(Evolution, EvolveSettings, file, options)


@app.command
def td(file: FileArgument = None, *, options: WeightsOptions = WEIGHTS_DEFAULTS) -> None:
    """Learn evaluation weights by TD(λ) in self-play. The ratio of both players' evaluations predicts the winner.

    Both players in self-play choose turns by one-ply search. The run folder stores all progress. After an interruption,
    even a killed process, the same command continues the run. An interrupted and continued run has the same result as a
    run without interruptions. At the end the folder contains the weights in found.json (for the agent parameter
    ``weights=``), report.md and report.html with a calibration plot.

    ```toml
    batches = 40
    games = 256       # self-play games in a batch
    td_lambda = 0.8
    learning_rate = 0.03
    ```
    """
    require_extra("train", "matplotlib")
    from warlight_env.train.td.run import TdRun
    from warlight_env.train.td.settings import TdSettings

    _train(TdRun, TdSettings, file, options, calibration_games=40 if options.quick else 1000)


@app.command
def value(file: FileArgument = None, *, options: RunOptions = DEFAULTS) -> None:
    """Train the value network of the agent `nash` by expert iteration.

    In each iteration, a search with the current network computes values of positions, and the next network learns
    these values. The run folder stores all progress. After an interruption, even a killed process, the same command
    continues the run. An interrupted and continued run has the same result as a run without interruptions. At the end
    the folder contains the network in value.npz (for the agent ``nash:value=FILE``), report.md and report.html.

    ```toml
    iterations = 3
    games = 900       # games of an iteration: the current network against itself and other agents
    labels = 80000    # positions of these games; the search computes their values
    label_simulations = 1600
    steps = 6000      # optimizer steps in an iteration
    maps = ["world", "large", "generated:40:101"]   # a map of 40 regions from seed 101
    players = [0.55, 0.15, 0.3]                       # proportions of games with 2, 3 and 4 players
    ```
    """
    require_extra("train", "torch", "matplotlib")
    from warlight_env.train.value.run import ValueRun
    from warlight_env.train.value.settings import ValueSettings

    _train(ValueRun, ValueSettings, file, options)


@app.command(name="exit")
def expert_iteration(file: FileArgument = None, *, options: RunOptions = DEFAULTS) -> None:
    """Train a policy network that plays complete turns, by expert iteration.

    The network learns the turns that a search of one round chooses. The candidate turns of the search include turns
    that the network proposes.

    The run folder stores all progress. After an interruption, even a killed process, the same command continues the
    run. An interrupted and continued run has the same result as a run without interruptions. At the end the folder
    contains the network in policy.npz (for the agent ``policy:FILE``), report.md and report.html.

    ```toml
    iterations = 4
    games = 2400      # games of an iteration
    seat_agents = ["expert", "network", "aggressive"]      # each seat of a game gets one of these agents at random
    steps = 6000      # optimizer steps in an iteration
    maps = ["world", "generated:40:101"]              # a map of 40 regions from seed 101
    players = [0.8, 0.1, 0.1]                         # proportions of games with 2, 3 and 4 players
    ```
    """
    require_extra("train", "torch", "matplotlib")
    from warlight_env.train.exit.run import ExitRun
    from warlight_env.train.exit.settings import ExitSettings

    _train(ExitRun, ExitSettings, file, options)


@app.command
def ppo(
    file: FileArgument = None, *, options: RunOptions = DEFAULTS,
    device: Annotated[Literal["cpu", "cuda"], Parameter(help='Device for action = "turns": cpu or cuda.')] = "cpu",
) -> None:  # fmt: skip
    """Train a policy by PPO and self-play. Matches can use the result as the agent ``policy:FILE``.

    With the setting action = "turns", the policy network plays complete turns on any map, and compiled code plays
    batches of games.

    The run folder stores all progress. After an interruption, even a killed process, the same command continues the
    run. An interrupted and continued run has the same result as a run without interruptions. At the end the folder
    contains the policy in policy.npz, report.md and report.html. TensorBoard can read the subfolder tensorboard during
    the run.

    ```toml
    iterations = 200                # each plays `n_envs` games in parallel for `n_steps` steps, and learns from them
    opponents = ["aggressive", "smart_random", "random"]   # in addition to copies of the policy
    eval_opponents = ["aggressive", "smart_random"]        # evaluation matches every 20 iterations
    holdout = ["one_big_army"]      # an opponent of the final match only
    action = "strategies"           # or factored; turns has other settings, see examples/ppo_turns.toml
    weights = "found.json"          # for the encoding `strategies`; default: the weights of the thesis
    [conditions]
    map = "world"
    ```
    """
    action = options.plain(file).get("action", DEFAULT_PPO_ACTION)
    if action not in PPO_ACTIONS:
        raise UsageError(f"{file}: action: must be one of {', '.join(PPO_ACTIONS)}, not {action!r:.60}")
    if action == "turns":
        require_extra("train", "torch", "torchrl", "matplotlib", "tensorboard")
        from warlight_env.train.turn_ppo.run import TurnPpoRun
        from warlight_env.train.turn_ppo.settings import TurnPpoSettings

        _train(TurnPpoRun, TurnPpoSettings, file, options, device=device)
        return
    if device != "cpu":
        raise UsageError(f'--device {device}: this option needs action = "turns"')
    require_extra("train", "torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard")
    from warlight_env.train.sb3_ppo.run import Sb3PpoRun
    from warlight_env.train.sb3_ppo.settings import Sb3PpoSettings

    _train(Sb3PpoRun, Sb3PpoSettings, file, options)


def _train(
    trainer: type[Trainer[Any, Any]], kind: type[RunSettings], file: Path | None, options: RunOptions, **arguments: Any
) -> None:
    """Run a trainer, then play the final match with the trained agent, and print the results.

    Args:
        kind: the type of the trainer's settings.
        arguments: additional arguments of the trainer.
    """
    settings = options.settings(kind, file)
    with options.journal(trainer.command, file, settings) as journal:
        with unit_progress(trainer.progress_name, trainer.total(settings), trainer.unit, options.quiet) as advance:

            def say(entry: dict[str, Any]) -> None:
                if trainer.is_unit(entry):
                    advance(1, trainer.progress(entry))

            done = sum(map(trainer.is_unit, journal.entries))
            if done:
                advance(done, "found in the run folder")
            run = trainer(settings, journal, options.jobs, options.backend, say, **arguments)
            artifact = run.run()
        games = 2 * settings.holdout_pairs * len(run.pairs(artifact))
        with unit_progress("final match", games, "games", options.quiet) as advance:
            result = run.finish(artifact, advance)
        _print_result(result, journal.folder, options.json, trainer.artifact_name)


def _print_result(result: dict[str, Any], folder: Path, json: bool, file_name: str) -> None:
    if json:
        print_json(result)
        return
    for row in result["holdout"]:
        low, high = row["interval"]
        score = f"{100 * row['score']:.1f} % ({100 * low:.1f}–{100 * high:.1f})"
        print(f"{result['player']}, {row['player']} against {row['opponent']}: {score} of {row['games']} games")
    print(f"result: {folder / file_name}\nreport: {folder / 'report.html'}")
