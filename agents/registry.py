"""The registry of agents. It makes agents from specifications such as ``random:chunks=5`` or, in short, ``mcts:1s``."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io, registration_hooks
from warlight_env.agents.agent_adapter import AgentFactoryError, as_agent, call_factory
from warlight_env.agents.agent_spec import AgentSpec
from warlight_env.agents.base import Agent
from warlight_env.agents.former_names import present_parameter
from warlight_env.agents.parameters import Parameter, parameters_of
from warlight_env.agents.records.turn_record import TurnNetworkError
from warlight_env.agents.records.value_record import ValueNetworkError, digest, load_value
from warlight_env.agents.weights import Weights
from warlight_env.arguments import check_flag, is_integer, short_repr
from warlight_env.durations import read_seconds, read_simulations
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.errors import InputError, crash_reason, did_you_mean

#: The group of entry points through which other packages add agents. An entry point has the agent's name, and refers to
#: a callable with the arguments (seed, **parameters).
ENTRY_POINTS = "warlight_env.agents"


class AgentError(InputError):
    """Error: an agent or a parameter does not exist, or a parameter does not allow the given value."""


@dataclass(frozen=True)
class AgentInfo:
    """An agent's entry in the registry."""

    name: str
    summary: str
    load: Callable[[], Callable[..., Any]]
    declared: Callable[[], dict[str, Parameter]] = dict  #: returns the agent's parameters
    form: str = ""  #: for agents that take all text after the name as one argument: a description of this text
    players: int = MAX_PLAYERS  #: the largest number of players in the agent's games
    wraps: bool = False  #: whether the text after the name is another agent's specification
    #: for agents with a file name as the text after the name: returns the digest of the file's content
    digest_of: Callable[[str], str] | None = None

    @functools.cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The agent's parameters with their names. The first access imports the module that declares them."""
        return self.declared()


_AGENTS: dict[str, AgentInfo] = {}


def register(
    name: str,
    load: Callable[[], Callable[..., Any]],
    summary: str,
    settings: type | None = None,
    form: str = "",
    players: int = MAX_PLAYERS,
    wraps: bool = False,
    digest_of: Callable[[str], str] | None = None,
) -> None:
    """Register an agent. `load()` returns a callable that takes `seed` and the parameters as keyword arguments.

    settings: a dataclass, or an agent's class, that declares the parameters with `parameters.Param`. None: the agent
    has no parameters.
    form: a description of the text after the name. With a `form`, the callable takes `seed` and `text` instead. `text`
    is all text after the name, without the colon.
    players: the largest number of players in the agent's games.
    wraps: whether the text after the name is another agent's specification.
    digest_of: for agents with the name of an .npz file as the text after the name. It returns 16 hexadecimal digits
    that identify the content of the file, for `pinned`.

    The callable returns an `Agent`, or any object with a name, `pick` and `act`, see `as_agent`.

    Raises:
        AgentError: the name is taken or not possible in a specification, or another argument has the wrong type.
    """
    _check_registration(name, load, summary, settings, form, players, wraps, digest_of)
    registration_hooks.run()  # first register this project's agents outside of `agents`, so that their names are taken
    if name in _AGENTS:
        raise AgentError(f"an agent named {name!r} is already registered")

    def declared() -> dict[str, Parameter]:
        return {} if settings is None else parameters_of(settings)

    _AGENTS[name] = AgentInfo(name, summary, load, declared, form, players, wraps, digest_of)


def _check_registration(
    name: Any, load: Any, summary: Any, settings: Any, form: Any, players: Any, wraps: Any, digest_of: Any
) -> None:
    if not isinstance(name, str) or not name.isprintable() or "," in name or AgentSpec.parse(name) != AgentSpec(name):
        raise AgentError(f"name = {short_repr(name)}: must be a printable string without ':', '[' and ','")
    if not name:
        raise AgentError("name = '': must not be empty")
    for what, text in (("summary", summary), ("form", form)):
        if not isinstance(text, str):
            raise AgentError(f"agent {name!r}: {what} = {short_repr(text)}: must be a string")
    for what, function in (("load", load), ("digest_of", digest_of)):
        if not callable(function) and (what == "load" or function is not None):
            raise AgentError(f"agent {name!r}: {what} = {short_repr(function)}: must be a function")
    if settings is not None and not isinstance(settings, type):
        raise AgentError(f"agent {name!r}: settings = {short_repr(settings)}: must be a class or None")
    if not is_integer(players) or not 2 <= players <= MAX_PLAYERS:
        raise AgentError(f"agent {name!r}: players = {short_repr(players)}: must be an integer in 2 .. {MAX_PLAYERS}")
    check_flag(wraps, f"agent {name!r}: wraps", AgentError)


