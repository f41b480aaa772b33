// What a newcomer may do next: one attack with all that can be sent, or armies that are to be moved up.
import type { Draft } from '../draft.svelte';
import { breaks, completes, idle, towardFront } from '../position-queries';
import { income, odds } from '../rules';
import { type GameDoc, type Position, UNKNOWN } from '../types';

export interface Suggestion {
  from: number;
  to: number;
  chance: number; // of capture with all that `from` has once the income is there
  wins: number | null; // super region that it completes
}

const SURE = 0.6; // a smaller chance is hardly worth an attack
const GOOD = 0.8; // one with which a second attack is worth while

/** The best attack of one region on another; `plain`: one that completes no super region, where there is such. */
export function attackFor(doc: GameDoc, position: Position, player: number, plain = false): Suggestion | null {
  const more = income(doc, position.owner, player);
  const all = attacks(doc, position, player, (r) => position.army[r] + more - 1);
  const fit = plain ? all.filter((x) => x.wins === null) : all;
  return best(doc, position, player, fit.length ? fit : all);
}

/** The best attack from one region with all that is free there. */
export function attackFrom(doc: GameDoc, position: Position, player: number, from: number, free: number): Suggestion | null {
  const all = attacks(doc, position, player, (r) => (r === from ? free : 0));
  return best(doc, position, player, all);
}

/** The best attack with what is still free on a region that has a good chance, on a region that is not attacked yet. */
export function attackBeside(doc: GameDoc, position: Position, player: number, draft: Draft): Suggestion | null {
  const all = attacks(doc, position, player, (r) => draft.free(r));
  return best(doc, position, player, all.filter((x) => x.chance >= GOOD && !draft.attacks.some(([, to]) => to === x.to)));
}

/** All attacks from regions where so many armies `can` go, at least one. */
function attacks(doc: GameDoc, { owner, army }: Position, player: number, can: (region: number) => number): Suggestion[] {
  return doc.map.regions.flatMap((region, from) => {
    if (owner[from] !== player || can(from) < 1) return [];
    const foreign = region.near.filter((to) => owner[to] !== player && owner[to] !== UNKNOWN);
    return foreign.map((to) => {
      const chance = odds(can(from), army[to], doc.rules).capture;
      return { from, to, chance, wins: completes(doc.map, owner, player, to, []) };
    });
  });
}

function best(doc: GameDoc, position: Position, player: number, all: Suggestion[]): Suggestion | null {
  const worth = (x: Suggestion): number => {
    const { owner, army } = position;
    const s = doc.map.regions[x.to].super;
    const { regions, bonus } = doc.map.supers[s];
    const held = regions.filter((r) => owner[r] === player).length / regions.length;
    const broken = breaks(doc.map, owner, player, x.to);
    const gain = 1 + held + (x.wins === null ? 0 : 1 + bonus) + (broken === null ? 0 : bonus) + (owner[x.to] >= 0 ? 1 : 0);
    return x.chance * (x.chance < SURE ? 0.1 : 1) * gain + army[x.from] / 1000;
  };
  return all.reduce<Suggestion | null>((found, x) => (found && worth(found) >= worth(x) ? found : x), null);
}

/** The largest stack that has nothing foreign beside it, and where it should go. */
export function stackToMove(doc: GameDoc, position: Position, player: number): { from: number; to: number } | null {
  const [from] = idle(doc.map, position, player).sort((a, b) => position.army[b] - position.army[a]);
  if (from === undefined) return null;
  const to = towardFront(doc.map, position.owner, player, from);
  return to === null ? null : { from, to };
}
