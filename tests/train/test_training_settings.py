"""Settings and folders of training runs: which the commands accept and refuse."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from warlight_env.cli import main
from warlight_env.train.common.checks import SettingsError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.settings_file import load_plain, load_settings, read_settings
from warlight_env.train.evolution.settings import EvolveSettings
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.td.settings import TdSettings
from warlight_env.train.turn_ppo.settings import TurnPpoSettings
from warlight_env.train.value.settings import ValueSettings

SETTINGS = EvolveSettings(conditions=Conditions(map="small", max_rounds=60))


@pytest.mark.parametrize(
    ("command", "text", "reason"),
    [
        ("td", 'holdout = ["nope"]', "holdout: there is no agent 'nope'"),
        ("evolve", 'holdout = ["nope"]', "holdout: there is no agent 'nope'"),
        (
            "evolve",
            '[[stages]]\n[[stages]]\nopponents = ["agressive"]',
            "stages[1]: opponents: there is no agent 'agressive'",
        ),
        ("evolve", '[[stages]]\nplayer = "one_pli"', "stages[0]: player: there is no agent 'one_pli'"),
        ("evolve", '[[stages]]\nplayer = "random"', "stages[0]: player: player 'random': random has no weights"),
        (
            "evolve",
            '[[stages]]\n[[stages]]\nopponents = ["policy:small"]',
            "stages[1]: opponents: policy 'small' is for small maps",
        ),
        ("evolve", 'parameters = ["armies"]', "parameters: no parameter 'armies'"),
        ("evolve", '[[stages]]\n[[stages]]\nparameters = ["armies"]', "stages[1]: parameters: no parameter 'armies'"),
        (
            "evolve",
            'parameters = ["army", "c"]',
            "stages[0]: parameters: one_ply does not have 'c'; use start_bonus, ",
        ),
        (
            "evolve",
            '[[stages]]\n[[stages]]\nparameters = ["c", "rounds"]',
            "stages[1]: parameters: one_ply does not have 'c', 'rounds'; use ",
        ),
        ("td", f"games = {10**10}", f"games = {10**10}: must be at most {10**9}"),
        ("evolve", f"[[stages]]\npopulation = {10**5}", f"stages[0]: population = {10**5}: must be at most {10**4}"),
        ("ppo", f"threads = {10**5}", f"threads = {10**5}: must be at most 1024"),
        ("ppo", 'opponents = ["policy:small"]', "opponents: policy 'small' is for small maps"),
        ("td", 'holdout = ["random", "random"]', "holdout: an agent is in the list twice"),
        ("exit", 'holdout = ["random", "random"]', "holdout: an agent is in the list twice"),
        ("value", 'holdout = ["policy:small"]', "holdout: policy 'small' is for small maps"),
        ("value", '[conditions]\nmap = "moon"', "conditions: no map 'moon'"),
        ("exit", '[conditions]\nrules = "none"', "conditions: no rules 'none'"),
        ("ppo", 'eval_opponents = ["policy:small"]', "eval_opponents: policy 'small' is for small maps"),
        (
            "ppo",
            'action = "turns"\nholdout = ["cmd:/none"]',
            "holdout: agent 'cmd:/none': the program '/none' does not",
        ),
        ("ppo", 'opponents = ["nope"]', "opponents: there is no agent 'nope'"),
        ("ppo", 'action = "turnz"', "action: must be one of turns, strategies, factored, not 'turnz'"),
    ],
)
def test_wrong_settings_are_refused_before_a_folder_is_made(command, text, reason, tmp_path, capsys):
    file, folder = tmp_path / "settings.toml", tmp_path / "run"
    file.write_text(text)
    assert main(["train", command, str(file), "--quick", "-q", "--out", str(folder)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {file}: {reason}")
    assert not folder.exists()


def test_a_folder_with_nothing_but_settings_takes_other_settings(tmp_path):
    with Journal(tmp_path, SETTINGS.to_dict()):
        pass
    with Journal(tmp_path, replace(SETTINGS, seed=2).to_dict()) as journal:
        journal.append({"event": "test"})
    with pytest.raises(JournalError, match="seed: 2 in the folder, 1 now"), Journal(tmp_path, SETTINGS.to_dict()):
        pass


@pytest.mark.parametrize("file", ["checkpoint.pt", "games/generation-1-1/run.json", None])
def test_a_folder_with_other_files_or_settings_of_another_kind_is_refused(file, tmp_path):
    first = SETTINGS.to_dict() if file else {"seed": 2}
    with Journal(tmp_path, first) as journal:
        if file:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            journal.write(file, "text") if "/" not in file else (tmp_path / file).write_text("text")
    before = (tmp_path / "settings.json").read_bytes()
    with pytest.raises(JournalError, match="contains another run"):
        Journal(tmp_path, replace(SETTINGS, seed=3).to_dict()).__enter__()
    assert (tmp_path / "settings.json").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sead = 1", "no setting 'sead' (did you mean"), ("seed = true", "seed: must be an integer"),
        ('parameters = "army"', "parameters: must be a list"),
        ("[[stages]]\nsigma = 'x'", "sigma: must be a number"),
        ("[conditions]\npicks = 'mine'", "picks: must be one of"), ("seed = ", "bad.toml"),
        ("seed = -1", "seed = -1: must be an integer from 0 up"), ("stages = []", "stages: give at least one stage"),
        ("holdout_pairs = 0", "holdout_pairs = 0: must"),
        ("[conditions]\nmax_rounds = 0", "conditions: max_rounds = 0"),
        ("[[stages]]\neval_interval = 0", "stages[0]: eval_interval = 0: must be an integer from 1 up"),
        ("[[stages]]\npairs = 9\nmax_pairs = 8", "max_pairs = 8: must be an integer from 9 up"),
        ("[[stages]]\npopulation = 1", "population = 1: must be"),
        ("[[stages]]\nsigma = 0", "sigma = 0.0: must be a number above 0"),
        ("[[stages]]\nsigma = nan", "sigma: must be a finite number"),
        ("[[stages]]\nopponents = ['hall']", "hall means the former champions, and the first generation has none"),
    ],
)  # fmt: skip
def test_invalid_settings_are_refused(text, message, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=re.escape(message)):
        read_settings(EvolveSettings, load_plain(file), str(file))


@pytest.mark.parametrize("kind", [EvolveSettings, TdSettings, ValueSettings, ExitSettings, TurnPpoSettings])
def test_settings_of_a_run_folder_can_be_loaded(kind, tmp_path):
    with Journal(tmp_path, kind().to_dict()):
        pass
    assert load_settings(kind, tmp_path / "settings.json") == kind()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evolve", "nowhere.toml"], "nowhere.toml: cannot be read: No such file"),
        (["td", "--start", "mine"], "no weights 'mine'"),
        (["td", "--jobs", "0"], "--jobs 0: must be at least 1"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_reported(arguments, message, capsys, tmp_path):
    assert main(["train", *arguments, "--out", str(tmp_path / "run")]) == 2
    assert message in capsys.readouterr().err
    assert not Path(tmp_path / "run").exists()
