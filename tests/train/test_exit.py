"""Expert iteration of turn networks: its targets are playable turns, and a run is reproducible and resumable."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from warlight_env.agents import make_agent
from warlight_env.agents.records.turn_record import SHAPES, make_turn_network
from warlight_env.agents.turn_net.turn_network_file import read_turn_network
from warlight_env.arena.backends.backend import LocalBackend
from warlight_env.errors import InputError, RunError
from warlight_env.game import Game
from warlight_env.train.common.conditions import Conditions
from warlight_env.train.common.expert_iteration import pack_samples, unpack_samples
from warlight_env.train.common.game_configs import GameConfigs
from warlight_env.train.common.journal import Journal
from warlight_env.train.exit import run as trainer
from warlight_env.train.exit.expert_turns import ExpertTurns
from warlight_env.train.exit.games import ExpertGames, teaching
from warlight_env.train.exit.run import ExitRun, fit_turns
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.turn_net.module import TurnModule

TINY = ExitSettings(
    iterations=2, games=6, seat_agents=("expert", "network", "random"), maps=("small", "generated:12:3"),
    players=(0.6, 0.4), max_rounds=15, candidates=6, samples=2, steps=25, batch_size=16, gate_pairs=1,
    gate_threshold=0.0, holdout_pairs=1, holdout=("random",), conditions=Conditions("small", max_rounds=40),
)  # fmt: skip


def train(folder, settings=TINY, jobs=1, say=lambda entry: None):
    with Journal(folder, settings.to_dict()) as journal:
        return ExitRun(settings, journal, jobs, say=say).run()


def entries(folder):
    """Return the journal without times."""
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def targets(settings, network, seed, numbers, jobs=1, backend="local"):
    with teaching(ExpertGames(settings, network, seed), jobs, backend) as teach:
        return teach(numbers)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Train without interruptions, with the games in several parts, and return the folder and the network."""
    folder = tmp_path_factory.mktemp("run") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "GAMES_PART", 5)
        network = train(folder)
    return folder, network


@pytest.fixture(scope="module")
def turns():
    return GameConfigs(TINY), targets(TINY, b"", 5, range(20))


def test_targets_belong_to_played_positions_and_are_possible_turns(turns):
    configs, taught = turns
    assert {configs[at].players for at in taught.config_index} == {2, 3}
    attacking: list[bool] = []
    for at in set(taught.config_index.tolist()):
        config = configs[at]
        rows, games = taught.of_config(at, config.players)
        n, e = config.board.n_regions, config.board.n_edges
        assert rows.owner.shape == (len(games), n) and rows.row.shape == (len(games), n + 2 * e)
        assert (rows.value.sum(axis=1) <= 1).all()
        mine = rows.owner == rows.player[:, None]
        assert mine.any(axis=1).all(), "who is out is taught nothing"
        assert (rows.row[:, :n][~mine] == 0).all() and (rows.row[:, :n].max(axis=1) == 4).all(), "an income each round"
        source = np.asarray(config.board.edge_source)
        assert (rows.row[:, n : n + e][~mine[:, source]] == 0).all(), "attacks leave own regions"
        attacking.extend((rows.row[:, n : n + e] > 0).any(axis=1))
    assert np.mean(attacking) > 0.5, "most turns attack"
    assert len({(g, r, p) for g, r, p in zip(taught.game, taught.round, taught.player, strict=True)}) == len(
        taught.config_index
    )


def test_targets_do_not_depend_on_threads_and_parts(turns):
    _, taught = turns
    parts = [targets(TINY, b"", 5, numbers, jobs=2) for numbers in (range(11), range(11, 20))]
    joined, read = ExpertTurns.joined(parts), unpack_samples(ExpertTurns, pack_samples(taught))
    assert pack_samples(joined) == pack_samples(taught) == pack_samples(read)
    assert pack_samples(targets(TINY, b"", 6, range(20))) != pack_samples(taught)


@pytest.mark.usefixtures("forked_workers")
def test_targets_do_not_depend_on_worker_processes(turns):
    taught = targets(TINY, b"", 5, range(20), jobs=2, backend=LocalBackend())
    assert pack_samples(taught) == pack_samples(turns[1])


