"""Game logs: they agree with the game, with failures and insights, and reading returns the written data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_agents import Cheat, Crasher, Expander, Forgetful, Idle, PickCrasher
from helpers import PRESETS
from log_helpers import (
    Both,
    RecordingObserver,
    follow_moves,
    hash_of,
    play_logged,
    read_lines,
    read_positions,
    read_text,
)
from warlight_env import maps
from warlight_env.agents import make_agent
from warlight_env.arena import AgentCrashError, Match, PlayOptions, play_game
from warlight_env.arena.games.game_setup import MatchError
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.record import (
    GameLog,
    LogError,
    LogWriter,
    MemoryRecorder,
    Player,
    game_at,
    replay,
    result_of,
    verify,
)

BOTS = ("random", "aggressive", "smart_random", "one_big_army")
GENERATED = maps.generate(18, 4, seed=3)


@st.composite
def games(draw):
    """Generate arguments of `play_game` for short games of bots, with all ways to pick."""
    players = draw(st.integers(2, 6))
    map_ = draw(st.sampled_from(["world", "small", GENERATED] if players <= 2 else ["world"]))
    preset = draw(st.sampled_from(PRESETS if map_ == "world" else ("thesis",)))
    dealt = {"picking": "dealt", "offers_per_super_region": 0} if draw(st.integers(0, 4)) == 0 else {}
    rules = Rules.of(preset, name=draw(st.text(max_size=8)), fog=draw(st.booleans()), picks=2, **dealt)
    specs = draw(st.lists(st.sampled_from(BOTS), min_size=players, max_size=players))
    seed = draw(st.integers(-(2**70), 2**70))
    options = {
        "map": map_, "rules": rules, "seed": seed, "picks": draw(st.sampled_from(("random", "agents"))),
        "max_rounds": draw(st.integers(1, 6)),
    }  # fmt: skip
    return [make_agent(spec, i) for i, spec in enumerate(specs)], options


@settings(max_examples=12)
@given(games(), st.sampled_from((".wl.jsonl", ".wl.jsonl.gz")))
def test_load_returns_the_saved_log(tmp_path_factory, game, suffix):
    folder = tmp_path_factory.mktemp("logs")
    agents, options = game
    memory, watcher = MemoryRecorder(), RecordingObserver()
    with LogWriter(folder / f"written{suffix}") as writer:
        play_game(agents, observer=Both(memory, watcher, writer), **options)
    log = memory.log
    log.save(folder / f"saved{suffix}")
    assert GameLog.load(folder / f"saved{suffix}") == log == GameLog.load(folder / f"written{suffix}")
    assert read_text(folder / f"saved{suffix}") == read_text(folder / f"written{suffix}")
    assert sorted(path.name for path in folder.iterdir()) == [f"saved{suffix}", f"written{suffix}"]
    assert log.complete
    assert verify(log) == []
    expected = [(s["state"]["owner"], s["state"]["army"], hash_of(Game.from_dict(s))) for s in watcher.games]
    assert list(read_positions(folder / f"written{suffix}")) == expected
    if watcher.record.rounds:
        assert result_of(log, watcher.record.rounds) == watcher.last


@pytest.mark.parametrize("seed", [10**299 - 1, 1 - 10**299], ids=["highest", "lowest"])
def test_the_longest_seeds_are_written_and_read(tmp_path, seed):
    match = Match(["random", "random"], map="small", seed=seed, games=1, max_rounds=1)
    match.run(folder=tmp_path / "run")
    assert match.run(folder=tmp_path / "run").games == 1
    with pytest.raises(MatchError, match="fewer than 300 digits"):
        Match(["random", "random"], map="small", seed=seed * 10, games=1)
    recorder = MemoryRecorder([Player("Ann"), Player("Bo")])
    recorder.began(Game("small", seed=seed, picks="random"), [], 100)
    recorder.log.save(tmp_path / "game.wl.jsonl")
    assert GameLog.load(tmp_path / "game.wl.jsonl").header.seed == seed


def test_moves_transform_each_position_into_the_next(tmp_path):
    for number, rules in enumerate(PRESETS):
        file = tmp_path / f"{number}.wl.jsonl"
        play_logged(file, ("random", "one_big_army", "random"), seed=number, rules=rules, picks="agents", max_rounds=12)
        positions, before, rounds = read_positions(file), None, 0
        for event in read_lines(file)[1:]:
            if event["event"] in ("start", "picks", "round"):
                owner, army, _ = next(positions)
                if event["event"] == "round":
                    assert before is not None
                    follow_moves(event, *before)
                    assert before == (owner, army)
                    rounds += 1
                before = (owner, army)
        assert rounds > 5


def test_replay_reproduces_the_game(tmp_path):
    log = play_logged(tmp_path / "a.wl.jsonl", picks="agents", map="small", rules="challenge2")
    moments = list(replay(log))
    assert [m.round for m in moments] == [0] * 5 + list(range(1, len(log.rounds) + 1))
    for number in (0, 1, len(log.rounds)):
        game = game_at(log, number)
        last = [m for m in moments if m.round == number][-1]
        assert (game.owner.tolist(), game.army.tolist()) == (list(last.owner), list(last.army))
    assert game_at(log).winner == log.end.winner


# Unusual types in the answers of agents


class Odd(Idle):
    """Return orders in every form that the game accepts."""

    def __init__(self, turn: int) -> None:
        self.turn = turn

    def pick(self, view):
        return np.array(view.offers[::-1])

    def act(self, view, budget=None):
        own = next(r for r, by in enumerate(view.owner) if by == view.player)
        near = view.map.neighbors[own][0]
        return (
            Orders(np.array([[own, 2]]), np.array([(own, near, 1)])),
            Orders([(np.int64(own), 2)], [(own, np.int32(near), 1)]),
            Orders([(own, True)], [[own, near, True]]),
            Orders([[]], [()]),
            Orders((), np.zeros((0, 3))),
            Orders([(own, 2**80)], [(own, near, -(2**80))]),
            Orders(((own, 1), (own, 1)), ((own, near, 1),)),
        )[self.turn]


@pytest.mark.parametrize("turn", range(7))
def test_orders_of_any_form_are_logged_as_integers(tmp_path, turn):
    file = tmp_path / "odd.wl.jsonl"
    memory = MemoryRecorder()
    with LogWriter(file) as writer:
        play_game([Odd(turn), Odd(turn)], "small", seed=2, picks="agents", max_rounds=2, observer=Both(memory, writer))
    log = GameLog.load(file)
    assert log == memory.log
    assert verify(log) == []
    lines = read_lines(file)
    assert all(type(region) is int for wish in lines[2]["wishes"] for region in wish)
    for orders in lines[3]["orders"]:
        assert all(len(row) == 2 and set(map(type, row)) == {int} for row in orders["deploys"])
        assert all(len(row) == 3 and set(map(type, row)) == {int} for row in orders["attacks"])


def test_illegal_orders_and_picks_are_logged_with_their_reasons(tmp_path):
    file = tmp_path / "cheat.wl.jsonl"
    with LogWriter(file) as writer:
        record = play_game([Cheat(1), Idle(2)], "small", seed=2, picks="agents", max_rounds=2, observer=writer)
    log = GameLog.load(file)
    assert sum(len(step.dropped) for step in log.steps) == record.dropped[0] == 5
    assert log.steps[0].dropped[0].order == (10_000,)
    assert verify(log) == []


# Failures


@pytest.mark.parametrize("agent, rounds, failed_in", [(Crasher, 2, 3), (PickCrasher, 0, 0), (Forgetful, 0, 1)])
def test_a_failure_is_the_last_event_of_a_log(tmp_path, agent, rounds, failed_in):
    file = tmp_path / "failed.wl.jsonl.gz"
    with pytest.raises(AgentCrashError), LogWriter(file) as writer:
        play_game([Idle(1), agent(2)], "small", picks="agents", observer=writer)
    assert not file.exists()
    log = GameLog.load(tmp_path / "failed.partial.wl.jsonl")
    assert (log.status, len(log.rounds)) == ("failed", rounds)
    assert [(f.player, f.round) for f in log.failures] == [(1, failed_in)]
    assert verify(log) == []
    log.save(tmp_path / "again.wl.jsonl")
    assert GameLog.load(tmp_path / "again.wl.jsonl") == log


def test_forfeits_are_logged_and_the_game_goes_on(tmp_path):
    file = tmp_path / "forfeit.wl.jsonl"
    agents = [PickCrasher(1), Crasher(2), Expander(3), Expander(4)]
    with LogWriter(file) as writer:
        options = PlayOptions(on_crash="forfeit")
        record = play_game(agents, "world", seed=4, picks="agents", max_rounds=5, options=options, observer=writer)
    log = GameLog.load(file)
    assert [(f.player, f.round) for f in log.failures] == [(0, 0), (1, 3)]
    assert (log.status, log.end.placements) == ("complete", record.placements)
    assert [line["event"] for line in read_lines(file)[1:]] == [
        "start", "picks", "failure", "round", "round", "round", "failure", "round", "round", "end",
    ]  # fmt: skip
    assert verify(log) == []
    log.save(tmp_path / "again.wl.jsonl")
    assert (tmp_path / "again.wl.jsonl").read_bytes() == file.read_bytes()


# Insights of agents


class InsightAgent(Idle):
    """Return a constant from `insight`."""

    name = "thinker"
    thought: object = {"mood": "fine", "error": "only the recorder writes this key", "faults": []}

    def insight(self):
        return self.thought


def test_insights_of_agents_are_logged():
    memory = MemoryRecorder(insight=True)
    play_game([InsightAgent(1), Idle(2)], "small", picks="agents", max_rounds=2, observer=memory)
    assert [[(i.player, i.data) for i in step.insights] for step in memory.log.steps] == [[(0, {"mood": "fine"})]] * 3


@pytest.mark.parametrize("thought", [{"x": float("nan")}, {"x": object()}, {1: set()}])
def test_insights_that_are_not_plain_data_are_refused(thought):
    agent = InsightAgent(1)
    agent.thought = thought
    with pytest.raises(LogError, match="agent 'thinker': the result of `insight` is not plain data"):
        play_game([agent, Idle(2)], "small", max_rounds=2, observer=MemoryRecorder(insight=True))


def test_a_search_logs_its_candidates_and_region_values():
    from warlight_env.agents.evaluation.static_evaluation import explain
    from warlight_env.agents.weights import DEFAULT
    from warlight_env.notation import parse_orders

    agents = [make_agent("mcts:sims=25,picks=search", 1), make_agent("aggressive", 2)]
    memory, watcher = MemoryRecorder(insight=True), RecordingObserver()
    play_game(agents, "small", seed=3, picks="agents", max_rounds=4, observer=Both(memory, watcher))
    log = memory.log
    picks, *rounds = log.steps
    assert picks.insights[0].data["candidates"][0]["picks"] == list(picks.preferences[0])
    for number, step in enumerate(rounds):
        (insight,) = step.insights
        data = insight.data
        assert data["simulations"] == [12] and data["trials"] == 13
        assert sum(c["visits"] for c in data["candidates"] if not c.get("refined")) == 12
        assert all(0 <= c["value"] <= 1 for c in data["candidates"])
        assert parse_orders(log.header.map, data["candidates"][0]["orders"]) == step.orders[0]
        before = Game.from_dict(watcher.games[1 + number])
        assert data["regions"] == pytest.approx([t.value for t in explain(before, 0, DEFAULT)], rel=1e-3)
