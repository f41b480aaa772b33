"""The end of a run of expert iteration: the network's file, the final match, and the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Final

from warlight_env.agents.turn_net.turn_file import TurnPolicy, read_turn_file, turn_file
from warlight_env.arena.backends.backend import Backend
from warlight_env.train.common.finish import final_match, write_report
from warlight_env.train.common.journal import Journal
from warlight_env.train.common.matches import Pair, holdout_seed, play_pairs
from warlight_env.train.common.report import Line, Report, percent
from warlight_env.train.exit.settings import ExitSettings
from warlight_env.train.turn_net.player import TurnPlayer

#: The network that was found, for ``policy:FILE`` and ``net=FILE``.
POLICY: Final = "policy.npz"


def finish_exit(
    settings: ExitSettings, journal: Journal, found: bytes, *, jobs: int, backend: str | Backend,
    advance: Callable[[int, str], None],
) -> dict[str, Any]:  # fmt: skip
    """Play the final match, and write policy.npz, result.json and the report; returns the result as plain data.

    Args:
        found: the network's file.
    """
    player = TurnPlayer(found)
    pairs: list[Pair] = [("found", other, player, other) for other in settings.holdout]
    rows = play_pairs(
        pairs, settings.holdout_units, settings.conditions, holdout_seed(settings.seed), journal.folder / "holdout",
        jobs=jobs, backend=backend, advance=advance,
    )  # fmt: skip
    entries = journal.entries
    of_games = [entry for entry in entries if entry["event"] == "games"]
    played, taught = (sum(entry[key] for entry in of_games) for key in ("games", "positions"))
    seconds = sum(entry["seconds"] for entry in entries)
    journal.write(POLICY, _with_card(found, settings, rows, {"games": played, "turns": taught, "seconds": seconds}))
    report = Report("A network that plays turns in full, by expert iteration")
    report.text(
        f"Taught {taught:,} turns of {played:,} games in {seconds / 60:.1f} minutes, all steps together. It plays "
        f"without any search, the likeliest of each choice, with seeds that training never used."
    )
    final_match(report, rows)
    _course(report, settings, entries)
    result = {"kind": "exit", "player": "policy", "holdout": rows, "games": played, "turns": taught, "seconds": seconds}
    write_report(report, journal, "exit", result)
    return result


def _with_card(network: bytes, settings: ExitSettings, rows: Sequence[dict[str, Any]], course: dict[str, Any]) -> bytes:
    """The file with where it comes from."""
    policy: TurnPolicy = read_turn_file(network, "network of this run")
    arrays = policy.network._asdict()
    note = {"trained": "warlight train exit", "settings": asdict(settings), **course, "holdout": list(rows)}
    return turn_file(arrays, policy.heat, note)


def _course(report: Report, settings: ExitSettings, entries: Sequence[dict[str, Any]]) -> None:
    report.heading("How it went")
    fits = [entry for entry in entries if entry["event"] == "fit"]
    gates = {entry["iteration"]: entry for entry in entries if entry["event"] == "gate"}
    if gates:
        ends = zip(*(entry["interval"] for entry in gates.values()), strict=True)
        scores = [entry["score"] for entry in gates.values()]
        score = Line("new network against the old one", [at + 1 for at in gates], scores, *ends)
        report.curves([score], "iteration", "score in the gate", mark=settings.accept)
    known = [entry for entry in fits if entry["held_out"] is not None]
    numbers = [entry["iteration"] + 1 for entry in fits]
    report.curves(
        [
            Line("fitted", numbers, [entry["trained"] for entry in fits]),
            Line("held out", [entry["iteration"] + 1 for entry in known], [entry["held_out"] for entry in known]),
        ],
        "iteration", "nats of a turn",
    )  # fmt: skip
    rows = []
    for fit in fits:
        gate = gates.get(fit["iteration"])
        rows.append(
            [
                str(fit["iteration"] + 1), f"{fit['labels']:,}", _nats(fit["trained"]), _nats(fit["held_out"]),
                _nats(fit["result"]), "–" if gate is None else percent(gate["score"], gate["interval"]),
                "new" if gate is None or gate["accepted"] else "stays",
            ]
        )  # fmt: skip
    report.table(
        [
            "iteration", "turns", "nats of a turn", "… held out", "nats of a result",
            "score in the gate (95 % interval)", "network",
        ],
        rows,
    )  # fmt: skip
    report.text("Nats: cross-entropies; those of a turn are the sum over its choices.")


def _nats(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
