"""Logs of games: what is written is what happened, what is read is what was written, verified and continued."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_agents import Cheat, Crasher, Expander, Forgetful, Idle, PickCrasher
from helpers import PRESETS, RING
from log_helpers import Both, Watcher, follow_moves, hash_of, play_logged, read_lines, read_positions, read_text
from warlight_env import maps
from warlight_env.agents import make_agent
from warlight_env.arena import AgentCrashError, play_game, play_on
from warlight_env.arena.setup import MatchError
from warlight_env.engine.orders import Orders
from warlight_env.engine.rules import Rules
from warlight_env.game import Game
from warlight_env.record import (
    GameLog,
    LogError,
    LogWriter,
    MemoryRecorder,
    ReplayError,
    game_at,
    replay,
    result_of,
    verify,
)

LOGS = Path(__file__).parent / "logs"
BOTS = ("random", "aggressive", "smart_random", "one_big_army")
GENERATED = maps.generate(18, 4, seed=3)


@st.composite
def games(draw):
    """Arguments of `play_game` for short games of bots, in all ways to play."""
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


@settings(max_examples=60)
@given(games(), st.sampled_from((".wl.jsonl", ".wl.jsonl.gz")))
def test_load_gives_what_save_was_given(tmp_path_factory, game, suffix):
    folder = tmp_path_factory.mktemp("logs")
    agents, options = game
    memory, watcher = MemoryRecorder(), Watcher()
    with LogWriter(folder / f"written{suffix}") as writer:
        play_game(agents, observer=Both(memory, watcher, writer), **options)
    log = memory.log
    log.save(folder / f"saved{suffix}")
    assert GameLog.load(folder / f"saved{suffix}") == log == GameLog.load(folder / f"written{suffix}")
    assert read_text(folder / f"saved{suffix}") == read_text(folder / f"written{suffix}")
    assert sorted(path.name for path in folder.iterdir()) == [f"saved{suffix}", f"written{suffix}"]
    assert log.complete
    assert verify(log) == []
    seen = [(s["state"]["owner"], s["state"]["army"], hash_of(Game.from_dict(s))) for s in watcher.games]
    assert list(read_positions(folder / f"written{suffix}")) == seen
    if watcher.record.rounds:
        assert result_of(log, watcher.record.rounds) == watcher.last


def test_moves_lead_from_position_to_position(tmp_path):
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


def test_replay_is_the_game(tmp_path):
    log = play_logged(tmp_path / "a.wl.jsonl", picks="agents", map="small", rules="challenge2")
    moments = list(replay(log))
    assert [m.round for m in moments] == [0] * 5 + list(range(1, len(log.rounds) + 1))
    for number in (0, 1, len(log.rounds)):
        game = game_at(log, number)
        last = [m for m in moments if m.round == number][-1]
        assert (game.owner.tolist(), game.army.tolist()) == (list(last.owner), list(last.army))
    assert game_at(log).winner == log.end.winner


# Agents' answers in odd forms


class Odd(Idle):
    """Orders in every form that the game takes."""

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
def test_a_failure_is_the_last_event(tmp_path, agent, rounds, failed_in):
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
        record = play_game(agents, "world", seed=4, picks="agents", max_rounds=5, on_crash="forfeit", observer=writer)
    log = GameLog.load(file)
    assert [(f.player, f.round) for f in log.failures] == [(0, 0), (1, 3)]
    assert (log.status, log.end.placements) == ("complete", record.placements)
    assert [line["event"] for line in read_lines(file)[1:]] == [
        "start", "picks", "failure", "round", "round", "round", "failure", "round", "round", "end",
    ]  # fmt: skip
    assert verify(log) == []
    log.save(tmp_path / "again.wl.jsonl")
    assert (tmp_path / "again.wl.jsonl").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    "change, field",
    [
        (lambda log: replace(log, end=replace(log.end, winner=0)), "winner"),
        (lambda log: replace(log, end=replace(log.end, placements=(1, 4, 2, 3))), "placements"),
        (lambda log: replace(log, end=replace(log.end, cut_off=False)), "cut_off"),
        (lambda log: replace(log, failures=log.failures[:1]), "placements"),
        (lambda log: replace(log, failures=(*log.failures, replace(log.failures[1], player=2))), "orders"),
        (lambda log: replace(log, header=replace(log.header, round_limit=500)), "round_limit"),
    ],
)
def test_the_end_of_a_game_with_forfeits_is_verified(tmp_path, change, field):
    file = tmp_path / "forfeit.wl.jsonl"
    agents = [PickCrasher(1), Crasher(2), Expander(3), Expander(4)]
    with LogWriter(file) as writer:
        play_game(agents, "world", seed=4, picks="agents", max_rounds=5, on_crash="forfeit", observer=writer)
    log = GameLog.load(file)
    assert verify(log) == []
    (difference,) = verify(change(log))
    assert difference.field.startswith(field)


def test_a_game_that_forfeits_end_before_its_limit_is_verified(tmp_path):
    file = tmp_path / "forfeit.wl.jsonl"
    with LogWriter(file) as writer:
        play_game([Crasher(1), Expander(2)], "world", seed=4, on_crash="forfeit", observer=writer)
    log = GameLog.load(file)
    assert (log.end.winner, log.end.cut_off, verify(log)) == (1, False, [])
    assert verify(replace(log, end=replace(log.end, winner=0, placements=(1, 2))))


def test_verify_says_that_a_game_was_not_stopped_at_its_limit(tmp_path):
    log = play_logged(tmp_path / "cut.wl.jsonl", map="small", max_rounds=3, seed=5)
    assert log.end.cut_off
    assert [str(d) for d in verify(replace(log, header=replace(log.header, round_limit=9)))] == [
        "round 3: round_limit: the log has 9, played again it is 3"
    ]


def test_verify_reports_rules_that_do_not_go_with_the_map(tmp_path):
    log = play_logged(tmp_path / "game.wl.jsonl", map="small", max_rounds=3, seed=5)
    crowded = replace(log, header=replace(log.header, rules=Rules.of("thesis", wastelands=2)))
    assert "this map can offer each player only" in str(verify(crowded)[0])


@pytest.mark.parametrize("agent", [Idle, Crasher])
def test_agents_of_a_game_that_is_played_on_are_closed(tmp_path, agent):
    closed = []

    class Holding(agent):
        def close(self):
            closed.append(self.seed)

    log = play_logged(tmp_path / "game.wl.jsonl", map="small", max_rounds=2)
    with contextlib.nullcontext() if agent is Idle else pytest.raises(AgentCrashError):
        play_on(log, agents=[Holding, Holding], max_rounds=4)
    assert len(closed) == 2


# Files that are not whole


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("whole") / "game.wl.jsonl"
    play_logged(file, map="small", rules="challenge2", picks="agents", seed=5)
    return file


@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_cut_off_anywhere_is_a_game_up_to_its_last_whole_round(tmp_path, whole, compressed):
    log, text = GameLog.load(whole), whole.read_bytes()
    data = gzip.compress(text) if compressed else text
    file = tmp_path / f"cut.wl.jsonl{'.gz' if compressed else ''}"
    header = text.index(b"\n") + 1
    reached = set()
    for size in (*range(0, len(data), 3 if compressed else 11), len(data)):
        file.write_bytes(data[:size])
        left = text[:size]
        if compressed:
            unpacked = gzip.zlib.decompressobj(31).decompress(data[:size])
            left = text[: len(unpacked)]
        if len(left) < header:
            with pytest.raises(LogError, match="cut off within the first line"):
                GameLog.load(file)
            continue
        cut = GameLog.load(file)
        events = left.count(b"\n") - 1
        assert (cut.start is None) == (events == 0)
        assert cut.steps == log.steps[: max(0, events - 1)]
        assert cut.complete == (left == text)
        reached.add(cut.status)
    assert reached == {"complete", "incomplete"}


def test_insights_of_a_round_that_is_missing_are_left_out(tmp_path):
    file = tmp_path / "thinking.wl.jsonl"
    log = play_logged(file, ("mcts:sims=5", "aggressive"), map="small", insight=True, max_rounds=3)
    assert all(len(r.insights) == 1 for r in log.rounds)
    lines = file.read_bytes().splitlines(keepends=True)
    last = max(i for i, line in enumerate(lines) if b'"event":"insight"' in line)
    file.write_bytes(b"".join(lines[: last + 1]))
    cut = GameLog.load(file)
    assert cut.steps == log.steps[:2] and cut.insights == ()


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda d: d.pop("map"), "line 1: 'map' is missing"),
        (lambda d: d.update(map="nowhere"), "no bundled map 'nowhere'"),
        (lambda d: d.update(map="world"), "map 'world' is another one"),
        (lambda d: d.update(map={"format": "warlight-map", "version": 1}), "line 1: map"),
        (lambda d: d.update(format="chess"), "not the log of a game"),
        (lambda d: d.update(version=2), "version 2 of the format is newer than this program, which reads up to 1"),
        (lambda d: d.update(version="1"), "'version' must be an integer from 1 up"),
        (lambda d: d.update(players=d["players"][:1]), "'players' must be 2 to 6"),
        (lambda d: d["players"][1].pop("name"), r"players\[1\]: 'name' is missing"),
        (lambda d: d["rules"].update(luck=7), "rules 'challenge2': luck"),
        (lambda d: d["rules"].update(lucky=1), "no rule 'lucky'"),
        (lambda d: d.update(seed=1.5), "'seed' must be an integer"),
        (lambda d: d.update(picks="all"), "'picks' must be"),
    ],
)
def test_a_bad_header_is_refused(tmp_path, whole, change, reason):
    lines = whole.read_text().splitlines()
    header = json.loads(lines[0])
    change(header)
    file = tmp_path / "bad.wl.jsonl"
    file.write_text("\n".join([json.dumps(header), *lines[1:], ""]))
    with pytest.raises(LogError, match=reason) as error:
        GameLog.load(file)
    assert str(file) in str(error.value)


@pytest.mark.parametrize(
    "number, change, reason",
    [
        (2, lambda d: d["owner"].append(0), "'owner' must be a list of 10"),
        (2, lambda d: d["owner"].__setitem__(3, 2), r"'owner' must be a list of integers in -1 .. 1"),
        (2, lambda d: d.update(event="round"), "'start' must come first"),
        (3, lambda d: d.update(event="start"), "'start' must come first, and once"),
        (3, lambda d: d.update(wishes=[["a"], None]), r"wishes\[0\]: must be an integer"),
        (7, lambda d: d.update(round=7), "round 7 follows round 0"),
        (7, lambda d: d.update(orders=[None]), "'orders' must be a list of 2"),
        (7, lambda d: d["orders"][0].update(deploys=[[1, 2, 3]]), r"orders\[0\]: deploys must be a list of"),
        (7, lambda d: d["orders"][0].update(attacks=[["x", 1, 2]]), r"orders\[0\]: attacks"),
        (7, lambda d: d.update(moves=[[0, 1, 2]]), r"moves\[0\]: must be a list of 4 or 7"),
        (7, lambda d: d.update(moves=[[0, 1, 10, 2]]), r"moves\[0\]: must be an integer in 0 .. 9"),
        (7, lambda d: d.update(moves=[[0, 1, 2, 2, 1, 1, 2]]), r"moves\[0\]: must be an integer in 0 .. 1"),
        (7, lambda d: d.update(changed=[[0, 0, 0]]), r"changed\[0\]: must be an integer in 1 .. "),
        (7, lambda d: d.update(dropped=[[0, "joke", 0, [], ""]]), r"dropped\[0\]: must be \[player"),
        (7, lambda d: d.pop("hash"), "'hash' is missing"),
        (7, lambda d: d.update(event="end"), "'rounds' is missing"),
        (8, lambda d: d.update(event="picks", wishes=[None, None]), "picks after the first round"),
        (-1, lambda d: d.update(rounds=1), "the game ends after 1 rounds, but"),
        (-1, lambda d: d.update(placements=[1]), "'placements' must be a list of 2"),
        (-1, lambda d: d.update(cut_off=0), "'cut_off' must be true or false"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, whole, number, change, reason):
    lines = whole.read_text().splitlines()
    at = number - 1 if number > 0 else len(lines) - 1
    event = json.loads(lines[at])
    change(event)
    file = tmp_path / "bad.wl.jsonl"
    file.write_text("\n".join([*lines[:at], json.dumps(event), *lines[at + 1 :], ""]))
    with pytest.raises(LogError, match=f"line {at + 1}: .*{reason}|line {at + 1}: {reason}"):
        GameLog.load(file)


def test_what_is_no_log_is_refused(tmp_path, whole):
    files = {
        "a.wl.jsonl": (b"{}\n", "not the log of a game"),
        "b.wl.jsonl": (b"hello\n", "line 1: not JSON"),
        "c.wl.jsonl": (b"\xff\xfe\n", "line 1: not JSON"),
        "d.wl.jsonl": (whole.read_bytes().replace(b'"event":"round"', b'"event":NaN', 1), "NaN is not a number"),
        "e.wl.jsonl.gz": (b"plain text", "compressed data is damaged"),
        "f.wl.jsonl": (b"[" * 100_000 + b"\n", "line 1: not JSON"),
        "g.json": (b"{}\n", "a game's log ends in .wl.jsonl or .wl.jsonl.gz"),
    }
    for name, (data, reason) in files.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(LogError, match=reason):
            GameLog.load(tmp_path / name)
    with pytest.raises(LogError, match="cannot be read: No such file"):
        GameLog.load(tmp_path / "missing.wl.jsonl")
    packed = bytearray(gzip.compress(whole.read_bytes()))
    packed[len(packed) // 2] ^= 255
    (tmp_path / "h.wl.jsonl.gz").write_bytes(packed)
    with pytest.raises(LogError):
        GameLog.load(tmp_path / "h.wl.jsonl.gz")


def test_unknown_keys_and_events_are_skipped(tmp_path, whole):
    lines = [json.loads(line) for line in whole.read_text().splitlines()]
    for line in lines:
        line["new"] = {"of": "a later program"}
    lines.insert(5, {"event": "weather", "sunny": True})
    file = tmp_path / "later.wl.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert GameLog.load(file) == GameLog.load(whole)


# Golden files: they must load for ever


@pytest.mark.parametrize(
    "name, status, players, rounds, facts",
    [
        ("v1-insight.wl.jsonl.gz", "complete", 2, 12, lambda log: log.end.winner == 0 and log.rounds[0].insights),
        ("v1-six.wl.jsonl", "complete", 6, 4, lambda log: log.end.cut_off and log.end.winner is None),
        ("v1-forfeit.wl.jsonl", "complete", 3, 6, lambda log: log.failures[0].player == 1 and log.steps[0].dropped),
        ("v1-failed.partial.wl.jsonl", "failed", 2, 2, lambda log: log.header.seed == 2**70 and log.failures),
    ],
)
def test_golden_files_load(tmp_path, name, status, players, rounds, facts):
    log = GameLog.load(LOGS / name)
    assert (log.status, len(log.header.players), len(log.rounds)) == (status, players, rounds)
    assert facts(log)
    log.save(tmp_path / "again.wl.jsonl")
    assert read_lines(tmp_path / "again.wl.jsonl") == read_lines(LOGS / name)


# Verifying


@pytest.mark.parametrize(
    "number, change, place",
    [
        (2, lambda d: d["army"].__setitem__(4, 9), r"before round 1: army\[4\]: the log has 9"),
        (2, lambda d: d["offers"][0].pop(), "before round 1: offers"),
        (4, lambda d: d.update(wishes=[None, [0]]), "before round 1: "),
        (7, lambda d: d.update(hash="0" * 16), "round 1: hash: the log has '0000000000000000'"),
        (8, lambda d: d["moves"][0].__setitem__(3, 77), r"round 2: moves\[0\]"),
        (8, lambda d: d["changed"].pop(), "round 2: changed"),
        (8, lambda d: d["orders"][0].update(deploys=[]), "round 2: "),
        (8, lambda d: d.update(dropped=[[0, "deploy", 0, [1, 1], "no"]]), "round 2: dropped"),
        (-1, lambda d: d.update(winner=None), "winner: the log has None"),
        (-1, lambda d: d.update(placements=[1, 1]), "placements"),
        (-1, lambda d: d.update(cut_off=True), "cut_off"),
        (1, lambda d: d.update(seed=6), "before round 1: "),
    ],
)
def test_verify_names_round_and_field_of_the_first_difference(tmp_path, whole, number, change, place):
    lines = whole.read_text().splitlines()
    at = number - 1 if number > 0 else len(lines) - 1
    event = json.loads(lines[at])
    change(event)
    file = tmp_path / "other.wl.jsonl"
    file.write_text("\n".join([*lines[:at], json.dumps(event), *lines[at + 1 :], ""]))
    assert verify(GameLog.load(whole)) == []
    (difference,) = verify(GameLog.load(file))
    assert re.search(place, str(difference)), str(difference)


def test_verify_finds_rounds_after_the_end(whole):
    log = GameLog.load(whole)
    extra = replace(log.rounds[-1], round=len(log.rounds) + 1)
    (difference,) = verify(replace(log, steps=(*log.steps, extra), end=None))
    assert difference.round == extra.round
    assert "the game's phase is 'over'" in str(difference)


# Going on


class Scripted(Idle):
    """Plays what a log says."""

    def __init__(self, log: GameLog, player: int) -> None:
        self.log, self.player = log, player

    def act(self, view, budget=None):
        return self.log.rounds[view.round].orders[self.player]


def test_a_game_goes_on_as_it_did(whole, tmp_path):
    log = GameLog.load(whole)
    for number in (0, 3, len(log.rounds) - 1):
        again = play_on(log, number, [lambda _, p=p: Scripted(log, p) for p in range(2)], path=tmp_path / "c.wl.jsonl")
        assert again.steps == log.steps
        assert again.end == log.end
        assert GameLog.load(tmp_path / "c.wl.jsonl") == again
        assert again.header.continues.rounds == number
        assert again.header.continues.players == ("random", "aggressive")


def test_other_agents_go_on_from_there(whole):
    log = GameLog.load(whole)
    for agents in (["one_big_army", "random"], None):
        other = play_on(log, 4, agents, seed=3)
        assert other.rounds[:4] == log.rounds[:4]
        assert other.rounds[4].orders != log.rounds[4].orders
        assert verify(other) == []
        assert other == play_on(log, 4, agents, seed=3)
    assert other.names == log.names


def test_what_cannot_go_on(tmp_path, whole):
    log = GameLog.load(whole)
    with pytest.raises(MatchError, match="the game is over after round"):
        play_on(log)
    with pytest.raises(LogError, match="round 99: the log has rounds 0 to"):
        play_on(log, 99)
    with pytest.raises(MatchError, match="1 agents for a game of 2 players"):
        play_on(log, 3, ["random"])
    with pytest.raises(MatchError, match="max_rounds = 2: the game is after round 3"):
        play_on(log, 3, max_rounds=2)
    first = replace(log.rounds[0], hash="0" * 16)
    with pytest.raises(ReplayError, match="round 1: hash"):
        play_on(replace(log, steps=(*log.steps[:4], first, *log.steps[5:])), 3)
    with pytest.raises(LogError, match="cut off before the first round"):
        play_on(replace(log, steps=log.steps[:3], end=None))
    memory = MemoryRecorder()
    play_game([Expander(1), Expander(2)], RING, max_rounds=3, observer=memory)
    with pytest.raises(MatchError, match="player 1, 'expander', is no agent that can be made again"):
        play_on(memory.log, 2)
    for most in (5, None):  # past the old limit
        assert 3 < play_on(memory.log, agents=["random", "random"], max_rounds=most).end.rounds <= (most or 500)


# What agents thought


class Thinker(Idle):
    """Tells what it thought."""

    name = "thinker"
    thought: object = {"mood": "fine"}

    def insight(self):
        return self.thought


def test_agents_tell_what_they_thought():
    memory = MemoryRecorder(insight=True)
    play_game([Thinker(1), Idle(2)], "small", picks="agents", max_rounds=2, observer=memory)
    assert [[(i.player, i.data) for i in step.insights] for step in memory.log.steps] == [[(0, {"mood": "fine"})]] * 3


@pytest.mark.parametrize("thought", [{"x": float("nan")}, {"x": object()}, {1: set()}])
def test_thoughts_that_are_no_plain_data_are_refused(thought):
    agent = Thinker(1)
    agent.thought = thought
    with pytest.raises(LogError, match="agent 'thinker': its insight is not plain data"):
        play_game([agent, Idle(2)], "small", max_rounds=2, observer=MemoryRecorder(insight=True))


def test_a_search_tells_its_candidates_and_what_regions_are_worth():
    from warlight_env.agents.evaluation import explain
    from warlight_env.notation import parse_orders

    agents = [make_agent("mcts:sims=25,picks=search", 1), make_agent("aggressive", 2)]
    memory, watcher = MemoryRecorder(insight=True), Watcher()
    play_game(agents, "small", seed=3, picks="agents", max_rounds=4, observer=Both(memory, watcher))
    log = memory.log
    picks, *rounds = log.steps
    assert picks.insights[0].data["candidates"][0]["picks"] == list(picks.wishes[0])
    for number, step in enumerate(rounds):
        (insight,) = step.insights
        data = insight.data
        assert data["simulations"] == [25]
        assert sum(c["visits"] for c in data["candidates"]) == 25
        assert all(0 <= c["value"] <= 1 for c in data["candidates"])
        assert parse_orders(log.header.map, data["candidates"][0]["orders"]) == step.orders[0]
        before = Game.from_dict(watcher.games[1 + number])
        assert data["regions"] == pytest.approx([t.value for t in explain(before, 0)], rel=1e-3)
