"""Test the environments with other libraries: ``python tests/compat/run.py [--write]``.

Each row of the result table is a program of this folder. It runs in a temporary virtual environment with the newest
versions of its required libraries. With --write, the script writes the table to docs/results/compatibility.md; without
it, the script prints the results. The exit code is 1 if a row failed that the table does not list as a known failure.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "results" / "compatibility.md"
#: Packages that pip must not install; and the CPU build of PyTorch.
LIMITS = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.endswith("<0")]
TORCH = "torch==2.13.0"


class Row(NamedTuple):
    """A line of the table."""

    library: str  #: the table contains its version
    requirements: tuple[str, ...]
    program: str  #: in this folder or in examples/
    forms: str
    arguments: tuple[str, ...] = ()
    failing: str = ""  #: the reason of a known failure, for the table
    alone: tuple[str, ...] = ()  #: installed without their requirements, which exclude newer versions


ROWS = {
    "gymnasium": Row(
        "gymnasium", (), "gymnasium_checks.py",
        "its own checks, with all encodings and observations; `make_vec` in both modes",
    ),
    "pettingzoo": Row(
        "pettingzoo", (), "pettingzoo_checks.py", "its own tests of the parallel interface, the AEC interface and seeds"
    ),
    "supersuit": Row(
        "supersuit", ("supersuit",), "supersuit_vectors.py",
        "conversion of a parallel environment to a vector environment",
    ),
    "sb3": Row(
        "stable-baselines3", (".[train]",), "sb3_learns.py",
        "its own check; PPO, A2C, DQN on `make_vec_env` and on single environments",
    ),
    "sb3-contrib": Row(
        "sb3-contrib", (".[train]",), "../../examples/maskable_ppo_steps.py", "MaskablePPO on `steps`", ("2048",)
    ),
    "rllib": Row(
        "ray", (".[rllib]", "-c", str(ROOT / "constraints-rllib.txt")), "../../examples/rllib_ppo.py",
        "PPO with masks; several learners in self-play", ("1",),
    ),
    "tune": Row("ray", ("ray[tune]",), "tune_trials.py", "Ray's Tune, two trials"),
    "torchrl": Row(
        "torchrl", (TORCH, "torchrl"), "torchrl_rollouts.py", "`GymEnv`, `check_env_specs`, `PettingZooWrapper`, masks"
    ),
    "tianshou": Row("tianshou", (TORCH, "tianshou"), "tianshou_collects.py", "`DummyVectorEnv`, `PettingZooEnv`"),
    "cleanrl": Row(
        "gymnasium", (TORCH,), "../../examples/cleanrl_ppo.py",
        "PPO in one file, in the style of CleanRL; ids of the form `module:id`", ("8192",),
    ),
    "agilerl": Row(
        "agilerl", (TORCH, "agilerl"), "agilerl_vectors.py",
        "`AsyncPettingZooVecEnv`; four players, some of whom are eliminated early",
    ),
    "minari": Row(
        "minari", (".[minari]",), "../../examples/minari_search.py", "a data set with the games of a search",
        ("2", "warlight/compat-v0"),
    ),
    "openspiel": Row(
        "open_spiel", (".[openspiel]",), "openspiel_solvers.py",
        "its own test, a playthrough, MCTS and MCCFR on the turn-based game",
    ),
    "jax": Row(
        "jax", ("jax", "flax", "optax"), "../../examples/jax_reinforce.py", "a policy of Flax on a vector environment",
        ("10",),
    ),
    "jax-callback": Row(
        "jax", ("jax",), "../../examples/jax_callback.py", "steps of a vector environment inside `jit`", ("20",)
    ),
    "jax-jit": Row(
        "jax", ("jax", "torch"), "../../examples/jax_jit.py", "training of tensors' games inside `jit`",
        ("10", "cpu", "16"),
    ),
    "sbx": Row(
        "sbx-rl", (TORCH, "sbx-rl"), "sbx_learns.py",
        "PPO, DQN and SAC in JAX on `make_vec_env` and on single environments",
    ),
    "skrl": Row(
        "skrl", (TORCH, "skrl"), "skrl_learns.py",
        "PPO on a single and on a vector environment; IPPO on the parallel environment",
    ),
    "benchmarl": Row(
        "benchmarl", (TORCH, "benchmarl"), "benchmarl_learns.py", "IPPO with masks, on a task of its own",
    ),
    "d3rlpy": Row("d3rlpy", (TORCH, "d3rlpy"), "d3rlpy_learns.py", "DQN online; CQL on logged episodes"),
    "pyg": Row(
        "torch_geometric", (TORCH, "torch_geometric"), "pyg_learns.py",
        "REINFORCE with a graph network on `edge_index` and `nodes`",
    ),
    "imitation": Row(
        "imitation", (TORCH, "stable-baselines3", "tqdm", "scikit-learn"), "imitation_clones.py",
        "behavioural cloning of a bot; installed with newer versions of Gymnasium and Stable-Baselines3 than it allows",
        alone=("imitation==1.0.1", "sacred", "datasets", "seals", "huggingface-sb3"),
    ),
    "pufferlib": Row(
        "pufferlib", (TORCH, "pufferlib==3.0.0"), "pufferlib_steps.py", "emulation of both forms as flat environments",
        failing="PufferLib 3.0.0, the newest version, requires Gymnasium ≤ 0.29.1, NumPy < 2 and PettingZoo ≤ 1.24.1; "
        "minimal case: `pip install pufferlib==3.0.0 'gymnasium>=1'`",
    ),
}  # fmt: skip


def outcome(row: Row, folder: Path) -> dict[str, Any]:
    """Create the virtual environment, run the program, and return the result."""
    venv, limits = folder / "venv", folder / "limits.txt"
    python = venv / "bin" / "python"
    limits.write_text("\n".join(LIMITS))
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    packages = [str(ROOT) + name[1:] if name.startswith(".[") else name for name in row.requirements]
    packages = packages if any(name.startswith(str(ROOT)) for name in packages) else [str(ROOT), *packages]
    began = time.perf_counter()
    pip = [str(python), "-m", "pip", "install", "-q"]
    process = subprocess.run([*pip, *packages, "-c", str(limits)], capture_output=True, text=True, cwd=ROOT)
    if row.alone and not process.returncode:
        process = subprocess.run([*pip, "--no-deps", *row.alone], capture_output=True, text=True, cwd=ROOT)
    if process.returncode:
        pinned = [
            name.removeprefix(f"{row.library}==") for name in (*row.requirements, *row.alone) if row.library in name
        ]
        version = pinned[0] if pinned else ""
        return {"passed": False, "version": version, "said": "it cannot be installed: " + _last(process.stderr)}
    version = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
    version_query = subprocess.run(
        [str(python), "-c", version, row.library], capture_output=True, text=True, cwd=folder
    )
    program = (HERE / row.program).resolve()
    installed = time.perf_counter() - began
    try:
        process = subprocess.run(
            [str(python), str(program), *row.arguments], capture_output=True, text=True, cwd=folder, timeout=900
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"passed": False, "version": version_query.stdout.strip(), "said": "it did not end within 15 minutes"}
    error_line = "" if process.returncode == 0 else _last(process.stderr)
    spent = time.perf_counter() - began - installed
    if process.returncode:
        print(process.stderr[-3000:], file=sys.stderr)
    return {
        "passed": process.returncode == 0,
        "version": version_query.stdout.strip(),
        "said": error_line,
        "seconds": round(spent),
    }


def _last(text: str) -> str:
    """The last line that is not empty, without paths."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "ignored: it is neither" not in line]
    return re.sub(r"\S*/\S*/", "…/", lines[-1])[:200] if lines else "nothing was said"


