"""The software versions and the machine with which a result was computed, without user names and without paths."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from warlight_env.version import __version__


def collect_provenance() -> dict[str, Any]:
    """Return the versions of this package, Python, NumPy and Numba, and the processor, cores, memory and system.

    The memory is in GiB.
    """
    return {
        "warlight-env": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("numpy", "numba")},
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def format_provenance(facts: dict[str, Any]) -> str:
    """Return a result of `collect_provenance` as one line of text."""
    memory = f", {facts['memory_gib']} GiB" if facts["memory_gib"] else ""
    return (
        f"warlight-env {facts['warlight-env']}, Python {facts['python']}, numpy {facts['numpy']}, "
        f"numba {facts['numba']}; {facts['processor']}, {facts['cores']} cores{memory}, {facts['system']}"
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass  # the system is not Linux
    return platform.processor() or platform.machine()


def _memory() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (ValueError, OSError, AttributeError):
        return None  # this system does not report its memory
