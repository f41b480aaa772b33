"""A script that starts one program, and ends it together with all its child processes.

    python -I -S supervisor.py FD FOLDER SETTINGS PROGRAM ARGUMENT …
    python -I -S supervisor.py probe SETTINGS            print the settings that this system cannot enforce

The process of this script is called the guard. The process that starts the script is called the host. The script uses
only the standard library. FD is the descriptor of a socket to the host. FOLDER is the program's working directory.
SETTINGS consists of six values (see `SupervisorSettings`). The program uses the guard's standard streams, and has a
session and a process group of its own.

The guard sends ``started``, ``failed ERRNO`` or ``refused REASON`` to the host. When the program has ended, the guard
sends ``exited STATUS`` (the status of `os.waitpid`). When the host closes the socket or ends for any reason, the guard
ends all processes of the program, and then exits. The guard's exit status is 0 if no process of the program is left.
The guard is a separate process, because it must continue after the end of the host.

On Linux, the guard also finds child processes that leave the process group and the session (daemons), because it is
their child subreaper. On systems other than Linux, the guard ends only the process group. A program can kill the guard.
After the end of a killed guard, the host searches for the mark that all child processes of the program have (see
`process_cleanup`). A program in its own Linux namespaces cannot kill the guard, because it does not see the guard's
process. The Linux kernel ends all processes of a namespace when the first process of the namespace ends.
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

#: The time in seconds in which the program can end by itself after its input is closed, and again after SIGTERM.
GRACE = 0.25
#: The maximum time in seconds for ending all processes. It can run out if the program starts new processes very fast.
GIVE_UP = 10.0
#: The number of the resource limit for file locks. Linux does not enforce this limit, child processes inherit it, and
#: only root can raise it. So its value can mark the program's processes.
RLIMIT_LOCKS = 10
#: The number of guard processes in the namespace, which the system counts together with the program's processes.
OURS = 2

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_NEWNS, _NEWUSER, _NEWPID, _NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID_NODEV_NOEXEC, _MS_SLAVE_REC = 2 | 4 | 8, (1 << 19) | (1 << 14)
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


class UnavailableLimitError(Exception):
    """This system cannot enforce a limit of the program. The message names the limit."""


class SupervisorSettings:
    """How the supervisor recognizes the processes of a program, and limits them.

    The settings come from the text ``MARK,TAG,MEMORY,PROCS,NETWORK,ISOLATE``.

    All values except MARK are numbers. For MEMORY and PROCS, 0 means that there is no limit.

    Attributes:
        mark: the name of a variable in the program's environment, which marks its processes.
        tag: the value of the program's RLIMIT_LOCKS, which also marks its processes.
        memory: the maximum number of bytes of data of each process.
        procs: the maximum number of processes and threads of the program.
        network: 1 if the program can use the network, else 0.
        isolate: whether the program runs in its own Linux namespaces.
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
    """Create new Linux namespaces, and fork their first process.

    Like `os.fork`, return 0 in the new process. In the calling process, return the id of the new process; the calling
    process must wait for the new process.

    Raises:
        UnavailableLimitError: the system does not allow new namespaces.
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
        # Both steps may fail: mount a /proc that shows only the namespace, and give the next process an id that no
        # other bot has. Two Java virtual machines with the same process id would use the same temporary file.
        if not libc.mount(b"none", b"/", None, _MS_SLAVE_REC, None):
            libc.mount(b"proc", b"/proc", b"proc", _MS_NOSUID_NODEV_NOEXEC, None)
        with contextlib.suppress(OSError), open("/proc/sys/kernel/ns_last_pid", "w") as file:
            file.write(str(last))
    return first


def _start_loopback() -> None:
    """Enable the loopback network interface, so that processes of the bot can communicate with each other."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def set_limits(settings: SupervisorSettings) -> None:
    """Set the limits of this process, which its child processes inherit."""
    if sys.platform == "linux":
        _set_limit(RLIMIT_LOCKS, settings.tag)
    if settings.memory:
        _set_limit(resource.RLIMIT_DATA, settings.memory)
    if settings.procs:
        _set_limit(resource.RLIMIT_NPROC, settings.procs + OURS)


