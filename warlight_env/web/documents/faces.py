"""The faces (pictures) of bots as data for the page."""

from __future__ import annotations

import dataclasses

from warlight_env.agents.registry import profile_of


def face_of(spec: str | None) -> dict[str, str] | None:
    """Return the face (picture) of a bot, see `Face`.

    Return None for a person (`spec` is None), and for a bot without a face in its profile.
    """
    profile = None if spec is None else profile_of(spec)
    return None if profile is None or profile.face is None else dataclasses.asdict(profile.face)
