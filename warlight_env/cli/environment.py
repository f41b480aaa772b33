"""``warlight env``: the action and observation spaces of a reinforcement learning environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from warlight_env.cli.common import (
    Integer,
    JsonOption,
    MapOption,
    RulesOption,
    UsageError,
    print_json,
    read_rules,
)
from warlight_env.errors import did_you_mean

if TYPE_CHECKING:
    from gymnasium import spaces

app = App(name="env", help="Show the spaces of a reinforcement learning environment.")


@app.command
def info(
    *,
    action: Annotated[str, Parameter(help="Action encoding of the environment.")] = "factored",
    observation: Annotated[str, Parameter(help="Observation type of the environment.")] = "graph",
    players: Annotated[Integer, Parameter(help="Number of players, 2 to 6.")] = 2,
    reward: Annotated[str, Parameter(help="Reward: win, or with reward shaping: regions or income.")] = "win",
    picking: Annotated[
        str, Parameter(help="Choice of starting regions: play (the agents pick them in the episode), or random.")
    ] = "play",
    map: MapOption = "world",
    rules: RulesOption = "thesis",
    json: JsonOption = False,
) -> None:
    """Show the spaces, action masks and sizes of the environment warlight_v0.parallel_env with the given arguments."""
    from warlight_env import warlight_v0
    from warlight_env.envs.actions import ENCODINGS

    if action not in ENCODINGS:
        names = ", ".join(ENCODINGS)
        raise UsageError(f"no action encoding {action!r}{did_you_mean(action, ENCODINGS)}; there are {names}")
    try:
        env = warlight_v0.parallel_env(
            map=map,
            rules=read_rules(rules),
            players=players,
            action=action,
            observation=observation,
            reward=reward,
            picking=picking,  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    agent = env.possible_agents[0]
    action_space: Any = env.action_space(agent)
    observation_space: Any = env.observation_space(agent)
    board = env.core.board
    parts: dict[str, Any] = dict(observation_space.spaces)
    if "action_mask" not in parts:
        parts = {"observation": observation_space}
    data: dict[str, Any] = {
        "map": env.core.map.name,
        "rules": rules,
        "players": players,
        "reward": reward,
        "picking": picking,
        "fog": env.core.rules.fog,
        "agents": list(env.possible_agents),
        "regions": board.n_regions,
        "directed_edges": board.n_edges,
        "action": action,
        "action_space": _describe(action_space),
        "action_size": _size(action_space),
        "observation": observation,
        "observation_space": _describe(observation_space),
        "observation_size": _size(parts["observation"]),
        "mask_size": _size(parts["action_mask"]) if "action_mask" in parts else None,
        "state_space": _describe(env.state_space),
    }
    if json:
        print_json(data)
        return
    print(f"warlight_v0.parallel_env(map={map!r}, rules={rules!r}, players={players}, action={action!r}, "
          f"observation={observation!r})")  # fmt: skip
    print(f"  agents            {', '.join(data['agents'])}")
    print(f"  board             {board.n_regions} regions, {board.n_edges} directed edges")
    print(f"  action space      {data['action_size']} numbers")
    _print_space(data["action_space"])
    mask = f"an action mask of {data['mask_size']}" if data["mask_size"] else "no action mask"
    print(f"  observation space {data['observation_size']} numbers, and {mask}")
    _print_space(data["observation_space"])
    print("  state space")
    _print_space(data["state_space"])


def _describe(space: spaces.Space[Any]) -> Any:
    """Return a short description of a space; for a Dict space, a dict with the description of each part."""
    from gymnasium import spaces

    if isinstance(space, spaces.Dict):
        return {key: _describe(part) for key, part in space.items()}
    if isinstance(space, spaces.Tuple):
        parts = [_describe(part) for part in space.spaces]
        return f"Tuple of {len(parts)} × {parts[0]}" if parts and all(p == parts[0] for p in parts) else parts
    if isinstance(space, spaces.MultiDiscrete):
        choices = space.nvec.reshape(-1)
        if (choices == choices[0]).all():
            return f"MultiDiscrete([{choices[0]}] * {choices.size})"
        return f"MultiDiscrete of {choices.size}, {choices.min()} to {choices.max()} choices"
    if isinstance(space, spaces.Box):
        low, high = space.low.min(), space.high.max()
        return f"Box({low:g}, {high:g}, {space.shape}, {space.dtype})"
    return str(space)


def _size(space: spaces.Space[Any]) -> int:
    """Return the number of values in one element (sample) of the space."""
    import math

    from gymnasium import spaces

    if isinstance(space, spaces.Dict):
        return sum(_size(part) for part in space.values())
    if isinstance(space, spaces.Tuple):
        return sum(_size(part) for part in space.spaces)
    return math.prod(space.shape) if space.shape else 1


def _print_space(description: Any, indent: str = "    ") -> None:
    if not isinstance(description, dict):
        print(f"{indent}{description}")
        return
    for key, part in description.items():
        if isinstance(part, dict):
            print(f"{indent}{key}:")
            _print_space(part, indent + "  ")
        else:
            print(f"{indent}{key}: {part}")
