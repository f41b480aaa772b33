"""Registers the environments with PettingZoo, once."""

from __future__ import annotations

import pettingzoo

ENV_ID = "warlight/warlight-v0"


def register_all() -> None:
    """Make ``pettingzoo.make("parallel", "warlight/warlight-v0")`` and the same with "aec" work."""
    if ENV_ID not in pettingzoo.parallel_registry:
        pettingzoo.register("parallel", "warlight/warlight_v0", "warlight_env.warlight_v0:parallel_env")
    if ENV_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "warlight/warlight_v0", "warlight_env.warlight_v0:env")
