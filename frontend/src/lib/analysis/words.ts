// Words for the results of an analysis: marks, turns, and the verdict on a turn.
import type { GameDoc, Orders } from '../types';
import { figure, t } from '../i18n.svelte';
import type { TurnMark, TurnReport } from './types';

export function markName(mark: TurnMark): string {
  return { '!': t('Good turn'), '?!': t('Inaccuracy'), '?': t('Mistake'), '??': t('Blunder') }[mark];
}

/** Describe a turn: "9 on Brazil; Siam → Burma with 3". */
export function turnInWords(doc: GameDoc, orders: Orders | null): string {
  const name = (r: number) => doc.map.regions[r].name;
  const { deploys, attacks } = orders ?? { deploys: [], attacks: [] };
  const parts = [
    ...deploys.map(([r, armies]) => t('{armies} on {region}', { armies, region: name(r) })),
    ...attacks.map(([from, to, armies]) => t('{from} → {to} with {armies}', { from: name(from), to: name(to), armies })),
  ];
  return parts.join('; ') || t('hold');
}

/** Say how good a turn is compared with the turns that the searches found. */
export function verdict({ mark, gain, lost, error, better }: TurnReport): string {
  const values = { points: figure(100 * Math.abs(gain)), error: figure(100 * error) };
  if (mark === '!') return t('Better than the turn of the search by {points} ± {error} points.', values);
  if (mark) return t('{mark}: {points} ± {error} points of win probability lost.', { ...values, mark: markName(mark) });
  if (better) return t('{points} ± {error} points of win probability lost.', values);
  return lost > 0 ? t('No known turn is certainly better.') : t('The best known turn.');
}
