"""Weights and networks in files: a match reports their hashes, and detects changed files."""

from __future__ import annotations

import gzip
import json
import pickle

import numpy as np
import pytest

from warlight_env import Game, maps
from warlight_env.agents import make_agent
from warlight_env.agents.records.value_record import SHAPES, ValueNetworkError, digest, save_value
from warlight_env.agents.registry import pinned, unpinned
from warlight_env.agents.turn_net.turn_network_file import BUNDLED
from warlight_env.agents.weights import DEFAULT, THESIS, Weights, WeightsError
from warlight_env.arena import Match, RunFolderError
from warlight_env.arena.games.game_setup import MatchSetup
from warlight_env.arena.policies.policy_file import PolicyFileError, built_in_policies
from warlight_env.engine.rules import Rules
from warlight_env.experiments.players import Contender
from warlight_env.record import GameLog, LogError

OTHER = THESIS._replace(army=33.0)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.json"
    DEFAULT.save(path)
    return path


def match(file, **changes):
    return Match(
        [f"one_ply:weights={file}", "random"], **{"map": "small", "games": 2, "max_rounds": 2, "jobs": 1, **changes}
    )


def setup(spec):
    return MatchSetup((spec, "random"), maps.load("small"), Rules(), 1, False, "random", 2)


def test_a_digest_is_of_the_values_and_not_of_how_they_are_written(tmp_path, file):
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
def test_a_specification_is_pinned_to_the_weights_that_its_file_holds(spec, file):
    given, told = spec.format(file), f"{file}#{DEFAULT.digest()}"
    assert pinned(given) == spec.format(told) == pinned(pinned(given))
    assert unpinned(pinned(given)) == given
    assert make_agent(pinned(given), 1).name == given
    OTHER.save(file)
    with pytest.raises(WeightsError, match=f"{file}: other weights than expected: their digest"):
        make_agent(spec.format(told), 1)


def goes_by_its_file(given, told, path, other, error, changed, wrong):
    """A specification is pinned as `told`, until the file holds something else, and not where that is nothing."""
    assert pinned(given) == told == pinned(pinned(given))
    assert unpinned(told) == given.strip() == make_agent(told, 1).name
    before = setup(given).describe()["agents"]
    path.write_bytes(other)
    with pytest.raises(error, match=f"{path}: the file contains {changed}"):
        make_agent(told, 1)
    assert setup(given).describe()["agents"] != before, "matches with the one and the other are told apart"
    path.write_bytes(b"nothing")
    with pytest.raises(error, match=f"{path}: {wrong}"):
        pinned(given)


@pytest.mark.parametrize("spec", [
    "nash:value={}", "nash:20, value={} ,rounds=1", "belief:nash:rounds=1,value={}",
    "nash:weights={other},value={}", "nash:value={},weights={other}",
])  # fmt: skip
def test_a_specification_is_pinned_to_the_network_that_its_file_holds(spec, tmp_path, file):
    path = tmp_path / "mine.npz"
    arrays = {name: np.full(shape, 0.1, np.float32) for name, shape in SHAPES.items()}
    save_value(path, arrays)
    given = spec.format(path, other=file)
    told = spec.format(f"{path}#{digest(path.read_bytes())}", other=f"{file}#{DEFAULT.digest()}")
    save_value(tmp_path / "other.npz", {**arrays, "last": arrays["last"] + 1})
    content = (tmp_path / "other.npz").read_bytes()
    goes_by_its_file(
        given,
        told,
        path,
        content,
        ValueNetworkError,
        "another network than expected: its digest is",
        "not a value network",
    )


@pytest.mark.parametrize("spec", ["policy:{}", " belief:policy:{} "])
@pytest.mark.parametrize("kept", [built_in_policies()["small"], BUNDLED["any"]])
def test_a_policy_is_pinned_to_what_its_file_holds(spec, kept, tmp_path):
    path = tmp_path / "mine, old=1.npz"
    path.write_bytes(kept.read_bytes())
    given = spec.format(path)
    told = spec.format(f"{path}#{digest(path.read_bytes())}").strip()
    content = built_in_policies()["strategies"].read_bytes()
    goes_by_its_file(
        given, told, path, content, PolicyFileError, "another policy than expected: its digest", "not a policy"
    )


