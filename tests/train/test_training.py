"""Evolution, the continuation of runs after kills and failures, and their reports."""

from __future__ import annotations

import json
import math
import pickle
import resource
import signal
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from warlight_env import maps
from warlight_env.agents.weights import Weights
from warlight_env.cli import main
from warlight_env.errors import RunError
from warlight_env.train.common.checks import SettingsError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.settings_file import load_plain, read_settings
from warlight_env.train.evolution.run import Evolution, next_units
from warlight_env.train.evolution.settings import EvolveSettings, Stage
from warlight_env.train.td.run import TdRun
from warlight_env.train.td.settings import TdSettings
from warlight_env.train.weights.genes import (
    DEFAULT_PARAMETERS,
    SEARCH_PARAMETERS,
    CandidatePlayer,
    ParameterVector,
    SearchParameterError,
    SearchSpace,
)

SMALL = Conditions(map="small", max_rounds=60)
STAGE = Stage(player="one_ply:samples=1", generations=4, population=4, pairs=4, eval_interval=2, eval_pairs=10)
SETTINGS = EvolveSettings((STAGE,), conditions=SMALL, holdout_pairs=2)


def evolve(folder, settings=SETTINGS, jobs=1, say=lambda entry: None):
    with Journal(folder, settings.to_dict()) as journal:
        return Evolution(settings, journal, jobs=jobs, say=say).run()


def entries(folder):
    """Return the journal without times."""
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


# Search parameters


@pytest.mark.parametrize("name", SEARCH_PARAMETERS)
def test_coordinates_convert_to_values_within_bounds_and_back(name):
    gene = SEARCH_PARAMETERS[name]
    low, high = gene.coordinate(-math.inf), gene.coordinate(math.inf)
    assert gene.value(low) == pytest.approx(gene.low) and gene.value(high) == pytest.approx(gene.high)
    assert gene.value(high + 5) == gene.high
    for part in np.linspace(0, 1, 7):
        value = gene.value(low + part * (high - low))
        assert gene.low <= value <= gene.high
        assert gene.value(gene.coordinate(value)) == pytest.approx(value)


def test_parameters_outside_the_search_space_are_unchanged():
    genome, base = SearchSpace(["army", "c"]), ParameterVector(Weights(bonus=9.0), {"rounds": 7.0})
    decoded = genome.decode(genome.encode(base) + 0.3, base)
    assert decoded.weights == base.weights._replace(army=decoded.weights.army) and decoded.weights.army > 10
    assert decoded.search["rounds"] == 7 and decoded.search["c"] == pytest.approx(0.4 * math.exp(0.3))
    # A worker process receives the pickled player.
    agent = pickle.loads(pickle.dumps(CandidatePlayer.from_candidate("mcts:sims=3", decoded)))(1)
    assert agent.settings.weights == decoded.weights and agent.settings.exploration == decoded.search["c"]
    assert agent.settings.rounds == 7
    assert CandidatePlayer.from_candidate("one_ply", decoded).search == (), "a one-ply player has no such parameters"
    with pytest.raises(SearchParameterError, match="did you mean"):
        SearchSpace(["arny"])
    with pytest.raises(SearchParameterError, match="has no weights"):
        CandidatePlayer.from_candidate("random", base)


# Noise


def test_more_games_are_played_if_ranks_are_unreliable():
    rng = np.random.default_rng(3)
    quality = rng.random(12)
    clear, unclear = quality + np.zeros((2, 12)), np.stack([quality, rng.permutation(quality)])
    assert next_units(40, clear, 10, 100) == (32, pytest.approx(1.0))
    units, trust = next_units(40, unclear, 10, 100)
    half = spearmanr(*unclear).statistic
    assert trust == pytest.approx(2 * half / (1 + half) if half > 0 else half) and trust < 0.5
    assert units == 60 and next_units(90, unclear, 10, 100)[0] == 100
    assert next_units(11, clear, 10, 100)[0] == 10


# Evolution


