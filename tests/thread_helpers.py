"""Helper for tests in which another thread uses an object."""

import contextlib
import threading

from warlight_env.thread_ownership import exclusive


@contextlib.contextmanager
def in_use(used):
    """While the context is active, another thread is inside an exclusive method of the object."""
    inside, go_on = threading.Event(), threading.Event()

    @exclusive
    def stay(used):
        inside.set()
        assert go_on.wait(600)

    thread = threading.Thread(target=stay, args=(used,))
    thread.start()
    try:
        assert inside.wait(60)
        yield
    finally:
        go_on.set()
        thread.join()
