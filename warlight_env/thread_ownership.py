"""A check that only one thread at a time uses an object.

Objects need a check of the calling thread if their methods call kernels. Kernels run without the global interpreter
lock, so two threads in one object could write to the same arrays at the same time.
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

#: The source code of the wrapper that `exclusive` makes. An interrupt (Ctrl-C) never leaves the object locked: Python
#: handles interrupts only after calls, and the `finally` block makes no calls. So `del` always removes the entry of
#: this thread. A lock of `threading` could stay locked: an interrupt directly after `acquire` is raised before the
#: caller can store that it has the lock, even inside a `try`.
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
    raise {own}error.for_object({first})
"""

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound="SingleThreaded")


class ConcurrentUseError(InputError):
    """Two threads use one object at the same time. The call that raises this error changes nothing."""

    @classmethod
    def for_object(cls, owner: object) -> ConcurrentUseError:
        """Return the error with a message that names the type of the object `owner`."""
        return cls(
            f"{type(owner).__name__} is in use by another thread: give each thread its own object, or use a lock"
        )


class _Thread(threading.local):
    """An object with a different `token` in each thread.

    The token identifies the running thread. The thread numbers of `threading` are not unique, because new threads get
    the numbers of ended threads.
    """

    def __init__(self) -> None:
        self.token = object()


_THREAD: Final = _Thread()


class UseLock(dict[int, object]):
    """A lock that names the thread that uses an object: a dict with this thread's token at key 0.

    The dict is empty while no thread uses the object. Pickles and deep copies of the lock are new, unlocked locks.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[type[UseLock], tuple[()]]:
        return UseLock, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> UseLock:
        return UseLock()


#: All methods that `exclusive` has wrapped.
_GUARDED: Final[WeakSet[Callable[..., Any]]] = WeakSet()


class _Source(str):
    """A string with `repr(text) == text`, without quotes, so that a printed signature contains it as code."""

    __slots__ = ()
    __repr__ = str.__str__


def exclusive(method: F) -> F:
    """Make a method exclusive: it raises ConcurrentUseError if another thread runs an exclusive method of its object.

    An exclusive method may call other exclusive methods of the same object. The object must have a `UseLock` in its
    attribute `_in_use`. The generated wrapper has the parameters of the method, because a wrapper with
    ``*args, **kwargs`` takes twice as long.
    """
    if method in _GUARDED:
        return method
    signature = inspect.signature(method)
    names, prefix = list(signature.parameters), "_"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    namespace: dict[str, Any] = {
        f"{prefix}method": method, f"{prefix}thread": _THREAD, f"{prefix}error": ConcurrentUseError,
    }  # fmt: skip
    declared, passed = [], []
    for name, parameter in signature.parameters.items():
        kind, default = parameter.kind, parameter.default
        if default is not parameter.empty:
            namespace[f"{prefix}default_{name}"] = default
            default = _Source(f"{prefix}default_{name}")
        declared.append(parameter.replace(default=default, annotation=parameter.empty))
        form = {kind.VAR_POSITIONAL: "*{0}", kind.VAR_KEYWORD: "**{0}", kind.KEYWORD_ONLY: "{0}={0}"}.get(kind, "{0}")
        passed.append(form.format(name))
    exec(
        _WRAPPER.format(declared=inspect.Signature(declared), passed=", ".join(passed), first=names[0], own=prefix),
        namespace,
    )
    guarded: Any = functools.update_wrapper(namespace["guarded"], method)
    _GUARDED.add(guarded)
    return cast(F, guarded)


def unchecked(subclass: type[C]) -> type[C]:
    """Class decorator that removes the thread check from the class's exclusive methods.

    Use this decorator for a class whose objects are only used inside other objects that check the thread.
    """
    for name in subclass.exclusive_methods:
        setattr(subclass, name, getattr(subclass, name).__wrapped__)
    return subclass


def _exclusive_member(owner: type, name: str) -> Any:
    """Return a method or property of a class, wrapped by `exclusive`. A method that is already exclusive is returned
    unchanged."""
    member = inspect.getattr_static(owner, name, None)
    if inspect.isfunction(member):
        return exclusive(member)
    if not isinstance(member, property):
        raise TypeError(f"{owner.__qualname__}.exclusive_methods: {name!r} is neither a method nor a property")
    parts: list[Any] = [part and exclusive(part) for part in (member.fget, member.fset, member.fdel)]
    getter, setter, deleter = parts
    return property(getter, setter, deleter, member.__doc__)


class SingleThreaded:
    """Base class of objects that only one thread at a time may use.

    The class and each of its subclasses apply `exclusive` to the methods and properties that `exclusive_methods` names.
    Overridden methods, and methods of other base classes, therefore are also exclusive. A name that is neither a method
    nor a property raises TypeError when the subclass is defined. A shallow copy uses the same arrays and the same lock
    as its original.

    The attributes that `not_copied` names are None in copies and pickles, and the class makes them again at their next
    use. Two examples of attributes in `not_copied` are working memory, and addresses of compiled functions, which are
    not valid in another process.
    """

    exclusive_methods: ClassVar[tuple[str, ...]] = ()
    not_copied: ClassVar[tuple[str, ...]] = ()
    _in_use: UseLock

    def __new__(cls, *args: Any, **names: Any) -> Self:
        instance = super().__new__(cls)
        instance._in_use = UseLock()
        return instance

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
        clone = memo[id(self)] = type(self).__new__(type(self))
        state = copy.deepcopy(self.__getstate__(), memo)
        set_state = getattr(clone, "__setstate__", clone.__dict__.update)
        set_state(state)
        return clone