def _set_limit(limit: int, value: int) -> None:
    current_maximum = resource.getrlimit(limit)[1]
    if current_maximum != resource.RLIM_INFINITY:
        value = min(value, current_maximum)
    resource.setrlimit(limit, (value, value))


def probe(settings: SupervisorSettings) -> str:
    """Try the limits of the program in a child process. Return a text about limits that cannot be enforced, or ""."""
    reader, writer = os.pipe()
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
                os.write(writer, (_not_enforced(settings) or "fine").encode())
                os._exit(0)
            os.waitpid(inner, 0)
        except UnavailableLimitError as error:
            os.write(writer, str(error).encode())
        except OSError as error:
            os.write(writer, f"this system refuses ({os.strerror(error.errno or 0)})".encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    message = os.read(reader, 1000).decode()
    return "" if message == "fine" else message or "this system ends a process that sets the limits"


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
            scope = "for the super-user" if os.getuid() == 0 else "here"
            return f"this system does not enforce a limit on the number of processes {scope}"
        except OSError:
            pass
    if not settings.network and [name for _, name in socket.if_nameindex()] != ["lo"]:
        return "this system cannot switch the network off"
    return ""


# The program


def _start(folder: str, command: list[str], settings: SupervisorSettings) -> int:
    """Start the program and return its process id. Raise OSError if the program cannot be started."""
    reader, writer = os.pipe()  # a successful exec closes both ends, so an empty message means success
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
            os.write(writer, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(writer)
    message = os.read(reader, 32)
    os.close(reader)
    if message:
        os.waitpid(program, 0)
        raise OSError(int(message), os.strerror(int(message)))
    return program


def _kill_descendants() -> bool:
    """Kill all descendants of this process on Linux, in the order of their process ids.

    Return whether this process had any descendants.
    """
    family, own_id, has_descendants = {os.getpid()}, os.getpid(), False
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if not name.isdecimal() or int(name) == own_id:
                continue
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The file contains: id, program name in brackets (with any characters), state, id of the parent.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                if parent in family:
                    family.add(int(name))
                    has_descendants = True
                    _kill(int(name), signal.SIGKILL)
    return has_descendants


def _kill(process: int, number: int, group: bool = False) -> None:
    with contextlib.suppress(OSError):
        (os.killpg if group else os.kill)(process, number)


def _end(program: int, running: bool, isolated: bool) -> bool:
    """End all processes of the program, and return whether none is left.

    The input of the program is already closed. Wait `GRACE` seconds, send SIGTERM to the processes, wait again, and
    send SIGKILL.
    """
    for number in (0, signal.SIGTERM):
        if running and number:
            _kill(program, number, group=True)
        deadline = time.monotonic() + GRACE
        while running and time.monotonic() < deadline:
            running = os.waitpid(program, os.WNOHANG)[0] == 0
            if running:
                time.sleep(0.005)
    if isolated:
        return True  # when this first process of the namespace ends, the kernel ends all others
    # If the program has ended, another process may have its id now, so do not kill this id. On Linux, the loop below
    # finds all remaining processes.
    if running or sys.platform != "linux":
        _kill(program, signal.SIGKILL, group=True)
    deadline = time.monotonic() + GIVE_UP
    while time.monotonic() < deadline:
        has_descendants = _kill_descendants()
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            if not has_descendants:
                return True
        time.sleep(0.005)
    return False


def _release_streams() -> None:
    """Replace the guard's standard streams by the null device.

    After the call, only the program has the original streams, so that the host notices when the program closes these
    streams.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _wait_for(first: int, parent: int) -> int:
    """Wait for the first process of the namespaces, and kill it if the host has ended. Return 0, the exit status.

    Args:
        first: the process with the number 1 in the namespaces.
        parent: the process of the host.
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
    _release_streams()
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
    """Run the script that the module describes. Return the exit status."""
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
            _release_streams()
            host.close()
            return _wait_for(first, parent)
    return _guard(host, sys.argv[2], sys.argv[4:], settings, settings.isolate)


if __name__ == "__main__":
    sys.exit(main())
