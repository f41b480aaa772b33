// What bots do in a running game: they get ready, they compute, or they have failed.
import { nameOf } from './player-names';
import type { GameDoc, LiveState } from './types';
import { t } from './i18n.svelte';

/** Say that a bot is getting ready; '': it is not. */
export function preparing(doc: GameDoc, live: LiveState, player: number): string {
  const state = live.preparing[player];
  if (!state) return '';
  const [, ready, expected] = state;
  const name = nameOf(doc, player);
  if (!expected) return t('{who} is getting ready …', { who: name });
  return t('{who} is getting ready: {ready} of about {expected} parts of its program are compiled', { who: name, ready, expected });
}

/** Say that the last turn of a bot failed, and what was played instead; '': it did not fail. */
export function failure(doc: GameDoc, live: LiveState, player: number): string {
  const failed = live.failed[player];
  if (!failed) return '';
  const values = { who: nameOf(doc, player), round: failed.round, seconds: Math.round(failed.seconds ?? 0) };
  const cause = failed.seconds === null ? t('{who} failed with an error', values) : t('{who} did not answer within {seconds} s', values);
  const instead = failed.round ? t('no orders in round {round}', values) : t('it picked the first regions of its offer');
  return `${cause}: ${instead}.`;
}

/** Say what is known about the bots for which the game waits, and about failed turns; '': nothing. */
export function botNews(doc: GameDoc, live: LiveState): string {
  const players = doc.players.map((_, p) => p);
  return [...players.map((p) => failure(doc, live, p)), ...live.awaited.map((p) => preparing(doc, live, p))].filter(Boolean).join(' ');
}
