// Polygons of regions: conversion to and from SVG paths, label positions, and shared sides.
import polylabel from 'polylabel';
import type { Point } from '../geometry';

export type Ring = Point[];

const GAP = 0.5; // largest distance in map units between two sides that count as shared
const SIDE = 2; // smallest length in map units of a shared side; shorter ones count as a corner

export const round = (value: number): number => Math.round(value * 10) / 10 + 0;
export const rounded = ([x, y]: Point): Point => [round(x), round(y)];
export const distance = ([a, b]: Point, [x, y]: Point): number => Math.hypot(x - a, y - b);

/** Convert rings to an SVG path in the format of map files. */
export function pathOf(rings: Ring[]): string {
  return rings.map((ring) => `M${ring.map(([x, y]) => `${x} ${y}`).join('L')}Z`).join('');
}

export function ringsOf(path: string): Ring[] {
  const rings = path.split('Z').slice(0, -1);
  return rings.map((ring) => ring.slice(1).split('L').map((pair) => pair.split(' ').map(Number) as Point));
}

export function area(ring: Ring): number {
  return ring.reduce((sum, [x, y], k) => sum + x * ring[(k + 1) % ring.length][1] - ring[(k + 1) % ring.length][0] * y, 0) / 2;
}

/** Whether a point is inside the rings; rings inside other rings are holes. */
export function contains(rings: Ring[], [x, y]: Point): boolean {
  let inside = false;
  for (const ring of rings) {
    ring.forEach(([ax, ay], k) => {
      const [bx, by] = ring[(k + 1) % ring.length];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
    });
  }
  return inside;
}

/** Return the label position of a region and the free radius around it: in the largest ring, outside of its holes. */
export function labelOf(rings: Ring[]): { at: Point; radius: number } {
  const sorted = [...rings].sort((a, b) => Math.abs(area(b)) - Math.abs(area(a)));
  const holes = sorted.slice(1).filter((ring) => contains([sorted[0]], ring[0]));
  const centre = polylabel([sorted[0], ...holes], 1);
  return { at: rounded([centre[0], centre[1]]), radius: Math.max(0.1, round(centre.distance)) };
}

/** Distance from a point inside the ring to its nearest side. */
export function depth(ring: Ring, point: Point): number {
  return Math.min(...ring.map((a, k) => distance(point, nearestOn(a, ring[(k + 1) % ring.length], point))));
}

/** Return the point of the side a–b that is nearest to a point. */
export function nearestOn(a: Point, b: Point, [x, y]: Point): Point {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const share = Math.max(0, Math.min(1, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1)));
  return [a[0] + share * dx, a[1] + share * dy];
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const boxes = new WeakMap<Ring[], Box>();

export function boxOf(rings: Ring[]): Box {
  let box = boxes.get(rings);
  if (!box) {
    const [xs, ys] = [rings.flat().map(([x]) => x), rings.flat().map(([, y]) => y)];
    box = { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
    boxes.set(rings, box);
  }
  return box;
}

/** Whether the outlines of two regions share a side of at least `SIDE` map units. */
export function touch(a: Ring[], b: Ring[]): boolean {
  const [p, q] = [boxOf(a), boxOf(b)];
  if (p.right + GAP < q.left || q.right + GAP < p.left || p.bottom + GAP < q.top || q.bottom + GAP < p.top) return false;
  let common = 0;
  for (const ring of a) {
    ring.forEach((start, k) => {
      const end = ring[(k + 1) % ring.length];
      for (const other of b) {
        other.forEach((from, j) => (common += shared(start, end, from, other[(j + 1) % other.length])));
      }
    });
  }
  return common >= SIDE;
}

/** Length of the part of side a–b along which side c–d is at most `GAP` away. */
function shared(a: Point, b: Point, c: Point, d: Point): number {
  if (Math.max(a[0], b[0]) + GAP < Math.min(c[0], d[0]) || Math.max(c[0], d[0]) + GAP < Math.min(a[0], b[0])) return 0;
  if (Math.max(a[1], b[1]) + GAP < Math.min(c[1], d[1]) || Math.max(c[1], d[1]) + GAP < Math.min(a[1], b[1])) return 0;
  const length = distance(a, b);
  if (!length) return 0;
  const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  const alongSide = ([x, y]: Point) => (x - a[0]) * ux + (y - a[1]) * uy;
  const offSide = ([x, y]: Point) => Math.abs((x - a[0]) * uy - (y - a[1]) * ux);
  const [s, t] = [alongSide(c), alongSide(d)].sort((x, y) => x - y);
  const [from, to] = [Math.max(0, s), Math.min(length, t)];
  if (to <= from) return 0;
  // Distance between the sides at position `w` along a–b.
  const gapAt = (w: number): number => {
    const share = alongSide(d) === alongSide(c) ? 0 : (w - alongSide(c)) / (alongSide(d) - alongSide(c));
    return offSide([c[0] + share * (d[0] - c[0]), c[1] + share * (d[1] - c[1])]);
  };
  return Math.max(gapAt(from), gapAt(to)) <= GAP ? to - from : 0;
}

/** Return the nearest points of two outlines: the ends of a line between their coasts. */
export function shortest(a: Ring[], b: Ring[]): [Point, Point] {
  let best: [Point, Point] = [a[0][0], b[0][0]];
  const keepShorter = (p: Point, q: Point): void => {
    if (distance(p, q) < distance(...best)) best = [p, q];
  };
  for (const ring of a) for (const p of ring) for (const other of b) other.forEach((q, k) => keepShorter(p, nearestOn(q, other[(k + 1) % other.length], p)));
  for (const ring of b) for (const q of ring) for (const other of a) other.forEach((p, k) => keepShorter(nearestOn(p, other[(k + 1) % other.length], q), q));
  return [rounded(best[0]), rounded(best[1])];
}

/** Return the part of a convex outline that is inside another convex outline; both must have the same orientation. */
export function clip(ring: Ring, bounds: Ring): Ring {
  let clipped = ring;
  bounds.forEach((a, k) => {
    const b = bounds[(k + 1) % bounds.length];
    const side = ([x, y]: Point) => (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    clipped = clipped.flatMap((p, j) => {
      const q = clipped[(j + 1) % clipped.length];
      const [s, t] = [side(p), side(q)];
      const cut: Point[] = s < 0 !== t < 0 ? [[p[0] + (s / (s - t)) * (q[0] - p[0]), p[1] + (s / (s - t)) * (q[1] - p[1])]] : [];
      return s >= 0 ? [p, ...cut] : cut;
    });
  });
  return clipped;
}
