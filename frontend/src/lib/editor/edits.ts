// Changes to a map that is drawn, each from one sketch to the next; what lies side by side gets a border by itself.
import type { Point } from '../geometry';
import { updateVoronoi } from './voronoi';
import { codeFor, freshName } from './naming';
import { distance, labelOf, type Ring, rounded, shortest, touch } from './polygons';
import { joins, type Kind, newKey, outlined, regionAt, type Sketch, type SketchLink, type SketchRegion, type SketchSuper } from './sketch';

export const FEWEST = 3; // corners

const words = (sketch: Sketch, but = -1): string[] => sketch.regions.flatMap(({ key, name, code }) => (key === but ? [] : [name, code]));
const replaced = (sketch: Sketch, key: number, change: (region: SketchRegion) => SketchRegion): Sketch => ({
  ...sketch,
  regions: sketch.regions.map((region) => (region.key === key ? change(region) : region)),
});

/** Borders as the sides are: of regions that have come to touch there is one, of those that touch no more there is none. */
export function followed(before: Sketch, after: Sketch): Sketch {
  const old = new Map(before.regions.map((region) => [region.key, region]));
  const changed = after.regions.filter((region) => old.get(region.key)?.path !== region.path);
  if (!changed.length) return after;
  let [borders, links] = [after.borders, after.links];
  const seen = new Set<number>();
  for (const region of changed) {
    seen.add(region.key);
    for (const other of after.regions) {
      if (seen.has(other.key)) continue;
      const [was, is] = [touching(old.get(region.key), old.get(other.key)), touching(region, other)];
      if (was === is) continue;
      const [a, b] = [region.key, other.key];
      const there = borders.some((border) => joins(border, a, b));
      if (is) {
        if (!there) borders = [...borders, [a, b]];
        links = links.filter((link) => !joins([link.a, link.b], a, b));
      } else if (there && !links.some((link) => joins([link.a, link.b], a, b))) {
        borders = borders.filter((border) => !joins(border, a, b));
      }
    }
  }
  return { ...after, borders, links };
}

export function touching(a: SketchRegion | undefined, b: SketchRegion | undefined): boolean {
  return a !== undefined && b !== undefined && a.rings.length > 0 && b.rings.length > 0 && touch(a.rings, b.rings);
}

/** A new region where somebody pressed; in the super region that is chosen. */
export function added(sketch: Sketch, at: Point, kind: Kind, group: number, word: string): [Sketch, number] {
  const name = freshName(word, sketch.regions.map((region) => region.name));
  const region = regionAt(rounded(at), name, codeFor(name, words(sketch)), group, kind);
  const next = { ...sketch, regions: [...sketch.regions, region] };
  return [followed(sketch, updateVoronoi(next)), region.key];
}

/** A new region with these corners. */
export function enclosed(sketch: Sketch, corners: Ring, group: number, word: string): [Sketch, number] {
  const rings = [corners.map(rounded)];
  const label = labelOf(rings);
  const name = freshName(word, sketch.regions.map((region) => region.name));
  const bare = regionAt(label.at, name, codeFor(name, words(sketch)), group, 'outline');
  const next = { ...sketch, regions: [...sketch.regions, outlined(bare, rings, label)] };
  return [followed(sketch, next), bare.key];
}

export function removed(sketch: Sketch, key: number): Sketch {
  const next = {
    ...sketch,
    regions: sketch.regions.filter((region) => region.key !== key),
    borders: sketch.borders.filter((border) => !border.includes(key)),
    links: sketch.links.filter(({ a, b }) => a !== key && b !== key),
  };
  return followed(sketch, updateVoronoi(next));
}

/** A value of a region. With its name goes its code, as long as that was made of the name. */
export function changed(sketch: Sketch, key: number, values: Partial<Pick<SketchRegion, 'name' | 'code' | 'army' | 'group'>>): Sketch {
  return replaced(sketch, key, (region) => {
    const taken = words(sketch, key);
    const made = region.code === codeFor(region.name, taken) || region.code === '';
    const code = values.name !== undefined && made ? { code: codeFor(values.name, taken) } : {};
    return { ...region, ...code, ...values };
  });
}

/** A region moved by so much, with its outline; neighbours stay where they are. */
export function moved(sketch: Sketch, key: number, [dx, dy]: Point): Sketch {
  const shift = ([x, y]: Point): Point => rounded([x + dx, y + dy]);
  const next = replaced(sketch, key, (region) => {
    const at = shift(region.at);
    if (region.kind !== 'outline') return { ...region, at };
    return outlined(region, region.rings.map((ring) => ring.map(shift)), { at, radius: region.radius });
  });
  return updateVoronoi(next);
}

/** A corner put elsewhere, in all regions that have it: so what touches stays together. */
export function cornerMoved(sketch: Sketch, from: Point, to: Point): Sketch {
  const same = ([x, y]: Point) => x === from[0] && y === from[1];
  return reshaped(sketch, (ring) => (ring.some(same) ? ring.map((corner) => (same(corner) ? rounded(to) : corner)) : ring));
}

/** A corner taken out of all regions that have it, where enough are left. */
export function cornerRemoved(sketch: Sketch, at: Point): Sketch {
  const same = ([x, y]: Point) => x === at[0] && y === at[1];
  return reshaped(sketch, (ring) => (ring.length > FEWEST && ring.some(same) ? ring.filter((corner) => !same(corner)) : ring));
}

