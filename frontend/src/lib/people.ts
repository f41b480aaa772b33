// Players in sentences: a person at this page is called You, of whom verbs are said otherwise.
import type { Doc } from './types';
import { t } from './words.svelte';

export const YOU = 'You'; // the name in logs of whoever plays here

export function calledYou(doc: Doc, player: number): boolean {
  return doc.players[player].name === YOU;
}

/** A player's name; two of one name are told apart by their seats. */
export function nameOf(doc: Doc, player: number, apart = false): string {
  const { name } = doc.players[player];
  if (apart && doc.players.some((x, p) => p !== player && x.name === name)) return t('{who} (seat {seat})', { who: name, seat: player + 1 });
  return name === YOU ? t('You') : name;
}

/** Values of a sentence about a player: "{you, select, yes {You win} other {{who} wins}}". */
export function person(doc: Doc, player: number): { who: string; you: 'yes' | 'no' } {
  return { who: nameOf(doc, player), you: calledYou(doc, player) ? 'yes' : 'no' };
}
