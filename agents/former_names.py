"""Names that agents' parameters had in older versions, for specifications in the files of these."""

from __future__ import annotations

import re
from typing import Any, Final

from warlight_env.agents.agent_spec import AgentSpec

#: (former name, value; "": any other) → the parameter's name now.
_OF_TREES: Final = {
    ("replies", ""): "selection",
    ("selection", "root"): "exploration_visits",
    ("selection", "parent"): "exploration_visits",
}
#: By agent.
_FORMER: Final = dict.fromkeys(("mcts", "mcts_thesis", "mcts_no_defense", "pmcts"), _OF_TREES)
#: Between the specifications in the key of a contest.
_SEPARATORS: Final = re.compile(r"( [/:] )")
#: What stands before the specification of such an agent, which may be inside another's.
_SPEC: Final = re.compile(rf"(?:^|:)\s*(?=(?:{'|'.join(_FORMER)}):)")


def present_name(agent: str, key: str, value: str) -> str:
    """The name that an agent's parameter has now, by the name and the value in a specification of any version."""
    former = _FORMER.get(agent, {})
    return former.get((key, value)) or former.get((key, "")) or key


def with_present_names(text: str) -> str:
    """A specification of any version with the names that parameters have now; any other text as it is.

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
    """Plain data of any version, in which each specification has the names that parameters have now."""
    if isinstance(data, str):
        return with_present_names(data)
    if isinstance(data, dict):
        return {present_specs(key): present_specs(value) for key, value in data.items()}
    return [present_specs(value) for value in data] if isinstance(data, list) else data
