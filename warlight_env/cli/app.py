"""The program `warlight` with all its commands.

The program prints an error as one line on stderr, and returns an exit code.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from warlight_env.bounded_io import reason
from warlight_env.cli import (
    agents,
    analyse,
    bench,
    bot,
    browser,
    doctor,
    environment,
    experiment,
    leaderboard,
    log,
    maps,
    match,
    picture,
    replay,
    tournament,
    train,
    watch,
)
from warlight_env.cli.common import FAILURE, INTERRUPTED, OK, USAGE
from warlight_env.cli.completion import completion_command
from warlight_env.cli.config_file import ConfigFile
from warlight_env.cli.process_exit import leave_interrupts_to_watcher
from warlight_env.cli.streams import reserved_output
from warlight_env.errors import InputError, RunError, clipped, readable
from warlight_env.version import __version__

app = App(
    name="warlight",
    help="""Play and watch games of Warlight, run matches, tournaments, training and benchmarks, use logs and maps.

    The options in the file config.toml of the user's configuration folder are defaults; `warlight doctor` shows the
    path of this file. Exit codes: 0 success, 1 failure, 2 bad usage or input, 130 interrupted (Ctrl-C, SIGTERM).
    """,
    help_format="markdown",
    default_parameter=Parameter(negative_iterable=()),  # do not generate options --empty-NAME for lists
    version=f"warlight-env {__version__}",
)
app.command(match.match)
app.command(tournament.tournament)
app.command(leaderboard.leaderboard)
app.command(bench.bench)
app.command(watch.watch)
app.command(replay.replay)
app.command(analyse.analyse)
app.command(log.app)
app.command(browser.play)
app.command(browser.hotseat)
app.command(picture.picture)
app.command(experiment.app)
app.command(train.app)
app.command(agents.app)
app.command(maps.app)
app.command(environment.app)
app.command(bot.app)
app.command(doctor.doctor)
app.command(completion_command(app), name="completion")
app.config = (ConfigFile(app),)


def run(tokens: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. The argument `tokens` is explained at `cli.main`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # replace characters that the terminal does not support
    arguments = list(sys.argv[1:] if tokens is None else tokens)
    try:
        with _interruptions():
            code = _run(arguments)
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        if tokens is None:  # this is the program, not a test that calls `run`: the process ends now
            leave_interrupts_to_watcher()
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The program that reads this program's output has ended, as in ``warlight … | head``. So discard the output,
        # because Python would try to write it again at exit.
        _discard_output()
        return FAILURE
    except OSError as error:
        _discard_output()
        _complain(f"cannot write to standard output: {error.strerror or error}")
        return FAILURE
    except MemoryError:
        _complain("there is not enough memory for this command")
        return FAILURE


def _discard_output() -> None:
    """Connect standard output to the null device, so that the output in the buffer is discarded."""
    with contextlib.suppress(OSError, ValueError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, sys.stdout.fileno())
        os.close(null_device)


@contextlib.contextmanager
def _interruptions() -> Iterator[None]:
    """Raise `KeyboardInterrupt` on Ctrl-C and on the first SIGTERM, so that commands can delete temporary files."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        if _in_callback(frame):
            timer = threading.Timer(0.01, os.kill, (os.getpid(), number))
            timer.daemon = True
            timer.start()
            return
        if number == signal.SIGTERM:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    defaults: dict[int, Any] = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
    is_main_thread = threading.current_thread() is threading.main_thread()
    numbers = [number for number, handler in defaults.items() if is_main_thread and signal.getsignal(number) is handler]
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, defaults[number])


def _in_callback(frame: FrameType | None) -> bool:
    """Return whether the interrupted code is a callback of the compiler LLVM.

    An exception must not be raised in a callback: LLVM would only print the exception, so that the command would not
    end and the compiled kernel would be lost.
    """
    while frame is not None:
        if "llvmlite" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _run(arguments: list[str]) -> int:
    try:
        command, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        _complain(clipped(" ".join(str(error).split())))
        chain = getattr(error, "command_chain", None) or ()
        print(f"see: {' '.join(['warlight', *chain])} --help", file=sys.stderr)
        return USAGE
    except InputError as error:  # in the configuration file
        _complain(str(error))
        return USAGE
    try:
        with reserved_output() if _prints_json(bound.arguments) else contextlib.nullcontext():
            result: Any = command(*bound.args, **bound.kwargs)
    except InputError as error:
        _complain(str(error))
        return USAGE
    except UnicodeEncodeError as error:  # a file name that is not valid Unicode
        _complain(f"{clipped(ascii(error.object), 200)}: {error.reason}")
        return USAGE
    except BrokenPipeError:
        raise
    except RunError as error:
        _complain(str(error))
        return FAILURE
    except OSError as error:
        place = "" if error.filename is None else f"{clipped(str(error.filename), 300)}: "
        _complain(f"{place}{reason(error)}")
        return FAILURE
    return result if isinstance(result, int) else OK


def _prints_json(arguments: Mapping[str, Any]) -> bool:
    """Return whether the option --json is given: as an argument of the command, or as a field of an options object."""
    return any(value is True if name == "json" else getattr(value, "json", False) for name, value in arguments.items())


def _complain(message: str) -> None:
    message = readable(message)
    print(f"error: {message}" if message != "interrupted" else message, file=sys.stderr)
