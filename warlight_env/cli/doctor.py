"""``warlight doctor``: a report on installed and missing packages and on the cache of compiled functions."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from warlight_env.cli.common import FAILURE, OK, FailedCommandError, JsonOption, print_json
from warlight_env.cli.config_file import config_path

_DISTRIBUTION = "warlight-env"


def doctor(
    *,
    clear_cache: Annotated[
        bool, Parameter(negative="", help="Delete all compiled functions; the next start compiles them again.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Check the installation. The exit code is 1 if a required package is missing or compiled code cannot be loaded."""
    freed = _clear_cache() if clear_cache else None
    report = _report()
    if freed is not None:
        report["freed_bytes"] = freed
    if json:
        print_json(report)
    else:
        _print_report(report)
    return OK if report["ok"] else FAILURE


def _requirements() -> tuple[list[str], dict[str, list[str]]]:
    """Return the required packages, and the packages of each extra (optional group), from this package's metadata."""
    from importlib import metadata

    required: list[str] = []
    extras: dict[str, list[str]] = {}
    try:
        lines = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        lines = []
    for line in lines:
        name = re.match(r"[A-Za-z0-9._-]+", line)
        extra = re.search(r"""extra\s*==\s*['"]([^'"]+)""", line)
        if name is None or name[0] == _DISTRIBUTION:
            continue
        if extra is None:
            required.append(name[0])
        else:
            extras.setdefault(extra[1], []).append(name[0])
    return required, extras


def _version(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _report() -> dict[str, Any]:
    import os
    import platform

    from warlight_env.version import __version__

    config = config_path()
    required, extras = _requirements()
    versions = {name: _version(name) for name in required}
    missing = {extra: [name for name in names if _version(name) is None] for extra, names in extras.items()}
    report: dict[str, Any] = {
        "warlight-env": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "installed": _version(_DISTRIBUTION) is not None,
        "packages": versions,
        "missing_in_extras": missing,
        "config_file": None if config is None else str(config),
        "config_exists": config is not None and config.exists(),
        "page_error": _page_error(),
        "gpu_error": _gpu_error(),
    }
    report.update(_kernels())
    report["ok"] = all(version is not None for version in versions.values()) and "kernel_error" not in report
    return report


def _page_error() -> str | None:
    """Return the reason why the files of the web page are missing; None if they exist."""
    from warlight_env.web.errors import PageMissingError
    from warlight_env.web.page import page

    try:
        page()
    except PageMissingError as error:
        return str(error)
    return None


def _gpu_error() -> str | None:
    """Return the reason why `WarlightTensorEnv` cannot use a GPU; None if it can."""
    try:
        from warlight_env.tensor_env import toolkit
    except ImportError as error:
        return str(error)
    return toolkit.missing()


def _kernels() -> dict[str, Any]:
    try:
        with warnings.catch_warnings(action="ignore"):  # ignore warnings about the cache: the report contains them
            import numba

            from warlight_env.engine import cache, jit
            from warlight_env.engine.cache_folder import cache_notice

            folder = cache.cache_folder()
    except ImportError as error:
        return {"kernel_error": str(error)}
    other_folders = [path for path in _cache_folders(folder) if path != folder]
    stale, damaged = cache.stale_files(), cache.damaged_files()
    return {
        "jit": not jit.JIT_DISABLED,
        "numba_threads": int(numba.config.NUMBA_NUM_THREADS),
        "cache_folder": None if folder is None else str(folder),
        "cache_notice": cache_notice(),
        "cache_files": len(_files(folder)),
        "cache_bytes": _bytes(folder),
        "damaged_files": [path.name for path in damaged],
        "stale_files": len(stale) + sum(len(_files(path)) for path in other_folders),
        "stale_bytes": sum(path.stat().st_size for path in stale) + sum(_bytes(path) for path in other_folders),
    }


def _cache_folders(current: Path | None) -> list[Path]:
    """Return the cache folders of compiled kernels; each version of Python or Numba has a folder named by a digest."""
    if current is None or not current.parent.is_dir():
        return []
    return [p for p in sorted(current.parent.iterdir()) if p.is_dir() and re.fullmatch(r"[0-9a-f]{20}", p.name)]


def _files(folder: Path | None) -> list[Path]:
    return [] if folder is None else [path for path in folder.rglob("*") if path.is_file()]


def _bytes(folder: Path | None) -> int:
    return sum(path.stat().st_size for path in _files(folder))


def _clear_cache() -> int:
    """Delete the compiled kernels of all versions; return their size in bytes."""
    import shutil

    from warlight_env.engine import cache

    cache.source_digests()  # compute the digests now: the report needs them, and a deleted folder cannot store them
    freed = 0
    for folder in _cache_folders(cache.cache_folder()):
        size = _bytes(folder)
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise FailedCommandError(f"cannot clear {folder}: {error.strerror or error}") from None
        freed += size
    return freed


def _print_report(report: dict[str, Any]) -> None:
    def mib(size: int) -> str:
        return f"{size / 2**20:.1f} MiB"

    print(f"warlight-env {report['warlight-env']} on Python {report['python']}, {report['platform']}, "
          f"{report['cpus']} CPUs")  # fmt: skip
    if not report["installed"]:
        print("  not installed as a package: the list of required packages is unknown")
    for name, version in report["packages"].items():
        print(f"  {name:14} {version or 'MISSING'}")
    for extra, names in report["missing_in_extras"].items():
        print(f"  extra {extra}: {'optional, not installed: ' + ', '.join(names) if names else 'complete'}")
    state = "" if report["config_exists"] else " (no file)" if report["config_file"] else "none"
    print(f"  configuration  {report['config_file'] or ''}{state}")
    print(f"  page           {report['page_error'] or 'installed'}")
    print(f"  GPU            {report['gpu_error'] or 'ready'}")
    if "kernel_error" in report:
        print(f"  kernels cannot be loaded: {report['kernel_error']}")
        return
    print(f"  numba          {report['numba_threads']} threads, "
          f"JIT {'on' if report['jit'] else 'off (NUMBA_DISABLE_JIT): slow'}")  # fmt: skip
    folder_text = report["cache_folder"] or "none"
    print(f"  compile cache  {folder_text}: {report['cache_files']} files, {mib(report['cache_bytes'])}")
    if report["cache_notice"]:
        print(f"                 {report['cache_notice']}")
    if report["damaged_files"]:
        print(f"                 {len(report['damaged_files'])} files are damaged, or another build wrote them; their "
              "kernels are compiled again when needed; warlight doctor --clear-cache deletes all files")  # fmt: skip
    if report["stale_files"]:
        print(f"                 {report['stale_files']} files of other versions, {mib(report['stale_bytes'])}; "
              "warlight doctor --clear-cache deletes all files")  # fmt: skip
    if "freed_bytes" in report:
        print(f"  cleared        {mib(report['freed_bytes'])}")
    sys.stdout.flush()
