"""No process remains after a game, even if a bot attacks its supervisor; limits apply or raise an error."""

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
from warlight_env.protocol.process_cleanup import ProcessMark

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")

ESCAPING = Path(__file__).parents[1] / "bots" / "orphaning_bot.py"


def escaping_bot(way: str, file: Path, options: str = "", *more: str) -> ExternalBot:
    """Return a bot that tries to escape in the given way and writes the numbers of its children to a file."""
    words = [sys.executable, "-I", "-S", str(ESCAPING), way, str(file), *more]
    bot = make_agent(f"cmd[bank=30,policy=skip{options and ',' + options}]:{shlex.join(words)}", 1)
    assert isinstance(bot, ExternalBot)
    return bot


def unsupported_reason(limits: BotLimits) -> str:
    """Return why this system cannot set the limits, or "" if it can."""
    try:
        check_limits(limits)
    except CommandError as error:
        return str(error)
    return ""


def remaining_processes(file: Path) -> list[str]:
    """Return the command lines of the processes of a bot: each command line contains its file."""
    lines = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode() if entry.name.isdecimal() else ""
        except OSError:
            continue  # the process has just ended
        if str(file) in line:
            lines.append(line)
    return lines


@pytest.mark.parametrize("way", ["kill guard", "child kills guard", "stop guard", "hop", "hop and kill guard"])
def test_exactly_the_children_of_a_bot_end_with_the_game(way, tmp_path):
    """The bot starts plain children, daemons, children with an empty environment, and children that fork repeatedly."""
    file = tmp_path / "children"
    other_child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
    try:
        bots = [escaping_bot(way, file), make_agent(misbehaving("honest"), 2)]
        record = play_game(bots, "world", "challenge1", 5, picks="agents", max_rounds=2)
        assert record.rounds == 2
        assert file.read_text().count("\n") >= 4, "there were some"
        assert remaining_processes(file) == []
        content = file.read_text()
        time.sleep(0.05)
        assert file.read_text() == content, "one is still hopping"
        assert other_child.poll() is None, "the host's own child"
        assert bots[1].faults == [], "the other bot"
        causes = [fault.cause for fault in bots[0].faults]
        assert any(fault.lost for fault in bots[0].faults) == ("kill" in way), "with its guard the bot ends"
        assert not any("could not be ended" in cause for cause in causes)
    finally:
        other_child.kill()
        other_child.wait()


@pytest.mark.parametrize("way", ["shed", "child kills guard", "hop and kill guard"])
def test_no_process_escapes_from_separate_namespaces(way, tmp_path):
    """The bot cannot find its guard, and the kernel ends all its children, even those without any mark."""
    if reason := unsupported_reason(BotLimits(isolate=True)):
        pytest.skip(reason)
    file = tmp_path / "children"
    bot = escaping_bot(way, file, "isolate=on")
    record = play_game([bot, make_agent("random", 2)], "world", "challenge1", 5, picks="agents", max_rounds=2)
    assert record.rounds == 2 and bot.faults == []
    assert file.read_text().count("\n") >= 4, "there were some"
    assert remaining_processes(file) == []


def test_processes_that_cannot_be_ended_are_recorded(tmp_path, monkeypatch):
    """`os.kill` fails here as for a process of another user, for example of a bot under sudo."""
    from warlight_env.protocol import process_cleanup

    file = tmp_path / "children"
    bot = escaping_bot("kill guard", file)

    class KillFails:
        """The module `os`, except that `kill` raises `PermissionError`."""

        def __getattr__(self, name: str) -> object:
            return getattr(os, name)

        def kill(self, process: int, number: int) -> None:
            raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(process_cleanup, "os", KillFails())
        play_game([bot, make_agent("random", 2)], "world", "challenge1", 5, picks="agents", max_rounds=1)
    [fault] = [fault for fault in bot.faults if fault.question == "processes"]
    count, _, numbers = fault.cause.partition(" processes could not be ended: ")
    assert int(count) >= 4, "and perhaps the bot itself, which ends just then"
    for process in map(int, numbers.split(", ")):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    until = time.monotonic() + 20
    while remaining_processes(file) and time.monotonic() < until:
        time.sleep(0.01)  # a killed process needs a moment to end
    assert remaining_processes(file) == []


def test_the_search_continues_after_processes_that_ended_before_their_marks_were_read(monkeypatch):
    """A process that replaces itself can end after the listing of the processes, many times in sequence."""
    from warlight_env.protocol import process_cleanup

    mark, fork = ProcessMark.new(), subprocess.Popen(["true"])
    fork.wait()
    assert mark.carried_by(fork.pid) is None and mark.carried_by(os.getpid()) is False
    listings: list[list[str]] = []

    class EndedProcesses:
        """The module `os`, except that the first 30 listings contain only a process that has ended."""

        def __getattr__(self, name: str) -> object:
            return getattr(os, name)

        def listdir(self, folder: str) -> list[str]:
            # Numbers above the largest process id: no process has them.
            listings.append([str((1 << 22) + len(listings))] if len(listings) < 30 else os.listdir(folder))
            return listings[-1]

    bot = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"], env={mark.name: "1"})
    try:
        while not mark.carried_by(bot.pid):
            time.sleep(0.001)  # the new process has not yet replaced its environment
        with monkeypatch.context() as patched:
            patched.setattr(process_cleanup, "os", EndedProcesses())
            assert mark.kill_all() == []
        assert bot.wait(20) == -signal.SIGKILL
    finally:
        bot.kill()
        bot.wait()


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
def test_a_limit_takes_effect_or_is_refused(options, can, port, tmp_path):
    file = tmp_path / "said"
    if reason := unsupported_reason(read_options(options).limits):
        with pytest.raises(AgentError) as caught:
            escaping_bot("limits", file, options, port)
        assert reason in str(caught.value) and "this system" in reason
        return
    bot = escaping_bot("limits", file, options, port)
    record = play_game([make_agent("random", 2), bot], "world", "challenge1", 5, picks="agents", max_rounds=1)
    assert record.rounds == 1 and bot.faults == []
    assert file.read_text().split() == [*can, "0", "1", "2"], "and no descriptors of ours"


def test_a_system_without_namespaces_raises_an_error(tmp_path):
    """The test runs in a user namespace that allows no further namespaces."""
    if shutil.which("unshare") is None or unsupported_reason(BotLimits(isolate=True)):
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
def test_invalid_limits_are_refused_with_the_reason(options, reason):
    with pytest.raises(AgentError) as caught:
        make_agent(f"cmd[{options}]:true", 1)
    assert reason in str(caught.value)


def test_limits_are_parsed_from_options():
    limits = read_options("memory=512M,procs=64,network=off").limits
    assert limits == BotLimits(512 << 20, 64, network=False)
    assert read_options("memory=2G,network=on").limits == BotLimits(2 << 30)
