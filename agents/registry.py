"""Agents by name, with parameters, as in ``random:chunks=5`` or, in short, ``mcts:1s``."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from warlight_env import registrars
from warlight_env.agents.adapting import as_agent
from warlight_env.agents.base import Agent
from warlight_env.durations import read_seconds, read_simulations
from warlight_env.engine.rules import MAX_PLAYERS
from warlight_env.errors import InputError, crash_reason, did_you_mean

#: Entry points of other packages: name → a callable taking (seed, **parameters).
ENTRY_POINTS = "warlight_env.agents"


class AgentError(InputError):
    """An agent or a parameter that does not exist, or a value it does not take."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an agent."""

    kind: type
    default: Any
    help: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class AgentInfo:
    """An agent as the registry knows it."""

    name: str
    summary: str
    load: Callable[[], Callable[..., Any]]
    parameters: dict[str, Parameter]
    form: str = ""  #: where everything behind the name is one text, which the agent reads itself: what it looks like
    players: int = MAX_PLAYERS  #: the most in its games


def _built_in(path: str) -> Callable[[], Callable[..., Any]]:
    module, _, attribute = path.partition(":")

    def load() -> Callable[..., Agent]:
        return getattr(importlib.import_module(module), attribute)

    return load


_AGENTS: dict[str, AgentInfo] = {}


def register(
    name: str,
    load: Callable[[], Callable[..., Any]],
    summary: str,
    parameters: dict[str, Parameter] | None = None,
    form: str = "",
    players: int = MAX_PLAYERS,
) -> None:
    """Add an agent; `load()` returns a callable that takes `seed` and the parameters as keywords.

    With a `form` it takes `seed` and `text` instead: all that stands behind the name, without a colon there.
    players: the most in the games that it plays.

    What it makes is an `Agent`, or any object with a name, `pick` and `act`, see `as_agent`.
    """
    registrars.run()  # those above come first, whatever is registered: their names are taken
    _register(name, load, summary, parameters, form, players)


def _register(
    name: str,
    load: Callable[[], Callable[..., Any]],
    summary: str,
    parameters: dict[str, Parameter] | None = None,
    form: str = "",
    players: int = MAX_PLAYERS,
) -> None:
    if name in _AGENTS:
        raise AgentError(f"an agent named {name!r} is registered already")
    _AGENTS[name] = AgentInfo(name, summary, load, parameters or {}, form, players)


_register(
    "random",
    _built_in("warlight_env.agents.random:RandomAgent"),
    "deploys on random border regions, attacks random neighbours that are not clearly stronger",
    {
        "chunks": Parameter(int, 3, "parts into which the income is split", 1, 1000),
        "slack": Parameter(int, 1, "armies by which a target may be stronger", 0, 1000),
    },
)
_register(
    "aggressive",
    _built_in("warlight_env.agents.aggressive:AggressiveAgent"),
    "everything beside the most valuable foreign region, then attacks every weaker neighbour",
)


_register(
    "smart_random",
    _built_in("warlight_env.agents.smart_random:SmartRandomAgent"),
    "one of the generated turns at random",
)
_register(
    "one_big_army",
    _built_in("warlight_env.agents.one_big_army:OneBigArmyAgent"),
    "everything on the strongest region, which attacks the most valuable foreign neighbour",
)
_register(
    "one_ply",
    _built_in("warlight_env.agents.one_ply:OnePlyAgent"),
    "looks one round ahead: the generated turn after which it stands best on average",
    {
        "samples": Parameter(int, 5, "plays of the round that each turn is tried in", 1, 10_000),
        "weights": Parameter(str, "default", "weights of the evaluation: default, thesis, or a .json file"),
    },
)

