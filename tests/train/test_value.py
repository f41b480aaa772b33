"""Training of the value network: games, labels and fits are reproducible, and a killed run continues exactly.

The gate rejects a damaged network.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from value_helpers import TINY

from helpers import as_position
from warlight_env.agents import make_agent
from warlight_env.agents.evaluation.static_evaluation import evaluated_shares
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.value_record import SHAPES, digest, load_value, make_network
from warlight_env.agents.value.network import network_scores
from warlight_env.agents.weights import DEFAULT, PLANNING
from warlight_env.cli import main
from warlight_env.engine.position import Positions
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.errors import RunError
from warlight_env.game import Game
from warlight_env.train.common.checks import SettingsError
from warlight_env.train.common.expert_iteration import pack_samples, unpack_samples
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.settings_file import load_plain, read_settings
from warlight_env.train.value import run as trainer
from warlight_env.train.value.fit import Fit, ValueModule, fit_network, held_out, read_inputs
from warlight_env.train.value.games import play_games
from warlight_env.train.value.labels import Labeller, label_positions
from warlight_env.train.value.players import NetworkPlayer, pack_network, unpack_network
from warlight_env.train.value.positions import ValuedPosition, ValuedPositions
from warlight_env.train.value.run import ValueRun, outcome_losses
from warlight_env.train.value.settings import ValueSettings

#: For tests that do not depend on the quality of games and labels.
TINIEST = replace(TINY, labels=8, steps=5)
LEARNED = pack_network(load_value("learned"))


def train(folder, settings=TINY, jobs=1, say=lambda entry: None):
    with Journal(folder, settings.to_dict()) as journal:
        return ValueRun(settings, journal, jobs, say=say).run()


def entries(folder):
    """Return the journal without times."""
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def files(folder):
    """Return the contents of all files that a run wrote, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.npz"))}


