// Words for the results of an analysis: marks, turns, and the verdict on a turn.
import type { Round } from '../history';
import type { GameDoc, Orders, Position } from '../types';
import { figure, joined, percent, type Piece, pieces, roundedPercent, signed, t } from '../i18n.svelte';
import { nameOf, person } from '../player-names';
import { odds } from '../rules';
import type { SplitTurn } from '../sendable';
import type { LaterAdvantage, OnlyDifference, Reason, TurnMark, TurnReport } from '../types';

export function markName(mark: TurnMark): string {
  return { '!': t('Good turn'), '?!': t('Inaccuracy'), '?': t('Mistake'), '??': t('Blunder') }[mark];
}

/** Describe a turn and its reserves: "9 on Brazil; Siam → Burma with 3; if armies are left: Siam → India". */
export function turnInWords(doc: GameDoc, orders: Orders | null, reserve: SplitTurn['reserve'] = []): string {
  const name = (r: number) => doc.map.regions[r].name;
  const { deploys, attacks } = orders ?? { deploys: [], attacks: [] };
  const parts = [
    ...deploys.map(([r, armies]) => t('{armies} on {region}', { armies, region: name(r) })),
    ...attacks.map(([from, to, armies]) => t('{from} → {to} with {armies}', { from: name(from), to: name(to), armies })),
    ...reserve.map(([from, to]) => t('if armies are left: {from} → {to}', { from: name(from), to: name(to) })),
  ];
  return parts.join('; ') || t('hold');
}

/** Say how good a player's turn is compared with the turns that the searches found. */
export function verdict(doc: GameDoc, player: number, { mark, worth, gain, error, better }: TurnReport): string {
  const values = { ...person(doc, player), points: figure(100 * Math.abs(gain)), error: figure(100 * error), played: percent(worth, 0), better: percent(worth + gain, 0) };
  if (mark === '!') return t('{you, select, yes {Your} other {{who}’s}} turn is better than the best turn of the bot by {points} ± {error} points.', values);
  if (mark) {
    const kind = { '?!': 'inaccuracy', '?': 'mistake', '??': 'blunder' }[mark];
    return t('{you, select, yes {Your} other {{who}’s}} {kind, select, inaccuracy {inaccuracy} mistake {mistake} other {blunder}}: win probability {played} instead of {better}.', { ...values, kind });
  }
  if (better) return t('{you, select, yes {You made} other {{who} made}} no clear mistake: win probability {played}, with the best known turn {better}; a difference of {points} ± {error} points.', values);
  return t('{you, select, yes {You made} other {{who} made}} no clear mistake: no other known turn is clearly better.', values);
}

/** Say what the win probabilities of a turn and of the better turn assume. */
export function assumption(doc: GameDoc, player: number): string {
  return t('Mean over the dice, against the orders that {you, select, yes {you} others {the others} other {{who}}} really gave. A hint during the game does not know these orders.', others(doc, player));
}

/** Return the values for a sentence about all other players. */
function others(doc: GameDoc, player: number): { who: string; you: 'yes' | 'no' | 'others' } {
  return doc.players.length === 2 ? person(doc, 1 - player) : { who: '', you: 'others' };
}

/**
 * Return the change of win probability in a round and its parts, in points. The parts are differences of the percentages
 * that are shown, so that the shown parts have the shown sum. `shown_points` of `warlight analyse` does the same.
 */
function pointsOf({ before, worth, gain, after, better }: TurnReport): { all: number; others: number; own: number; dice: number } {
  const best = better ? worth + gain : worth;
  const change = (from: number, to: number) => roundedPercent(to) - roundedPercent(from);
  return { all: change(before, after), others: change(before, best), own: change(best, worth), dice: change(worth, after) };
}

/** Return the values for a sentence about the parts of a change of win probability. */
function partsOf(doc: GameDoc, player: number, turn: TurnReport): { side: string; rivals: string; rival: string; all: string; others: string; own: string; dice: string } {
  const { you, who } = others(doc, player);
  const points = pointsOf(turn);
  return { side: person(doc, player).you, rivals: you, rival: who, all: signed(points.all), others: signed(points.others), own: signed(points.own), dice: signed(points.dice) };
}

/** Say how much win probability a player won or lost in a round, and by what. The player's name is bold. */
export function changeInWords(doc: GameDoc, player: number, turn: TurnReport): Piece[] {
  return pieces(
    '<b>{name}</b>: {all} points: {own} by {side, select, yes {your} other {the player’s}} own turn, {others} by {rivals, select, yes {your} others {the others’} other {{rival}’s}} orders, {dice} by the dice.',
    { ...partsOf(doc, player, turn), name: nameOf(doc, player) },
  );
}

