"""``warlight match``: who is better, and how sure is that."""

from __future__ import annotations

from typing import Annotated

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
    print_json,
    read_rules,
)


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
    from warlight_env.arena import Match
    from warlight_env.cli.progress import make_progress

    contest = Match(
        agents, games=games, seed=seed, map=map, rules=read_rules(rules), paired=paired, picks=picks,
        max_rounds=max_rounds, jobs=jobs,
    )  # fmt: skip
    with make_progress(agents, contest.contest().n_games, quiet) as progress:
        result = contest.run(progress.add)
    if result.games == 0:
        raise KeyboardInterrupt
    if json:
        print_json(result.to_dict())
    else:
        print(result)
    return INTERRUPTED if result.interrupted else OK
