"""PPO and self-play: exported policies play as trained, a killed run continues exactly, and failures lose no data."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import resource
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from env_helpers import SMALL
from warlight_env.agents import make_agent
from warlight_env.agents.weights import THESIS, Weights
from warlight_env.arena.policies.policy_agent import PolicySource
from warlight_env.arena.policies.policy_file import PolicyFile
from warlight_env.cli import main
from warlight_env.engine.board import make_board
from warlight_env.engine.orders import Orders
from warlight_env.envs.actions import StrategyActions
from warlight_env.envs.actions.kernels import COUNT
from warlight_env.envs.core import EnvCore
from warlight_env.envs.opponents import BotOpponent, OpponentError
from warlight_env.envs.sb3 import make_vec_env
from warlight_env.errors import InputError, RunError
from warlight_env.features.columns import global_features, node_features
from warlight_env.networks.forward import PolicyNet
from warlight_env.train.common.checks import SettingsError
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.journal import Journal, JournalError
from warlight_env.train.common.settings_file import load_plain, read_settings
from warlight_env.train.ppo.checkpoint import CHECKPOINT, Checkpoint
from warlight_env.train.ppo.league import League
from warlight_env.train.sb3_ppo.run import Sb3PpoRun
from warlight_env.train.sb3_ppo.set_policy import SetNetwork
from warlight_env.train.sb3_ppo.settings import Sb3PpoSettings

TINY = Sb3PpoSettings(
    iterations=4, n_envs=8, n_steps=32, batch_size=64, n_epochs=2, width=8, hidden=8,
    snapshot_interval=1, max_snapshots=2, eval_interval=2, eval_pairs=1, holdout_pairs=1,
    eval_opponents=("random",), conditions=Conditions("small", max_rounds=60), weights=Weights(army=40.0),
)  # fmt: skip


def train(folder, settings=TINY, say=lambda entry: None):
    with Journal(folder, settings.to_dict()) as journal:
        return Sb3PpoRun(settings, journal, say=say).run()


def entries(folder):
    """Return the journal without times."""
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def checkpoint_state(folder):
    """Return everything in the checkpoint that determines the rest of the run."""
    state = Checkpoint.load(folder / CHECKPOINT)
    moments = [value for values in state.optimizer["state"].values() for value in values.values()]
    return [*state.policy.values(), *moments], state.league, state.steps


def assert_same_run(one, other):
    assert entries(one) == entries(other)
    (mine, my_league, my_steps), (theirs, league, steps) = checkpoint_state(one), checkpoint_state(other)
    assert (my_league, my_steps) == (league, steps)
    assert len(mine) == len(theirs) and all(torch.equal(a, b) for a, b in zip(mine, theirs, strict=True))


def test_an_error_in_the_first_iteration_leaves_no_files(tmp_path, monkeypatch):
    def fail(run, iteration):
        raise RunError("no iteration")

    monkeypatch.setattr(Sb3PpoRun, "learn", fail)
    with pytest.raises(RunError, match="no iteration"):
        train(tmp_path / "run")
    assert not (tmp_path / "run").exists()


# The exported policy plays like the trained policy


@pytest.mark.parametrize("action", ["strategies", "factored"])
def test_numpy_gives_the_same_logits_and_actions_as_torch(action, tmp_path):
    """Compare logits (to 1e-5) and actions with the library's own `predict`, in positions of real games."""
    settings = replace(TINY, action=action, layers=2)
    with Journal(tmp_path, settings.to_dict()) as journal:
        run = Sb3PpoRun(settings, journal)
    policy = run.model.policy
    with torch.no_grad():
        for values in policy.parameters():
            values += 0.3 * torch.randn(values.shape, generator=torch.Generator().manual_seed(values.numel()))
    file = PolicyFile.from_bytes(run.export())
    net, player = (
        PolicyNet(file.arrays, action, run.board, 2, file.node_features, file.global_features),
        file.bind(run.board, sampled=False),
    )
    run.env.seed(3)
    observations, largest_error, agreement = run.env.reset(), 0.0, []
    for _ in range(12):
        masks = run.env.action_masks()
        flat = observations["observation"] if isinstance(observations, dict) else observations
        with torch.no_grad():
            theirs = policy.action_net(policy.mlp_extractor.forward_actor(torch.as_tensor(flat))).numpy()
        largest_error = max(largest_error, float(np.abs(net.logits(flat).reshape(len(flat), -1) - theirs).max()))
        more = {"action_masks": masks} if action == "strategies" else {}
        actions, _ = run.model.predict(observations, deterministic=True, **more)
        agreement.append(np.mean(actions == player(flat, masks)))
        observations, *_ = run.env.step(actions)
    assert largest_error < 1e-5 and np.mean(agreement) > 0.999


