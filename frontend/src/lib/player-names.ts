// Names of players in sentences. The user is called "You", which needs another form of the verb.
import type { Links } from './api';
import type { GameDoc, LiveState } from './types';
import { t } from './i18n.svelte';

export const YOU = 'You'; // name of the local human player in logs

export function calledYou(doc: GameDoc, player: number): boolean {
  return doc.players[player].name === YOU && !doc.spectator;
}

/** Return the name of a player. If `withSeat`, players with the same name also get their seat numbers. */
export function nameOf(doc: GameDoc, player: number, withSeat = false): string {
  const { name } = doc.players[player];
  if (withSeat && doc.players.some((x, p) => p !== player && x.name === name)) return t('{who} (seat {seat})', { who: name, seat: player + 1 });
  if (name !== YOU) return name;
  return doc.spectator ? t('Host') : t('You');
}

/**
 * Return the values for a sentence about a player: "{you, select, yes {You win} other {{who} wins}}". At a shared
 * screen, players have names.
 */
export function person(doc: GameDoc, player: number): { who: string; you: 'yes' | 'no' } {
  const viewer = (doc.seat ?? doc.own) === player && doc.kind !== 'hotseat';
  return { who: nameOf(doc, player), you: viewer || calledYou(doc, player) ? 'yes' : 'no' };
}

/** Seats of invited friends whose pages are not open. */
export function missing(links: Links | null, live: LiveState | null): number[] {
  return Object.keys(links?.invites ?? {}).map(Number).filter((seat) => !live?.here.includes(seat));
}
