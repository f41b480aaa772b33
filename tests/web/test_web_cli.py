"""``warlight play`` and related commands: errors are one line, and appear before a port or browser is opened."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from warlight_env import Game
from warlight_env.agents.registry import make_agent
from warlight_env.cli import main
from warlight_env.errors import InputError, RunError
from warlight_env.record import MemoryRecorder
from warlight_env.web import page as page_module
from warlight_env.web.errors import RequestError
from warlight_env.web.games.lobby import Lobby
from warlight_env.web.http.server import run_server
from warlight_env.web.http.settings import Listen, ServerSettings
from warlight_env.web.storage.game_folder import GameFolder
from web_helpers import needs_page, serving


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (["hotseat", "Ann"], "a game needs two to six players"),
        (["hotseat", *"abcdefg"], "a game needs two to six players"),
        (["hotseat", "Ann", "\x07"], "printable"),
        (["play", "--vs", "nobody"], "no agent 'nobody'"),
        (["play", "--vs", "belief:mcts", "--vs", "random"], "belief:mcts plays games of two players, not of 3"),
        (["play", "--map", "nowhere"], "no map 'nowhere'"),
        (["play", "--rules", "nonsense"], "no rules 'nonsense'"),
        (["play", "--port", "70000"], "0 to 65535"),
        (["play", "--seed", "-1"], "--seed -1: must not be negative"),
        (["play", "--runs", "/nowhere/runs"], "--runs /nowhere/runs: this folder does not exist"),
        (["watch", "--live"], "0 bots: give two to six"),
        (["watch", "random", "--live"], "1 bot: give two to six"),
        (["watch", "random", "random", "--live", "--rounds", "3"], "--rounds: not possible with --live"),
    ],
)
def test_invalid_arguments_give_exit_code_2(line: list[str], says: str, capsys: pytest.CaptureFixture[str]):
    assert main([*line, "--no-browser"]) == 2
    error = capsys.readouterr().err.splitlines()
    assert len(error) == 1
    assert says in error[0]


def test_a_missing_page_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(page_module, "PAGE", tmp_path / "index.html")
    monkeypatch.setattr(page_module, "NOTE", tmp_path / "missing.txt")
    page_module.page.cache_clear()
    (tmp_path / "missing.txt").write_text("there is no npm: install Node.js\n")
    assert main(["play", "--no-browser", "--log", str(tmp_path)]) == 1
    error = capsys.readouterr().err.splitlines()
    assert len(error) == 1
    assert "there is no npm: install Node.js" in error[0]
    page_module.page.cache_clear()


def test_a_port_in_use_gives_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        line = ["play", "--no-browser", "--port", str(listener.getsockname()[1]), "--log", str(tmp_path)]
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        assert main(line) == 1
    start, _, error = capsys.readouterr().err.partition("\n")
    assert start == "Starting the server …"
    assert "choose another --port" in error or "was not built" in error or "is missing" in error
    assert len(error.splitlines()) == 1


@needs_page
def test_an_impossible_host_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["play", "--no-browser", "--host", "192.0.2.1", "--port", "0", "--log", str(tmp_path)]) == 1
    assert "choose another --host: an address of this machine" in capsys.readouterr().err


def listens_with_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as listener:
            listener.bind(("::1", 0))
    except OSError:
        return False
    return True


@needs_page
@pytest.mark.skipif(not listens_with_ipv6(), reason="this machine has no IPv6")
def test_the_printed_address_of_an_ipv6_host_opens_the_page(tmp_path: Path):
    with serving(tmp_path, "play", "--vs", "random", "--host", "::1") as server:
        assert server.address.startswith("http://[::1]:")
        assert server.client().get("home").status_code == 200


@needs_page
@pytest.mark.skipif(not listens_with_ipv6(), reason="this machine has no IPv6")
def test_an_ipv6_host_without_its_interface_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["play", "--no-browser", "--host", "fe80::1", "--port", "0", "--log", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "cannot listen on [fe80::1]:0" in error and "choose another --host" in error


@needs_page
def test_a_file_instead_of_a_folder_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "file"
    file.write_text("text")
    assert main(["play", "--no-browser", "--log", str(file)]) == 1
    assert f"folder of games {file}: it is a file; give a folder" in capsys.readouterr().err


@needs_page
def test_a_folder_in_use_is_reported_with_an_existing_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = GameFolder(tmp_path)
    try:
        assert main(["play", "--no-browser", "--port", "0", "--log", str(tmp_path)]) == 2
    finally:
        folder.release()
    option = re.search(r"give another folder with (--[a-z]+)", capsys.readouterr().err)
    assert option is not None
    assert main(["play", "--help"]) == 0
    assert option[1] in capsys.readouterr().out.split()


@needs_page
@pytest.mark.parametrize("fails", ["port", "bot", "game"])
def test_a_server_that_fails_to_start_closes_all_its_files(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def create_game(lobby: Lobby) -> str:
        await lobby.process_pool.long(len, "abc")
        raise RequestError("no such game can be made")

    def run() -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1] if fails == "port" else 0
            settings = ServerSettings(tmp_path, ["nobody"]) if fails == "bot" else ServerSettings(tmp_path)
            run_server(Listen(port=port), settings, create_game, open_browser=False)

    closed: list[str] = []
    close = Lobby.close

    async def record_close(lobby: Lobby) -> None:
        await close(lobby)
        closed.append("lobby")

    monkeypatch.setattr(Lobby, "close", record_close)
    with contextlib.suppress(InputError, RunError):
        run()  # files that the first start opens may stay open
    gc.collect()
    before, closed[:] = len(os.listdir("/proc/self/fd")), []
    message = {"port": "cannot listen", "bot": "no agent 'nobody'", "game": "no such game can be made"}[fails]
    with pytest.raises((InputError, RunError), match=message):
        run()
    assert len(os.listdir("/proc/self/fd")) <= before
    assert closed == ["lobby"] * (fails == "game")
    assert not caplog.records and not [t for t in threading.enumerate() if t.name.startswith("warlight")]
    GameFolder(tmp_path).release()


def test_without_the_web_extra_replay_exports_a_page_and_play_names_the_extra(tmp_path: Path):
    game = Game("small", seed=1, picks="random")
    recorder = MemoryRecorder()
    recorder.began(game, [make_agent("random", 1), make_agent("random", 2)], 500)
    recorder.played({}, game.play_round({}), game)
    recorder.log.save(tmp_path / "game.wl.jsonl")
    code = """