def test_the_policy_samples_actions_by_its_probabilities(tmp_path):
    with Journal(tmp_path, TINY.to_dict()) as journal:
        run = Sb3PpoRun(TINY, journal)
    run.env.seed(5)
    observations, masks = run.env.reset(), run.env.action_masks()
    many, many_masks = np.repeat(observations[:1], 4000, axis=0), np.repeat(masks[:1], 4000, axis=0)
    player = PolicyFile.from_bytes(run.export()).bind(run.board, sampled=True)
    player.reseed(7)
    actions = player(many, many_masks)
    counts = np.bincount(actions, minlength=9)
    with torch.no_grad():
        distribution = run.model.policy.get_distribution(torch.as_tensor(observations[:1]), action_masks=masks[:1])
        chances = distribution.distribution.probs.numpy()[0].astype(np.float64)
    assert (counts[masks[0] == 0] == 0).all() and (counts[masks[0] != 0] > 0).all()
    is_open = masks[0] != 0
    assert chisquare(counts[is_open], 4000 * chances[is_open] / chances[is_open].sum()).pvalue > 1e-3
    player.reseed(7)
    assert np.array_equal(player(many, many_masks), actions)


def test_the_network_does_not_depend_on_the_numbers_of_regions():
    board = make_board(SMALL)
    n, edges = board.n_regions, np.stack([board.edge_source, board.edge_target]).astype(np.int64)
    torch.manual_seed(1)
    network, order = SetNetwork(n, 2, edges, width=8), np.random.default_rng(1).permutation(n)
    renumbered = SetNetwork(n, 2, np.argsort(order)[edges], width=8)
    renumbered.load_state_dict(network.state_dict())
    nodes, overall = torch.rand(3, n, len(node_features(2))), torch.rand(3, len(global_features(2)))
    inputs, other = (torch.cat([x.flatten(1), overall], dim=1) for x in (nodes, nodes[:, order]))
    for mine, theirs in zip(network(inputs), renumbered(other), strict=True):
        assert torch.allclose(mine, theirs, atol=1e-6)
    assert not torch.allclose(network(inputs)[0], network(other)[0], atol=1e-4), "without their edges it is another map"


# The evaluation of strategies


def test_strategies_use_the_given_weights_and_bots_their_own_weights():
    ours = Weights(army=60.0, own_regions=-50.0, bonus=20.0)
    encoding = lambda board, params: StrategyActions(board, params, weights=ours)  # noqa: E731
    core, plain = (EnvCore("world", batch=6, action=a, picking="random") for a in (encoding, "strategies"))
    bot, n_different = BotOpponent("aggressive"), 0
    for at in range(4):
        for one in (core, plain):
            one.reset(range(10 * at, 10 * at + 6))
        for b in range(6):
            view = core.view(0, b)
            assert np.array_equal(core.mask(0, b), core.encoding.flat_mask(view))
            decoded = core.encoding.decode(view, 6)
            n_different += decoded.deploys != plain.encoding.decode(view, 6).deploys
            memory, chosen = bot.make_memory(core), np.full((6, 2), -1, dtype=np.int16)
            bot.begin(memory, core, b, 1, 1)
            chosen[b, 1] = 0
            rows, acting = np.zeros((6, 2, 1), dtype=np.int64), np.zeros((6, 2), dtype=np.int8)
            rows[b, 0], acting[b, 0] = 6, 1
            core.submit_actions(rows, None, acting)
            bot.move(memory, core, chosen, 0, np.zeros(6, dtype=np.int8))
            turns = [Orders.from_arrays(t.deploy[b, p], t.attacks[b, p], int(t.status[b, p, COUNT]))
                     for t in [core.turns] for p in range(2)]  # fmt: skip
            assert turns[0].deploys == decoded.deploys
            assert turns[1].deploys == make_agent("aggressive", 1).act(core.view(1, b)).deploys
    assert n_different > 0


