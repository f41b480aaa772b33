"""What an agent thought before it answered, as plain data for logs and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from warlight_env.agents.mcts.record import Candidate


@runtime_checkable
class Insightful(Protocol):
    """An agent that tells what it thought."""

    def insight(self) -> dict[str, Any] | None:
        """Plain data for JSON about the last answer; None: nothing to tell. Asked once the round has been played."""
        ...


def insight_of(agent: object, round: int) -> dict[str, Any] | None:
    """What an agent thought before it answered in a round (0: before it picked), or None.

    An agent with a method ``insight`` (see `Insightful`) tells itself; of the tree search the last search tells.
    """
    if isinstance(agent, Insightful):
        return agent.insight()
    from warlight_env.agents.mcts import MctsAgent

    return _search_insight(agent, round) if isinstance(agent, MctsAgent) else None


def _search_insight(agent: Any, round: int) -> dict[str, Any] | None:
    """The candidates of a search, the answer first, and the worth of regions that went into it."""
    from warlight_env.agents.evaluation import explain
    from warlight_env.agents.weights import Weights
    from warlight_env.notation import format_orders

    search = agent.search
    searched = 0 if search is None or search.view.phase == "pick" else search.view.round + 1
    if search is None or searched != round:
        return None  # answered without a search
    view, found = search.view, search.statistics()

    def answer(candidate: Candidate) -> dict[str, Any]:
        if round == 0:
            return {"picks": list(candidate.picks)}
        return {"orders": format_orders(view.map, candidate.orders)}

    data = found.to_dict()
    data["seconds"] = float(f"{found.seconds:.4g}")
    data["candidates"] = [
        {
            "visits": candidate.visits,
            "value": float(f"{candidate.value:.4g}"),
            **(
                {"picks": list(candidate.picks)}
                if round == 0
                else {"orders": format_orders(view.map, candidate.orders)}
            ),
        }
        for candidate in found.candidates
    ]
    terms = explain(view, view.player, Weights.load(agent.settings.weights))
    data["regions"] = [float(f"{term.value:.4g}") for term in terms]
    return data
