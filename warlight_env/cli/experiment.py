"""``warlight experiment``: repeat the experiments of Palášek's thesis (2019), and compare the results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from warlight_env.cli.common import (
    INTERRUPTED,
    OK,
    BackendOption,
    Count,
    JobsOption,
    JsonOption,
    PathArgument,
    QuietOption,
    RayAddressOption,
    SeedOption,
    UsageError,
    print_json,
    read_backend,
    write_file,
)

app = App(name="experiment", help="Repeat the experiments of Palášek's thesis (2019), and compare the results.")


@app.command(name="list")
def list_(*, json: JsonOption = False) -> None:
    """List the experiments: name, number of games or measurements, and approximate time on one core."""
    from warlight_env.experiments import MODULES, ExperimentSettings, experiment
    from warlight_env.tables import align

    rows: list[dict[str, Any]] = []
    for name in MODULES:
        definition = experiment(name)
        settings = ExperimentSettings(definition.agents[0], definition.budget or "simulations")
        rows.append(
            {
                "name": name,
                "title": definition.title,
                "agents": [agent for agent in definition.agents if agent],
                "units": definition.units(settings),
                "minutes": round(definition.estimated_seconds(settings) / 60, 1),
            }
        )
    if json:
        print_json(rows)
        return
    head = ["", "title", "agents", "units", "minutes"]
    table = [[r["name"], r["title"], ", ".join(r["agents"]), str(r["units"]), f"{r['minutes']:.0f}"] for r in rows]
    for line in align([head, *table], left=3):
        print(line)
    print("  units: games or measurements for each agent; minutes: approximate time for each agent on one core")


@Parameter(name="*")
@dataclass(frozen=True)
class ExperimentOptions:
    """The options of ``warlight experiment run``."""

    agent: Annotated[
        list[str] | None,
        Parameter(help="Agent; repeat the option for one run with each agent (default: mcts_thesis).", negative=""),
    ] = None
    quick: Annotated[
        bool, Parameter(negative="", help="Play only a few games with very short searches, as a test of the setup.")
    ] = False
    games: Annotated[
        Count | None,
        Parameter(
            name=["--games", "-n"],
            help="Number of games for each row of a table, or of measurements (default: as in the thesis).",
        ),
    ] = None
    budget_type: Annotated[
        Literal["simulations", "seconds"],
        Parameter(help="Limit of the bots per move: as many simulations as in the thesis, or as many seconds."),
    ] = "simulations"
    out: Annotated[PathArgument, Parameter(help="Folder with a subfolder for each run.")] = Path("runs")
    seed: SeedOption = 1
    jobs: JobsOption = None
    backend: BackendOption = "local"
    ray_address: RayAddressOption = None
    json: JsonOption = False
    quiet: QuietOption = False


@app.command
def run(
    *names: Annotated[str, Parameter(help="Names of experiments from `warlight experiment list`, or all.")],
    options: ExperimentOptions = ExperimentOptions(),
) -> int:
    """Run experiments. Each experiment writes result.json and result.md to its own folder.

    The folder stores finished games, so that after an interruption the same command continues the run. Experiments
    without matches (3.3, 3.10, branching, state-size, growth) run in this process and ignore --jobs and --backend.
    """
    from warlight_env.agents.registry import parse
    from warlight_env.arena.contests.contest_runner import check_count, check_jobs
    from warlight_env.cli.progress import unit_progress
    from warlight_env.experiments import MODULES, ExperimentSettings, experiment
    from warlight_env.experiments.experiment_runner import folder_name, run_experiment, to_markdown

    if not names:
        raise UsageError(f"experiment run: give at least one experiment, or all; there are {', '.join(MODULES)}")
    check_jobs(options.jobs, optional=True)
    check_count("--games", options.games, optional=True)
    backend = read_backend(options.backend, options.ray_address)
    definitions = [experiment(name) for name in (MODULES if "all" in names else dict.fromkeys(names))]
    for spec in options.agent or ():
        parse(spec)
    results = []
    for definition in definitions:
        of_experiment = []
        for spec in definition.agents if options.agent is None or definition.agents == ("",) else options.agent:
            budget = definition.budget or options.budget_type
            settings = ExperimentSettings(
                spec, budget, options.quick, options.seed, options.jobs, backend, options.games
            )
            folder = options.out / folder_name(definition.name, settings)
            title = f"{definition.name} {spec}".strip()
            with unit_progress(title, definition.units(settings), "units", options.quiet) as advance:
                of_experiment.append(run_experiment(definition, settings, folder, advance))
            if of_experiment[-1].interrupted:
                break
        results += of_experiment
        if not options.json:
            print(to_markdown(definition, of_experiment))
        if of_experiment[-1].interrupted:
            break
    if options.json:
        print_json([result.to_dict() for result in results])
    return INTERRUPTED if results[-1].interrupted else OK


@app.command
def report(
    *folders: Annotated[PathArgument, Parameter(help="Result folders, or folders that contain result folders.")],
    output: Annotated[
        PathArgument | None, Parameter(name=["--out", "-o"], help="Output file (default: standard output).")
    ] = None,
) -> None:
    """Combine results into one page of Markdown, such as docs/results/thesis-tables.md."""
    from warlight_env.experiments.report import find_results
    from warlight_env.experiments.report import report as write_report

    if not folders:
        raise UsageError("experiment report: give at least one folder")
    text = write_report(find_results(folders))
    if output is None:
        print(text, end="")
    else:
        write_file(output, text)
        print(f"{output}: written")
