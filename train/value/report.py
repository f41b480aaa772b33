"""The end of a run of the value network's training: its file, the final match, what it predicts, and the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from warlight_env.agents.evaluation import evaluated_shares
from warlight_env.agents.plug_ins import make_context
from warlight_env.agents.weights import DEFAULT, PLANNING
from warlight_env.arena.backends.backend import Backend
from warlight_env.engine.position import Positions
from warlight_env.train.common.finish import final_match, write_report
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.matches import Pair, holdout_seed, play_pairs
from warlight_env.train.common.places import Places
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.value.fit import held_out
from warlight_env.train.value.players import NetworkPlayer, first_network, unpack_network
from warlight_env.train.value.positions import ValuedPositions
from warlight_env.train.value.settings import ValueSettings

#: The network that was found, for ``nash:value=FILE``.
VALUE: Final = "value.npz"
#: Rounds played at the positions whose outcome is predicted.
ROUNDS: Final = range(3, 16)
#: The least chance that a prediction is taken to give.
_LEAST: Final = 1e-6


def finish_value(
    settings: ValueSettings, journal: Journal, found: bytes, games: Sequence[ValuedPositions], *, jobs: int,
    backend: str | Backend, advance: Callable[[int, str], None],
) -> dict[str, Any]:  # fmt: skip
    """Play the final match, and write value.npz, result.json and the report; returns the result as plain data.

    Args:
        found: the network, packed. games: the run's.
    """
    journal.write(VALUE, found)
    weights = tuple(settings.weights)
    new, start = (NetworkPlayer(settings.player, network, weights) for network in (found, first_network(settings)))
    pairs: list[Pair] = [("found", "start", new, start)]
    pairs += [("found", other, new, NetworkPlayer(other, found, weights)) for other in settings.holdout]
    rows = play_pairs(
        pairs, settings.holdout_units, settings.conditions, holdout_seed(settings.seed), journal.folder / "holdout",
        jobs=jobs, backend=backend, advance=advance,
    )  # fmt: skip
    losses = outcome_losses(Places(settings), games, found)
    entries = journal.entries
    played, seconds = sum(e["games"] for e in entries if "games" in e), sum(e["seconds"] for e in entries)
    report = Report("A value network by expert iteration")
    first = rows[0]
    report.text(
        f"{settings.player} with what was found scores {percent(first['score'], first['interval'])} against itself "
        f"with what the run began with ({settings.start}), in {first['games']} games with seeds that training never "
        f"used. Training took {played:,} games and {seconds / 60:.1f} minutes."
    )
    final_match(report, rows)
    _course(report, settings, entries)
    _predictions(report, losses)
    result = {
        "kind": "value", "player": settings.player, "holdout": rows, "games": played, "seconds": seconds,
        "log_loss": losses,
    }  # fmt: skip
    write_report(report, journal, "value", result)
    return result


def outcome_losses(places: Places, games: Sequence[ValuedPositions], network: bytes) -> list[dict[str, float]]:
    """How well the outcome of games that fits did not see is predicted, by rounds played.

    Returns:
        For each of ROUNDS with positions: round, positions, and for "network", "planning" and "default" the mean
        logarithm of the share that whoever won was given, times -1, in nats.
    """
    value = unpack_network(network)
    evaluations = {"network": (PLANNING, value), "planning": (PLANNING, None), "default": (DEFAULT, None)}
    found: dict[int, list[list[float]]] = {}
    contexts: dict[tuple[int, str], Any] = {}
    for samples in games:
        chosen = held_out(samples) & samples.value.any(axis=1) & np.isin(samples.round, list(ROUNDS))
        for m in np.flatnonzero(chosen).tolist():
            number, position, row = int(samples.place[m]), samples.position(m), []
            place, positions = places[number], Positions(position.owner[None], position.army[None], position.round)
            for name, (weights, net) in evaluations.items():
                if (number, name) not in contexts:
                    contexts[number, name] = make_context(place.board, place.params, place.players, weights, value=net)
                shares = np.zeros((1, place.players))
                evaluated_shares(contexts[number, name], positions, 1, shares)
                row.append(-float(np.log(max(_LEAST, shares[0, samples.value[m].argmax()]))))
            found.setdefault(int(position.round[0]), []).append(row)
    return [
        {
            "round": at,
            "positions": len(found[at]),
            **dict(zip(evaluations, np.mean(found[at], axis=0).tolist(), strict=True)),
        }
        for at in sorted(found)
    ]


def _course(report: Report, settings: ValueSettings, entries: Sequence[dict[str, Any]]) -> None:
    report.heading("How it went")
    fits, gates = ([e for e in entries if e["event"] == event] for event in ("fit", "gate"))
    numbers = range(1, settings.iterations + 1)
    score = Line(
        "new network against the old one",
        numbers,
        [e["score"] for e in gates],
        *zip(*(e["interval"] for e in gates), strict=True),
    )
    report.curves([score], "iteration", "score in the gate", mark=settings.accept)
    known = [e for e in fits if e["held_out"] is not None]
    report.curves(
        [
            Line("fitted", numbers, [e["trained"] for e in fits]),
            Line("held out", [e["iteration"] + 1 for e in known], [e["held_out"] for e in known]),
        ],
        "iteration", "cross-entropy above the labels' own",
    )  # fmt: skip
    report.table(
        ["iteration", "labels", "fitted", "held out", "score in the gate (95 % interval)", "network"],
        [
            [
                str(fit["iteration"] + 1), f"{fit['labels']:,}", f"{fit['trained']:.4f}",
                "–" if fit["held_out"] is None else f"{fit['held_out']:.4f}", percent(gate["score"], gate["interval"]),
                "new" if gate["accepted"] else "stays",
            ]
            for fit, gate in zip(fits, gates, strict=True)
        ],
    )  # fmt: skip
    report.text(
        "Fitted and held out: the cross-entropy between labels and what the network says, above the labels' own "
        f"entropy, in nats, for games that it was fitted to and others. A network stays out whose mean score is below "
        f"{percent(settings.accept)}."
    )


def _predictions(report: Report, losses: Sequence[dict[str, float]]) -> None:
    report.heading("Who will win")
    report.text(
        "The mean logarithm of the chance given to whoever won, times -1, in nats: in games that no fit saw, by rounds "
        "played. A share of the weights' is taken as a chance."
    )
    report.table(
        ["round", "positions", "network", "planning", "default"],
        [
            [
                f"{row['round']:.0f}",
                f"{row['positions']:.0f}",
                *(f"{row[name]:.3f}" for name in ("network", "planning", "default")),
            ]
            for row in losses
        ],
    )
