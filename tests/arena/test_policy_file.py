"""Policy files: their content, the errors for wrong files, and play without PyTorch."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from warlight_env import maps
from warlight_env.agents import AgentError, make_agent
from warlight_env.arena import Match
from warlight_env.arena.policies.policy_agent import TrainedAgent
from warlight_env.arena.policies.policy_file import PolicyFile, PolicyFileError, built_in_policies, size_class
from warlight_env.cli import main
from warlight_env.engine.rules import Rules
from warlight_env.game import Game

POLICIES = sorted(built_in_policies())
PLACES = {"small": "small", "strategies": "world"}


def test_the_package_contains_two_policies():
    assert POLICIES == ["small", "strategies"]
    for name, path in built_in_policies().items():
        assert path.stat().st_size < 2 * 2**20
        file, place = PolicyFile.load(name), PLACES[name]
        assert (file.map, file.size, file.players) == (place, size_class(maps.load(place).n_regions), 2)


@pytest.mark.parametrize("name", POLICIES)
def test_a_written_policy_is_read_back(name, tmp_path):
    file = PolicyFile.load(name)
    path = tmp_path / "copy.npz"
    path.write_bytes(file.to_bytes())
    again = PolicyFile.load(path)
    assert replace(again, arrays={}, name=name) == replace(file, arrays={})
    assert again.arrays.keys() == file.arrays.keys()
    assert all(np.array_equal(again.arrays[key], array) for key, array in file.arrays.items())
    path.write_bytes(replace(file, max_cycles=7).to_bytes())
    assert PolicyFile.load(path).max_cycles == 7, "a file that changed is read again"


def test_a_policy_plays_without_pytorch(starts):
    """The process cannot import the libraries for training."""
    code = (
        "import sys\n"
        "for name in ('torch', 'stable_baselines3', 'sb3_contrib', 'matplotlib', 'cma'): sys.modules[name] = None\n"
        "from warlight_env.cli import main\n"
        "sys.exit(main(['match', 'policy:strategies', 'random', '-n', '1', '--json']))"
    )
    done = starts.run(code)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 1


def test_the_policies_beat_the_random_bot():
    """This test plays few games; `test_the_strategies_policy_beats_two_bots` plays more."""
    for name in POLICIES:
        result = Match((f"policy:{name}", "random"), games=20, seed=5, map=PLACES[name], paired=True).run()
        assert result.agents[0].wins >= 17


def test_a_policy_wins_on_another_map_of_its_size_class():
    other = maps.generate(34, seed=3)
    result = Match(("policy:strategies", "random"), games=20, seed=5, map=other).run()
    assert result.agents[0].wins >= 15


def test_equal_seeds_give_equal_games():
    file = PolicyFile.load("strategies")
    even = {name: 0 * array if name.startswith("action.") else array for name, array in file.arrays.items()}
    file = replace(file, sampled=True, arrays=even)
    game = Game("world", picks="random", seed=1)
    turns = [TrainedAgent(file, seed).act(game.view(0)) for seed in (1, 1, 2, 3, 4, 5, 6)]
    assert turns[0] == turns[1] and any(turn != turns[0] for turn in turns[2:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["policy:small", "random"], "is for small maps (up to 20 regions); the map 'world' has 42"),
        (["policy:strategies", "random", "--map", "small"], "is for medium maps (from 21 to 80 regions)"),
        (["policy:strategies", "random", "--rules", "challenge1"], "moved_armies = 'free' (not 'challenge1')"),
        (["policy:strategies", "random", "aggressive"], "is for games of 2 players, not 3"),
        (["policy:word", "random"], "no policy 'word' (did you mean 'world'?); there are any, any_fog, fog, world,"),
        (["policy:nowhere.npz", "random"], "cannot read nowhere.npz: No such file or directory; train a policy first"),
        (["policy", "random"], "give the name of a policy or a .npz file"),
    ],
)  # fmt: skip
def test_unsuitable_policies_are_an_error(arguments, message, capsys):
    assert main(["match", *arguments, "-n", "2"]) == 2
    assert message in capsys.readouterr().err


def test_a_policy_of_strategies_accepts_other_rules_of_picking():
    file, world, draft = PolicyFile.load("strategies"), maps.load("world"), Rules.of("thesis_draft")
    file.check(world, draft, 2)
    with pytest.raises(PolicyFileError, match="offers_per_super_region = 1 \\(not 2\\)"):
        replace(file, action="factored").check(world, draft, 2)  # such a policy picks by itself


def damaged_file(change):
    """Return the file of a policy with a changed header or changed arrays."""
    content = PolicyFile.load("small").to_bytes()
    with np.load(io.BytesIO(content)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays["header"].tobytes())
    change(header, arrays)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, a: h.update(version=2), "has version 2, but this program reads version 1"),
        (lambda h, a: h.update(surplus=1), "header is damaged"),
        (lambda h, a: h.update(width=9), "arrays do not fit"),
        (lambda h, a: a.pop("actor.bias"), "arrays do not fit"),
        (lambda h, a: a.update({"actor.bias": a["actor.bias"] * np.float32(np.nan)}), "arrays do not fit"),
        (lambda h, a: h["node_features"].append("altitude"), "nodes: this version has no feature 'altitude'"),
        (lambda h, a: h["global_features"].append("time"), "globals: feature 'time' occurs twice"),
        (lambda h, a: h["node_features"].pop(), "arrays do not fit"),
        (lambda h, a: h.update(node_features=None), "header is damaged"),
        (lambda h, a: h.update(strategies=[]), "uses strategies that differ"),
        (lambda h, a: h.update(action="steps"), "action 'steps'"),
        (lambda h, a: h["rules"].update(fog="yes"), "header is damaged"),
        (lambda h, a: h.update(players="two"), "header is damaged"),
        (lambda h, a: a.update(more=np.array([{}], dtype=object)), "not a policy"),
    ],
)  # fmt: skip
def test_a_damaged_file_raises_an_error(change, message, tmp_path):
    path = tmp_path / "bad.npz"
    path.write_bytes(damaged_file(change))
    with pytest.raises(PolicyFileError, match=message):
        PolicyFile.load(path)


def test_files_that_are_not_policies_raise_an_error(tmp_path):
    path = tmp_path / "bad.npz"
    for content in (b"", b"nothing", PolicyFile.load("small").to_bytes()[:-300]):
        path.write_bytes(content)
        with pytest.raises(PolicyFileError, match="not a policy"):
            PolicyFile.load(path)
    np.save(tmp_path / "x.npy", np.zeros(3))
    path.write_bytes((tmp_path / "x.npy").read_bytes())
    with pytest.raises(PolicyFileError, match="not a policy"):
        PolicyFile.load(path)
    with pytest.raises(AgentError):
        make_agent("policy", 1)


@pytest.mark.slow
def test_the_strategies_policy_beats_two_bots():
    for opponent, least in (("aggressive", 0.70), ("smart_random", 0.85)):
        result = Match(("policy:strategies", opponent), games=400, seed=77, paired=True).run()
        assert result.agents[0].wins / 400 >= least
