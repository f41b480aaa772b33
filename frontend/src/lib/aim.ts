// Preview of an order from one region to another, for the label at its target region.
import type { TurnInput } from './turn-input.svelte';
import { odds } from './rules';
import { type GameDoc, type Position, UNKNOWN } from './types';
import { percent, t } from './i18n.svelte';

export interface Aim {
  from: number;
  to: number;
  armies: number;
  most: number; // largest number of armies that the player can send
  transfer: boolean;
  // probability of capture; null: the order is a transfer, or the armies on the target region are hidden
  chance: number | null;
  says: string;
}

/**
 * Preview an order that is entered or possible. `armies`: number of armies; null: the armies of the entered order, or
 * all armies that are free.
 */
export function aimAt(doc: GameDoc, position: Position, turnInput: TurnInput, from: number, to: number, armies: number | null = null): Aim | null {
  const { draft } = turnInput;
  if (!draft || !turnInput.editing || !turnInput.mine(from) || !turnInput.near(from).includes(to)) return null;
  const same = (attack: [number, number, number] | undefined) => attack?.[0] === from && attack[1] === to;
  const index = same(draft.attacks[draft.chosen ?? -1]) ? draft.chosen! : draft.attacks.findIndex(same);
  const most = index < 0 ? draft.free(from) : draft.most(index);
  const sent = Math.min(most, Math.max(1, armies ?? (index < 0 ? most : draft.attacks[index][2])));
  const transfer = turnInput.mine(to);
  const unseen = position.owner[to] === UNKNOWN;
  const chance = transfer || unseen ? null : odds(sent, position.army[to], doc.rules).capture;
  const against = () => t('{chance} against {armies}', { chance: percent(chance!), armies: position.army[to] });
  const says = transfer ? t('transfer') : chance === null ? t('unseen') : against();
  return { from, to, armies: sent, most, transfer, chance, says };
}
