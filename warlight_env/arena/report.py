"""A match's result as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warlight_env.tables import align, counted

if TYPE_CHECKING:
    from warlight_env.arena.result import MatchResult


def describe(result: MatchResult) -> str:
    """Wins, losses and draws with intervals, seats, lengths of games and speed, in a few lines."""
    of = f"{result.games} of " if result.interrupted else ""
    played = of + counted(result.games_asked if of else result.games, "game")
    units = f" in {counted(result.units, 'unit')}" if result.paired else ""
    lines = [f"{' vs '.join(result.labels)}: {played}{units} on {result.map}, rules {result.rules}, seed {result.seed}"]
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
    lines += _strength(result)
    if result.cut_off:
        were, draws = ("was", "counts as a draw") if result.cut_off == 1 else ("were", "count as draws")
        stopped, limit = counted(result.cut_off, "game"), counted(result.round_limit, "round")
        lines.append(f"  {stopped} {were} stopped after {limit} and {draws}")
    dropped = [f"{agent.name} {agent.dropped}" for agent in result.agents if agent.dropped]
    if dropped:
        lines.append(f"  illegal orders, left out: {', '.join(dropped)}")
    for faults in result.faults:
        name = result.labels[faults.agent]
        lines.append(f"  faults of {name}: {faults.total}, answers lost {faults.lost}; the first: {faults.first[0]}")
    lines += _failures(result) + _time_use(result)
    lines.append(f"  rounds per game: median {result.median_rounds:g}, mean {result.mean_rounds:.1f}")
    each = " per process" if result.jobs != 1 else ""
    in_all = (
        f"; {result.found} of the games were found in the run folder, and this run took {result.wall_seconds:.1f} s"
        if result.found
        else f", {result.wall_seconds:.1f} s in all"
    )
    lines.append(f"  {result.rounds_per_second:,.0f} rounds/s{each} in {result.play_seconds:.1f} s of play{in_all}")
    return "\n".join(lines)


def _strength(result: MatchResult) -> list[str]:
    """The Elo difference, and the sequential test where there is one."""
    lines = []
    first = result.labels[0]
    if result.elo is not None:
        elo, low, high = result.elo
        lines.append(f"  Elo of {first}: {elo:+.0f} (95 % CI {low:+.0f} to {high:+.0f})")
    if result.sprt is not None:
        rule, llr, verdict = result.sprt
        lower, upper = rule.bounds
        elo0, elo1 = f"{rule.elo0:+g}", f"{rule.elo1:+g}"
        meaning = {
            "H1": f"decided: {first} is nearer to {elo1} Elo than to {elo0}",
            "H0": f"decided: {first} is nearer to {elo0} Elo than to {elo1}",
            None: "undecided",
        }[verdict]
        lines.append(f"  SPRT {elo0} against {elo1} Elo: {meaning} (LLR {llr:.2f} in {lower:.2f} … {upper:.2f})")
    return lines


def _failures(result: MatchResult) -> list[str]:
    """Who lost how many games by forfeit, with the first reason of each."""
    lines = []
    for a, agent in enumerate(result.agents):
        ways = {"by crashing": agent.crashes, "by being late": agent.late_losses, "by giving up": agent.forfeits}
        if any(ways.values()):
            record, failure = next((r, f) for r, f in result.failures if f.agent == a)
            when = f"round {failure.round}" if failure.round else "the picks"
            lost = ", ".join(f"{counted(games, 'game')} {way}" for way, games in ways.items() if games)
            lines.append(
                f"  {agent.name} lost {lost}; first in {when} of game {record.number + 1} (seed {record.seed}): "
                f"{failure.reason}"
            )
    return lines


def _time_use(result: MatchResult) -> list[str]:
    """What the agents spent; nothing where no agent thinks for a millisecond and there is no clock."""
    if not result.clocks and all(agent.time.mean < 0.001 for agent in result.agents):
        return []
    rows = [["", "ms per answer", "slowest", "simulations", *(["clock", "late"] if result.clocks else [])]]
    for i, agent in enumerate(result.agents):
        time = agent.time
        simulations = "–" if time.simulations is None else f"{time.simulations:.0f}"
        clock = [result.clocks[i], str(time.late)] if result.clocks else []
        rows.append([agent.name, f"{1000 * time.mean:.1f}", f"{1000 * time.slowest:.1f}", simulations, *clock])
    return align(rows)
