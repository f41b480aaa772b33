"""The kernels also pass with bounds checking on, and without compilation as plain Python; caches are never stale."""

from __future__ import annotations

import glob
import os
import subprocess
import sys
from pathlib import Path

import pytest

from warlight_env.engine import cache

HERE = Path(__file__).parent
SLICE = ["test_rounds.py", "test_playthroughs.py", "test_setup.py", "test_env_core.py", "test_differential.py"]


def run_slice(extra: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "--import-mode=importlib",
        "-m", "not slow",
        *arguments, *[str(HERE / name) for name in SLICE],
    ]  # fmt: skip
    return subprocess.run(command, env={**environment, **extra}, cwd=HERE, capture_output=True, text=True, check=False)


#: Reads beyond the end of an array: an error in both modes, not otherwise.
BEYOND = """
import numpy as np
from warlight_env.engine.rng import make_rng, below
try:
    below(np.zeros(1, dtype=np.uint64), 3)
except IndexError:
    print("noticed")
"""


@pytest.mark.parametrize("setting", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_slice_of_the_suite(setting):
    noticed = subprocess.run(
        [sys.executable, "-c", BEYOND], env={**os.environ, setting: "1"}, capture_output=True, text=True, check=True
    )
    assert noticed.stdout == "noticed\n"
    done = run_slice({setting: "1", "WARLIGHT_TEST_EXAMPLES": "100"})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert "failed" not in done.stdout


PROBE = """
import sys
from warlight_env.engine import cache
sys.stdout.write(cache.source_digest() + " " + str(cache.cache_folder()))
"""


def probe(**extra: str) -> tuple[str, Path]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env={**os.environ, **extra}, cwd=HERE, capture_output=True, text=True, check=True
    )
    digest, folder = done.stdout.split(" ", 1)
    return digest, Path(folder)


def test_cache_folder_follows_sources_and_settings(tmp_path):
    digest, folder = probe(WARLIGHT_CACHE_DIR=str(tmp_path))
    assert folder == tmp_path / "kernels" / digest
    assert probe(WARLIGHT_CACHE_DIR=str(tmp_path), NUMBA_BOUNDSCHECK="1")[0] != digest


def test_cache_falls_back_to_a_temporary_folder(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    _, folder = probe(WARLIGHT_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert tmp_path in folder.parents
    assert blocked not in folder.parents


def test_changed_callee_in_another_file_is_compiled_anew(tmp_path):
    """The case that Numba's own cache gets wrong: only the callee's file changes."""
    package = tmp_path / "warlight_env" / "engine"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    for name in ("jit.py", "cache.py"):
        (package / name).write_text(Path(cache.__file__).with_name(name).read_text())
    (package / "caller.py").write_text(
        "from warlight_env.engine.jit import kernel\nfrom warlight_env.engine.callee import f\n\n\n"
        "@kernel\ndef g(x):\n    return f(x) + 1\n"
    )
    answers = []
    for constant in (10, 10, 20):
        (package / "callee.py").write_text(
            f"from warlight_env.engine.jit import kernel\n\n\n@kernel\ndef f(x):\n    return x + {constant}\n"
        )
        code = "from warlight_env.engine.caller import f, g; print(g(1), f(1), sum(g.stats.cache_hits.values()))"
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "WARLIGHT_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        answers.append(done.stdout.split())
    assert answers == [["12", "11", "0"], ["12", "11", "1"], ["22", "21", "0"]]


GAME = "from warlight_env import Game; Game('small', picks='random').play_round([None, None]); print('played')"


def test_damaged_cache_files_are_made_anew(tmp_path):
    environment = {**os.environ, "WARLIGHT_CACHE_DIR": str(tmp_path)}

    def play() -> None:
        done = subprocess.run([sys.executable, "-c", GAME], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "played\n" and done.stderr == ""

    play()
    damaged: list[Path] = []  # the index of every other kernel, the code of the others
    for number, index in enumerate(sorted(tmp_path.rglob("*.nbi"))):
        damaged += [index] if number % 2 else index.parent.glob(f"{glob.escape(index.stem)}.*.nbc")
    for file in damaged:
        file.write_bytes(file.read_bytes()[:10])
    play()
    made_anew = {file.suffix for file in damaged if file.stat().st_size > 10}
    assert made_anew == {".nbi", ".nbc"}


def test_a_cache_that_cannot_be_written_is_said_and_survived(tmp_path):
    probe_code = (
        "from numba.core import caching\n"
        "def full(*a): raise OSError(28, 'No space left on device')\n"
        "caching.IndexDataCacheFile.save = full\n" + GAME
    )
    environment = {**os.environ, "WARLIGHT_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", probe_code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "played\n"
    assert done.stderr.count("No space left on device") == 1


def test_a_temporary_folder_that_others_can_write_to_is_not_used(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    shared = tmp_path / f"warlight-env-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    _, folder = probe(WARLIGHT_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert shared not in folder.parents and tmp_path in folder.parents
