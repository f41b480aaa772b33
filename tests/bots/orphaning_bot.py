"""Bots that leave child processes: ``orphaning_bot.py METHOD FILE``. They use only the standard library.

The bots make no moves in the game. The children ignore every signal except SIGKILL and have FILE in their command line.
Each child writes a line to FILE.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time

WAY, FILE = sys.argv[1], sys.argv[2]
SLEEP = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
SLEEPER = [sys.executable, "-I", "-S", "-c", SLEEP, FILE]


def write_line(process: int) -> None:
    with open(FILE, "a") as file:
        file.write(f"{process}\n")


def count_lines() -> int:
    """Return the number of lines of the file."""
    if not os.path.exists(FILE):
        return 0
    with open(FILE) as file:
        return len(file.readlines())


def start(**options) -> None:
    write_line(subprocess.Popen(SLEEPER, **options).pid)


def start_grandchild() -> None:
    """Start a daemon: a process in a new session, with a parent that has ended."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            write_line(os.getpid())
            os.execv(SLEEPER[0], SLEEPER)
        os._exit(0)
    os.wait()


def start_all() -> None:
    start()
    start(start_new_session=True)
    start(start_new_session=True, env={})
    start_grandchild()


def shed_marks() -> None:
    """Start a child without environment variables and with a different limit of file locks."""
    tag = resource.getrlimit(10)[1] // 2
    start(start_new_session=True, env={}, preexec_fn=lambda: resource.setrlimit(10, (tag, tag)))


def restart_repeatedly() -> None:
    """Start a process that replaces itself with a fork every 2 ms. It ends after one minute at the latest."""
    if os.fork():
        return
    os.setsid()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(0.002)
        if os.fork():
            os._exit(0)
        write_line(os.getpid())
    os._exit(0)


def start_restarting_processes() -> None:
    """Start four such processes and wait for at least four replacements."""
    for _ in range(4):
        restart_repeatedly()
    while count_lines() < 4:
        time.sleep(0.002)


def wait_for_the_end_of(guard: int) -> None:
    """Wait until the guard has ended, at most ten seconds. The first process of a namespace does not end."""
    latest = time.monotonic() + 10
    while guard > 1 and os.getppid() == guard and time.monotonic() < latest:
        time.sleep(0.001)


def act() -> None:
    guard = os.getppid()
    if WAY == "kill guard":
        start_all()
        os.kill(guard, signal.SIGKILL)
        wait_for_the_end_of(guard)
    elif WAY == "child kills guard":
        start_all()
        if os.fork() == 0:
            os.setsid()
            write_line(os.getpid())
            os.kill(guard, signal.SIGKILL)
            time.sleep(600)
        wait_for_the_end_of(guard)
    elif WAY == "stop guard":
        start_all()
        os.kill(guard, signal.SIGSTOP)
    elif WAY == "hop":
        start_restarting_processes()
    elif WAY == "hop and kill guard":
        start_restarting_processes()
        os.kill(guard, signal.SIGKILL)
        wait_for_the_end_of(guard)
    elif WAY == "shed":
        start_all()
        shed_marks()
        os.kill(guard, signal.SIGKILL)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def limits_text() -> str:
    """Name the possible actions (allocate 256 MiB, start ten processes, reach a port) and the open descriptors."""
    can = []
    try:
        bytearray(256 << 20)
        can.append("memory")
    except MemoryError:
        pass
    children = []
    try:
        for _ in range(10):
            children.append(subprocess.Popen(SLEEPER))
        can.append("procs")
    except OSError:
        pass
    for child in children:
        child.kill()
        child.wait()
    import socket

    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[3])), 2).close()
        can.append("network")
    except OSError:
        pass
    descriptors = [fd for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")]
    return " ".join([*can, *sorted(descriptors)])


for line in sys.stdin:
    if line.startswith("pick_starting_region"):
        if WAY == "limits":
            text = limits_text()
            with open(FILE, "w") as file:
                file.write(text)
        say(" ".join(line.split()[2:8]))
        act()
    elif line.startswith("go "):
        say("No moves")
