// A map while it is drawn: its parts by keys, which stay what they are when others come and go; to the server and back.
import type { Point } from '../geometry';
import { pathOf, type Ring, ringsOf } from './polygons';

/** outline: drawn corner by corner; cell: what is nearest to a point; point: without an outline. */
export type Kind = 'outline' | 'cell' | 'point';

export interface SketchRegion {
  readonly key: number;
  readonly name: string;
  readonly code: string;
  readonly group: number; // key of its super region; -1: none
  readonly army: number | null; // at the start; null: what is typed is no number
  readonly kind: Kind;
  readonly at: Point; // of its label; of a cell its point
  readonly radius: number;
  readonly path: string; // '': it has no outline
  readonly rings: Ring[];
}

export interface SketchSuper {
  readonly key: number;
  readonly name: string;
  readonly bonus: number | null;
}

/** A border that is drawn as a line between coasts; without one it goes around the left and right edges. */
export interface SketchLink {
  readonly a: number;
  readonly b: number;
  readonly line: readonly [Point, Point] | null;
}

/** The fixed start of the games on a map, with keys or indices of regions; the rules decide what is null. */
export interface Setup {
  readonly wastelands: readonly number[] | null;
  readonly wasteland_army: number | null;
  readonly offered: readonly number[] | null;
  readonly picks: number | null;
}

export interface Sketch {
  readonly sheet?: number; // by which changes of one map are told from those of another that was opened
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly source: string;
  readonly box: readonly [number, number, number, number];
  readonly reach: number; // of cells, in map units
  readonly supers: readonly SketchSuper[];
  readonly regions: readonly SketchRegion[];
  readonly borders: readonly (readonly [number, number])[]; // keys, in no order
  readonly links: readonly SketchLink[];
  readonly setup?: Setup | null; // by keys, of regions that may have been removed since
}

/** A map as the server takes and gives it, see `warlight_env/web/maps/map_validation.py`. */
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
  setup?: Setup | null; // by indices, ascending
  points?: Point[] | null;
}

export const SHEET: Sketch['box'] = [0, 0, 1000, 640];
export const REACH = 90;

let last = 0;

export function newKey(): number {
  return ++last;
}

export function empty(name: string): Sketch {
  return { name, title: '', description: '', source: '', box: SHEET, reach: REACH, supers: [], regions: [], borders: [], links: [] };
}

/** A region without an outline yet. */
export function regionAt(at: Point, name: string, code: string, group: number, kind: Kind): SketchRegion {
  return { key: newKey(), name, code, group, army: 2, kind, at, radius: 12, path: '', rings: [] };
}

/** A border's two regions as one word, whichever comes first. */
export const pair = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
export const joins = ([a, b]: readonly [number, number], c: number, d: number): boolean => (a === c && b === d) || (a === d && b === c);

/** A setup with other numbers for its regions; regions that have none are left out. */
function renumbered(setup: Setup, number: (region: number) => number | undefined): Setup {
  const numbers = (regions: readonly number[] | null) =>
    regions && regions.flatMap((region) => number(region) ?? []).sort((a, b) => a - b);
  return { ...setup, wastelands: numbers(setup.wastelands), offered: numbers(setup.offered) };
}

/** The map as the server takes it. */
export function drawn(sketch: Sketch): DrawnMap {
  const place = new Map(sketch.regions.map(({ key }, i) => [key, i]));
  const group = new Map(sketch.supers.map(({ key }, i) => [key, i]));
  const outlined = sketch.regions.some(({ path }) => path);
  const sorted = sketch.borders.map(([a, b]): [number, number] => {
    const [i, j] = [place.get(a)!, place.get(b)!];
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
      return { name, code, super_region: group.get(s) ?? -1, army, shape: path ? { path, label: at, radius } : null };
    }),
    borders: sorted,
    view_box: outlined ? [...sketch.box] : null,
    sea_links: outlined
      ? sketch.links.map(({ a, b, line }) => {
          const [i, j] = [place.get(a)!, place.get(b)!];
          const turned = i > j;
          return { regions: turned ? [j, i] : [i, j], line: line && (turned ? [line[1], line[0]] : [line[0], line[1]]) };
        })
      : [],
    setup: sketch.setup ? renumbered(sketch.setup, (key) => place.get(key)) : null,
  };
}

/** A map of the server as a sketch. */
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
    box: map.view_box ?? around(points),
    reach: REACH,
    supers,
    regions,
    borders: map.borders.map(([a, b]) => [key(a), key(b)]),
    links: map.sea_links.map(({ regions: [a, b], line }) => ({ a: key(a), b: key(b), line })),
    setup: map.setup ? renumbered(map.setup, key) : null,
  };
}

/** A sheet with room around points. */
function around(points: Point[]): Sketch['box'] {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - 60, Math.min(...ys) - 60].map(Math.round);
  return [left, top, Math.round(Math.max(...xs) - left + 60), Math.round(Math.max(...ys) - top + 60)];
}

/** What this browser keeps of a sketch, and back; keys are given anew. */
export function stored(sketch: Sketch): string {
  return JSON.stringify({ ...sketch, regions: sketch.regions.map(({ rings: _, ...rest }) => rest) });
}

/** A sketch that was kept; null: what is there is none. */
export function restored(data: unknown): Sketch | null {
  const kept = data as Sketch | null;
  const lists = ['regions', 'supers', 'borders', 'links', 'box'] as const;
  if (!kept || typeof kept !== 'object' || !lists.every((name) => Array.isArray(kept[name]))) return null;
  try {
    last = Math.max(last, ...kept.regions.map(({ key }) => key), ...kept.supers.map(({ key }) => key));
    return { ...kept, regions: kept.regions.map((region) => ({ ...region, rings: ringsOf(region.path) })) };
  } catch {
    return null;
  }
}

/** A region with another outline. */
export function outlined(region: SketchRegion, rings: Ring[], label: { at: Point; radius: number }): SketchRegion {
  return { ...region, rings, path: pathOf(rings), ...label };
}
