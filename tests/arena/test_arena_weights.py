"""Weights and networks in files: a match reports their digests and detects changed files."""

from __future__ import annotations

import functools
import json
import pickle

import numpy as np
import pytest
from value_helpers import save_value

from warlight_env import Game, maps
from warlight_env.agents import make_agent
from warlight_env.agents.players.mcts import MctsAgent
from warlight_env.agents.records.value_record import SHAPES, ValueNetworkError, digest
from warlight_env.agents.registry import pinned, unpinned
from warlight_env.agents.turn_net.turn_network_file import BUNDLED
from warlight_env.agents.weights import DEFAULT, THESIS, Weights, WeightsError
from warlight_env.arena import Match, RunFolderError
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.arena.policies.policy_file import PolicyFileError, built_in_policies
from warlight_env.engine.rules import Rules
from warlight_env.experiments.base import ExperimentSettings
from warlight_env.experiments.players import Side
from warlight_env.record import GameLog, LogError

OTHER = THESIS._replace(army=33.0)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.json"
    DEFAULT.save(path)
    return path


def match(file, opponent="random", **changes):
    return Match(
        [f"one_ply:weights={file}", opponent], **{"map": "small", "games": 2, "max_rounds": 2, "jobs": 1, **changes}
    )


def setup(spec):
    return MatchSetup((spec, "random"), maps.load("small"), Rules(), 1, False, "random", 2)


def test_a_digest_depends_on_the_values_and_not_on_the_format(tmp_path, file):
    digest = DEFAULT.digest()
    assert len(digest) == 16 and int(digest, 16) >= 0
    assert len({weights.digest() for weights in (DEFAULT, THESIS, OTHER)}) == 3
    other = tmp_path / "other.json"
    values = {name: value for name, value in DEFAULT._asdict().items() if value != getattr(THESIS, name)}
    other.write_text(json.dumps(dict(reversed(values.items()))))
    assert Weights.load(other).digest() == Weights.load(file).digest() == digest


@pytest.mark.parametrize("spec", [
    "one_ply:weights={}", "mcts:sims=5, weights={} ,c=1", "mcts_thesis:weights={},5", "minimax2:weights={}",
    "maxn:depth=1,weights={}", "belief:mcts:weights={}", "belief:belief:one_ply:samples=1,weights={}",
])  # fmt: skip
def test_a_specification_is_pinned_to_the_weights_of_its_file(spec, file):
    plain, pinned_spec = spec.format(file), f"{file}#{DEFAULT.digest()}"
    assert pinned(plain) == spec.format(pinned_spec) == pinned(pinned(plain))
    assert unpinned(pinned(plain)) == plain
    assert make_agent(pinned(plain), 1).name == plain
    OTHER.save(file)
    with pytest.raises(WeightsError, match=f"{file}: other weights than expected: their digest"):
        make_agent(spec.format(pinned_spec), 1)


def check_pinning(plain, pinned_spec, path, other, error, changed, wrong):
    """Check that a specification is pinned to its file, and that changed and invalid files raise an error."""
    assert pinned(plain) == pinned_spec == pinned(pinned(plain))
    assert unpinned(pinned_spec) == plain.strip() == make_agent(pinned_spec, 1).name
    before = setup(plain).describe()["agents"]
    path.write_bytes(other)
    with pytest.raises(error, match=f"{path}: the file contains {changed}"):
        make_agent(pinned_spec, 1)
    assert setup(plain).describe()["agents"] != before, "matches with the one and the other are told apart"
    path.write_bytes(b"nothing")
    with pytest.raises(error, match=f"{path}: {wrong}"):
        pinned(plain)


@pytest.mark.parametrize("spec", [
    "nash:value={}", "nash:20, value={} ,rounds=1", "belief:nash:rounds=1,value={}",
    "nash:weights={other},value={}", "nash:value={},weights={other}",
])  # fmt: skip
def test_a_specification_is_pinned_to_the_network_of_its_file(spec, tmp_path, file):
    path = tmp_path / "mine.npz"
    arrays = {name: np.full(shape, 0.1, np.float32) for name, shape in SHAPES.items()}
    save_value(path, arrays)
    plain = spec.format(path, other=file)
    pinned_spec = spec.format(f"{path}#{digest(path.read_bytes())}", other=f"{file}#{DEFAULT.digest()}")
    save_value(tmp_path / "other.npz", {**arrays, "last": arrays["last"] + 1})
    content = (tmp_path / "other.npz").read_bytes()
    check_pinning(
        plain,
        pinned_spec,
        path,
        content,
        ValueNetworkError,
        "another network than expected: its digest is",
        "not a value network",
    )


@pytest.mark.parametrize("spec", ["policy:{}", " belief:policy:{} "])
@pytest.mark.parametrize("kept", [built_in_policies()["small"], BUNDLED["any"]])
def test_a_policy_is_pinned_to_the_content_of_its_file(spec, kept, tmp_path):
    path = tmp_path / "mine, old=1.npz"
    path.write_bytes(kept.read_bytes())
    plain = spec.format(path)
    pinned_spec = spec.format(f"{path}#{digest(path.read_bytes())}").strip()
    content = built_in_policies()["strategies"].read_bytes()
    check_pinning(
        plain, pinned_spec, path, content, PolicyFileError, "another policy than expected: its digest", "not a policy"
    )


