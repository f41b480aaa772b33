"""What an agent thought before it answered, as plain data for logs and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from warlight_env.agents.search.record import SearchRecord
    from warlight_env.agents.weights import Weights
    from warlight_env.engine.view import View


@runtime_checkable
class Insightful(Protocol):
    """An agent that tells what it thought."""

    def insight(self) -> dict[str, Any] | None:
        """Plain data for JSON about the last answer; None: nothing to tell. Asked once the round has been played."""
        ...


def insight_of(agent: object, round: int) -> dict[str, Any] | None:
    """What an agent thought before it answered in a round (0: before it picked), or None.

    An agent with a method ``insight`` (see `Insightful`) tells itself; the last search of a bot tells itself, too.
    """
    if isinstance(agent, Insightful):
        return agent.insight()
    from warlight_env.agents.mcts import MctsAgent
    from warlight_env.agents.search.budgeted import SearchingAgent

    if isinstance(agent, MctsAgent) and agent.search is not None:
        search = agent.search
        return _search_insight(search.view, search.statistics(), agent.settings.weights, round)
    if isinstance(agent, SearchingAgent) and agent.view is not None:
        return _search_insight(agent.view, agent.statistics(), agent.weights, round)
    return None


def _search_insight(view: View, found: SearchRecord | None, weights: Weights, round: int) -> dict[str, Any] | None:
    """The candidates of a search, the answer first, and the worth of regions that went into it."""
    from warlight_env.agents.evaluation import explain
    from warlight_env.notation import format_orders

    searched = 0 if view.phase == "pick" else view.round + 1
    if found is None or searched != round:
        return None  # answered without a search

    data = found.to_dict()
    data["seconds"] = float(f"{found.seconds:.4g}")
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
        for candidate in found.candidates
    ]
    terms = explain(view, view.player, weights)
    data["regions"] = [float(f"{term.value:.4g}") for term in terms]
    return data
