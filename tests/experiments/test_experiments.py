"""Experiments of the thesis: budgets, players, statistics, continuation after interruptions, and the report."""

from __future__ import annotations

import itertools
import json
import math
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers import RING, position
from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.arena.games.game_setup import agent_from_source
from warlight_env.arena.ratings.statistics import Interval
from warlight_env.cli import main
from warlight_env.engine.orders import Orders
from warlight_env.experiments import (
    GROWTH_NAMES,
    METHOD_NAMES,
    MODULES,
    ExperimentError,
    ExperimentSettings,
    experiment,
    game_table,
    growth,
    players,
    rows,
)
from warlight_env.experiments.base import UNITS, Measurement
from warlight_env.experiments.experiment_runner import ExperimentResult, conclusions, run_experiment
from warlight_env.experiments.game_table import Comparison, ComparisonTable
from warlight_env.experiments.measurements import count_turns, last_search
from warlight_env.experiments.players import Side, simulations
from warlight_env.experiments.report import find_results, report
from warlight_env.experiments.rows import WinLoss, bootstrap_interval, newcombe, number_row, win_rate_row
from warlight_env.game import Game

DOCS = Path(__file__).parents[2] / "docs"
QUICK = ExperimentSettings(quick=True)


def nothing(count, label):
    pass


def test_budgets_match_the_medians_and_ratios_of_the_thesis():
    assert [simulations(seconds) for seconds in (2, 5, 10, 15, 20)] == [91, 228, 457, 1272, 914]
    assert [simulations(15, threads) for threads in (1, 2, 4)] == [1272, 1096, 836]
    with pytest.raises(ValueError, match="no measurement of 10 seconds in 4 threads"):
        simulations(10, 4)


@pytest.mark.parametrize(
    "player, agent, by, spec",
    [
        (Side(thesis_seconds=10), "mcts_thesis", "simulations", "mcts_thesis:sims=457"),
        (Side(thesis_seconds=10), "mcts:c=0.5", "simulations", "mcts:c=0.5,sims=457"),
        (Side(thesis_seconds=15, threads=4), "mcts", "simulations", "mcts:sims=836,threads=4"),
        (Side(thesis_seconds=15, threads=2), "mcts", "seconds", "mcts:secs=15,threads=2"),
        (Side(thesis_seconds=10), "mcts:sims=9", "seconds", "mcts:sims=9"),
        (Side("random"), "mcts", "simulations", "random"),
    ],
)
def test_players_use_the_requested_agent_with_the_thesis_budget(player, agent, by, spec):
    assert player.source(ExperimentSettings(agent, by)) == spec


def test_a_player_without_defence_searches_without_defensive_turns():
    source = Side(thesis_seconds=10, defense=False).source(QUICK)
    agent = agent_from_source(source, 1)
    assert agent.settings.defense is False and agent.settings.exploration == 1.41
    assert agent_from_source("mcts_thesis", 1).settings.defense is True
    with pytest.raises(ExperimentError, match="'random' cannot play without defence"):
        agent_from_source(Side("random", defense=False).source(QUICK), 1)


def test_table_3_2_uses_the_starting_positions_of_the_thesis():
    table = experiment("thesis-3.2")
    setup = table.contests(QUICK)[0].setup
    names = [super_region.name for super_region in setup.map.super_regions]
    starts = set()
    for number in range(6):
        seating = setup.make_seating(number)
        game = Game(setup.map, setup.rules, 2, seating.seed)
        game.pick({seat: agent.pick(game.view(seat)) for seat, agent in enumerate(seating.agents)})
        of_agent = {agent: seat for seat, agent in enumerate(seating.seats)}
        owned = [np.flatnonzero(game.owner == of_agent[agent]).tolist() for agent in range(2)]
        in_super = [sorted(names[setup.map.super_region_of[r]] for r in regions) for regions in owned]
        assert in_super == [["Australia", "South America"], ["Asia", "Asia"]]
        starts.add(tuple(owned[1]))
    assert len(starts) > 1  # the game draws the starting regions at random
    assert replace(setup.rules, name="x", picking="own_offer", ranked=0, offers_per_super_region=1) == replace(
        Game().rules, name="x"
    )