@pytest.mark.parametrize("spec", [
    "policy:any", "policy:small",
    "random", "one_ply:weights=thesis", "mcts:5", "cmd:./bot weights=a.json", "belief:mcts", "nash:value=learned",
    "cmd:./bot value=a.npz",
])  # fmt: skip
def test_specifications_without_a_file_do_not_change(spec):
    assert pinned(spec) == unpinned(spec) == spec


@pytest.mark.parametrize("name", ["one_ply", "mcts", "minimax2", "maxn", "belief:one_ply"])
def test_an_agent_reads_its_weights_once(name, file):
    game = Game("small", seed=1, picks="random")
    sims = {"one_ply": "samples=1", "mcts": "sims=20", "minimax2": "samples=1", "maxn": "depth=1"}
    spec = f"{name}:{sims[name.split(':')[-1]]},weights={file}"
    agent, same = make_agent(spec, 1), make_agent(spec, 1)
    first = agent.act(game.view(0))
    assert first == same.act(game.view(0))
    file.write_text("no weights at all")
    assert agent.act(game.view(0)) == same.act(game.view(0))


def test_descriptions_of_matches_differ_after_a_change_of_weights(tmp_path, file):
    before = setup(f"one_ply:weights={file}")
    OTHER.save(file)
    after = setup(f"one_ply:weights={file}")
    assert before.describe()["agents"] == [f"one_ply:weights={file}#{DEFAULT.digest()}", "random"]
    assert after.describe()["agents"] == [f"one_ply:weights={file}#{OTHER.digest()}", "random"]
    assert after.names == (f"one_ply:weights={file}", "random")


def test_a_match_raises_an_error_after_a_change_of_weights(file):
    running = pickle.loads(pickle.dumps(setup(f"one_ply:weights={file}")))  # as in another process
    running.play(0)
    OTHER.save(file)
    with pytest.raises(WeightsError, match=f"{file}: other weights than expected"):
        running.play(1)


def test_a_run_only_continues_with_equal_weights(tmp_path, file):
    folder = tmp_path / "run"
    assert match(file).run(folder=folder).games == 2
    DEFAULT.save(file)
    result = match(file).run(folder=folder)
    assert result.games == 2 and result.agents[0].name == f"one_ply:weights={file}"
    OTHER.save(file)
    with pytest.raises(RunFolderError, match="changed since the run in this folder") as error:
        match(file).run(folder=folder)
    digests = f"(digest {DEFAULT.digest()} in the folder, {OTHER.digest()} now)"
    assert f"run: {file} changed" in str(error.value) and digests in str(error.value)


def test_a_run_names_one_changed_file_and_counts_the_others(tmp_path, file):
    second, folder = file.with_name("second.json"), tmp_path / "run"
    DEFAULT.save(second)
    opponent = f"mcts:sims=1,weights={second}"
    match(file, opponent, games=1, max_rounds=1).run(folder=folder)
    for weights in (file, second):
        OTHER.save(weights)
    with pytest.raises(RunFolderError, match=f"{file} and 1 more file changed since the run"):
        match(file, opponent, games=1, max_rounds=1).run(folder=folder)
    with pytest.raises(RunFolderError, match="contains another run"):
        match(file, games=1, max_rounds=1).run(folder=folder)


def test_another_setting_of_an_agent_is_not_a_changed_file(tmp_path):
    def run(sims):
        agents = [functools.partial(MctsAgent, sims=sims), "random"]
        Match(agents, games=1, map="small", max_rounds=1).run(folder=tmp_path / "run")

    run(1)
    with pytest.raises(RunFolderError, match=r"contains another run .* give the same settings"):
        run(2)


def test_a_run_rejects_another_file_with_the_same_content(tmp_path, file):
    folder = tmp_path / "run"
    match(file).run(folder=folder)
    assert f"#{DEFAULT.digest()}" in (folder / "run.json").read_text()
    DEFAULT.save(file.with_name("another.json"))
    with pytest.raises(RunFolderError, match="contains another run"):
        match(file.with_name("another.json")).run(folder=folder)


def test_logs_contain_digests_and_reject_another_match(tmp_path, file):
    logs = tmp_path / "logs"
    match(file, log=logs).run()
    pinned_spec = f"one_ply:weights={file}#{DEFAULT.digest()}"
    for path in sorted(logs.glob("*.wl.jsonl*")):
        header = GameLog.load(path).header
        player = next(player for player in header.players if player.name != "random")
        assert (player.name, player.spec) == (f"one_ply:weights={file}", pinned_spec)
        assert player.parameters["weights"] == f"{file}#{DEFAULT.digest()}"
        assert header.match["agents"] == [pinned_spec, "random"]
    match(file, log=logs).run()
    OTHER.save(file)
    with pytest.raises(LogError, match="logs of another match"):
        match(file, log=logs).run()


def test_an_experiment_s_player_depends_on_its_weights(file):
    def description():
        source = Side(start=("Europe",)).source(ExperimentSettings(f"mcts:sims=5,weights={file}", quick=True))
        return setup(source).describe()["agents"][0]

    before = description()
    assert description() == before
    OTHER.save(file)
    assert description() != before
