"""Former names of agents' parameters, for specifications in files of older versions."""

from __future__ import annotations

import re
from typing import Any, Final

from warlight_env.agents.agent_spec import AgentSpec

#: (former name, value; "": any other value) → the parameter's present name.
_OF_TREES: Final = {
    ("replies", ""): "selection",
    ("selection", "root"): "exploration_visits",
    ("selection", "parent"): "exploration_visits",
}
#: Former names by agent.
_FORMER: Final = dict.fromkeys(("mcts", "mcts_thesis", "mcts_no_defense", "pmcts"), _OF_TREES)
#: Separators between the specifications in the key of a contest.
_SEPARATORS: Final = re.compile(r"( [/:] )")
#: The text before the specification of such an agent, which may be inside another agent's specification.
_SPEC: Final = re.compile(rf"(?:^|:)\s*(?=(?:{'|'.join(_FORMER)}):)")


def present_name(agent: str, key: str, value: str) -> str:
    """Return the present name of an agent's parameter, from a name and a value in a specification of any version."""
    former = _FORMER.get(agent, {})
    return former.get((key, value)) or former.get((key, "")) or key


def with_present_names(text: str) -> str:
    """Return a specification of any version with the present names of parameters; other text stays unchanged.

    The text may also be the key of a contest: several specifications, separated by " / " or " : ".
    """
    return "".join(map(_with_present_names, _SEPARATORS.split(text)))


def _with_present_names(spec: str) -> str:
    found = _SPEC.search(spec)
    if found is None:
        return spec
    read = AgentSpec.parse(spec[found.end() :])
    return spec[: found.end()] + str(read.renamed(lambda key, value: present_name(read.name, key, value)))


def present_specs(data: Any) -> Any:
    """Return plain data of any version, with the present names of parameters in each specification."""
    if isinstance(data, str):
        return with_present_names(data)
    if isinstance(data, dict):
        return {present_specs(key): present_specs(value) for key, value in data.items()}
    return [present_specs(value) for value in data] if isinstance(data, list) else data