@pytest.fixture(scope="module")
def games():
    """Play some games of two and of three players, and return their configurations and positions."""
    configs = GameConfigs(TINY)
    return configs, play_games(TINY, configs, b"", 5, range(6), 1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Train without interruptions, with the files in several parts, and return the folder and the network."""
    folder = tmp_path_factory.mktemp("run") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        in_parts(patch)
        network = train(folder)
    return folder, network


def in_parts(patch):
    patch.setattr(trainer, "GAMES_PART", 1)
    patch.setattr(trainer, "LABELS_PART", 4)


# Games


def test_games_use_the_given_configurations_and_store_the_winner(games):
    configs, played = games
    assert {configs[at].players for at in played.config_index} == {2, 3}
    assert {configs[at].map.n_regions for at in played.config_index} == {10, 12}
    for number in set(played.game.tolist()):
        rows = np.flatnonzero(played.game == number)
        assert played.round[rows].tolist() == list(range(len(rows))), "a position before each round"
        assert len(set(map(tuple, played.value[rows]))) == 1 and played.value[rows[0]].sum() in (0, 1)
        last = played.position(rows[-1])
        if played.value[rows[0]].any():
            winner = int(played.value[rows[0]].argmax())
            assert (last.owner == winner).any() and winner < configs[played.config_index[rows[0]]].players
    assert played.value.any(axis=1).mean() > 0.5


def test_games_and_labels_do_not_depend_on_threads_or_parts(games):
    configs, played = games
    parts = [play_games(TINY, configs, b"", 5, numbers, 3) for numbers in (range(3), range(3, 6))]
    assert pack_samples(ValuedPositions.joined(parts)) == pack_samples(played)
    one, other = (pack_samples(play_games(TINY, configs, b"", seed, range(1), 1)) for seed in (5, 6))
    assert one != other
    labels = label_positions(TINY, configs, LEARNED, played, 7, range(10), 1)
    parts = [label_positions(TINY, configs, LEARNED, played, 7, numbers, 3) for numbers in (range(4), range(4, 10))]
    assert (
        pack_samples(ValuedPositions.joined(parts))
        == pack_samples(labels)
        == pack_samples(unpack_samples(ValuedPositions, pack_samples(labels)))
    )
    assert pack_samples(label_positions(TINY, configs, LEARNED, played, 8, range(10), 1)) != pack_samples(labels)


def test_players_with_the_current_value_use_the_network_and_search_one_round():
    def player(spec, network=LEARNED):
        return pickle.loads(pickle.dumps(NetworkPlayer(spec, network, tuple(DEFAULT))))(1)

    own = make_agent("mcts:9", 1)
    agent = player("nash:9,value=current,net=none")
    assert all(map(np.array_equal, agent.value, load_value("learned"))) and agent.rounds == 1
    assert agent.weights == DEFAULT and agent.name == "nash:9,value=current,net=none"
    assert player("nash:9,value=current,rounds=3,weights=planning").rounds == 3
    assert player("nash:9,value=current,rounds=3,weights=planning").weights == PLANNING
    before = player("nash:9,value=current,net=none", b"")
    assert before.value is None and before.rounds == 2
    assert player("mcts:9").settings.weights == own.settings.weights, "others are what they always are"


# Labels


def labeller(configs, network=b"", **changes):
    return Labeller(replace(TINY, **changes), configs, network)


@pytest.mark.parametrize("network", [b"", LEARNED])
def test_the_label_of_a_won_position_is_a_win(network):
    configs = GameConfigs(TINY)
    two, three = (next(n for n in range(4) if configs[n].players == players) for players in (2, 3))
    labeller_ = labeller(configs, network)
    n = configs[two].board.n_regions
    over = as_position([1] * n, rounds=9)
    assert labeller_.value(two, over, 1).tolist() == [0.0, 1.0], "it is over"
    nearly = as_position([1] + [0] * (n - 1), [1] + [30] * (n - 1), rounds=9)
    assert labeller_.value(two, nearly, 1)[0] > 0.95
    assert labeller_.position_after(two, over, 1) is None
    among_three = as_position([2] + [1] * (n - 1), [1] + [30] * (n - 1), rounds=9)
    value = labeller_.value(three, among_three, 1)
    assert value[0] == 0.0, "who is out has no share"
    assert value[1] > 0.95 and value.sum() == pytest.approx(1)


def test_labels_do_not_depend_on_the_order_of_seats(games):
    configs, played = games
    search = labeller(configs, LEARNED, label_simulations=400)
    row = next(
        m
        for m in range(len(played.config_index))
        if configs[played.config_index[m]].players == 2 and played.round[m] == 2
    )
    config, position = int(played.config_index[row]), played.position(row)
    swapped = position._replace(owner=np.where(position.owner >= 0, 1 - position.owner, position.owner).astype(np.int8))
    values = {
        name: np.mean([search.value(config, p, seed) for seed in range(1, 13)], 0)
        for name, p in (("as it is", position), ("swapped", swapped))
    }  # each search samples turns, so the test compares means
    assert values["swapped"][::-1] == pytest.approx(values["as it is"], abs=0.1)


def test_labels_belong_to_played_positions_or_to_leaves(games):
    configs, played = games
    states = {bytes(played.position(m).owner) + bytes(played.position(m).army) for m in range(len(played.config_index))}

    def make_labels(**changes):
        labels = label_positions(replace(TINY, **changes), configs, b"", played, 3, range(30), 1)
        positions = [labels.position(m) for m in range(30)]
        return labels, [bytes(position.owner) + bytes(position.army) in states for position in positions]

    labels, of_games = make_labels(random_move_share=0.0, outcome_weight=1.0)
    assert all(of_games) and set(labels.value.ravel().tolist()) == {0.0, 1.0}, "nothing but who won"
    for m in range(30):
        rows = np.flatnonzero((played.game == labels.game[m]) & (played.round == labels.round[m]))
        assert len(rows) == 1 and np.array_equal(played.value[rows[0]], labels.value[m])
    labels, of_games = make_labels(random_move_share=1.0, outcome_weight=1.0)
    assert sum(of_games) < 10 and not set(labels.value.ravel().tolist()) <= {0.0, 1.0}
    assert labels.value.sum(axis=1) == pytest.approx(1)


def test_games_without_a_winner_give_no_labels(games):
    configs, played = games
    with pytest.raises(RunError, match="label 1: no value found for any of 1000 randomly"):
        label_positions(TINY, configs, b"", played._replace(value=np.zeros_like(played.value)), 3, range(2), 1)


# Fits


def random_module(seed):
    module = ValueModule(torch.Generator().manual_seed(seed))
    with torch.no_grad():
        for values in module.parameters():
            values += 0.1 * torch.randn(values.shape, generator=torch.Generator().manual_seed(values.numel()))
    return module


def test_torch_and_the_kernel_give_the_same_scores(games):
    configs, played = games
    module = random_module(3)
    value = make_network(module.arrays())
    owner = played.owner.copy()
    third = np.flatnonzero(played.config_index == next(at for at in played.config_index if configs[at].players == 3))
    for m in third[::2].tolist():  # of three players, one is out
        played._replace(owner=owner).position(m).owner[played.position(m).owner == 1] = -1
    samples = played._replace(owner=owner)
    with torch.no_grad():
        scores = module(read_inputs(configs, samples)).numpy()
    out = 0
    for m, at in enumerate(samples.config_index.tolist()):
        config = configs[at]
        expected = np.zeros(config.players)
        context = make_context(config.board, config.params, config.players, PLANNING, value=value)
        network_scores(context, samples.position(m), np.zeros(1024), expected)
        assert scores[m, : config.players] == pytest.approx(expected, rel=1e-4, abs=1e-4)
        assert np.isneginf(scores[m, config.players :]).all()
        out += np.isneginf(expected).sum()
    assert out > 0


def army_shares(configs, played):
    """Return the positions with each player's share of the armies as value."""
    rows = []
    for m, at in enumerate(played.config_index.tolist()):
        position = played.position(m)
        armies = np.array([position.army[position.owner == p].sum() for p in range(configs[at].players)], dtype=float)
        rows.append(ValuedPosition(at, int(played.game[m]), position, armies / armies.sum()))
    return ValuedPositions.from_positions(rows)


def test_a_fit_learns_and_does_not_use_held_out_games(games):
    configs, samples = games[0], army_shares(*games)
    settings = replace(TINY, steps=400, batch_size=64)
    fit, little = (
        fit_network(settings, configs, samples, 1),
        fit_network(replace(settings, steps=1), configs, samples, 1),
    )
    assert fit.trained < 0.1 * little.trained and fit.held_out < 0.2 * little.held_out
    kept_out = held_out(samples)
    assert 0 < kept_out.mean() < 0.5 and len(set(kept_out[samples.game == 0])) == 1, "games are kept out as a whole"
    wrong = samples.value.copy()
    wrong[kept_out, :2] = wrong[kept_out, 1::-1]
    other = fit_network(settings, configs, samples._replace(value=wrong), 1)
    assert all(np.array_equal(other.arrays[name], fit.arrays[name]) for name in SHAPES)
    assert other.trained == fit.trained and other.held_out > fit.held_out
    with pytest.raises(RunError, match="all labels belong to held-out games"):
        fit_network(settings, configs, samples._replace(game=np.zeros_like(samples.game)), 1)
    with pytest.raises(RunError, match="a parameter of the network is not a finite number"), np.errstate(all="ignore"):
        fit_network(replace(settings, learning_rate=1e30), configs, samples, 1)


def test_losses_are_negative_logarithms_of_the_winners_share(games):
    configs, played = games
    rows = outcome_losses(configs, [played], LEARNED)
    chosen = [
        m for m in range(len(played.config_index))
        if played.game[m] % 10 == 0 and played.value[m].any() and played.round[m] == rows[0]["round"] == 3
    ]  # fmt: skip
    assert rows[0]["positions"] == len(chosen) > 0
    for name, weights, value in (("network", PLANNING, load_value("learned")), ("default", DEFAULT, None)):
        losses = []
        for m in chosen:
            config, position, shares = configs[played.config_index[m]], played.position(m), np.zeros((1, MAX_PLAYERS))
            context = make_context(config.board, config.params, config.players, weights, value=value)
            evaluated_shares(context, Positions(position.owner[None], position.army[None], position.round), 1, shares)
            losses.append(-np.log(shares[0, played.value[m].argmax()]))
        assert rows[0][name] == pytest.approx(np.mean(losses))


# Runs


def test_the_gate_rejects_a_damaged_network(tmp_path, monkeypatch):
    """The last layer of the bundled network is negated, so the network prefers the worst positions."""
    good = unpack_network(LEARNED)
    bad = {name: np.array(getattr(good, name)) * (-1 if name == "last" else 1) for name in SHAPES}
    monkeypatch.setattr(trainer, "fit_network", lambda *_: Fit(bad, 0.1, 0.1))
    settings = replace(TINIEST, start="learned", gate_threshold=0.5, gate_pairs=4)
    with pytest.raises(RunError, match="no network of 2 iterations passed the gate"):
        train(tmp_path, settings)
    gates = [entry for entry in entries(tmp_path) if entry["event"] == "gate"]
    assert [gate["accepted"] for gate in gates] == [False, False] and all(gate["score"] < 0.3 for gate in gates)
    assert not list(tmp_path.glob("gate-*")), "its games are cleared away"


@pytest.mark.parametrize("accept", [0.0, 1.0])
def test_an_accepted_network_plays_and_searches_in_the_next_iteration(accept, tmp_path, monkeypatch):
    """A network with an even score is accepted, unless the threshold requires a win of all games."""
    used = {"play_games": [], "label_positions": []}
    for name, networks in used.items():
        original = getattr(trainer, name)

        def record_network(settings, configs, network, *more, original=original, networks=networks):
            networks.append(network)
            return original(settings, configs, network, *more)

        monkeypatch.setattr(trainer, name, record_network)
    monkeypatch.setattr(ValueRun, "play_gate", lambda *_: {"games": 2, "score": 0.5, "interval": [0.1, 0.9]})
    if accept:
        with pytest.raises(RunError, match="passed the gate"):
            train(tmp_path, replace(TINIEST, gate_threshold=accept))
        next_network = b""
    else:
        assert train(tmp_path, TINIEST) == (tmp_path / "network-2.npz").read_bytes()
        next_network = (tmp_path / "network-1.npz").read_bytes()
    assert used["play_games"] == used["label_positions"] == [b"", next_network]


@pytest.mark.slow
def test_the_result_depends_on_the_seed_and_on_earlier_labels(whole, tmp_path, monkeypatch):
    folder, network = whole
    in_parts(monkeypatch)
    assert train(tmp_path / "jobs", jobs=2) == network and entries(tmp_path / "jobs") == entries(folder)
    assert train(tmp_path / "seed", replace(TINY, seed=2)) != network
    assert train(tmp_path / "both", replace(TINY, previous=True)) != network
    assert [e["labels"] for e in entries(tmp_path / "both") if e["event"] == "fit"] == [10, 20]


class StopHere(Exception):  # noqa: N818 -- as a kill
    pass


def test_an_interrupted_run_continues_exactly(whole, tmp_path, monkeypatch):
    """Stop the run after each line of the journal, and leave a damaged file that the journal does not contain."""
    folder, network = whole
    in_parts(monkeypatch)

    def stop(entry):
        raise StopHere

    stops = 0
    while True:
        try:
            assert train(tmp_path / "cut", say=stop) == network
            break
        except StopHere:
            stops += 1
            for name in ("games/1-2.npz", "labels/2-1.npz", "network-2.npz"):
                path = tmp_path / "cut" / name
                digests = {entry["digest"] for entry in entries(tmp_path / "cut") if "digest" in entry}
                if path.parent.exists() and (not path.exists() or digest(path.read_bytes()) not in digests):
                    path.write_bytes(b"torn")
    assert stops == len(entries(folder)) == 2 * (2 + 3 + 2)
    assert entries(tmp_path / "cut") == entries(folder) and files(tmp_path / "cut") == files(folder)


def test_files_that_the_run_did_not_write_are_refused(whole, tmp_path, monkeypatch):
    folder, _ = whole
    in_parts(monkeypatch)
    for name, content in files(folder).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    for name in ("journal.jsonl", "settings.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    for name in ("network-1.npz", "games/2-1.npz", "labels/1-3.npz"):
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(JournalError, match=f"{name}: the file has changed since the run wrote it"):
            train(tmp_path)
        (tmp_path / name).unlink()
        with pytest.raises(JournalError, match=f"{name}: cannot be read"):
            train(tmp_path)
        (tmp_path / name).write_bytes(content)
    lines = (tmp_path / "journal.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(JournalError, match="in the place of"):
        train(tmp_path)
    (tmp_path / "journal.jsonl").write_text(lines[0].replace('"digest"', '"digset"'))
    with pytest.raises(JournalError, match="line 1: not an event of this run"):
        train(tmp_path)


# The command


@pytest.mark.slow
def test_a_killed_command_continues_and_writes_a_network_and_a_report(tmp_path, capsys):
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(TINY.to_dict()))
    words = ["train", "value", str(file), "--quick", "--out"]
    complete, killed = tmp_path / "whole", tmp_path / "killed"
    assert main([*words, str(complete)]) == 0
    shown = capsys.readouterr()
    assert "found against start" in shown.out and f"found: {complete / 'value.npz'}" in shown.out
    assert "expert iteration: 8/8 parts" in shown.err and "iteration 2: gate" in shown.err
    process = subprocess.Popen(
        [sys.executable, "-m", "warlight_env", *words, str(killed), "-q"], stdout=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    journal = killed / "journal.jsonl"
    while process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < 3):
        time.sleep(0.005)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert main([*words, str(killed), "--json", "-q"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert entries(killed) == entries(complete) and files(killed) == files(complete)
    assert [(row["player"], row["opponent"], row["games"]) for row in result["holdout"]] == [
        ("found", "start", 2), ("found", "random", 2),
    ]  # fmt: skip
    text = (killed / "report.md").read_text()
    for part in (
        "The final match",
        "Course of the training",
        "Prediction of the winner",
        "| round | positions | network | planning | default |",
    ):
        assert part in text
    # The resulting network plays.
    agent = make_agent(f"nash:40,value={killed / 'value.npz'},rounds=1", 1)
    game = Game("small", seed=1, picks="random")
    assert agent.act(game.view(0)) is not None and agent.value is not None
    # The command in the report gives the same run.
    again = tmp_path / "again"
    assert main(["train", "value", str(killed / "settings.json"), "--out", str(again), "-q"]) == 0
    assert entries(again) == entries(complete)


def test_settings_store_the_digest_of_the_start_network(tmp_path):
    file = tmp_path / "first.npz"
    file.write_bytes(LEARNED)
    settings = replace(TINY, start=str(file))
    assert re.fullmatch(rf"{file}#[0-9a-f]{{16}}", settings.start)
    assert replace(settings, seed=2).start == settings.start
    file.write_bytes(pack_network(make_network(random_module(1).arrays())))
    assert replace(TINY, start=str(file)).start != settings.start
    with pytest.raises(SettingsError, match="contains another network than expected: its digest"):
        read_settings(ValueSettings, json.loads(json.dumps(settings.to_dict())), "settings")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("games = 0", "games = 0: must be an integer from 1 up"), ("candidates = 1", "candidates = 1: must be"),
        ("max_rounds = 2000", "max_rounds = 2000: must lie"),
        ("random_move_share = 1.5", "random_move_share = 1.5: must lie in 0 .. 1"),
        ("learning_rate = 0", "learning_rate = 0.0: must be a number above 0"),
        ("weight_decay = -1", "weight_decay = -1.0: must be"),
        ("players = [0, 0]", "players = [0.0, 0.0]: must be relative frequencies"),
        ("players = [1, 1, 1, 1, 1, 1]", "must be relative frequencies, in 0 .. 1, of games with 2, 3, … 6 players"),
        ("players = []", "players = []: must be relative frequencies"), ("maps = []", "maps: give at least one"),
        ("maps = ['wurld']", "no map 'wurld' (did you mean"), ("maps = ['generated:2:1']", "generate: regions = 2"),
        ("rules = ['chess']", "chess"), ("player = 'mcts:60'", "must be an agent with value=current"),
        ("opponents = ['nobody']", "no agent 'nobody'"), ("start = 'nowhere.npz'", "nowhere.npz: cannot be read"),
        ("weights = 'mine'", "no weights 'mine'"),
    ],
)  # fmt: skip
def test_invalid_settings_are_refused(text, message, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=re.escape(message)):
        read_settings(ValueSettings, load_plain(file), str(file))


def test_a_map_that_is_too_small_is_refused_before_the_first_game(tmp_path, capsys):
    file = tmp_path / "bad.toml"
    file.write_text("maps = ['generated:3:1']\nrules = ['challenge1']\nplayers = [0, 0, 0, 1]\n")
    assert main(["train", "value", str(file), "--out", str(tmp_path / "run")]) == 2
    assert "with 5 players: this map can offer each player only" in capsys.readouterr().err


def test_the_example_has_the_default_settings():
    file = Path(__file__).parents[2] / "examples" / "value.toml"
    settings = read_settings(ValueSettings, load_plain(file), str(file))
    assert replace(settings, holdout_pairs=ValueSettings().holdout_pairs) == ValueSettings()
