"""Writing logs: after a killed process, on full and read-only disks, and in the folder of a match."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena_agents import Crasher, Idle, Slow
from forked_python import ForkedProgram
from log_helpers import read_text
from warlight_env.arena import AgentCrashError, Match, play_game
from warlight_env.record import GameLog, LogError, LogWriteError, LogWriter, summarize, verify

SLOW = """
import sys
from arena_agents import Slow
from warlight_env.arena import play_game
from warlight_env.record import LogWriter

class Told(LogWriter):
    def played(self, orders, result, game):
        super().played(orders, result, game)
        print(result.round, flush=True)

class Slower(Slow):
    def act(self, view, budget=None):
        super().act(view), super().act(view)
        return super().act(view)

with Told(sys.argv[1]) as log:
    play_game([Slower(1), Slower(2)], "small", observer=log)
"""


@pytest.mark.parametrize("suffix", [".wl.jsonl", ".wl.jsonl.gz"])
def test_a_killed_process_loses_no_finished_round(tmp_path, suffix):
    file = tmp_path / f"game{suffix}"
    child = ForkedProgram(SLOW, str(file))
    reported = 0
    while reported < 5:
        reported = int(child.stdout.readline())
    child.kill()
    reported = max([reported, *map(int, child.communicate().split())])
    assert not file.exists()
    log = GameLog.load(tmp_path / "game.partial.wl.jsonl")
    assert log.status == "incomplete"
    assert len(log.rounds) >= reported >= 5
    assert verify(log) == []


def test_an_interrupted_game_leaves_a_partial_log(tmp_path):
    with contextlib.suppress(KeyboardInterrupt), LogWriter(tmp_path / "left.wl.jsonl.gz") as writer:
        writer.began(*_game())
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["left.partial.wl.jsonl"]
    assert GameLog.load(tmp_path / "left.partial.wl.jsonl").status == "incomplete"


def _game():
    from warlight_env.game import Game

    return Game("small", picks="random"), [Idle(1), Idle(2)], 5


def test_names_without_the_suffix_of_a_log_are_refused(tmp_path):
    for name in ("game.json", ".wl.jsonl", "game.jsonl.gz"):
        with pytest.raises(LogError, match=r"must end in \.wl\.jsonl"):
            LogWriter(tmp_path / name)


# Disks


@pytest.fixture
def small_disk(tmp_path):
    """Mount a file system of 64 KiB, and return its folder and a function that makes it read-only."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True)
    if done.returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield folder, lambda: subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_raises_an_error_and_earlier_logs_stay_complete(small_disk):
    folder, _ = small_disk
    match = Match(["random", "aggressive"], games=200, map="small", log=folder)
    with pytest.raises(LogWriteError, match=r"cannot write the log .*game-\d+.*: No space left on device"):
        match.run()
    complete = sorted(path for path in folder.iterdir() if ".partial" not in path.name)
    assert len(complete) > 5
    for path in complete:
        assert GameLog.load(path).complete
    # After space was freed, the same match continues in the same folder.
    for path in complete[2:]:
        path.unlink()
    Match(["random", "aggressive"], games=4, map="small", log=folder).run()
    assert len(list(folder.iterdir())) == 4


def test_a_log_is_not_replaced_when_the_disk_is_full(small_disk):
    folder, _ = small_disk
    file = folder / "one.wl.jsonl.gz"
    with LogWriter(file) as writer:
        play_game([Idle(1), Idle(2)], "small", max_rounds=2, observer=writer)
    before = file.read_bytes()
    (folder / "filler").write_bytes(b"")
    with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))
    with pytest.raises(LogWriteError, match="No space left"):
        GameLog.load(file).save(file)
    assert file.read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["filler", "one.wl.jsonl.gz"]


def test_a_read_only_disk_raises_an_error_before_the_first_game(small_disk):
    folder, make_read_only = small_disk
    make_read_only()
    played = []
    with pytest.raises(LogWriteError, match=r"cannot write logs to .*: Read-only file system"):
        Match(["random", "aggressive"], games=3, map="small", log=folder / "new").run(played.extend)
    with pytest.raises(LogWriteError, match=r"cannot write logs to .*: Read-only file system"):
        Match(["random", "aggressive"], games=3, map="small", log=folder).run(played.extend)
    assert played == []
    raises_error = pytest.raises(LogWriteError, match=r"cannot write the log .*/a\.partial\.wl\.jsonl: Read-only")
    with raises_error, LogWriter(folder / "a.wl.jsonl") as writer:
        play_game([Slow(1), Slow(2)], "small", max_rounds=4, observer=writer)


