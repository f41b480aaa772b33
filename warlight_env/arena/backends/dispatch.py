"""The function `play_all`, which distributes games to workers and collects their results."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from warlight_env.arena.backends.backend import CHUNK
from warlight_env.arena.backends.tasks import R, Task, Workers


def play_all(workers: Workers[R], numbers: Sequence[int]) -> list[R]:
    """Play the games with the given numbers, and return their results in the order of `numbers`.

    The games belong to the first contest (set of games) for which the workers were started.

    Raises:
        RunError: the workers have ended.
        Exception: the exception that a game raised. After an exception, all games that still run are stopped.
    """
    waiting = deque(numbers)
    found: dict[int, R] = {}
    try:
        while waiting or workers.busy:
            while waiting and workers.busy < workers.slots:
                size = max(1, min(CHUNK, len(waiting) // (4 * workers.slots)))
                workers.submit(Task(0, tuple(waiting.popleft() for _ in range(size))))
            for report in workers.wait():
                played = len(report.records)
                found.update(zip(report.task.numbers[:played], report.records, strict=True))
                if report.error is not None:
                    raise report.error
                waiting.extend(report.task.numbers[played:])
    except BaseException:
        workers.stop()
        raise
    return [found[number] for number in numbers]
