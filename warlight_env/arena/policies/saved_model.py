"""The agent ``sb3:file=model.zip,trust=yes``, which plays a model that Stable-Baselines3 or sb3-contrib saved."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from warlight_env.agents import AgentError
from warlight_env.arena.policies.policy_agent import TrainedAgent
from warlight_env.arena.policies.policy_file import PolicyFileError, differing_rules
from warlight_env.bounded_io import open_file, reason, shown
from warlight_env.engine.board import Board
from warlight_env.engine.rules import Rules
from warlight_env.envs.map_sets import MapLimits, edges_of
from warlight_env.envs.policy_settings import PolicySettings, settings_path
from warlight_env.envs.saved_policies import ModelPolicy, SavedPolicyError, load_policy, trust_error
from warlight_env.maps import Map


def model_digest(path: Path) -> str:
    """Return the SHA-256 digest of a file in hexadecimal digits."""
    try:
        with open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise SavedPolicyError(f"cannot read {shown(path)}: {reason(error)}") from None


@functools.lru_cache(maxsize=4)
def load_model(path: str, digest: str, deterministic: bool) -> ModelPolicy:
    """Load a model from a file that the user trusts; raise an error unless the file's digest begins with `digest`.

    Later calls with the same arguments return the same object.
    """
    if not model_digest(Path(path)).startswith(digest):
        raise SavedPolicyError(f"{path}: the file has changed since the games began")
    return load_policy(path, deterministic, trust=True)


def check_size(name: str, settings: PolicySettings, map: Map) -> None:
    """Raise PolicyFileError if the policy with the given settings cannot play on a map of the given size.

    name: the name of the policy for the error message.
    """
    size = MapLimits(len(map.regions), edges_of(map))
    if not settings.fits(size):
        scope = "its observations have space for" if settings.padded else f"it is for maps like {settings.map!r}, with"
        raise PolicyFileError(
            f"policy {name!r}: {scope} {settings.regions} regions and {settings.edges} directed edges, not "
            f"{size.regions} and {size.edges}"
        )


class SavedModel:
    """A saved model with the settings of its environment, as an argument of `TrainedAgent`."""

    def __init__(self, path: str, policy: ModelPolicy, settings: PolicySettings) -> None:
        self.name, self._policy, self._settings = Path(path).stem, policy, settings
        self.environment: dict[str, Any] = {
            "action": settings.encoding, "observation": settings.observation, "max_cycles": settings.max_cycles,
            "padding": settings.padding,
        }  # fmt: skip

    def check(self, map: Map, rules: Rules, players: int) -> None:
        """Raise PolicyFileError if the model was not trained for this map, these rules or this number of players."""
        settings = self._settings
        if players != settings.players:
            raise PolicyFileError(f"policy {self.name!r} is for games of {settings.players} players, not {players}")
        differing = differing_rules(settings.rules, rules, learned_picks=settings.picking == "play")
        if differing:
            raise PolicyFileError(
                f"policy {self.name!r} is for the rules {settings.rules.name!r}: {', '.join(differing)}"
            )
        check_size(self.name, settings, map)

    def bind(self, board: Board) -> ModelPolicy:
        """Return the policy for games on a board, which `check` must accept."""
        return self._policy


class SavedModelAgent(TrainedAgent):
    """An agent that plays a model in a file of Stable-Baselines3 or sb3-contrib.

    The same folder must contain the settings file that `SavePolicyCallback` or `save_policy` wrote. A file of
    Stable-Baselines3 can run any program when it is read, so the user must set ``trust="yes"``.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        file: str = "",
        trust: str = "no",
        play: str = "sampled",
    ) -> None:
        if play not in ("sampled", "likeliest"):
            raise AgentError(f"agent 'sb3': play = {play!r}: must be 'sampled' or 'likeliest'")
        path, _, digest = file.partition("#")
        if not path.endswith(".zip"):
            raise AgentError("agent 'sb3': give a .zip of Stable-Baselines3: sb3:file=model.zip,trust=yes")
        digest = digest or model_digest(Path(path))  # this call raises an error if the file is missing
        if trust != "yes":
            raise AgentError(str(trust_error(path, f"use sb3:file={path},trust=yes")))
        settings = PolicySettings.load(path)
        if settings is None:
            raise AgentError(
                f"{path}: {settings_path(path).name} with the settings of the policy is missing in the same folder; "
                "the callback warlight_env.envs.sb3.SavePolicyCallback or save_policy(model, path) writes it"
            )
        model = load_model(path, digest, play == "likeliest")
        super().__init__(SavedModel(path, model, settings), seed)