def test_an_exception_in_one_game_ends_the_others(monkeypatch):
    monkeypatch.setattr(ExpertGames, "play", lambda self, number, stop=None: 1 // (number - 3))
    with pytest.raises(ZeroDivisionError):
        targets(TINY, b"", 5, range(30), backend=LocalBackend())


def test_the_expert_gives_the_targets_for_positions_of_the_network(whole):
    """For a seat that the network plays, the network reaches the positions and the expert gives the targets."""
    _, network = whole
    played = {
        seats: targets(replace(TINY, seat_agents=seats), network, 5, range(4)) for seats in (("network",), ("expert",))
    }
    by_network, by_expert = played.values()
    first = [taught.round == 0 for taught in played.values()]
    assert np.array_equal(by_network.config_index[first[0]], by_expert.config_index[first[1]])
    assert len(by_network.config_index) > 8 and pack_samples(by_network) != pack_samples(by_expert)


def test_a_fit_learns_and_starts_from_the_given_network(turns):
    configs, taught = turns
    long, short = (fit_turns(replace(TINY, steps=steps, batch_size=64), configs, taught, 1) for steps in (200, 1))
    assert long.held_out < 0.8 * short.held_out and long.trained < 0.8 * short.trained
    start = read_turn_network(trainer.pack_arrays(long.arrays), "x").network
    continued = fit_turns(replace(TINY, steps=1, learning_rate=1e-9), configs, taught, 1, start)
    assert all(np.allclose(continued.arrays[name], long.arrays[name], atol=1e-6) for name in SHAPES)
    deep = TurnModule(torch.Generator().manual_seed(1), layers=3)
    deep.copy_network(start)
    continued = fit_turns(replace(TINY, steps=1), configs, taught, 1, make_turn_network(deep.arrays()))
    assert len(continued.arrays["own"]) == 3
    with pytest.raises(RunError, match="held-out games"):
        fit_turns(TINY, configs, taught._replace(game=np.zeros_like(taught.game)), 1)


class StopHere(Exception):  # noqa: N818 -- as a kill
    pass


def test_a_killed_run_continues_exactly(whole, tmp_path, monkeypatch):
    """Stop the run after every second step."""
    folder, network = whole
    monkeypatch.setattr(trainer, "GAMES_PART", 5)
    stops = 0
    while True:
        reported = []

        def say(entry, reported=reported):
            reported.append(entry)
            if len(reported) == 2:
                raise StopHere

        try:
            again = train(tmp_path, jobs=2 if stops == 0 else 1, say=say)
            break
        except StopHere:
            stops += 1
    assert again == network and entries(tmp_path) == entries(folder)
    assert stops == len(entries(folder)) // 2 > 2


def test_the_result_depends_on_the_seed(whole, tmp_path):
    assert train(tmp_path, replace(TINY, seed=2)) != whole[1]


def test_a_network_that_fails_the_gate_is_rejected(tmp_path, monkeypatch):
    row = {"games": 2, "score": 0.4, "interval": [0.1, 0.7]}
    monkeypatch.setattr(ExitRun, "play_gate", lambda *_: row)
    assert train(tmp_path, replace(TINY, gate_threshold=0.5)) == (tmp_path / "network-1.npz").read_bytes()
    assert [entry["accepted"] for entry in entries(tmp_path) if entry["event"] == "gate"] == [False]


def test_the_final_network_plays_and_stores_its_origin(whole, tmp_path):
    folder, network = whole
    with Journal(folder, TINY.to_dict()) as journal:
        result = ExitRun(TINY, journal).finish(network)
    file = folder / ExitRun.artifact_name
    policy = read_turn_network(file.read_bytes(), "policy")
    assert policy.metadata["games"] == result["games"] == 12 and policy.metadata["holdout"] == result["holdout"]
    assert "score in the gate" in (folder / "report.md").read_text()
    for spec in (f"policy:{file}", f"nash:sims=60,net={file}"):
        agent = make_agent(spec, 1)
        for map_, players in (("small", 2), ("world", 4)):
            game = Game(map_, "thesis", players, seed=3, picks="random")
            for _ in range(3):
                game.play_round({p: agent.act(game.view(p)) for p in range(players)})


@pytest.mark.parametrize(("changes", "says"), [
    ({"seat_agents": ("random",)}, "seat_agents = .*expert or network"), ({"samples": 0}, "samples = 0"),
    ({"maps": ()}, "maps: give at least one"), ({"players": (2.0,)}, "players = "),
    ({"policy_temperature": -1.0}, "policy_temperature = -1.0"),
    ({"learning_rate": 0.0}, "learning_rate = 0.0"), ({"candidates": 201}, "candidates = 201: must be at most 200"),
    ({"value": "x"}, "no value function 'x'"), ({"holdout": ("nobody",)}, "nobody"),
    ({"gate_threshold": 1.5}, "gate_threshold"),
])  # fmt: skip
def test_invalid_settings_are_refused(changes, says):
    with pytest.raises(InputError, match=says):
        replace(TINY, **changes)
