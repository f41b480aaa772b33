"""Fixtures: a server that several tests share, with separate games for each test, and a tournament on this server."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tournament_helpers import play_cup

from web_helpers import Server, serving


@pytest.fixture(autouse=True)
def _workers_of_servers_in_the_test_process(forked_workers: pytest.MonkeyPatch) -> None:
    """Start the worker processes of servers in the test process as forks."""


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of tournaments that `server` shows."""
    return tmp_path_factory.mktemp("runs")


@contextlib.contextmanager
def _serving_new_games(tmp_path_factory: pytest.TempPathFactory, runs: Path) -> Iterator[Server]:
    line = ("play", "--vs", "random", "--map", "small", "--runs", str(runs))
    with serving(tmp_path_factory.mktemp("games"), *line) as running:
        yield running


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory, runs: Path) -> Iterator[Server]:
    """The first server of `server`, for fixtures that several tests share."""
    with _serving_new_games(tmp_path_factory, runs) as running:
        yield running


@pytest.fixture
def server(
    request: pytest.FixtureRequest, shared_server: Server, tmp_path_factory: pytest.TempPathFactory, runs: Path
) -> Iterator[Server]:
    """A server for tests that neither stop it nor count the files of its folder. Its start takes as long as a test.

    All tests share a server. Only a test that runs again gets a new one, without the games of its first attempt.
    """
    if getattr(request.node, "execution_count", 1) <= 1:
        yield shared_server
        return
    with _serving_new_games(tmp_path_factory, runs) as running:
        yield running


@pytest.fixture(scope="session")
def cup(runs: Path) -> str:
    """The name of a small tournament that `server` shows. Tests must not change it."""
    play_cup(runs / "cup")
    return "cup"
