"""The names and faces (pictures) of bots as data for the page."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from warlight_env.agents.registry import profile_of

#: The beginning and the end of the specification of a policy file.
POLICY_PREFIX: Final = "policy:"
POLICY_SUFFIX: Final = ".npz"


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
    specs = [name if spec is None else spec for name, spec in players]
    displayed = [
        displayed_bot(spec) + name.removeprefix(spec) if re.fullmatch(r"( \d+)?", name.removeprefix(spec)) else name
        for (name, _), spec in zip(players, specs, strict=True)
    ]
    return distinct_names(displayed, [name for name, _ in players])


def distinct_names(names: Sequence[str], additions: Sequence[str]) -> list[str]:
    """Append to each name that occurs several times its addition, as in ``Ada (nash:secs=3)``."""
    counts = Counter(names)
    return [
        f"{name} ({addition})" if counts[name] > 1 and name != addition else name
        for name, addition in zip(names, additions, strict=True)
    ]


def displayed_bot(spec: str) -> str:
    """Return the name that the page shows for a bot.

    This is the name of its profile; without a profile, the file name of a policy file; otherwise the specification.
    """
    profile = profile_of(spec)
    if profile is not None:
        return profile.name
    is_file = spec.startswith(POLICY_PREFIX) and spec.endswith(POLICY_SUFFIX)
    return PurePath(spec.removeprefix(POLICY_PREFIX)).name.removesuffix(POLICY_SUFFIX) if is_file else spec