# The league


class _Idle:
    def __call__(self, observations, masks):
        return masks.argmax(1)


def test_the_league_draws_strong_opponents_more_often():
    league = League(["random", "aggressive"], lambda number: _Idle(), 2, pfsp_exponent=2.0, min_opponent_weight=0.05)
    env = make_vec_env(16, seed=1, map="small", action="strategies", opponent=league.pool)
    assert set(league.pool.weights.values()) == {0.25}, "everybody begins with one game won of two"
    names = dict.fromkeys(("random", "aggressive"), 0)
    games = []
    env.reset()
    while len(games) < 400:
        _, _, _, infos = env.step(env.action_masks().argmax(1))
        games += [(played[0], infos[b]["is_success"]) for b, played in env.ended_against.items()]
    results = league.count_opponents(games)
    wins = {name: sum(won for opponent, won in games if opponent.name == name) for name in names}
    assert {name: row[1] for name, row in results.items()} == wins
    assert chisquare([row[0] for row in results.values()]).pvalue > 1e-3
    for name, (count, won) in results.items():
        assert league.pool.weights[name] == pytest.approx(max(0.05, (1 - (1 + won) / (2 + count)) ** 2))
    assert league.pool.weights["aggressive"] > league.pool.weights["random"]
    for number in (3, 5, 8):
        league.add(number)
    assert list(league.pool.weights) == ["random", "aggressive", "snapshot-5", "snapshot-8"]
    league.count_opponents([])
    saved = json.loads(json.dumps(league.to_dict()))
    again = League(["random", "aggressive"], lambda number: _Idle(), 2, pfsp_exponent=2.0, min_opponent_weight=0.05)
    again.restore(saved)
    assert again.to_dict() == saved and again.pool.weights == league.pool.weights
    assert [id(again.pool.draw(seed)) for seed in range(9)] != [], "it can be drawn from"
    with pytest.raises(OpponentError):
        league.pool.remove("snapshot-3")


# Continuing runs


def test_a_killed_run_continues_exactly(tmp_path, killed_at_line):
    """Kill the run with SIGKILL between checkpoint and journal, with its own snapshots among the opponents."""
    complete, killed = tmp_path / "whole", tmp_path / "killed"
    settings = replace(TINY, seed=3)
    policy = train(complete, settings)
    killed_at_line(3, lambda say: train(killed, settings, say))
    journal_lines = (killed / "journal.jsonl").read_bytes().splitlines(keepends=True)
    assert len(journal_lines) == 3 and Checkpoint.load(killed / CHECKPOINT).entry["iteration"] == 2
    (killed / "journal.jsonl").write_bytes(b"".join(journal_lines[:-1]) + b'{"event"')
    again = train(killed, settings)
    assert_same_run(complete, killed)
    assert again == policy
    # Another seed gives another run.
    train(tmp_path / "other", replace(settings, iterations=1, seed=4))
    assert entries(tmp_path / "other")[0] != entries(complete)[0]


