"""Exit codes, errors, options and output functions that several commands use."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import CoercionError, Parameter, Token

from warlight_env import output
from warlight_env.arguments import kind_in_words
from warlight_env.bounded_io import reason, shown
from warlight_env.cli.process_exit import INTERRUPTED as INTERRUPTED
from warlight_env.cli.streams import result_stream
from warlight_env.errors import InputError, RunError, clipped, did_you_mean, readable

if TYPE_CHECKING:
    from warlight_env.agents import Agent
    from warlight_env.arena import Backend
    from warlight_env.engine.rules import Rules
    from warlight_env.game import Game
    from warlight_env.record import GameLog

OK, FAILURE, USAGE = 0, 1, 2


class UsageError(InputError):
    """The arguments or the input of a command are not valid; exit code 2."""


class FailedCommandError(RunError):
    """A command with valid arguments failed; exit code 1."""


def load_log(file: Path) -> GameLog:
    """Return the log in a file.

    Raises:
        UsageError: `file` is a folder. LogError: see `GameLog.load`.
    """
    from warlight_env.record import GameLog

    if os.path.isdir(file):  # unlike `Path.is_dir`, it raises no error if the path is too long
        raise UsageError(f"{file} is a folder: give one log; `warlight log list {file}` shows the logs in it")
    return GameLog.load(file)


def require_extra(extra: str, *libraries: str) -> None:
    """Raise a `FailedCommandError` if a library of an extra (a group of optional dependencies) is missing.

    The error message names the missing libraries and the pip command that installs the extra.
    """
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise FailedCommandError(
            f"{', '.join(missing)} {are} missing: pip install 'warlight-env[{extra}]' or '.[{extra}]'"
        )


def _integer(kind: object, tokens: Sequence[Token]) -> int:
    """Return the integer of a command-line word in decimal digits; raise an error for words such as 1.5 or 1e2."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise _refusal(tokens[0], "must be an integer") from None


def count(kind: object, tokens: Sequence[Token]) -> int:
    """Return the positive integer of a command-line word."""
    value = _integer(kind, tokens)
    if reason := wrong_count(value):
        raise _refusal(tokens[0], reason)
    return value


def wrong_count(value: int) -> str:
    """Return the reason why an integer cannot be a number of things; an empty text if it can."""
    return "must be at least 1" if value < 1 else "must be below 2**63" if value >= 2**63 else ""


def _refusal(token: Token, reason: str) -> CoercionError:
    """Return the error for the value of an option or of a positional argument on the command line."""
    value = clipped(token.value, 60) or "''"
    return CoercionError(msg=f"{value if token.keyword is None else f'{token.keyword} {value}'}: {reason}")


def _path(kind: object, tokens: Sequence[Token]) -> Path:
    """Return the path of a command-line word; raise an error for an empty word, which would be the current folder."""
    if not tokens[0].value:
        raise _refusal(tokens[0], "must be the name of a file or folder")
    return Path(tokens[0].value)


#: The type of paths of files and folders.
PathArgument = Annotated[Path, Parameter(converter=_path)]
#: The type of integer arguments of commands, and of those that must be positive.
Integer = Annotated[int, Parameter(converter=_integer)]
Count = Annotated[int, Parameter(converter=count)]

MapOption = Annotated[str, Parameter(name="--map", help="Name of a bundled map, or a map file.")]
RulesOption = Annotated[
    str,
    Parameter(name="--rules", help="Preset of rules, optionally with changes: thesis:fog=true,base_income=6."),
]
FogOption = Annotated[bool, Parameter(name="--fog", negative="", help="Play with fog of war.")]
SeedOption = Annotated[Integer, Parameter(name="--seed", help="Seed of all random choices.")]
PicksOption = Annotated[
    Literal["random", "agents"],
    Parameter(name="--picks", help="Choose the starting regions at random, or let the agents pick them."),
]
BackendOption = Annotated[
    Literal["local", "ray"],
    Parameter(name="--backend", help="Run the games in processes on this machine, or on a Ray cluster."),
]
JobsOption = Annotated[
    Count | None,
    Parameter(
        name="--jobs",
        help="Number of games to play in parallel; results do not depend on it (default: 1; with ray, all CPUs).",
    ),
]
RayAddressOption = Annotated[
    str | None,
    Parameter(
        name="--ray-address",
        help="Address of the Ray cluster (default: $RAY_ADDRESS, or a new cluster on this machine).",
    ),
]
JsonOption = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON.")]
QuietOption = Annotated[
    bool, Parameter(name=["--quiet", "-q"], negative="", help="Print no progress on standard error.")
]


def read_rules(text: str, fog: bool = False) -> Rules:
    """Return the rules that a text in the form ``preset`` or ``preset:field=value,…`` describes.

    fog: whether the rules have fog, whatever the preset is. The result is equal to the rules of a text with
    ``fog=true``.

    Raises:
        UsageError: the text describes no rules, or it switches fog off although `fog` is True.
    """
    rules = _read_rules(text)
    if not fog or rules.fog:
        return rules
    preset, _, assignments = text.partition(":")
    if any(part.partition("=")[0].strip() == "fog" for part in assignments.split(",")):
        raise UsageError(f"--fog: the rules {text!r} switch fog off; remove --fog, or fog from the rules")
    return _read_rules(f"{preset}:{','.join(filter(None, (assignments, 'fog=true')))}")