def _built_in(name: str, module: str, factory: str, summary: str, parameters: str = "") -> None:
    """Register a built-in agent. `factory` and `parameters` are names of objects in the agent's module."""

    def load() -> Callable[..., Agent]:
        return getattr(importlib.import_module(module), factory)

    def declared() -> dict[str, Parameter]:
        return getattr(importlib.import_module(module), parameters) if parameters else {}

    _AGENTS[name] = AgentInfo(name, summary, load, declared)


_built_in(
    "random",
    "warlight_env.agents.players.random",
    "RandomAgent",
    "deploys on random border regions and attacks random neighbours that are not clearly stronger",
    "PARAMETERS",
)
_built_in(
    "aggressive",
    "warlight_env.agents.players.aggressive",
    "AggressiveAgent",
    "deploys everything next to the most valuable region that it does not own, then attacks every weaker neighbour",
)
_built_in(
    "smart_random",
    "warlight_env.agents.players.smart_random",
    "SmartRandomAgent",
    "plays a random candidate turn",
)
_built_in(
    "one_big_army",
    "warlight_env.agents.players.one_big_army",
    "OneBigArmyAgent",
    "deploys everything on its strongest region, which attacks the most valuable neighbour that it does not own",
)
_built_in(
    "one_ply",
    "warlight_env.agents.players.one_ply",
    "OnePlyAgent",
    "plays the candidate turn with the best average position after one simulated round",
    "PARAMETERS",
)
_built_in(
    "plan",
    "warlight_env.agents.players.plan",
    "PlanAgent",
    "plans its turn from goals, without search: super regions, captures, regions to defend",
    "PARAMETERS",
)
_built_in(
    "nash",
    "warlight_env.agents.players.nash.agent",
    "NashAgent",
    "equilibrium search: computes mixed strategies over planned and network turns, and adds best responses",
    "PARAMETERS",
)
_built_in(
    "mcts",
    "warlight_env.agents.players.mcts",
    "MctsAgent",
    "Monte Carlo tree search over candidate turns",
    "PARAMETERS",
)
_built_in(
    "mcts_thesis",
    "warlight_env.agents.players.mcts",
    "thesis_mcts",
    "mcts with the parameters of the thesis",
    "THESIS_PARAMETERS",
)
_built_in(
    "mcts_no_defense",
    "warlight_env.agents.players.mcts",
    "no_defense",
    "mcts without the defensive deploy, and with offensive as the only method of attack",
    "PARAMETERS",
)
_built_in(
    "pmcts",
    "warlight_env.agents.players.mcts",
    "parallel_mcts",
    "mcts with a tree in each of two threads",
    "PARALLEL_PARAMETERS",
)
_built_in(
    "flat_mc",
    "warlight_env.agents.players.flat",
    "FlatAgent",
    "flat Monte Carlo: simulates random candidate turns and plays the turn with the best median result",
    "PARAMETERS",
)
_built_in(
    "minimax2",
    "warlight_env.agents.players.minimax2",
    "Minimax2Agent",
    "minimax over two plies: simulates each candidate turn against each candidate reply",
    "PARAMETERS",
)
_built_in(
    "maxn",
    "warlight_env.agents.players.maxn",
    "MaxnAgent",
    "Max^N search over turns that consist of the best battles: each player maximises its own value",
    "PARAMETERS",
)


@functools.cache
def _foreign() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=ENTRY_POINTS))


def _known_here() -> dict[str, AgentInfo]:
    registration_hooks.run()
    return _AGENTS


def _known() -> dict[str, AgentInfo]:
    known = dict(_known_here())
    for entry in _foreign():
        if entry.name not in known:
            known[entry.name] = AgentInfo(entry.name, f"from {entry.value}", entry.load)
    return known


#: For each file ending: the specification that an error message suggests to the user.
_FOR_FILES: Final = {
    ".zip": "sb3:file={},trust=yes if you trust its author",
    ".npz": "policy:{}",
    ".py": "'cmd:python {}' if it speaks the AI Challenge protocol",
}


