"""The kernels in the checked build and as plain Python; the cache never returns an outdated kernel."""

from __future__ import annotations

import ctypes
import glob
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest
from numba.core.errors import NumbaWarning

from helpers import copy_engine
from warlight_env.cli import main
from warlight_env.engine import cache_folder, jit
from warlight_env.engine.cache import with_digest
from warlight_env.engine.cache_folder import others_with_write_access

HERE = Path(__file__).parents[1]
#: Test files for the slow tests: rounds, also compared with the oracle, starts of games, and environments.
SLICE = [
    "engine/test_rounds.py", "engine/test_differential.py", "engine/test_playthroughs.py", "engine/test_setup.py",
    "envs/test_env_core.py",
]  # fmt: skip


def run_slice(extra: dict[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "--import-mode=importlib",
        "-m", "not slow", "-W", "error::pytest.PytestUnraisableExceptionWarning",
        *[str(HERE / name) for name in SLICE],
    ]  # fmt: skip
    return subprocess.run(command, env={**environment, **extra}, cwd=HERE, capture_output=True, text=True, check=False)


#: Reads beyond the end of an array, which is an error only in these modes.
BEYOND = """
import numba.core.config
import numpy as np
numba.core.config.reload_config()  # Numba was imported before the setting
from warlight_env.engine.rng import make_rng, below
try:
    below(np.zeros(1, dtype=np.uint64), 3)
except IndexError:
    print("noticed")
"""


@pytest.mark.parametrize("setting", ["WARLIGHT_CHECKED", "NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_indices_beyond_the_end_raise_an_error(setting, starts, engine_alone):
    process = starts.run(BEYOND, PYTHONPATH=engine_alone, **{setting: "1"})
    assert process.stdout == "noticed\n", process.stderr


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["WARLIGHT_CHECKED", "NUMBA_DISABLE_JIT"])
def test_part_of_the_test_suite_passes_in_other_modes(setting):
    # With few optimisations, compilation is faster.
    done = run_slice({setting: "1", "NUMBA_OPT": "1", "WARLIGHT_TEST_EXAMPLES": "20"})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert "failed" not in done.stdout


@pytest.fixture
def chosen_folder(monkeypatch):
    """A function that returns the build's digest and the cache's folder for given environment variables."""

    def forget() -> None:
        for cached_function in (cache_folder.environment_digest, cache_folder._choice, cache_folder.warn_once):
            cached_function.cache_clear()

    def choose(**settings: str) -> tuple[str, Path]:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(tempfile, "tempdir", None)
        forget()
        folder = cache_folder.cache_folder()
        assert folder is not None
        return cache_folder.environment_digest(), folder

    yield choose
    forget()


@pytest.mark.parametrize(
    ("setting", "value"),
    [("NUMBA_BOUNDSCHECK", "1"), ("NUMBA_OPT", "2"), ("NUMBA_LOOP_VECTORIZE", "0"), ("NUMBA_SLP_VECTORIZE", "0")],
)
def test_cache_folder_depends_on_the_numba_settings(setting, value, chosen_folder, tmp_path):
    """Therefore a user's program never loads the kernels of the tests, which have fewer optimisations."""
    digest, folder = chosen_folder(WARLIGHT_CACHE_DIR=str(tmp_path))
    assert folder == tmp_path / "kernels" / digest
    assert chosen_folder(WARLIGHT_CACHE_DIR=str(tmp_path), **{setting: value})[0] != digest


def test_numba_uses_the_optimisation_level_of_the_cache_key():
    """Numba reads the level when it is imported; `tests/conftest.py` must set the variable before the import."""
    assert int(numba.config.OPT) == int(os.environ.get("NUMBA_OPT", "3"))


def test_cache_folder_is_the_resolved_target_of_a_link(chosen_folder, tmp_path):
    """The link may change after the check, so the cache uses the resolved path."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    digest, folder = chosen_folder(WARLIGHT_CACHE_DIR=str(tmp_path / "link"))
    assert folder == tmp_path.resolve() / "real" / "kernels" / digest
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    _, folder = chosen_folder(WARLIGHT_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path / "link"))
    assert tmp_path.resolve() / "real" in folder.parents


def test_cache_falls_back_to_a_temporary_folder(chosen_folder, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    _, folder = chosen_folder(WARLIGHT_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert tmp_path in folder.parents
    assert blocked not in folder.parents


def test_changed_callee_in_another_file_is_compiled_again(tmp_path, starts):
    """The case that Numba's own cache gets wrong: only the callee's file changes."""
    package = copy_engine(tmp_path)
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
        # Python would reuse old bytecode for a file of equal length that is rewritten within the same second.
        settings = {"PYTHONPATH": tmp_path, "WARLIGHT_CACHE_DIR": tmp_path / "cache", "PYTHONDONTWRITEBYTECODE": "1"}
        answers.append(starts.run(code, **settings).stdout.split())
    assert answers == [["12", "11", "0"], ["12", "11", "1"], ["22", "21", "0"]]


#: Compiles and calls a few kernels; they test the cache as well as all kernels of a game.
DRAWS = """
from warlight_env.engine.rng import below, make_rng, next_u64
next_u64(make_rng(1)), below(make_rng(1), 3)
print("drawn")
"""


def test_damaged_cache_files_are_replaced(tmp_path, starts, engine_alone):
    def draw() -> None:
        done = starts.run(DRAWS, WARLIGHT_CACHE_DIR=tmp_path, PYTHONPATH=engine_alone)
        assert done.stdout == "drawn\n" and done.stderr == ""

    draw()
    damaged: list[Path] = []  # the index of every other kernel, the code of the others
    for number, index in enumerate(sorted(tmp_path.rglob("*.nbi"))):
        damaged += [index] if number % 2 else index.parent.glob(f"{glob.escape(index.stem)}.*.nbc")
    for file in damaged:
        file.write_bytes(file.read_bytes()[:10])
    draw()
    replaced = {file.suffix for file in damaged if file.stat().st_size > 10}
    assert replaced == {".nbi", ".nbc"}


def test_unwritable_cache_prints_one_warning_and_kernels_run(tmp_path, starts, engine_alone):
    probe_code = (
        "from numba.core import caching\n"
        "def full(*a): raise OSError(28, 'No space left on device')\n"
        "caching.IndexDataCacheFile.save = full\n" + DRAWS
    )
    done = starts.run(probe_code, WARLIGHT_CACHE_DIR=tmp_path, PYTHONPATH=engine_alone)
    assert done.stdout == "drawn\n"
    assert done.stderr.count("No space left on device") == 1


def test_kernel_that_cannot_be_cached_warns_and_runs():
    """Numba cannot cache kernels with addresses in their code, and many kernels with ``NUMBA_OPT=0``."""
    address = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(("abs", ctypes.CDLL(None)))

    @jit.kernel
    def negative(x):
        return -address(x)

    with pytest.warns(NumbaWarning, match='Cannot cache .* "negative"'):
        assert negative(-3) == -3


OTHER_USER = 12345  # a user other than root and the user of the tests


def give_to_another_user(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the path to another user; without root rights, pretend that another user runs the tests."""
    if os.geteuid() == 0:
        os.chown(path, OTHER_USER, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: OTHER_USER)


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A cache folder with a compiled kernel."""
    folder = tmp_path / "cache" / "kernels" / "0123"
    folder.mkdir(parents=True)
    for path in (folder, folder.parent, folder.parent.parent, tmp_path):
        path.chmod(0o755)
    (folder / "kernel.nbi").write_bytes(b"")
    (folder / "kernel.nbi").chmod(0o644)
    return folder


def test_a_cache_that_others_cannot_write_to_is_trusted(kernels):
    assert others_with_write_access(kernels) is None
    kernels.chmod(0o700)
    (kernels / "kernel.nbi").chmod(0o666)
    assert others_with_write_access(kernels) is None, "nobody else gets at the file"


@pytest.mark.parametrize("above", [0, 1, 2, "file"])
@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_a_cache_that_others_can_write_to_is_not_trusted(kernels, above, mode):
    place = kernels / "kernel.nbi" if above == "file" else [kernels, *kernels.parents][above]
    place.chmod(mode)
    assert others_with_write_access(kernels) == f"{place} can be written by other users (mode {mode:o})"
    if above not in (0, "file"):
        place.chmod(mode | 0o1000)
        assert others_with_write_access(kernels) is None, "in a sticky folder nobody can put another one in its place"


@pytest.mark.parametrize("above", [0, 1, "file"])
def test_a_cache_of_another_user_is_not_trusted(kernels, above, monkeypatch):
    place = kernels / "kernel.nbi" if above == "file" else [kernels, *kernels.parents][above]
    give_to_another_user(place, monkeypatch)
    assert "belongs to user" in (others_with_write_access(kernels) or "")


def test_write_access_check_follows_links_to_the_cache(kernels, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(kernels)
    assert others_with_write_access(link) is None
    (kernels / "other.nbc").symlink_to(tmp_path / "elsewhere")
    assert others_with_write_access(link) == f"{kernels / 'other.nbc'} is a symbolic link"
    (kernels / "other.nbc").unlink()
    kernels.parent.chmod(0o777)
    assert str(kernels.parent) in (others_with_write_access(link) or "")


class MaliciousPickle:
    """Unpickling creates the file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.file,)


def test_cache_files_of_other_users_are_not_loaded(tmp_path, starts, engine_alone, chosen_folder, capsys):
    """A pickle replaces a kernel's index in a folder that others can write to; one warning, also from `doctor`."""
    places = {"WARLIGHT_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}

    def draw() -> subprocess.CompletedProcess[str]:
        return starts.run(DRAWS, PYTHONPATH=engine_alone, **places)

    assert draw().stderr == ""
    folder, planted = chosen_folder(**places)[1], tmp_path / "planted"
    folder.chmod(0o777)
    for index in folder.glob("*.nbi"):
        index.write_bytes(with_digest(index.name, pickle.dumps(MaliciousPickle(planted))))
    done = draw()
    assert done.stdout == "drawn\n" and not planted.exists()
    assert done.stderr.count("other users could change its compiled code") == 1 and str(folder) in done.stderr
    with pytest.warns(RuntimeWarning, match="other users could change its compiled code"):
        chosen_folder(**places)
    main(["doctor"])
    shown = capsys.readouterr()
    assert "other users could change its compiled code" in shown.out and shown.err == ""
    folder.chmod(0o755)
    draw()
    assert planted.exists(), "what was planted would have been run"


def test_a_temporary_folder_that_others_can_write_to_is_not_used(chosen_folder, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    shared = tmp_path / f"warlight-env-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    _, folder = chosen_folder(WARLIGHT_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert shared not in folder.parents and tmp_path in folder.parents
