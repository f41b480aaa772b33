"""Objects that two threads use, and agents that are copied after a move; the stress is in `thread_stress.py`."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import thread_stress

from warlight_env import Game
from warlight_env.agents import make_agent
from warlight_env.envs.core import EnvCore
from warlight_env.errors import InputError
from warlight_env.ownership import ConcurrentUseError, OneThread

STRESS = Path(thread_stress.__file__)


def stress(*arguments: str) -> None:
    command = [sys.executable, str(STRESS), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.count(" ok\n") == len(thread_stress.SUBJECTS)


def test_threads_on_one_object_are_refused_or_get_legal_results():
    stress("--seconds", "0.1")


@pytest.mark.slow
def test_threads_on_one_object_for_minutes():
    stress("--seconds", os.environ.get("WARLIGHT_STRESS_SECONDS", "60"), "--jobs", "8")


def test_a_thread_inside_keeps_others_out_and_nothing_changes():
    inside, go_on, block = threading.Event(), threading.Event(), threading.Event()

    def reward(before, after, paid):
        if block.is_set():
            inside.set()
            assert go_on.wait(60)
        return np.zeros_like(paid)

    core = EnvCore("small", reward=reward, picking="random")
    core.reset([1])
    before = core.clone()
    rows = np.zeros((1, core.slots, core.row_size), dtype=np.int64)
    block.set()
    other = threading.Thread(target=core.step, args=(rows,))
    other.start()
    assert inside.wait(60)
    for call in (lambda: core.step(rows), lambda: core.reset([1]), core.clone, core.snapshot):
        with pytest.raises(ConcurrentUseError, match="EnvCore is in use by another thread"):
            call()
    before.reset([1])  # a clone is an object of its own
    block.clear()
    go_on.set()
    other.join()
    assert core.state.round[0] == 1
    core.step(rows)
    assert core.state.round[0] == 2


class Counted(OneThread):
    exclusive_methods = ("call",)

    def call(self):
        return 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that interrupt")
@pytest.mark.parametrize("method", [Counted.call, Game.fingerprint, Game.clone])
def test_an_interrupt_at_any_place_leaves_the_object_free(method):
    used = Counted() if method is Counted.call else Game("small", seed=3, picks="random")
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


def test_an_agent_in_use_is_not_copied():
    inside, go_on = threading.Event(), threading.Event()

    class Waits(OneThread):
        exclusive_methods = ("call",)

        def call(self):
            inside.set()
            assert go_on.wait(60)

    used = Waits()
    thread = threading.Thread(target=used.call)
    thread.start()
    assert inside.wait(60)
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(ConcurrentUseError):
            copied(used)
    go_on.set()
    thread.join()


def test_another_thread_waits_with_its_call_until_a_deep_copy_is_made():
    refused = []

    class Attribute:
        def __deepcopy__(self, memo):
            thread = threading.Thread(target=lambda: refused.append(type_of_error(used.call)))
            thread.start()
            thread.join()
            return self

    used = Counted()
    used.attribute, used.itself = Attribute(), used
    made = copy.deepcopy(used)
    assert refused == [ConcurrentUseError]
    assert made.itself is made and made.call() == 1


def type_of_error(function):
    try:
        function()
    except Exception as error:
        return type(error)
    return None


def test_the_refusal_is_an_input_error():
    assert issubclass(ConcurrentUseError, InputError)


def test_a_shallow_copy_is_refused_too_as_it_shares_the_arrays():
    agent = make_agent("aggressive", 1)
    assert copy.copy(agent)._in_use is agent._in_use
    assert copy.deepcopy(agent)._in_use is not agent._in_use
    assert pickle.loads(pickle.dumps(agent))._in_use is not agent._in_use


COPIED = [*thread_stress.AGENTS, "mcts:sims=60,threads=2,refine=0", "nash:sims=40,others=seen"]

IN_ANOTHER_PROCESS = """
import pickle, sys
agents, view = pickle.load(sys.stdin.buffer)
print(repr([agent.act(view) for agent in agents]))
"""

#: The same, from pickles of their own: the view's board is another object than the one that agents know.
APART = """
import pickle, sys
agents, view = map(pickle.loads, pickle.load(sys.stdin.buffer))
print(repr([agent.act(view) for agent in agents]))
"""


def moved(specs):
    """Agents after a move, and the view of the next round."""
    game = Game("world", seed=3, picks="random")
    agents = [make_agent(spec, 1) for spec in specs]
    turns = [agent.act(game.view(0)) for agent in agents]
    game.play_round({0: turns[0]})
    return agents, game.view(0)


def test_agents_are_copied_and_pickled_after_a_move():
    specs = [spec for spec in COPIED if "threads" not in spec and "pmcts" not in spec]
    agents, view = moved(specs)
    pickled, apart = pickle.dumps((agents, view)), pickle.dumps((pickle.dumps(agents), pickle.dumps(view)))
    copies = copy.deepcopy(agents)
    expected = [agent.act(view) for agent in agents]
    assert [agent.act(view) for agent in copies] == expected
    again, seen = pickle.loads(pickled)
    assert [agent.act(seen) for agent in again] == expected
    for program, given in ((IN_ANOTHER_PROCESS, pickled), (APART, apart)):
        done = subprocess.run([sys.executable, "-c", program], input=given, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        assert done.stdout.decode().strip() == repr(expected)


@pytest.mark.parametrize("spec", ["pmcts:sims=60", "mcts:sims=60,threads=2,refine=0"])
def test_agents_with_threads_are_copied_too(spec):
    (agent,), _ = moved([spec])
    game = Game("world", seed=3, picks="random")
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert not game.check(0, other.act(game.view(0)))
