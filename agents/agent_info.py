"""An agent's entry in the registry."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from warlight_env.agents.bot_profile import BotProfile
from warlight_env.agents.parameters import Parameter
from warlight_env.engine.rules import MAX_PLAYERS


def loader_of(name: str) -> Callable[[], Any]:
    """Return a function that imports a module and returns one of its objects. name: ``MODULE:OBJECT``."""
    return functools.partial(pkgutil.resolve_name, name)


@dataclass(frozen=True)
class TextForm:
    """The specification's form for an agent that takes all text after its name and the colon as one argument.

    Attributes:
        form: the form of the whole specification, as help texts show it, for example ``belief:AGENT``.
        wraps: whether the text is the specification of another agent.
        digest_of: a function that returns the digest (16 hexadecimal digits) of an .npz file that the text names; None:
            the text names no file. See `registry.pinned`.
    """

    form: str
    wraps: bool = False
    digest_of: Callable[[str], str] | None = None


@dataclass(frozen=True)
class AgentInfo:
    """An agent's entry in the registry."""

    name: str
    summary: str
    load: Callable[[], Callable[..., Any]]
    declared: Callable[[], dict[str, Parameter]] = dict  #: returns the agent's parameters
    text: TextForm | None = None  #: describes the text after the name, if the agent takes it as one argument
    players: int = MAX_PLAYERS  #: the largest number of players in the agent's games
    profile: BotProfile | None = None  #: the profile of all specifications that are not in `presets`
    #: profiles of specifications, by the text after the agent's name, without the colon
    presets: Mapping[str, BotProfile] = field(default_factory=dict)
    file: str | None = None  #: the path of the Python file that defines the agent, if the name of the agent is a path

    @property
    def form(self) -> str:
        """The form of the agent's specifications: `TextForm.form`, or the agent's name if it has no `TextForm`."""
        return self.name if self.text is None else self.text.form

    @property
    def wraps(self) -> bool:
        """Whether the text after the name is the specification of another agent."""
        return self.text is not None and self.text.wraps

    @functools.cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name; the module that declares them is loaded at the first access."""
        return self.declared()

    @functools.cached_property
    def profiles(self) -> dict[str, BotProfile]:
        """All profiles with their descriptions: a dict with specifications as keys.

        The agent's own profile has the agent's name as its key.
        """
        general = {} if self.profile is None else {self.name: self.profile}
        presets = {f"{self.name}:{text}": profile for text, profile in self.presets.items()}
        return {spec: profile.described(self.summary) for spec, profile in (general | presets).items()}
