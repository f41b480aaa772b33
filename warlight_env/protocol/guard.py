"""Starts one program and ends it with all that it started; run as a script, on the standard library alone.

    python -I -S guard.py FD FOLDER SETTINGS PROGRAM ARGUMENT …
    python -I -S guard.py probe SETTINGS            what this system cannot do of the settings, on standard output

FD is one end of a socket to the host, SETTINGS are six words (see `GuardSettings`). The program gets this process's
standard streams, a session and a process group of its own. The host is told ``started``, ``failed ERRNO``, ``refused
REASON`` or, once the program has ended, ``exited STATUS`` (the status as `os.waitpid` gives it); when the host closes
the socket, or dies in whatever way, everything is ended and this process as well, with status 0 if nothing is left. A
process of its own has to do this: nothing in the host outlives its being killed.

On Linux, children that leave the group and the session (daemons) are found too: as a child subreaper this process
becomes their parent. Elsewhere the process group is what is ended. A program that kills this process is beyond it: the
host then looks for the mark that all of the program's children carry (`sweep`). In namespaces of their own the
program's processes cannot do that: they do not see this one, and the kernel ends them with the first of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import select
import signal
import socket
import struct
import sys
import time

#: Seconds that the program gets to end by itself once its input is closed, and then after SIGTERM.
GRACE = 0.25
#: Seconds after which a program that multiplies faster than it can be ended is given up.
GIVE_UP = 10.0
#: The limit of file locks: Linux has long ceased to use it, children inherit it, and nobody but root can raise it.
RLIMIT_LOCKS = 10
#: Processes of ours that count with the program's own: both guards.
OURS = 2

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_NEWNS, _NEWUSER, _NEWPID, _NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID_NODEV_NOEXEC, _MS_SLAVE_REC = 2 | 4 | 8, (1 << 19) | (1 << 14)
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


class RefusedError(Exception):
    """The system cannot do what the settings ask for; the text says what."""


class GuardSettings:
    """``MARK,TAG,MEMORY,PROCS,NETWORK,ISOLATE``: all but the first are numbers, and 0 means that there is no limit.

    mark: a variable for the program's environment. tag: its RLIMIT_LOCKS. memory: bytes for each process.
    procs: processes and threads in all. network: 1 if there is one. isolate: whether to use namespaces.
    """

    def __init__(self, text: str) -> None:
        self.mark, *numbers = text.split(",")
        self.tag, self.memory, self.procs, self.network, isolate = map(int, numbers)
        self.isolate = bool(isolate or self.procs or not self.network)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


# Limits


def enter_namespaces(settings: GuardSettings) -> int:
    """Become the first process of new namespaces: returns 0 in there, and its number in the process that waits for it.

    Raises:
        RefusedError: the system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _NEWUSER | _NEWPID | _NEWNS | (0 if settings.network else _NEWNET)
    try:
        if libc.unshare(flags):
            raise OSError(ctypes.get_errno(), "")
        for name, text in ("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        if not settings.network:
            _start_loopback()
        last = os.getpid() - 1
        first = os.fork()
    except OSError as error:
        reason = os.strerror(error.errno or errno.EPERM)
        raise RefusedError(f"this system lets nobody here make namespaces of their own ({reason})") from None
    if first == 0:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # As far as the system allows: a /proc that shows the namespace, and a number that no other bot has (two Java
        # machines with one number share a file).
        if not libc.mount(b"none", b"/", None, _MS_SLAVE_REC, None):
            libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID_NODEV_NOEXEC, None)
        with contextlib.suppress(OSError), open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(last))
    return first


