"""Builds the page with npm when the package is built; without Node.js the package is complete but for the page."""

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
#: The page, last, and the licences of what is bundled in it.
BUILT = ("licenses.txt", "index.html")
#: "required": a package without the page is not built. Releases and CI set it.
SWITCH = "WARLIGHT_PAGE"


def build_page() -> str | None:
    """Bring the page up to date; returns why there is none, or None."""
    made = PAGE / "index.html"
    sources = [p for p in FRONTEND.rglob("*") if p.is_file() and "node_modules" not in p.parts]
    released = (ROOT / "PKG-INFO").exists()  # a source distribution brings the page along
    if made.exists() and (released or all(p.stat().st_mtime <= made.stat().st_mtime for p in sources)):
        return None
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm: install Node.js 20.19 or later"
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
    """`build_page`, and where that is not possible a note for `warlight play`, or the end of the build."""
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
    """`build_py`, after the page."""

    def run(self) -> None:
        provide_page()
        self.__dict__.pop("data_files", None)  # found anew: the page is one of them
        super().run()


class MetadataWithPage(egg_info):
    """`egg_info`, after the page: the source distribution holds it, and its licences are the package's, too."""

    def run(self) -> None:
        provide_page()
        licences = PAGE / BUILT[0]
        if licences.exists():
            self.distribution.metadata.license_files.append(licences.relative_to(ROOT).as_posix())
        super().run()


setup(cmdclass={"build_py": BuildWithPage, "egg_info": MetadataWithPage})
