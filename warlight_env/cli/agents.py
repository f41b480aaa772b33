"""``warlight agent``: list the agents, and show the parameters of one agent."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from warlight_env.cli.common import JsonOption, print_json
from warlight_env.tables import align

if TYPE_CHECKING:
    from warlight_env.agents.agent_info import AgentInfo

app = App(name="agent", help="The agents that play matches and tournaments, and their parameters.")


def _summary(info: AgentInfo) -> dict[str, Any]:
    return {"name": info.name, "form": info.form, "summary": info.summary, "players": info.players}


@app.command(name="list")
def list_(*, json: JsonOption = False) -> None:
    """List all agents, including agents that other installed packages provide."""
    from warlight_env.agents.registry import describe

    infos = describe()
    if json:
        print_json([_summary(info) for info in infos])
        return
    rows = [["agent", "name", "what it does"]]
    rows += [[info.form, info.profile.name if info.profile else "", info.summary] for info in infos]
    print("\n".join(align(rows, left=3)))
    print("\nwarlight agent show NAME lists the parameters of an agent. Example of their use:")
    print("warlight match mcts:sims=457,threads=2 aggressive")


@app.command
def show(
    name: Annotated[str, Parameter(help="Name of an agent, for example mcts.")], /, *, json: JsonOption = False
) -> None:
    """Show an agent's profiles, and its parameters with their default values and bounds."""
    from warlight_env.agents.registry import parse

    info, _ = parse(name)
    if json:
        profiles = {spec: dataclasses.asdict(profile) for spec, profile in info.profiles.items()}
        parameters = {key: _parameter_data(info, key) for key in info.parameters}
        print_json({**_summary(info), "profiles": profiles, "parameters": parameters})
        return
    print(f"{info.form}: {info.summary}")
    if info.players == 2:
        print("  only for games of two players")
    if info.profiles:
        rows = [["on the page", "name", "level", "description"]]
        for spec, profile in info.profiles.items():
            description = "" if profile.description == info.summary else profile.description
            rows.append([spec, profile.name, profile.level or "", description])
        print("\n".join([*align(rows, left=4), ""]))
    rows = [["parameter", "default", "meaning"]]
    for key in info.parameters:
        data = _parameter_data(info, key)
        bounds = "" if data["low"] is None else f" ({data['low']:g} .. {data['high']:g})"
        rows.append([key, "" if data["default"] is None else f"{data['default']}", f"{data['help']}{bounds}"])
    if len(rows) > 1:
        print("\n".join(align(rows, left=3)))


def _parameter_data(info: AgentInfo, key: str) -> dict[str, Any]:
    """Return the description of a parameter as data for JSON."""
    parameter = info.parameters[key]
    return {
        "type": parameter.kind.__name__,
        "default": _default_value(parameter.default),
        "low": parameter.low,
        "high": parameter.high,
        "choices": sorted(parameter.choices),
        "help": parameter.help,
    }


def _default_value(default: Any) -> bool | int | float | str | None:
    """Return a default value as data for JSON: a preset of weights as its name, other objects as text."""
    from warlight_env.agents.weights import PRESETS, Weights

    if isinstance(default, Weights):
        return next((name for name, weights in PRESETS.items() if weights == default), str(default))
    return default if isinstance(default, bool | int | float | str | None) else str(default)
