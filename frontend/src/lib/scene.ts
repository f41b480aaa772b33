// Elements above the map: arrows of orders, deployed armies, layers, and descriptions of regions.
import { parseOrders } from './notation';
import { nameOf } from './player-names';
import { threats } from './rules';
import type { Layer, Playback } from './playback.svelte';
import type { Candidate, GameDoc, DecisionInfo, MapDoc, Orders, Position } from './types';
import { UNKNOWN } from './types';
import { t } from './i18n.svelte';

export interface Arrow {
  player: number;
  from: number;
  to: number;
  armies: number;
  transfer: boolean;
  style: 'draft' | 'ghost' | 'best' | 'now' | 'past'; // best: of the better turn of an analysis
  grows?: boolean; // whether the arrow is animated
  result?: string;
}

export type Additions = Map<number, [player: number, armies: number]>;

/** Return the arrows of orders that are not executed: of a draft or a preview. */
export function drawnOrders(position: Position, orders: Orders | null, player: number, style: 'draft' | 'ghost' | 'best' | 'past'): Arrow[] {
  return (orders?.attacks ?? []).map(([from, to, armies]) => {
    return { player, from, to, armies, transfer: position.owner[to] === player, style };
  });
}

/**
 * Return the arrows of the moves up to the shown step that the viewer can see. The last arrow has the result of its
 * battle.
 */
export function drawnMoves(show: Playback): Arrow[] {
  const hidden = (r: number) => show.position.owner[r] === UNKNOWN;
  const arrows = (show.current?.moves ?? []).slice(0, Math.max(0, show.step - 1)).map(([player, from, to, armies, lost, killed], k): Arrow => {
    const last = k === show.step - 2 && show.speed < 8;
    const result = last && lost !== undefined ? `${armies} −${lost}/−${killed}` : undefined;
    return { player, from, to, armies, transfer: lost === undefined, style: last ? 'now' : 'past', grows: last && lost !== undefined && !show.hasty, result };
  });
  return arrows.filter((a) => a.player === show.view - 1 || !(hidden(a.from) && hidden(a.to)));
}

export function deployed(deploys: [number, number][], player: number): Additions {
  return new Map(deploys.map(([r, n]) => [r, [player, n]]));
}

/** Return a layer's value (0 to 1) and text for each region; null: no layer is selected. */
export function layerOf(layer: Layer, doc: GameDoc, position: Position, player: number, data: DecisionInfo | undefined) {
  if (layer === 'none') return null;
  const n = doc.map.regions.length;
  if (layer === 'threat') {
    return threats(doc, position, player).map((t) => ({ share: t ?? 0, text: t ? `${Math.round(100 * t)}%` : '' }));
  }
  if (layer === 'value') {
    const values = data?.regions ?? [];
    const maxValue = Math.max(1, ...values);
    return Array.from({ length: n }, (_, r) => ({ share: (values[r] ?? 0) / maxValue, text: values[r] ? `${Math.round(values[r])}` : '' }));
  }
  return visitShares(doc.map, data?.candidates ?? []).map((share) => ({ share, text: share >= 0.005 ? `${Math.round(100 * share)}%` : '' }));
}

/** For each region: the share of a search's visits that belongs to candidates with a deploy or attack there. */
function visitShares(map: MapDoc, allCandidates: Candidate[]): number[] {
  const candidates = allCandidates.filter((c) => !c.refined);
  const shares = new Array<number>(map.regions.length).fill(0);
  const totalVisits = candidates.reduce((sum, c) => sum + (c.visits ?? 0), 0) || 1;
  for (const c of candidates) for (const r of touched(map, c.orders)) shares[r] += (c.visits ?? 0) / totalVisits;
  return shares;
}

/** Return the regions on which orders deploy or to which they send armies. */
export function touched(map: MapDoc, text: string | undefined): number[] {
  if (!text) return [];
  const orders = parseOrders(map, text);
  return [...new Set([...orders.deploys.map(([r]) => r), ...orders.attacks.map(([, to]) => to)])];
}

/** Describe a region in words: "Brazil, yours, 9 armies, 4 neighbours, 2 enemy". */
export function describe(doc: GameDoc, position: Position, r: number): string {
  const o = position.owner[r];
  const { name, near } = doc.map.regions[r];
  const enemies = near.filter((n) => position.owner[n] >= 0 && position.owner[n] !== (doc.seat ?? o)).length;
  const owner = o === UNKNOWN ? 'unseen' : o === doc.seat ? 'yours' : o < 0 ? 'neutral' : 'other';
  return t(
    '{name}, {owner, select, unseen {unseen} yours {yours, {armies, plural, one {# army} other {# armies}}} neutral {neutral, {armies, plural, one {# army} other {# armies}}} other {{who}, {armies, plural, one {# army} other {# armies}}}}, {near, plural, one {# neighbour} other {# neighbours}}, {enemies} enemy',
    { name, owner, who: o >= 0 ? nameOf(doc, o) : '', armies: position.army[r] ?? 0, near: near.length, enemies },
  );
}
