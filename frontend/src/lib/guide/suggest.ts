// Suggestions for beginners: an attack with all available armies, or a transfer of armies that have no enemy near.
import type { Draft } from '../draft.svelte';
import { breaks, completes, idle, towardFront } from '../position-queries';
import { odds } from '../rules';
import { type GameDoc, type Position, UNKNOWN } from '../types';

export interface Suggestion {
  from: number;
  to: number;
  chance: number; // probability of capture if all armies that can be in `from` attack
  wins: number | null; // index of the super region that the capture completes; null: none
}

const SURE = 0.6; // smallest probability of capture for a suggested attack
const GOOD = 0.8; // smallest probability of capture for a suggested second attack
export const FAIR = 0.5; // smallest probability of capture with which the guide does not warn about an attack

/**
 * Return the best attack of one region on another, with a probability of capture of at least `FAIR`. Before all armies
 * are deployed, the attack may use those that are left; then it uses the armies that are free after the draft. `plain`:
 * prefer attacks that complete no super region.
 */
export function attackFor(doc: GameDoc, position: Position, player: number, draft: Draft, plain = false): Suggestion | null {
  const sendable = (r: number): number => draft.free(r) + Math.max(0, draft.left);
  const suggestions = attacks(doc, position, player, sendable);
  const preferred = plain ? suggestions.filter((x) => x.wins === null) : suggestions;
  return best(doc, position, player, preferred.length ? preferred : suggestions);
}

/** Return the best attack from one region with its `free` armies; null: none has a probability of at least `FAIR`. */
export function attackFrom(doc: GameDoc, position: Position, player: number, from: number, free: number): Suggestion | null {
  return best(doc, position, player, attacks(doc, position, player, (r) => (r === from ? free : 0)));
}

/**
 * Return the best second attack: with armies that are free after the draft, a probability of capture of at least
 * `GOOD`, and a target that the draft does not attack.
 */
export function attackBeside(doc: GameDoc, position: Position, player: number, draft: Draft): Suggestion | null {
  const suggestions = attacks(doc, position, player, (r) => draft.free(r));
  return best(doc, position, player, suggestions.filter((x) => x.chance >= GOOD && !draft.attacks.some(([, to]) => to === x.to)));
}

/** Return all attacks with a probability of capture of at least `FAIR`. `sendable` returns the number of armies that can leave a region. */
function attacks(doc: GameDoc, { owner, army }: Position, player: number, sendable: (region: number) => number): Suggestion[] {
  return doc.map.regions.flatMap((region, from) => {
    if (owner[from] !== player || sendable(from) < 1) return [];
    const foreign = region.near.filter((to) => owner[to] !== player && owner[to] !== UNKNOWN);
    return foreign.flatMap((to) => {
      const chance = odds(sendable(from), army[to], doc.rules).capture;
      return chance < FAIR ? [] : [{ from, to, chance, wins: completes(doc.map, owner, player, to, []) }];
    });
  });
}

function best(doc: GameDoc, position: Position, player: number, suggestions: Suggestion[]): Suggestion | null {
  const score = (x: Suggestion): number => {
    const { owner, army } = position;
    const s = doc.map.regions[x.to].super;
    const { regions, bonus } = doc.map.supers[s];
    const heldShare = regions.filter((r) => owner[r] === player).length / regions.length;
    const broken = breaks(doc.map, owner, player, x.to);
    const gain = 1 + heldShare + (x.wins === null ? 0 : 1 + bonus) + (broken === null ? 0 : bonus) + (owner[x.to] >= 0 ? 1 : 0);
    return x.chance * (x.chance < SURE ? 0.1 : 1) * gain + army[x.from] / 1000;
  };
  return suggestions.reduce<Suggestion | null>((top, x) => (top && score(top) >= score(x) ? top : x), null);
}

export interface Danger {
  region: number; // the own region
  from: number; // the neighbour with the enemy armies
}

/**
 * Return the own region whose strongest enemy neighbour has most armies more than the region itself; null: no enemy
 * neighbour has more armies than the region. `added(r)`: number of armies that the player adds to region `r`.
 */
export function inDanger(doc: GameDoc, { owner, army }: Position, player: number, added: (region: number) => number): Danger | null {
  let [danger, maxExcess]: [Danger | null, number] = [null, 0];
  doc.map.regions.forEach(({ near }, region) => {
    if (owner[region] !== player) return;
    for (const from of near) {
      const excess = army[from] - army[region] - added(region);
      if (owner[from] >= 0 && owner[from] !== player && excess > maxExcess) [danger, maxExcess] = [{ region, from }, excess];
    }
  });
  return danger;
}

/** Return the largest army in a region with only own neighbours, and the region to which it should move. */
export function stackToMove(doc: GameDoc, position: Position, player: number): { from: number; to: number } | null {
  const [from] = idle(doc.map, position, player).sort((a, b) => position.army[b] - position.army[a]);
  if (from === undefined) return null;
  const to = towardFront(doc.map, position.owner, player, from);
  return to === null ? null : { from, to };
}
