// Sizes on the map in map units, chosen so that elements have the same size in pixels on every screen.
import { badgeSize } from './geometry';
import type { MapDoc } from './types';
import { figure } from './i18n.svelte';

export interface Scale {
  unit: number; // map units per screen pixel
  size: number; // radius of a badge, in map units
}

/** Return the sizes for a map that is drawn with `width` × `height` pixels. */
export function scaleOf(map: MapDoc, width: number, height: number): Scale {
  const unit = Math.max(map.box[2] / Math.max(200, width), map.box[3] / Math.max(120, height));
  return { unit, size: Math.min(10.5 * unit, badgeSize(map) * 1.35) };
}

/** Return the width of an arrow in map units. */
export function weight(armies: number, { unit }: Scale): number {
  return unit * Math.min(8, 2 + Math.sqrt(armies) * 0.75);
}

/** Format a number of armies with at most four characters. */
export function compact(n: number): string {
  return n < 1000 ? `${n}` : n < 999_500 ? `${figure(n / 1000, n < 9950 ? 1 : 0)}k` : `${figure(n / 1e6, 1)}M`;
}