def _info(name: str) -> AgentInfo:
    if name in _AGENTS:  # do not load the entry points of other packages, which is slow
        return _AGENTS[name]
    known = _known()
    if name not in known:
        for end, meant in _FOR_FILES.items():
            if name.lower().endswith(end):
                raise AgentError(f"there is no agent {name!r}; to use this file, write {meant.format(name)}")
        raise AgentError(
            f"there is no agent {name!r}{did_you_mean(name, known)}; the agents are {', '.join(sorted(known))}"
        )
    return known[name]


def agent_names() -> list[str]:
    """Return the names of all agents, including the agents of other packages."""
    return sorted(_known())


def package_agents() -> list[str]:
    """Return the names of the agents from other packages."""
    return sorted({entry.name for entry in _foreign() if entry.name not in _AGENTS})


def describe() -> list[AgentInfo]:
    """Return all agents with their parameters."""
    return [info for _, info in sorted(_known().items())]


def _value(spec: str, name: str, parameter: Parameter, text: str) -> Any:
    try:
        value = parameter.kind(text)
    except ValueError:
        raise AgentError(f"agent {spec!r}: {name} must be {parameter.kind.__name__}, not {text!r}") from None
    low, high = parameter.low, parameter.high
    if not ((low is None or value >= low) and (high is None or value <= high)):
        raise AgentError(f"agent {spec!r}: {name} = {text} must lie in {low} .. {high}")
    return value


def _renamed(info: AgentInfo, key: str, value: str, present_key: str, present_value: str) -> str:
    """Return the message for a parameter that has been renamed, or a value that has been renamed."""
    if value == present_value and key not in info.parameters:
        return f"parameter {key!r} is now {present_key!r}"
    return f"'{key}={value}' is now '{present_key}={present_value}'"


def _in_short(spec: str, part: str, parameters: dict[str, Parameter]) -> tuple[str, str]:
    """Return the key and the value of a parameter that is given without a key: simulations or seconds per move."""
    for key, read in (("sims", read_simulations), ("secs", read_seconds)):
        value = read(part)
        if value is not None and key in parameters:
            return key, str(value)
    forms = {"sims": "457 for simulations", "secs": "1s or 500ms for seconds"}
    short = ", ".join(form for key, form in forms.items() if key in parameters)
    if "file" in parameters and part.endswith(_FILES["file"][0]):
        short = f"file={part}"
    raise AgentError(f"agent {spec!r}: expected key=value{short and f' (or {short})'}, got {part!r}")


#: Largest number of agents that may be nested around another agent. In "belief:mcts" this number is 1.
MOST_WRAPPED: Final = 8


def _unwrapped(spec: str) -> tuple[list[str], AgentSpec]:
    """Split a nested specification: return the outer agents' names with colons, and the innermost specification."""
    around: list[str] = []
    known = _known_here()
    while (info := known.get((read := AgentSpec.parse(spec)).name)) is not None and info.wraps:
        around.append(f"{read.name}{read.separator}")
        spec = read.rest
    return around, read


def parse(spec: str) -> tuple[AgentInfo, dict[str, Any]]:
    """Parse a specification ``name`` or ``name:key=value,…``; return the agent's `AgentInfo` and its parameters.

    For agents with the parameters `sims` or `secs`, the key may be left out: ``mcts:457`` and ``mcts:457sims`` mean
    ``mcts:sims=457``; ``mcts:1.5s`` and ``mcts:1500ms`` mean ``mcts:secs=1.5``.

    Raises:
        AgentError: the specification is wrong; the message names the problem.
    """
    if not isinstance(spec, str):
        raise AgentError(f"agent {short_repr(spec)}: must be a specification, as in 'mcts:sims=50'")
    read = AgentSpec.parse(spec)
    info = _info(read.name)
    if info.wraps and len(_unwrapped(spec)[0]) > MOST_WRAPPED:
        raise AgentError(f"agent {spec!r}: at most {MOST_WRAPPED} agents may be nested")
    if info.form:
        return info, {"text": read.rest}
    values: dict[str, Any] = {}
    for part in read.parts:
        key, equals, text = part.partition("=")
        if not equals:
            key, text = _in_short(spec, part, info.parameters)
        if (present := present_parameter(read.name, key, text)) != (key, text):
            raise AgentError(f"agent {spec!r}: {_renamed(info, key, text, *present)}")
        if info.parameters and key not in info.parameters:
            hint = did_you_mean(key, info.parameters)
            raise AgentError(f"agent {spec!r}: no parameter {key!r}{hint}; use {', '.join(info.parameters)}")
        if key in values:
            raise AgentError(f"agent {spec!r}: {key} is given twice")
        if key in info.parameters:
            values[key] = _value(spec, key, info.parameters[key], text)
        elif read.name in _AGENTS:
            raise AgentError(f"agent {spec!r}: {read.name} takes no parameters")
        else:
            values[key] = text
    return info, values