def _read_rules(text: str) -> Rules:
    from warlight_env.engine.rules import PRESETS, Rules

    name, _, assignments = text.partition(":")
    if name not in PRESETS:
        raise UsageError(f"no rules {name!r}{did_you_mean(name, PRESETS)}; there are {', '.join(PRESETS)}")
    fields = {field.name: field.default for field in dataclasses.fields(Rules) if field.name != "name"}
    changes: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in assignments.split(","))):
        key, equals, value = part.partition("=")
        if not equals or key not in fields:
            unknown = f"no rule {key!r}{did_you_mean(key, fields)}"
            reason = unknown if equals else f"expected field=value, not {part!r}"
            raise UsageError(f"rules {text!r}: {reason}; there are {', '.join(sorted(fields))}")
        if key in changes:
            raise UsageError(f"rules {text!r}: {key} is given twice")
        changes[key] = _field_value(text, key, value, fields[key])
    return Rules.of(name, name=text, **changes) if changes else Rules.of(name)


def _field_value(text: str, key: str, value: str, default: Any) -> Any:
    """Convert the text of a rule's value to the type of the rule's default."""
    if isinstance(default, bool):
        words = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
        if value.lower() not in words:
            raise UsageError(f"rules {text!r}: {key} must be {kind_in_words(bool)}, not {value!r}")
        return words[value.lower()]
    if isinstance(default, int | float):
        try:
            return type(default)(value)
        except ValueError:
            kind = kind_in_words(type(default))
            raise UsageError(f"rules {text!r}: {key} must be {kind}, not {value!r}") from None
    return value


TracebackOption = Annotated[
    bool,
    Parameter(
        negative="", help="Print the end of the traceback, or of the program's standard error, of each bot that fails."
    ),
]


@contextlib.contextmanager
def crash_traceback(enabled: bool) -> Iterator[None]:
    """Print the traceback of an `AgentCrashError` from the `with` block on stderr if `enabled` is True."""
    from warlight_env.arena.games.game_loop import AgentCrashError

    try:
        yield
    except AgentCrashError as error:
        if enabled and error.detail:
            print(readable(error.detail), file=sys.stderr)
        raise


def read_backend(name: Literal["local", "ray"], ray_address: str | None) -> Backend:
    """Return the backend, local or Ray, that runs the games of a command."""
    from warlight_env.arena.backends.backend import make_backend

    if name != "ray":
        if ray_address is not None:
            raise UsageError("--ray-address needs --backend ray")
        return make_backend(name)
    from warlight_env.arena.backends.ray_backend import RayBackend

    return RayBackend(ray_address)


def print_json(data: Any) -> None:
    """Print data as JSON on standard output, with unprintable characters escaped."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    text = "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    try:
        print(text, file=result_stream(), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FailedCommandError(f"cannot write to standard output: {reason(error)}") from None


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file in one step: afterwards it has the complete new content, or it is unchanged.

    Raises:
        OutputError: the path names something other than a regular file.
        FailedCommandError: the file cannot be written; the error message names the reason.
    """
    try:
        output.write_file(path, content)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: the name is not a valid file name
        raise FailedCommandError(f"cannot write {shown(path)}: {reason(error)}") from None


def check_writable(path: Path) -> None:
    """Check that a file can be written later. A command with several outputs or with long work calls this first.

    Raises:
        OutputError: the path names something other than a regular file.
        FailedCommandError: the folder of the file does not exist, or the file or its folder is read-only.
    """
    try:
        output.check_writable(path)
    except OSError as error:
        raise FailedCommandError(f"cannot write {shown(path)}: {reason(error)}") from None


def check_output_file(option: str, path: Path, suffix: str) -> None:
    """Check the name of an option's output file, and that the file can be written later.

    Raises:
        UsageError: the name does not end in `suffix`.
        OutputError, FailedCommandError: see `check_writable`.
    """
    if path.suffix.lower() != suffix:
        raise UsageError(f"{option} {path}: must end in {suffix}")
    check_writable(path)


def start_game(
    agents: Sequence[str],
    map: str,
    rules: str,
    seed: int,
    picks: Literal["random", "agents"] = "random",
    number: int = 0,
    fog: bool = False,
) -> tuple[Game, tuple[Agent, ...]]:
    """Return game `number` of a match before its first round, and the bots in the order of the seats."""
    from warlight_env.arena import Match
    from warlight_env.arena.games.game_loop import pick_regions
    from warlight_env.game import Game

    setup = Match(agents, seed=seed, map=map, rules=read_rules(rules, fog), picks=picks, on_crash="stop").setup()
    seating = setup.make_seating(number)
    picking = "random" if picks == "random" else "play"
    game = Game(setup.map, setup.rules, len(agents), seating.seed, picks=picking)  # type: ignore[arg-type]
    pick_regions(game, seating.agents)
    return game, seating.agents
