"""Two commands use one folder at the same time: one runs, and the other reports the lock and writes nothing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from lock_races import COMMANDS, LOG, TOURNAMENT, pair

from forked_python import WARLIGHT, ForkedProgram
from warlight_env.arena import Match
from warlight_env.arena.contests.append_only import RunFolderError
from warlight_env.cli import main
from warlight_env.errors import RunError
from warlight_env.folder_lock import LOCK, FolderLock, FolderLockedError
from warlight_env.record.pictures import ExportError


class ForkedPopen:
    """A command in a fork of this process, with the methods of `Popen` that `pair` uses."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        program = f"import os; os.chdir({str(folder)!r}); {WARLIGHT}"
        self._program = ForkedProgram(program, *words, errors=self._errors.fileno())

    @property
    def returncode(self) -> int | None:
        return self._program.poll()

    def kill(self) -> None:
        self._program.kill()

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        output = self._program.communicate(timeout)
        with self._errors as errors:
            errors.seek(0)
            return output, errors.read()


@pytest.mark.parametrize(
    "name", ["match --log", pytest.param("match --log --jobs 2", marks=pytest.mark.slow), "replay --svg"]
)
def test_two_concurrent_commands_lose_no_data(name):
    assert pair(name, 1, 0.0, ForkedPopen)[1] == ""


@pytest.mark.parametrize(
    "command",
    [
        "match random random -n 2 -q --map small --log OUT", "match random random -n 2 -q --map small --out OUT",
        "match random random -n 2 -q --map small --out other --log OUT", "tournament cup.toml -q --out OUT",
        "bench random -q --map small --games 2 --out OUT", "train td --quick -q --out OUT",
        "train evolve --quick -q --out OUT", "train value --quick -q --out OUT", "train exit --quick -q --out OUT",
        "train ppo --quick -q --out OUT", f"replay {LOG} -q --svg OUT", "bot new python OUT",
    ],
)  # fmt: skip
def test_a_locked_folder_is_an_error_and_does_not_change(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text(TOURNAMENT)
    with FolderLock(Path("out")):
        before = sorted(tmp_path.rglob("*"))
        assert main(["out" if word == "OUT" else word for word in command.split()]) == 2
        assert sorted(tmp_path.rglob("*")) == before
    error = capsys.readouterr().err
    assert error.startswith(f"error: out: another run writes to this folder (process {os.getpid()}, since ")


def test_an_experiment_in_a_locked_folder_is_an_error(tmp_path, capsys):
    with FolderLock(tmp_path / "state-size-quick"):
        assert main(["experiment", "run", "state-size", "--quick", "-q", "--out", str(tmp_path)]) == 2
    assert "another run writes to this folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_race_tests_cover_every_command_that_writes_a_folder():
    assert {name.split(" --")[0] for name in COMMANDS} == {
        "match", "tournament", "bench", "experiment", "train td", "train evolve", "train value", "train exit",
        "train ppo", "replay", "bot new",
    }  # fmt: skip


def test_a_common_folder_for_run_and_logs_is_locked_once(tmp_path):
    match = Match(["random", "random"], games=2, map="small", log=tmp_path / "." / "run")
    assert match.run(folder=tmp_path / "run").games == 2
    assert not (tmp_path / "run" / LOCK).exists()


def test_a_running_match_locks_its_log_folder(tmp_path):
    match = Match(["random", "random"], games=2, map="small", log=tmp_path)

    def again(records: object) -> None:
        with pytest.raises(RunFolderError, match="another run writes"):
            match.run()

    assert match.run(again).games == 2


def test_releasing_a_lock_removes_its_file_and_new_folders(tmp_path):
    first = FolderLock(tmp_path / "a" / "b")
    with pytest.raises(FolderLockedError, match="another run writes"):
        FolderLock(tmp_path / "a" / "b")
    first.release()
    first.release()
    assert not (tmp_path / "a").exists(), "both folders were made for the lock, and are empty"
    (tmp_path / "kept").mkdir()
    with FolderLock(tmp_path / "kept"):
        assert [path.name for path in (tmp_path / "kept").iterdir()] == [LOCK]
    assert (tmp_path / "kept").exists() and not list((tmp_path / "kept").iterdir())


@pytest.fixture
def removals(tmp_path, monkeypatch):
    """A counter: that often, the folder is removed before its lock file is opened, as by the end of another run."""
    left, original_open = [0], os.open

    def open_without_folder(path, *arguments, **named):
        if Path(path).name == LOCK and left[0] > 0:
            left[0] -= 1
            (tmp_path / "a" / "b").rmdir()
            (tmp_path / "a").rmdir()
        return original_open(path, *arguments, **named)

    monkeypatch.setattr(os, "open", open_without_folder)
    return left


@pytest.mark.parametrize("times", [1, 3])
def test_a_lock_creates_a_removed_folder_again(removals, tmp_path, times):
    removals[0] = times
    with FolderLock(tmp_path / "a" / "b"):
        assert removals == [0] and (tmp_path / "a" / "b" / LOCK).exists()
    assert not (tmp_path / "a").exists()


def test_a_repeatedly_removed_folder_is_an_error(removals, tmp_path):
    removals[0] = 10**9
    with pytest.raises(RunError, match=r"cannot write to .*b: No such file"):
        FolderLock(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()


def test_a_lock_raises_the_errors_of_its_caller(tmp_path):
    def locked(message):
        return RunFolderError(f"locked: {message}")

    with FolderLock(tmp_path), pytest.raises(RunFolderError, match=rf"^locked: .*\(process {os.getpid()},"):
        FolderLock(tmp_path, in_use=locked)
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="file in the way"):
        FolderLock(tmp_path / "file", unwritable=lambda error: ExportError("file in the way"))


def test_the_lock_file_of_a_killed_run_does_not_lock(tmp_path):
    (tmp_path / LOCK).write_text('{"pid": 1, "host": "x", "since": "then", "note": ""}')
    with FolderLock(tmp_path), pytest.raises(FolderLockedError, match=rf"process {os.getpid()},"):
        FolderLock(tmp_path)
    assert not (tmp_path / LOCK).exists()


def test_a_symbolic_link_as_lock_file_raises_an_error(tmp_path):
    (tmp_path / LOCK).symlink_to(tmp_path / "precious")
    with pytest.raises(ValueError, match="a symbolic link"):
        FolderLock(tmp_path)
    assert not (tmp_path / "precious").exists()
