"""``warlight match``: who is better, and how sure is that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from warlight_env.cli.common import (
    INTERRUPTED,
    OK,
    JsonOption,
    MapOption,
    PicksOption,
    RulesOption,
    SeedOption,
    Whole,
    announce_compiling,
    print_json,
    print_table,
    read_rules,
)

if TYPE_CHECKING:
    from warlight_env.arena import MatchResult


def match(
    *agents: Annotated[str, Parameter(help="Two to six bots, as in random or random:chunks=5.")],
    games: Annotated[Whole, Parameter(name=["--games", "-n"], help="Games to play.")] = 200,
    seed: SeedOption = 1,
    jobs: Annotated[Whole, Parameter(help="Processes; the outcome does not depend on it.")] = 1,
    paired: Annotated[
        bool, Parameter(negative="", help="Play each seed with all rotations of the seats and count these as one unit.")
    ] = False,
    picks: PicksOption = "random",
    max_rounds: Annotated[
        Whole | None, Parameter(help="Stop a game after so many rounds, as a draw (default: the rules' limit, or 500).")
    ] = None,
    map: MapOption = "world",
    rules: RulesOption = "thesis",
    json: JsonOption = False,
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative="", help="No progress on stderr.")] = False,
) -> int:
    """Play a match between bots: wins, losses and draws with a 95 % interval, seats, rounds, speed.

    Seats rotate from game to game. Ctrl-C ends the match and reports what was played.
    """
    announce_compiling()
    from warlight_env.arena import Match
    from warlight_env.cli.progress import make_progress

    contest = Match(
        agents, games=games, seed=seed, map=map, rules=read_rules(rules), paired=paired, picks=picks,
        max_rounds=max_rounds, jobs=jobs,
    )  # fmt: skip
    with make_progress(agents, contest.n_games, quiet) as progress:
        result = contest.run(progress.add)
    if result.games == 0:
        raise KeyboardInterrupt
    if json:
        print_json(result.to_dict())
    else:
        _print_result(result)
    return INTERRUPTED if result.interrupted else OK


def _print_result(result: MatchResult) -> None:
    played = f"{result.games}" if not result.interrupted else f"{result.games} of {result.games_asked}"
    units = f" in {result.units} units" if result.paired else ""
    print(
        f"{' vs '.join(result.labels)}: {played} games{units} on {result.map}, rules {result.rules}, seed {result.seed}"
    )
    if result.interrupted:
        print("  interrupted: what follows is what was played until then")
    seats = [f"seat {seat + 1}" for seat in range(len(result.labels))]
    rows = [["", "wins", "losses", "draws", "win %", "95 % CI", *seats]]
    for agent in result.agents:
        low, high = agent.interval
        rows.append(
            [
                agent.name, str(agent.wins), str(agent.losses), str(agent.draws), f"{100 * agent.win_share:.1f}",
                f"{100 * low:.1f}–{100 * high:.1f}",
                *(f"{100 * s.wins / s.games:.1f} %" if s.games else "–" for s in agent.seats),
            ]
        )  # fmt: skip
    print_table(rows)
    if any(agent.draws for agent in result.agents):
        scores = ", ".join(f"{agent.name} {100 * agent.score:.1f} %" for agent in result.agents)
        print(f"  score, with a draw as a share of a win: {scores}")
    if result.cut_off:
        print(f"  {result.cut_off} games were stopped after {result.round_limit} rounds and count as draws")
    dropped = [f"{agent.name} {agent.dropped}" for agent in result.agents if agent.dropped]
    if dropped:
        print(f"  illegal orders, left out: {', '.join(dropped)}")
    print(
        f"  rounds per game: median {result.median_rounds:g}, mean {result.mean_rounds:.1f} · "
        f"{result.rounds_per_second:,.0f} rounds/s{' per process' if result.jobs > 1 else ''} · "
        f"{result.wall_seconds:.1f} s"
    )
