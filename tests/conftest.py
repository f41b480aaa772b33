"""Settings of Hypothesis and of the test processes, and fixtures for logs, forked workers and Chromium."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from forked_python import PythonStarts

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# A shell starts background jobs with SIGINT ignored. Restore Ctrl-C here and in all programs that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Without bytecode files, each program that a test starts would compile the package again, which takes 0.6 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The tests use small networks. With more than one thread, the threads mostly wait for each other, which takes four
# times as much CPU time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The tests spend most of their time on compilation, so kernels are compiled with fewer optimisations than for users.
# Numba reads the variable when it is imported, which the `conftest.py` of a folder may do.
os.environ.setdefault("NUMBA_OPT", "1")

os.environ["WARLIGHT_CONFIG"] = ""  # without the options of the user's configuration file


#: The folders in the order of their tests. Each of three processes starts with a third of the tests, and takes
#: tests from the end of another third when it has no more. There are more processes than the two cores of a usual
#: machine, because the tests of the page often wait for a browser. The first third compiles most kernels of agents, and
#: the second third those of environments.
FOLDERS: Final = (
    "engine", "game", "agents", "beliefs", "features", "envs", "tensor_env", "maps", "render", "record", "web", "cli",
    "protocol", "project", "train", "bench", "experiments", "arena",
)  # fmt: skip


#: Options of Chromium: most pages are open for a second, so the optimisation of JavaScript code saves no time.
FAST_START: Final = ("--js-flags=--max-lazy --no-opt",)


def pytest_configure() -> None:
    """Let the processes of pytest-xdist wait for each other's kernels."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        from compile_once import compile_once

        compile_once()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests by `FOLDERS`, and run a test of the page again once if it waited for a minute without success.

    The machine may have been busy during this minute; a real error of the page occurs again. The summary of pytest
    reports "1 rerun".
    """
    here = Path(__file__).parent
    places = {folder: place for place, folder in enumerate(FOLDERS)}
    items.sort(key=lambda item: places.get(item.path.relative_to(here).parts[0], len(places)))
    for item in items:
        if "open_page" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=r"Timeout \d+ms exceeded"))


@pytest.fixture(scope="session")
def whole(tmp_path_factory) -> Path:
    """Path of the log of a complete game with fog and with picks by the agents. Tests must not change the file."""
    from log_helpers import play_logged

    file = tmp_path_factory.mktemp("whole") / "game.wl.jsonl"
    play_logged(file, map="small", rules="challenge2", picks="agents", seed=5)
    return file


@pytest.fixture(scope="session")
def starts() -> Iterator[PythonStarts]:
    """Runs programs like new Python processes, without the time that each needs to import and prepare Numba."""
    from forked_python import PythonStarts

    with PythonStarts() as running:
        yield running


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Start worker processes of the test process as forks. `undo` of the yielded `MonkeyPatch` ends this."""
    from process_helpers import forking_context

    with monkeypatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", forking_context)
        yield patch


@pytest.fixture(scope="session")
def browser() -> Iterator[tuple[Any, asyncio.AbstractEventLoop]]:
    """Yield Chromium and playwright's event loop.

    The loop is marked as running only while a test uses the browser.
    """
    from playwright.sync_api import sync_playwright

    from web_helpers import CHROMIUM

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *FAST_START])
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield launched, loop
        asyncio._set_running_loop(loop)
        launched.close()


@pytest.fixture
def chromium(browser: tuple[Any, asyncio.AbstractEventLoop]) -> Iterator[Any]:
    """Yield the browser that all tests share. Each test opens its pages in new browser contexts."""
    launched, loop = browser
    asyncio._set_running_loop(loop)
    yield launched
    asyncio._set_running_loop(None)


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Yield a function that opens pages. A message in a page's console fails the test, unless it matches `expects`."""
    from page_helpers import STILL

    complaints: list[str] = []
    contexts = []

    def opened(address: str = "", expects: str = "(?!)", browser: Any = chromium, **options: Any) -> Any:
        def complain(text: str) -> None:
            if not re.search(expects, text):
                complaints.append(text)

        context = browser.new_context(**{**STILL, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complain(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: complain(e.stack or str(e)))
        if address:
            page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    # Messages of Chromium after the server has ended (perhaps during an answer) or has restarted.
    gone = re.compile(
        "ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH)|WebSocket connection"
        r"|status of 410 \(Gone\)"
    )
    assert [complaint for complaint in complaints if not gone.search(complaint)] == []
