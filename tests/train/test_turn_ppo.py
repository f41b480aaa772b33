"""PPO of complete turns: rollouts equal real games, rewards improve the policy, and runs continue exactly."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from warlight_env.agents import make_agent
from warlight_env.agents.plug_ins.functions import make_context
from warlight_env.agents.records.turn_record import layers_of, make_turn_network
from warlight_env.agents.records.value_record import load_value
from warlight_env.agents.turn_net.turn_network_file import load_turn_network, pack_arrays, read_turn_network
from warlight_env.agents.weights import PLANNING
from warlight_env.cli import main
from warlight_env.engine.rules import Rules
from warlight_env.errors import InputError
from warlight_env.game import Game
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.game_configs import GameConfig, read_map
from warlight_env.train.common.journal import Journal
from warlight_env.train.ppo.checkpoint import CHECKPOINT, Checkpoint
from warlight_env.train.turn_net.evaluators import CompiledEvaluator, TensorEvaluator
from warlight_env.train.turn_net.module import TurnModule
from warlight_env.train.turn_ppo.opponents import opponent_context
from warlight_env.train.turn_ppo.rollout_record import rows_of
from warlight_env.train.turn_ppo.rollouts import Rollouts
from warlight_env.train.turn_ppo.run import TurnPpoRun
from warlight_env.train.turn_ppo.settings import TurnPpoSettings
from warlight_env.train.turn_ppo.update import TurnLearner, advantages

TINY = TurnPpoSettings(
    iterations=4, n_envs=8, n_steps=24, batch_size=64, n_epochs=2, snapshot_interval=1, max_snapshots=2,
    eval_interval=2, eval_pairs=1,
    maps=("small", "generated:12:3"), players=(0.7, 0.3), opponents=("aggressive", "plan"), eval_opponents=("random",),
    holdout=(), holdout_pairs=1, max_rounds=20, conditions=Conditions("small", max_rounds=40), threads=1,
)  # fmt: skip


class RolloutCase:
    """A configuration of games and a network that plays them."""

    def __init__(self, players=2, map_name="small", critic=None, start=None):
        self.config = GameConfig(read_map(map_name), Rules.of("thesis"), players)
        self.module = TurnModule(torch.Generator().manual_seed(2))
        if start is not None:
            self.module.copy_network(load_turn_network(start))
        self.learner = self.context(critic)
        self.turns = CompiledEvaluator(self.learner, 1)

    def context(self, critic=None):
        network = make_turn_network(self.module.arrays())
        return make_context(
            self.config.board, self.config.params, self.config.players, PLANNING, value=critic, turns=network
        )  # fmt: skip

    def play(self, games=6, rounds=30, *, opponents=("aggressive",), jobs=1, seed=3, max_rounds=100, own=True):
        contexts = [opponent_context(self.config, name) for name in opponents]
        indices = np.arange(games) % len(contexts)
        return Rollouts(self.config, games, rounds, max_rounds, jobs).play(self.learner, contexts, indices, seed, own)

    def log_probs(self, rows):
        with torch.no_grad():
            return TensorEvaluator(self.learner, len(rows.round), "cpu").log_probs(self.module, rows.tensors())


@pytest.mark.parametrize("players", [2, 3])
def test_rollouts_contain_games_from_start_to_end(players):
    setting = RolloutCase(players, start="learned")
    out = setting.play(games=9, opponents=("aggressive", "random", "plan"))
    regions = setting.config.board.n_regions
    assert out.done.any() and out.won.any() and not (out.won & ~out.done).any()
    assert (out.reward == out.won).all(), "nothing was cut off"
    for b in range(9):
        assert (out.player[b] == b % players).all()
        assert out.round[b, 0] == 0
        for t in range(1, 30):
            assert out.round[b, t] == (0 if out.done[b, t - 1] else out.round[b, t - 1] + 1)
            if out.round[b, t] == 0:
                assert all((out.owner[b, t] == p).sum() == 2 for p in range(players)), "two regions each to start from"
    mine = out.owner == out.player[..., None]
    assert mine.any(axis=2).all(), "who is out has nothing to say"
    assert (out.row[..., :regions][~mine] == 0).all() and (out.row[..., :regions].max(axis=2) == 4).all()
    first = out.army[out.round == 0]
    assert (first == first[0]).all(), "all games begin with the map's armies"


def test_log_probabilities_and_values_equal_the_outputs_of_the_network():
    setting = RolloutCase(3)
    out = setting.play(games=4, rounds=10)
    outputs = setting.log_probs(rows_of(out, 3))
    assert out.log_probs.reshape(-1) == pytest.approx(outputs.turn.numpy(), rel=1e-4, abs=1e-4)
    values = torch.softmax(outputs.scores, 1).gather(1, torch.from_numpy(out.player.reshape(-1, 1)))[:, 0]
    assert out.values[:, :-1].reshape(-1) == pytest.approx(values.numpy(), abs=1e-5)


def test_another_critic_gives_the_values_also_at_the_round_limit():
    setting = RolloutCase(critic=load_value("learned"))
    out = setting.play(own=False, max_rounds=7)
    capped = out.done & ~out.won & (out.reward > 0)
    assert out.round.max() == 6 and capped.any() and (out.round[capped] == 6).all() and (out.reward[capped] < 1).all()
    assert not np.allclose(out.values, setting.play(own=True, max_rounds=7).values)


def test_rollouts_depend_on_the_seed_and_not_on_threads():
    setting = RolloutCase()
    one, two, other = (
        [np.array(x) for x in setting.play(games=40, rounds=8, jobs=jobs, seed=seed)]
        for jobs, seed in ((1, 3), (2, 3), (1, 4))
    )
    assert all(map(np.array_equal, one, two)) and not all(map(np.array_equal, one, other))


def test_entropies_match_sampled_turns():
    """The mean of -log p over turns estimates the mean entropy. Entropies of later choices depend on the first."""
    setting = RolloutCase()
    outputs = setting.log_probs(rows_of(setting.play(games=1500, rounds=1, seed=8), 2))
    surprise, entropy = -outputs.turn.numpy(), outputs.entropy.numpy()
    difference = surprise - entropy
    assert abs(difference.mean()) < 4 * difference.std() / len(difference) ** 0.5
    assert difference.std() > 0.1 and entropy.mean() > 5


def test_advantages_match_their_definition():
    out = RolloutCase().play(games=5, rounds=40, max_rounds=15)
    advantage, target = (x.reshape(5, 40).numpy() for x in advantages(out, 0.97, 0.8))
    for b in range(5):
        later = 0.0
        for t in reversed(range(40)):
            continues = 0.0 if out.done[b, t] else 1.0
            delta = out.reward[b, t] + 0.97 * continues * out.values[b, t + 1] - out.values[b, t]
            later = delta + 0.97 * 0.8 * continues * later
            assert advantage[b, t] == pytest.approx(later, abs=1e-5)
    assert target == pytest.approx(advantage + out.values[:, :-1], abs=1e-5)


def test_rewarded_turns_become_likelier_and_the_kl_limit_ends_an_update():
    setting = RolloutCase()
    out = setting.play(games=32, rounds=16)
    settings = replace(TINY, n_envs=32, n_steps=16, batch_size=256, n_epochs=3, learning_rate=3e-3, target_kl=10.0)
    rows = rows_of(out, 2)
    attacks = (rows.row[:, setting.config.board.n_regions :] > 0).sum(axis=1)
    good = (attacks < np.median(attacks)).reshape(out.done.shape)
    out.done[:], out.reward[:], out.values[:] = True, good, 0.5
    before = setting.log_probs(rows)
    learner = TurnLearner(settings, setting.module, "cpu")
    rng = np.random.default_rng(1)
    metrics = learner.update(setting.turns, out, 5e-3, rng)
    after = setting.log_probs(rows)
    change, flat = (after.turn - before.turn).numpy(), good.reshape(-1)
    assert change[flat].mean() > 0.1 > -0.1 > change[~flat].mean()
    assert metrics.passes == 3.0 and metrics.approx_kl > 0 and -metrics.entropy_loss == pytest.approx(
        float(before.entropy.mean()), rel=0.2
    )  # fmt: skip
    quick = (
        learner.update(setting.turns, out, 3e-3, rng),
        TurnLearner(replace(settings, target_kl=1e-9), setting.module, "cpu").update(setting.turns, out, 3e-3, rng),
    )
    assert quick[0].passes == 3.0 > quick[1].passes, "passes end where the policy has moved too far"


def train(folder, settings=TINY, jobs=1, say=lambda entry: None):
    with Journal(folder, settings.to_dict()) as journal:
        return TurnPpoRun(settings, journal, jobs, say=say).run()


def entries(folder):
    """Return the journal without times."""
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    times = ("seconds", "playing", "learning")
    return [{key: value for key, value in line.items() if key not in times} for line in lines]


class StopHere(Exception):  # noqa: N818 -- as a kill
    pass


def test_a_killed_run_continues_exactly(tmp_path):
    complete, parts = tmp_path / "whole", tmp_path / "parts"
    result = train(complete)
    stops = 0
    while True:

        def say(entry):
            raise StopHere

        try:
            again = train(parts, jobs=2 if stops == 0 else 1, say=say)
            break
        except StopHere:
            stops += 1
    assert stops == 4 and again == result and entries(parts) == entries(complete)
    one, other = (Checkpoint.load(folder / CHECKPOINT) for folder in (complete, parts))
    assert one.league == other.league and one.steps == other.steps == 4 * 8 * 24
    assert all(torch.equal(one.policy[name], other.policy[name]) for name in one.policy)
    opponents = {name for entry in entries(complete) for name in entry["opponents"]}
    assert {"aggressive", "plan"} < opponents and any(name.startswith("snapshot-") for name in opponents)
    assert {entry["players"] for entry in entries(complete)} == {2, 3}
    policy = read_turn_network(result, "policy")
    assert policy.metadata["steps"] in (2 * 8 * 24, 4 * 8 * 24)
    assert train(tmp_path / "other", replace(TINY, seed=2, iterations=1)) != result


def test_the_command_writes_a_playable_policy_and_a_report(tmp_path, capsys):
    settings = tmp_path / "turns.toml"
    start = tmp_path / "start.npz"
    start.write_bytes(pack_arrays(TurnModule(torch.Generator().manual_seed(1)).arrays()))
    settings.write_text(
        f'action = "turns"\nstart = "{start}"\nopponents = ["policy:{start}"]\nmaps = ["small"]\ncritic = "own"\n'
        'averaged = 5\nlayers = 3\neval_opponents = ["random"]\nholdout = ["aggressive"]\n'
        '[conditions]\nmap = "small"\nmax_rounds = 40\n'
    )
    out = tmp_path / "run"
    main(["train", "ppo", str(settings), "--quick", "--out", str(out), "--quiet", "--json"])
    result = json.loads(capsys.readouterr().out)
    assert [row["opponent"] for row in result["holdout"]] == ["random", "aggressive"] and result["steps"] == 256
    report = (out / "report.html").read_text()
    assert list((out / "tensorboard").glob("events.*")) and "negative entropy" in report
    assert "The parameters are the means of 2 policies between the steps 128 and 256." in report
    policies = [load_turn_network(out / f"policies/00000{number}.npz") for number in (1, 2)]
    for mean, *parts in zip(load_turn_network(out / "policy.npz"), *policies, strict=True):
        assert np.array_equal(mean, np.mean(parts, axis=0).astype(mean.dtype))
    assert layers_of(load_turn_network(start)) == 2 and [layers_of(policy) for policy in policies] == [3, 3]
    assert not np.array_equal(policies[0].main, policies[1].main)
    deep = replace(TINY, start=str(out / "policy.npz"))  # layers = 0 means as many layers as in the file
    with Journal(tmp_path / "deep", deep.to_dict()) as journal:
        assert TurnPpoRun(deep, journal).learner.module.layers == 3
    agent, game = make_agent(f"policy:{out / 'policy.npz'}", 1), Game("world", "thesis", 4, seed=3, picks="random")
    game.play_round({p: agent.act(game.view(p)) for p in range(4)})


@pytest.mark.parametrize(("changes", "says"), [
    ({"opponents": ("mcts",)}, "compiled games support .*aggressive"), ({"opponents": ("agressive",)}, "'aggressive'"),
    ({"opponents": ("policy:strategies",)}, "compiled games support"), ({"batch_size": 10_000}, "batch_size = 10000"),
    ({"maps": ()}, "maps: give at"), ({"critic": "x"}, "no value function 'x'"), ({"start": "x"}, "start: .*'x'"),
    ({"start": "x.npz"}, r"^start: x\.npz: cannot be read: .*; another run may make x\.npz: .* run first"),
    ({"opponents": ("policy:x.npz",)}, r"^opponents: .*x\.npz: .*; another run may make x\.npz: .* run first"),
    ({"layers": 9}, "layers = 9: must be at most 8"), ({"layers": -1}, "layers = -1: must be an integer from 0 up"),
    ({"layers": 1, "start": "any"}, "^layers = 1: start has 2 layers, so use at least as many"),
    ({"target_kl": 0.0}, "target_kl = 0.0"), ({"eval_opponents": ()}, "eval_opponents: give at least one"),
])  # fmt: skip
def test_invalid_settings_are_refused(changes, says):
    with pytest.raises(InputError, match=says):
        replace(TINY, **changes)


def test_an_unknown_device_is_refused(tmp_path):
    with Journal(tmp_path, TINY.to_dict()) as journal, pytest.raises(InputError, match="device 'nowhere'"):
        TurnPpoRun(TINY, journal, device="nowhere")
