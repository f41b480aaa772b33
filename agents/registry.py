"""Agents by name, with parameters, as in ``random:chunks=5`` or, in short, ``mcts:1s``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

from warlight_env import bounded_io, registration_hooks
from warlight_env.agents.agent_adapter import AgentFactoryError, as_agent, call_factory, method_fault
from warlight_env.agents.agent_info import AgentInfo, TextForm
from warlight_env.agents.agent_spec import AgentSpec, split_digest
from warlight_env.agents.base import Agent
from warlight_env.agents.bot_profile import BotProfile
from warlight_env.agents.built_in import BUILT_IN
from warlight_env.agents.imported import PYTHON_END, ImportedAgentError, file_digest, imported_agent
from warlight_env.agents.parameters import Parameter, parameters_of
from warlight_env.agents.records.turn_record import TurnNetworkError
from warlight_env.agents.records.value_record import ValueNetworkError, digest, read_value
from warlight_env.agents.weights import Weights
from warlight_env.arguments import check_flag, check_integer, is_integer, kind_in_words, short_repr
from warlight_env.durations import read_seconds, read_simulations
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.errors import InputError, crash_reason, did_you_mean

#: Entry points of other packages: name → a callable with arguments (seed, **parameters).
ENTRY_POINTS = "warlight_env.agents"


class AgentError(InputError):
    """Error for an unknown agent or parameter, or for a value that a parameter does not allow."""


_AGENTS: dict[str, AgentInfo] = {info.name: info for info in BUILT_IN}


def register(
    name: str,
    load: Callable[[], Callable[..., Any]],
    summary: str,
    settings: type | None = None,
    text: TextForm | None = None,
    players: int = MAX_PLAYERS,
    profile: BotProfile | None = None,
    presets: Mapping[str, BotProfile] | None = None,
) -> None:
    """Add an agent; `load()` returns a callable that takes `seed` and the parameters as keywords.

    Args:
        settings: a dataclass, or an agent's class, that declares the parameters with `parameters.Param`. None: no
            parameters.
        text: with a `TextForm`, the callable takes `seed` and `text` instead of parameters: `text` is all text after
            the name, without the colon.
        players: the largest number of players in the agent's games.
        summary: one sentence.
        profile: the name, level and face that people see; None: the page shows the specification and the summary.
        presets: other profiles for some specifications, by the text after the name, without the colon.

    The callable that `load()` returns makes an `Agent`, or any object with a name, `pick` and `act`, see `as_agent`.

    Raises:
        AgentError: the name is taken or not possible in a specification, or another argument has the wrong type.
    """
    _check_registration(name, load, summary, settings, text, players)
    _check_profiles(name, profile, presets)
    registration_hooks.run()  # register the agents above first, so that their names are taken
    if name in _AGENTS:
        raise AgentError(f"an agent named {name!r} is already registered")

    def declared() -> dict[str, Parameter]:
        return {} if settings is None else parameters_of(settings)

    _AGENTS[name] = AgentInfo(name, summary, load, declared, text, players, profile, dict(presets or {}))


def _check_registration(name: Any, load: Any, summary: Any, settings: Any, text: Any, players: Any) -> None:
    if not isinstance(name, str) or not name.isprintable() or "," in name or AgentSpec.parse(name) != AgentSpec(name):
        raise AgentError(f"name = {short_repr(name)}: must be a printable string without ':', '[' and ','")
    if not name:
        raise AgentError("name = '': must not be empty")
    if not isinstance(summary, str):
        raise AgentError(f"agent {name!r}: summary = {short_repr(summary)}: must be a string")
    if not callable(load):
        raise AgentError(f"agent {name!r}: load = {short_repr(load)}: must be a function")
    if settings is not None and not isinstance(settings, type):
        raise AgentError(f"agent {name!r}: settings = {short_repr(settings)}: must be a class or None")
    check_integer(players, f"agent {name!r}: players", 2, MAX_PLAYERS, AgentError)
    if text is not None:
        _check_text(f"agent {name!r}: text", text)


def _check_text(label: str, text: Any) -> None:
    if not isinstance(text, TextForm):
        raise AgentError(f"{label} = {short_repr(text)}: must be a TextForm or None")
    if not isinstance(text.form, str) or not text.form:
        raise AgentError(f"{label}.form = {short_repr(text.form)}: must be a string that is not empty")
    check_flag(text.wraps, f"{label}.wraps", AgentError)
    if text.digest_of is not None and not callable(text.digest_of):
        raise AgentError(f"{label}.digest_of = {short_repr(text.digest_of)}: must be a function or None")


def _check_profiles(name: str, profile: Any, presets: Any) -> None:
    if profile is not None and not isinstance(profile, BotProfile):
        raise AgentError(f"agent {name!r}: profile = {short_repr(profile)}: must be a BotProfile or None")
    if presets is None:
        return
    if not isinstance(presets, Mapping):
        raise AgentError(f"agent {name!r}: presets = {short_repr(presets)}: must be a mapping or None")
    for text, preset in presets.items():
        if not isinstance(text, str) or not text.isprintable() or not isinstance(preset, BotProfile):
            raise AgentError(
                f"agent {name!r}: presets[{short_repr(text)}] = {short_repr(preset)}: must map the text after the "
                "agent's name to a BotProfile"
            )


@functools.cache
def _foreign_entry_points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=ENTRY_POINTS))


def _registered_agents() -> dict[str, AgentInfo]:
    registration_hooks.run()
    return _AGENTS


def _all_agents() -> dict[str, AgentInfo]:
    agents = dict(_registered_agents())
    for entry in _foreign_entry_points():
        if entry.name not in agents:
            agents[entry.name] = AgentInfo(entry.name, f"from {entry.value}", entry.load)
    return agents


#: The agents for each type of file, by the end of the file's name.
_FOR_FILES: Final = {
    ".zip": "sb3:file={},trust=yes if you trust its author",
    ".npz": "policy:{}",
    ".py": "{}:NAME for its class or function NAME, or 'cmd:python {}' if it uses the AI Challenge protocol",
}


def _info(name: str) -> AgentInfo:
    if name in _AGENTS:  # skip the slow search for other packages' agents
        return _AGENTS[name]
    agents = _all_agents()
    if name not in agents:
        for end, template in _FOR_FILES.items():
            if name.lower().endswith(end):
                raise AgentError(f"there is no agent {name!r}; for a file write {template.format(name, name)}")
        raise AgentError(
            f"there is no agent {name!r}{did_you_mean(name, agents)}; the agents are {', '.join(sorted(agents))}"
        )
    return agents[name]


def _find(parsed: AgentSpec) -> AgentInfo:
    """Return the entry of a registered agent, or of an agent in a module or a file (see `imported_agent`)."""
    if parsed.name not in _AGENTS and parsed.name not in _all_agents():
        try:
            info = imported_agent(parsed)
        except ImportedAgentError as error:
            raise AgentError(str(error)) from None
        if info is not None:
            return info
    return _info(parsed.name)


def agent_names() -> list[str]:
    """Return the names of all agents, including those of other packages."""
    return sorted(_all_agents())


def package_agents() -> list[str]:
    """Return the names of the agents from other packages."""
    return sorted({entry.name for entry in _foreign_entry_points() if entry.name not in _AGENTS})


def describe() -> list[AgentInfo]:
    """Return all agents with their parameters."""
    return [info for _, info in sorted(_all_agents().items())]


def profile_of(spec: str) -> BotProfile | None:
    """Return the profile of a bot with its description, or None if the agent has no profile or is unknown."""
    parsed = AgentSpec.parse(spec)
    info = _registered_agents().get(parsed.name)
    return None if info is None else info.profiles.get(str(parsed), info.profiles.get(info.name))


def _value(spec: str, name: str, parameter: Parameter, text: str) -> Any:
    try:
        value = parameter.kind(text)
    except ValueError:
        raise AgentError(f"agent {spec!r}: {name} must be {kind_in_words(parameter.kind)}, not {text!r}") from None
    low, high = parameter.low, parameter.high
    if not ((low is None or value >= low) and (high is None or value <= high)):
        raise AgentError(f"agent {spec!r}: {name} = {text} must lie in {low} .. {high}")
    return value


def _parse_short_form(spec: str, part: str, parameters: dict[str, Parameter]) -> tuple[str, str]:
    """Return the key and value of a parameter that is given without a key: simulations or seconds per move."""
    for key, reader in (("sims", read_simulations), ("secs", read_seconds)):
        value = reader(part)
        if value is not None and key in parameters:
            return key, str(value)
    forms = {"sims": "457 for simulations", "secs": "1s or 500ms for seconds"}
    short = ", ".join(form for key, form in forms.items() if key in parameters)
    if "file" in parameters and part.endswith(_FILES["file"][0]):
        short = f"file={part}"
    raise AgentError(f"agent {spec!r}: expected key=value{short and f' (or {short})'}, got {part!r}")


#: Largest number of nested agents around another agent, as in "belief:mcts".
MOST_WRAPPED: Final = 8


def _unwrap(spec: str) -> tuple[list[str], AgentSpec]:
    """Return a specification's prefixes, such as ``isolated:``, and the specification of the innermost agent."""
    prefixes: list[str] = []
    agents = _registered_agents()
    while (info := agents.get((parsed := AgentSpec.parse(spec)).name)) is not None and info.wraps:
        parsed = parsed.wrapped
        prefixes.append(f"{parsed.name}{parsed.separator}")
        spec = parsed.argument_text
    return prefixes, parsed


