"""Small files that expand to large data give a one-line error with place and reason, in little time and memory."""

from __future__ import annotations

import gzip
import io
import json
import struct
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warlight_env import bounded_io, maps
from warlight_env.arena.policies.policy_file import PolicyFile
from warlight_env.errors import InputError

MIB = 1 << 20

#: Runs lists of command lines in one process, each list in its folder; prints the exit code, output and CPU time of
#: each command line, and the peak of memory so far.
RUNNER = """
import contextlib, io, json, os, re, resource, sys, time
from pathlib import Path
from warlight_env.cli import main

def kibibytes():
    status = Path("/proc/self/status")  # what getrusage says holds for the process from which this one was forked, too
    if status.exists():
        return int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

for request in sys.stdin:
    folder, lines = json.loads(request)
    os.chdir(folder)
    for line in lines:
        began, out, err = time.process_time(), io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(line)
            except BaseException as error:
                code = repr(error)[:300]
        said, seconds = out.getvalue()[-3000:] + err.getvalue(), time.process_time() - began
        print(json.dumps([code, said, seconds, kibibytes() >> 10]), flush=True)
"""


class Runner:
    """Sends command lines to a process of RUNNER; all tests share the process."""

    def __init__(self, errors: Path) -> None:
        self._errors = errors
        with errors.open("w") as stream:
            self._process = subprocess.Popen(
                [sys.executable, "-c", RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stream, text=True
            )

    def run(self, lines: list[list[str]], folder: Path) -> list[Any]:
        """Return exit code, output, CPU seconds and peak MiB of each command line."""
        assert self._process.stdin is not None and self._process.stdout is not None
        timeout = threading.Timer(600, self._process.kill)
        timeout.start()
        print(json.dumps([str(folder), lines]), file=self._process.stdin, flush=True)
        results = []
        for line in lines:
            answer = self._process.stdout.readline()
            assert answer, (line, self._errors.read_text()[-2000:])
            results.append(json.loads(answer))
        timeout.cancel()
        return results

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    runner_ = Runner(tmp_path_factory.mktemp("runner") / "errors.txt")
    yield runner_
    runner_.end()


def assert_refused(runner: Runner, cases: list[tuple[list[str], str]], folder: Path) -> None:
    """Assert that each command line fails with a short message, without a traceback, within memory and time."""
    for (line, expected), (code, output, seconds, peak) in zip(
        cases, runner.run([line for line, _ in cases], folder), strict=True
    ):
        assert code in (1, 2), (line, code, output[-500:])
        assert expected in output, (line, output[-500:])
        assert "Traceback" not in output and len(output) < 3000, (line, output[:300])
        assert seconds < 60 and peak < 1000, (line, seconds, peak)


# Logs


def header(**changes: Any) -> bytes:
    """Return the first line of a log on the map `small`."""
    data = {
        "format": "warlight-log", "version": 1, "program": "a test", "map": "small",
        "map_digest": maps.load("small").digest(), "rules": {"name": "thesis"}, "seed": 1, "picks": "random",
        "round_limit": 500, "players": [{"name": n, "spec": None, "parameters": {}, "seed": None} for n in "ab"],
    }  # fmt: skip
    return json.dumps({**data, **changes}).encode() + b"\n"


START = b'{"event":"start","owner":%s,"army":%s,"hash":"00"}\n' % (
    str([0, 1, *[-1] * 8]).encode(),
    str([2] * 10).encode(),
)
INSIGHT = b'{"event":"insight","player":0,"round":1,"data":%s}\n'
LONG = {"digits": b"9" * 5000, "deep": b'{"a":' * 500 + b"0" + b"}" * 500}


def log_bombs() -> Iterator[tuple[str, bytes, str]]:
    """Yield name, content before compression, and expected message."""
    begin = header() + START
    yield "bytes", begin + b"0" * (70 * MIB), "more than 64 MiB"
    yield "lines", begin + b"\n" * (20 * MIB), "more than 250,000 lines"
    yield "lists", begin + INSIGHT % (b'{"a":[' + b"[0]," * (5 * MIB) + b"0]}"), "more than 5,000,000 values"
    yield "objects", begin + INSIGHT % (b'{"a":[' + b'{"":0},' * (3 * MIB) + b"0]}"), "more than 5,000,000 values"
    yield (
        "line",
        begin + INSIGHT % (b'{"a":"' + "\N{SNOWMAN}".encode() + b"x" * (24 * MIB) + b'"}'),
        "line 3: the line has more than 24 MiB",
    )
    yield (
        "digits",
        header(seed=0).replace(b'"seed": 0', b'"seed": ' + LONG["digits"]),
        "line 1: not JSON: a number has 5000 digits",
    )
    yield "many digits", header(seed=10**350), "line 1: not JSON: a number has 351 digits"
    yield "twice", header().replace(b'"seed": 1', b'"seed": 1, "seed": 2'), "line 1: not JSON: key 'seed' occurs twice"
    yield "strings", begin + INSIGHT % (b'{"a":[' + b'"ab",' * (4 * MIB) + b"0]}") * 3, "more than 5,000,000 values"
    yield "keys", begin + INSIGHT % (b"{" + b'"%d":0,' * MIB % tuple(range(MIB)) + b'"a":0}') * 3, "more than 5,000,000"
    for literal in (b"1e999", b"-1E+999", b"9" * 250 + b"e99"):
        yield f"infinite {len(literal)}", begin + INSIGHT % (b'{"a":%s}' % literal), "is too large for a number"
    yield "deep", begin + INSIGHT % LONG["deep"], "line 3: 'data' is nested too deeply"
    yield "deeper", begin + b"[" * MIB + b"\n", "line 3: not JSON: nested too deeply"
    yield "half", header(program="\ud800"), "line 1: not text"
    yield "rules", header(rules={"name": {}}), "name = {}: must be a string"
    yield (
        "chance",
        header(rules={"name": "thesis", "attack_kill": 1e-300}),
        "attack_kill = 1e-300: must be 0, or lie in 1e-09 .. 1",
    )
    yield "luck", header(rules={"name": "thesis", "luck": 1e-300}), "luck = 1e-300"
    yield "named", header(map="x" * MIB), "there is no bundled map"
    yield (
        "owner",
        header() + START.replace(b"[0, 1", b"[" + LONG["digits"][:4000]),
        "line 2: not JSON: a number has 4000 digits",
    )


def test_logs_with_too_much_data_are_refused(tmp_path, runner):
    cases = []
    for name, content, expected in log_bombs():
        (tmp_path / f"{name}.wl.jsonl.gz").write_bytes(gzip.compress(content, 1))
        cases.append((["log", "verify", "-q", f"{name}.wl.jsonl.gz"], expected))
    (tmp_path / "parts.wl.jsonl.gz").write_bytes(gzip.compress(b"") * 300_000)
    cases.append((["replay", "parts.wl.jsonl.gz"], "more than 1000 compressed parts"))
    assert_refused(runner, cases, tmp_path)
    code, output, _, peak = runner.run([["log", "list", "-q"]], tmp_path)[0]
    assert code == 0 and "unreadable" in output and peak < 1000


# Maps


def map_bombs() -> Iterator[tuple[str, bytes, str]]:
    native = b'{"format":"warlight-map","version":1,"name":"m","super_regions":[{"name":"S","bonus":1}],'
    native += b'"regions":%s,"borders":%s}'
    region = b'[{"name":"A","code":"A","super_region":"S"}]'
    many = 2 * MIB
    keys = b",".join(b'"%d":0' % i for i in range(200_000))
    yield "key.json", b'{"format":0,' + keys + b',"199999":1}', "key '199999' occurs twice in one object"
    yield "regions.json", native % (b"[" + b"0," * (many // 8) + b"0]", b"[]"), "regions: at most 1000"
    yield (
        "borders.json",
        native % (region, b"[" + b'["A","A"],' * 60_000 + b'["A","B"]]'),
        "60001 borders: at most 50000",
    )
    yield "lists.json", native % (region, b"[" + b"[0]," * 3_500_000 + b"0]"), "more than 5,000,000 values"
    yield "deep.json", native % (b"[" * 900 + b"]" * 900, b"[]"), "nested too deeply"
    yield "format.json", b'{"format":"' + b"x" * many + b'"}', "format 'xxxx"
    yield (
        "unknown.json",
        native.replace(b'{"format"', b'{"' + b"y" * many + b'":1,"format"') % (region, b"[]"),
        "no key 'yyyy",
    )
    yield (
        "word.json",
        native % (b'[{"name":"A","code":"A","super_region":"%s"}]' % (b"x" * many), b"[]"),
        "region 'A': super_region",
    )
    yield "digits.json", native % (b"[" + LONG["digits"] + b"]", b"[]"), "line 1: a number has 5000 digits"
    yield "ids.json", b'{"Regions":[' + b"0," * (many // 8) + b'0],"SuperRegions":[]}', "Regions: at most 1000"
    yield "large.json", b" " * (17 * MIB), "more than 16 MiB, the limit for this kind of file (map)"
    yield "elements.xml", b"<Map>" + b"<a/>" * 210_000 + b"</Map>", "more than 200,000 elements"
    yield "attributes.xml", b"<Map " + b" ".join(b'a%d=""' % i for i in range(100_000)) + b"/>", "50 attributes"
    yield "depth.xml", b"<Map>" * 100_000, "nested too deeply"
    laughs = b'<!DOCTYPE l [<!ENTITY a "' + b"ha" * 1000 + b'"><!ENTITY b "' + b"&a;" * 1000 + b'">]><Map>&b;</Map>'
    yield "laughs.xml", laughs, "a DTD or entities"
    supers = b"".join(b'<SuperRegion Name="%d" Bonus="1"/>' % i for i in range(20_000))
    yield (
        "supers.xml",
        b"<Map>" + supers + b'<SuperRegion Name="a" Bonus="1"><Region Name="A"/></SuperRegion></Map>',
        "20001 super regions",
    )
    named = b'<Map><SuperRegion Name="a" Bonus="1"><Region Name="%s"/></SuperRegion></Map>'
    yield "name.xml", named % (b"ab" * MIB), "at most 60 characters"
    lines = b"setup_map super_regions 1 1\nsetup_map regions 1 1\nsetup_map neighbors 1 " + b"1," * (many // 2) + b"1\n"
    yield "neighbors.txt", lines, "neighbors: at most 100000"
    yield "ids.txt", b"setup_map super_regions " + b"1 1 " * (many // 4), "super regions: at most 1000"


def test_maps_with_too_much_data_are_refused(tmp_path, runner):
    cases = []
    for name, content, expected in map_bombs():
        (tmp_path / name).write_bytes(content)
        cases.append((["map", "check", name], expected))
    assert_refused(runner, cases, tmp_path)


# Policies


def policy(change: Callable[[dict[str, Any]], None] = lambda header: None, **members: bytes) -> bytes:
    """Return the file of a policy with a changed header and with these members added or replaced."""
    with zipfile.ZipFile(io.BytesIO(PolicyFile.load("small").to_bytes())) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    data = json.loads(np.load(io.BytesIO(files["header.npy"])).tobytes())
    change(data)
    buffer = io.BytesIO()
    np.save(buffer, np.frombuffer(json.dumps(data).encode(), dtype=np.uint8))
    files |= {"header.npy": buffer.getvalue(), **{f"{name}.npy": content for name, content in members.items()}}
    policy_file = io.BytesIO()
    with zipfile.ZipFile(policy_file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return policy_file.getvalue()


def array_header(shape: str, kind: str = "<f4") -> bytes:
    """Return the header of an array's file."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text + b"\n"


def understated() -> bytes:
    """Return a policy with a member that declares 1000 bytes and unpacks to 300 MiB."""
    name, content = "lies", b"\0" * (300 * MIB)
    data = bytearray(policy(**{name: content}))
    assert data.count(struct.pack("<I", len(content))) == 2
    return bytes(data.replace(struct.pack("<I", len(content)), struct.pack("<I", 1000)))


def policy_bombs() -> Iterator[tuple[str, bytes, str]]:
    """Yield name, content and expected message."""
    damaged = "the header is damaged"
    yield "layers", policy(lambda h: h.update(layers=10**7)), "layers = 10000000: must be an integer in 0 .. 16"
    yield "width", policy(lambda h: h.update(width=10**9)), "width = 1000000000"
    yield "players", policy(lambda h: h.update(players=10**9)), "players = 1000000000"
    yield "number", policy(lambda h: h.update(layers=1e300)), damaged
    yield "rules", policy(lambda h: h["rules"].update(name=[])), "name = []"
    yield "weights", policy(lambda h: h.update(weights="x" * 900_000)), damaged
    yield "weight", policy(lambda h: h["weights"].update(bonus=10**299)), damaged
    yield "list", policy(lambda h: h.update(action=[])), "is unknown"
    yield "key", policy(lambda h: h.update({"x" * 500_000: 1})), damaged
    yield "sum", policy(**{f"a{i}": b"\0" * (20 * MIB) for i in range(12)}), "more than 192 MiB of arrays"
    yield "lies", understated(), "not a policy"
    yield "shape", policy(a=array_header(f"({10**12},)")), "an array of shape (1000000000000,) does not fit its 0 bytes"
    yield "shapes", policy(a=array_header("(" + "9," * 4000 + ")")), "not a policy"
    yield "object", policy(a=array_header("(1,)", "|O") + b"cos\nsystem\n."), "not numbers"
    yield "text", policy(a=array_header("(1,)", "<U99999999")), "not numbers"
    yield "many", policy(**{f"a{i}": b"" for i in range(9000)}), "more than 4000 arrays"
    yield "cut", policy()[:-200], "not a policy"
    yield "no zip", b"PK" * 1000, "it is not an .npz file"
    yield "deep", policy(header=array_header(f"({2 * 900},)", "|u1") + b"[" * 900 + b"]" * 900), "nested too deeply"


def test_policies_with_too_much_data_are_refused(tmp_path, runner):
    cases = []
    for name, content, expected in policy_bombs():
        (tmp_path / f"{name}.npz").write_bytes(content)
        cases.append((["match", f"policy:{name}.npz", "random", "--map", "small", "-n", "2", "-q"], expected))
    assert_refused(runner, cases, tmp_path)


def test_a_policy_with_a_flipped_bit_is_loaded_or_refused():
    from warlight_env.arena.policies.policy_file import PolicyFileError

    rng, content, n_loaded = np.random.default_rng(3), PolicyFile.load("small").to_bytes(), 0
    for packed in (content, policy()):
        for _ in range(150):
            data = bytearray(packed)
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
            try:
                PolicyFile.from_bytes(bytes(data))
                n_loaded += 1
            except PolicyFileError as error:
                assert len(str(error)) < 2500
    assert n_loaded < 300


# Files written by users, and run folders


def text_bombs() -> Iterator[tuple[list[str], bytes, str]]:
    """Yield a command line with FILE, the content of the file, and the expected message."""
    cup, td = ["tournament", "FILE.toml", "-q"], ["train", "td", "FILE.toml", "-q"]
    for line in (cup, td):
        yield line, b"games = " + b"[" * 100_000, "nested too deeply"
        yield line, b"games = " + b"{a=" * 200 + b"1" + b"}" * 200, "nested too deeply"
        yield line, b"a." * 300_000 + b"b = 1", "a key has more than 16 parts"
        yield line, b"x = {" + b"a ." * 300_000 + b"b = 1}", "a key has more than 16 parts"
        yield (
            line,
            b"".join(b"[" + b".".join(b"a%d" % i for i in range(15)) + b".b%d]\n" % j for j in range(10_000)),
            "dotted keys have more than 20,000 parts",
        )
        yield line, b"b = '''\n'''\n" + b'"x" . ' * 20 + b"y = 1", "line 3: a key has more than 16 parts"
        yield line, b'c = "' + b'\\"a.' * 5 + b'"\n[' + b"a." * 20 + b"b]", "line 2: a key has more than 16 parts"
        yield line, b"games = " + LONG["digits"], "too many digits"
        yield line, b"games = " + b"9" * 1000, "too many digits"
        yield line, b"x" * 900_000, "FILE.toml: "
        yield line, b'"a[b]" = 1', "a[b]"
        yield line, b"x = '" + b"y" * (2 * MIB) + b"'", "more than 1 MiB"
        yield line, b"\xff", "not UTF-8 text"
    yield cup, b'agents = ["random", "aggressive"]\ngames = ' + b"9" * 299, "games: must lie in"
    yield cup, b'agents = ["' + b"r" * 900_000 + b'"]', "no agent 'rrr"
    yield td, b"batches = " + b"9" * 299 + b"\nstart = {weights = 1}", ""
    yield td, b"[start.weights]\nbonus = 'x'\n[start.search]", "start: weights: bonus: must be a number"
    weights = ["match", "one_ply:weights=FILE.json", "random", "-n", "2", "-q"]
    yield weights, b'{"bonus": ' + b"9" * 299 + b"}", "must be a number in"
    yield weights, b'{"bonus": ' + LONG["digits"] + b"}", "a number has 5000 digits"
    yield weights, b'{"bonus": ' + b"[" * 100_000, "nested too deeply"
    yield weights, b'{"bonus": NaN}', "NaN is not a number"
    yield weights, b'{"bonus": -1e999}', "line 1: -1e999 is too large for a number"
    yield weights, b'{"%s": 1}' % (b"x" * 900_000), "no weight"


def test_text_files_with_too_much_data_are_refused(tmp_path, runner):
    cases = []
    for number, (line, content, expected) in enumerate(text_bombs()):
        words = [word.replace("FILE", f"file{number}") for word in line]
        name = next(word for word in words if f"file{number}" in word).rpartition("=")[2]
        (tmp_path / name).write_bytes(content)
        cases.append((words, expected.replace("FILE", f"file{number}")))
    assert_refused(runner, cases, tmp_path)


BAD_LINES = [
    b"[" * 100_000, b"[]", b"0", b'""', b"null", b'{"contest":[]}', b'{"contest":"match"}', b"\xff", *LONG.values(),
    b"[" + b"{}," * (20 * MIB) + b"{}]",
]  # fmt: skip
#: Other values of a game's record that are valid.
VALID_VALUES = [
    ("seed", -1), ("seed", 10**200), *((key, []) for key in ("failures", "use", "faults", "illegal")),
    *((key, {}) for key in ("failures", "use", "faults", "illegal")), ("failures", ""),
]  # fmt: skip


def test_damaged_run_folders_are_refused(tmp_path, runner):
    line = ["match", "random", "aggressive", "--map", "small", "-n", "2", "-q", "--out"]
    (code, *_), *_ = runner.run([[*line, "good"]], tmp_path)
    assert code == 0
    description, games = (tmp_path / "good" / name for name in ("run.json", "games.jsonl"))
    first = json.loads(games.read_bytes().splitlines()[0])
    cases: list[tuple[list[str], str]] = []

    def folder(name: str, description_: bytes, lines: bytes, expected: str) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_bytes(description_)
        (tmp_path / name / "games.jsonl").write_bytes(lines)
        cases.append(([*line, name], expected))

    changes = [(key, value) for key in first for value in ([], "x", -1, [[]], {}, 10**200, 10**400)]
    lines = [json.dumps({**first, key: value}).encode() for key, value in changes if (key, value) not in VALID_VALUES]
    lines.append(json.dumps(first).encode().replace(b"{", b'{"seed": 1, ', 1))
    for number, one in enumerate([*BAD_LINES, *lines]):
        folder(f"line{number}", description.read_bytes(), one + b"\n", "line 1: not a game of this run")
    for number, one in enumerate(BAD_LINES):
        folder(f"description{number}", one, b"", "")
    assert_refused(runner, cases, tmp_path)


def test_dots_in_strings_and_comments_do_not_count_as_key_parts():
    """Only keys have parts, so the limit ignores the dots in strings and comments."""
    dotted = ".".join(f"w{i}" for i in range(40))
    for text in (
        f'x = "{dotted}"', f"x = '{dotted}'", f'x = """\n{dotted}\n"""', f"x = '''\n{dotted}\n'''", f"x = 1 # {dotted}",
        f'x = "\\"{dotted}"', f"# {dotted}\nx = {{a = \"{dotted}\"}}", f"x = [1.5, 2.5, \"a\", \"{dotted}\"]",
    ):  # fmt: skip
        assert bounded_io.parse_toml(text, "here", InputError).keys() == {"x"}, text
    for text in (f"{dotted} = 1", f"[{dotted}]", f"[[{dotted}]]", f"x = {{a = 1, {dotted} = 1}}", f'"a".{dotted} = 1'):
        with pytest.raises(InputError, match="here: line 1: a key has more than 16 parts"):
            bounded_io.parse_toml(text, "here", InputError)


# Names that no file can have, and paths of folders


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000, "folder"])
def test_names_that_are_no_files_are_refused(name, tmp_path, capsys, monkeypatch):
    from warlight_env.cli import main

    monkeypatch.chdir(tmp_path)
    for suffix in (".wl.jsonl", ".json", ".toml", ".npz", ".xml"):
        (tmp_path / f"folder{suffix}").mkdir()
    for line in (
        ["replay", f"{name}.wl.jsonl"], ["log", "verify", f"{name}.wl.jsonl"], ["log", "continue", f"{name}.wl.jsonl"],
        ["log", "list", f"{name}"], ["map", "show", f"{name}.json"], ["map", "check", f"{name}.xml"],
        ["tournament", f"{name}.toml"], ["match", f"policy:{name}.npz", "random"], ["train", "td", f"{name}.toml"],
        ["match", f"one_ply:weights={name}.json", "random"], ["match", "random", "random", "--map", f"{name}.json"],
        ["picture", "random", "random", "--map", f"{name}.json"], ["bot", "replay", "random", f"{name}.wl.jsonl"],
        ["map", "generate", "-o", f"{name}/x.json"], ["bench", f"{name}.zip"],
        ["env", "info", "--map", f"{name}.json"],
        ["watch", "random", "random", "--map", f"{name}.json"], ["train", "td", "--start", f"{name}.json"],
    ):  # fmt: skip
        assert main(line) in (1, 2), line
        output = capsys.readouterr()
        assert len(output.err) + len(output.out) < 3000 + len(name), line  # a report names its files
