// Words for the results of an analysis: marks, turns, and the verdict on a turn.
import type { GameDoc, Orders, Position } from '../types';
import { figure, joined, percent, t } from '../i18n.svelte';
import { nameOf } from '../player-names';
import { income, odds } from '../rules';
import type { SplitTurn } from '../sendable';
import type { Reason, TurnMark, TurnReport } from '../types';

export function markName(mark: TurnMark): string {
  return { '!': t('Good turn'), '?!': t('Inaccuracy'), '?': t('Mistake'), '??': t('Blunder') }[mark];
}

/** Describe a turn and its reserves: "9 on Brazil; Siam → Burma with 3; if armies stay: Siam → India". */
export function turnInWords(doc: GameDoc, orders: Orders | null, reserve: SplitTurn['reserve'] = []): string {
  const name = (r: number) => doc.map.regions[r].name;
  const { deploys, attacks } = orders ?? { deploys: [], attacks: [] };
  const parts = [
    ...deploys.map(([r, armies]) => t('{armies} on {region}', { armies, region: name(r) })),
    ...attacks.map(([from, to, armies]) => t('{from} → {to} with {armies}', { from: name(from), to: name(to), armies })),
    ...reserve.map(([from, to]) => t('if armies stay: {from} → {to}', { from: name(from), to: name(to) })),
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

/** Say what the values of the played and the better turn are, and what they compare; '': there is no better turn. */
export function comparison({ before, after, worth, gain, better }: TurnReport): string {
  if (!better) return '';
  const told = { before: percent(before, 0), after: percent(after, 0), played: percent(worth, 0), better: percent(worth + gain, 0) };
  const means = t('Win probability after the round, as a mean over the dice and against the orders that the others really gave: {played} after the played turn, {better} after the better turn.', told);
  return after >= before ? `${t('The round went well ({before} → {after}), but a better turn was possible.', told)} ${means}` : means;
}

/** Say which attacks of a turn were unlikely to take their targets, also if the defender deploys there. */
export function weakAttacks(doc: GameDoc, position: Position, player: number, orders: Orders | null): string[] {
  const sent = new Map<number, number>();
  for (const [, to, armies] of orders?.attacks ?? []) sent.set(to, (sent.get(to) ?? 0) + armies);
  return [...sent].flatMap(([to, armies]) => {
    const owner = position.owner[to];
    if (owner === player || owner < -1) return []; // a transfer, or an unseen region
    const more = owner < 0 ? 0 : income(doc, position.owner, owner);
    const chance = odds(armies, position.army[to], doc.rules).capture;
    const defended = more ? odds(armies, position.army[to] + more, doc.rules).capture : chance;
    if (defended >= 0.5) return [];
    const told = { region: doc.map.regions[to].name, armies, chance: percent(chance, 0), defended: percent(defended, 0), who: owner < 0 ? '' : nameOf(doc, owner), more };
    return [more ? t('The attack on {region} with {armies} takes it in {chance} of cases; only in {defended} if {who} deploys {more} there.', told) : t('The attack on {region} with {armies} takes it in only {chance} of cases.', told)];
  });
}

/** Say why a player lost win probability in a round. */
export function reasonInWords({ code, values }: Reason, who: string): string {
  const { armies = 0, region = '', source = '', target = '', regions = [], bonuses = [] } = values;
  const told = { who, armies, region, source, target };
  const sentences: Record<Reason['code'], () => string> = {
    'turn-moves': () => t('{who} chose a weaker turn: the better turn moves {armies} from {source} to {target}.', told),
    'turn-puts': () => t('{who} chose a weaker turn: the better turn puts {armies} more on {region}.', told),
    'turn-stays': () => t('{who} chose a weaker turn: the better turn does not move {armies} from {source} to {target}.', told),
    'turn-order': () => t('{who} chose a weaker turn: the better turn moves the armies in another number or order.', told),
    'dice-battle': () => t('The dice were bad for {who}: the battle from {source} to {target} cost {lost} armies more than expected.', { ...told, lost: figure(armies, 1) }),
    'dice-order': () => t('The dice were bad for {who}: the order of the moves was unlucky.', told),
    'others-took': () =>
      bonuses.length
        ? t('The other players had a strong turn and took {regions}, with the bonus of {bonuses}.', { regions: joined(regions), bonuses: joined(bonuses) })
        : t('The other players had a strong turn and took {regions}.', { regions: joined(regions) }),
    'others-better': () => t('The other players had a strong turn: {who} lost no region, but its position became worse.', told),
  };
  return sentences[code]();
}
