// Placement of labels on the map without overlap with badges or other labels.
import { arrow, type Point } from './geometry';
import { compact, type Scale, weight } from './scale';
import type { Additions, Arrow } from './scene';
import type { MapDoc } from './types';

/** A rectangle on the map: its centre, half its width (`half`) and half its height (`high`), in map units. */
export interface Box {
  at: Point;
  half: number;
  high: number;
}

export interface Chip extends Box {
  text: string;
  player: number;
  style: 'addition' | Arrow['style'];
}

export function shared(a: Box, b: Box): number {
  const width = Math.min(a.at[0] + a.half, b.at[0] + b.half) - Math.max(a.at[0] - a.half, b.at[0] - b.half);
  const height = Math.min(a.at[1] + a.high, b.at[1] + b.high) - Math.max(a.at[1] - a.high, b.at[1] - b.high);
  return width > 0 && height > 0 ? width * height : 0;
}

function exceeds({ at: [x, y], half, high }: Box, [left, top, width, height]: MapDoc['box']): boolean {
  return x - half < left || x + half > left + width || y - high < top || y + high > top + height;
}

/** Return the centre nearest to a point at which a box is inside of a map box; of a box that is too large, its upper left part. */
export function inside([x, y]: Point, half: number, high: number, [left, top, width, height]: MapDoc['box']): Point {
  return [Math.max(left + half, Math.min(left + width - half, x)), Math.max(top + high, Math.min(top + height - high, y))];
}

/**
 * Return a box at the first point where it overlaps nothing. If there is none, use the point with the smallest overlap.
 */
export function place(points: Point[], half: number, high: number, occupied: Box[], bounds: MapDoc['box']): Box & { free: boolean } {
  let best: Box | null = null;
  let leastOverlap = Infinity;
  for (const at of points) {
    const box = { at, half, high };
    const overlap = occupied.reduce((sum, other) => sum + shared(box, other), 0) + (exceeds(box, bounds) ? 9 * half * high : 0);
    if (!overlap) return { ...box, free: true };
    if (overlap < leastOverlap) [best, leastOverlap] = [box, overlap];
  }
  return { ...best!, free: false };
}

/** Return the boxes of the badges of all regions. */
export function badges(map: MapDoc, { size, unit }: Scale): Box[] {
  return map.regions.map(({ label }) => ({ at: label, half: 1.25 * size + unit, high: 1.25 * size + unit }));
}

/** Return the boxes of the layer's numbers, which are below the badges. */
export function layerBoxes(map: MapDoc, { size }: Scale, layer: { text: string }[] | null): Box[] {
  return map.regions.flatMap(({ label: [x, y] }, r) => (layer?.[r]?.text ? [{ at: [x, y + 1.75 * size] as Point, half: 1.35 * size, high: 0.62 * size }] : []));
}

/** Return points around (x, y): near points first, and at each distance the upper right first. */
export function around([x, y]: Point, width: number, height: number): Point[] {
  const directions: Point[] = [[1, -1], [0, -1], [1, 0], [-1, -1], [0, 1], [-1, 0], [1, 1], [-1, 1]];
  return [1, 1.15, 1.3, 1.5, 1.75, 2.1].flatMap((factor) => directions.map(([dx, dy]): Point => [x + factor * width * dx, y + factor * height * dy]));
}

/**
 * Place labels for deployed armies and for the arrows of current orders, without overlap with badges, arrows and the
 * boxes in `reserved`.
 */
export function chipsOf(map: MapDoc, scale: Scale, additions: Additions, arrows: Arrow[], reserved: Box[]): Chip[] {
  const { size, unit } = scale;
  const drawn = arrows.filter((a) => a.style !== 'past').map((a) => ({ ...a, parts: arrow(map, a.from, a.to, size * 1.25) }));
  const occupied = [...badges(map, scale), ...reserved];
  for (const { armies, parts } of drawn) {
    const half = weight(armies, scale) / 2 + unit;
    for (const part of parts) occupied.push(...part.line.map((at) => ({ at, half, high: half })));
  }
  const chips: Chip[] = [];
  const placeChip = (points: Point[], half: number, high: number, chip: Omit<Chip, keyof Box>): void => {
    const { at } = place(points, half + unit, high + unit, occupied, map.box);
    occupied.push({ at, half: half + unit, high: high + unit });
    chips.push({ at, half, high, ...chip });
  };
  for (const [r, [player, armies]] of additions) {
    const text = `+${compact(armies)}`;
    const [half, high] = [size * (0.45 + 0.34 * text.length), size * 0.72];
    placeChip(around(map.regions[r].label, half + 0.95 * size, high + 0.95 * size), half, high, { text, player, style: 'addition' });
  }
  for (const a of drawn) {
    const text = a.result ?? compact(a.armies);
    const spots = a.parts.flatMap((part) => part.spots);
    placeChip(spots, size * (0.5 + 0.3 * text.length), size * 0.78, { text, player: a.player, style: a.style });
  }
  return chips;
}
