// Players in sentences: a person at this page is called You, of whom verbs are said otherwise.
import type { Links } from './api';
import type { Doc, Now } from './types';
import { t } from './words.svelte';

export const YOU = 'You'; // the name in logs of whoever plays here

export function calledYou(doc: Doc, player: number): boolean {
  return doc.players[player].name === YOU && !doc.spectator;
}

/** A player's name; two of one name are told apart by their seats. */
export function nameOf(doc: Doc, player: number, apart = false): string {
  const { name } = doc.players[player];
  if (apart && doc.players.some((x, p) => p !== player && x.name === name)) return t('{who} (seat {seat})', { who: name, seat: player + 1 });
  if (name !== YOU) return name;
  return doc.spectator ? t('Host') : t('You');
}

/** Values of a sentence about a player: "{you, select, yes {You win} other {{who} wins}}". */
export function person(doc: Doc, player: number): { who: string; you: 'yes' | 'no' } {
  return { who: nameOf(doc, player), you: calledYou(doc, player) ? 'yes' : 'no' };
}

/** Seats of invited friends whose pages are not open. */
export function missing(links: Links | null, now: Now | null): number[] {
  return Object.keys(links?.invites ?? {}).map(Number).filter((seat) => !now?.here.includes(seat));
}