def test_evolution_finds_stronger_weights_and_does_not_depend_on_threads(tmp_path):
    """Start from bad weights; an evaluation promotes only a candidate with a lower bound above one half."""
    bad = ParameterVector(Weights(army=0.0, own_regions=-20.0))
    stage = replace(STAGE, generations=6, population=8, pairs=12, eval_interval=3, eval_pairs=60, opponents=("start",))
    settings = replace(SETTINGS, stages=(stage,), parameters=("army", "own_regions"), start=bad)
    journals = []
    for jobs in (1, 2):
        with Journal(tmp_path / str(jobs), settings.to_dict()) as journal:
            champion = Evolution(settings, journal, jobs).run()
        journals.append(entries(tmp_path / str(jobs)))
    assert journals[0] == journals[1]
    reviews = [entry for entry in journals[0] if entry["event"] == "review"]
    assert any(review["promoted"] for review in reviews)
    assert all(review["promoted"] == (review["interval"][0] > 0.5) for review in reviews)
    assert champion.weights.army > 0 and champion.weights._replace(army=0.0, own_regions=-20.0) == bad.weights
    assert Weights.load(tmp_path / "1" / "champion.json") == champion.weights


def test_the_sampled_points_depend_on_the_seed(tmp_path):
    journals = []
    for seed in (1, 2):
        evolve(tmp_path / str(seed), replace(SETTINGS, seed=seed, stages=(replace(STAGE, generations=1),)))
        journals.append(entries(tmp_path / str(seed))[0]["points"])
    assert journals[0] != journals[1]


def test_games_of_the_arena_and_compiled_games_give_the_same_run(tmp_path):
    compiled = replace(
        SETTINGS,
        stages=(
            replace(
                STAGE,
                generations=1,
                population=3,
                pairs=2,
                eval_interval=1,
                eval_pairs=2,
                opponents=("start", "aggressive"),
            ),
        ),
    )
    by_arena = replace(SETTINGS, stages=(replace(compiled.stages[0], player="one_ply:samples=1,weights=thesis"),))
    evolve(tmp_path / "a", compiled)
    evolve(tmp_path / "b", by_arena)
    assert entries(tmp_path / "a") == entries(tmp_path / "b")
    assert not any((tmp_path / "b" / "games").iterdir()), "games are cleared away once the journal has them"


def test_a_stage_can_tune_parameters_of_the_search(tmp_path):
    search = Stage(
        player="mcts:sims=4,samples=3",
        generations=1,
        population=3,
        pairs=1,
        eval_pairs=1,
        parameters=("army", "c", "rounds"),
    )
    result = evolve(tmp_path, replace(SETTINGS, stages=(replace(STAGE, generations=1), search)))
    assert isinstance(result, ParameterVector)
    assert [len(e["points"][0]) for e in entries(tmp_path) if e["event"] == "generation"] == [
        len(DEFAULT_PARAMETERS),
        3,
    ]


# Continuing runs


@pytest.mark.parametrize("kind", ["evolve", "td"])
def test_a_killed_run_continues_exactly(kind, tmp_path, killed_at_line):
    """Kill the run with SIGKILL and leave a truncated line; then the command continues and finishes the run."""
    data = (
        {"stages": [{"player": "one_ply:samples=1", "generations": 3, "population": 4, "pairs": 2, "eval_interval": 2,
                     "eval_pairs": 4}]}
        if kind == "evolve"
        else {"batches": 4, "games": 10, "samples": 1, "eval_pairs": 4}
    )  # fmt: skip
    data |= {"conditions": {"map": "small", "max_rounds": 60}, "holdout_pairs": 2, "seed": 3}
    file = tmp_path / "run.json"
    file.write_text(json.dumps(data))
    complete, killed = tmp_path / "whole", tmp_path / "killed"
    assert main(["train", kind, str(file), "--out", str(complete), "-q"]) == 0
    settings_class, run = (EvolveSettings, Evolution) if kind == "evolve" else (TdSettings, TdRun)

    def begin(say):
        settings = read_settings(settings_class, load_plain(file), str(file))
        with Journal(killed, settings.to_dict()) as journal:
            run(settings, journal, say=say).run()

    killed_at_line(3, begin)
    with open(killed / "journal.jsonl", "ab") as journal_file:
        journal_file.write(b'{"event": "batch", "batch": 99')
    assert main(["train", kind, str(file), "--out", str(killed), "-q"]) == 0
    assert entries(killed) == entries(complete)
    results = [json.loads((folder / "result.json").read_text()) for folder in (complete, killed)]
    for result in results:
        result.pop("seconds")
    assert results[0] == results[1]
    assert (complete / "found.json").read_text() == (killed / "found.json").read_text()


