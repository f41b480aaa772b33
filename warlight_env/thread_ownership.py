"""A check that only one thread at a time uses an object, for objects with memory that compiled code writes.

Kernels run without the global interpreter lock, so two threads in one object would write the same arrays.
"""

from __future__ import annotations

import copy
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, ClassVar, Final, Self, TypeVar, cast
from weakref import WeakSet

from warlight_env.errors import InputError

#: An interrupt (Ctrl-C) never leaves this lock locked. Python handles interrupts only after calls, and this `finally`
#: makes no calls: if `setdefault` has stored this thread in the lock, `del` removes it. A lock of `threading` can stay
#: locked: an interrupt directly after its `acquire` is raised before the result is stored, even inside a `try`.
_WRAPPER: Final = """
def guarded{declared}:
    {own}lock = {first}._in_use
    {own}me = {own}thread.token
    if {own}lock and {own}lock[0] is {own}me:
        return {own}method({passed})
    try:
        if {own}lock.setdefault(0, {own}me) is {own}me:
            return {own}method({passed})
    finally:
        if {own}lock and {own}lock[0] is {own}me:
            del {own}lock[0]
    raise {own}error.of({first})
"""

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound="SingleThreaded")


class ConcurrentUseError(InputError):
    """An error for two threads that use one object at the same time. The call that raises it changes nothing."""

    @classmethod
    def of(cls, used: object) -> ConcurrentUseError:
        """Return the error for an object."""
        return cls(f"{type(used).__name__} is in use by another thread: give each thread its own object, or use a lock")


class _Thread(threading.local):
    """The running thread; each thread has its own object `token`. Thread numbers are reused, so they are not unique."""

    def __init__(self) -> None:
        self.token = object()


_THREAD: Final = _Thread()


class UseLock(dict[int, object]):
    """A dict with the thread that uses an object at key 0, or empty. Pickles and deep copies of it are new locks."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[UseLock], tuple[()]]:
        return UseLock, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> UseLock:
        return UseLock()


#: The methods that `exclusive` returned.
_GUARDED: Final[WeakSet[Callable[..., Any]]] = WeakSet()


class _Source(str):
    """Source text that is its own `repr`."""

    __slots__ = ()
    __repr__ = str.__str__


def exclusive(method: F) -> F:
    """Make a method raise ConcurrentUseError while another thread runs an exclusive method of the same object.

    Such a method may call other exclusive methods of the object. The object has a `UseLock` in the attribute `_in_use`.
    The wrapper is generated with the method's own parameters, because a wrapper with ``*args, **kwargs`` takes twice as
    long.
    """
    if method in _GUARDED:
        return method
    signature = inspect.signature(method)
    names, own = list(signature.parameters), "_"
    while any(name.startswith(own) for name in names):
        own += "_"
    known: dict[str, Any] = {
        f"{own}method": method, f"{own}thread": _THREAD, f"{own}error": ConcurrentUseError,
    }  # fmt: skip
    declared, passed = [], []
    for name, parameter in signature.parameters.items():
        kind, default = parameter.kind, parameter.default
        if default is not parameter.empty:
            known[f"{own}default_{name}"] = default
            default = _Source(f"{own}default_{name}")
        declared.append(parameter.replace(default=default, annotation=parameter.empty))
        form = {kind.VAR_POSITIONAL: "*{0}", kind.VAR_KEYWORD: "**{0}", kind.KEYWORD_ONLY: "{0}={0}"}.get(kind, "{0}")
        passed.append(form.format(name))
    exec(
        _WRAPPER.format(declared=inspect.Signature(declared), passed=", ".join(passed), first=names[0], own=own), known
    )
    guarded: Any = functools.update_wrapper(known["guarded"], method)
    _GUARDED.add(guarded)
    return cast(F, guarded)


def unchecked(subclass: type[C]) -> type[C]:
    """Decorate a subclass so that its methods do not check the thread; for parts of objects that already check."""
    for name in subclass.exclusive_methods:
        setattr(subclass, name, getattr(subclass, name).__wrapped__)
    return subclass


def _exclusive_member(owner: type, name: str) -> Any:
    """Return the exclusive form of a class's method or property; an exclusive method is returned unchanged."""
    member = inspect.getattr_static(owner, name, None)
    if inspect.isfunction(member):
        return exclusive(member)
    if not isinstance(member, property):
        raise TypeError(f"{owner.__qualname__}.exclusive_methods: {name!r} is neither a method nor a property")
    parts: list[Any] = [part and exclusive(part) for part in (member.fget, member.fset, member.fdel)]
    getter, setter, deleter = parts
    return property(getter, setter, deleter, member.__doc__)


class SingleThreaded:
    """Base class of objects that only one thread at a time may use. It makes the `exclusive_methods` exclusive.

    Each subclass finds these methods and properties by name. So methods that it overrides or that come from other base
    classes are exclusive, too. A name that is neither a method nor a property raises TypeError when the class is made.
    A shallow copy shares the arrays of its original, and therefore its lock.

    Attributes in `not_copied` are None in copies and pickles. They are made again when they are needed: for example
    working memory, and addresses of compiled functions, which are invalid in another process.
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
            checked = _exclusive_member(cls, name)
            if checked is not inspect.getattr_static(cls, name):
                setattr(cls, name, checked)

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
