"""A match's result as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.tables import align

if TYPE_CHECKING:
    from warlight_env.arena.result import MatchResult


def describe(result: MatchResult) -> str:
    """Wins, losses and draws with intervals, seats, lengths of games and speed, in a few lines."""
    played = f"{result.games}" if not result.interrupted else f"{result.games} of {result.games_asked}"
    units = f" in {result.units} units" if result.paired else ""
    lines = [
        f"{' vs '.join(result.labels)}: {played} games{units} on {result.map}, rules {result.rules}, seed {result.seed}"
    ]
    if result.interrupted:
        lines.append("  interrupted: what follows is what was played until then")
    seats = [f"win % seat {seat + 1}" if seat == 0 else f"seat {seat + 1}" for seat in range(len(result.labels))]
    rows = [["", "wins", "losses", "draws", "win %", "95 % CI", *seats]]
    for agent in result.agents:
        low, high = agent.interval
        rows.append(
            [
                agent.name, str(agent.wins), str(agent.losses), str(agent.draws), f"{100 * agent.win_share:.1f}",
                f"{100 * low:.1f}–{100 * high:.1f}",
                *(f"{100 * s.wins / s.games:.1f}" if s.games else "–" for s in agent.seats),
            ]
        )  # fmt: skip
    lines += align(rows)
    if any(agent.draws for agent in result.agents):
        scores = ", ".join(f"{agent.name} {100 * agent.score:.1f} %" for agent in result.agents)
        lines.append(f"  score, with a draw as a share of a win: {scores}")
    if result.cut_off:
        lines.append(f"  {result.cut_off} games were stopped after {result.round_limit} rounds and count as draws")
    dropped = [f"{agent.name} {agent.dropped}" for agent in result.agents if agent.dropped]
    if dropped:
        lines.append(f"  illegal orders, left out: {', '.join(dropped)}")
    for faults in result.faults:
        name = result.labels[faults.agent]
        lines.append(f"  faults of {name}: {faults.total}, answers lost {faults.lost}; the first: {faults.first[0]}")
    lines.append(f"  rounds per game: median {result.median_rounds:g}, mean {result.mean_rounds:.1f}")
    each = " per process" if result.jobs > 1 else ""
    lines.append(
        f"  {result.rounds_per_second:,.0f} rounds/s{each} in {result.play_seconds:.1f} s of play, "
        f"{result.wall_seconds:.1f} s in all"
    )
    return "\n".join(lines)
