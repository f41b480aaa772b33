"""``warlight bench``: scores of an agent or a saved policy in a fixed benchmark suite."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from warlight_env.cli.common import (
    FAILURE,
    INTERRUPTED,
    OK,
    BackendOption,
    Count,
    Integer,
    JobsOption,
    JsonOption,
    PathArgument,
    QuietOption,
    RayAddressOption,
    UsageError,
    print_json,
    read_backend,
)


@Parameter(name="*")
@dataclass(frozen=True)
class BenchOptions:
    """The options of ``warlight bench``."""

    suite: Annotated[
        str, Parameter(help="Benchmark suite: suite-v1, or suite-maps-v1 for unseen maps. A suite never changes.")
    ] = "suite-v1"
    action: Annotated[
        str | None,
        Parameter(help="For a .zip: the policy's action encoding (default: from its settings file, or steps)."),
    ] = None
    observation: Annotated[
        str | None, Parameter(help="For a .zip: the policy's observation (default: from its settings file, or flat).")
    ] = None
    max_cycles: Annotated[Integer | None, Parameter(help="For a .zip: maximum episode length in training.")] = None
    deterministic: Annotated[bool, Parameter(negative="", help="For a .zip: always take the most likely action.")] = (
        False
    )
    trust: Annotated[
        bool,
        Parameter(
            negative="",
            help="For a .zip: confirm that you trust the source of the file; loading it can run any program.",
        ),
    ] = False
    map: Annotated[
        list[str] | None, Parameter(help="Play only these maps of the suite; the total score requires all maps.")
    ] = None
    clock: Annotated[
        str | None,
        Parameter(help="Limit of the policy per move: 457sims or 1s; or a time bank: 10s+0.5s (default: none)."),
    ] = None
    games: Annotated[
        Count | None,
        Parameter(
            name=["--games", "-n"], help="Play at most this many games per opponent and map; scores are not comparable."
        ),
    ] = None
    out: Annotated[PathArgument | None, Parameter(help="Run folder (default: runs/SUITE-POLICY).")] = None
    verify: Annotated[
        bool,
        Parameter(
            negative="", help="Only check that the suite's opponents play the same games as when the suite was made."
        ),
    ] = False
    jobs: JobsOption = None
    backend: BackendOption = "local"
    ray_address: RayAddressOption = None
    json: JsonOption = False
    quiet: QuietOption = False


def bench(
    policy: Annotated[
        str | None, Parameter(help="Agent, for example mcts:sims=100, or a .zip file saved by Stable-Baselines3.")
    ] = None,
    *,
    options: BenchOptions = BenchOptions(),
) -> int:
    """Play a policy against a fixed suite of opponents, maps and seeds, so that scores of policies are comparable.

    The run folder stores every finished game, and at the end the scores in card.json and card.md. After an
    interruption, the same command continues the run. A policy that fails in a game loses this game.
    """
    from warlight_env.arena.games.clocks import Clock
    from warlight_env.arena.policies.saved_model import model_digest
    from warlight_env.bench import CheckpointSource, Suite, make_subject, run
    from warlight_env.cli.progress import unit_progress
    from warlight_env.envs.saved_policies import trust_error

    backend = read_backend(options.backend, options.ray_address)
    suite = Suite.load(options.suite)
    if options.verify:
        changed = suite.changes()
        status = f"different games in {', '.join(changed)}" if changed else "the games are unchanged"
        print(f"{options.suite}: {status}")
        return FAILURE if changed else OK
    if policy is None:
        raise UsageError("bench: give an agent or a .zip file")
    maps = tuple(options.map or ())
    if policy.endswith(".zip") and not options.trust:
        model_digest(Path(policy))  # raises an error if the file cannot be read
        raise trust_error(policy, "add --trust")
    subject = make_subject(
        policy, options.action, options.observation, options.max_cycles, options.deterministic, trust=options.trust
    )
    if policy.endswith(".zip") and not options.deterministic:
        print(
            f"{policy}: actions are sampled from the policy, as in training; Stable-Baselines3's evaluate_policy takes "
            "the most likely actions: use --deterministic for that",
            file=sys.stderr,
        )
    limit = None if options.clock is None else Clock.parse(options.clock)
    label = Path(policy).name if policy.endswith(".zip") else policy
    folder = options.out or Path("runs", re.sub(r"[^A-Za-z0-9_.=-]+", "-", f"{options.suite}-{label}"))
    settings: dict[str, str | int | None] = {"clock": options.clock}
    if policy.endswith(".zip"):
        assert isinstance(subject, CheckpointSource)
        settings |= {
            "action": subject.named, "observation": subject.observation,
            "actions are": "likeliest" if options.deterministic else "drawn", "max cycles": subject.max_cycles,
        }  # fmt: skip
    games = sum(row.n_games for row in suite.contests(subject, maps, limit, options.games))
    with unit_progress(f"{label} on {options.suite}", games, "games", options.quiet) as advance:
        card = run(
            subject, suite, name=label, maps=maps, games=options.games, clock=limit, jobs=options.jobs, backend=backend,
            out=folder, settings=settings, on_games=lambda key, records: advance(len(records), key),
        )  # fmt: skip
    if options.json:
        print_json(card.to_dict())
    else:
        print(card.to_markdown())
        if not card.interrupted:
            print(f"\nThe card is also in {folder / 'card.md'}.")
    return INTERRUPTED if card.interrupted else OK