import sys
from pathlib import Path

class Gone:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in ("fastapi", "pydantic", "uvicorn", "starlette", "websockets"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Gone())
from warlight_env.cli import main
from warlight_env.web import page

page.PAGE = Path("page.html")
page.PAGE.write_text("<html><body></body></html>")
assert main(["replay", "game.wl.jsonl", "--html", "out.html", "--quiet"]) == 0
del sys.meta_path[0]
sys.modules["fastapi"] = None
sys.exit(main(["play", "--no-browser", "--log", "."]))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "pip install 'warlight-env[web]'" in done.stderr
    text = (tmp_path / "out.html").read_text()
    document = json.loads(re.search(r'<script type="application/json" id="warlight-document">(.*)</script>', text)[1])
    assert [event["event"] for event in document["events"]] == ["start", "round"]
    assert len(document["chances"]) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_server_stopped_during_a_watched_game_prints_no_traceback(number: int, tmp_path: Path):
    folder, log = tmp_path / "games", tmp_path / "said"
    body = {"players": [{"bot": "random"}, {"bot": "aggressive"}], "picks": "random", "map": "small", "pace": 0.0}
    with serving(folder, "play", "--vs", "random", errors=log, forked=False) as server:
        with server.client() as client:
            game = client.post("games", json=body).raise_for_status().json()
        with server.feed(game["id"], game["watch"]) as one, server.feed(game["id"], game["watch"]) as other:
            assert one.event("round")["n"] == other.event("round")["n"]
            server.process.send_signal(number)
            server.process.wait(60)
    assert "Traceback" not in log.read_text() and "never retrieved" not in log.read_text()
