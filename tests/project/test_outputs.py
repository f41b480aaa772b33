"""Functions that save an object write a complete file or none, and reject targets that are not regular files."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

import pytest

from warlight_env import maps, output
from warlight_env.agents.weights import DEFAULT
from warlight_env.errors import InputError
from warlight_env.output import OutputError, WriteError

#: Functions that save an object under a name.
SAVES: dict[str, Callable[[object], None]] = {
    "map": lambda path: maps.save(maps.load("small"), path),  # type: ignore[arg-type]
    "weights": lambda path: DEFAULT.save(path),  # type: ignore[arg-type]
}

saves = pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)


@saves
def test_a_full_disk_keeps_the_old_file(save, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def full(descriptor: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(output, "write_all", full)
    with pytest.raises(WriteError, match="No space left"):
        save(file)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


@saves
def test_a_fifo_is_refused_at_once(save, tmp_path):
    os.mkfifo(tmp_path / "file")
    with pytest.raises(OutputError, match="a FIFO"):
        save(tmp_path / "file")


@saves
def test_a_symbolic_link_is_not_followed(save, tmp_path):
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "file").symlink_to(tmp_path / "precious")
    with pytest.raises(OutputError, match="a symbolic link"):
        save(tmp_path / "file")
    assert (tmp_path / "precious").read_bytes() == b"precious"


@saves
@pytest.mark.parametrize("name", ["missing/file", "", "file\0", "x" * 300, "\ud800"])
def test_a_name_that_no_file_can_have_is_refused(save, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="cannot write"):
        save(name)
    assert not list(tmp_path.iterdir())


@saves
@pytest.mark.parametrize("path", [None, 3, b"file", 10**5000], ids=["None", "3", "bytes", "huge"])
def test_a_value_that_is_no_path_is_refused(save, path):
    with pytest.raises(InputError, match=r"must be (?:the path of a file|a string or a path)"):
        save(path)
