"""Mutations of bytes without regard to their format, and of plain data with its format kept."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from fuzz import values

_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


def damaged(data: bytes, rng: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Apply one to four mutations, usually one."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        data = _one_damage(data, rng, others)
    return data


def _one_damage(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    n = len(data)
    at = rng.randrange(n + 1)
    length = min(rng.choice((1, 1, 2, 4, 16, 64, 400)), n - at)
    way = rng.randrange(10)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + data[at + length :]
    if way == 2:
        return data[: at + length] + data[at : at + length] * rng.choice((1, 1, 2, 50)) + data[at + length :]
    if way == 3 and n:
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 3, 20))):
            changed[rng.randrange(n)] ^= 1 << rng.randrange(8)
        return bytes(changed)
    if way == 4 and n:
        changed = bytearray(data)
        changed[rng.randrange(n)] = rng.randrange(256)
        return bytes(changed)
    if way == 5 and others:
        other = rng.choice(others)
        start = rng.randrange(len(other) + 1)
        return data[:at] + other[start : start + rng.choice((5, 50, 1000, len(other)))] + data[at + length :]
    if way in (6, 7):
        found = _NUMBER.search(data, at)
        if found is not None:
            new = rng.choice(values.TOKENS) if rng.random() < 0.3 else str(values.number(rng)).encode()
            return data[: found.start()] + new + data[found.end() :]
    if way == 8:
        to = rng.randrange(n + 1)
        piece = data[at : at + length]
        rest = data[:at] + data[at + length :]
        return rest[:to] + piece + rest[to:]
    return data[:at] + rng.choice(values.TOKENS) + data[at + rng.choice((0, length)) :]


def damaged_lines(data: bytes, rng: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Delete, repeat, move or change lines, or insert lines of another text."""
    lines = data.splitlines(keepends=True)
    for _ in range(rng.choice((1, 1, 2))):
        i, j = rng.randrange(len(lines) + 1), rng.randrange(len(lines) + 1)
        way = rng.randrange(5)
        if way == 0:
            del lines[i : i + rng.choice((1, 1, 3))]
        elif way == 1:
            lines[i:i] = lines[j : j + rng.choice((1, 1, 5))]
        elif way == 2 and i < len(lines) and j < len(lines):
            lines[i], lines[j] = lines[j], lines[i]
        elif way == 3 and others:
            lines[i : i + rng.choice((0, 1))] = [rng.choice(rng.choice(others).splitlines(keepends=True) or [b"\n"])]
        elif i < len(lines):
            lines[i] = damaged(lines[i], rng)
    return b"".join(lines)


def changed(value: Any, rng: random.Random, times: int | None = None) -> Any:
    """Return plain data with one to four parts replaced, deleted, repeated or renamed; the argument does not change."""
    for _ in range(rng.choice((1, 1, 1, 2, 4)) if times is None else times):
        value = _change(value, rng, value)
    return value


def _change(value: Any, rng: random.Random, whole: Any) -> Any:
    """Change one part; copy the containers around it and share all other parts."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        return {**value, key: _change(value[key], rng, whole)}
    if isinstance(value, list | tuple) and value and rng.random() < 0.85:
        i = rng.randrange(len(value))
        items = list(value)
        items[i] = _change(items[i], rng, whole)
        return type(value)(items)
    if isinstance(value, dict) and rng.random() < 0.8:
        return _changed_dict(value, rng, whole)
    if isinstance(value, list | tuple) and rng.random() < 0.8:
        return type(value)(_changed_list(list(value), rng, whole))
    return _changed_leaf(value, rng, whole)


def _changed_dict(value: dict[Any, Any], rng: random.Random, whole: Any) -> dict[Any, Any]:
    value = dict(value)
    way = rng.randrange(3)
    if way == 0 and value:
        del value[rng.choice(list(value))]
    elif way == 1 and value:
        value[values.text(rng)] = value.pop(rng.choice(list(value)))
    else:
        value[values.text(rng)] = part_of(whole, rng) if rng.random() < 0.5 else values.anything(rng)
    return value


def _changed_list(items: list[Any], rng: random.Random, whole: Any) -> list[Any]:
    way = rng.randrange(6)
    if way == 0 and items:
        del items[rng.randrange(len(items))]
    elif way == 1 and items:
        items.insert(rng.randrange(len(items) + 1), rng.choice(items))
    elif way == 2:
        rng.shuffle(items)
    elif way == 3:
        items = items * rng.choice((0, 2, 30))
    elif way == 4:
        items.insert(rng.randrange(len(items) + 1), part_of(whole, rng))
    else:
        items.insert(rng.randrange(len(items) + 1), values.anything(rng))
    return items


def _changed_leaf(value: Any, rng: random.Random, whole: Any) -> Any:
    draw = rng.random()
    if draw < 0.2:
        return part_of(whole, rng)
    if draw < 0.35 and isinstance(value, int) and not isinstance(value, bool):
        return value + rng.choice((-1, 1, 2, -2))
    if draw < 0.5:
        return values.number(rng)
    if draw < 0.6:
        return values.text(rng)
    if draw < 0.75 and isinstance(value, str):
        return _changed_text(value, rng)
    if draw < 0.82:
        return [value] if rng.random() < 0.5 else {"": value}
    if draw < 0.88:
        return str(value) if not isinstance(value, str) else value.encode("utf-8", "replace").decode("latin-1")
    return values.anything(rng)


def _changed_text(value: str, rng: random.Random) -> str:
    at = rng.randrange(len(value) + 1)
    return rng.choice((value[:at], value[at:], value[:at] + values.text(rng) + value[at:], value.upper(), value * 2))


def part_of(value: Any, rng: random.Random) -> Any:
    """Return a random part of plain data, possibly all of it."""
    while isinstance(value, dict | list | tuple) and value and rng.random() < 0.9:
        value = rng.choice(list(value.values()) if isinstance(value, dict) else value)
    return value