def parse(spec: str) -> tuple[AgentInfo, dict[str, Any]]:
    """Return an agent's entry and its parameters from ``name`` or ``name:key=value,…``.

    For agents that take `sims` or `secs`, the value may be alone: ``mcts:457`` and ``mcts:457sims`` are
    ``mcts:sims=457``; ``mcts:1.5s`` and ``mcts:1500ms`` are ``mcts:secs=1.5``.

    Raises:
        AgentError: the specification is wrong; the error message names the problem.
    """
    if not isinstance(spec, str):
        raise AgentError(f"agent {short_repr(spec)}: must be a specification, as in 'mcts:sims=50'")
    parsed = AgentSpec.parse(spec)
    info = _find(parsed)
    if info.wraps and len(_unwrap(spec)[0]) > MOST_WRAPPED:
        raise AgentError(f"agent {spec!r}: at most {MOST_WRAPPED} agents may be nested")
    if info.text is not None:
        return info, {"text": parsed.argument_text}
    values: dict[str, Any] = {}
    for part in parsed.parts:
        key, equals, text = part.partition("=")
        if not equals:
            key, text = _parse_short_form(spec, part, info.parameters)
        if info.parameters and key not in info.parameters:
            hint = did_you_mean(key, info.parameters)
            raise AgentError(f"agent {spec!r}: no parameter {key!r}{hint}; use {', '.join(info.parameters)}")
        if key in values:
            raise AgentError(f"agent {spec!r}: {key} is given twice")
        if key in info.parameters:
            values[key] = _value(spec, key, info.parameters[key], text)
        elif parsed.name in _AGENTS:
            raise AgentError(f"agent {spec!r}: {parsed.name} takes no parameters")
        else:
            values[key] = text
    return info, values