def test_a_full_disk_stops_the_run_and_keeps_the_last_state(tmp_path):
    agents = ("random", "mcts_thesis:sims=2,rounds=1")  # the second agent plays outside compiled code
    settings = replace(
        TINY, iterations=3, n_steps=16, snapshot_interval=0, eval_interval=9, n_epochs=1, opponents=agents
    )
    train(tmp_path / "whole", settings)
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill(entry):
        if entry["iteration"] == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))

    try:
        with pytest.raises(RunError, match="cannot write"):
            train(tmp_path / "cut", settings, fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert len(entries(tmp_path / "cut")) == 2
    train(tmp_path / "cut", settings)
    assert_same_run(tmp_path / "whole", tmp_path / "cut")


def test_a_lost_worker_stops_the_run_and_loses_no_data(tmp_path):
    settings = replace(TINY, iterations=2, eval_pairs=6)

    def run(folder, jobs):
        with Journal(folder, settings.to_dict()) as journal:
            return Sb3PpoRun(settings, journal, jobs=jobs).run()

    killed = threading.Event()

    def kill():
        while not (workers := multiprocessing.active_children()):
            time.sleep(0.01)
        os.kill(workers[0].pid, signal.SIGKILL)
        killed.set()

    run(tmp_path / "whole", 1)
    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(RunError, match="process"):
        run(tmp_path / "hit", 2)
    killer.join()
    assert killed.is_set() and not any("evaluation" in entry for entry in entries(tmp_path / "hit"))
    run(tmp_path / "hit", 1)
    assert_same_run(tmp_path / "whole", tmp_path / "hit")


@pytest.mark.parametrize("action", ["strategies", "factored"])
def test_a_parameter_that_is_not_finite_stops_the_run(action, tmp_path):
    with pytest.raises(RunError, match=r"iteration 1: .*; the run stops"):
        train(tmp_path, replace(TINY, action=action, learning_rate=1e30, eval_interval=9, snapshot_interval=0))
    assert not list(tmp_path.iterdir())


def test_the_journal_stores_null_as_explained_variance_of_equal_returns(tmp_path):
    """No game ends in this run, so with a discount of 0 every return is 0 and there is no variance to explain."""
    settings = replace(TINY, iterations=1, n_steps=2, batch_size=16, gamma=0.0, gae_lambda=0.0, shaping="none")
    train(tmp_path, settings)
    entry = entries(tmp_path)[0]
    assert entry["games"] == 0 and entry["explained_variance"] is None


def test_a_damaged_journal_or_checkpoint_is_refused(tmp_path):
    settings = replace(TINY, iterations=2, snapshot_interval=0)
    train(tmp_path, settings)
    journal, checkpoint = tmp_path / "journal.jsonl", tmp_path / CHECKPOINT
    lines, state = journal.read_bytes().splitlines(keepends=True), checkpoint.read_bytes()
    journal.write_bytes(b"".join(lines) + lines[-1])
    with pytest.raises(JournalError, match="of iteration 2, but there are 3"):
        train(tmp_path, settings)
    journal.write_bytes(b"".join(lines))
    for damaged in (state[: len(state) // 2], pickle.dumps({"entry": lines[-1]}), b"\0" * 1000, b""):
        checkpoint.write_bytes(damaged)
        with pytest.raises(JournalError, match="damaged"):
            train(tmp_path, settings)
    checkpoint.write_bytes(state)
    journal.write_bytes(b'{"event": "iteration", "iteration": "x"}\n')
    with pytest.raises(JournalError, match="line 1: not an event of this run"):
        train(tmp_path, settings)
    journal.write_bytes(b"".join(lines))
    checkpoint.unlink()
    with pytest.raises(JournalError, match=r"checkpoint\.npz is missing"):
        train(tmp_path, settings)
    checkpoint.write_bytes(state)
    train(tmp_path, settings)
    with pytest.raises(JournalError, match="gamma"):
        train(tmp_path, replace(settings, gamma=0.5))


# Commands


@pytest.mark.parametrize("action", ["strategies", pytest.param("factored", marks=pytest.mark.slow)])
def test_the_command_writes_a_report_and_its_policy_plays(action, tmp_path, capsys, forked_workers):
    file, out = tmp_path / "tiny.toml", tmp_path / "run"
    file.write_text(
        f'action = "{action}"\nwidth = 8\nplay = "sampled"\nholdout = ["one_big_army"]\neval_opponents = ["random"]\n'
        'weights = {army = 20}\n[conditions]\nmap = "small"\nmax_rounds = 40\n'
    )
    assert main(["train", "ppo", str(file), "--quick", "--out", str(out), "--json"]) == 0
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert [(row["opponent"], row["games"]) for row in result["holdout"]] == [("random", 4), ("one_big_army", 4)]
    assert "PPO: 2/2 iterations" in shown.err and "final match" in shown.err
    text, page = (out / "report.md").read_text(), (out / "report.html").read_text()
    for part in ("The final match", "Course of the training", "Kept out of training: one_big_army", "Machine",
                 "warlight train ppo settings.json"):  # fmt: skip
        assert part in text
    assert page.count("<svg") == text.count("![") == len(list(out.glob("curve-*.svg")))
    assert list((out / "tensorboard").glob("events.*"))
    spec = f"policy:{out / 'policy.npz'}"
    match = ["match", spec, "random", "-n", "4", "--map", "small", "--paired", "--json"]
    assert main([*match, "--jobs", "2"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(match) == 0
    again = json.loads(capsys.readouterr().out)
    for agent in (*first["agents"], *again["agents"]):
        del agent["time"]
    assert first["agents"] == again["agents"], "drawn from the games' seeds, in any number of processes"
    content = (out / "policy.npz").read_bytes()
    assert PolicySource(content)(1).file.weights == THESIS._replace(army=20.0)
    assert main(["train", "ppo", str(out / "settings.json"), "--out", str(tmp_path / "again"), "-q"]) == 0
    assert entries(tmp_path / "again") == entries(out), "the command that the report names"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iteration = 1", "no setting 'iteration' (did you mean"), ("iterations = 0", "iterations = 0: must be"),
        ("opponents = []", "opponents: give at least one"), ('opponents = ["agressive"]', "no agent 'agressive'"),
        ("batch_size = 100000", "n_envs * n_steps = 8192"), ("gamma = 1.5", "gamma = 1.5: must lie"),
        ('action = "steps"', "action: must be one of"), ("weights = {arny = 1}", "no weight 'arny' (did you mean"),
        ("weights = 3", "weights: must be a preset"), ("weights = {army = 1000}", "army = 1000.0: must be"),
        ('[conditions]\nmap = "wrold"', "wrold"), ('[conditions]\nrules = "mine"', "mine"),
        ("learning_rate = nan", "learning_rate: must be a finite number"),
        ('eval_opponents = ["random", "random"]', "in the list twice"),
    ],
)  # fmt: skip
def test_invalid_settings_are_refused(text, message, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_settings(Sb3PpoSettings, load_plain(file), str(file))
    assert message in str(caught.value) and isinstance(caught.value, SettingsError)


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["ppo_strategies", "ppo_small", "ppo_factored"])
def test_example_settings_are_valid(name):
    settings = read_settings(Sb3PpoSettings, load_plain(EXAMPLES / f"{name}.toml"), name)
    assert not set(settings.holdout) & {*settings.opponents, *settings.eval_opponents}, "kept out of training"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes", "least"),
    [
        ("ppo_small", {"iterations": 20}, {"aggressive": 0.75, "smart_random": 0.7, "random": 0.95}),
        ("ppo_strategies", {"iterations": 20}, {"aggressive": 0.65, "smart_random": 0.8}),
        ("ppo_factored", {"iterations": 100}, {"random": 0.6}),
    ],
)
def test_ppo_learns_in_minutes(name, changes, least, tmp_path):
    settings = read_settings(Sb3PpoSettings, load_plain(EXAMPLES / f"{name}.toml"), name)
    train(tmp_path, replace(settings, **changes, eval_interval=10**6, eval_pairs=100))
    scores = entries(tmp_path)[-1]["evaluation"]
    assert all(scores[opponent]["score"] >= share for opponent, share in least.items()), scores


def test_settings_are_unchanged_after_writing_and_reading():
    assert read_settings(Sb3PpoSettings, json.loads(json.dumps(TINY.to_dict())), "here") == TINY
