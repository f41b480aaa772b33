"""The check that only one thread at a time uses an object: its wrapper, interrupts, forks and copies."""

import copy
import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading

import pytest
from thread_helpers import in_use

from warlight_env import Game
from warlight_env.thread_ownership import ConcurrentUseError, SingleThreaded


class Exclusive(SingleThreaded):
    exclusive_methods = ("call",)

    def call(self):
        return 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that interrupt")
@pytest.mark.parametrize("method", [Exclusive.call, Game.fingerprint, Game.clone])
def test_an_interrupt_at_any_point_leaves_the_object_unlocked(method):
    used = Exclusive() if method is Exclusive.call else Game("small", seed=3, picks="random")
    failed = []

    def from_another_thread():
        try:
            method(used)
        except ConcurrentUseError as error:
            failed.append(error)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for n in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 * (1 + n % 30))
                while True:
                    method(used)
            except KeyboardInterrupt:
                pass
            thread = threading.Thread(target=from_another_thread)
            thread.start()
            thread.join()
            assert not failed, f"after {n + 1} interrupts"
    finally:
        signal.signal(signal.SIGALRM, before)


def test_another_thread_is_refused_during_a_deep_copy():
    refused = []

    class Attribute:
        def __deepcopy__(self, memo):
            thread = threading.Thread(target=lambda: refused.append(type_of_error(original.call)))
            thread.start()
            thread.join()
            return self

    original = Exclusive()
    original.attribute, original.itself = Attribute(), original
    copy_ = copy.deepcopy(original)
    assert refused == [ConcurrentUseError]
    assert copy_.itself is copy_ and copy_.call() == 1


def type_of_error(function):
    try:
        function()
    except Exception as error:
        return type(error)
    return None


def test_a_wrong_name_in_exclusive_methods_raises_a_type_error():
    for wrong in ("cal", "name", "made"):
        with pytest.raises(TypeError, match=f"Wrong.exclusive_methods: '{wrong}' is neither a method nor a property"):

            class Wrong(SingleThreaded):
                exclusive_methods = ("call", wrong)
                name = "a name"

                @staticmethod
                def made():
                    return 1

                def call(self):
                    return 1


class OtherBase:
    def inherited(self):
        return "inherited"

    def replaced(self):
        return "elsewhere"


class AllKinds(SingleThreaded, OtherBase):
    """A class with methods of all kinds."""

    exclusive_methods = ("inherited", "replaced", "form", "keywords", "value")

    def form(self, lock, /, method, _lock=1, __me=2, *rest, thread, error=ConcurrentUseError, **more):
        """How arguments arrive."""
        return lock, method, _lock, __me, rest, thread, error, more

    def keywords(self, first=1, *, lock, get_ident: int = 3):
        return first, lock, get_ident

    @property
    def value(self):
        return self.__dict__["its_value"]

    @value.setter
    def value(self, value):
        self.its_value = value

    @value.deleter
    def value(self):
        del self.its_value


class Overrides(AllKinds):
    def replaced(self):
        return "overrides"


def test_the_check_does_not_change_arguments_and_signatures():
    used = AllKinds()
    assert used.form(1, 2, thread=3) == (1, 2, 1, 2, (), 3, ConcurrentUseError, {})
    assert used.form(1, 2, 3, 4, 5, thread=6, error=7, lock=8) == (1, 2, 3, 4, (5,), 6, 7, {"lock": 8})
    assert used.form(1, method=2, thread=3, guarded=4)[-1] == {"guarded": 4}
    assert used.keywords(lock=2) == (1, 2, 3) and used.keywords(4, lock=5, get_ident=6) == (4, 5, 6)
    for wrong in (lambda: used.form(lock=1, method=2, thread=3), lambda: used.keywords(1, 2, lock=3), used.keywords):
        with pytest.raises(TypeError):
            wrong()
    assert inspect.getdoc(AllKinds.form) == "How arguments arrive."
    assert str(inspect.signature(AllKinds.keywords)) == "(self, first=1, *, lock, get_ident: int = 3)"


def test_inherited_methods_overrides_and_properties_are_checked():
    used = Overrides()
    used.value = 1
    with in_use(used):
        for call in (
            used.inherited, used.replaced, lambda: used.form(1, 2, thread=3), lambda: used.value,
            lambda: setattr(used, "value", 2), lambda: delattr(used, "value"),
        ):  # fmt: skip
            with pytest.raises(ConcurrentUseError, match="Overrides is in use by another thread"):
                call()
    assert (used.inherited(), used.replaced(), used.value) == ("inherited", "overrides", 1)
    del used.value
    with pytest.raises(KeyError):
        _ = used.value
    assert not hasattr(OtherBase.inherited, "__wrapped__"), "the other class makes no check"


def test_the_same_thread_may_call_nested_methods():
    class Nested(SingleThreaded):
        exclusive_methods = ("outer", "inner")

        def outer(self):
            with pytest.raises(ZeroDivisionError):
                self.inner(0)
            return self.inner(1), error_in_another_thread(lambda: self.inner(1))

        def inner(self, by):
            return 1 / by

    used = Nested()
    assert used.outer() == (1, ConcurrentUseError)
    assert error_in_another_thread(lambda: used.inner(1)) is None


def error_in_another_thread(function):
    """Return the type of the error that the function raises in another thread."""
    errors = []
    thread = threading.Thread(target=lambda: errors.append(type_of_error(function)))
    thread.start()
    thread.join()
    return errors[0]


#: The child's threads get the identifiers of threads of its parent.
FORK = """
import os, sys, threading
from warlight_env.thread_ownership import ConcurrentUseError, SingleThreaded

inside, go_on = threading.Event(), threading.Event()

class Used(SingleThreaded):
    exclusive_methods = ("stay", "call")

    def stay(self):
        inside.set()
        go_on.wait()

    def call(self):
        return 1

used, free = Used(), Used()
thread = threading.Thread(target=used.stay)
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    refused = []

    def call():
        try:
            used.call()
        except ConcurrentUseError:
            refused.append(used)

    call()
    for _ in range(10):
        other = threading.Thread(target=call)
        other.start()
        other.join()
    os._exit(0 if len(refused) == 11 and free.call() == 1 else 1)
go_on.set()
thread.join()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or used.call() != 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_refuses_objects_in_use_at_the_fork():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_copies_are_not_locked():
    used = Exclusive()
    for make_copy in (copy.deepcopy, lambda used: pickle.loads(pickle.dumps(used))):
        other = make_copy(used)
        with in_use(used):
            assert other.call() == 1
    with in_use(copy.copy(used)), pytest.raises(ConcurrentUseError):
        used.call()
