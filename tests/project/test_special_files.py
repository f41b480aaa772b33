"""File readers reject FIFOs, sockets and devices at once, and lists of folders name them."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from warlight_env import bounded_io, maps
from warlight_env.agents.weights import Weights
from warlight_env.arena import load_tournament
from warlight_env.arena.contests.run_folder import GAMES, played_games
from warlight_env.cli import main
from warlight_env.envs import load_policy
from warlight_env.errors import InputError
from warlight_env.record import GameLog, LogIndex, summarize

#: Readers of files, by the suffix of the file name.
READERS = {
    ".wl.jsonl.gz": GameLog.load,
    ".wl.jsonl": summarize,
    ".map": maps.load,
    ".json": Weights.load,
    ".toml": load_tournament,
    ".zip": lambda path: load_policy(path, trust=True),
}


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))


MAKERS = {"a FIFO": os.mkfifo, "a socket": make_socket, "a character device": lambda path: path.symlink_to("/dev/zero")}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("suffix", READERS)
def test_a_reader_refuses_special_files(suffix, kind, tmp_path):
    path = tmp_path / f"x{suffix}"
    MAKERS[kind](path)
    with pytest.raises(InputError, match=f"it is {kind}, not a regular file"):
        READERS[suffix](path)


def test_a_link_to_a_regular_file_is_read(tmp_path):
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert bounded_io.read_bytes(tmp_path / "link", 9, InputError, "file") == b"x"


def test_a_run_with_a_fifo_as_its_games_is_refused(tmp_path):
    os.mkfifo(tmp_path / GAMES)
    with pytest.raises(InputError, match="it is a FIFO, not a regular file"):
        played_games(tmp_path, "x")


@pytest.mark.parametrize("kind", MAKERS)
def test_the_index_of_a_folder_reports_special_files(kind, tmp_path):
    MAKERS[kind](tmp_path / "game-0000001.wl.jsonl.gz")
    with LogIndex(tmp_path) as index:
        index.refresh()
        (entry,) = index.entries()
    assert entry.status == "unreadable" and f"it is {kind}, not a regular file" in entry.reason


def test_a_match_does_not_block_on_a_fifo_among_its_logs(tmp_path, capsys):
    os.mkfifo(tmp_path / "game-0000001.wl.jsonl.gz")
    assert main(["match", "random", "random", "--map", "small", "-n", "1", "-q", "--log", str(tmp_path)]) == 2
    assert "it is a FIFO, not a regular file" in capsys.readouterr().err