/** Say how the win probability of a player changes in a round, from before it to after it. */
export function pathInWords(doc: GameDoc, player: number, turn: TurnReport): string {
  return t(
    '{before} before the round; {others} by {rivals, select, yes {your} others {the others’} other {{rival}’s}} orders, {own} by {side, select, yes {your} other {{who}’s}} turn, {dice} by the dice: {after} after it.',
    { ...partsOf(doc, player, turn), who: nameOf(doc, player), before: percent(turn.before, 0), after: percent(turn.after, 0) },
  );
}

/** Explain the numbers of a turn that has a better one. */
export function numbersInWords(turn: TurnReport): string[] {
  if (!turn.better) return [];
  const values = { played: percent(turn.worth, 0), better: percent(turn.worth + turn.gain, 0), points: figure(-pointsOf(turn).own), error: figure(100 * turn.error) };
  return [
    t('As a mean over the dice, and against the orders that the others really gave: {played} after the played turn, {better} after the better turn.', values),
    t('The difference is {points} ± {error} points of win probability.', values),
  ];
}

/** Say which attacks of a turn were unlikely to take their targets: no armies left these in the round. */
export function weakAttacks(doc: GameDoc, position: Position, player: number, orders: Orders | null, round: Round | null): string[] {
  const attacks = orders?.attacks ?? [];
  return attacks.flatMap(([, to, armies]) => {
    if (attacks.filter(([, target]) => target === to).length > 1) return []; // several battles
    const owner = position.owner[to];
    if (owner === player || owner < -1) return []; // a transfer, or an unseen region
    // other armies may be there: another player moves to it, or the defender moves away
    if (round?.orders.some((turn, p) => p !== player && turn?.attacks.some(([from, target]) => target === to || (p === owner && from === to)))) return [];
    const deployed = (round?.deploys ?? []).reduce((sum, [player, region, n]) => (player === owner && region === to ? sum + n : sum), 0);
    const defenders = position.army[to];
    const chance = odds(armies, defenders, doc.rules).capture;
    const defended = deployed ? odds(armies, defenders + deployed, doc.rules).capture : chance;
    if (defended >= 0.5) return [];
    const values = { region: doc.map.regions[to].name, armies, there: defenders, chance: percent(chance, 0), defended: percent(defended, 0), who: owner < 0 ? '' : nameOf(doc, owner), more: deployed };
    return [
      deployed
        ? t('The attack on {region} with {armies, plural, one {# army} other {# armies}} had a chance of {chance} against the {there, plural, one {# army} other {# armies}} there. {who} deployed {more} more: the chance was {defended}.', values)
        : t('The attack on {region} with {armies, plural, one {# army} other {# armies}} had only a chance of {chance}.', values),
    ];
  });
}

function onlyInWords({ kind, source = '', target = '', armies = 0, was = 0 }: OnlyDifference): string {
  const values = { kind, source, target, armies, was };
  if (kind === 'deploys') return t('The better turn differs only in the deployed armies.');
  if (kind === 'order') return t('The better turn differs only in the order of the moves.');
  if (!armies) return t('The better turn is the same without the {kind, select, attack {attack} other {move}} from {source} to {target}.', values);
  if (!was) return t('The better turn is the same with one more {kind, select, attack {attack} other {move}}: from {source} to {target} with {armies, plural, one {# army} other {# armies}}.', values);
  return t('The better turn differs only in the {kind, select, attack {attack} other {move}} from {source} to {target}: {armies, plural, one {# army} other {# armies}} instead of {was}.', values);
}

/** Say what the better turn changes some rounds later, in one sentence for each number of rounds. */
export function laterInWords(doc: GameDoc, player: number, later: LaterAdvantage[]): string[] {
  return later.map(({ rounds, code, values }) => {
    const { armies = 0, region = '', bonus = '', income = 0, better = 0, played = 0, player: rival = player } = values;
    const sentenceValues = { ...person(doc, player), rounds, armies: figure(armies, 1), region, bonus, income, better: percent(better, 0), played: percent(played, 0) };
    const holdsBonus = (holder: number) => t('{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you hold} other {{who} holds}} all of {bonus} (+{income}) in {better} of the simulated games with the better turn, in {played} with the played turn.', { ...sentenceValues, ...person(doc, holder) });
    const holds = () => t('{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you hold} other {{who} holds}} {region} in {better} of the simulated games with the better turn, in {played} with the played turn.', sentenceValues);
    return {
      'turn-bonus': () => holdsBonus(player),
      'turn-breaks': () => holdsBonus(rival),
      'turn-holds': holds,
      'turn-takes': holds,
      'turn-saves': () => t('{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you have} other {{who} has}} {armies} more armies on average with the better turn.', sentenceValues),
      'turn-kills': () => t('{rounds, plural, one {One round} other {# rounds}} later, {you, select, yes {you have} others {the others have} other {{who} has}} {armies} fewer armies on average with the better turn.', { ...sentenceValues, ...others(doc, player) }),
    }[code]();
  });
}