_MCTS: dict[str, Parameter] = {
    "sims": Parameter(int, None, "simulations a move (default: 457, unless secs is given)", 1, 10**9),
    "secs": Parameter(float, None, "seconds a move", 0.001, 86400),
    "c": Parameter(float, 0.4, "exploration", 0, 100),
    "selection": Parameter(str, "root", "whose visits the selection takes for N: root, parent"),
    "replies": Parameter(str, "seen", "enemies' turns are selected knowing those before (seen), or not (blind)"),
    "top": Parameter(int, 0, "turns of a player that enter the tree, the best a round ahead; 0: all", 0, 10_000),
    "outcome": Parameter(str, "rule", "the next state: rule, realistic, pessimistic, optimistic, single"),
    "samples": Parameter(int, 15, "plays of a round to choose the next state from", 1, 10_000),
    "rounds": Parameter(int, 10, "length of a playout", 1, 10_000),
    "playout": Parameter(str, "random", "turns of playouts: random, one_ply, two_ply, weighted"),
    "tries": Parameter(int, 1, "plays in which top and playout try each turn", 1, 10_000),
    "drawn": Parameter(int, 3, "best turns that playout=weighted draws from", 1, 10_000),
    "values": Parameter(str, "shares", "worth of a simulation: shares, placements"),
    "alpha": Parameter(float, 0.96, "least worth of the first place", 0, 1),
    "beta": Parameter(float, 0.5, "most worth of the other places", 0, 1),
    "final": Parameter(str, "robust", "the answer: robust, max, secure, max_robust"),
    "parallel": Parameter(str, "root", "threads share: root (nothing), tree, lock, leaf"),
    "threads": Parameter(int, 1, "threads", 1, 1000),
    "trees": Parameter(int, None, "trees of parallel=root (default: one per thread)", 1, 1000),
    "virtual_loss": Parameter(int, 1, "visits that a thread below a node pretends to have lost", 1, 1000),
    "memory": Parameter(int, 256, "MiB for each tree, at most", 1, 10_000),
    "refine": Parameter(float, 0.5, "part of the budget for local search on the answer", 0, 0.99),
    "scenarios": Parameter(int, 96, "scenarios in which the local search tries turns", 1, 10_000),
    "horizon": Parameter(int, 3, "rounds of a scenario", 1, 10_000),
    "picks": Parameter(str, "best", "starting regions: the best set by value, or search"),
    "turns": Parameter(str, "ours", "the generators': ours, or the thesis's, in which more armies stay behind"),
    "weights": Parameter(str, "default", "weights of the evaluation: default, thesis, or a .json file"),
}
_register(
    "mcts", _built_in("warlight_env.agents.mcts:MctsAgent"), "Monte Carlo tree search over generated turns", _MCTS
)
_register(
    "mcts_thesis",
    _built_in("warlight_env.agents.mcts:thesis_mcts"),
    "mcts with the thesis's own parameters",
    {
        **_MCTS,
        "c": Parameter(float, 1.41, "exploration", 0, 100),
        "refine": Parameter(float, 0.0, "part of the budget for local search on the answer", 0, 0.99),
        "turns": Parameter(str, "thesis", "the generators': thesis, or ours, in which fewer armies stay behind"),
        "weights": Parameter(str, "thesis", "weights of the evaluation: default, thesis, or a .json file"),
    },
)
_register(
    "mcts_no_defense",
    _built_in("warlight_env.agents.mcts:no_defense"),
    "mcts without the defensive deploy and the two ways to attack that wait",
    _MCTS,
)
_register(
    "pmcts",
    _built_in("warlight_env.agents.mcts:parallel_mcts"),
    "mcts with a tree in each of two threads",
    {**_MCTS, "threads": Parameter(int, 2, "threads", 1, 1000)},
)
_NOT_FLAT = ("c", "selection", "replies", "final", "top", "picks", "refine", "scenarios", "horizon")
_register(
    "flat_mc",
    _built_in("warlight_env.agents.flat:FlatAgent"),
    "flat Monte Carlo: generated turns at random, and the one whose results are best in the middle",
    {
        **{name: parameter for name, parameter in _MCTS.items() if name not in _NOT_FLAT},
        "rounds": Parameter(int, 5, "length of a simulation, the round of the turn included", 1, 10_000),
        "answer": Parameter(str, "median", "the middle of a turn's results: median, mean, mode"),
    },
)
_register(
    "minimax2",
    _built_in("warlight_env.agents.minimax2:Minimax2Agent"),
    "two plies: each generated turn against each generated reply, over many plays of the round",
    {
        "sims": Parameter(int, None, "plays of a round for a move", 1, 10**9),
        "secs": Parameter(float, None, "seconds a move", 0.001, 86400),
        "samples": Parameter(int, None, "plays of each pair (default: 15, unless sims or secs is given)", 1, 10**6),
        "weights": Parameter(str, "default", "weights of the evaluation: default, thesis, or a .json file"),
    },
)
_register(
    "maxn",
    _built_in("warlight_env.agents.maxn:MaxnAgent"),
    "Max^N: each player in turn maximises its own share, over turns made of the best battles",
    {
        "sims": Parameter(int, None, "positions to value in a move", 1, 10**9),
        "secs": Parameter(float, None, "seconds a move", 0.001, 86400),
        "depth": Parameter(int, 4, "players' moves to look ahead", 1, 24),
        "breadth": Parameter(int, 5, "turns of a player that are searched", 1, 9),
        "territory": Parameter(float, 0.0, "weight of each region of the largest connected territory", 0, 1000),
        "join": Parameter(float, 0.0, "weight of battles that join own territories", 0, 10),
        "spare": Parameter(float, 0.0, "weight against attacks on the weak beside the strong", 0, 10),
        "chains": Parameter(float, 0.0, "weight of the best battle that can follow", 0, 10),
        "weights": Parameter(str, "default", "weights of the evaluation: default, thesis, or a .json file"),
    },
)


