"""Former names of agents' parameters and values, so that specifications in files of older versions can be read."""

from __future__ import annotations

import re
from typing import Any, Final

from warlight_env.agents.agent_spec import AgentSpec

#: A parameter's key and value, as former or present names. The value "" of a former entry means any value. The value
#: "" of a present entry means that the value does not change.
_Entry = tuple[str, str]

#: A mapping from former to present parameters, for agents that search with simulations.
_OF_SIMULATIONS: Final[dict[_Entry, _Entry]] = {
    ("refine", ""): ("local_search", ""),
    ("tries", ""): ("lookahead_samples", ""),
    ("drawn", ""): ("top_k", ""),
    ("values", ""): ("utility", ""),
    ("turns", "ours"): ("turns", "extended"),
}
_OF_TREES: Final[dict[_Entry, _Entry]] = {
    **_OF_SIMULATIONS,
    ("selection", "root"): ("exploration_visits", "root"),
    ("selection", "parent"): ("exploration_visits", "parent"),
    ("selection", "seen"): ("selection", "uct"),
    ("selection", "blind"): ("selection", "duct"),
    ("selection", "prior"): ("selection", "puct"),
    ("replies", "seen"): ("selection", "uct"),
    ("replies", "blind"): ("selection", "duct"),
    ("replies", "prior"): ("selection", "puct"),
    ("replies", ""): ("selection", ""),
    ("top", ""): ("breadth", ""),
    ("leaves", ""): ("leaf_batch", ""),
    ("final", ""): ("final_move", ""),
}
_PICKS: Final[dict[_Entry, _Entry]] = {("picks", "played"): ("picks", "simulated")}

#: A mapping from former to present parameters, for each agent.
_FORMER: Final[dict[str, dict[_Entry, _Entry]]] = {
    **dict.fromkeys(("mcts", "mcts_thesis", "mcts_no_defense", "pmcts"), _OF_TREES),
    "flat_mc": {**_OF_SIMULATIONS, ("answer", ""): ("final_move", "")},
    "nash": {
        **_PICKS,
        ("refine", ""): ("local_search", ""),
        ("anchor", ""): ("policy_anchor", ""),
        ("responses", ""): ("best_responses", ""),
        ("answer", "likely"): ("final_move", "most_likely"),
        ("answer", ""): ("final_move", ""),
        ("others", "ways"): ("opponent_model", "generators"),
        ("others", "seen"): ("opponent_model", "observed"),
        ("others", "known"): ("opponent_model", "recognized"),
        ("others", ""): ("opponent_model", ""),
    },
    "plan": {**_PICKS, ("apart", ""): ("contact_distance", "")},
    "maxn": {
        ("join", ""): ("join_weight", ""),
        ("spare", ""): ("spare_weight", ""),
        ("chains", ""): ("follow_up_weight", ""),
        ("territory", ""): ("territory_weight", ""),
    },
    "random": {("slack", ""): ("margin", "")},
    "sb3": {("play", "drawn"): ("play", "sampled")},
}
#: Separators between the specifications in the key of a contest, such as "mcts:50 / random".
_SEPARATORS: Final = re.compile(r"( [/:] )")
#: Matches the text before the specification of an agent in `_FORMER`. The specification may be inside another agent's
#: specification, or after other words in the key of a contest, as in "policy-mcts:50" and "flat_mc against mcts:50".
_SPEC: Final = re.compile(rf"(?:^|[:\s-])(?=(?:{'|'.join(_FORMER)}):)")


def present_parameter(agent: str, key: str, value: str) -> tuple[str, str]:
    """Return the present key and value of an agent's parameter from a specification of any version."""
    former = _FORMER.get(agent, {})
    found = former.get((key, value)) or former.get((key, ""))
    return (key, value) if found is None else (found[0], found[1] or value)


def with_present_names(text: str) -> str:
    """Return a specification of any version with the present parameters and values; other text stays unchanged.

    The argument `text` may also be the key of a contest, such as "mcts:50 / random". The key of a contest contains
    several specifications with " / " or " : " between them; other words, such as the name of a map, may come before a
    specification.
    """
    return "".join(map(_with_present_names, _SEPARATORS.split(text)))


def _with_present_names(spec: str) -> str:
    found = _SPEC.search(spec)
    if found is None:
        return spec
    read = AgentSpec.parse(spec[found.end() :])

    def present(key: str, value: str) -> tuple[str, str]:
        value, space, more = value.partition(" ")  # other words may follow in the key of a contest
        key, value = present_parameter(read.name, key, value)
        return key, f"{value}{space}{more}"

    return spec[: found.end()] + str(read.renamed(present))


def present_specs(data: Any) -> Any:
    """Return plain data (strings, lists, dictionaries) with present parameters and values in each specification."""
    if isinstance(data, str):
        return with_present_names(data)
    if isinstance(data, dict):
        return {present_specs(key): present_specs(value) for key, value in data.items()}
    return [present_specs(value) for value in data] if isinstance(data, list) else data
