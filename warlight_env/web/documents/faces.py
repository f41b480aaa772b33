"""The names and faces (pictures) of bots as data for the page."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence

from warlight_env.agents.registry import profile_of


def face_of(spec: str | None) -> dict[str, str] | None:
    """Return the face (picture) of a bot, see `Face`.

    Return None for a person (`spec` is None), and for a bot without a face in its profile.
    """
    profile = None if spec is None else profile_of(spec)
    return None if profile is None or profile.face is None else dataclasses.asdict(profile.face)


def displayed_names(players: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return the names that the page shows for the players of a game.

    A bot whose name in the log is its specification, perhaps with a number, gets the name of its profile:
    ``random 2`` is shown as ``Pip 2``. Bots that would have the same name also get their specification.

    Args:
        players: the name and the specification of each player. None: a person, or a bot of a match; its name is its
            specification.
    """
    shown = [_displayed(name, name if spec is None else spec) for name, spec in players]
    counts = Counter(shown)
    return [
        f"{name} ({told})" if counts[name] > 1 and name != told else name
        for name, (told, _) in zip(shown, players, strict=True)
    ]


def displayed_bot(spec: str) -> str:
    """Return the name that the page shows for a bot: the name of its profile, otherwise the specification."""
    return _displayed(spec, spec)


def _displayed(name: str, spec: str) -> str:
    profile = profile_of(spec)
    if profile is None or not re.fullmatch(r"( \d+)?", name.removeprefix(spec)):
        return name
    return profile.name + name.removeprefix(spec)
