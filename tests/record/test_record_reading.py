"""Reading logs: truncated and damaged files, files that are not logs, logs of other programs, and reference logs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from log_helpers import play_logged, read_lines
from warlight_env.record import (
    GameLog,
    LogError,
)

LOGS = Path(__file__).parents[1] / "logs"


# Incomplete files


@pytest.mark.parametrize("compressed", [False, True])
def test_a_truncated_file_contains_the_game_up_to_its_last_complete_round(tmp_path, whole, compressed):
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


def test_insights_of_an_incomplete_round_are_dropped(tmp_path):
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
        (lambda d: d.update(map="world"), "map 'world' differs from the map of the file"),
        (lambda d: d.update(map={"format": "warlight-map", "version": 1}), "line 1: map"),
        (lambda d: d.update(format="chess"), "not the log of a game"),
        (lambda d: d.update(version=2), "the log has version 2, but this program reads only versions up to 1"),
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
        (2, lambda d: d["owner"].append(0), "'owner' must be a list with 10 elements"),
        (2, lambda d: d["owner"].__setitem__(3, 2), r"'owner' must be a list of integers in -1 .. 1"),
        (2, lambda d: d.update(event="round"), "the first event must be 'start'"),
        (3, lambda d: d.update(event="start"), "the first event must be 'start', and 'start' must not come again"),
        (3, lambda d: d.update(wishes=[["a"], None]), r"wishes\[0\]: must be an integer"),
        (3, lambda d: d.update(wishes=[[10**30], None]), r"wishes\[0\]: must be an integer in -9\d+ .. 9\d+, not 10+"),
        (3, lambda d: d.update(wishes=[[-(2**63) - 1], None]), r"wishes\[0\]: must be an integer"),
        (7, lambda d: d.update(round=7), "must be round 1, not round 7"),
        (7, lambda d: d.update(orders=[None]), "'orders' must be a list with 2 elements"),
        (7, lambda d: d["orders"][0].update(deploys=[[1, 2, 3]]), r"orders\[0\]: deploys must be a list of"),
        (7, lambda d: d["orders"][0].update(attacks=[["x", 1, 2]]), r"orders\[0\]: attacks"),
        (7, lambda d: d.update(moves=[[0, 1, 2]]), r"moves\[0\]: must be a list with 4 or 7 elements"),
        (7, lambda d: d.update(moves=[[0, 1, 10, 2]]), r"moves\[0\]: must be an integer in 0 .. 9"),
        (7, lambda d: d.update(moves=[[0, 1, 2, 2, 1, 1, 2]]), r"moves\[0\]: must be an integer in 0 .. 1"),
        (7, lambda d: d.update(changed=[[0, 0, 0]]), r"changed\[0\]: must be an integer in 1 .. "),
        (7, lambda d: d.update(dropped=[[0, "joke", 0, [], ""]]), r"dropped\[0\]: must be \[player"),
        (7, lambda d: d.pop("hash"), "'hash' is missing"),
        (7, lambda d: d.update(event="end"), "'rounds' is missing"),
        (8, lambda d: d.update(event="picks", wishes=[None, None]), "picks after the first round"),
        (-1, lambda d: d.update(rounds=1), "the game ends after 1 rounds, but"),
        (-1, lambda d: d.update(placements=[1]), "'placements' must be a list with 2 elements"),
        (-1, lambda d: d.update(cut_off=0), "'cut_off' must be true or false"),
    ],
)
def test_the_error_names_the_damaged_line(tmp_path, whole, number, change, reason):
    lines = whole.read_text().splitlines()
    at = number - 1 if number > 0 else len(lines) - 1
    event = json.loads(lines[at])
    change(event)
    file = tmp_path / "bad.wl.jsonl"
    file.write_text("\n".join([*lines[:at], json.dumps(event), *lines[at + 1 :], ""]))
    with pytest.raises(LogError, match=f"line {at + 1}: .*{reason}|line {at + 1}: {reason}"):
        GameLog.load(file)


def test_files_that_are_not_logs_are_refused(tmp_path, whole):
    files = {
        "a.wl.jsonl": (b"{}\n", "not the log of a game"),
        "b.wl.jsonl": (b"hello\n", "line 1: not JSON"),
        "c.wl.jsonl": (b"\xff\xfe\n", "line 1: not JSON"),
        "d.wl.jsonl": (whole.read_bytes().replace(b'"event":"round"', b'"event":NaN', 1), "NaN is not a number"),
        "i.wl.jsonl": (
            whole.read_bytes().replace(b'"seed":', b'"seed":1,"seed":', 1),
            "key 'seed' occurs twice in one",
        ),
        "j.wl.jsonl": (
            whole.read_bytes().replace(b'"parameters":{', b'"parameters":{"x":1e999,', 1),
            "1e999 is too large",
        ),
        "e.wl.jsonl.gz": (b"plain text", "compressed data is damaged"),
        "f.wl.jsonl": (b"[" * 100_000 + b"\n", "line 1: not JSON"),
        "g.json": (b"{}\n", "the name of a log must end in .wl.jsonl or .wl.jsonl.gz"),
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


# Reference logs of format version 1 must stay readable


@pytest.mark.parametrize(
    "name, status, players, rounds, facts",
    [
        ("v1-insight.wl.jsonl.gz", "complete", 2, 12, lambda log: log.end.winner == 0 and log.rounds[0].insights),
        ("v1-six.wl.jsonl", "complete", 6, 4, lambda log: log.end.cut_off and log.end.winner is None),
        ("v1-forfeit.wl.jsonl", "complete", 3, 6, lambda log: log.failures[0].player == 1 and log.steps[0].dropped),
        ("v1-failed.partial.wl.jsonl", "failed", 2, 2, lambda log: log.header.seed == 2**70 and log.failures),
    ],
)
def test_reference_logs_load(tmp_path, name, status, players, rounds, facts):
    log = GameLog.load(LOGS / name)
    assert (log.status, len(log.header.players), len(log.rounds)) == (status, players, rounds)
    assert facts(log)
    log.save(tmp_path / "again.wl.jsonl")
    assert read_lines(tmp_path / "again.wl.jsonl") == read_lines(LOGS / name)
