"""Start one program, and end it with all its processes. This script uses only the standard library.

    python -I -S supervisor.py FD FOLDER SETTINGS PROGRAM ARGUMENT …
    python -I -S supervisor.py probe SETTINGS            print the settings that this system cannot enforce

FD is one end of a socket to the host. SETTINGS are six words (see `SupervisorSettings`). The program gets this
process's standard streams, and its own session and process group. The host receives ``started``, ``failed ERRNO`` or
``refused REASON``. When the program has ended, the host receives ``exited STATUS`` (the status of `os.waitpid`). The
host may close the socket, or die in any way. The guard then ends all processes and itself; its status is 0 if no
process is left. This needs a separate process, because nothing in the host survives the host's death.

On Linux, the guard also finds children that leave the group and the session (daemons). As a child subreaper it becomes
their parent. On other systems it ends the process group only. A program can kill this guard; the host then searches for
the mark that all of the program's children carry (`process_cleanup`). A program in its own namespaces cannot kill the
guard, because its processes do not see the guard. The kernel ends them together with their first process.
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

#: Seconds that the program gets to end itself after its input is closed, and again after SIGTERM.
GRACE = 0.25
#: Seconds after which the guard gives up a program that starts processes faster than the guard can end them.
GIVE_UP = 10.0
#: The limit of file locks. Linux no longer uses it, children inherit it, and only root can raise it. So it can carry a
#: tag.
RLIMIT_LOCKS = 10
#: Number of guard processes that count together with the program's processes.
OURS = 2

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_NEWNS, _NEWUSER, _NEWPID, _NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID_NODEV_NOEXEC, _MS_SLAVE_REC = 2 | 4 | 8, (1 << 19) | (1 << 14)
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


class UnavailableLimitError(Exception):
    """The system cannot enforce the settings. The text names the settings."""


class SupervisorSettings:
    """Settings of a guard: ``MARK,TAG,MEMORY,PROCS,NETWORK,ISOLATE``.

    All fields except MARK are numbers. For MEMORY and PROCS, 0 means that there is no limit.

    Attributes:
        mark: name of a variable in the program's environment.
        tag: the program's RLIMIT_LOCKS.
        memory: bytes for each process.
        procs: total number of processes and threads.
        network: 1 if the program has a network.
        isolate: whether to use namespaces.
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


def enter_namespaces(settings: SupervisorSettings) -> int:
    """Fork the first process of new namespaces. Return 0 in that process, and its id in the process that waits for it.

    Raises:
        UnavailableLimitError: the system does not allow it.
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
        raise UnavailableLimitError(f"this system does not allow new namespaces ({reason})") from None
    if first == 0:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # Both are optional: a /proc that shows the namespace, and a process id that no other bot has (two Java machines
        # with one id share a file).
        if not libc.mount(b"none", b"/", None, _MS_SLAVE_REC, None):
            libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID_NODEV_NOEXEC, None)
        with contextlib.suppress(OSError), open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(last))
    return first


def _start_loopback() -> None:
    """Switch the loopback interface on, so that a bot may talk to itself."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def set_limits(settings: SupervisorSettings) -> None:
    """Set the limits of this process and of all its children."""
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


def probe(settings: SupervisorSettings) -> str:
    """Try the settings. Return the parts that the system cannot enforce, in words; "" if it can enforce all."""
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
        except UnavailableLimitError as error:
            os.write(tell, str(error).encode())
        except OSError as error:
            os.write(tell, f"this system refuses ({os.strerror(error.errno or 0)})".encode())
        finally:
            os._exit(0)
    os.close(tell)
    os.waitpid(child, 0)
    said = os.read(told, 1000).decode()
    return "" if said == "fine" else said or "this system ends a process that sets the limits"


def _not_enforced(settings: SupervisorSettings) -> str:
    if settings.memory:
        import mmap

        try:
            mmap.mmap(-1, settings.memory + (16 << 20), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
            return "this system does not enforce a memory limit"
        except (OSError, MemoryError, OverflowError):
            pass
    if settings.procs:
        try:
            if os.fork() == 0:
                os._exit(0)
            who = "for the super-user" if os.getuid() == 0 else "here"
            return f"this system does not enforce a limit on the number of processes {who}"
        except OSError:
            pass
    if not settings.network and [name for _, name in socket.if_nameindex()] != ["lo"]:
        return "this system cannot switch the network off"
    return ""


# The program


def _start(folder: str, command: list[str], settings: SupervisorSettings) -> int:
    """Start the program and return its id. Raise OSError with the reason of a failure."""
    told, tell = os.pipe()  # both ends close at exec: an empty message means success
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
    """Kill all descendants of this process, in the order of their start. Return whether there were any (Linux)."""
    mine, me, found = {os.getpid()}, os.getpid(), False
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if not name.isdecimal() or int(name) == me:
                continue
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The program's name is in brackets and may contain anything. The parent follows after the state.
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
    """End all processes: wait after the closed input, then send SIGTERM, then SIGKILL. Return whether none is left."""
    for number in (0, signal.SIGTERM):
        if running and number:
            _kill(program, number, group=True)
        deadline = time.monotonic() + GRACE
        while running and time.monotonic() < deadline:
            running = os.waitpid(program, os.WNOHANG)[0] == 0
            if running:
                time.sleep(0.005)
    if isolated:
        return True  # this is the namespace's first process, and the kernel ends all others with it
    # After the wait, another process may get the program's id. On Linux, the loop below finds all remaining processes.
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
    """Release the standard streams. Only the program holds them then, so the host sees when they end."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _wait_for(first: int, parent: int) -> int:
    """Wait for the first process of the namespaces, and kill it if the host is gone.

    Return this process's exit status.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    while os.getppid() == parent:
        if os.waitpid(first, os.WNOHANG)[0]:
            return 0
        signal.sigtimedwait([signal.SIGCHLD], 1.0)
    time.sleep(2 * GRACE)
    _kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    return 0


def _guard(host: socket.socket, folder: str, command: list[str], settings: SupervisorSettings, isolated: bool) -> int:
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
        print(probe(SupervisorSettings(sys.argv[2])))
        return 0
    host = socket.socket(fileno=int(sys.argv[1]))
    host.set_inheritable(False)  # the program must not write to the host's socket
    parent = os.getppid()
    settings = SupervisorSettings(sys.argv[3])
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if settings.isolate:
        try:
            first = enter_namespaces(settings)
        except UnavailableLimitError as error:
            host.sendall(f"refused {error}\n".encode())
            return 0
        if first:
            _let_go_of_streams()
            host.close()
            return _wait_for(first, parent)
    return _guard(host, sys.argv[2], sys.argv[4:], settings, settings.isolate)


if __name__ == "__main__":
    sys.exit(main())
