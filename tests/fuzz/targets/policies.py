"""Files of trained policies: archives with a false header, array or container."""

from __future__ import annotations

import dataclasses
import io
import json
import random
import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import mutate, values
from fuzz.target import Data, Target, expect, refused
from warlight_env import maps
from warlight_env.arena.policies.policy_file import PolicyFile, PolicyFileError
from warlight_env.engine.board import make_board
from warlight_env.engine.rules import Rules
from warlight_env.envs import EnvCore

DTYPES = ("<f4", "<f8", "<i4", "|b1", "<f2", ">f4", "|O", "<U5", "<c8", "|V4", "<M8[s]")


def tiny(action: str) -> PolicyFile:
    """Return a policy with the smallest possible network."""
    blank = PolicyFile(action, "small", "small", Rules(), 50, width=2, layers=1, hidden=2, arrays={})
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in blank.shapes().items()}
    return dataclasses.replace(blank, arrays=arrays)


class Policies(Target):
    """The content of a file."""

    share = 25

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._files = [tiny(action).to_bytes() for action in ("strategies", "factored")]
        self._parts = []
        for content in self._files:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                self._parts.append({name: archive.read(name) for name in archive.namelist()})
        self._board = make_board(maps.load("small"))
        self._observations: dict[str, Any] = {}
        for action in ("strategies", "factored"):
            core = EnvCore("small", action=action, observation="flat", picking="random")
            core.reset([1])
            self._observations[action] = (core.out.features[:, 0].copy(), core.flat_masks(0))

    def make(self, rng: random.Random) -> Data:
        draw = rng.random()
        if draw < 0.35:
            return mutate.damaged(rng.choice(self._files), rng, self._files)
        parts = dict(rng.choice(self._parts))
        for _ in range(rng.choice((1, 1, 2))):
            name = rng.choice(list(parts))
            if name == "header.npy" or rng.random() < 0.5:
                header = json.loads(_body(parts["header.npy"]))
                parts["header.npy"] = npy("|u1", None, json.dumps(mutate.changed(header, rng)).encode())
                continue
            way = rng.randrange(5)
            if way == 0:
                parts[name] = mutate.damaged(parts[name], rng)
            elif way == 1:
                shape = tuple(rng.choice((0, 1, 2, 3, 10**9, 2**40, -1)) for _ in range(rng.randint(0, 3)))
                parts[name] = npy(rng.choice(DTYPES), shape, _body(parts[name]))
            elif way == 2:
                del parts[name]
            elif way == 3:
                parts[values.text(rng) or name] = parts[rng.choice(list(parts))]
            else:
                body = bytearray(_body(parts[name]) or b"\0")
                body[:4] = struct.pack("<f", rng.choice((float("nan"), float("inf"), 1e38, -1e38, 0.0)))
                parts[name] = npy("<f4", None, bytes(body), like=parts[name])
        return _archive(parts, rng)

    def run(self, data: Data) -> bool:
        try:
            file = PolicyFile.from_bytes(data, "policy.npz")
        except PolicyFileError as error:
            return refused(error, "policy.npz")
        again = PolicyFile.from_bytes(file.to_bytes(), "policy.npz")
        expect(again.arrays.keys() == file.arrays.keys(), "a policy of other arrays when it is read again")
        expect(
            dataclasses.replace(again, arrays={}) == dataclasses.replace(file, arrays={}),
            "a policy that is another when it is read again",
        )
        if file.players == 2:
            observations, masks = self._observations[file.action]
            policy = file.bind(self._board)
            policy.reseed(1)
            chosen = policy(observations, masks)
            expect(chosen.dtype == np.int64, "actions of another type")
        return True


def npy(dtype: str, shape: tuple[int, ...] | None, body: bytes, like: bytes = b"") -> bytes:
    """Return an array's file with the given header; without a shape, the shape of `like`, or all bytes."""
    if shape is None:
        match = re.search(rb"'shape': (\([^)]*\))", like[:200])  # the file may already be damaged
        shape_text = match[1].decode("latin-1") if match else f"({len(body)},)"
    else:
        shape_text = str(shape)
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape_text}, }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


def _body(part: bytes) -> bytes:
    """Return an array's bytes after its header."""
    return part[10 + struct.unpack("<H", part[8:10])[0] :] if part[:6] == b"\x93NUMPY" else part


def _archive(parts: dict[str, bytes], rng: random.Random) -> bytes:
    import warnings

    buffer = io.BytesIO()
    packed = rng.random() < 0.1
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content in parts.items():
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
            info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
            archive.writestr(info, content)
    content = buffer.getvalue()
    if rng.random() < 0.1:  # wrong sizes, flags or counts in the container
        at = content.rfind(b"PK\x01\x02")
        changed = bytearray(content)
        for _ in range(rng.choice((1, 2))):
            position = at + rng.choice((8, 10, 12, 20, 24, 28, 30, 42))
            if position + 4 < len(changed):
                changed[position : position + 2] = struct.pack("<H", rng.choice((0, 1, 8, 99, 0x7FFF, 0xFFFF)))
        content = bytes(changed)
    return content


TARGET = Policies
