// What an order from one region to another would come to, as it is told at its target.
import type { TurnInput } from './turn-input.svelte';
import { odds } from './rules';
import { type GameDoc, type Position, UNKNOWN } from './types';
import { percent, t } from './i18n.svelte';

export interface Aim {
  from: number;
  to: number;
  armies: number;
  most: number; // that can be sent
  transfer: boolean;
  chance: number | null; // of capture; null: a transfer, or nobody knows what stands there
  says: string;
}

/** Of an order that is entered or could be; `armies`: so many, else those of the order, or all that are free. */
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
