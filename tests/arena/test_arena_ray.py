"""Games on a Ray cluster of two nodes: the same results, even if a node is killed during the match."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from arena_agents import Expander, Fragile, KillerSource, Slow
from warlight_env.arena import AgentCrashError, Contest, Match, MatchError, Sprt, play_contests
from warlight_env.cli import main
from warlight_env.errors import RunError

ray = pytest.importorskip("ray", reason="needs the extra ray")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture
def cluster(monkeypatch):
    """A Ray cluster: a head without CPUs and two nodes with one CPU each."""
    from ray.cluster_utils import Cluster

    helpers = str(Path(__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.environ.get("PYTHONPATH", ""), helpers]))
    # These settings detect a dead node within seconds; Ray's defaults need minutes.
    health = {"initial_delay_ms": 0, "period_ms": 500, "timeout_ms": 2000, "failure_threshold": 3}
    config = {f"health_check_{key}": value for key, value in health.items()}
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": config}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


def match(agents=(Expander, "random"), **kwargs):
    return Match(agents, **{"map": "small", "games": 40, **kwargs})


def test_a_cluster_gives_the_results_of_a_local_match(cluster, capsys):
    address = cluster[0].address
    ray.init(address, log_to_driver=False)
    assert match(paired=True).run(backend="ray").agents == match(paired=True).run().agents
    assert match().run(backend="ray").records == match().run().records
    assert match(jobs=1).run(backend="ray").records == match().run().records
    test = {"games": 2000, "paired": True, "stop": Sprt(0, 100), "agents": ("aggressive", "smart_random")}
    assert match(**test).run(backend="ray").records == match(**test).run().records
    contests = [Contest(f"seed {seed}", match(seed=seed).setup(), 10) for seed in (3, 4)]
    assert play_contests(contests, backend="ray") == play_contests(contests)
    ray.shutdown()
    command = ["match", "random", "aggressive", "-n", "20", "--map", "small", "-q"]
    assert main([*command, "--backend", "ray", "--ray-address", address]) == 0
    remote = capsys.readouterr().out.splitlines()
    assert main(command) == 0
    assert capsys.readouterr().out.splitlines()[:-1] == remote[:-1], "all but the speed"


def test_a_node_killed_during_the_match_does_not_change_results(cluster, tmp_path, caplog):
    nodes, (doomed, _) = cluster
    ray.init(nodes.address, log_to_driver=False)
    match_ = match((Slow, "random"), games=24, max_rounds=12)
    numbers: list[int] = []

    def kill(records):
        before = len(numbers)
        numbers.extend(record.number for record in records)
        if before < 6 <= len(numbers):
            nodes.remove_node(doomed, allow_graceful=False)

    with caplog.at_level(logging.WARNING, "warlight_env.arena.backends.ray_backend"):
        result = match_.run(kill, backend="ray", folder=tmp_path)
    assert "a worker was lost; the games are played again" in caplog.text, "it was at work when it was killed"
    assert not doomed.any_processes_alive()
    assert not result.interrupted and sorted(numbers) == list(range(24)), "every game once"
    assert result.records == match_.run().records
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 24


def test_a_node_can_replace_all_other_nodes(cluster):
    nodes, both = cluster
    ray.init(nodes.address, log_to_driver=False)
    match_ = match((Slow, "random"), games=12, max_rounds=12)
    left = list(both)

    def replace(records):
        if left:
            nodes.add_node(num_cpus=2)
            while left:
                nodes.remove_node(left.pop(), allow_graceful=False)

    assert match_.run(replace, backend="ray").records == match_.run().records


def test_a_worker_that_dies_is_replaced(cluster, tmp_path):
    ray.init(cluster[0].address, log_to_driver=False)
    source = KillerSource(str(tmp_path / "flag"), once=True)
    result = match((source, "random"), games=10).run(backend="ray")
    assert (tmp_path / "flag").exists()
    assert result.records == match((Expander, "random"), games=10).run().records


def test_games_that_kill_every_worker_end_the_match_with_an_error(cluster, tmp_path):
    ray.init(cluster[0].address, log_to_driver=False)
    source = KillerSource(str(tmp_path / "flag"), once=False)
    with pytest.raises(RunError, match="the worker was lost 5 times"):
        match((source, "random"), games=10).run(backend="ray")


def test_agent_failures_on_a_cluster_are_reported_unchanged(cluster):
    ray.init(cluster[0].address, log_to_driver=False)
    match_ = match((Fragile, "random"), games=60, on_crash="stop")
    with pytest.raises(AgentCrashError, match="ZeroDivisionError: nothing left"):
        match_.run(backend="ray")
    forfeits = match((Fragile, "random"), games=60, on_crash="forfeit")
    assert forfeits.run(backend="ray").records == forfeits.run().records


def test_an_interrupted_match_keeps_its_games_and_continues(cluster, tmp_path):
    ray.init(cluster[0].address, log_to_driver=False)

    def interrupt(records):
        raise KeyboardInterrupt

    result = match(games=4000).run(interrupt, backend="ray", folder=tmp_path)
    assert result.interrupted and 0 < result.games < 4000
    assert match(games=4000).run(backend="ray", folder=tmp_path).records == match(games=4000).run().records


def test_agents_that_cannot_be_sent_to_a_cluster_raise_an_error(cluster, monkeypatch):
    from warlight_env.agents import register, registry

    ray.init(cluster[0].address, log_to_driver=False)
    with pytest.raises(MatchError, match="cannot be sent"):
        match((lambda seed: Expander(seed), "random")).run(backend="ray")
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._registered_agents()))
    register("only-here", lambda: Expander, "registered at run time")
    with pytest.raises(MatchError, match="run time"):
        match(("only-here", "random")).run(backend="ray")


def test_an_unreachable_cluster_is_an_error(capsys):
    command = ["match", "random", "random", "-n", "2", "-q", "--backend", "ray", "--ray-address", "127.0.0.1:1"]
    assert main(command) == 1
    assert "cannot connect to Ray at 127.0.0.1:1" in capsys.readouterr().err
