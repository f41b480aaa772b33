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
    queue = deque(numbers)
    results: dict[int, R] = {}
    try:
        while queue or workers.busy:
            while queue and workers.busy < workers.slots:
                size = max(1, min(CHUNK, len(queue) // (4 * workers.slots)))
                workers.submit(Task(0, tuple(queue.popleft() for _ in range(size))))
            for report in workers.wait():
                n_played = len(report.records)
                results.update(zip(report.task.numbers[:n_played], report.records, strict=True))
                if report.error is not None:
                    raise report.error
                queue.extend(report.task.numbers[n_played:])
    except BaseException:
        workers.stop()
        raise
    return [results[number] for number in numbers]
