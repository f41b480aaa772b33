// A map in the editor. Its parts have keys that do not change when other parts are added or removed. Also converts maps
// to and from the server's format.
import type { Point } from '../geometry';
import { pathOf, type Ring, ringsOf } from './polygons';

/** outline: the user drew each corner; cell: Voronoi cell of a point; point: without an outline. */
export type Kind = 'outline' | 'cell' | 'point';

export interface SketchRegion {
  readonly key: number;
  readonly name: string;
  readonly code: string;
  readonly group: number; // key of its super region; -1: none
  readonly army: number | null; // armies at the start of a game; null: the typed text is not a number
  readonly kind: Kind;
  readonly at: Point; // position of the label; for a cell, the point of the Voronoi cell
  readonly radius: number;
  readonly path: string; // SVG path of the outline; '': the region has no outline
  readonly rings: Ring[];
}

export interface SketchSuper {
  readonly key: number;
  readonly name: string;
  readonly bonus: number | null;
}

/** A border drawn as a line between two coasts. If `line` is null, it crosses the left and right edges of the map. */
export interface SketchLink {
  readonly a: number;
  readonly b: number;
  readonly line: readonly [Point, Point] | null;
}

/**
 * The fixed start position of games on a map. The lists contain keys or indices of regions; the rules determine values
 * that are null.
 */
export interface Setup {
  readonly wastelands: readonly number[] | null;
  readonly wasteland_army: number | null;
  readonly offered: readonly number[] | null;
  readonly picks: number | null;
}

export interface Sketch {
  readonly sheet?: number; // random id of the opened map; it changes when another map is opened
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly source: string;
  readonly box: readonly [number, number, number, number];
  readonly reach: number | null; // largest distance of a cell's outline from its point, in map units; null: cells fill the sheet
  readonly supers: readonly SketchSuper[];
  readonly regions: readonly SketchRegion[];
  readonly borders: readonly (readonly [number, number])[]; // pairs of region keys, unsorted
  readonly links: readonly SketchLink[];
  readonly setup?: Setup | null; // with keys of regions, some of which may have been removed
}

/** A map in the server's format; see `warlight_env/web/maps/map_validation.py`. */
export interface DrawnMap {
  name: string;
  title: string;
  description: string;
  source: string;
  super_regions: { name: string; bonus: number | null }[];
  regions: {
    name: string;
    code: string;
    super_region: number;
    army: number | null;
    shape: { path: string; label: Point; radius: number } | null;
  }[];
  borders: [number, number][];
  view_box: [number, number, number, number] | null;
  sea_links: { regions: [number, number]; line: [Point, Point] | null }[];
  setup?: Setup | null; // with indices of regions, in ascending order
  points?: Point[] | null;
}

export const SHEET: Sketch['box'] = [0, 0, 1000, 640];

let last = 0;

export function newKey(): number {
  return ++last;
}

export function empty(name: string): Sketch {
  return { name, title: '', description: '', source: '', box: SHEET, reach: null, supers: [], regions: [], borders: [], links: [] };
}

/** Make a region without an outline. */
export function regionAt(label: Point, name: string, code: string, group: number, kind: Kind): SketchRegion {
  return { key: newKey(), name, code, group, army: 2, kind, at: label, radius: 12, path: '', rings: [] };
}

/** Return one text for a border, the same for (a, b) and (b, a). */
export const pair = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
export const joins = ([a, b]: readonly [number, number], c: number, d: number): boolean => (a === c && b === d) || (a === d && b === c);

/** Replace the region numbers in a setup; regions without a new number are removed. */
function renumbered(setup: Setup, number: (region: number) => number | undefined): Setup {
  const numbers = (regions: readonly number[] | null) =>
    regions && regions.flatMap((region) => number(region) ?? []).sort((a, b) => a - b);
  return { ...setup, wastelands: numbers(setup.wastelands), offered: numbers(setup.offered) };
}