def _start_loopback() -> None:
    """A bot may talk to itself."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def set_limits(settings: GuardSettings) -> None:
    """Limits of this process and of all that it starts."""
    if sys.platform == "linux":
        _set_limit(RLIMIT_LOCKS, settings.tag)
    if settings.memory:
        _set_limit(resource.RLIMIT_DATA, settings.memory)
    if settings.procs:
        _set_limit(resource.RLIMIT_NPROC, settings.procs + OURS)


def _set_limit(which: int, value: int) -> None:
    present = resource.getrlimit(which)[1]
    if present != resource.RLIM_INFINITY:
        value = min(value, present)
    resource.setrlimit(which, (value, value))


def probe(settings: GuardSettings) -> str:
    """What the system cannot do of the settings, found out by trying; "" if it can do all."""
    told, tell = os.pipe()
    settings.procs = min(settings.procs, 1)
    child = os.fork()
    if child == 0:
        try:
            if settings.isolate and enter_namespaces(settings):
                os.wait()
                os._exit(0)
            inner = os.fork()
            if inner == 0:
                set_limits(settings)
                os.write(tell, (_not_enforced(settings) or "fine").encode())
                os._exit(0)
            os.waitpid(inner, 0)
        except RefusedError as error:
            os.write(tell, str(error).encode())
        except OSError as error:
            os.write(tell, f"this system refuses ({os.strerror(error.errno or 0)})".encode())
        finally:
            os._exit(0)
    os.close(tell)
    os.waitpid(child, 0)
    said = os.read(told, 1000).decode()
    return "" if said == "fine" else said or "this system ends whoever tries"


def _not_enforced(settings: GuardSettings) -> str:
    if settings.memory:
        import mmap

        try:
            mmap.mmap(-1, settings.memory + (16 << 20), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
            return "this system does not enforce a limit of memory"
        except (OSError, MemoryError, OverflowError):
            pass
    if settings.procs:
        try:
            if os.fork() == 0:
                os._exit(0)
            who = "for the super-user" if os.getuid() == 0 else "here"
            return f"this system does not enforce a limit of processes {who}"
        except OSError:
            pass
    if not settings.network and [name for _, name in socket.if_nameindex()] != ["lo"]:
        return "this system leaves the network there"
    return ""


# The program


def _start(folder: str, command: list[str], settings: GuardSettings) -> int:
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
            set_limits(settings)
            os.execvpe(command[0], command, {**os.environ, settings.mark: "1"})
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


def _kill_descendants() -> bool:
    """Kill all processes below this one as they are found, the new ones last; whether there were any (Linux)."""
    mine, me, found = {os.getpid()}, os.getpid(), False
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if not name.isdecimal() or int(name) == me:
                continue
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The program's name, in brackets, may contain anything; the parent comes after the state.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                if parent in mine:
                    mine.add(int(name))
                    found = True
                    _kill(int(name), signal.SIGKILL)
    return found


def _kill(process: int, number: int, group: bool = False) -> None:
    with contextlib.suppress(OSError):
        (os.killpg if group else os.kill)(process, number)


def _end(program: int, running: bool, isolated: bool) -> bool:
    """End everything: input is closed already, then SIGTERM, then SIGKILL; whether nothing is left."""
    for number in (0, signal.SIGTERM):
        if running and number:
            _kill(program, number, group=True)
        deadline = time.monotonic() + GRACE
        while running and time.monotonic() < deadline:
            running = os.waitpid(program, os.WNOHANG)[0] == 0
            if running:
                time.sleep(0.005)
    if isolated:
        return True  # this is the namespace's first process: with it the kernel ends all others
    # Once the program is waited for, its number may be somebody else's; on Linux all others are found below.
    if running or sys.platform != "linux":
        _kill(program, signal.SIGKILL, group=True)
    deadline = time.monotonic() + GIVE_UP
    while time.monotonic() < deadline:
        left = _kill_descendants()
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            if not left:
                return True
        time.sleep(0.005)
    return False


def _let_go_of_streams() -> None:
    """The program alone holds its streams, so that the host sees their ends."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _wait_for(first: int, parent: int) -> int:
    """Wait for the first process of the namespaces, and end it where the host is gone; this process's status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    while os.getppid() == parent:
        if os.waitpid(first, os.WNOHANG)[0]:
            return 0
        signal.sigtimedwait([signal.SIGCHLD], 1.0)
    time.sleep(2 * GRACE)
    _kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    return 0


def _guard(host: socket.socket, folder: str, command: list[str], settings: GuardSettings, isolated: bool) -> int:
    parent = os.getppid()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        program = _start(folder, command, settings)
    except OSError as error:
        host.sendall(f"failed {error.errno}\n".encode())
        return 0
    _let_go_of_streams()
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
    return 0 if _end(program, running, isolated) else 1


def main() -> int:
    """See the module."""
    if sys.argv[1] == "probe":
        print(probe(GuardSettings(sys.argv[2])))
        return 0
    host = socket.socket(fileno=int(sys.argv[1]))
    host.set_inheritable(False)  # what the host is told is not the program's to say
    parent = os.getppid()
    settings = GuardSettings(sys.argv[3])
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if settings.isolate:
        try:
            first = enter_namespaces(settings)
        except RefusedError as error:
            host.sendall(f"refused {error}\n".encode())
            return 0
        if first:
            _let_go_of_streams()
            host.close()
            return _wait_for(first, parent)
    return _guard(host, sys.argv[2], sys.argv[4:], settings, settings.isolate)


if __name__ == "__main__":
    sys.exit(main())
