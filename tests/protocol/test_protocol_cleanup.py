"""No process remains after a game, even if a bot attacks its supervisor; resource limits apply or raise an error."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from protocol_helpers import misbehaving
from warlight_env.agents import AgentError, make_agent
from warlight_env.arena.games.game_loop import play_game
from warlight_env.protocol.external_agent import ExternalBot
from warlight_env.protocol.limits import BotLimits, CommandError, check_limits
from warlight_env.protocol.options import read_options

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")

ESCAPING = Path(__file__).parents[1] / "bots" / "orphaning_bot.py"


def escaping(way: str, file: Path, options: str = "", *more: str) -> ExternalBot:
    """A bot that escapes in a way, and writes the numbers of its children to a file."""
    words = [sys.executable, "-I", "-S", str(ESCAPING), way, str(file), *more]
    bot = make_agent(f"cmd[bank=30,policy=skip{options and ',' + options}]:{shlex.join(words)}", 1)
    assert isinstance(bot, ExternalBot)
    return bot


def unless(limits: BotLimits) -> str:
    """Why this system cannot set limits; "" if it can."""
    try:
        check_limits(limits)
    except CommandError as error:
        return str(error)
    return ""


def left_by(file: Path) -> list[str]:
    """Command lines of all processes that have to do with a bot: each names its file."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode() if entry.name.isdecimal() else ""
        except OSError:
            continue  # it has just ended
        if str(file) in line:
            found.append(line)
    return found


@pytest.mark.parametrize("way", ["kill guard", "child kills guard", "stop guard", "hop", "hop and kill guard"])
def test_a_bots_children_end_with_the_game_and_nobody_elses(way, tmp_path):
    """Plain ones, daemons, some with an empty environment, some that are never the same process for long."""
    file = tmp_path / "children"
    mine = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
    try:
        bots = [escaping(way, file), make_agent(misbehaving("honest"), 2)]
        record = play_game(bots, "world", "challenge1", 5, picks="agents", max_rounds=2)
        assert record.rounds == 2
        assert file.read_text().count("\n") >= 4, "there were some"
        assert left_by(file) == []
        said = file.read_text()
        time.sleep(0.05)
        assert file.read_text() == said, "one is still hopping"
        assert mine.poll() is None, "the host's own child"
        assert bots[1].faults == [], "the other bot"
        causes = [fault.cause for fault in bots[0].faults]
        assert any(fault.lost for fault in bots[0].faults) == ("kill" in way), "with its guard the bot ends"
        assert not any("could not be ended" in cause for cause in causes)
    finally:
        mine.kill()
        mine.wait()


@pytest.mark.parametrize("way", ["shed", "child kills guard", "hop and kill guard"])
def test_from_namespaces_of_its_own_nothing_gets_away(way, tmp_path):
    """Not even a child without any mark: the bot does not find its guard, and the kernel ends what it started."""
    if reason := unless(BotLimits(isolate=True)):
        pytest.skip(reason)
    file = tmp_path / "children"
    bot = escaping(way, file, "isolate=on")
    record = play_game([bot, make_agent("random", 2)], "world", "challenge1", 5, picks="agents", max_rounds=2)
    assert record.rounds == 2 and bot.faults == []
    assert file.read_text().count("\n") >= 4, "there were some"
    assert left_by(file) == []


def test_what_cannot_be_ended_is_in_the_record(tmp_path, monkeypatch):
    """Somebody else's process with the bot's mark, as a bot under sudo would leave it."""
    from warlight_env.protocol import process_cleanup

    file = tmp_path / "children"
    bot = escaping("kill guard", file)

    class Refused:
        """The system as it is, but that nothing may be killed."""

        def __getattr__(self, name: str) -> object:
            return getattr(os, name)

        def kill(self, process: int, number: int) -> None:
            raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(process_cleanup, "os", Refused())
        play_game([bot, make_agent("random", 2)], "world", "challenge1", 5, picks="agents", max_rounds=1)
    [fault] = [fault for fault in bot.faults if fault.question == "processes"]
    count, _, told = fault.cause.partition(" processes could not be ended: ")
    assert int(count) >= 4, "and perhaps the bot itself, which ends just then"
    for process in map(int, told.split(", ")):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    until = time.monotonic() + 20
    while left_by(file) and time.monotonic() < until:
        time.sleep(0.01)  # a killed process takes a moment to go
    assert left_by(file) == []


# Limits


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield str(server.getsockname()[1])


@pytest.mark.parametrize(
    "options, can",
    [
        ("", ["memory", "procs", "network"]),
        ("memory=128M", ["procs", "network"]),
        ("network=off", ["memory", "procs"]),
        ("procs=5", ["memory", "network"]),
        ("memory=128M,network=off,isolate=on", ["procs"]),
    ],
)
def test_a_limit_holds_or_is_refused(options, can, port, tmp_path):
    file = tmp_path / "said"
    if reason := unless(read_options(options).limits):
        with pytest.raises(AgentError) as caught:
            escaping("limits", file, options, port)
        assert reason in str(caught.value) and "this system" in reason
        return
    bot = escaping("limits", file, options, port)
    record = play_game([make_agent("random", 2), bot], "world", "challenge1", 5, picks="agents", max_rounds=1)
    assert record.rounds == 1 and bot.faults == []
    assert file.read_text().split() == [*can, "0", "1", "2"], "and no descriptors of ours"


def test_a_system_without_namespaces_says_so(tmp_path):
    """Within a user namespace that may have no further ones."""
    if shutil.which("unshare") is None or unless(BotLimits(isolate=True)):
        pytest.skip("no namespaces here at all")
    code = "from warlight_env.agents import make_agent; make_agent('cmd[network=off]:true', 1)"
    shell = f"echo 0 > /proc/sys/user/max_user_namespaces && exec {shlex.join([sys.executable, '-c', code])}"
    done = subprocess.run(["unshare", "--user", "--map-root-user", "sh", "-c", shell], capture_output=True, text=True)
    assert "network=off: this system does not allow new namespaces" in done.stderr
    assert "AgentError" in done.stderr


def test_limits_need_linux(monkeypatch):
    monkeypatch.setattr("warlight_env.protocol.limits.sys.platform", "darwin")
    with pytest.raises(CommandError, match="memory=1048576: limits need Linux"):
        check_limits(BotLimits(memory=1 << 20))


@pytest.mark.parametrize(
    "options, reason",
    [
        ("memory=much", "memory = 'much': must be a number of bytes such as 512M"),
        ("memory=1", "from 1M to 1024T"),
        ("procs=0", "must be a whole number from 1"),
        ("network=no", "must be one of on, off"),
        ("isolate=", "must be one of on, off"),
    ],
)
def test_limits_that_are_none_are_refused_with_the_reason(options, reason):
    with pytest.raises(AgentError) as caught:
        make_agent(f"cmd[{options}]:true", 1)
    assert reason in str(caught.value)


def test_limits_are_read_as_they_are_written():
    limits = read_options("memory=512M,procs=64,network=off").limits
    assert limits == BotLimits(512 << 20, 64, network=False)
    assert read_options("memory=2G,network=on").limits == BotLimits(2 << 30)
