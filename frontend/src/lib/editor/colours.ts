// Colours of super regions in the editor, by the same rule as in games: neighbours have different colours if there are
// enough colours. See `render/layout.py`.
import type { Sketch } from './sketch';

/** The same colours as `warlight_env.render.theme.OUTLINES`. */
const OUTLINES = ['#e9b93c', '#3fb8a0', '#b39cf0', '#f08070', '#8fd14f', '#f492c4', '#6fb7ff', '#d8cfc0'];

/** Return the colours, by the keys of the super regions. */
export function coloursOf(sketch: Sketch): Map<number, string> {
  const place = new Map(sketch.supers.map(({ key }, s) => [key, s]));
  const of = new Map(sketch.regions.map(({ key, group }) => [key, place.get(group) ?? -1]));
  const near = sketch.supers.map(() => new Set<number>());
  for (const [a, b] of sketch.borders) {
    const [s, t] = [of.get(a) ?? -1, of.get(b) ?? -1];
    if (s < 0 || t < 0 || s === t) continue;
    near[s].add(t);
    near[t].add(s);
  }
  const chosen: number[] = [];
  sketch.supers.forEach((_, s) => {
    const taken = new Set([...near[s]].filter((other) => other < s).map((other) => chosen[other]));
    const turns = OUTLINES.map((_, k) => (s + k) % OUTLINES.length);
    chosen.push(turns.find((colour) => !taken.has(colour)) ?? turns[0]);
  });
  return new Map(sketch.supers.map(({ key }, s) => [key, OUTLINES[chosen[s]]]));
}