def with_seconds(spec: str, seconds: float) -> str:
    """Return the specification with another time limit per move; the innermost agent must have the parameter `secs`."""
    prefixes, parsed = _unwrap(spec)
    parts = [part for part in parsed.parts if not part.startswith("secs=") and read_seconds(part) is None]
    return "".join(prefixes) + str(AgentSpec(parsed.name, ":", ",".join([*parts, f"secs={seconds:g}"])))


def _network_digest(path: str) -> str:
    content = bounded_io.read_bytes(Path(path), bounded_io.SETTINGS_BYTES, ValueNetworkError, "value network")
    read_value(content, path)  # raises an error if the file contains no network
    return digest(content)


def _turns_digest(path: str) -> str:
    from warlight_env.agents.turn_net.turn_network_file import read_turn_network

    content = bounded_io.read_bytes(Path(path), bounded_io.ARRAYS_BYTES, TurnNetworkError, "turn network")
    read_turn_network(content, path)  # raises an error if the file contains no network
    return digest(content)


def _model_digest(path: str) -> str:
    return digest(bounded_io.read_bytes(Path(path), bounded_io.MODEL_BYTES, AgentError, "model"))


#: Parameters that name files: the end of the name, and a function for the digest of the content.
_FILES: Final[dict[str, tuple[str, Callable[[str], str]]]] = {
    "weights": (".json", lambda path: Weights.load(path).digest()),
    "value": (".npz", _network_digest),
    "net": (".npz", _turns_digest),
    "own_net": (".npz", _turns_digest),
    "file": (".zip", _model_digest),
}
_FILE_END: Final = ".npz"  #: the end of file names that are the whole text after an agent's name


