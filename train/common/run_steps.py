"""The steps of a run that goes on after a kill: each is done once, and kept in the run's journal and folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from warlight_env import bounded
from warlight_env.agents.value_record import digest
from warlight_env.train.common.journal import Journal, JournalError

#: Told of every step.
Say = Callable[[dict[str, Any]], None]


class RunSteps:
    """What a journal says of a run's steps, in their order, and then what is computed and written there.

    Args:
        journal: of the run's folder, open.
        say: told of every step that is done now.

    Raises:
        JournalError: the journal and its files are not of this run; so do the methods.
    """

    def __init__(self, journal: Journal, say: Say) -> None:
        journal.check()
        self.journal, self._say = journal, say
        self._known = iter(list(journal.entries))

    def once(self, what: dict[str, Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What the journal says of a step, or what is computed now and written there."""
        known = next(self._known, None)
        if known is not None:
            if {key: known.get(key) for key in what} != what:
                raise JournalError(
                    f"{self.journal.folder}: the journal has {known.get('event')!r} where {what} belongs"
                )
            return known
        began = time.perf_counter()
        entry = {**what, **compute(), "seconds": round(time.perf_counter() - began, 3)}
        self.journal.append(entry)
        self._say(entry)
        return self.journal.entries[-1]

    def file(self, what: dict[str, Any], compute: Callable[[], tuple[bytes, dict[str, Any]]]) -> bytes:
        """The file of a step, which is made now or was before; beside it `compute` tells what the journal says."""
        made: list[bytes] = []

        def write() -> dict[str, Any]:
            content, told = compute()
            self.journal.write(file_name(what), content)
            made.append(content)
            return {"digest": digest(content), **told}

        entry = self.once(what, write)
        return made[0] if made else self.read(entry)

    def read(self, entry: dict[str, Any]) -> bytes:
        """The file of a step that the journal knows."""
        path = self.journal.folder / file_name(entry)
        content = bounded.read_bytes(path, bounded.ARRAYS_BYTES, JournalError, "file of this run")
        if digest(content) != entry["digest"]:
            raise JournalError(f"{path}: not what the run has written there")
        return content


def file_name(what: dict[str, Any]) -> str:
    """The file of a step: of a fit's network, or of a part of something."""
    number = what["iteration"] + 1
    if what["event"] == "fit":
        return f"network-{number}.npz"
    return f"{what['event']}/{number}-{what['part'] + 1}.npz"
