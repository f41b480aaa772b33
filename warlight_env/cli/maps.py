"""``warlight map``: list, show, check, convert and generate maps."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from warlight_env.bounded_io import shown
from warlight_env.cli.common import (
    FAILURE,
    OK,
    Integer,
    JsonOption,
    PathArgument,
    SeedOption,
    UsageError,
    check_output_file,
    print_json,
    write_file,
)
from warlight_env.tables import align

if TYPE_CHECKING:
    from warlight_env.maps import Map
    from warlight_env.maps.files import MapFile

app = App(name="map", help="List, show, check, convert and generate maps.")

SvgOption = Annotated[PathArgument | None, Parameter(name="--svg", help="SVG file for a drawing of the map.")]


def _summary(map_: Map) -> dict[str, Any]:
    return {
        "name": map_.name,
        "title": map_.title,
        "regions": map_.n_regions,
        "super_regions": map_.n_super_regions,
        "borders": len(map_.borders),
        "drawable": map_.drawable,
        "digest": map_.digest(),
    }


@app.command(name="list")
def list_(*, json: JsonOption = False) -> None:
    """List the bundled maps."""
    from warlight_env import maps

    summaries = [_summary(maps.load(name)) for name in maps.names()]
    if json:
        print_json(summaries)
        return
    rows = [["name", "title", "regions", "super regions", "borders"]]
    rows += [[s["name"], s["title"], str(s["regions"]), str(s["super_regions"]), str(s["borders"])] for s in summaries]
    print("\n".join(align(rows, left=2)))


@app.command
def show(
    name: Annotated[str, Parameter(help="Name of a bundled map, or a map file.")],
    /,
    *,
    svg: SvgOption = None,
    json: JsonOption = False,
) -> None:
    """Show the super regions of a map with their bonuses, and the regions with their neighbours."""
    from warlight_env import maps

    if svg is not None:
        check_output_file("--svg", svg, ".svg")
    map_ = maps.load(name)
    if json:
        print_json({**_summary(map_), "map": map_.to_dict()})
    else:
        _print_map(map_)
    _draw(map_, svg)


def _print_map(map_: Map) -> None:
    print(f"{map_.name}: {map_.title}" if map_.title else map_.name)
    for text in (map_.description, map_.source):
        if text:
            print(f"  {text}")
    print(f"  {map_.n_regions} regions, {map_.n_super_regions} super regions, {len(map_.borders)} borders")
    for key, value in map_.to_dict().get("setup", {}).items():
        print(f"  setup: {key}: {', '.join(value) or 'none' if isinstance(value, list) else value}")
    for s, members in enumerate(map_.members):
        print(f"\n{map_.super_regions[s].name}: bonus {map_.super_regions[s].bonus}")
        rows = []
        for r in members:
            region = map_.regions[r]
            neighbors = " ".join(map_.regions[q].code for q in map_.neighbors[r])
            rows.append([region.code, region.name, str(region.army), neighbors])
        print("\n".join(align(rows, left=4)))


@app.command
def check(
    *files: Annotated[str, Parameter(help="Map files, or names of bundled maps.")], json: JsonOption = False
) -> int:
    """Check map files, and list all problems of each file. The exit code is 1 if a file is not a valid map."""
    from warlight_env import maps
    from warlight_env.maps.errors import MOST_REASONS

    if not files:
        raise UsageError("maps check: give at least one file")
    reports: list[dict[str, Any]] = []
    for file in files:
        try:
            read = maps.read(file)
            reports.append({"file": file, "ok": True, **_summary(read.map), **_use(read)})
        except maps.MapError as error:
            names = (
                f"{shown(file)}: ",
                f"{shown(Path(file).name)}: ",
            )  # error messages about a file begin with its path or its name
            reasons = [reason.removeprefix(names[0]).removeprefix(names[1]) for reason in error.reasons]
            reports.append({"file": file, "ok": False, "error": reasons[0], "errors": reasons})
    if json:
        print_json(reports)
    else:
        for report in reports:
            size = f"{report.get('regions')} regions, {report.get('super_regions')} super regions"
            lines = [f"ok, {size}", *_use_lines(report)] if report["ok"] else report["errors"]
            if len(lines) == MOST_REASONS:
                lines = [*lines, f"there may be more problems: the check stops after {MOST_REASONS}"]
            print("\n".join(f"{report['file']}: {line}" for line in lines))
    return OK if all(report["ok"] for report in reports) else FAILURE


def _use(read: MapFile) -> dict[str, Any]:
    """Return the format of a map file, its starting setup or None, and the types of its unused fields, for JSON."""
    return {"format": read.format.name, "setup": read.map.to_dict().get("setup"), "unused": list(read.unused)}


def _use_lines(report: dict[str, Any]) -> list[str]:
    lines = []
    if report["setup"] is not None:
        entries = (
            f"{key} {len(value) if isinstance(value, list) else value}" for key, value in report["setup"].items()
        )
        lines.append(f"kept as the starting setup: {', '.join(entries)}")
    if report["unused"]:
        lines.append(f"not used: {', '.join(report['unused'])}")
    return lines


@app.command
def convert(
    source: Annotated[str, Parameter(help="Map file in any format, or name of a bundled map.")],
    output: Annotated[PathArgument, Parameter(help="Map file to write.")],
    /,
    *,
    to: Annotated[
        str | None,
        Parameter(
            help="Output format: native, challenge-json, setup-lines or xml (default: by the suffix "
            ".json, .txt or .xml)."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Convert a map to another format, and list the parts of the map that this format cannot store."""
    from warlight_env import maps
    from warlight_env.maps.convert import WRITTEN, written_as

    suffixes = {each.suffix: each.name for each in reversed(WRITTEN)}
    name = suffixes.get(output.suffix.lower()) if to is None else to
    written = next((each for each in WRITTEN if each.name == name), None)
    if written is None:
        names = ", ".join(each.name for each in WRITTEN)
        raise UsageError(
            f"--to {to}: must be one of {names}" if to else f"{output}: give the format with --to: {names}"
        )
    read = maps.read(source)
    if Path(source).exists() and output.exists() and output.samefile(source):
        raise UsageError(f"{output}: the output must not be the input file")
    text, lost = written_as(read.map, written)
    write_file(output, text)
    if json:
        print_json({"file": str(output), "format": written.name, "lost": list(lost), "unused": list(read.unused)})
        return
    print(f"{output}: {written.title}")
    for label, parts in (("not stored in this format", lost), ("not used from the input file", read.unused)):
        if parts:
            print(f"  {label}: {', '.join(parts)}")


