// Words for the results of an analysis: marks, turns, and the verdict on a turn.
import type { GameDoc, Orders, Position } from '../types';
import { figure, joined, percent, t } from '../i18n.svelte';
import { nameOf, person } from '../player-names';
import { income, odds } from '../rules';
import type { SplitTurn } from '../sendable';
import type { OnlyDifference, Reason, TurnMark, TurnReport } from '../types';

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
export function verdict({ mark, worth, gain, error, better }: TurnReport): string {
  const values = { points: figure(100 * Math.abs(gain)), error: figure(100 * error), played: percent(worth, 0), better: percent(worth + gain, 0) };
  if (mark === '!') return t('Better than the turn of the search by {points} ± {error} points.', values);
  if (mark) return t('{mark}: win probability {played} instead of {better}.', { ...values, mark: markName(mark) });
  if (better) return t('No clear mistake: win probability {played}, with the best known turn {better}.', values);
  return gain > 0 ? t('No known turn is certainly better.') : t('The best known turn.');
}

/** Explain the numbers of a turn, one sentence for each pair. */
export function numbersInWords({ before, after, worth, gain, error, better }: TurnReport): string[] {
  const told = { before: percent(before, 0), after: percent(after, 0), played: percent(worth, 0), better: percent(worth + gain, 0), points: figure(100 * gain), error: figure(100 * error) };
  return [
    t('With the dice that were rolled: {before} before the round, {after} after it.', told),
    ...(better
      ? [
          t('As a mean over the dice, and against the orders that the others really gave: {played} after the played turn, {better} after the better turn.', told),
          t('The difference is {points} ± {error} points of win probability.', told),
        ]
      : []),
  ];
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

function onlyInWords({ kind, source = '', target = '', armies = 0, was = 0 }: OnlyDifference): string {
  const told = { source, target, armies, was };
  return {
    attack: () => t('The turns differ only in the attack from {source} to {target}: {armies} instead of {was, plural, one {# army} other {# armies}}.', told),
    move: () => t('The turns differ only in the move from {source} to {target}: {armies} instead of {was, plural, one {# army} other {# armies}}.', told),
    deploys: () => t('The turns differ only in the deployed armies.'),
    order: () => t('The turns differ only in the order of the moves.'),
  }[kind]();
}

/** Say why a player lost win probability in a round. */
export function reasonInWords(doc: GameDoc, player: number, { code, values }: Reason): string {
  const { armies = 0, region = '', source = '', target = '', regions = [], bonuses = [], bonus = '', income = 0, better = 0, played = 0, only } = values;
  const told = { ...person(doc, player), armies: figure(armies, 1), region, source, target, bonus, income, better: percent(better, 0), played: percent(played, 0), regions: joined(regions), bonuses: joined(bonuses) };
  const sentences: Record<Reason['code'], () => string> = {
    'turn-bonus': () => t('The better turn holds {bonus} (+{income}) after the round in {better} of cases, the played turn in {played}.', told),
    'turn-breaks': () => t('Another player holds {bonus} (+{income}) after the better turn in {better} of cases, after the played turn in {played}.', told),
    'turn-holds': () => t('The better turn keeps {region} in {better} of cases, the played turn in {played}.', told),
    'turn-takes': () => t('The better turn takes {region} in {better} of cases, the played turn in {played}.', told),
    'turn-saves': () => t('After the better turn, {you, select, yes {you have} other {{who} has}} {armies} more armies on average.', told),
    'turn-kills': () => t('After the better turn, the other players have {armies} fewer armies on average.', told),
    'turn-guards': () => t('After the better turn, {armies} more armies are on {region} on average, next to armies of another player.', told),
    'turn-even': () => t('Both turns lead to similar positions: the difference comes from the places of the armies.'),
    'dice-battle': () => t('The dice were bad for {you, select, yes {you} other {{who}}}: the battle from {source} to {target} cost {armies} armies more than expected.', told),
    'dice-order': () => t('The random order in which the moves of all players were executed was bad for {you, select, yes {you} other {{who}}}.', told),
    'others-took': () =>
      bonuses.length
        ? t('{who} lost {regions} to the other players, with the bonus of {bonuses}.', told)
        : t('{who} lost {regions} to the other players.', told),
    'others-better': () => t('{who} lost no region, but the moves of the other players made the position worse.', told),
  };
  return [...(only ? [onlyInWords(only)] : []), sentences[code]()].join(' ');
}
