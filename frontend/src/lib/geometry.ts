// Geometry of the map: badge outlines, curves of arrows, and the neighbour in a given direction.
import type { MapDoc } from './types';

export type Point = [number, number];

/** Return the SVG path of a badge around (0, 0), with about the area of a circle of radius `size`. */
export function badgePath(shape: string, size: number): string {
  const corners = (count: number, radius: number, turn: number, down = 0) =>
    Array.from({ length: count }, (_, k) => {
      const angle = turn + (2 * Math.PI * k) / count;
      return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle) + down).toFixed(2)}`;
    });
  const upward = -Math.PI / 2;
  let points: string[];
  if (shape === 'square') points = corners(4, 1.3 * size, Math.PI / 4);
  else if (shape === 'diamond') points = corners(4, 1.4 * size, 0);
  else if (shape === 'triangle') points = corners(3, 1.65 * size, upward, 0.15 * size);
  else if (shape === 'wedge') points = corners(3, 1.65 * size, -upward, -0.15 * size);
  else if (shape === 'star') {
    const [outer, inner] = [corners(5, 1.6 * size, upward), corners(5, 0.95 * size, upward + Math.PI / 5)];
    points = outer.flatMap((p, k) => [p, inner[k]]);
  } else return `M${-size} 0A${size} ${size} 0 1 0 ${size} 0A${size} ${size} 0 1 0 ${-size} 0Z`;
  return `M${points.join('L')}Z`;
}

export interface Curve {
  path: string;
  line: Point[]; // points along the curve
  spots: Point[]; // candidate positions for a label near the curve, best first
}

/** Return the curve of an arrow between two labels. An arrow over the left and right edges has two parts. */
export function arrow(map: MapDoc, from: number, to: number, gap: number, bend = 0.14): Curve[] {
  const a = map.regions[from].label;
  const b = map.regions[to].label;
  const wraps = map.around.some(([x, y]) => (x === from && y === to) || (x === to && y === from));
  if (!wraps) return [curve(a, b, gap, gap, bend)];
  const [left, , width] = map.box;
  const west = a[0] < b[0] ? a : b;
  const east = west === a ? b : a;
  const edge = (west[1] + east[1]) / 2;
  const parts: [Point, Point][] = [
    [east, [left + width, edge]],
    [[left, edge], west],
  ];
  return west === a
    ? [curve(a, [left, edge], gap, 0, 0), curve([left + width, edge], b, 0, gap, 0)]
    : parts.map(([p, q], k) => curve(p, q, k ? 0 : gap, k ? gap : 0, 0));
}

function curve(a: Point, b: Point, gapA: number, gapB: number, bent: number): Curve {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy) || 1;
  const gap = Math.max(gapA, gapB);
  // short arrows get more curvature, so that the badges do not hide them
  const bend = bent && bent + 0.4 * Math.max(0, 1 - length / (7 * gap));
  const middle: Point = [(a[0] + b[0]) / 2 - dy * bend, (a[1] + b[1]) / 2 + dx * bend];
  const inward = (p: Point, gap: number): Point => {
    const distance = Math.hypot(middle[0] - p[0], middle[1] - p[1]) || 1;
    const share = Math.min(gap, 0.33 * length) / distance;
    return [p[0] + (middle[0] - p[0]) * share, p[1] + (middle[1] - p[1]) * share];
  };
  const [p, q] = [inward(a, gapA), inward(b, gapB)];
  const n = (v: number) => v.toFixed(1);
  const pointAt = (t: number): Point => {
    const coordinate = (k: 0 | 1) => (1 - t) ** 2 * p[k] + 2 * t * (1 - t) * middle[k] + t ** 2 * q[k];
    return [coordinate(0), coordinate(1)];
  };
  return {
    path: `M${n(p[0])} ${n(p[1])}Q${n(middle[0])} ${n(middle[1])} ${n(q[0])} ${n(q[1])}`,
    line: Array.from({ length: 13 }, (_, k) => pointAt(k / 12)),
    spots: [0.9, -0.9, 1.2, -1.2, 1.7, -1.7, 2.4, -2.4].flatMap((offset) =>
      [0.5, 0.38, 0.62, 0.26, 0.74, 0.1, 0.9].map((t): Point => {
        const [x, y] = pointAt(t);
        return [x - (dy / length) * gap * offset, y + (dx / length) * gap * offset];
      }),
    ),
  };
}

/**
 * Return the nearest neighbour in a direction; if there is none, the nearest region in that direction; null: there is
 * none.
 */
export function toward(map: MapDoc, from: number, direction: 'up' | 'down' | 'left' | 'right'): number | null {
  const [x, y] = map.regions[from].label;
  const unit: Point = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] }[direction] as Point;
  const cost = (r: number): number => {
    const [dx, dy] = [map.regions[r].label[0] - x, map.regions[r].label[1] - y];
    const forward = dx * unit[0] + dy * unit[1];
    const sideways = Math.abs(dx * unit[1] - dy * unit[0]);
    return forward > sideways * 0.4 ? forward + 1.6 * sideways : Infinity;
  };
  const best = (candidates: number[]): number | null => {
    const [nearest] = candidates.filter((r) => r !== from && cost(r) < Infinity).sort((a, b) => cost(a) - cost(b));
    return nearest ?? null;
  };
  return best(map.regions[from].near) ?? best(map.regions.map((_, r) => r));
}

/** Return the badge radius for a map, in map units. */
export function badgeSize(map: MapDoc): number {
  const radii = map.regions.map((r) => r.radius).sort((a, b) => a - b);
  const scale = map.box[2] / 1000;
  return Math.min(13.5 * scale, Math.max(7 * scale, 0.62 * radii[Math.floor(radii.length / 2)]));
}