@functools.cache
def _foreign() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=ENTRY_POINTS))


def _known() -> dict[str, AgentInfo]:
    registrars.run()
    known = dict(_AGENTS)
    for entry in _foreign():
        if entry.name not in known:
            known[entry.name] = AgentInfo(entry.name, f"from {entry.value}", entry.load, {})
    return known


def _info(name: str) -> AgentInfo:
    if name in _AGENTS:  # without a look at packages above and at others, which takes time
        return _AGENTS[name]
    known = _known()
    if name not in known:
        raise AgentError(f"no agent {name!r}{did_you_mean(name, known)}; there are {', '.join(sorted(known))}")
    return known[name]


def agent_names() -> list[str]:
    """Names of all agents, those of other packages included."""
    return sorted(_known())


def describe() -> list[AgentInfo]:
    """All agents with their parameters."""
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


def _in_short(spec: str, part: str, parameters: dict[str, Parameter]) -> tuple[str, str]:
    """The key and the value of a parameter that is written as its value alone: simulations or seconds a move."""
    for key, read in (("sims", read_simulations), ("secs", read_seconds)):
        value = read(part)
        if value is not None and key in parameters:
            return key, str(value)
    forms = {"sims": "457 for simulations", "secs": "1s or 500ms for seconds"}
    short = ", ".join(form for key, form in forms.items() if key in parameters)
    raise AgentError(f"agent {spec!r}: expected key=value{short and f' (or {short})'}, got {part!r}")


def parse(spec: str) -> tuple[AgentInfo, dict[str, Any]]:
    """An agent's record and its parameters from ``name`` or ``name:key=value,…``; `AgentError` names what is wrong.

    For agents that take `sims` or `secs`, the value may stand alone: ``mcts:457`` and ``mcts:457sims`` are
    ``mcts:sims=457``; ``mcts:1.5s`` and ``mcts:1500ms`` are ``mcts:secs=1.5``.
    """
    name = re.split(r"[:\[]", spec.strip(), maxsplit=1)[0]
    rest = spec.strip()[len(name) :].removeprefix(":")
    info = _info(name)
    if info.form:
        return info, {"text": rest}
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, text = part.partition("=")
        if not equals:
            key, text = _in_short(spec, part, info.parameters)
        if info.parameters and key not in info.parameters:
            hint = did_you_mean(key, info.parameters)
            raise AgentError(f"agent {spec!r}: no parameter {key!r}{hint}; there are {', '.join(info.parameters)}")
        if key in values:
            raise AgentError(f"agent {spec!r}: {key} is given twice")
        if key in info.parameters:
            values[key] = _value(spec, key, info.parameters[key], text)
        elif name in _AGENTS:
            raise AgentError(f"agent {spec!r}: {name} takes no parameters")
        else:
            values[key] = text
    return info, values


def make_agent(spec: str, seed: int) -> Agent:
    """An agent by its specification; agents made from the same specification and seed play alike.

    Raises:
        AgentError: there is none, it takes no such parameter, or another package's cannot be made.
    """
    info, values = parse(spec)
    try:
        agent = info.load()(seed=seed, **values)
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
    made.name = spec.strip()
    return made