def test_a_full_disk_stops_the_run_and_keeps_its_results(tmp_path):
    evolve(tmp_path / "whole")

    def fill(entry):
        size = (tmp_path / "cut" / "journal.jsonl").stat().st_size
        if entry["event"] == "generation" and entry["generation"] == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with pytest.raises(RunError, match="cannot write"):
            evolve(tmp_path / "cut", say=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    evolve(tmp_path / "cut")
    assert entries(tmp_path / "cut") == entries(tmp_path / "whole")


def test_other_settings_and_damaged_journals_are_refused(tmp_path):
    evolve(tmp_path)
    before = (tmp_path / "journal.jsonl").read_bytes()
    with pytest.raises(JournalError, match="seed: 1 in the folder, 2 now"):
        evolve(tmp_path, replace(SETTINGS, seed=2))
    with Journal(tmp_path, SETTINGS.to_dict()), pytest.raises(JournalError, match="another run writes"):
        evolve(tmp_path)
    assert (tmp_path / "journal.jsonl").read_bytes() == before
    lines = before.splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[1:]))
    with pytest.raises(JournalError, match="in the place of"):
        evolve(tmp_path)
    first = json.loads(lines[0])
    first["points"][0][0] += 1e-9
    (tmp_path / "journal.jsonl").write_bytes(json.dumps(first).encode() + b"\n" + b"".join(lines[1:]))
    with pytest.raises(JournalError, match="differs from the journal"):
        evolve(tmp_path)


# Commands


def test_the_report_is_complete(tmp_path, capsys):
    file = tmp_path / "tiny.toml"
    file.write_text(
        'seed = 5\nholdout = ["random"]\nholdout_pairs = 3\n[conditions]\nmap = "small"\nmax_rounds = 60\n'
        '[[stages]]\nplayer = "one_ply:samples=1"\ngenerations = 2\npopulation = 4\npairs = 2\neval_interval = 1\n'
    )
    assert main(["train", "evolve", str(file), "--out", str(tmp_path / "run"), "--json", "-q"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [(row["player"], row["opponent"], row["games"]) for row in result["holdout"]] == [
        ("found", "start", 6), ("found", "random", 6), ("start", "random", 6),
    ]  # fmt: skip
    text, page = (tmp_path / "run" / "report.md").read_text(), (tmp_path / "run" / "report.html").read_text()
    for part in (
        "The final match",
        "Course of the training",
        "| army | 10 |",
        "Machine",
        "warlight train evolve settings.json",
    ):
        assert part in text
    assert page.count("<svg") == text.count("![") == len(list((tmp_path / "run").glob("curve-*.svg"))) == 3
    assert "src=" not in page and 'href="http' not in page, "one file, no network"
    # The command in the report gives the same run.
    again = tmp_path / "again"
    assert main(["train", "evolve", str(tmp_path / "run" / "settings.json"), "--out", str(again), "-q"]) == 0
    assert entries(again) == entries(tmp_path / "run")


def test_an_interrupted_run_reports_how_to_continue(tmp_path, capsys, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(TdRun, "run", interrupt)
    assert main(["train", "td", "--quick", "--quiet", "--out", str(tmp_path / "run")]) == 130
    assert capsys.readouterr().err == f"the same command continues the run in {tmp_path / 'run'}\ninterrupted\n"


def test_a_run_does_not_continue_on_a_changed_map_file(tmp_path, capsys):
    board, file, folder = tmp_path / "board.json", tmp_path / "tiny.toml", tmp_path / "run"
    small = maps.load("small")
    maps.save(small, board)
    file.write_text(
        f'holdout_pairs = 1\n[conditions]\nmap = "{board}"\nmax_rounds = 30\n'
        '[[stages]]\nplayer = "one_ply:samples=1"\ngenerations = 1\npopulation = 4\npairs = 1\neval_interval = 1\n'
    )
    command = ["train", "evolve", str(file), "--out", str(folder), "-q"]
    assert main(command) == 0
    first, *others = small.super_regions
    maps.save(replace(small, super_regions=(replace(first, bonus=77), *others)), board)
    before = (folder / "journal.jsonl").read_bytes()
    again = ["train", "evolve", str(folder / "settings.json"), "--out", str(tmp_path / "b")]
    for changed, error in ((command, "map_digests"), (again, "has changed since")):
        capsys.readouterr()
        assert main(changed) == 2
        assert error in capsys.readouterr().err
    board.unlink()
    assert main(again) == 2
    assert "map_digests: " in (said := capsys.readouterr().err) and "No such file" in said
    with pytest.raises(SettingsError, match=r"map_digests: other\.json is no map of these settings"):
        EvolveSettings(map_digests={"other.json": "00"})
    assert (folder / "journal.jsonl").read_bytes() == before