@pytest.mark.parametrize("spec", [
    "policy:any", "policy:small",
    "random", "one_ply:weights=thesis", "mcts:5", "cmd:./bot weights=a.json", "belief:mcts", "nash:value=learned",
    "cmd:./bot value=a.npz",
])  # fmt: skip
def test_specifications_without_a_file_of_weights_stay_what_they_are(spec):
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


def test_two_matches_with_edited_weights_are_told_apart(tmp_path, file):
    before = setup(f"one_ply:weights={file}")
    OTHER.save(file)
    after = setup(f"one_ply:weights={file}")
    assert before.describe()["agents"] == [f"one_ply:weights={file}#{DEFAULT.digest()}", "random"]
    assert after.describe()["agents"] == [f"one_ply:weights={file}#{OTHER.digest()}", "random"]
    assert after.names == (f"one_ply:weights={file}", "random")


def test_a_match_does_not_go_on_with_other_weights(file):
    running = pickle.loads(pickle.dumps(setup(f"one_ply:weights={file}")))  # as another process has it
    running.play(0)
    OTHER.save(file)
    with pytest.raises(WeightsError, match=f"{file}: other weights than expected"):
        running.play(1)


def test_a_run_goes_on_with_the_same_weights_alone(tmp_path, file):
    folder = tmp_path / "run"
    assert match(file).run(folder=folder).games == 2
    DEFAULT.save(file)
    result = match(file).run(folder=folder)
    assert result.games == 2 and result.agents[0].name == f"one_ply:weights={file}"
    OTHER.save(file)
    with pytest.raises(RunFolderError, match="contains another run") as told:
        match(file).run(folder=folder)
    assert str(file) in str(told.value) and DEFAULT.digest() in str(told.value) and OTHER.digest() in str(told.value)
    assert "give the same content for these names (their digests differ)" in str(told.value)


def test_a_run_of_a_version_that_told_no_digest_goes_on(tmp_path, file):
    folder = tmp_path / "run"
    match(file).run(folder=folder)
    description = (folder / "run.json").read_text()
    assert f"#{DEFAULT.digest()}" in description
    (folder / "run.json").write_text(description.replace(f"#{DEFAULT.digest()}", ""))
    assert match(file).run(folder=folder).games == 2
    DEFAULT.save(file.with_name("another.json"))
    with pytest.raises(RunFolderError, match="contains another run"):
        match(file.with_name("another.json")).run(folder=folder)


def test_logs_tell_the_weights_and_are_of_one_match_alone(tmp_path, file):
    logs = tmp_path / "logs"
    match(file, log=logs).run()
    told = f"one_ply:weights={file}#{DEFAULT.digest()}"
    for path in sorted(logs.glob("*.wl.jsonl*")):
        header = GameLog.load(path).header
        player = next(player for player in header.players if player.name != "random")
        assert (player.name, player.spec) == (f"one_ply:weights={file}", told)
        assert player.parameters["weights"] == f"{file}#{DEFAULT.digest()}"
        assert header.match["agents"] == [told, "random"]
    match(file, log=logs).run()
    OTHER.save(file)
    with pytest.raises(LogError, match="logs of another match"):
        match(file, log=logs).run()


def test_logs_of_a_version_that_told_no_digest_are_gone_on_with(tmp_path, file):
    logs = tmp_path / "logs"
    match(file, log=logs).run()
    for path in logs.iterdir():
        text = gzip.decompress(path.read_bytes())
        assert f"#{DEFAULT.digest()}".encode() in text
        path.write_bytes(gzip.compress(text.replace(f"#{DEFAULT.digest()}".encode(), b"")))
    match(file, log=logs).run()


def test_an_experiments_player_is_told_apart_by_its_weights(file):
    def described():
        source = Contender(start=("Europe",)).source(f"mcts:sims=5,weights={file}", "simulations", True)
        return setup(source).describe()["agents"][0]

    before = described()
    assert described() == before
    OTHER.save(file)
    assert described() != before
