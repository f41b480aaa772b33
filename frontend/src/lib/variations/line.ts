// Lines: the events of a game up to a position, followed by the rounds of variations.
import type { Change, Deploy, GameDoc, GameEvent, Orders } from '../types';
import type { Tree, Variation } from './types';

export const EMPTY: Tree = { version: 1, next: 1, notes: [], nodes: [] };

/** The number of rounds before the first position of a document: 0 for games. */
export function firstRound(doc: GameDoc): number {
  return doc.study?.round ?? 0;
}

/** Return the variations from the first one to `id`. */
export function pathTo(tree: Tree, id: number): Variation[] {
  const byId = new Map(tree.nodes.map((node) => [node.id, node]));
  const path: Variation[] = [];
  for (let node = byId.get(id); node; node = node.parent === null ? undefined : byId.get(node.parent)) path.unshift(node);
  return path;
}

function deploysOf(orders: (Orders | null)[]): Deploy[] {
  return orders.flatMap((turn, player) => (turn?.deploys ?? []).map(([region, armies]): Deploy => [player, region, armies]));
}

/** Return an event with other owners and armies of some regions after it. */
function withChanges(event: GameEvent, changes: Change[]): GameEvent {
  if (event.event === 'start') {
    const [owner, army] = [[...event.owner], [...event.army]];
    for (const [region, holder, armies] of changes) [owner[region], army[region]] = [holder, armies];
    return { ...event, owner, army };
  }
  return event.event === 'round' || event.event === 'picks' ? { ...event, changed: [...event.changed, ...changes] } : event;
}

/** Return the events of a game up to the position after `rounds` rounds of the document, then those of `path`. */
export function lineOf(doc: GameDoc, rounds: number, path: Variation[]): GameEvent[] {
  const isEarlier = (event: GameEvent): boolean =>
    ['start', 'picks'].includes(event.event) || ((event.event === 'round' || event.event === 'insight') && event.round <= rounds);
  const events = (doc.events ?? []).filter(isEarlier);
  for (const { believed, orders, moves, changed, round } of path) {
    if (believed?.length) {
      const index = events.findLastIndex(({ event }) => event !== 'insight');
      events[index] = withChanges(events[index], believed);
    }
    events.push({ event: 'round', round: round - firstRound(doc) + 1, orders, deploys: deploysOf(orders), moves, changed });
  }
  return events;
}
