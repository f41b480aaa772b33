// Preview of an order from one region to another, for the label at its target region.
import type { TurnInput } from './turn-input.svelte';
import { captureChances, chanceTexts } from './capture-chances';
import type { GameDoc, Position } from './types';
import { t } from './i18n.svelte';

export interface Aim {
  from: number;
  to: number;
  armies: number;
  most: number; // largest number of armies that the player can send
  transfer: boolean;
  says: string[]; // the probabilities of capture, the kind of the order, or why it sends no armies
}

/**
 * Preview an order that is entered or possible. `armies`: number of armies; null: the armies of the entered order, or
 * all armies that are free.
 */
export function aimAt(doc: GameDoc, position: Position, turnInput: TurnInput, from: number, to: number, armies: number | null = null): Aim | null {
  const { draft } = turnInput;
  if (!draft || !turnInput.editing || !turnInput.isOwn(from) || !turnInput.neighbours(from).includes(to)) return null;
  const isAimed = (attack: [number, number, number] | undefined) => attack?.[0] === from && attack[1] === to;
  const index = isAimed(draft.attacks[draft.chosen ?? -1]) ? draft.chosen! : draft.attacks.findIndex(isAimed);
  const maxArmies = index < 0 ? draft.free(from) : draft.maxArmies(index);
  const armiesSent = Math.min(maxArmies, Math.max(1, armies ?? (index < 0 ? maxArmies : draft.attacks[index][2])));
  const transfer = turnInput.isOwn(to);
  if (!maxArmies) {
    const values = { from: doc.map.regions[from].name };
    const others = draft.attacks.some(([source], i) => source === from && i !== index);
    const reason = others ? t('Other orders send all free armies of {from}.', values) : t('One army must stay in {from}.', values);
    return { from, to, armies: 0, most: maxArmies, transfer, says: [reason] };
  }
  const chances = transfer ? null : captureChances(doc, position, armiesSent, to);
  const texts = transfer ? [t('transfer')] : chances ? chanceTexts(chances) : [t('unseen')];
  return { from, to, armies: armiesSent, most: maxArmies, transfer, says: texts };
}
