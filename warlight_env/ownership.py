"""A check that one thread at a time uses an object, for objects that own memory of compiled code.

Kernels run without the global interpreter lock, so two threads in one object would write the same arrays.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from threading import get_ident
from typing import Any, ClassVar, Final, Self, TypeVar

from warlight_env.errors import InputError

#: Python runs signal handlers (Ctrl-C) and other threads after calls, never between the operations of the `finally`.
#: Hence an interrupt at any place leaves the lock free: where `setdefault` has put this thread into it, `del` follows.
_WRAPPER: Final = """
def guarded({declared}):
    _holder = self._in_use
    _me = get_ident()
    if _holder and _holder[0] == _me:
        return method({passed})
    try:
        if _holder.setdefault(0, _me) == _me:
            return method({passed})
    finally:
        if _holder and _holder[0] == _me:
            del _holder[0]
    raise ConcurrentUseError.of(self)
"""

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound="OneThread")


class ConcurrentUseError(InputError):
    """Two threads used one object at the same time. The call that raised it changed nothing."""

    @classmethod
    def of(cls, used: object) -> ConcurrentUseError:
        """The error for an object."""
        return cls(
            f"{type(used).__name__} is in use by another thread: give each thread its own, or take turns by a lock"
        )


class UseLock(dict[int, int]):
    """The thread that is inside an object, at 0; empty: none. Pickles and deep copies of it are new locks."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[UseLock], tuple[()]]:
        return UseLock, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> UseLock:
        return UseLock()


def exclusive(method: F) -> F:
    """Have a method raise ConcurrentUseError while another thread is inside an exclusive method of the same object.

    The same thread may call others of them inside. The object has a `UseLock` in the attribute `_in_use`.
    The wrapper is generated with the method's own parameters: passing on ``*args, **kwargs`` takes twice as long.
    """
    declared, passed, keywords = [], [], False
    known: dict[str, Any] = {"method": method, "ConcurrentUseError": ConcurrentUseError, "get_ident": get_ident}
    for parameter in inspect.signature(method).parameters.values():
        name, kind = parameter.name, parameter.kind
        star = {kind.VAR_POSITIONAL: "*", kind.VAR_KEYWORD: "**"}.get(kind, "")
        keywords = keywords or kind is kind.VAR_POSITIONAL
        if kind is kind.KEYWORD_ONLY and not keywords:
            declared.append("*")
            keywords = True
        default = parameter.default is not parameter.empty
        if default:
            known[f"default_{name}"] = parameter.default
        declared.append(f"{star}{name}=default_{name}" if default else f"{star}{name}")
        passed.append(f"{name}={name}" if kind is kind.KEYWORD_ONLY else f"{star}{name}")
    exec(_WRAPPER.format(declared=", ".join(declared), passed=", ".join(passed)), known)
    return functools.update_wrapper(known["guarded"], method)  # type: ignore[return-value]


def unchecked(subclass: type[C]) -> type[C]:
    """Decorate a subclass of an exclusive class: its methods make no check. For parts of objects that make it."""
    for name in subclass.exclusive_methods:
        setattr(subclass, name, getattr(subclass, name).__wrapped__)
    return subclass


class OneThread:
    """Base of classes whose objects one thread at a time may use: it makes their `exclusive_methods` exclusive.

    Methods and properties are found by name in every subclass, so an override is checked as well. A shallow copy shares
    the arrays of its original, and therefore its lock.

    Attributes in `not_copied` are None in copies and pickles: what they hold is made again when it is needed, such as
    working memory and addresses of compiled functions, which another process does not have.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = ()
    not_copied: ClassVar[tuple[str, ...]] = ()
    _in_use: UseLock

    def __new__(cls, *args: Any, **names: Any) -> Self:
        made = super().__new__(cls)
        made._in_use = UseLock()
        return made

    def __init_subclass__(cls, **names: Any) -> None:
        super().__init_subclass__(**names)
        for name in cls.exclusive_methods:
            member = cls.__dict__.get(name)
            if isinstance(member, property):
                assert member.fget is not None
                setattr(cls, name, property(exclusive(member.fget), member.fset, member.fdel, member.__doc__))
            elif callable(member):
                setattr(cls, name, exclusive(member))

    @exclusive
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, **dict.fromkeys(self.not_copied)}

    @exclusive
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = memo[id(self)] = type(self).__new__(type(self))
        state = copy.deepcopy(self.__getstate__(), memo)
        set_state = getattr(other, "__setstate__", other.__dict__.update)
        set_state(state)
        return other
