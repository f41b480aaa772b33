"""Former names of settings are accepted in the files of run folders and rejected in files of users."""

from __future__ import annotations

import dataclasses
import json

import pytest

from warlight_env.cli import main
from warlight_env.train.common.checks import SettingsError
from warlight_env.train.common.former_settings import _FORMER, former_names, present_settings
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.settings_file import load_settings
from warlight_env.train.evolution.settings import EvolveSettings, Stage
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.sb3_ppo.settings import Sb3PpoSettings
from warlight_env.train.td.settings import TdSettings
from warlight_env.train.turn_ppo.settings import TurnPpoSettings
from warlight_env.train.value.settings import ValueSettings

KINDS = (EvolveSettings, Stage, TdSettings, ValueSettings, ExitSettings, Sb3PpoSettings, TurnPpoSettings)

#: The settings.json of a run with former names of settings, without `weights`.
RECORDED = {
    "conditions": {"map": "small", "rules": "thesis", "picks": "random", "max_rounds": 60},
    "seed": 3, "holdout_units": 1, "holdout": ["mcts:refine=0.2,values=placements"], "batches": 3, "games": 10,
    "trace": 0.7, "rate": 0.03, "passes": 1, "minibatch": 64, "explore": 0.2, "samples": 1, "learn": ["army"],
    "review": 2, "review_units": 4,
}  # fmt: skip
PRESENT = TdSettings(
    seed=3, holdout_pairs=1, holdout=("mcts:local_search=0.2,utility=placements",), batches=3, games=10, td_lambda=0.7,
    learning_rate=0.03, n_epochs=1, batch_size=64, epsilon=0.2, samples=1, learn=("army",), eval_interval=2,
    eval_pairs=4, conditions=dataclasses.replace(TdSettings().conditions, map="small", max_rounds=60),
)  # fmt: skip


def with_former_names(kind, data):
    """Return the data with former names in place of present names, where former names exist."""
    former = {name: old for old, name in former_names(kind).items()}
    renamed = {former.get(key, key): value for key, value in data.items()}
    if kind is EvolveSettings:
        renamed["stages"] = [with_former_names(Stage, stage) for stage in renamed["stages"]]
    return renamed


@pytest.mark.parametrize("kind", KINDS)
def test_present_names_are_settings_and_former_names_are_not(kind):
    fields = {each.name for each in dataclasses.fields(kind)}
    former = former_names(kind)
    assert former and set(former.values()) <= fields and not set(former) & fields
    assert len(set(former.values())) == len(former), "no two former names of one setting"


def test_each_table_of_former_names_belongs_to_a_class():
    assert set(_FORMER) <= {each.__name__ for kind in KINDS for each in kind.__mro__}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Stage])
def test_settings_with_former_names_in_a_run_folder_are_read(kind, tmp_path):
    settings = kind()
    data = json.loads(json.dumps(settings.to_dict()))
    former = with_former_names(kind, data)
    assert former != data and present_settings(kind, former) == present_settings(kind, data) == data
    (tmp_path / "settings.json").write_text(json.dumps(former))
    assert load_settings(kind, tmp_path / "settings.json") == settings


def test_a_recorded_file_is_read_with_former_names_in_specifications(tmp_path):
    (tmp_path / "settings.json").write_text(json.dumps(RECORDED))
    assert load_settings(TdSettings, tmp_path / "settings.json") == PRESENT


@pytest.mark.parametrize(("kind", "text", "says"), [
    (TdSettings, "trace = 0.7", "setting 'trace' is now 'td_lambda'"),
    (Sb3PpoSettings, "trace = 0.7", "setting 'trace' is now 'gae_lambda'"),
    (EvolveSettings, "[[stages]]\nunits = 3", r"stages\[0\]: setting 'units' is now 'pairs'"),
    (EvolveSettings, "holdout_units = 3", "setting 'holdout_units' is now 'holdout_pairs'"),
    (ValueSettings, "opponents = ['nash:answer=likely']", "'answer=likely' is now 'final_move=most_likely'"),
])  # fmt: skip
def test_the_error_for_a_file_of_a_user_gives_the_present_name(kind, text, says, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=says):
        load_settings(kind, file)


def test_a_run_with_former_names_continues(tmp_path):
    """The folder keeps its description, and the run continues after the truncated journal."""
    file, complete, cut = tmp_path / "run.json", tmp_path / "whole", tmp_path / "cut"
    recorded = {**RECORDED, "holdout": ["random"]}
    file.write_text(json.dumps(recorded))
    words = ["train", "td", str(file), "--quick", "-q", "--out"]
    assert main([*words, str(complete)]) == 0
    description = json.loads((complete / "settings.json").read_text())
    former = json.dumps(with_former_names(TdSettings, description))
    assert '"explore"' in former and '"td_lambda"' not in former
    lines = (complete / "journal.jsonl").read_text().splitlines(keepends=True)
    cut.mkdir()
    (cut / "settings.json").write_text(former)
    (cut / "journal.jsonl").write_text(lines[0])
    assert main([*words, str(cut)]) == 0
    assert (cut / "settings.json").read_text() == former
    assert (cut / "found.json").read_text() == (complete / "found.json").read_text()
    with Journal(cut, description, TdSettings):
        pass
    with (
        pytest.raises(JournalError, match="seed: 3 in the folder, 4 now"),
        Journal(cut, description | {"seed": 4}, TdSettings),
    ):
        pass


@pytest.mark.parametrize("kind", [TurnPpoSettings, ValueSettings])
def test_a_run_without_a_later_setting_continues(kind, tmp_path):
    description = kind().to_dict()
    later = {TurnPpoSettings: ("layers", "averaged"), ValueSettings: ("fog", "actors")}[kind]
    with Journal(tmp_path, {key: value for key, value in description.items() if key not in later}, kind):
        pass
    with Journal(tmp_path, description, kind):
        pass
    other = {"layers": 3} if kind is TurnPpoSettings else {"fog": "always"}
    (name,) = other
    with pytest.raises(JournalError, match=f"{name}: .* in the folder"), Journal(tmp_path, description | other, kind):
        pass
