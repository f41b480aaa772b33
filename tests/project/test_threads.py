"""Objects used by two threads, and copies of agents after a move; `thread_stress.py` contains the stress test."""

import copy
import functools
import inspect
import os
import pickle
import threading
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import thread_stress
from stable_baselines3.common.vec_env import VecEnv
from thread_helpers import in_use

from forked_python import run_in_copy
from warlight_env import Game
from warlight_env.agents import Agent, make_agent
from warlight_env.agents.search.anytime import AnytimeSearch
from warlight_env.envs.core import EnvCore
from warlight_env.envs.parallel import WarlightParallelEnv
from warlight_env.errors import InputError
from warlight_env.thread_ownership import ConcurrentUseError

STRESS = Path(thread_stress.__file__)


#: Public methods that another thread may call: they read data that never changes or is replaced as a whole, or they
#: are meant for other threads.
NOT_REFUSED = {
    Agent: {"check", "close", "statistics"},
    AnytimeSearch: {"stop", "kernels", "play_work", "watch", "mark_failed"},
    Game: {"alive", "income", "offers", "pickers"},
    EnvCore: {"check_start", "rollback_on_error"},
    WarlightParallelEnv: {"action_space", "observation_space", "close"},
    gymnasium.Env: {"close", "get_wrapper_attr", "has_wrapper_attr", "set_wrapper_attr"},
    gymnasium.vector.VectorEnv: {"close", "close_extras"},
    VecEnv: {"close", "get_attr", "has_attr", "getattr_depth_check", "env_is_wrapped"},
}


def refused_methods(used):
    """Yield calls of the other public methods of an object."""
    kind = type(used)
    not_refused = set[str]().union(*(names for base, names in NOT_REFUSED.items() if isinstance(used, base)))
    for name in dir(kind):
        method = inspect.getattr_static(kind, name)
        public = name == "__call__" or not name.startswith("_")
        if public and inspect.isfunction(method) and name not in not_refused:
            required = [
                parameter.name
                for parameter in list(inspect.signature(method).parameters.values())[1:]
                if parameter.default is parameter.empty
                and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            ]
            yield functools.partial(getattr(used, name), **dict.fromkeys(required))


@pytest.mark.parametrize("name", thread_stress.SUBJECTS)
def test_every_method_is_refused_while_another_thread_uses_the_object(name):
    shared = thread_stress.SUBJECTS[name]()
    methods = list(refused_methods(shared.used))
    assert methods
    with in_use(shared.used):
        for call in methods:
            with pytest.raises(ConcurrentUseError, match="is in use by another thread"):
                call()
        # PettingZoo's turn-based interface collects actions before it calls the inner environment.
        for call in shared.calls if name != "aec" else ():
            with pytest.raises(ConcurrentUseError):
                call(np.random.default_rng(0))
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(ConcurrentUseError):
                copied(shared.used)
    shared.works()


def stress(*arguments: str) -> None:
    done = run_in_copy(STRESS, *arguments, folder=Path.cwd())
    assert done.returncode == 0, done.stdout[-5000:]
    assert done.stdout.count(" ok\n") == len(thread_stress.SUBJECTS)


def test_concurrent_calls_are_refused_or_give_legal_results():
    stress("--seconds", "0.1")


@pytest.mark.slow
def test_concurrent_calls_for_minutes():
    stress("--seconds", os.environ.get("WARLIGHT_STRESS_SECONDS", "60"), "--jobs", "8", "--must-refuse")


def test_a_call_in_another_thread_is_refused_and_changes_nothing():
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
    before.reset([1])  # a clone is a separate object
    block.clear()
    go_on.set()
    other.join()
    assert core.state.round[0] == 1
    core.step(rows)
    assert core.state.round[0] == 2


def test_a_concurrent_use_error_is_an_input_error():
    assert issubclass(ConcurrentUseError, InputError)


def test_a_shallow_copy_shares_the_check_because_it_shares_the_arrays():
    agent = make_agent("aggressive", 1)
    assert copy.copy(agent)._in_use is agent._in_use
    assert copy.deepcopy(agent)._in_use is not agent._in_use
    assert pickle.loads(pickle.dumps(agent))._in_use is not agent._in_use


COPIED = [*thread_stress.AGENTS, "mcts:sims=60,threads=2,local_search=0", "nash:sims=40,opponent_model=observed"]

#: Plays from one pickle of agents and view, and from a separate pickle of each. With separate pickles the view has a
#: different board object than the agents.
IN_ANOTHER_PROCESS = """
import pickle, sys
together, *apart = pickle.load(open(sys.argv[1], "rb"))
for agents, view in pickle.loads(together), map(pickle.loads, apart):
    print(repr([agent.act(view) for agent in agents]))
"""


def agents_after_a_move(specs):
    """Return agents after a move, and the view of the next round."""
    game = Game("world", seed=3, picks="random")
    agents = [make_agent(spec, 1) for spec in specs]
    turns = [agent.act(game.view(0)) for agent in agents]
    game.play_round({0: turns[0]})
    return agents, game.view(0)


def test_copied_and_pickled_agents_play_the_same_turn(starts, tmp_path):
    specs = [spec for spec in COPIED if "threads" not in spec and "pmcts" not in spec]
    agents, view = agents_after_a_move(specs)
    pickled = pickle.dumps((agents, view))
    data = pickle.dumps((pickled, pickle.dumps(agents), pickle.dumps(view)))
    copies = copy.deepcopy(agents)
    expected = [agent.act(view) for agent in agents]
    assert [agent.act(view) for agent in copies] == expected
    again, view_again = pickle.loads(pickled)
    assert [agent.act(view_again) for agent in again] == expected
    (tmp_path / "agents").write_bytes(data)
    done = starts.run(IN_ANOTHER_PROCESS, str(tmp_path / "agents"))
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [repr(expected)] * 2


@pytest.mark.parametrize("spec", ["pmcts:sims=60", "mcts:sims=60,threads=2,local_search=0"])
def test_agents_with_threads_can_be_copied(spec):
    (agent,), _ = agents_after_a_move([spec])
    game = Game("world", seed=3, picks="random")
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert not game.check(0, other.act(game.view(0)))
