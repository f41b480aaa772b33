"""Insights: data that explain an agent's decision, such as the candidates of its search, for logs and the web page."""

from __future__ import annotations

from typing import Any, Final

from warlight_env.agents.agent_adapter import as_agent
from warlight_env.agents.records.search_record import SearchResult

#: The keys of insights that agents cannot write: the reason of a missing answer, and the faults of external bots.
_RESERVED: Final = ("error", "faults")


def decision_info(agent: object, round: int) -> dict[str, Any] | None:
    """Return data about an agent's decision in a round (0: the picks), or None if no data exist.

    The data are the result of the agent's method `insight`, without the keys that agents cannot write. If `insight`
    returns None, the data describe the agent's last search.
    """
    adapter = as_agent(agent)
    insight = adapter.insight()
    if isinstance(insight, dict):
        return {key: value for key, value in insight.items() if key not in _RESERVED}
    if insight is not None:
        return insight
    search = adapter.last_search()
    return None if search is None else _search_insight(search, round)


def _search_insight(search: SearchResult, round: int) -> dict[str, Any] | None:
    """Return the candidate moves of a search, with the chosen one first, and the value of each region."""
    from warlight_env.agents.evaluation.static_evaluation import explain
    from warlight_env.notation import format_orders

    view, weights, record = search
    if round != (0 if view.phase == "pick" else view.round + 1):
        return None  # the last search was for an earlier decision: the agent made this decision without a search

    data = record.to_dict()
    data["seconds"] = float(f"{record.seconds:.4g}")
    data["candidates"] = [
        {
            "visits": candidate.visits,
            "value": float(f"{candidate.value:.4g}"),
            **({"refined": True} if candidate.refined else {}),
            **({} if candidate.middle is None else {"middle": float(f"{candidate.middle:.4g}")}),
            **(
                {"picks": list(candidate.picks)}
                if round == 0
                else {"orders": format_orders(view.map, candidate.orders)}
            ),
        }
        for candidate in record.candidates
    ]
    terms = explain(view, view.player, weights)
    data["regions"] = [float(f"{term.value:.4g}") for term in terms]
    return data
