"""Run every example for a few seconds, and check its output."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import sb3_contrib  # noqa: F401  # examples that run in a copy of this process find it loaded

from forked_python import run_in_copy

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Arguments that make the examples short, and a part of their output.
SHORT = {
    "random_agent": (["1"], "won"),
    "maskable_ppo_steps": (["256"], "mean reward"),
    "dqn_strategies": (["160", "dqn.zip", "2"], "vs aggressive"),
    "ppo_factored": (["256"], "games won"),
    "ppo_continuous": (["2048"], "mean reward"),
    "cleanrl_ppo": (["2048"], "steps"),
    "my_search": (["2"], "rounds per game"),
    "clone_search": (["1", "2"], "Elo of cloned"),
    "many_maps_ppo": (["1024", "1"], "on maps that were not used in training"),
}
#: Replacements that make some programs shorter: rollouts, examples for networks, evaluations, searches.
SMALLER = {
    "maskable_ppo_steps": {"n_steps=128": "n_steps=8", "n_eval_episodes=50": "n_eval_episodes=2"},
    "dqn_strategies": {"learning_starts=2000": "learning_starts=96"},
    "ppo_factored": {
        "n_steps=128": "n_steps=16",
        "make_vec_env(100,": "make_vec_env(4,",
        "np.zeros(100,": "np.zeros(4,",
    },
    "cleanrl_ppo": {"= 64, 64, 4, 1024": "= 16, 64, 1, 1024"},
    "my_search": {"sims=100": "sims=20"},
    "clone_search": {"mcts:sims=100": "mcts:sims=20", "EPOCHS, BATCH, RATE = 30": "EPOCHS, BATCH, RATE = 10"},
}
#: The slowest examples, of libraries and environments that other examples also use.
LONG = ("many_maps_ppo", "ppo_continuous")
#: Examples with separate tests: a match of minutes, and examples that need more libraries.
ELSEWHERE = {
    "my_generator",
    "rllib_ppo",
    "minari_search",
    "track_mlflow",
    "track_wandb",
    "jax_reinforce",
    "jax_callback",
    "jax_jit",
}
#: Examples that need JAX, with arguments that make them short, and a part of their output.
JAX = {
    "jax_reinforce": (["10"], "of the last 200 won"),
    "jax_callback": (["20"], "games ended"),
    "jax_jit": (["10", "cpu", "16"], "trained on cpu"),
}
#: The libraries that an example needs besides JAX.
BESIDES_JAX = {"jax_reinforce": ("flax", "optax")}
#: Trackers, and the end of the output of their examples.
TRACKERS = {"mlflow": "tracked in mlflow.db", "wandb": "tracked by Weights & Biases"}

CONFORMANCE = """
from warlight_env.envs import WarlightEnv, WarlightVectorEnv
from warlight_env.envs.conformance import vector_conformance_test

for action in ("steps", "factored", "continuous", "strategies", "orders"):
    arguments = {"map": "small", "action": action, "opponent": "aggressive", "max_cycles": 20}
    assert vector_conformance_test(
        lambda count, mode: WarlightVectorEnv(count, autoreset_mode=mode, **arguments),
        lambda: WarlightEnv(**arguments),
        steps=45,
    )
"""


def test_every_example_has_a_test():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == SHORT.keys() | ELSEWHERE


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in SHORT])
def test_examples_run(name, tmp_path):
    arguments, said = SHORT[name]
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    for part, smaller in SMALLER.get(name, {}).items():
        assert part in text
        text = text.replace(part, smaller)
    program = tmp_path / f"{name}.py"
    program.write_text(text, encoding="utf-8")
    done = run_in_copy(program, *arguments, folder=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert said in done.stdout


def test_the_minari_example_writes_a_data_set(tmp_path, monkeypatch):
    pytest.importorskip("minari", reason="needs the extra minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    command = [sys.executable, str(EXAMPLES / "minari_search.py"), "2", "warlight/test-v0"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("2 games, ") and "search_chances, search_value" in done.stdout


@pytest.mark.slow
def test_the_rllib_example_runs_in_a_separate_environment(tmp_path):
    """RLlib pins an older Gymnasium, and the environments must also work with it."""
    venv, root = tmp_path / "venv", EXAMPLES.parent
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = venv / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", f"{root}[rllib]", "-c", str(root / "constraints-rllib.txt")]
    subprocess.run(install, check=True)
    done = subprocess.run(
        [str(python), str(EXAMPLES / "rllib_ppo.py"), "2"], capture_output=True, text=True, cwd=tmp_path
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    games = [int(number) for number in re.findall(r"^iteration \d: (\d+) games of", done.stdout, re.MULTILINE)]
    assert len(games) == 2 and 0 < games[0] < games[1]
    subprocess.run([str(python), "-c", CONFORMANCE], check=True, cwd=tmp_path)


@pytest.mark.parametrize("name", JAX)
def test_jax_examples_run(name, tmp_path):
    for library in ("jax", *BESIDES_JAX.get(name, ())):
        pytest.importorskip(library, reason=f"needs {library}")
    arguments, said = JAX[name]
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert said in done.stdout


@pytest.mark.parametrize("library", TRACKERS)
def test_tracker_examples_run(library, tmp_path, monkeypatch):
    pytest.importorskip(library, reason=f"needs {library}")
    monkeypatch.setenv("WANDB_MODE", "offline")
    command = [sys.executable, str(EXAMPLES / f"track_{library}.py"), "2048"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert TRACKERS[library] in done.stdout
    assert any(tmp_path.rglob("*.wandb" if library == "wandb" else "mlflow.db"))
