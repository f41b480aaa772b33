"""A pause of Python's garbage collector while Numba compiles.

The compiler makes millions of objects and uses them until the end of the compilation. The garbage collector finds no
garbage among these objects, and would take seven percent of the compile time.
"""

from __future__ import annotations

import gc
from typing import Any, Final

from numba.core import event


class _Pause(event.Listener):
    """A listener that disables the collector at the start of a compilation and enables it again at the end.

    Compilations are nested, because a kernel compiles the kernels that it calls. Numba's lock lets only one thread
    compile. If the user has disabled the collector, it remains disabled.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._was_enabled = False

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._was_enabled:
            gc.enable()


_PAUSE: Final = _Pause()


def pause_in_compilation() -> None:
    """Pause the garbage collector in all later compilations of this process."""
    event.register("numba:compile", _PAUSE)