def test_a_file_in_place_of_the_folder_raises_an_error(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(LogWriteError, match="cannot write logs to"):
        Match(["random", "aggressive"], games=3, map="small", log=tmp_path / "file").run()
    assert (tmp_path / "file").read_text() == "mine"


LIMITED = """
import resource, signal, sys
from warlight_env.arena import Match
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
try:
    Match(["random", "aggressive"], games=30, map="small", log=sys.argv[1]).run()
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of file sizes")
def test_a_file_size_limit_raises_an_error_and_earlier_logs_stay_complete(tmp_path, starts):
    done = starts.run(LIMITED, str(tmp_path), PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout.startswith("LogWriteError cannot write the log "), done.stdout + done.stderr
    assert "File too large" in done.stdout
    assert all(GameLog.load(path).complete for path in tmp_path.iterdir())


# Folders of matches


def logs_of(folder: Path) -> dict[str, str]:
    return {path.name: read_text(path) for path in folder.iterdir()}


def test_a_match_logs_each_game_under_its_number(tmp_path):
    match = Match(["random", "aggressive"], games=6, map="small", seed=4, paired=True, log=tmp_path)
    result = match.run()
    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == [f"game-{n:07d}.wl.jsonl.gz" for n in range(1, 7)]
    for path, record in zip(files, result.records, strict=True):
        log = GameLog.load(path)
        data = log.header.match
        assert (data["game"], data["unit"], tuple(data["seats"])) == (record.number, record.unit, record.seats)
        assert (data["agents"], data["seed"]) == (["random", "aggressive"], 4)
        assert log.end.rounds == record.rounds
        assert log.header.seed == record.seed
        assert (None if log.end.winner is None else record.seats[log.end.winner]) == record.winner
        assert [player.spec for player in log.header.players] == [match.agents[a] for a in record.seats]
        assert verify(log) == []


@pytest.mark.usefixtures("forked_workers")
def test_logs_do_not_depend_on_jobs_or_interruptions(tmp_path):
    for name, jobs in (("one", 1), ("two", 2)):
        Match(["random", "aggressive"], games=12, map="small", jobs=jobs, log=tmp_path / name).run()
    played = []

    def interrupt(records):
        played.extend(records)
        if len(played) == 5:
            raise KeyboardInterrupt

    match = Match(["random", "aggressive"], games=12, map="small", log=tmp_path / "three")
    match.run(interrupt, folder=tmp_path / "run")
    (tmp_path / "three" / "game-0000009.partial.wl.jsonl").write_bytes(b"left by a game that was killed\n")
    match.run(folder=tmp_path / "run")
    assert logs_of(tmp_path / "one") == logs_of(tmp_path / "two") == logs_of(tmp_path / "three")


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"seed": 2}, "seed = 1, not 2"),
        ({"agents": ["random", "random"]}, "agents = "),
        ({"map": "world"}, "another map"),
        ({"rules": "challenge2"}, "another rules"),
        ({"picks": "agents"}, "picks = 'random', not 'agents'"),
    ],
)
def test_a_folder_with_logs_of_another_match_is_refused(tmp_path, change, reason):
    options = {"agents": ["random", "aggressive"], "games": 2, "map": "small", "log": tmp_path}
    Match(**options).run()
    before = logs_of(tmp_path)
    with pytest.raises(LogError, match=f"contains logs of another match .*{reason}"):
        Match(**{**options, **change}).run()
    assert logs_of(tmp_path) == before


def test_a_failed_game_leaves_only_a_partial_log(tmp_path):
    with pytest.raises(AgentCrashError):
        Match([Idle, Crasher], games=3, map="small", log=tmp_path, on_crash="stop").run()
    assert list(logs_of(tmp_path)) == ["game-0000001.partial.wl.jsonl"]
    summary = summarize(tmp_path / "game-0000001.partial.wl.jsonl")
    assert (summary.status, summary.rounds) == ("failed", 2)


def test_the_warm_up_is_not_logged(tmp_path):
    start = time.time()
    Match([Idle, Idle], games=1, map="small", max_rounds=7, log=tmp_path).run()
    (file,) = tmp_path.iterdir()
    assert len(GameLog.load(file).rounds) == 7
    assert file.stat().st_mtime >= start - 2
