// Colours of super regions in the editor, by the same rule as in games: neighbours have different colours if there are
// enough colours. See `render/layout.py`.
import type { Sketch } from './sketch';

/** The same colours as `warlight_env.render.theme.OUTLINES`. */
const OUTLINES = ['#e9b93c', '#3fb8a0', '#b39cf0', '#f08070', '#8fd14f', '#f492c4', '#6fb7ff', '#d8cfc0'];

/** Return the colours, by the keys of the super regions. */
export function coloursOf(sketch: Sketch): Map<number, string> {
  const superIndex = new Map(sketch.supers.map(({ key }, s) => [key, s]));
  const superOf = new Map(sketch.regions.map(({ key, group }) => [key, superIndex.get(group) ?? -1]));
  const neighbours = sketch.supers.map(() => new Set<number>());
  for (const [a, b] of sketch.borders) {
    const [s, t] = [superOf.get(a) ?? -1, superOf.get(b) ?? -1];
    if (s < 0 || t < 0 || s === t) continue;
    neighbours[s].add(t);
    neighbours[t].add(s);
  }
  const colours: number[] = [];
  sketch.supers.forEach((_, s) => {
    const usedColours = new Set([...neighbours[s]].filter((other) => other < s).map((other) => colours[other]));
    const turns = OUTLINES.map((_, k) => (s + k) % OUTLINES.length);
    colours.push(turns.find((colour) => !usedColours.has(colour)) ?? turns[0]);
  });
  return new Map(sketch.supers.map(({ key }, s) => [key, OUTLINES[colours[s]]]));
}
