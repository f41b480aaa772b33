// Changes to a map in the editor: functions from one sketch to the next. Regions whose outlines touch get a border
// automatically.
import type { Point } from '../geometry';
import { updateVoronoi } from './voronoi';
import { codeFor, freshName } from './naming';
import { distance, labelOf, type Ring, rounded, shortest, touch } from './polygons';
import { joins, type Kind, newKey, outlined, regionAt, type Sketch, type SketchLink, type SketchRegion, type SketchSuper } from './sketch';

export const FEWEST = 3; // smallest number of corners of an outline

const words = (sketch: Sketch, excludedKey = -1): string[] => sketch.regions.flatMap(({ key, name, code }) => (key === excludedKey ? [] : [name, code]));
const replaced = (sketch: Sketch, key: number, change: (region: SketchRegion) => SketchRegion): Sketch => ({
  ...sketch,
  regions: sketch.regions.map((region) => (region.key === key ? change(region) : region)),
});

/**
 * Update the borders after outlines have changed: add borders between regions that now touch, and remove them between
 * regions that no longer touch.
 */
export function followed(before: Sketch, after: Sketch): Sketch {
  const old = new Map(before.regions.map((region) => [region.key, region]));
  const changed = after.regions.filter((region) => old.get(region.key)?.path !== region.path);
  if (!changed.length) return after;
  let [borders, links] = [after.borders, after.links];
  const visitedKeys = new Set<number>();
  for (const region of changed) {
    visitedKeys.add(region.key);
    for (const other of after.regions) {
      if (visitedKeys.has(other.key)) continue;
      const [was, is] = [touching(old.get(region.key), old.get(other.key)), touching(region, other)];
      if (was === is) continue;
      const [a, b] = [region.key, other.key];
      const hasBorder = borders.some((border) => joins(border, a, b));
      if (is) {
        if (!hasBorder) borders = [...borders, [a, b]];
        links = links.filter((link) => !joins([link.a, link.b], a, b));
      } else if (hasBorder && !links.some((link) => joins([link.a, link.b], a, b))) {
        borders = borders.filter((border) => !joins(border, a, b));
      }
    }
  }
  return { ...after, borders, links };
}

export function touching(a: SketchRegion | undefined, b: SketchRegion | undefined): boolean {
  return a !== undefined && b !== undefined && a.rings.length > 0 && b.rings.length > 0 && touch(a.rings, b.rings);
}

/** Add a region at a point, in super region `group`. */
export function added(sketch: Sketch, point: Point, kind: Kind, group: number, word: string): [Sketch, number] {
  const name = freshName(word, sketch.regions.map((region) => region.name));
  const region = regionAt(rounded(point), name, codeFor(name, words(sketch)), group, kind);
  const next = { ...sketch, regions: [...sketch.regions, region] };
  return [followed(sketch, updateVoronoi(next)), region.key];
}

/** Add a region with these corners. */
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

/** Change values of a region. If its code was made from its name, a new name also makes a new code. */
export function changed(sketch: Sketch, key: number, values: Partial<Pick<SketchRegion, 'name' | 'code' | 'army' | 'group'>>): Sketch {
  return replaced(sketch, key, (region) => {
    const usedWords = words(sketch, key);
    const isGenerated = region.code === codeFor(region.name, usedWords) || region.code === '';
    const code = values.name !== undefined && isGenerated ? { code: codeFor(values.name, usedWords) } : {};
    return { ...region, ...code, ...values };
  });
}

/** Move a region and its outline by (dx, dy). Neighbours do not move. */
export function moved(sketch: Sketch, key: number, [dx, dy]: Point): Sketch {
  const shift = ([x, y]: Point): Point => rounded([x + dx, y + dy]);
  const next = replaced(sketch, key, (region) => {
    const at = shift(region.at);
    if (region.kind !== 'outline') return { ...region, at };
    return outlined(region, region.rings.map((ring) => ring.map(shift)), { at, radius: region.radius });
  });
  return updateVoronoi(next);
}

