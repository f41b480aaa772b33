"""Builds the web page with npm during the build of the package. Without Node.js, the package lacks only the page."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

ROOT = Path(__file__).resolve().parent
FRONTEND = ROOT / "frontend"
PAGE = ROOT / "warlight_env" / "web" / "page"
#: Files of the build: the licences of the libraries in the page, and the page. The page is copied last.
BUILT = ("licenses.txt", "index.html")
#: Environment variable. With the value "required", the build fails if the page cannot be built. Releases and CI set it.
SWITCH = "WARLIGHT_PAGE"


def build_page() -> str | None:
    """Build the page if it is missing or out of date. Return the reason for a failure, or None."""
    made = PAGE / "index.html"
    sources = [p for p in FRONTEND.rglob("*") if p.is_file() and "node_modules" not in p.parts]
    released = (ROOT / "PKG-INFO").exists()  # a source distribution contains the built page
    if made.exists() and (released or all(p.stat().st_mtime <= made.stat().st_mtime for p in sources)):
        return None
    npm = shutil.which("npm")
    if npm is None:
        return "npm was not found: install Node.js 20.19 or later"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "frontend"
        shutil.copytree(FRONTEND, copy, ignore=shutil.ignore_patterns("node_modules"))
        for command in ([npm, "ci"], [npm, "run", "build", "--", "--outDir", str(Path(folder) / "page")]):
            done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
            if done.returncode:
                said = [
                    line for line in (done.stderr or done.stdout).splitlines() if "warn" not in line and line.strip()
                ]
                return f"`{' '.join(['npm', *command[1:3]])}` failed: {' '.join(' '.join(said).split())[:400]}"
        PAGE.mkdir(exist_ok=True)
        for name in BUILT:
            shutil.copyfile(Path(folder) / "page" / name, PAGE / name)
    return None


@functools.cache
def provide_page() -> None:
    """Build the page. If this fails, write a file with the reason for `warlight play`, or exit (see `SWITCH`)."""
    reason = build_page()
    note = PAGE / "missing.txt"
    note.unlink(missing_ok=True)
    if reason is None:
        return
    if os.environ.get(SWITCH) == "required":
        sys.exit(f"error: the page was not built: {reason}")
    print(f"warning: the page was not built: {reason}", file=sys.stderr)
    PAGE.mkdir(exist_ok=True)
    note.write_text(reason + "\n", encoding="utf-8")


class BuildWithPage(build_py):
    """The command `build_py`; it builds the page first."""

    def run(self) -> None:
        provide_page()
        self.__dict__.pop("data_files", None)  # recompute the data files, because the page is one of them
        super().run()


class MetadataWithPage(egg_info):
    """The command `egg_info`; it builds the page first and adds the page's licences to the metadata."""

    def run(self) -> None:
        provide_page()
        licences = PAGE / BUILT[0]
        if licences.exists():
            self.distribution.metadata.license_files.append(licences.relative_to(ROOT).as_posix())
        super().run()


setup(cmdclass={"build_py": BuildWithPage, "egg_info": MetadataWithPage})
