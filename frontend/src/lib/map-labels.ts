// Placement of names on the map, if there is space for them at the current scale.
import type { Point } from './geometry';
import { badges, type Box, place } from './label-placement';
import type { Scale } from './scale';
import type { MapDoc } from './types';

export interface Name extends Box {
  text: string;
  bonus: string; // bonus of a super region, such as "+5"; '': the name of a region
  pill: number; // width of the coloured box around the bonus, at the right end, in map units
  colour: string;
  letter: number; // font size in map units
}

const WIDTH = 0.65; // mean width of a letter, as a fraction of the font size
const APART = 0.6; // horizontal distance between two names, as a fraction of the font size
const ROOM = 3.4; // largest width of a region's name, as a multiple of the region's radius
const FAR = 11; // largest distance of a name from the centre of its super region, as a multiple of the font size

/**
 * Return the names that have space: of super regions with their bonuses (or only the bonus if the name has no space),
 * and of regions.
 */
export function namesOf(map: MapDoc, scale: Scale): Name[] {
  const { unit, size } = scale;
  const occupied = badges(map, scale);
  const names: Name[] = [];
  const placeName = (points: Point[], name: Omit<Name, keyof Box | 'pill'>): boolean => {
    const pill = name.bonus ? (name.bonus.length * WIDTH + 0.8) * name.letter : 0;
    const box = place(points, (name.text.length * WIDTH * name.letter + pill) / 2, 0.7 * name.letter, occupied, map.box);
    if (!box.free) return false;
    occupied.push({ ...box, half: box.half + APART * name.letter });
    names.push({ ...name, pill, at: box.at, half: box.half, high: box.high });
    return true;
  };
  const letter = 12 * unit;
  for (const x of map.supers) {
    const labels = x.regions.map((r) => map.regions[r].label);
    const middle = ([0, 1] as const).map((k) => labels.reduce((sum, p) => sum + p[k], 0) / labels.length) as Point;
    const points = grid(middle, letter);
    const name = { bonus: `+${x.bonus}`, colour: x.colour, letter };
    if (!placeName(points, { ...name, text: x.name })) placeName(points, { ...name, text: '' });
  }
  for (const { name, label: [x, y], radius } of map.regions) {
    if (name.length * WIDTH * 10.5 * unit > ROOM * radius) continue;
    const offset = 1.25 * size + 8.5 * unit;
    placeName([[x, y + offset], [x, y - offset]], { text: name, bonus: '', colour: '#e6edf1', letter: 10.5 * unit });
  }
  return names;
}

/** Return grid points around (x, y), nearest first. */
function grid([x, y]: Point, letter: number): Point[] {
  const steps = Array.from({ length: 2 * FAR + 1 }, (_, k) => (k - FAR) * letter);
  const points = steps.flatMap((dx) => steps.map((dy): Point => [x + dx, y + dy]));
  const distanceTo = ([a, b]: Point) => Math.hypot(a - x, 1.4 * (b - y));
  return points.filter((p) => distanceTo(p) <= FAR * letter).sort((p, q) => distanceTo(p) - distanceTo(q));
}
