"""Registries of interchangeable kernels: a search selects a kernel by its name, and calls it through its address."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from warlight_env.engine.jit import address, pointer
from warlight_env.errors import InputError


class KernelRegistry:
    """A mapping from names to kernels that have the same task and the same signature.

    The docstring of the signature function describes the task and the arguments of the kernels.

    Args:
        kind: the name of the kernels' task, for error messages.
        signature: a function that returns the Numba type of the kernels.
        kernels: names and kernels; the first kernel is the default.
    """

    def __init__(self, kind: str, signature: Callable[[], Any], kernels: Mapping[str, Callable[..., Any]]) -> None:
        self.kind, self._signature, self._kernels = kind, signature, dict(kernels)
        self._pointer = functools.cache(self._make)

    def add(self, name: str, kernel: Callable[..., Any]) -> None:
        """Add a user's kernel: a function with the decorator `engine.jit.kernel`. The kernel's results are not checked.

        Raises:
            InputError: the name is taken, or the kernel has another number of arguments than the registered kernels.
        """
        if name in self._kernels:
            raise InputError(f"the {self.kind} {name!r} already exists")
        expected = _arguments(next(iter(self._kernels.values())))
        if len(_arguments(kernel)) != len(expected):
            raise InputError(f"{self.kind} {name!r}: its parameters must be ({', '.join(expected)})")
        self._kernels[name] = kernel

    def __len__(self) -> int:
        return len(self._kernels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __contains__(self, name: object) -> bool:
        return name in self._kernels

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self._kernels[name]

    def address(self, name: str) -> Any:
        """Return the kernel's address for other kernels. The first call for a name compiles the kernel."""
        return address(self._pointer(name))

    def _make(self, name: str) -> Any:
        return pointer(self._signature(), self._kernels[name])


def _arguments(kernel: Callable[..., Any]) -> list[str]:
    """Return the names of a kernel's arguments."""
    return list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)
