"""Functions that higher layers give to lower layers: to register agents, and to make tensor environments and HTML.

The agent registry calls the functions that register agents before its first use.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

_waiting: list[Callable[[], None]] = []
_lock = threading.RLock()


def add(registrar: Callable[[], None]) -> None:
    """Add a function, which the agent registry calls once, before the registry's next use."""
    _waiting.append(registrar)


def run() -> None:
    """Call all added functions that have not been called yet."""
    with _lock:
        while _waiting:
            _waiting.pop(0)()


#: The functions that `set_tensor_env` and `set_html_renderer` have set, by what they make.
_makers: dict[str, Callable[..., Any]] = {}


def set_tensor_env(make: Callable[..., Any]) -> None:
    """Set the function that makes Gymnasium vector environments with tensors, see `tensor_env`."""
    _makers["tensor_env"] = make


def tensor_env(num_envs: int, **arguments: Any) -> Any:
    """Make a Gymnasium vector environment with tensors."""
    return _makers["tensor_env"](num_envs, **arguments)


def set_html_renderer(make: Callable[[Any], str | None]) -> None:
    """Set the function that makes the HTML of a game or a game log for Jupyter notebooks; None: no HTML."""
    _makers["html"] = make


def html_of(item: Any) -> str | None:
    """Return the HTML of a game or a game log, or None; for None, a notebook shows another form, such as a picture."""
    html: str | None = _makers["html"](item)
    return html
