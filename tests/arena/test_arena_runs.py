"""Run folders: an interrupted run continues, and its result equals that of an uninterrupted run."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena_agents import Crasher, Expander, Fragile, Idle
from forked_python import WARLIGHT, ForkedProgram
from warlight_env import maps
from warlight_env.arena import (
    AgentCrashError,
    Contest,
    Match,
    MatchError,
    MatchSetup,
    RunFolderError,
    Sprt,
    play_contests,
)
from warlight_env.arena.contests.run_folder import RunFolder
from warlight_env.cli import main
from warlight_env.engine.rules import Rules
from warlight_env.errors import RunError
from warlight_env.folder_lock import FolderLock
from warlight_env.output import write_file

pytestmark = pytest.mark.usefixtures("forked_workers")

PAIR = (Expander, "random")
GAMES = 40
COMMAND = ["match", "smart_random", "aggressive", "-n", str(GAMES), "--map", "small", "--paired", "-q"]


def match(**kwargs):
    return Match(**{"agents": PAIR, "map": "small", "games": 12, "paired": True, **kwargs})


def start_match(folder: Path, jobs: str) -> subprocess.Popen | ForkedProgram:
    """Start a match in a process, and with more than one job in a process group with its workers."""
    command = [*COMMAND, "--json", "--out", str(folder), "--jobs", jobs]
    if jobs == "1":
        return ForkedProgram(WARLIGHT, *command)
    program = [sys.executable, "-m", "warlight_env", *command]
    return subprocess.Popen(program, stdout=subprocess.PIPE, text=True, start_new_session=True)


def comparable_result(text: str) -> dict:
    """Return the JSON of a result without machine-dependent entries."""
    data = json.loads(text)
    for agent in data["agents"]:
        del agent["time"]
    return {key: value for key, value in data.items() if "second" not in key and key not in ("jobs", "games_found")}


def group_is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def wanted() -> dict:
    """The result of the command without an interruption."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*COMMAND, "--json"]) == 0
    return comparable_result(out.getvalue())


@pytest.mark.parametrize(
    "jobs, sizes",
    [
        ("1", [0]),
        ("2", [2_000]),
        pytest.param("1", range(1_000, 13_000, 2_000), marks=pytest.mark.slow),
        pytest.param("2", range(0, 13_000, 2_000), marks=pytest.mark.slow),
    ],
)
def test_a_killed_match_continues_and_gives_the_uninterrupted_result(tmp_path, jobs, sizes, wanted, capsys):
    """The test kills the match at several sizes of the file of games, from no game to most games."""
    games = tmp_path / "run" / "games.jsonl"
    for size in sizes:
        process = start_match(tmp_path / "run", jobs)
        while not games.exists() or games.stat().st_size < size:
            assert process.poll() is None
            time.sleep(0.001)
        process.kill()
        process.wait()
        before = games.read_bytes()
        until = time.monotonic() + 30
        while group_is_alive(process.pid) and time.monotonic() < until:
            time.sleep(0.01)
        assert not group_is_alive(process.pid), "workers end with the process that they work for"
        assert games.read_bytes() == before
    assert sizes[-1] <= len(before) and len(before.splitlines()) < GAMES, "the last kill came before the end"
    assert main([*COMMAND, "--json", "--out", str(tmp_path / "run")]) == 0  # one process continues
    assert comparable_result(capsys.readouterr().out) == wanted
    assert games.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert len(games.read_bytes().splitlines()) == GAMES, "no game is played twice"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_games_are_stored_loses_no_game(tmp_path, monkeypatch, number):
    append, before = RunFolder.append, signal.getsignal(signal.SIGTERM)

    def interrupted(self, *arguments):
        monkeypatch.undo()
        signal.raise_signal(number)
        append(self, *arguments)

    def handle(number, frame):
        raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "append", interrupted)
    signal.signal(signal.SIGTERM, handle)  # as in the command line
    try:
        result = match(games=64, paired=False).run(folder=tmp_path / "run")
        assert signal.getsignal(signal.SIGTERM) is handle
    finally:
        signal.signal(signal.SIGTERM, before)
    assert result.interrupted and 0 < result.games < 64
    assert len((tmp_path / "run" / "games.jsonl").read_text().splitlines()) == result.games
    assert match(games=64, paired=False).run(folder=tmp_path / "run").games == 64


