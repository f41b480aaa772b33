"""Models of Stable-Baselines3 as agents: a callback saves them, and loading needs the user's trust."""

from __future__ import annotations

import errno
import functools
import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from env_helpers import SMALL
from warlight_env import Game, output
from warlight_env.agents import AgentError, make_agent
from warlight_env.agents.registry import pinned
from warlight_env.arena.policies import saved_model
from warlight_env.bench import Suite, make_subject
from warlight_env.cli import main
from warlight_env.engine.rules import Rules
from warlight_env.envs import FactoredActions, WarlightEnv
from warlight_env.envs.policy_settings import PolicySettings, PolicySettingsError, settings_path
from warlight_env.envs.saved_policies import SavedPolicyError, load_policy
from warlight_env.envs.sb3 import SavePolicyCallback, make_vec_env, save_policy
from warlight_env.errors import InputError
from warlight_env.output import OutputError, WriteError


def learn(path, env, algorithm=MaskablePPO, policy="MlpPolicy", **more):
    model = algorithm(policy, env, n_steps=8, batch_size=16, device="cpu", seed=1)
    model.learn(16, callback=SavePolicyCallback(path, **more))
    return model


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "learner.zip"
    learn(path, make_vec_env(2, seed=1, map="small", action="strategies", observation="graph", max_cycles=70),
          policy="MultiInputPolicy")  # fmt: skip
    return path


def view(**arguments):
    return Game(**{"map": "small", "players": 2, "seed": 3, "picks": "random", **arguments}).view(0)


def test_a_saved_model_plays_in_a_match_without_more_options(file, tmp_path, capsys):
    spec = f"sb3:file={file},trust=yes"
    command = ["match", spec, "random", "--map", "small", "-n", "4", "--json", "--out", str(tmp_path / "run")]
    assert main(command) == 0
    assert "illegal" not in json.loads(capsys.readouterr().out).get("faults", {})
    assert main(command) == 0, "and goes on with the same file"
    written = "".join(path.read_text() for path in (tmp_path / "run").rglob("*.json*"))
    assert pinned(spec) in written


def test_equal_seeds_give_equal_turns_sampled_or_likeliest(file):
    def turns(spec, seed):
        agent = make_agent(spec, seed)
        return [agent.act(view(seed=s)) for s in range(6)]

    sampled = f"sb3:file={file},trust=yes"
    likeliest = f"{sampled},play=likeliest"
    assert turns(sampled, 1) == turns(sampled, 1) != turns(sampled, 2)
    assert turns(likeliest, 1) == turns(likeliest, 2)


def test_a_model_that_cannot_be_saved_is_refused_before_the_training(tmp_path):
    env = make_vec_env(2, seed=1, map="small", action="strategies", observation=owners)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, device="cpu", seed=1)
    with pytest.raises(InputError, match="cannot store a custom observation function"):
        model.learn(16, callback=SavePolicyCallback(tmp_path / "learner.zip"))
    assert model.num_timesteps == 0


def test_files_that_cannot_be_written_are_refused_before_the_training(tmp_path):
    env = make_vec_env(2, seed=1, map="small", action="strategies")
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16, device="cpu", seed=1)
    (tmp_path / "taken.json").mkdir()
    for path, reason in (("missing/learner.zip", "No such file or directory"), ("taken.zip", "taken.json: .* folder")):
        with pytest.raises(OutputError, match=reason):
            model.learn(16, callback=SavePolicyCallback(tmp_path / path))
    assert model.num_timesteps == 0


def owners(games):
    """An observation function: the owners of all regions."""
    return games.owner.astype(np.float32)


def test_the_settings_equal_those_of_the_environment(file):
    settings = PolicySettings.load(file)
    assert settings.action == {"name": "strategies"} and settings.observation == "graph"
    assert settings.max_cycles == 70 and settings.players == 2 and settings.map == "small"
    assert settings.rules == Rules.of("thesis")


def test_settings_of_wrapped_environments_are_stored(tmp_path):
    arguments = {"map": SMALL, "action": functools.partial(FactoredActions, priority=True), "max_cycles": 9}
    env = DummyVecEnv([lambda: Monitor(WarlightEnv(**arguments))] * 2)
    learn(tmp_path / "m.zip", env, PPO, every=4)
    settings = PolicySettings.load(tmp_path / "m.zip")
    assert settings.action == {"name": "factored", "priority": True}
    agent = make_agent(f"sb3:file={tmp_path / 'm.zip'},trust=yes", 0)
    agent.act(view(map=SMALL))


def test_settings_that_cannot_be_stored_raise_an_error(tmp_path):
    env = make_vec_env(2, map=SMALL, action="strategies")
    with pytest.raises(InputError, match="norm_obs"):
        save_policy(PPO("MlpPolicy", VecNormalize(env), n_steps=8, batch_size=16), tmp_path / "m.zip")
    with pytest.raises(InputError, match=r"must end in \.zip"):
        save_policy(None, tmp_path / "m")
    own = make_vec_env(2, map=SMALL, action=lambda board, params: FactoredActions(board, params))
    with pytest.raises(PolicySettingsError, match="a policy file can only store one of"):
        save_policy(PPO("MlpPolicy", own, n_steps=8, batch_size=16), tmp_path / "m.zip")
    assert not list(tmp_path.iterdir())