def test_count_turns_matches_an_explicit_enumeration():
    """Count all deploys and all attacks one by one."""
    game = position(Game(RING, players=2, seed=1, picks="random"), [0, 0, 1, -1, -1, 1], [3, 1, 2, 2, 2, 1])
    own = [r for r in range(6) if game.owner[r] == 0]
    count = 0
    for deploy in itertools.product(range(game.income(0) + 1), repeat=len(own)):
        if sum(deploy) != game.income(0):
            continue
        attacks = 1
        for region, more in zip(own, deploy, strict=True):
            free, borders = int(game.army[region]) + more - 1, len(game.map.neighbors[region])
            attacks *= sum(sum(sent) <= free for sent in itertools.product(range(free + 1), repeat=borders))
        count += attacks
    assert count_turns(game, 0) == count
    # The rules also allow the largest of these turns.
    most = Orders([(0, game.income(0))], [(0, 1, int(game.army[0]) + game.income(0) - 1)])
    assert game.check(0, most) == []


def test_newcombe_interval_matches_published_values():
    # Newcombe 1998, table II: 56 of 70 against 48 of 80, method 10.
    assert newcombe(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert newcombe(9, 10, 3, 10) == pytest.approx((0.1705, 0.8090), abs=5e-5)


def test_a_win_rate_is_compared_with_the_win_rate_of_the_thesis():
    row = win_rate_row("x", 365, 35, 0, WinLoss(436, 64))
    assert row.value == 0.9125 and row.verdict == "above" and row.thesis == pytest.approx(0.872)
    assert row.difference.low < 0.0405 < row.difference.high
    assert win_rate_row("x", 350, 50, 0, WinLoss(436, 64)).verdict == "within"
    assert win_rate_row("x", 300, 99, 1, WinLoss(436, 64)).verdict == "below"
    assert win_rate_row("x", 1, 1, 0, None).verdict == "no figure"


def test_intervals_of_means_account_for_clusters(monkeypatch):
    monkeypatch.setattr("warlight_env.experiments.rows.RESAMPLES", 200)
    rng = np.random.default_rng(5)
    inside = 0
    for k in range(30):
        clusters = [rng.normal(rng.normal(0, 1), 0.1, 8) for _ in range(30)]
        low, high = bootstrap_interval(clusters, lambda values: float(np.mean(values)), seed=k)
        inside += low <= 0 <= high
    assert inside >= 24  # 28 or 29 expected; intervals over single values would hold 0 in about half of the cases
    row = number_row("x", [[1.0, 2.0], [6.0]], "median", 2, "moves")
    assert (row.value, row.low, row.high) == (2, 1.5, 6)


@pytest.mark.parametrize("name", MODULES)
def test_every_experiment_runs_and_resumes_after_an_interruption(name, tmp_path, monkeypatch):
    # A few short games with small searches: this test checks only that each experiment runs.
    for module, constant, less in (
        (game_table, "QUICK_ROUNDS", 3), (game_table, "QUICK_GAMES", 1), (rows, "RESAMPLES", 200),
        *((module, "QUICK_SIMULATIONS", 5) for module in (growth, players)),
    ):  # fmt: skip
        monkeypatch.setattr(module, constant, less)
    experiment_ = experiment(name)
    settings = replace(QUICK, agent=experiment_.agents[0], budget_type=experiment_.budget or "simulations")
    result = run_experiment(experiment_, settings, tmp_path, nothing)
    assert result.rows and not result.interrupted
    for row in result.rows:
        assert math.isfinite(row.value) and row.low <= row.value <= row.high
        assert row.thesis is not None or name in METHOD_NAMES or name in GROWTH_NAMES
    data = json.loads((tmp_path / "result.json").read_text())
    assert data == result.to_dict()
    text = (tmp_path / "result.md").read_text()
    assert experiment_.setting.split(".")[0][:60] in text.replace("\n", " ") and "A quick run" in text
    assert str(tmp_path) not in json.dumps(data) + text  # the output contains no path of this machine
    games = tmp_path / (UNITS if isinstance(experiment_, Measurement) else "games.jsonl")
    lines = games.read_text().splitlines(keepends=True)
    games.write_text("".join(lines[:-1]) + lines[-1][: len(lines[-1]) // 2])
    again = run_experiment(experiment_, settings, tmp_path, nothing)
    if name != "thesis-3.10":  # its rows measure seconds, which differ between runs
        untimed = [[replace(row, sample=row.sample.split(";")[0]) for row in r.rows] for r in (again, result)]
        assert untimed[0] == untimed[1]
    assert games.read_text().splitlines(keepends=True)[:-1] == lines[:-1]


def test_a_run_does_not_continue_with_other_settings(tmp_path):
    experiment_ = experiment("branching")
    run_experiment(experiment_, QUICK, tmp_path, nothing)
    with pytest.raises(ValueError, match=r"another run \(seed: 1 in the folder, 2 now\)"):
        run_experiment(experiment_, replace(QUICK, seed=2), tmp_path, nothing)


def test_a_second_run_of_a_measurement_in_one_folder_is_refused(tmp_path):
    experiment_, labels = experiment("state-size"), []

    def again(count, label):
        labels.append(label)
        with pytest.raises(RunFolderError, match="another run writes to this folder"):
            run_experiment(experiment_, QUICK, tmp_path, nothing)

    run_experiment(experiment_, QUICK, tmp_path, again)
    assert labels and len((tmp_path / UNITS).read_text().splitlines()) == len(labels)


def test_an_unknown_unit_in_the_file_is_reported(tmp_path):
    experiment_ = experiment("state-size")
    run_experiment(experiment_, QUICK, tmp_path, nothing)
    with open(tmp_path / UNITS, "a") as file:
        file.write('{"unit": 99, "seconds": 0.1, "values": {}}\n')
    with pytest.raises(RunFolderError, match=r"units.jsonl, line \d: not a unit of this run .*no such unit"):
        run_experiment(experiment_, QUICK, tmp_path, nothing)


def test_files_that_are_no_results_are_refused(tmp_path):
    experiment_ = experiment("state-size")
    (tmp_path / "run.json").write_bytes(b"\xff\xfe")
    with pytest.raises(RunFolderError, match=r"run\.json: not UTF-8 text"):
        run_experiment(experiment_, replace(QUICK, agent=""), tmp_path, nothing)
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    (tmp_path / "run.json").unlink()
    run_experiment(experiment_, replace(QUICK, agent=""), tmp_path, nothing)
    data = json.loads((tmp_path / "result.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps({**data, "experiment": "of a later version"}))
    with pytest.raises(ExperimentError, match="no experiment 'of a later version'"):
        report(find_results([tmp_path]))
    (tmp_path / "result.json").write_text(json.dumps({**data, "seconds": "many"}))
    with pytest.raises(ExperimentError, match="not an experiment's result"):
        find_results([tmp_path])


def test_an_interrupted_measurement_is_marked_and_resumes(tmp_path):
    experiment_ = experiment("branching")
    complete = run_experiment(experiment_, QUICK, tmp_path / "whole", nothing)

    def interrupt(count, label):
        raise KeyboardInterrupt

    part = run_experiment(experiment_, QUICK, tmp_path / "part", interrupt)
    assert part.interrupted and part.rows != complete.rows
    assert run_experiment(experiment_, QUICK, tmp_path / "part", nothing).rows == complete.rows


@pytest.mark.parametrize(
    "agent, first",
    [
        ("mcts", "mcts:sims=457"),
        ("mcts:1s", "mcts:1s"),
        (" mcts:50 ", "mcts:50"),
        ("mcts:c=1", "mcts:c=1,sims=457"),
        ("mcts:c=1,500ms", "mcts:c=1,500ms"),
    ],
)
def test_a_budget_in_the_agent_specification_takes_precedence(agent, first):
    (contest,) = experiment("thesis-3.5").contests(ExperimentSettings(agent=agent))
    assert contest.setup.agents == (first, "one_big_army")


@pytest.mark.parametrize("agent", ["cmd:python3 bot.py", "belief:mcts"])
def test_agents_without_a_settable_budget_are_refused(agent, tmp_path, capsys):
    assert main(["experiment", "run", "thesis-3.5", "--agent", agent, "--quick", "--out", str(tmp_path / "runs")]) == 2
    assert f"agent {agent!r}: an experiment sets sims" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_the_command_of_a_result_is_quoted_for_the_shell(tmp_path):
    result = run_experiment(experiment("state-size"), replace(QUICK, agent="mcts:sims=5, c=1"), tmp_path, nothing)
    assert shlex.split(result.command)[-3:] == ["--agent", "mcts:sims=5, c=1", "--quick"]


def test_agents_without_a_search_have_no_search_depth(tmp_path):
    with pytest.raises(ExperimentError, match="'aggressive' does not search"):
        last_search(agent_from_source("aggressive", 1))


def test_the_command_runs_experiments_and_writes_the_report(tmp_path, capsys):
    out, names = str(tmp_path / "runs"), ["thesis-3.5", "state-size"]
    quick = ["--quick", "--out", out, "--jobs", "1", "--quiet"]
    assert main(["experiment", "run", *names, "--agent", "mcts", *quick, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [result["experiment"] for result in data] == names
    assert data[0]["command"] == "warlight experiment run thesis-3.5 --agent mcts --quick"
    assert main(["experiment", "run", "thesis-3.5", *quick]) == 0
    assert "| against one big army | `mcts_thesis` |" in capsys.readouterr().out
    page = tmp_path / "thesis.md"
    assert main(["experiment", "report", out, "-o", str(page)]) == 0
    text = page.read_text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Table 3.5: MCTS against one big army", "## Bytes of a position",
    ]  # fmt: skip
    assert re.search(r"\| against one big army \| `mcts_thesis` \|.*\n\|  \| `mcts` \|", text)
    assert "99.4 % (497 : 3)" in text and "equal players" not in text, "a quick run allows no conclusion"


def test_conclusions_follow_from_the_rows():
    won, lost, open_ = (
        win_rate_row("a", 90, 10, 0, None),
        win_rate_row("b", 10, 90, 0, None),
        win_rate_row("c", 9, 11, 0, None),
    )
    assert conclusions([won, lost, open_]) == (
        "Significantly more wins than between equal players: “a”. "
        "Significantly fewer wins than between equal players: “b”. "
        "No significant difference from equal players: “c”."
    )
    of_four = replace(open_, even=0.3)
    assert conclusions([of_four]) == "No significant difference from equal players: “c”."
    assert conclusions([replace(of_four, low=0.31)]) == "Significantly more wins than between equal players: “c”."
    same = replace(won, even=None, thesis=0.9, thesis_sample="90 : 10")
    above, below = replace(same, label="d", thesis=0.5), replace(same, label="e", thesis=0.99)
    chance = replace(above, label="f", difference=Interval(-0.01, 0.8))
    assert conclusions([same, above, below, chance], "authors") == (
        "The authors' figure is within our 95 % interval in 1 of 4 rows. Chance may explain the difference in “f”. "
        "Our figure is higher than the authors' in “d”. Our figure is lower than the authors' in “e”."
    )
    assert conclusions([replace(won, even=None)]) == ""
    drawn = win_rate_row("g", 8, 8, 84, None)
    assert conclusions([drawn]) == "No significant difference from equal players: “g”.", "equal players draw as often"


def test_wrong_arguments_are_reported(tmp_path, capsys):
    assert main(["experiment", "run", "thesis-3.44"]) == 2
    assert "no experiment 'thesis-3.44' (did you mean 'thesis-3.4'?)" in capsys.readouterr().err
    assert main(["experiment", "run", "thesis-3.4", "--agent", "mctss"]) == 2
    assert "no agent 'mctss' (did you mean 'mcts'?)" in capsys.readouterr().err
    assert main(["experiment", "report", str(tmp_path)]) == 2
    assert "neither this folder nor a folder in it contains result.json" in capsys.readouterr().err
    (tmp_path / "result.json").write_text("{}")
    assert main(["experiment", "report", str(tmp_path)]) == 2
    assert "not an experiment's result" in capsys.readouterr().err


def test_two_results_of_the_same_experiment_are_refused(tmp_path):
    for folder in ("a", "b"):
        run_experiment(experiment("state-size"), replace(QUICK, agent=""), tmp_path / folder, nothing)
    with pytest.raises(ExperimentError, match="two results of"):
        report(find_results([tmp_path]))


def test_methods_are_reported_under_a_separate_heading(tmp_path):
    run_experiment(experiment("state-size"), replace(QUICK, agent=""), tmp_path / "a", nothing)
    data = json.loads((tmp_path / "a" / "result.json").read_text())
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "result.json").write_text(json.dumps({**data, "experiment": "methods-final-child"}))
    both = report(find_results([tmp_path])).splitlines()
    assert [line for line in both if line.startswith("#")] == [
        "# The thesis's experiments, rerun", "## Bytes of a position",
        "# Methods of other theses, measured", f"## {experiment('methods-final-child').title}",
    ]  # fmt: skip
    alone = report(find_results([tmp_path / "b"]))
    assert alone.startswith("# Methods of") and "thesis-tables.md" not in alone


def test_comparisons_in_one_pool_are_rated_together(tmp_path):
    sides = [Side("random"), Side("aggressive")]
    experiment_ = ComparisonTable(
        name="x", title="X", setting="", finding="",
        comparisons=(
            Comparison("a", (sides[0], sides[1]), 12, pool="both"),
            Comparison("b", (sides[1], sides[0]), 6, pool="both"),
            Comparison("c", (sides[0], sides[0]), 2),
        ),
    )  # fmt: skip
    rows = run_experiment(experiment_, ExperimentSettings(), tmp_path, nothing).rows
    assert [row.label for row in rows] == ["a", "b", "c", "Elo of aggressive, both", "Elo of random, both"]
    won, lost = (int(n) for n in rows[1].sample.split(" : "))
    lost_first, won_first = (int(n) for n in rows[0].sample.split(" : "))
    odds = (won + won_first + 0.5) / (lost + lost_first + 0.5)  # each player gets half a win from one virtual game
    best, worst = rows[3:]
    assert best.value == pytest.approx(200 * math.log10(odds)) and worst.value == pytest.approx(-best.value)
    assert best.low < best.value < best.high and best.sample == "18 games" and not best.share


def test_games_that_reach_the_round_limit_of_a_comparison_are_drawn(tmp_path):
    sides = (Side("aggressive"), Side("random"))
    comparison = Comparison("a", sides, 6, pool="one", max_rounds=1)
    experiment_ = ComparisonTable(name="x", title="X", setting="", finding="", comparisons=(comparison,))
    row, *ratings = run_experiment(experiment_, ExperimentSettings(), tmp_path, nothing).rows
    assert row.sample == "0 : 0, 6 drawn" and row.value == 0
    assert [rating.value for rating in ratings] == pytest.approx([0, 0]), "half a win each"


def test_the_list_contains_the_number_of_games(capsys):
    assert main(["experiment", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(MODULES)
    by_name = {row["name"]: row for row in rows}
    games = sum(comparison.games for comparison in experiment("thesis-3.4").comparisons)
    assert by_name["thesis-3.4"]["units"] == games


def test_measured_times_match_the_documents():
    """The documents contain the measured time of each experiment below its command."""
    text = "".join(
        (DOCS / "results" / f"{name}.md").read_text(encoding="utf-8") for name in ("thesis-tables", "methods")
    )
    minutes_by_name = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        command = re.search(r"warlight experiment run ([\w.-]+)", section)
        spent = re.search(r"^\*(?:(\d+) h )?(\d+) min of play", section, re.MULTILINE)
        if command and spent:
            minutes_by_name[command[1]] = 60 * int(spent[1] or 0) + int(spent[2])
    assert len(minutes_by_name) > 15
    measured = {name: experiment(name).minutes for name in MODULES}
    assert minutes_by_name == {name: minutes for name, minutes in measured.items() if minutes is not None}
    for name, minutes in minutes_by_name.items():
        experiment_ = experiment(name)
        settings = ExperimentSettings(experiment_.agents[0], experiment_.budget or "simulations")
        assert experiment_.estimated_seconds(settings) == pytest.approx(60 * minutes)
        fewer = replace(settings, games=3)
        share = experiment_.units(fewer) / experiment_.units(settings)
        assert experiment_.estimated_seconds(fewer) == pytest.approx(60 * minutes * share)


def test_another_number_of_games_makes_a_separate_run(tmp_path, capsys):
    command = ["experiment", "run", "thesis-3.5", "--games", "3", "--quick", "--agent", "mcts", "-q"]
    command += ["--out", str(tmp_path)]
    assert main([*command, "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert result["settings"]["games"] == 3 and "--games 3" in result["command"]
    assert all(row["sample"].startswith(("0 : 3", "1 : 2", "2 : 1", "3 : 0")) for row in result["rows"])
    (folder,) = tmp_path.iterdir()
    assert folder.name.endswith("-3-games")
    loaded = ExperimentResult.load(folder / "result.json")
    assert loaded.settings.games == 3 and loaded.command == result["command"]
    assert "3 games or measurements for each row" in (folder / "result.md").read_text()
    assert main([*command, "--games", "0"]) == 2