def test_a_finished_run_plays_no_games(tmp_path):
    first = match().run(folder=tmp_path)
    written = (tmp_path / "games.jsonl").read_bytes()
    numbers: list[int] = []
    again = match().run(lambda records: numbers.extend(record.number for record in records), folder=tmp_path)
    assert again.records == first.records and again.play_seconds == first.play_seconds
    assert numbers == list(range(12)), "progress counts what was found"
    assert (first.resumed_games, again.resumed_games) == (0, 12)
    assert (tmp_path / "games.jsonl").read_bytes() == written


def test_the_run_folder_stores_complete_records(tmp_path):
    match_ = match(agents=(Expander, Crasher, "random"), on_crash="forfeit", max_rounds=9, clocks="1s", map="world")
    first = match_.run(folder=tmp_path)
    assert first.failures
    again = match_.run(folder=tmp_path)
    assert again.records == first.records
    assert [record.use for record in again.records] == [record.use for record in first.records]
    assert again.to_dict()["failures"] == first.to_dict()["failures"]


@pytest.mark.parametrize("lost", [1, 40, 200, 450, 10_000])
def test_an_incomplete_last_line_is_dropped(tmp_path, lost):
    wanted = match().run(folder=tmp_path)
    games = tmp_path / "games.jsonl"
    complete = games.read_bytes()
    games.write_bytes(complete[: max(0, len(complete) - lost)])
    assert match().run(folder=tmp_path).records == wanted.records
    lines = [json.loads(line) for line in games.read_bytes().splitlines()]
    assert [line["number"] for line in lines] == list(range(12))


def test_an_incomplete_description_does_not_count_as_a_run(tmp_path):
    (tmp_path / ".run.json.tmp").write_text('{"format": 1, "contes')
    assert match().run(folder=tmp_path).records == match().run().records
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.jsonl", "run.json"]