/** Say why a player lost win probability in a round. `sentence_of` of `warlight analyse` says the same in English. */
export function reasonInWords(doc: GameDoc, player: number, { code, values }: Reason): string {
  const { armies = 0, region = '', source = '', target = '', regions = [], bonuses = [], bonus = '', income = 0, better = 0, played = 0, player: rival = player, players = [], taken = 0, gain = 0, chance, captured = false, only } = values;
  const sentenceValues = { ...person(doc, player), armies: figure(armies, 1), region, source, target, bonus, income, better: percent(better, 0), played: percent(played, 0), regions: joined(regions), bonuses: joined(bonuses) };
  const riseTexts = doc.players.length > 2 ? [t('The win probability of {who} rose by {points} points.', { who: nameOf(doc, rival), points: figure(roundedPercent(gain)) })] : [];
  const battleText = () => {
    const values = { ...sentenceValues, outcome: captured ? 'captured' : 'failed', chance: percent(chance ?? 0, 0) };
    if (chance === undefined) return t('The dice were bad for {you, select, yes {you} other {{who}}}: the battle from {source} to {target} cost {armies} armies more than expected.', values);
    return t('The dice were bad for {you, select, yes {you} other {{who}}}: the attack from {source} to {target} had a chance of {outcome, select, captured {only {chance} and succeeded} other {{chance} and failed}}. The battle cost {armies} armies more than expected.', values);
  };
  const gainText = () => {
    const values = { ...sentenceValues, taken, rival: nameOf(doc, rival) };
    if (!taken) return t('{who} lost no region, but the orders of {you, select, yes {you} others {the others} other {{rival}}} were better than those in the simulated games.', { ...values, you: others(doc, player).you, rival: others(doc, player).who });
    return bonuses.length
      ? t('{who} lost no region, but {rival} took {taken, plural, one {# region} other {# regions}} and now holds all of {bonuses}.', values)
      : t('{who} lost no region, but {rival} took {taken, plural, one {# region} other {# regions}}.', values);
  };
  const lossText = () => {
    const values = { ...sentenceValues, takers: players.length ? joined(players.map((p) => nameOf(doc, p))) : t('the others') };
    return bonuses.length ? t('{who} lost {regions} to {takers}, with the bonus of {bonuses}.', values) : t('{who} lost {regions} to {takers}.', values);
  };
  const sentences: Record<Reason['code'], () => string[]> = {
    'turn-bonus': () => [t('The better turn holds {bonus} (+{income}) after the round in {better} of cases, the played turn in {played}.', sentenceValues)],
    'turn-breaks': () => [t('{you, select, yes {You hold} other {{who} holds}} {bonus} (+{income}) after the better turn in {better} of cases, after the played turn in {played}.', { ...sentenceValues, ...person(doc, rival) })],
    'turn-holds': () => [t('The better turn keeps {region} in {better} of cases, the played turn in {played}.', sentenceValues)],
    'turn-takes': () => [t('The better turn takes {region} in {better} of cases, the played turn in {played}.', sentenceValues)],
    'turn-saves': () => [t('After the better turn, {you, select, yes {you have} other {{who} has}} {armies} more armies on average.', sentenceValues)],
    'turn-kills': () => [t('After the better turn, {you, select, yes {you have} others {the others have} other {{who} has}} {armies} fewer armies on average.', { ...sentenceValues, ...others(doc, player) })],
    'turn-guards': () => [t('After the better turn, {armies} more armies are on {region} on average, next to {you, select, yes {your armies} other {armies of {who}}}.', { ...sentenceValues, ...person(doc, rival) })],
    'turn-even': () => [t('Right after the round, no single difference is clear: small differences add up.')],
    'dice-battle': () => [battleText()],
    'dice-order': () => [t('No single battle was very unlucky for {you, select, yes {you} other {{who}}}, but the random order of all moves and the other dice were bad.', sentenceValues)],
    'others-took': () => [lossText()],
    'others-better': () => [gainText(), ...riseTexts],
  };
  return [...(only ? [onlyInWords(only)] : []), ...sentences[code]()].join(' ');
}
