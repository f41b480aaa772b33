"""The index of a folder's logs: it always matches the folder, and only changed files are read again."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from log_helpers import play_logged, read_lines
from warlight_env.arena import Match
from warlight_env.record import GameLog, LogError, LogIndex
from warlight_env.record.index import NAME


def list_folder(folder: Path) -> tuple[list, int, list[str]]:
    """Return the entries of a folder, the number of logs read for it, and the notices."""
    with LogIndex(folder) as index:
        read = index.refresh()
        return index.entries(), read, index.notices


@pytest.fixture
def folder(tmp_path) -> Path:
    Match(["random", "aggressive"], games=4, map="small", log=tmp_path / "a").run()
    (tmp_path / "b").mkdir()
    play_logged(tmp_path / "b" / "c.wl.jsonl", map="small", seed=-5)
    (tmp_path / "notes.txt").write_text("no log")
    return tmp_path


def test_entries_contain_the_data_of_the_logs(folder):
    (folder / "b" / "bad.wl.jsonl").write_text("{}\n")
    lines = (folder / "b" / "c.wl.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "b" / "cut.partial.wl.jsonl").write_bytes(b"".join(lines[:5]) + b"{")
    entries, read, notices = list_folder(folder)
    assert (len(entries), read, notices) == (7, 7, [])
    games = [entry for entry in entries if entry.path.startswith("a/")]
    assert [entry.number for entry in games] == [0, 1, 2, 3]
    assert games[0].players == ("random", "aggressive")
    assert games[1].players == ("aggressive", "random")
    result = Match(["random", "aggressive"], games=4, map="small").run()
    for entry, record in zip(games, result.records, strict=True):
        winner = None if entry.winner is None else record.seats[entry.winner]
        assert (entry.status, entry.rounds, entry.seed, winner) == (
            "complete", record.rounds, record.seed, record.winner,
        )  # fmt: skip
    bad, c, cut = entries[4:]
    assert (bad.path, bad.status) == ("b/bad.wl.jsonl", "unreadable")
    assert "not the log of a game" in bad.reason
    assert (c.path, c.seed, c.number, c.map, c.rules) == ("b/c.wl.jsonl", -5, None, "small", "thesis")
    assert (cut.status, cut.rounds, cut.winner) == ("incomplete", 3, None)


@pytest.mark.skipif(sys.platform != "linux", reason="such names cannot be there")
def test_a_name_that_is_not_utf8_is_listed_as_unreadable(folder):
    others, _, _ = list_folder(folder)
    with open(os.fsencode(folder) + b"/z\xff\xe9.wl.jsonl", "w") as file:
        file.write("{}\n")
    entries, _, notices = list_folder(folder)
    assert entries[:-1] == others and notices == []
    assert (entries[-1].status, entries[-1].reason) == ("unreadable", "its name is not UTF-8")
    assert entries[-1].path == r"z\udcff\udce9.wl.jsonl"


def test_only_changed_files_are_read_again(folder):
    entries, read, _ = list_folder(folder)
    assert read == 5
    assert list_folder(folder) == (entries, 0, [])
    play_logged(folder / "b" / "c.wl.jsonl", map="small", seed=6)
    (folder / "a" / "game-0000001.wl.jsonl.gz").unlink()
    play_logged(folder / "new.wl.jsonl.gz", ("smart_random", "random"), map="small")
    after, read, _ = list_folder(folder)
    assert read == 2
    assert [entry.path for entry in after] == [
        "a/game-0000002.wl.jsonl.gz", "a/game-0000003.wl.jsonl.gz", "a/game-0000004.wl.jsonl.gz", "b/c.wl.jsonl",
        "new.wl.jsonl.gz",
    ]  # fmt: skip
    assert after[3].seed == 6


def test_entries_are_filtered_by_agent_and_status(folder):
    play_logged(folder / "d.wl.jsonl", ("random:chunks=5", "smart_random"), map="small", max_rounds=2)
    with LogIndex(folder) as index:
        index.refresh()
        assert [e.path for e in index.entries("smart_random")] == ["d.wl.jsonl"]
        assert [e.path for e in index.entries("random:chunks=5")] == ["d.wl.jsonl"]
        assert len(index.entries("random")) == 6
        assert index.entries("rand") == []
        assert index.entries(status="failed") == []
        assert len(index.entries("random", "complete")) == 6


def damage_randomly(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for i in range(0, len(data), 5):
        data[i] ^= 0x5A
    file.write_bytes(data)


def other_program(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as base:
        base.execute("CREATE TABLE games (path TEXT)")
        base.execute("PRAGMA user_version = 1")


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b"not a database, but long enough to look like a file of one" * 20),
        lambda file: file.write_bytes(file.read_bytes()[:3000]),
        damage_randomly,
        other_program,
        lambda file: sqlite3.connect(file).execute("PRAGMA user_version = 99").connection.close(),
    ],
    ids=["foreign", "cut", "random", "other table", "other version"],
)
def test_a_damaged_index_is_rebuilt_with_a_notice(folder, damage):
    entries, _, _ = list_folder(folder)
    damage(folder / NAME)
    again, read, notices = list_folder(folder)
    assert (again, read) == (entries, 5)
    assert len(notices) == 1
    assert "was made again" in notices[0]
    assert str(folder / NAME) in notices[0]
    assert list_folder(folder) == (entries, 0, [])


def test_a_deleted_index_is_rebuilt(folder):
    entries, _, _ = list_folder(folder)
    (folder / NAME).unlink()
    assert list_folder(folder) == (entries, 5, [])


def test_a_read_only_folder_is_listed_from_memory(folder):
    mounted = folder / "a"
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(mounted)], capture_output=True)
    if done.returncode:
        pytest.skip("no file system may be mounted here")
    try:
        play_logged(mounted / "x.wl.jsonl", map="small")
        subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
        for _ in range(2):
            entries, read, notices = list_folder(mounted)
            assert ([entry.path for entry in entries], read) == (["x.wl.jsonl"], 1)
            assert "reads all logs again" in notices[0]
    finally:
        subprocess.run(["umount", "-l", str(mounted)], check=True)


def test_a_locked_index_is_not_changed(folder, monkeypatch):
    entries, _, _ = list_folder(folder)
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda file, timeout=0.0: connect(file, timeout=min(timeout, 0.1)))
    (folder / "a" / "game-0000001.wl.jsonl.gz").unlink()
    other = connect(folder / NAME)
    other.execute("BEGIN EXCLUSIVE")
    again, _, notices = list_folder(folder)
    other.close()
    assert again == entries[1:]
    assert "reads all logs again" in notices[0]
    assert list_folder(folder) == (entries[1:], 0, [])


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(LogError, match="this folder does not exist"):
        LogIndex(tmp_path / "missing")


def test_the_index_agrees_with_the_reader_for_logs_of_other_programs(tmp_path):
    for name, options in (("whole", {}), ("failed", {"max_rounds": 4})):
        play_logged(tmp_path / f"{name}.wl.jsonl", map="small", seed=5, **options)
        lines = read_lines(tmp_path / f"{name}.wl.jsonl")
        if name == "failed":
            lines[-1] = {"event": "failure", "player": 1, "round": 5, "reason": "enough"}
        text = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
        (tmp_path / f"{name}.wl.jsonl").write_text(text)
    with LogIndex(tmp_path) as index:
        index.refresh()
        found = {entry.path: (entry.status, entry.rounds, entry.winner) for entry in index.entries()}
    for name in ("whole", "failed"):
        log = GameLog.load(tmp_path / f"{name}.wl.jsonl")
        winner = None if log.end is None else log.end.winner
        assert found[f"{name}.wl.jsonl"] == (log.status, len(log.rounds), winner)
    assert [found[f"{name}.wl.jsonl"][0] for name in ("whole", "failed")] == ["complete", "failed"]
