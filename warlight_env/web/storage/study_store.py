"""The studies of a server: files in a subfolder of the games."""

from __future__ import annotations

import re
import secrets
import threading
from pathlib import Path
from typing import Final

from warlight_env import bounded_io
from warlight_env.record.errors import StudyError
from warlight_env.record.study import STUDY_BYTES, SUFFIX
from warlight_env.web.errors import RequestError
from warlight_env.web.storage.game_folder import FileStamp, file_stamps, write_private, writing

FOLDER: Final = "studies"  # inside the folder of games
MAX_STUDIES: Final = 500  # maximum number of studies on a server
_ID: Final = re.compile(r"[0-9a-f]{12}")


class StudyStore:
    """The studies in a folder. Its methods read and write files, so call them in a thread.

    folder: folder of games; studies are in its subfolder ``studies``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER
        self._creating = threading.Lock()  # held from the check of the limit until the study is written

    def path(self, id: str) -> Path:
        """Return the file of a study, which need not exist; raise `RequestError` for a name that no study has."""
        if not _ID.fullmatch(id):
            raise no_such_study()
        return self.folder / f"{id}{SUFFIX}"

    def stamps(self) -> dict[str, FileStamp]:
        """Return a dict from the studies to the stamps of their files, which show whether a file has changed."""
        return file_stamps(self.folder, SUFFIX, _ID)

    def read(self, id: str) -> bytes:
        """Return the file of a study; raise `RequestError` if there is no such study, or it cannot be read."""
        path = self.path(id)
        try:
            return bounded_io.read_bytes(path, STUDY_BYTES, StudyError, "study")
        except StudyError as error:
            if not path.exists():  # checked after the read, because another request can delete the study at any time
                raise no_such_study() from None
            raise RequestError(str(error).replace(str(path), path.name), 500) from None

    def create(self, data: bytes) -> str:
        """Write a new study. Return its name.

        Raises:
            RequestError: there are too many studies. DiskError: the file cannot be written.
        """
        with self._creating:
            if len(self.stamps()) >= MAX_STUDIES:
                raise RequestError(
                    f"there are {MAX_STUDIES} studies already: delete one", 409, code="studies-full", most=MAX_STUDIES
                )
            id = secrets.token_hex(6)
            with writing(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
            write_private(self.path(id), data)
            return id

    def write(self, id: str, data: bytes) -> None:
        """Replace the file of a study; `DiskError`: the previous file is unchanged."""
        write_private(self.path(id), data)

    def delete(self, id: str) -> None:
        """Delete a study. `RequestError`: there is no such study; `DiskError`: the system refuses the deletion."""
        path = self.path(id)
        with writing(path):
            try:
                path.unlink()
            except FileNotFoundError:
                raise no_such_study() from None


def no_such_study() -> RequestError:
    """Return the error for a study that does not exist."""
    return RequestError("there is no such study", 404, code="no-study")