def rows_of(table: str) -> dict[str, str]:
    """The lines of the table of `page`, by row name."""
    return {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines() if line.startswith("| ")}


def line_of(name: str, found: dict[str, Any], on: str) -> str:
    """The line of a row in the table.

    Args:
        name: the row. found: its `outcome`. on: its `day_and_commit`.
    """
    row = ROWS[name]
    result = "passes" if found["passed"] else f"fails: {row.failing or found['said']}"
    return f"| {name} | {row.library} {found['version']}".rstrip() + f" | {row.forms} | {result} | {on} |"


def day_and_commit() -> str:
    """The cells of a row with its date and commit; uncommitted changes are marked."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"]
    commit = subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
    return f"{datetime.datetime.now(datetime.UTC).date().isoformat()} | `{commit}`"


def page(lines: dict[str, str]) -> str:
    """The page with the table of all rows."""
    head = [
        "# Compatibility with libraries",
        "",
        "This page shows with which libraries the environments work. Each row of the table is a program of",
        "`tests/compat/` or `examples/` that uses the environments with a library. The program runs in its own",
        "virtual environment on Linux, with the newest versions that pip finds.",
        "",
        "`python tests/compat/run.py --write` runs the programs and writes this table. It takes a quarter of an",
        "hour and downloads some gigabytes. `--only NAME` runs only the named rows. Each row has the date and the",
        "commit of its last run.",
        "",
        "| row | library | test | result | date | commit |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *(lines[name] for name in ROWS)]) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(ROWS), default=list(ROWS), help="these rows alone")
    parser.add_argument("--write", action="store_true", help="write the table; rows that are not run stay as they were")
    options = parser.parse_args(arguments)
    bad, on = 0, day_and_commit()  # before the table changes
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            found = outcome(ROWS[name], Path(folder))
        bad += not found["passed"] and not ROWS[name].failing
        line = line_of(name, found, on)
        print(line, flush=True)
        if options.write:
            PAGE.write_text(page({**rows_of(PAGE.read_text(encoding="utf-8")), name: line}), encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
