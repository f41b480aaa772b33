// Queries of a position for hints and the guide: the gain of a capture, enemy armies next to a region, idle armies.
import { holder } from './rules';
import type { MapDoc, Position } from './types';

/** The super region of which a player holds all once it has taken these regions, `region` among them; null: it is none. */
export function completes(map: MapDoc, owner: number[], player: number, region: number, taken: number[]): number | null {
  const s = map.regions[region].super;
  const all = map.supers[s].regions.every((r) => owner[r] === player || r === region || taken.includes(r));
  return all && holder(map, s, owner) !== player ? s : null;
}

/** The super region of a region, if another player holds all of it; null: nobody else does. */
export function breaks(map: MapDoc, owner: number[], player: number, region: number): number | null {
  const s = map.regions[region].super;
  const by = holder(map, s, owner);
  return by >= 0 && by !== player ? s : null;
}

/** The super region of a region, if a player holds all of it; null: it does not. */
export function keeps(map: MapDoc, owner: number[], player: number, region: number): number | null {
  const s = map.regions[region].super;
  return holder(map, s, owner) === player ? s : null;
}

/** Armies of other players on the neighbours of a region, as far as they are seen. */
export function against(map: MapDoc, { owner, army }: Position, player: number, region: number): number {
  return map.regions[region].near.reduce((sum, n) => (owner[n] >= 0 && owner[n] !== player ? sum + army[n] : sum), 0);
}

/** Whether a region has no neighbour but the player's own. */
export function inner(map: MapDoc, owner: number[], player: number, region: number): boolean {
  return owner[region] === player && map.regions[region].near.every((n) => owner[n] === player);
}

/** A player's regions from which armies can go, and that border on nothing but its own. */
export function idle(map: MapDoc, { owner, army }: Position, player: number): number[] {
  return map.regions.flatMap((_, r) => (army[r] > 1 && inner(map, owner, player, r) ? [r] : []));
}

/** The first region on a shortest way through a player's own regions to its front; null: there is no way. */
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
