"""The cache of compiled kernels: damaged files are detected, and changed sources get separate files."""

import importlib
import json
import os
import shutil
import subprocess
import sys

import cache_damage
import pytest
from numba.core.caching import CompileResultCacheImpl

from helpers import copy_engine
from warlight_env.cli import main
from warlight_env.engine import cache, sources
from warlight_env.engine.cache import verify_digest, with_digest
from warlight_env.engine.cache_folder import environment_digest


@pytest.fixture(scope="module")
def trials(tmp_path_factory, starts, engine_alone) -> cache_damage.Trials:
    def run(program, cache):
        return starts.run(program, WARLIGHT_CACHE_DIR=cache, PYTHONPATH=engine_alone)

    return cache_damage.Trials(tmp_path_factory.mktemp("caches"), cache_damage.PROGRAMS["draws"], run)


@pytest.mark.parametrize("number, kind", list(enumerate(cache_damage.DAMAGES)))
def test_a_damaged_cache_gives_the_same_results(trials, number, kind):
    assert trials.run(number) == (kind, "")


@pytest.mark.slow
def test_many_damaged_caches_give_the_same_results():
    assert cache_damage.main(["--caches", "100"]) == 0


def test_digest_detects_each_changed_bit_and_another_file_name():
    content = with_digest("a.nbc", b"content")
    assert verify_digest("a.nbc", content) == b"content"
    assert verify_digest("b.nbc", content) is None
    for bit in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        assert verify_digest("a.nbc", bytes(damaged)) is None
    assert all(verify_digest("a.nbc", content[:size]) is None for size in range(len(content)))


def test_digest_of_another_build_is_rejected():
    assert verify_digest("a.nbc", with_digest("a.nbc", b"content", build="0" * 20)) is None
    assert verify_digest("a.nbc", with_digest("a.nbc", b"content", build=environment_digest())) == b"content"


def test_source_digests_of_another_version_are_computed_again(tmp_path, monkeypatch, request):
    few = {name: file for name, file in sources.kernel_modules().items() if name.startswith("warlight_env.features.")}
    monkeypatch.setattr(sources, "kernel_modules", lambda: few)
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    request.addfinalizer(cache.source_digests.cache_clear)
    cache.source_digests.cache_clear()
    expected = cache.source_digests().all()
    (file,) = tmp_path.iterdir()
    entries = json.loads(verify_digest(file.name, file.read_bytes()))
    file.write_bytes(
        with_digest(file.name, json.dumps({key: [*entry, "more"] for key, entry in entries.items()}).encode())
    )
    cache.source_digests.cache_clear()
    assert cache.source_digests().all() == expected
    assert json.loads(verify_digest(file.name, file.read_bytes())) == entries


#: A module outside the kernel packages; its function takes a record of another module.
ADDING = "import numba\n\n\n@numba.njit\ndef add(record):\n    return record.x + 1\n"
RECORD = "from typing import NamedTuple\n\n\nclass {}(NamedTuple):\n    x: int\n"


@pytest.fixture
def adding(tmp_path, monkeypatch):
    """Functions that import `ADDING` again, with the cache, and its records."""
    place = tmp_path / "modules"
    place.mkdir()
    (place / "adding.py").write_text(ADDING)
    (place / "records.py").write_text(RECORD.format("First"))
    monkeypatch.syspath_prepend(place)
    cache.source_digests()  # read from the usual folder; with the empty folder, all modules would be parsed
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)

    def import_again(name):
        monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    def add():
        dispatcher = import_again("adding").add
        cache.enable_cache(dispatcher, dispatcher.py_func)
        return dispatcher

    yield add, lambda: import_again("records"), place / "records.py"
    for name in ("adding", "records"):
        sys.modules.pop(name, None)


def test_function_is_compiled_again_if_its_argument_type_is_gone(adding):
    add, records, file = adding
    first = records().First
    assert add()(first(1)) == 2
    again = add()
    assert again(first(1)) == 2 and sum(again.stats.cache_hits.values()) == 1
    file.write_text(RECORD.format("Second_"))
    other = add()
    assert other(records().Second_(1)) == 2 and not other.stats.cache_hits


