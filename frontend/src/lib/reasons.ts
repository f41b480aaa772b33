// Reasons of illegal orders in the user's language, by the English texts of `warlight_env.engine.orders.REASONS`, which
// logs contain.
import { t } from './i18n.svelte';

/** An illegal order or pick. */
export interface Refused {
  kind: 'deploy' | 'attack' | 'pick';
  index: number;
  reason: string;
}

const REASONS: Record<string, () => string> = {
  'more orders than the rules allow in a turn': () => t('more orders than the rules allow in a turn'),
  'no such region': () => t('no such region'),
  "not the player's region": () => t('not the player’s region'),
  'at least one army is needed': () => t('at least one army is needed'),
  'more armies than are left of the income': () => t('more armies than are left of the income'),
  'the regions are not neighbours': () => t('the regions are not neighbours'),
  'attacked from there already in this turn': () => t('attacked from there already in this turn'),
  'named twice': () => t('named twice'),
  'not offered to the player': () => t('not offered to the player'),
};

/** Translate a reason. A reason of another program stays in English. */
export function reason(english: string): string {
  const needed = /^(\d+) regions must be named$/.exec(english);
  if (needed) return t('{n, plural, one {# region} other {# regions}} must be named', { n: Number(needed[1]) });
  return Object.hasOwn(REASONS, english) ? REASONS[english]() : english;
}

/** Describe an illegal order in words. */
export function illegal(order: Refused): string {
  const values = { kind: order.kind, n: order.index + 1, reason: reason(order.reason) };
  return t('{kind, select, deploy {deploy} pick {pick} other {attack}} {n}: {reason}', values);
}
