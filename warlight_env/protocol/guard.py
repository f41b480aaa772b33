"""Starts one program and ends it with all that it started; run as a script, on the standard library alone.

    python -I -S guard.py FD FOLDER PROGRAM ARGUMENT …

FD is one end of a socket to the host. The program gets this process's standard streams, a session and a process group
of its own. The host is told ``started``, ``failed ERRNO`` or, once it has ended, ``exited STATUS`` (the status as
`os.waitpid` gives it); when the host closes the socket, or dies in whatever way, everything is ended and this process
as well. A process of its own has to do this: nothing in the host outlives its being killed.

On Linux, children that leave the group and the session (daemons) are found too: as a child subreaper this process
becomes their parent. Elsewhere the process group is what is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
import sys
import time

#: Seconds that the program gets to end by itself once its input is closed, and then after SIGTERM.
GRACE = 0.25
#: Seconds after which a program that multiplies faster than it can be ended is given up.
GIVE_UP = 10.0

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _start(folder: str, command: list[str]) -> int:
    """Start the program; its id, or an OSError that says why not."""
    told, tell = os.pipe()  # both close on exec: an empty message means that it worked
    parent = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            os.setsid()
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            os.chdir(folder)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(tell, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(tell)
    said = os.read(told, 32)
    os.close(told)
    if said:
        os.waitpid(program, 0)
        raise OSError(int(said), os.strerror(int(said)))
    return program


def _descendants() -> list[int]:
    """All processes below this one (Linux; elsewhere none are known)."""
    children: dict[int, list[int]] = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if not name.isdecimal():
                continue
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The program's name, in brackets, may contain anything; the parent comes after the state.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def _kill(process: int, number: int, group: bool = False) -> None:
    with contextlib.suppress(OSError):
        (os.killpg if group else os.kill)(process, number)


def _end(program: int, running: bool) -> None:
    """End everything: input is closed already, then SIGTERM, then SIGKILL until nothing is left."""
    for number in (0, signal.SIGTERM):
        if running and number:
            _kill(program, number, group=True)
        deadline = time.monotonic() + GRACE
        while running and time.monotonic() < deadline:
            running = os.waitpid(program, os.WNOHANG)[0] == 0
            if running:
                time.sleep(0.005)
    # Once the program is waited for, its number may be somebody else's; on Linux all others are found below.
    if running or sys.platform != "linux":
        _kill(program, signal.SIGKILL, group=True)
    deadline = time.monotonic() + GIVE_UP
    while time.monotonic() < deadline:
        left = _descendants()
        for process in left:
            _kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            if not left:
                return
        time.sleep(0.005)


def main() -> None:
    """See the module."""
    host = socket.socket(fileno=int(sys.argv[1]))
    parent = os.getppid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        program = _start(sys.argv[2], sys.argv[3:])
    except OSError as error:
        host.sendall(f"failed {error.errno}\n".encode())
        return
    # The program alone holds its streams, so that the host sees their ends.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    with contextlib.suppress(OSError):
        host.sendall(f"started {program}\n".encode())
    running = True
    poll = select.poll()
    poll.register(host, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while os.getppid() == parent:
        ready = {fd for fd, _ in poll.poll(1000)}
        if wake in ready:
            os.read(wake, 4096)
        with contextlib.suppress(ChildProcessError):
            while True:
                ended, status = os.waitpid(-1, os.WNOHANG)
                if not ended:
                    break
                if ended == program:
                    running = False
                    with contextlib.suppress(OSError):
                        host.sendall(f"exited {status}\n".encode())
        if host.fileno() in ready:
            break
    _end(program, running)


if __name__ == "__main__":
    main()