@app.command
def generate(
    *,
    regions: Annotated[Integer, Parameter(help="Number of regions, 3 to 400.")] = 42,
    super_regions: Annotated[
        Integer | None, Parameter(help="Number of super regions (default: one per 6.5 regions).")
    ] = None,
    seed: SeedOption = 1,
    name: Annotated[str | None, Parameter(help="Name of the map.")] = None,
    output: Annotated[
        PathArgument | None, Parameter(name=["--out", "-o"], help="Output file (default: standard output).")
    ] = None,
    svg: SvgOption = None,
) -> None:
    """Generate a random map with a drawing. The same arguments always give the same map."""
    from warlight_env import maps

    if output is not None:
        check_output_file("--out", output, ".json")
    if svg is not None:
        check_output_file("--svg", svg, ".svg")
    map_ = maps.generate(regions, super_regions, seed=seed, name=name)
    text = maps.dumps(map_)
    if output is None:
        print(text, end="" if text.endswith("\n") else "\n")
    else:
        write_file(output, text)
        print(f"{output}: {map_.name}, {map_.n_regions} regions, {map_.n_super_regions} super regions")
    _draw(map_, svg)


def _draw(map_: Map, svg: Path | None) -> None:
    """Write an SVG drawing of a map with its starting armies, before any region has an owner."""
    if svg is None:
        return
    import numpy as np

    from warlight_env.render import ShownPosition, to_svg

    owner = np.full(map_.n_regions, -1, dtype=np.int8)
    army = np.array(map_.starting_armies, dtype=np.int32)
    write_file(svg, to_svg(ShownPosition(map_, owner, army, 2, 0)))
    print(f"{svg}: drawing of {map_.name}", file=sys.stderr)