@pytest.mark.parametrize(
    "change, field",
    [
        ({"seed": 2}, "seed: 1 in the folder, 2 now"),
        ({"games": 14}, "games: 12 in the folder, 14 now"),
        ({"paired": False}, "paired: true in the folder, false now"),
        ({"agents": (Idle, "random")}, "agents: .*Expander.*Idle"),
        ({"map": "world"}, "map.name"),
        ({"rules": Rules.of("thesis", luck=0.5)}, "rules.luck: 1.0 in the folder, 0.5 now"),
        ({"picks": "agents"}, "picks"),
        ({"max_rounds": 7}, "rounds: none in the folder, 7 now"),
        ({"clocks": ("1s", "none")}, "clocks"),
        ({"on_crash": "stop"}, 'on-crash: "forfeit" in the folder, "stop" now'),
        ({"on_late": "forfeit"}, "on-late"),
        ({"stop": Sprt(0, 20)}, "stop"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_changed_settings_raise_an_error_with_their_names(tmp_path, change, field):
    match().run(folder=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(RunFolderError, match=rf"contains another run \({field}"):
        match(**change).run(folder=tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_cannot_be_the_run_folder(tmp_path):
    file = tmp_path / "file"
    file.write_text("text")
    with pytest.raises(RunError, match=r"cannot write run folder .*file: it is a file; give a folder"):
        match().run(folder=file)
    with pytest.raises(RunError, match=r"cannot write run folder .*inner: a part of the path is a file; give a folder"):
        match().run(folder=file / "inner")
    assert file.read_text() == "text"


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("match random random --map small -n 2 -q --log", "logs to"),
        ("bench random --map small --games 2 --quiet --out", "to"),
    ],
)
def test_errors_for_a_file_instead_of_a_folder_say_so(command, folder, tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("text")
    assert main([*command.split(), str(file)]) in (1, 2)
    assert f"{folder} {file}: it is a file; give a folder" in capsys.readouterr().err
    assert main([*command.split(), str(file / "inner")]) in (1, 2)
    assert f"{file / 'inner'}: a part of the path is a file; give a folder" in capsys.readouterr().err
    assert file.read_text() == "text"


def test_the_error_for_a_folder_with_too_long_a_name_names_the_folder(tmp_path):
    with pytest.raises(RunError, match=r"cannot write run folder .*/a+: File name too long"):
        match().run(folder=tmp_path / ("a" * 300))


def test_the_error_names_the_contest_that_differs(tmp_path):
    setup = match().setup()
    play_contests([Contest("a", setup, 2), Contest("b", setup, 2)], folder=tmp_path)
    with pytest.raises(RunFolderError, match=r"\(games of contest 'b': 2 in the folder, 4 now\)"):
        play_contests([Contest("a", setup, 2), Contest("b", setup, 4)], folder=tmp_path)
    with pytest.raises(RunFolderError, match=r"\(contest 'c': none in the folder, .* … now\)"):
        play_contests([Contest("a", setup, 2), Contest("b", setup, 2), Contest("c", setup, 2)], folder=tmp_path)


def test_a_changed_map_raises_an_error(tmp_path):
    from helpers import RING, make_map

    match(agents=("random", "random"), map=RING).run(folder=tmp_path)
    other = make_map([0, 0, 1, 1, 2, 2], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)], [2, 3, 1], "ring")
    with pytest.raises(RunFolderError, match=r"map\.digest"):
        match(agents=("random", "random"), map=other).run(folder=tmp_path)


@pytest.mark.parametrize(
    "line, reason",
    [
        (b"not json\n", "JSONDecodeError"),
        (b"[]\n", "line 13"),
        (b'{"contest": "match", "number": 3}\n', "line 13"),
        (b'{"contest": "other", "number": 3}\n', "line 13"),
    ],
)
def test_a_damaged_file_raises_an_error_and_does_not_change(tmp_path, line, reason):
    match().run(folder=tmp_path)
    games = tmp_path / "games.jsonl"
    damaged = games.read_bytes() + line
    games.write_bytes(damaged)
    with pytest.raises(RunFolderError, match=reason):
        match().run(folder=tmp_path)
    assert games.read_bytes() == damaged


def test_games_of_another_match_raise_an_error(tmp_path):
    match().run(folder=tmp_path)
    games = tmp_path / "games.jsonl"
    games.write_text(games.read_text().replace('"seats": [1, 0]', '"seats": [0, 1]', 1))
    with pytest.raises(RunFolderError, match=r"the unit or the seats of game \d+ differ"):
        match().run(folder=tmp_path)


def test_games_without_a_description_raise_an_error_and_do_not_change(tmp_path):
    (tmp_path / "games.jsonl").write_text("somebody's games\n")
    with pytest.raises(RunFolderError, match=r"run.json, which describes it, is missing"):
        match().run(folder=tmp_path)
    assert (tmp_path / "games.jsonl").read_text() == "somebody's games\n"


def test_a_second_run_in_a_folder_raises_an_error(tmp_path):
    def again(records):
        with pytest.raises(RunFolderError, match="another run writes"):
            match().run(folder=tmp_path)

    assert match().run(again, folder=tmp_path).games == 12


def test_agents_without_names_raise_an_error_with_a_run_folder(tmp_path):
    with pytest.raises(MatchError, match="<lambda>"):
        match(agents=(lambda seed: Idle(seed), "random")).run(folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_crash_keeps_the_finished_games(tmp_path, jobs):
    match_ = match(agents=(Fragile, "aggressive"), games=60, paired=False, jobs=jobs, on_crash="stop")
    wanted = match(agents=(Fragile, "aggressive"), games=60, paired=False, on_crash="forfeit").run().records
    with pytest.raises(AgentCrashError) as raised:
        match_.run(folder=tmp_path)
    text, seating = str(raised.value), match_.setup().make_seating(raised.value.game)
    for part in (
        "'fragile'",
        f"game {raised.value.game + 1} ",
        f"seed {seating.seed}",
        "ZeroDivisionError: nothing left",
    ):
        assert part in text
    assert seating.seats[raised.value.seat] == 0, "with several processes the first to fail, whichever it is"
    kept = {json.loads(line)["number"] for line in (tmp_path / "games.jsonl").read_text().splitlines()}
    assert kept and raised.value.game not in kept
    failed = {record.number for record in wanted if record.failures}
    assert raised.value.game in failed and not kept & failed
    if jobs == 1:
        assert kept == set(range(min(failed)))


@contextlib.contextmanager
def limited_file_size(size: int):
    """Limit the size of files, to simulate a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_write_error_keeps_the_stored_games(tmp_path):
    wanted = match().run()
    with (
        limited_file_size(1800),
        pytest.raises(RunError, match=r"cannot write run folder .*too large.*to continue"),
    ):
        match().run(folder=tmp_path)
    kept = (tmp_path / "games.jsonl").read_bytes()
    assert 0 < len(kept) <= 1800 and kept.endswith(b"\n"), "whole lines only"
    assert match().run(folder=tmp_path).records == wanted.records
    assert (tmp_path / "games.jsonl").read_bytes().startswith(kept)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 16 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)], capture_output=True)
    if done.returncode:
        pytest.skip("mounting needs root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_an_error_and_keeps_earlier_games(small_disk, tmp_path, capsys):
    command = [*COMMAND, "--out", str(small_disk / "run")]
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert out == "" and "No space left on device" in err and str(small_disk / "run") in err
    kept = (small_disk / "run" / "games.jsonl").read_bytes().splitlines()
    assert 0 < len(kept) < GAMES and all(json.loads(line) for line in kept)
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)
    assert main(command) == 0
    assert (small_disk / "run" / "games.jsonl").read_bytes().splitlines()[: len(kept)] == kept


def test_a_read_only_disk_is_an_error(small_disk, capsys):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert main([*COMMAND, "--out", str(small_disk / "run")]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "Read-only file system" in err and "Traceback" not in err


def test_a_file_with_the_name_of_the_folder_raises_an_error(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError, match="cannot write run folder"):
        match().run(folder=tmp_path / "run")


def contests() -> list[Contest]:
    small, rules = maps.load("small"), Rules.of("thesis")
    setups = [
        MatchSetup(("random", "aggressive"), small, rules, 1, False, "random", None),
        MatchSetup(("random", "smart_random", "aggressive"), small, rules, 5, True, "random", 30),
    ]
    return [Contest(f"contest {i}", setup, games) for i, (setup, games) in enumerate(zip(setups, (8, 8), strict=True))]


def test_several_contests_share_a_folder(tmp_path):
    wanted = play_contests(contests())
    assert [len(result.records) for result in wanted.values()] == [8, 9]
    numbers: dict[str, list[int]] = {"contest 0": [], "contest 1": []}

    def interrupt(key, records):
        numbers[key] += [record.number for record in records]
        if len(numbers["contest 1"]) == 5:
            raise KeyboardInterrupt

    cut = play_contests(contests(), folder=tmp_path, on_games=interrupt)
    assert not cut["contest 0"].interrupted and cut["contest 1"].interrupted
    assert cut["contest 1"].records == wanted["contest 1"].records[:3], "whole units"
    assert play_contests(contests(), folder=tmp_path, jobs=2) == wanted
    assert numbers == {"contest 0": list(range(8)), "contest 1": list(range(5))}


def test_invalid_contests_raise_an_error():
    one, _ = contests()
    for bad, reason in (
        ([one, one], "two contests have"),
        ([Contest("none", one.setup, 0)], "'none': games = 0"),
    ):
        with pytest.raises(MatchError, match=reason):
            play_contests(bad)
    with pytest.raises(MatchError, match="did you mean 'local'"):
        play_contests([one], backend="locl")


def test_a_run_does_not_continue_with_missing_logs(tmp_path, capsys):
    command = ["match", "random", "aggressive", "-n", "4", "--map", "small", "-q", "--out", str(tmp_path / "run")]
    assert main(command) == 0
    lines = (tmp_path / "run" / "games.jsonl").read_text().splitlines(keepends=True)
    logged = [*command, "--log", str(tmp_path / "logs")]
    for left in (4, 2):
        (tmp_path / "run" / "games.jsonl").write_text("".join(lines[:left]))
        capsys.readouterr()
        assert main(logged) == 2
        assert f"the log of game 1 and of {left - 1} more is missing" in capsys.readouterr().err
    (tmp_path / "run" / "games.jsonl").write_text("")
    assert main(logged) == 0
    assert main(logged) == 0
    assert len(list((tmp_path / "logs").iterdir())) == 4


def test_a_second_run_does_not_write_a_description(tmp_path):
    (tmp_path / "games.jsonl").touch()
    with FolderLock(tmp_path), pytest.raises(RunFolderError, match="another run writes"):  # a new run
        match().run(folder=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]
    assert match().run(folder=tmp_path).records == match().run().records, (
        "a run that was killed before it said what it plays"
    )


@pytest.mark.parametrize(
    "key, value",
    [
        ("winner", 2), ("winner", "x"), ("rounds", "x"), ("rounds", -1), ("placements", [1]), ("placements", [0, 3]),
        ("cut_off", None), ("dropped", [0]), ("seconds", "x"), ("use", [[1, 2, 3.0, 4.0, 0, None]]),
    ],
)  # fmt: skip
def test_impossible_results_raise_an_error(tmp_path, key, value):
    match(games=2).run(folder=tmp_path)
    games = tmp_path / "games.jsonl"
    first, second = games.read_text().splitlines()
    games.write_text(f"{first}\n{json.dumps({**json.loads(second), key: value})}\n")
    with pytest.raises(RunFolderError, match=rf"games.jsonl, line 2: not a game of this run .*{key} = "):
        match(games=2).run(folder=tmp_path)


def test_a_failed_write_keeps_the_old_file_and_leaves_no_temporary_file(tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    write_file(path, "one")

    def full(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_file(path, "two")
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]
