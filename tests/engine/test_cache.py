"""The cache of compiled kernels: damage is noticed, and files of changed sources lie beside the others."""

import json
import os
import subprocess
import sys

import cache_damage
import pytest

from helpers import copy_engine
from warlight_env.cli import main
from warlight_env.engine import cache
from warlight_env.engine.sealed import seal, unseal

#: Compiles a few kernels only; the slow test plays a game.
DRAWS = """
from warlight_env.engine.rng import below, make_rng, next_u64
print(next_u64(make_rng(1)), below(make_rng(1), 3))
"""


@pytest.fixture(scope="module")
def trials(tmp_path_factory) -> cache_damage.Trials:
    return cache_damage.Trials(tmp_path_factory.mktemp("caches"), DRAWS)


@pytest.mark.parametrize("number, kind", list(enumerate(cache_damage.DAMAGES)))
def test_a_damaged_cache_gives_the_same_results(trials, number, kind):
    assert trials.run(number) == (kind, "")


@pytest.mark.slow
def test_many_damaged_caches_give_the_same_results(tmp_path):
    trials = cache_damage.Trials(tmp_path)
    assert {problem for _, problem in map(trials.run, range(100))} == {""}


def test_a_seal_is_broken_by_each_bit_and_by_another_name():
    whole = seal("a.nbc", b"content")
    assert unseal("a.nbc", whole) == b"content"
    assert unseal("b.nbc", whole) is None
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        assert unseal("a.nbc", bytes(damaged)) is None
    assert all(unseal("a.nbc", whole[:size]) is None for size in range(len(whole)))


def test_doctor_finds_damaged_files_and_those_of_other_sources(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "kernels" / "0123456789abcdef0123"
    folder.mkdir(parents=True)
    name = f"round.f-01234567-{cache.source_digests().of('warlight_env.engine.round')}-89abcdef.py311"
    old = f"round.f-01234567-{'0' * 20}-89abcdef.py311.nbi"
    (folder / f"{name}.nbi").write_bytes(seal(f"{name}.nbi", b"whole"))
    (folder / f"{name}.1.nbc").write_bytes(seal(f"{name}.nbi", b"of another name"))
    (folder / old).write_bytes(seal(old, b"old"))
    monkeypatch.setattr(cache, "cache_folder", lambda: folder)
    main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["damaged_files"] == [f"{name}.1.nbc"]
    assert report["stale_files"] == 1
    main(["doctor"])
    assert "1 damaged files" in capsys.readouterr().out
    main(["doctor", "--clear-cache", "--json"])
    assert json.loads(capsys.readouterr().out)["damaged_files"] == []
    assert not folder.exists()


def test_a_comment_keeps_what_is_compiled_and_a_changed_line_does_not(tmp_path):
    package = copy_engine(tmp_path)
    kernel = '"""Doc."""\n{}from warlight_env.engine.jit import kernel\n\n\n@kernel\ndef f(x):\n    {}return x + {}\n'
    (package / "other.py").write_text("A = 1\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "WARLIGHT_CACHE_DIR": str(tmp_path / "cache")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
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
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        answers.append(done.stdout.strip())
    assert answers == ["2 0", "2 1", "2 1", "3 0", "2 1"]