def pinned(spec: str) -> str:
    """Return a specification with a digest of the file's present content after each file name.

    Files of weights, networks and models get digests, and Python files with agents. A digest does not cover the modules
    that a Python file imports.

    Raises:
        AgentError: the specification of the agent is wrong.
        WeightsError, ValueNetworkError, TurnNetworkError, PolicyFileError, ImportedAgentError: a file cannot be read.
    """
    info, _ = parse(spec)
    parsed = AgentSpec.parse(spec)
    if info.wraps:
        parsed = parsed.wrapped
        return str(parsed.with_argument_text(pinned(parsed.argument_text)))
    if info.file is not None:
        return str(replace(parsed, name=f"{info.file}#{file_digest(info.file)}"))
    if info.text is not None:
        text_digest = info.text.digest_of
        is_file = text_digest is not None and parsed.argument_text.endswith(_FILE_END)
        return f"{parsed}#{text_digest(parsed.argument_text)}" if is_file and text_digest else str(parsed)

    def digest_of(key: str, value: str) -> str | None:
        end, digest = _FILES.get(key, ("", None))
        return digest(value) if digest and key in info.parameters and value.endswith(end) else None

    return str(parsed.with_digests(digest_of))


def unpinned(spec: str) -> str:
    """Return the specification from which `pinned` made `spec`."""
    prefixes, parsed = _unwrap(spec)
    info = _registered_agents().get(parsed.name)
    if info is None or info.text is None:
        parsed = parsed.without_digests({key: end for key, (end, _) in _FILES.items()})
        parsed = replace(parsed, name=split_digest(parsed.name, PYTHON_END)[0])
    elif info.text.digest_of:
        parsed = parsed.with_argument_text(split_digest(parsed.argument_text, _FILE_END)[0])
    return "".join((*prefixes, str(parsed)))


def make_agent(spec: str, seed: int) -> Agent:
    """Return the agent of a specification. Agents from the same specification and seed play the same turns.

    Raises:
        AgentError: the agent or a parameter does not exist, another package cannot make its agent, or the agent's
            methods do not accept the arguments `pick(view)` and `act(view, budget)`.
    """
    info, values = parse(spec)
    name = unpinned(spec)
    if not is_integer(seed):
        raise AgentError(f"agent {name!r}: seed = {short_repr(seed)}: must be an integer")
    try:
        agent = call_factory(info.load(), seed=seed, **values)
    except AgentFactoryError as error:
        raise AgentError(f"agent {name!r} ({info.summary}) cannot be made: TypeError: {error}") from None
    except ImportedAgentError as error:
        raise AgentError(str(error)) from None
    except InputError:
        raise
    except Exception as error:
        if info.name in _AGENTS:
            raise
        raise AgentError(f"agent {name!r} ({info.summary}) cannot be made: {crash_reason(error)}") from error
    if (fault := method_fault(agent)) is not None:
        raise AgentError(f"agent {name!r}: {fault}")
    adapted = as_agent(agent)
    adapted.name = name
    return adapted