def test_a_model_and_its_settings_are_replaced_together(tmp_path, monkeypatch):
    model = PPO("MlpPolicy", make_vec_env(2, map=SMALL, action="strategies"), n_steps=8, batch_size=16)
    file, settings = tmp_path / "m.zip", tmp_path / "m.json"
    file.write_bytes(b"old")
    settings.symlink_to(tmp_path / "other.json")
    with pytest.raises(OutputError, match="a symbolic link"):
        save_policy(model, file)
    settings.unlink()
    settings.write_bytes(b"old")

    def full(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(model, "save", full)
        with pytest.raises(WriteError, match="No space left"):
            save_policy(model, file)
    with monkeypatch.context() as patch:
        patch.setattr(output, "write_all", lambda descriptor, data: full(descriptor))
        with pytest.raises(WriteError, match="No space left"):
            save_policy(model, file)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"m.zip": b"old", "m.json": b"old"}


def test_a_saved_model_needs_trust_settings_and_a_valid_option(file, tmp_path):
    with pytest.raises(AgentError, match="can run any program"):
        make_agent(f"sb3:file={file}", 0)
    alone = tmp_path / "alone.zip"
    alone.write_bytes(file.read_bytes())
    with pytest.raises(AgentError, match=r"alone\.json with the settings of the policy is missing"):
        make_agent(f"sb3:file={alone},trust=yes", 0)
    with pytest.raises(AgentError, match="play = 'best'"):
        make_agent(f"sb3:file={file},trust=yes,play=best", 0)


def test_unsuitable_games_raise_an_error(file):
    agent = make_agent(f"sb3:file={file},trust=yes", 0)
    with pytest.raises(InputError, match="games of 2 players, not 3"):
        agent.check(view().map, Rules.of("thesis"), 3)
    with pytest.raises(InputError, match="base_income = 5"):
        agent.check(view().map, Rules.of("thesis", base_income=9), 2)
    with pytest.raises(InputError, match="is for maps like 'small'"):
        agent.act(view(map="world"))


def test_a_changed_file_raises_an_error(file, tmp_path):
    path = tmp_path / "m.zip"
    for source, target in ((file, path), (file.with_suffix(".json"), path.with_suffix(".json"))):
        target.write_bytes(source.read_bytes())
    spec = pinned(f"sb3:file={path},trust=yes")
    make_agent(spec, 0)
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(SavedPolicyError, match="changed"):
        make_agent(spec.replace("trust=yes", "trust=yes,play=likeliest"), 0)


@pytest.mark.parametrize(
    "damage", [{"version": 2}, {"action": {"name": "telepathy"}}, {"players": "two"}, {"rules": 5}]
)
def test_damaged_settings_raise_an_error(file, tmp_path, damage):
    path = tmp_path / "m.zip"
    path.write_bytes(file.read_bytes())
    settings = json.loads(file.with_suffix(".json").read_text())
    path.with_suffix(".json").write_text(json.dumps({**settings, **damage}))
    with pytest.raises(PolicySettingsError, match="not valid settings of a policy"):
        make_agent(f"sb3:file={path},trust=yes", 0)


def test_the_benchmark_uses_the_settings_and_reports_sampling(file, tmp_path, capsys):
    command = ["bench", str(file), "--trust", "--map", "small", "--games", "2", "--quiet", "--json"]
    assert main([*command, "--out", str(tmp_path / "a")]) == 0
    captured = capsys.readouterr()
    card = json.loads(captured.out)
    assert card["settings"]["action"] == "strategies" and card["settings"]["observation"] == "graph"
    assert card["settings"]["max cycles"] == 70
    assert "evaluate_policy takes the most likely" in captured.err
    assert main([*command, "--deterministic", "--out", str(tmp_path / "b")]) == 0
    assert "evaluate_policy" not in capsys.readouterr().err
    assert np.isfinite(card["maps"]["small"]["score"])


@pytest.mark.parametrize("words", [["match", "sb3:file={},trust=yes", "random"], ["bench", "{}", "--trust"]])
def test_missing_libraries_give_the_same_error_in_all_commands(words, file, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    saved_model.load_model.cache_clear()
    assert main([*(word.format(file) for word in words), "--map", "small", "--quiet"]) == 2
    says = f"error: {file}: this policy needs torch: pip install 'warlight-env[train]' or '.[train]'\n"
    assert capsys.readouterr().err.endswith(says)


def test_a_missing_file_is_reported_before_missing_trust(capsys):
    assert main(["match", "sb3:file=nope.zip", "random", "-n", "1"]) == 2
    assert capsys.readouterr().err == "error: cannot read nope.zip: No such file or directory\n"


def test_the_benchmark_names_the_maps_of_a_file(file, tmp_path, capsys):
    assert main(["bench", str(file), "--trust", "--map", "world", "--quiet"]) == 2
    message = capsys.readouterr().err
    assert "map 'world': policy 'learner': it is for maps like 'small', with 10 regions" in message
    names = "the maps of the suite (" + ", ".join(Suite.load().map_digests) + ")"
    assert message.endswith(f"; of {names}, the policy plays only small: give --map small\n")
    other = Path(shutil.copy(file, tmp_path / "own.zip"))
    settings = json.loads(settings_path(file).read_text())
    settings_path(other).write_text(json.dumps({**settings, "map": "ring", "regions": 6, "edges": 12}))
    assert main(["bench", str(other), "--trust", "--map", "small", "--quiet"]) == 2
    message = capsys.readouterr().err
    assert "map 'small': policy 'own': it is for maps like 'ring', with 6 regions" in message
    assert message.endswith(f"; the policy plays none of {names}\n") and "--map" not in message


def test_functions_name_their_own_argument_for_trust(file):
    for read, call in ((load_policy, "load_policy"), (make_subject, "make_subject")):
        with pytest.raises(SavedPolicyError, match=rf"If you trust its author, use {call}\(path, trust=True\)$"):
            read(str(file))