/** A corner more between two that follow each other, in both regions that have this side. */
export function cornerAdded(sketch: Sketch, a: Point, b: Point, at: Point): Sketch {
  const is = ([x, y]: Point, [p, q]: Point) => x === p && y === q;
  return reshaped(sketch, (ring) => {
    const k = ring.findIndex((corner, i) => {
      const next = ring[(i + 1) % ring.length];
      return (is(corner, a) && is(next, b)) || (is(corner, b) && is(next, a));
    });
    return k < 0 ? ring : [...ring.slice(0, k + 1), rounded(at), ...ring.slice(k + 1)];
  });
}

/** Rings of regions made anew. A cell whose corners were changed is drawn corner by corner from then on. */
function reshaped(sketch: Sketch, change: (ring: Ring) => Ring): Sketch {
  return {
    ...sketch,
    regions: sketch.regions.map((region) => {
      const rings = region.rings.map(change);
      if (rings.every((ring, k) => ring === region.rings[k])) return region;
      return { ...outlined(region, rings, labelOf(rings)), kind: 'outline' };
    }),
  };
}

/** Points without outlines become cells, or cells points. */
export function celled(sketch: Sketch, on: boolean): Sketch {
  const regions = sketch.regions.map((region): SketchRegion => {
    if (on && region.kind === 'point') return { ...region, kind: 'cell' };
    return !on && region.kind === 'cell' ? { ...region, kind: 'point', path: '', rings: [] } : region;
  });
  const next = updateVoronoi({ ...sketch, regions });
  return on ? followed(sketch, next) : next;
}

export function sized(sketch: Sketch, values: Partial<Pick<Sketch, 'box' | 'reach'>>): Sketch {
  return followed(sketch, updateVoronoi({ ...sketch, ...values }));
}

// Borders

/** A border where there was none, drawn as a line where nothing touches; and none where there was one. */
export function addBorder(sketch: Sketch, a: number, b: number): Sketch {
  if (a === b) return sketch;
  if (sketch.borders.some((border) => joins(border, a, b))) return parted(sketch, a, b);
  const [p, q] = [a, b].map((key) => sketch.regions.find((region) => region.key === key)!);
  const link: SketchLink[] = touching(p, q) || !p.rings.length || !q.rings.length ? [] : [{ a, b, line: shortest(p.rings, q.rings) }];
  return { ...sketch, borders: [...sketch.borders, [a, b]], links: [...sketch.links, ...link] };
}

export function parted(sketch: Sketch, a: number, b: number): Sketch {
  return {
    ...sketch,
    borders: sketch.borders.filter((border) => !joins(border, a, b)),
    links: sketch.links.filter((link) => !joins([link.a, link.b], a, b)),
  };
}

/** Whether a border goes around the left and right edges, or straight between the coasts. */
export function wrapped(sketch: Sketch, a: number, b: number, around: boolean): Sketch {
  const [p, q] = [a, b].map((key) => sketch.regions.find((region) => region.key === key)!);
  const others = sketch.links.filter((link) => !joins([link.a, link.b], a, b));
  const line = around ? null : shortest(p.rings, q.rings);
  const needed = around || !touching(p, q);
  return { ...sketch, links: needed ? [...others, { a, b, line }] : others };
}

/** The borders that the sides make, and those that are drawn as lines; all others go. */
export function bordered(sketch: Sketch): Sketch {
  const borders: [number, number][] = [];
  sketch.regions.forEach((region, i) => {
    for (const other of sketch.regions.slice(i + 1)) {
      const linked = sketch.links.some((link) => joins([link.a, link.b], region.key, other.key));
      if (linked || touching(region, other)) borders.push([region.key, other.key]);
    }
  });
  return { ...sketch, borders };
}

// Super regions

export function addSuperRegion(sketch: Sketch, word: string): [Sketch, number] {
  const made: SketchSuper = { key: newKey(), name: freshName(word, sketch.supers.map(({ name }) => name)), bonus: 2 };
  return [{ ...sketch, supers: [...sketch.supers, made] }, made.key];
}

export function regrouped(sketch: Sketch, key: number, values: Partial<Pick<SketchSuper, 'name' | 'bonus'>>): Sketch {
  return { ...sketch, supers: sketch.supers.map((group) => (group.key === key ? { ...group, ...values } : group)) };
}

export function removeSuperRegion(sketch: Sketch, key: number): Sketch {
  return {
    ...sketch,
    supers: sketch.supers.filter((group) => group.key !== key),
    regions: sketch.regions.map((region) => (region.group === key ? { ...region, group: -1 } : region)),
  };
}

/** The corner of any region that is nearest to a point, within so much; null: none is. */
export function cornerNear(sketch: Sketch, at: Point, within: number, but: Point | null = null): Point | null {
  let [best, least]: [Point | null, number] = [null, within];
  for (const region of sketch.regions) {
    for (const corner of region.rings.flat()) {
      if (but && corner[0] === but[0] && corner[1] === but[1]) continue;
      const away = distance(corner, at);
      if (away <= least) [best, least] = [corner, away];
    }
  }
  return best;
}
