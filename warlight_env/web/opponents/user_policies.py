"""Policies in a folder of the user, offered as opponents by their file names."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from warlight_env.errors import clipped, readable
from warlight_env.web.documents.faces import POLICY_PREFIX, POLICY_SUFFIX
from warlight_env.web.errors import BUSY, ProcessPoolError, RequestError
from warlight_env.web.opponents.supported_games import ALL_GAMES, SupportedGames, games_of
from warlight_env.web.storage.game_folder import FileStamp, file_stamps
from warlight_env.web.workers.process_pool import ProcessPool

MAX_POLICIES: Final = 60  # maximum number of policy files that the page offers
_NEVER: Final[FileStamp] = (-1, -1)
_NAME: Final = re.compile(".{0,96}", re.DOTALL)  # the name of a policy file without its suffix

#: Runs a function with its arguments in a thread.
InThread = Callable[..., Coroutine[Any, Any, Any]]


@dataclass(frozen=True)
class UserPolicy:
    """The file of a policy. problem: the reason why the policy cannot play; '' if it can play."""

    path: Path
    stamp: FileStamp
    games: SupportedGames = ALL_GAMES
    problem: str = ""


class UserPolicies:
    """The policies in a folder, by the specification that the page shows: ``policy:NAME.npz``.

    Only the process that plays the policy receives the folder's path. Nothing in a file is executed.

    Args:
        folder: the folder of policy files; if it is None, no policies are offered. process_pool: the process pool that
            reads the files. in_thread: a function that lists the folder in a thread.
    """

    def __init__(self, folder: Path | None, process_pool: ProcessPool, in_thread: InThread) -> None:
        self._folder, self._process_pool, self._in_thread = folder, process_pool, in_thread
        self._cached: dict[str, UserPolicy] = {}

    async def scan(self) -> dict[str, UserPolicy]:
        """Return the policies that the folder contains now; an unchanged file is read only once."""
        if self._folder is None:
            return {}
        policies = {}
        for spec, file in (await self._in_thread(_files, self._folder)).items():
            cached = self._cached.get(spec)
            policies[spec] = cached if cached is not None and cached.stamp == file.stamp else await self._read(file)
        self._cached = policies
        return policies

    async def _read(self, file: UserPolicy) -> UserPolicy:
        try:
            return replace(file, games=await self._process_pool.short(games_of, f"{POLICY_PREFIX}{file.path}"))
        except (RequestError, ProcessPoolError) as error:
            reason = clipped(readable(str(error).replace(str(file.path), file.path.name)), 200)
            is_final = isinstance(error, RequestError) and error.status not in BUSY  # else it is read again
            return replace(file, problem=f"cannot be read: {reason}", stamp=file.stamp if is_final else _NEVER)

    def agent_spec(self, spec: str | None) -> str | None:
        """Return the specification of the agent for a bot that the page shows, even if its file no longer exists."""
        name = (spec or "").removeprefix(POLICY_PREFIX)
        if self._folder is None or spec is None or not spec.startswith(POLICY_PREFIX):
            return spec
        return (
            f"{POLICY_PREFIX}{self._folder / name}"
            if name.endswith(POLICY_SUFFIX) and Path(name).name == name
            else spec
        )


def _files(folder: Path) -> dict[str, UserPolicy]:
    """Return a dict from the specification of each policy in a folder to its file, sorted by name.

    Files whose names contain unprintable characters are left out.
    """
    try:
        stamps = file_stamps(folder, POLICY_SUFFIX, _NAME)
    except OSError:
        return {}
    files = sorted((f"{stem}{POLICY_SUFFIX}", stamp) for stem, stamp in stamps.items() if stem.isprintable())
    return {f"{POLICY_PREFIX}{name}": UserPolicy(folder / name, stamp) for name, stamp in files[:MAX_POLICIES]}