/** Move a corner in all regions that have it, so that touching regions stay connected. */
export function cornerMoved(sketch: Sketch, from: Point, to: Point): Sketch {
  const isMovedCorner = ([x, y]: Point) => x === from[0] && y === from[1];
  return reshaped(sketch, (ring) => (ring.some(isMovedCorner) ? ring.map((corner) => (isMovedCorner(corner) ? rounded(to) : corner)) : ring));
}

/** Remove a corner from all regions that have it and have more than the smallest number of corners. */
export function cornerRemoved(sketch: Sketch, point: Point): Sketch {
  const isRemovedCorner = ([x, y]: Point) => x === point[0] && y === point[1];
  return reshaped(sketch, (ring) => (ring.length > FEWEST && ring.some(isRemovedCorner) ? ring.filter((corner) => !isRemovedCorner(corner)) : ring));
}

/** Add a corner between two successive corners a and b, in both regions that share this side. */
export function cornerAdded(sketch: Sketch, a: Point, b: Point, point: Point): Sketch {
  const isEqual = ([x, y]: Point, [p, q]: Point) => x === p && y === q;
  return reshaped(sketch, (ring) => {
    const k = ring.findIndex((corner, i) => {
      const next = ring[(i + 1) % ring.length];
      return (isEqual(corner, a) && isEqual(next, b)) || (isEqual(corner, b) && isEqual(next, a));
    });
    return k < 0 ? ring : [...ring.slice(0, k + 1), rounded(point), ...ring.slice(k + 1)];
  });
}

/** Apply `change` to all rings. A Voronoi cell with a changed ring becomes a region with a fixed outline. */
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

/** If `enabled`, turn points without outlines into Voronoi cells; otherwise turn cells into points. */
export function celled(sketch: Sketch, enabled: boolean): Sketch {
  const regions = sketch.regions.map((region): SketchRegion => {
    if (enabled && region.kind === 'point') return { ...region, kind: 'cell' };
    return !enabled && region.kind === 'cell' ? { ...region, kind: 'point', path: '', rings: [] } : region;
  });
  const next = updateVoronoi({ ...sketch, regions });
  return enabled ? followed(sketch, next) : next;
}

export function sized(sketch: Sketch, values: Partial<Pick<Sketch, 'box' | 'reach'>>): Sketch {
  return followed(sketch, updateVoronoi({ ...sketch, ...values }));
}

// Borders

/** Add a border, with a line if the outlines do not touch; or remove the border if there is one. */
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

/**
 * Choose how a border is drawn: over the left and right edges of the map (`around`), or as a straight line between the
 * coasts.
 */
export function wrapped(sketch: Sketch, a: number, b: number, around: boolean): Sketch {
  const [p, q] = [a, b].map((key) => sketch.regions.find((region) => region.key === key)!);
  const others = sketch.links.filter((link) => !joins([link.a, link.b], a, b));
  const line = around ? null : shortest(p.rings, q.rings);
  const needed = around || !touching(p, q);
  return { ...sketch, links: needed ? [...others, { a, b, line }] : others };
}

/** Recompute all borders: keep those between touching regions and those that are drawn as lines. */
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
  const group: SketchSuper = { key: newKey(), name: freshName(word, sketch.supers.map(({ name }) => name)), bonus: 2 };
  return [{ ...sketch, supers: [...sketch.supers, group] }, group.key];
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

/**
 * Return the corner of any region that is nearest to a point, at most `maxDistance` map units away; null: there is none.
 * The corner is never `excluded`.
 */
export function cornerNear(sketch: Sketch, point: Point, maxDistance: number, excluded: Point | null = null): Point | null {
  let [best, bestDistance]: [Point | null, number] = [null, maxDistance];
  for (const region of sketch.regions) {
    for (const corner of region.rings.flat()) {
      if (excluded && corner[0] === excluded[0] && corner[1] === excluded[1]) continue;
      const gap = distance(corner, point);
      if (gap <= bestDistance) [best, bestDistance] = [corner, gap];
    }
  }
  return best;
}