/** Convert a sketch to the server's format. */
export function drawn(sketch: Sketch): DrawnMap {
  const regionIndex = new Map(sketch.regions.map(({ key }, i) => [key, i]));
  const superIndex = new Map(sketch.supers.map(({ key }, i) => [key, i]));
  const outlined = sketch.regions.some(({ path }) => path);
  const sorted = sketch.borders.map(([a, b]): [number, number] => {
    const [i, j] = [regionIndex.get(a)!, regionIndex.get(b)!];
    return i < j ? [i, j] : [j, i];
  });
  sorted.sort(([a, b], [c, d]) => a - c || b - d);
  return {
    name: sketch.name,
    title: sketch.title,
    description: sketch.description,
    source: sketch.source,
    super_regions: sketch.supers.map(({ name, bonus }) => ({ name, bonus })),
    regions: sketch.regions.map(({ name, code, group: s, army, path, at, radius }) => {
      return { name, code, super_region: superIndex.get(s) ?? -1, army, shape: path ? { path, label: at, radius } : null };
    }),
    borders: sorted,
    view_box: outlined ? [...sketch.box] : null,
    sea_links: outlined
      ? sketch.links.map(({ a, b, line }) => {
          const [i, j] = [regionIndex.get(a)!, regionIndex.get(b)!];
          const isReversed = i > j;
          return { regions: isReversed ? [j, i] : [i, j], line: line && (isReversed ? [line[1], line[0]] : [line[0], line[1]]) };
        })
      : [],
    setup: sketch.setup ? renumbered(sketch.setup, (key) => regionIndex.get(key)) : null,
  };
}

/** Convert a map of the server to a sketch. */
export function sketchOf(map: DrawnMap): Sketch {
  const supers = map.super_regions.map((x) => ({ key: newKey(), ...x }));
  const regions = map.regions.map((r, i): SketchRegion => {
    const shape = r.shape;
    const rings = shape ? ringsOf(shape.path) : [];
    return {
      key: newKey(),
      name: r.name,
      code: r.code,
      group: supers[r.super_region]?.key ?? -1,
      army: r.army,
      kind: shape ? 'outline' : 'point',
      at: shape?.label ?? map.points![i],
      radius: shape?.radius ?? 12,
      path: shape?.path ?? '',
      rings,
    };
  });
  const key = (i: number) => regions[i].key;
  const points = regions.map(({ at }) => at);
  return {
    name: map.name,
    title: map.title,
    description: map.description,
    source: map.source,
    box: map.view_box ?? boxAround(points),
    reach: null,
    supers,
    regions,
    borders: map.borders.map(([a, b]) => [key(a), key(b)]),
    links: map.sea_links.map(({ regions: [a, b], line }) => ({ a: key(a), b: key(b), line })),
    setup: map.setup ? renumbered(map.setup, key) : null,
  };
}

/** Return a view box with margins around the points. */
function boxAround(points: Point[]): Sketch['box'] {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - 60, Math.min(...ys) - 60].map(Math.round);
  return [left, top, Math.round(Math.max(...xs) - left + 60), Math.round(Math.max(...ys) - top + 60)];
}

/** Convert a sketch to JSON for the browser's storage, without the rings, which `restored` computes from the paths. */
export function stored(sketch: Sketch): string {
  return JSON.stringify({ ...sketch, regions: sketch.regions.map(({ rings: _, ...rest }) => rest) });
}

/** Convert stored JSON data to a sketch; null: the data is not a sketch. */
export function restored(data: unknown): Sketch | null {
  const sketch = data as Sketch | null;
  const lists = ['regions', 'supers', 'borders', 'links', 'box'] as const;
  if (!sketch || typeof sketch !== 'object' || !lists.every((name) => Array.isArray(sketch[name]))) return null;
  try {
    last = Math.max(last, ...sketch.regions.map(({ key }) => key), ...sketch.supers.map(({ key }) => key));
    return { ...sketch, regions: sketch.regions.map((region) => ({ ...region, rings: ringsOf(region.path) })) };
  } catch {
    return null;
  }
}

/** Return the region with another outline. */
export function outlined(region: SketchRegion, rings: Ring[], label: { at: Point; radius: number }): SketchRegion {
  return { ...region, rings, path: pathOf(rings), ...label };
}
