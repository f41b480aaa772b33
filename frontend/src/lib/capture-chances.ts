// The probability that an attack captures its target, without and with deploys of the target's owner.
import { income, odds } from './rules';
import { type GameDoc, type Position, UNKNOWN } from './types';
import { percent, t } from './i18n.svelte';

export interface CaptureChances {
  defenders: number; // armies on the target now
  now: number; // probability of capture against these armies
  // the largest known number of armies that the owner can deploy there, and the probability of capture then; null: the
  // target is neutral
  worst: { deploys: number; chance: number } | null;
}

/** Return the probabilities of capture; null: the armies on the target are hidden. */
export function captureChances(doc: GameDoc, position: Position, armies: number, to: number): CaptureChances | null {
  const [defenders, owner] = [position.army[to], position.owner[to]];
  if (owner === UNKNOWN) return null;
  const deploys = owner >= 0 ? income(doc, position.owner, owner) : 0;
  const chance = (defenders: number) => odds(armies, defenders, doc.rules).capture;
  return { defenders, now: chance(defenders), worst: deploys ? { deploys, chance: chance(defenders + deploys) } : null };
}

/** Return a text for each probability. */
export function chanceTexts({ defenders, now, worst }: CaptureChances): string[] {
  const texts = [t('{chance} against {armies, plural, one {# army} other {# armies}}', { chance: percent(now), armies: defenders })];
  if (worst) texts.push(t('{chance} if the defender deploys\u00a0{n}', { chance: percent(worst.chance), n: worst.deploys }));
  return texts;
}

/** Return a sentence with all probabilities, for lists and notes. */
export function chanceSentence(chances: CaptureChances): string {
  return t('chance to take it: {chances}', { chances: chanceTexts(chances).join(', ') });
}
