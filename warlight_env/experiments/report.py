"""Reports of results in Markdown, with the introductions of the pages in `docs/results`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from warlight_env.experiments import GROWTH_NAMES, METHOD_NAMES, MODULES, experiment
from warlight_env.experiments.experiment_runner import RESULT, ExperimentResult, to_markdown
from warlight_env.experiments.players import ExperimentError

_THESIS = """# The thesis's experiments, rerun

The bots, the search and the evaluation come from a thesis (Palášek, *Artificial Intelligence for Warlight*, Charles
University 2019). For this page we repeated the experiments of its chapter 3, and compare the thesis's figures with
ours. [The lab notebook](../lab/thesis-tables.md) has the date and the conclusions. This command writes the page:

    warlight experiment report FOLDERS -o docs/results/thesis-tables.md

It reads the results of the commands below the tables. Each command accepts `--jobs` and continues after an
interruption.

`mcts_thesis` is the tree search with the thesis's parameters and generators, and `mcts` is the tree search with ours.
In the thesis, the budget of a bot is a number of seconds on a machine of 2017. Here the budget is the number of
simulations that the thesis's program made in that time. With `--budget-type seconds` it is the number of seconds
instead.

| seconds a move in the thesis | simulations a move here | source |
| ---: | ---: | --- |
| 2 | 91 | the rate of 10 seconds |
| 5 | 228 | the rate of 10 seconds |
| 10 | 457 | the thesis's table 3.3 |
| 15 | 1272 | the thesis's table 3.10 |
| 20 | 914 | the rate of 10 seconds |

Unless a section says otherwise, matches are on the world map with the rules `thesis` and random starting regions. The
players change seats after each game.

Percentages are shares of games won, with Wilson's 95 % interval. The column *sample* has the numbers of games won and
lost, or the size of the sample. The last column says whether the thesis's figure is in our interval. If it is not,
the column also has the 95 % interval of the difference (our figure minus the thesis's, Newcombe's method). This
interval also takes the chance in the thesis's games into account. If it contains 0, chance may explain the
difference.
"""

_METHODS = """# Methods of other theses, measured

Students' theses on other games tested methods that are also available here. For this page we repeated their
experiments with Warlight. Below each table is the finding of the thesis. [Search
options](../reference/search-options.md) describes the players and options, and [the lab notebook](../lab/methods.md)
has the date and the conclusions. This command writes the page:

    warlight experiment report FOLDERS -o docs/results/methods.md

It reads the results of the commands below the tables. Each command accepts `--jobs` and continues after an
interruption. `python benchmarks/methods.py` measures the basis of the explanations in the lab notebook.

All matches use the rules `thesis`. The tree search plays without local search (`local_search=0`), because local
search would hide the effect of the other options. Percentages are shares of games won, with Wilson's 95 % interval.
The column *sample* has the numbers of games won and lost. The authors measured their figures in other games. So a
difference says something about the games, and is not an error.
"""

_GROWTH = """# Growth

This page shows how fast the income of players grows without opposition. This command writes it:

    warlight experiment report FOLDERS

It reads the results of the commands below the tables. Each command continues after an interruption.
"""


def find_results(folders: Sequence[Path]) -> list[ExperimentResult]:
    """Return the results in some folders and in their direct subfolders.

    Raises:
        ExperimentError: a folder has no result.
    """
    results: list[ExperimentResult] = []
    for folder in folders:
        if os.path.exists(folder / RESULT):
            files = [folder / RESULT]
        else:
            files = sorted(folder.glob(f"*/{RESULT}")) if os.path.isdir(folder) else []
        if not files:
            raise ExperimentError(f"{folder}: neither this folder nor a folder in it contains {RESULT}")
        results += [ExperimentResult.load(file) for file in files]
    return results


def report(results: Sequence[ExperimentResult]) -> str:
    """Return the report, with a section for each experiment.

    A section has a line for each row and agent. The thesis's experiments come first, in the order of the thesis.

    Raises:
        ExperimentError: two results have the same experiment, agent and budgets, or an experiment is unknown.
    """
    keys = set()
    for result in results:
        experiment(result.experiment)
        key = (
            result.experiment,
            result.settings.agent,
            result.settings.budget_type,
            result.settings.quick,
            result.settings.games,
        )
        if key in keys:
            raise ExperimentError(f"there are two results of {result.command!r}: give only one of them")
        keys.add(key)
    sections = []
    for name in MODULES:
        of_name = [result for result in results if result.experiment == name]
        if of_name:
            head = _METHODS if name in METHOD_NAMES else _GROWTH if name in GROWTH_NAMES else _THESIS
            if head not in sections:
                sections.append(head)
            definition = experiment(name)
            order = {agent: i for i, agent in enumerate(definition.agents)}
            of_name.sort(
                key=lambda r: (r.settings.budget_type, order.get(r.settings.agent, len(order)), r.settings.agent)
            )
            sections.append(to_markdown(definition, of_name, level=2))
    return "\n".join(sections).rstrip() + "\n"
