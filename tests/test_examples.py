"""Every example runs, for a few seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
#: Arguments that make them short, and something that they print.
SHORT = {
    "random_agent": (["3"], "won"),
    "maskable_ppo_steps": (["2048"], "mean reward"),
    "ppo_factored": (["2048"], "of 100 games won"),
    "ppo_continuous": (["2048"], "mean reward"),
    "cleanrl_ppo": (["8192"], "steps"),
}
#: Those with tests of their own: a match of minutes, and RLlib, which needs an environment of its own.
ELSEWHERE = {"my_generator", "rllib_ppo"}


def test_all_are_here():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == SHORT.keys() | ELSEWHERE


@pytest.mark.parametrize("name", SHORT)
def test_example(name, tmp_path):
    if name != "random_agent":
        pytest.importorskip("torch")
        pytest.importorskip("sb3_contrib")
    arguments, said = SHORT[name]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments], capture_output=True, text=True, cwd=tmp_path
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert said in done.stdout
