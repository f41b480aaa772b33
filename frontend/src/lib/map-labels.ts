// Names on the map, where there is space for them at the current size.
import type { Point } from './geometry';
import { badges, type Box, place } from './label-placement';
import type { Scale } from './scale';
import type { MapDoc } from './types';

export interface Name extends Box {
  text: string;
  bonus: string; // of a super region; '': a region's name
  pill: number; // how wide that is drawn, at the right end
  colour: string;
  letter: number; // size of the letters
}

const WIDTH = 0.65; // of a letter, in its size
const APART = 0.6; // letters between names that stand in a line
const ROOM = 3.4; // of a region's radius: as wide as that its name may be
const FAR = 11; // letters from the middle of a super region

/** Names of super regions with their bonuses, the bonus alone where there is no room, and names of regions that have room. */
export function namesOf(map: MapDoc, scale: Scale): Name[] {
  const { unit, size } = scale;
  const taken = badges(map, scale);
  const names: Name[] = [];
  const put = (points: Point[], name: Omit<Name, keyof Box | 'pill'>): boolean => {
    const pill = name.bonus ? (name.bonus.length * WIDTH + 0.8) * name.letter : 0;
    const found = place(points, (name.text.length * WIDTH * name.letter + pill) / 2, 0.7 * name.letter, taken, map.box);
    if (!found.free) return false;
    taken.push({ ...found, half: found.half + APART * name.letter });
    names.push({ ...name, pill, at: found.at, half: found.half, high: found.high });
    return true;
  };
  const letter = 12 * unit;
  for (const x of map.supers) {
    const labels = x.regions.map((r) => map.regions[r].label);
    const middle = ([0, 1] as const).map((k) => labels.reduce((sum, p) => sum + p[k], 0) / labels.length) as Point;
    const points = grid(middle, letter);
    const name = { bonus: `+${x.bonus}`, colour: x.colour, letter };
    if (!put(points, { ...name, text: x.name })) put(points, { ...name, text: '' });
  }
  for (const { name, label: [x, y], radius } of map.regions) {
    if (name.length * WIDTH * 10.5 * unit > ROOM * radius) continue;
    const off = 1.25 * size + 8.5 * unit;
    put([[x, y + off], [x, y - off]], { text: name, bonus: '', colour: '#e6edf1', letter: 10.5 * unit });
  }
  return names;
}

/** Points about one, the nearest first. */
function grid([x, y]: Point, letter: number): Point[] {
  const steps = Array.from({ length: 2 * FAR + 1 }, (_, k) => (k - FAR) * letter);
  const points = steps.flatMap((dx) => steps.map((dy): Point => [x + dx, y + dy]));
  const far = ([a, b]: Point) => Math.hypot(a - x, 1.4 * (b - y));
  return points.filter((p) => far(p) <= FAR * letter).sort((p, q) => far(p) - far(q));
}
