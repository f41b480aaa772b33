// Queries of a position for hints and the guide: the effect of a capture, enemy armies next to a region, idle armies.
import { holder } from './rules';
import type { MapDoc, Position } from './types';

/** Return the super region that a player completes by capturing `region` and the regions in `captured`; null: none. */
export function completes(map: MapDoc, owner: number[], player: number, region: number, captured: number[]): number | null {
  const s = map.regions[region].super;
  const isComplete = map.supers[s].regions.every((r) => owner[r] === player || r === region || captured.includes(r));
  return isComplete && holder(map, s, owner) !== player ? s : null;
}

/** Return the super region of a region if one other player holds all of it; null otherwise. */
export function breaks(map: MapDoc, owner: number[], player: number, region: number): number | null {
  const s = map.regions[region].super;
  const owningPlayer = holder(map, s, owner);
  return owningPlayer >= 0 && owningPlayer !== player ? s : null;
}

/** Return the super region of a region if the player holds all of it; null otherwise. */
export function keeps(map: MapDoc, owner: number[], player: number, region: number): number | null {
  const s = map.regions[region].super;
  return holder(map, s, owner) === player ? s : null;
}

/** Return the number of visible enemy armies on the neighbours of a region. */
export function adjacentEnemies(map: MapDoc, { owner, army }: Position, player: number, region: number): number {
  return map.regions[region].near.reduce((sum, n) => (owner[n] >= 0 && owner[n] !== player ? sum + army[n] : sum), 0);
}

/** Whether the player owns a region and all its neighbours. */
export function inner(map: MapDoc, owner: number[], player: number, region: number): boolean {
  return owner[region] === player && map.regions[region].near.every((n) => owner[n] === player);
}

/** Return the player's regions that have more than one army and only own neighbours. */
export function idle(map: MapDoc, { owner, army }: Position, player: number): number[] {
  return map.regions.flatMap((_, r) => (army[r] > 1 && inner(map, owner, player, r) ? [r] : []));
}

/**
 * Return the first region on a shortest path through own regions to a region with a foreign neighbour; null: there is
 * no path.
 */
export function towardFront(map: MapDoc, owner: number[], player: number, from: number): number | null {
  const first = new Map<number, number>([[from, from]]);
  const queue = [from];
  for (const r of queue) {
    if (r !== from && !inner(map, owner, player, r)) return first.get(r)!;
    for (const n of map.regions[r].near) {
      if (owner[n] !== player || first.has(n)) continue;
      first.set(n, r === from ? n : first.get(r)!);
      queue.push(n);
    }
  }
  return null;
}
