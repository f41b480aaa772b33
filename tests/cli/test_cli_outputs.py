"""Commands that write a file reject targets other than regular files and change nothing."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from log_helpers import play_logged
from warlight_env.cli import main
from warlight_env.output import FolderSyncError, OutputError, write_file


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("log") / "short.wl.jsonl"
    play_logged(file, map="small", rules="thesis", seed=5)
    return file


def link(path: Path) -> None:
    (path.parent / "precious").write_bytes(b"precious")
    path.symlink_to(path.parent / "precious")


def dangling(path: Path) -> None:
    path.symlink_to(path.parent / "nothing")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))


TARGETS: dict[str, tuple[Callable[[Path], object], str]] = {
    "link": (link, "a symbolic link"),
    "dangling": (dangling, "a symbolic link"),
    "fifo": (os.mkfifo, "a FIFO"),
    "folder": (Path.mkdir, "a folder"),
    "socket": (listening, "a socket"),
}

#: Command → name of its output, and its arguments with LOG for a log and OUT for the output.
COMMANDS = {
    "replay --gif": ("o.gif", "replay LOG --round 0 -q --gif OUT"),
    "replay --html": ("o.html", "replay LOG --round 0 -q --html OUT"),
    "analyse --html": ("o.html", "analyse LOG -q --html OUT"),
    "picture": ("o.svg", "picture random random --rounds 0 --map small -o OUT"),
    "map generate": ("o.json", "map generate --regions 12 -o OUT"),
    "map generate --svg": ("o.svg", "map generate --regions 12 --svg OUT"),
    "map show --svg": ("o.svg", "map show small --svg OUT"),
    "leaderboard --out": ("o.json", "leaderboard --out OUT"),
    "log continue": ("o.wl.jsonl", "log continue LOG random random --round 0 --rounds 1 -o OUT"),
    "experiment report": ("o.md", "experiment report . -o OUT"),
}


def folder_content(folder: Path) -> dict[str, object]:
    """Return kind, inode and content (or link target) of everything in a folder."""
    content_by_path: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        kind = os.lstat(path)
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        content_by_path[str(path)] = (stat.S_IFMT(kind.st_mode), kind.st_ino, content)
    return content_by_path


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_target_that_is_not_a_regular_file_is_an_error(command, target, log, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name, words = COMMANDS[command]
    make, kind = TARGETS[target]
    make(tmp_path / name)
    before = folder_content(tmp_path)
    assert main([{"LOG": str(log), "OUT": name}.get(word, word) for word in words.split()]) == 2
    if not command.startswith("experiment"):  # it first reports that there are no results
        assert capsys.readouterr().err == f"error: cannot write {name}: it is {kind}, not a regular file\n"
    assert folder_content(tmp_path) == before


def test_a_device_as_target_is_an_error(log, capsys):
    before = os.lstat("/dev/null")
    assert main(["leaderboard", "--out", "/dev/null"]) == 2
    assert "/dev/null: it is a character device" in capsys.readouterr().err
    with pytest.raises(OutputError, match="character device"):
        write_file(Path("/dev/null"), b"x")
    assert os.lstat("/dev/null") == before


def test_pictures_in_a_folder_do_not_replace_links(log, tmp_path, capsys):
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "round-000.svg").symlink_to("../precious")
    before = folder_content(tmp_path)
    assert main(["replay", str(log), "-q", "--round", "0", "--svg", str(tmp_path / "pictures")]) == 2
    assert "round-000.svg: it is a symbolic link" in capsys.readouterr().err
    assert folder_content(tmp_path) == before


@pytest.mark.parametrize("name", ["games.jsonl", "run.json"])
def test_files_of_a_run_folder_do_not_replace_links(name, tmp_path, capsys):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).symlink_to(tmp_path / "elsewhere")
    before = folder_content(tmp_path)
    assert main(["match", "random", "random", "-n", "2", "-q", "--map", "small", "--out", str(tmp_path / "run")]) == 2
    assert f"{name}: it is a symbolic link" in capsys.readouterr().err
    assert not (tmp_path / "elsewhere").exists() and folder_content(tmp_path).items() >= before.items()


def test_logs_of_a_match_do_not_replace_links(tmp_path, capsys):
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "game-0000001.wl.jsonl.gz").symlink_to("../precious")
    before = folder_content(tmp_path)
    command = ["match", "random", "random", "-n", "1", "-q", "--map", "small", "--log", str(tmp_path / "logs")]
    assert main(command) == 2
    assert "game-0000001.wl.jsonl.gz: it is a symbolic link" in capsys.readouterr().err
    assert folder_content(tmp_path) == before


def test_a_regular_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "o.json"
    path.write_text("old")
    path.chmod(0o640)
    assert main(["leaderboard", "--out", str(path)]) == 0
    assert path.read_text() != "old" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes every file")
def test_a_read_only_file_is_not_replaced(tmp_path, capsys):
    path = tmp_path / "o.json"
    path.write_text("old")
    path.chmod(0o440)
    assert main(["leaderboard", "--out", str(path)]) == 1
    assert "Permission denied" in capsys.readouterr().err and path.read_text() == "old"


def test_an_interrupted_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "o.json"
    path.write_text("old")

    def interrupted(file: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_sync_error_of_the_folder_is_reported_after_the_replacement(tmp_path, monkeypatch, capsys):
    path = tmp_path / "o.json"
    path.write_text("old")
    sync = os.fsync

    def failing(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(file)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(FolderSyncError, match="power cut may undo the change: Input/output error"):
        write_file(path, "new")
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]
    assert main(["leaderboard", "--out", str(path)]) == 1
    assert f"cannot write {path}: the file has the new content, but" in capsys.readouterr().err


def test_an_unreadable_folder_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "o.json"
    path.write_text("old")
    opened = os.open

    def refusing(place: str | Path, flags: int, *arguments: int) -> int:
        if Path(place) == tmp_path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
        return opened(place, flags, *arguments)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(PermissionError):
        write_file(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
