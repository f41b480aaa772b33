"""Profiles of bots: the profile of a specification, and the valid values of a profile."""

from __future__ import annotations

from typing import Any

import pytest

from warlight_env.agents import BotProfile, Face, describe
from warlight_env.agents import registry as registry_module
from warlight_env.agents.bot_profile import ProfileError
from warlight_env.agents.players.random import RandomAgent
from warlight_env.agents.registry import package_agents, profile_of, register

FACE = Face("slate", "tan", "round", "none", "dots", "smile")


def name_of(spec: str) -> str | None:
    profile = profile_of(spec)
    return None if profile is None else profile.name


@pytest.mark.parametrize(("spec", "name"), [
    ("nash:secs=5", "Athena"), ("nash:secs=1", "Ada"), ("nash", "Ada"), (" nash:secs=5 ", "Athena"),
    ("policy:any", "Nova"), ("policy:runs/any.npz", None), ("belief:nash:secs=5", "Cassandra"), ("cmd:true", None),
    ("an agent of a package that is not here", None), ("", None),
])  # fmt: skip
def test_a_specification_has_the_profile_of_its_preset_or_agent(spec: str, name: str | None):
    assert name_of(spec) == name


def test_built_in_profiles_have_distinct_names_and_faces_and_one_sentence():
    infos = [info for info in describe() if not info.name.startswith("test-") and info.name not in package_agents()]
    profiles = [profile for info in infos for profile in info.profiles.values()]
    assert len(profiles) > 15
    assert len({profile.name for profile in profiles}) == len({profile.face for profile in profiles}) == len(profiles)
    assert all(profile.level and profile.face for profile in profiles)
    for text in {info.summary for info in infos} | {profile.description for profile in profiles}:
        assert text[0].isupper() and text.endswith(".") and ". " not in text and len(text) <= 80


def test_a_profile_without_a_description_has_the_summary_of_the_agent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry_module, "_AGENTS", dict(registry_module._registered_agents()))
    quick = BotProfile("Flash", description="Does nothing, fast.")
    register("idle", lambda: RandomAgent, "Does nothing.", profile=BotProfile("Sloth", "easy", FACE),
             presets={"secs=1": quick})  # fmt: skip
    assert profile_of("idle:secs=2") == BotProfile("Sloth", "easy", FACE, "Does nothing.")
    assert profile_of("idle:secs=1") == quick


@pytest.mark.parametrize(("changes", "says"), [
    ({"name": ""}, "name = ''"), ({"name": "a\n"}, "name ="), ({"name": "a" * 33}, "1 to 32"),
    ({"name": 3}, "name = 3"), ({"level": "heavy"}, "one of easy, medium, hard"), ({"face": "round"}, "must be a Face"),
    ({"description": None}, "description = None"), ({"description": "a\nb"}, "printable"),
])  # fmt: skip
def test_a_profile_with_an_invalid_value_raises_an_error(changes: dict[str, Any], says: str):
    with pytest.raises(ProfileError, match=says):
        BotProfile(**{"name": "Sloth", **changes})


@pytest.mark.parametrize("field", ["ground", "skin", "head", "top", "eyes", "mouth"])
@pytest.mark.parametrize("value", ["plaid", None, 3, ["round"]])
def test_a_face_with_an_invalid_part_raises_an_error(field: str, value: Any):
    parts = {"ground": "slate", "skin": "tan", "head": "round", "top": "none", "eyes": "dots", "mouth": "smile"}
    with pytest.raises(ProfileError, match=f"{field} = .*must be one of"):
        Face(**{**parts, field: value})
