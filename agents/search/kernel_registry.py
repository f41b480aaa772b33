"""Interchangeable kernels: a search selects one by its name, and gets its address."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from warlight_env.engine.jit import address, pointer
from warlight_env.errors import InputError


class KernelRegistry:
    """Kernels of one kind, by name; all have the same signature.

    The signature's docstring describes the arguments and the task of the kernels.

    Args:
        kind: the kind's name, for errors.
        signature: returns Numba's type of the kernels.
        kernels: kernels by name; the first is the default.
    """

    def __init__(self, kind: str, signature: Callable[[], Any], kernels: Mapping[str, Callable[..., Any]]) -> None:
        self.kind, self._signature, self._kernels = kind, signature, dict(kernels)
        self._pointer = functools.cache(self._make)

    def add(self, name: str, kernel: Callable[..., Any]) -> None:
        """Add a custom kernel: a function with the decorator `engine.jit.kernel`. Its results are not checked.

        Raises:
            InputError: the name is taken, or the kernel's arguments differ from the arguments of its kind.
        """
        if name in self._kernels:
            raise InputError(f"the {self.kind} {name!r} already exists")
        wanted = _arguments(next(iter(self._kernels.values())))
        if len(_arguments(kernel)) != len(wanted):
            raise InputError(f"{self.kind} {name!r}: its parameters must be ({', '.join(wanted)})")
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
        """Return the kernel's address for other kernels; the kernel is compiled at the first call."""
        return address(self._pointer(name))

    def _make(self, name: str) -> Any:
        return pointer(self._signature(), self._kernels[name])


def _arguments(kernel: Callable[..., Any]) -> list[str]:
    """Return the names of a kernel's arguments."""
    return list(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)