def _network_digest(path: str) -> str:
    told = digest(bounded_io.read_bytes(Path(path), bounded_io.SETTINGS_BYTES, ValueNetworkError, "value network"))
    load_value(f"{path}#{told}")  # raises an error if the file contains no network
    return told


def _turns_digest(path: str) -> str:
    from warlight_env.agents.turn_net.turn_network_file import load_turn_network

    told = digest(bounded_io.read_bytes(Path(path), bounded_io.ARRAYS_BYTES, TurnNetworkError, "turn network"))
    load_turn_network(f"{path}#{told}")  # raises an error if the file contains no network
    return told


def _model_digest(path: str) -> str:
    return digest(bounded_io.read_bytes(Path(path), bounded_io.MODEL_BYTES, AgentError, "model"))


#: Parameters with a file name as value: the file ending, and a function that returns the digest of the file's content.
_FILES: Final[dict[str, tuple[str, Callable[[str], str]]]] = {
    "weights": (".json", lambda path: Weights.load(path).digest()),
    "value": (".npz", _network_digest),
    "net": (".npz", _turns_digest),
    "file": (".zip", _model_digest),
}
_FILE_END: Final = ".npz"  #: the ending of files with names that are the whole text after an agent's name


def pinned(spec: str) -> str:
    """Append the digest of a file's present content to each file name in a specification.

    The files contain weights, networks or models.

    Raises:
        AgentError: the specification is wrong. WeightsError, ValueNetworkError, TurnNetworkError, PolicyFileError: a
            file cannot be read.
    """
    info, _ = parse(spec)
    read = AgentSpec.parse(spec)
    if info.wraps:
        return str(read.with_rest(pinned(read.rest)))
    if info.form:
        is_file = info.digest_of is not None and read.rest.endswith(_FILE_END)
        return f"{read}#{info.digest_of(read.rest)}" if is_file and info.digest_of else str(read)

    def digest_of(key: str, value: str) -> str | None:
        end, digest = _FILES.get(key, ("", None))
        return digest(value) if digest and key in info.parameters and value.endswith(end) else None

    return str(read.with_digests(digest_of))


def unpinned(spec: str) -> str:
    """Remove the digests that `pinned` appends to the file names in a specification."""
    around, read = _unwrapped(spec)
    info = _known_here().get(read.name)
    if info is None or not info.form:
        read = read.without_digests((key, end) for key, (end, _) in _FILES.items())
    elif info.digest_of:
        read = read.without_digest(_FILE_END)
    return "".join((*around, str(read)))


def make_agent(spec: str, seed: int) -> Agent:
    """Make the agent of a specification. Agents with the same specification and seed play the same turns.

    Raises:
        AgentError: the agent or a parameter does not exist, or the factory of another package raised an error.
    """
    info, values = parse(spec)
    if not is_integer(seed):
        raise AgentError(f"agent {spec!r}: seed = {short_repr(seed)}: must be an integer")
    try:
        agent = call_factory(info.load(), seed=seed, **values)
    except AgentFactoryError as error:
        raise AgentError(f"agent {spec!r} ({info.summary}) cannot be made: TypeError: {error}") from None
    except InputError:
        raise
    except Exception as error:
        if info.name in _AGENTS:
            raise
        raise AgentError(f"agent {spec!r} ({info.summary}) cannot be made: {crash_reason(error)}") from error
    for method in ("pick", "act"):
        if not inspect.ismethod(getattr(agent, method, None)):
            raise AgentError(f"agent {spec!r}: {type(agent).__name__} has no method {method}")
    made = as_agent(agent)
    made.name = unpinned(spec)
    return made