def test_error_while_a_kernel_is_loaded_is_raised(adding, monkeypatch):
    add, records, _ = adding
    record = records().First(1)
    add()(record)

    def fails(*arguments):
        raise MemoryError("of the test")

    with monkeypatch.context() as patch:
        patch.setattr(CompileResultCacheImpl, "rebuild", fails)
        with pytest.raises(MemoryError, match="of the test"):
            add()(record)
    again = add()
    assert again(record) == 2 and sum(again.stats.cache_hits.values()) == 1


def test_each_version_of_the_source_parser_has_its_own_file(tmp_path, starts):
    package = copy_engine(tmp_path)
    for line in ("", "MORE = 1\n"):
        (package / "sources.py").write_text((package / "sources.py").read_text() + line)
        code = "from warlight_env.engine.cache import source_digests, stale_files; source_digests(); stale_files()"
        starts.run(code, PYTHONPATH=tmp_path, WARLIGHT_CACHE_DIR=tmp_path / "cache").check_returncode()
    assert len(list((tmp_path / "cache").rglob("*.json"))) == 2


def test_clearing_the_cache_prints_no_warning(tmp_path):
    cache.source_digests()
    (parsed,) = cache.cache_folder().glob(f"sources-{sources.FORMAT}.json")
    place = tmp_path / parsed.relative_to(cache.cache_folder().parents[1])  # otherwise the command parses all modules
    place.parent.mkdir(parents=True)
    shutil.copy(parsed, place)
    command = [sys.executable, "-m", "warlight_env", "doctor", "--clear-cache"]
    environment = {**os.environ, "WARLIGHT_CACHE_DIR": str(tmp_path)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert process.stderr == ""
    assert not list((tmp_path / "kernels").iterdir())


def test_doctor_reports_damaged_and_stale_files(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "kernels" / "0123456789abcdef0123"
    folder.mkdir(parents=True)
    name = f"round.f-01234567-{cache.source_digests().digest_for('warlight_env.engine.round')}-89abcdef.py311"
    old = f"round.f-01234567-{'0' * 20}-89abcdef.py311.nbi"
    (folder / f"{name}.nbi").write_bytes(with_digest(f"{name}.nbi", b"whole"))
    (folder / f"{name}.1.nbc").write_bytes(with_digest(f"{name}.nbi", b"of another name"))
    (folder / old).write_bytes(with_digest(old, b"old"))
    monkeypatch.setattr(cache, "cache_folder", lambda: folder)
    main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["damaged_files"] == [f"{name}.1.nbc"]
    assert report["stale_files"] == 1
    main(["doctor"])
    assert "1 files are damaged, or another build wrote them" in capsys.readouterr().out
    main(["doctor", "--clear-cache", "--json"])
    assert json.loads(capsys.readouterr().out)["damaged_files"] == []
    assert not folder.exists()


def test_changed_code_recompiles_a_kernel_but_a_changed_comment_does_not(tmp_path, starts):
    package = copy_engine(tmp_path)
    kernel = '"""Doc."""\n{}from warlight_env.engine.jit import kernel\n\n\n@kernel\ndef f(x):\n    {}return x + {}\n'
    (package / "other.py").write_text("A = 1\n")
    # Python would reuse old bytecode for a file of equal length that is rewritten within the same second.
    settings = {"PYTHONPATH": tmp_path, "WARLIGHT_CACHE_DIR": tmp_path / "cache", "PYTHONDONTWRITEBYTECODE": "1"}
    answers = []
    for comment, docstring, constant, other in (
        ("", "", 1, "A = 1\n"),
        ("# A comment.\n\n", "", 1, "A = 1\n"),
        ("", '"""Add one."""\n    ', 1, "A = 2\n"),
        ("", "", 2, "A = 2\n"),
        ("", "", 1, "A = 2\n"),
    ):
        (package / "adding.py").write_text(kernel.format(comment, docstring, constant))
        (package / "other.py").write_text(other)
        code = "from warlight_env.engine.adding import f; print(f(1), sum(f.stats.cache_hits.values()))"
        answers.append(starts.run(code, **settings).stdout.strip())
    assert answers == ["2 0", "2 1", "2 1", "3 0", "2 1"]
