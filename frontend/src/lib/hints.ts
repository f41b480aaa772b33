// Explanations of a turn: the effects of its orders, in sentences.
import { adjacentEnemies, breaks, completes, inner, keeps } from './position-queries';
import { captureChances, chanceSentence } from './capture-chances';
import { nameOf, person } from './player-names';
import { income, odds, threats } from './rules';
import { splitTurn } from './sendable';
import { type GameDoc, type Orders, type Position, UNKNOWN } from './types';
import { figure, joined, t } from './i18n.svelte';

type Attack = [from: number, to: number, armies: number];

const LIKELY = 0.5; // probability of capture from which an attack is described as a capture
const THREAT = 0.05; // probability that an enemy captures a region from which a deploy is described as a defence

/** One effect of a turn, with its reason. */
export interface Hint {
  kind: 'take' | 'attack' | 'hold' | 'deploy' | 'move' | 'reserve' | 'wait';
  region: number; // index of the region concerned; -1: the turn has no orders
  says: string; // text with numbers of armies and probabilities
  where: string; // text without numbers, for players who want to compute them
}

/** Return the hints for a turn of a player, most important first. There is at least one. */
export function hintsOf(doc: GameDoc, position: Position, player: number, turn: Orders): Hint[] {
  const { owner } = position;
  const { sent: orders, reserve } = splitTurn(doc, position, player, turn);
  const attacks = orders.attacks.filter(([, to]) => owner[to] !== player);
  const attacksOn = (to: number) => attacks.filter((attack) => attack[1] === to);
  const targets = [...new Set(attacks.map(([, to]) => to))];
  const likelyTargets = targets.filter((to) => (chanceOf(doc, position, to, attacksOn(to)) ?? 1) >= LIKELY);
  const targetHints = targets.map((to) => (likelyTargets.includes(to) ? captureHint(doc, position, player, to, likelyTargets, attacksOn(to)) : weakenHint(doc, position, to, attacksOn(to))));
  targetHints.sort((a, b) => b.worth - a.worth);
  const transfers = orders.attacks.filter(([, to]) => owner[to] === player);
  const deploys = orders.deploys.map(([r, n]) => deployHint(doc, position, player, r, n, attacks, transfers));
  const moves = transfers.map(([a, b, n]) => moveHint(doc, position, player, a, b, n, prepared(position, b, orders.deploys, attacks)));
  const hints = [...targetHints.map(({ hint }) => hint), ...deploys, ...moves, ...reserve.map(([a, b]) => reserveHint(doc, owner[b] === player, a, b))];
  const says = t('Wait: no attack and no deploy is useful now.');
  return hints.length ? hints : [{ kind: 'wait', region: -1, says, where: says }];
}

/** Join the reasons of a hint. */
function joinReasons(reasons: string[]): string {
  return reasons.join('; ');
}

function armiesSent(attacks: Attack[]): number {
  return attacks.reduce((sum, [, , armies]) => sum + armies, 0);
}

/**
 * Return the probability that the attacks on a region capture it if they were one attack; null: the region is hidden.
 */
function chanceOf(doc: GameDoc, { owner, army }: Position, to: number, attacks: Attack[]): number | null {
  return owner[to] === UNKNOWN ? null : odds(armiesSent(attacks), army[to], doc.rules).capture;
}

function captureHint(doc: GameDoc, position: Position, player: number, to: number, targets: number[], attacks: Attack[]): { hint: Hint; worth: number } {
  const { map } = doc;
  const { owner } = position;
  const name = map.regions[to].name;
  const n = armiesSent(attacks);
  const reasons: string[] = [];
  let worth = 0;
  const completed = completes(map, owner, player, to, targets);
  if (completed !== null) {
    const { name: superName, bonus, regions } = map.supers[completed];
    const others = regions.filter((r) => r !== to && owner[r] !== player).map((r) => map.regions[r].name);
    worth += 10 * bonus;
    reasons.push(
      others.length
        ? t('together with {others}, it completes {of} (+{bonus})', { others: joined(others), of: superName, bonus })
        : t('it completes {of} (+{bonus})', { of: superName, bonus }),
    );
  }
  const broken = breaks(map, owner, player, to);
  if (broken !== null) {
    const { name: superName, bonus } = map.supers[broken];
    worth += 9 * bonus;
    reasons.push(t('{who} loses the bonus of {of} (−{bonus})', { of: superName, bonus, who: nameOf(doc, owner[to]) }));
  }
  if (owner[to] >= 0 && !owner.includes(UNKNOWN) && owner.filter((o) => o === owner[to]).length === 1) {
    worth += 100;
    reasons.push(t('it is the last region of {who}', { who: nameOf(doc, owner[to]) }));
  }
  if (!reasons.length && owner[to] >= 0) reasons.push(t('{who} loses a region', { who: nameOf(doc, owner[to]) }));
  if (!reasons.length && owner[to] !== UNKNOWN) {
    const { name: superName, regions } = map.supers[map.regions[to].super];
    const heldCount = regions.filter((r) => owner[r] === player || targets.includes(r)).length;
    reasons.push(t('{you, select, yes {you then hold} other {{who} then holds}} {held} of the {all} regions of {of}', { ...person(doc, player), held: heldCount, all: regions.length, of: superName }));
  }
  if (!reasons.length) reasons.push(t('the armies there are hidden'));
  const where = t('{region}: {reasons}', { region: name, reasons: joinReasons(reasons) });
  const chances = captureChances(doc, position, n, to);
  if (attacks.length === 1 && chances) {
    worth += chances.now;
    reasons.push(chanceSentence(chances));
  } else if (attacks.length > 1) reasons.push(t('the armies come from {n} regions', { n: attacks.length }));
  const says = t('Take {region} with {n, plural, one {# army} other {# armies}}: {reasons}.', { region: name, n, reasons: joinReasons(reasons) });
  return { hint: { kind: 'take', region: to, says, where }, worth };
}

/** Describe an attack that is not likely to capture: the losses of the defender. */
function weakenHint(doc: GameDoc, position: Position, to: number, attacks: Attack[]): { hint: Hint; worth: number } {
  const region = doc.map.regions[to].name;
  const n = armiesSent(attacks);
  const armies = position.army[to];
  const { capture, defenders } = odds(n, armies, doc.rules);
  const killed = armies - defenders;
  const reasons = [killed >= 0.1 ? t('the defender loses {killed} of {armies, plural, one {# army} other {# armies}} on average', { killed: figure(killed, 1), armies }) : t('the defender loses almost no armies')];
  if (Math.round(100 * capture)) reasons.push(chanceSentence(captureChances(doc, position, n, to)!));
  return {
    hint: {
      kind: 'attack',
      region: to,
      says: t('Attack {region} with {n, plural, one {# army} other {# armies}}: {reasons}.', { region, n, reasons: joinReasons(reasons) }),
      where: t('{region}: an attack kills some of the armies there', { region }),
    },
    worth: capture,
  };
}

function deployHint(doc: GameDoc, position: Position, player: number, r: number, n: number, attacks: Attack[], transfers: Attack[]): Hint {
  const { map } = doc;
  const name = map.regions[r].name;
  const from = (orders: Attack[]) => orders.filter(([source]) => source === r);
  const names = (orders: Attack[]) => joined(orders.map(([, to]) => map.regions[to].name));
  const [ownAttacks, ownTransfers] = [from(attacks), from(transfers)];
  // One army stays. If the others that were there before are enough for all orders, the deployed armies stay too.
  const isUsed = armiesSent(ownAttacks) + armiesSent(ownTransfers) >= position.army[r];
  if (isUsed && ownAttacks.length) {
    const values = { region: name, n, count: ownAttacks.length, targets: names(ownAttacks) };
    return { kind: 'deploy', region: r, says: t('Deploy {n} on {region} for the {count, plural, one {attack} other {attacks}} on {targets}.', values), where: t('{region}: from there you can attack {targets}', values) };
  }
  if (isUsed) {
    const values = { n, region: name, targets: names(ownTransfers) };
    return { kind: 'deploy', region: r, says: t('Deploy {n} on {region}: armies move from there to {targets}.', values), where: t('{region}: armies move from there to {targets}', values) };
  }
  if ((threats(doc, position, player)[r] ?? 0) >= THREAT) {
    const enemies = adjacentEnemies(map, position, player, r);
    const protectedSuper = keeps(map, position.owner, player, r);
    const maxDeploy = strongestIncome(doc, position, player, r);
    const reasons = [
      maxDeploy
        ? t('{enemies, plural, one {one enemy army is} other {# enemy armies are}} next to it, and up to {more} more can be deployed there', { enemies, more: maxDeploy })
        : t('{enemies, plural, one {one enemy army is} other {# enemy armies are}} next to it', { enemies }),
    ];
    if (protectedSuper !== null) reasons.push(t('it protects the bonus of {of} (+{bonus})', { of: map.supers[protectedSuper].name, bonus: map.supers[protectedSuper].bonus }));
    return {
      kind: 'hold',
      region: r,
      says: t('Deploy {n} on {region} to defend it: {reasons}.', { region: name, n, reasons: joinReasons(reasons) }),
      where: t('{region}: {reasons}', { region: name, reasons: joinReasons(reasons) }),
    };
  }
  return { kind: 'deploy', region: r, says: t('Deploy {n} on {region} for the next round.', { n, region: name }), where: t('{region}: armies for the next round', { region: name }) };
}

/** Return the largest income of the players who can attack a region of a player; under fog, as far as it is known. */
function strongestIncome(doc: GameDoc, { owner }: Position, player: number, region: number): number {
  const rivals = doc.map.regions[region].near.map((n) => owner[n]).filter((p) => p >= 0 && p !== player);
  return Math.max(0, ...rivals.map((p) => income(doc, owner, p)));
}

/** Describe a reserve: an order that sends armies only if an earlier order was not executed fully. */
function reserveHint(doc: GameDoc, isTransfer: boolean, from: number, to: number): Hint {
  const values = { from: doc.map.regions[from].name, to: doc.map.regions[to].name };
  const says = isTransfer ? t('If armies are left on {from}, they move to {to}.', values) : t('If armies are left on {from}, they attack {to}.', values);
  return { kind: 'reserve', region: to, says, where: says };
}

/** Return the targets of the attacks from a region if these need armies that move there in this turn. */
function prepared({ army }: Position, from: number, deploys: Orders['deploys'], attacks: Attack[]): number[] {
  const available = deploys.reduce((sum, [r, n]) => (r === from ? sum + n : sum), army[from]);
  const nextAttacks = attacks.filter(([source]) => source === from);
  return armiesSent(nextAttacks) >= available ? nextAttacks.map(([, to]) => to) : [];
}

/** Describe a transfer. `targets`: the targets of the attacks for which it brings the armies. */
function moveHint(doc: GameDoc, position: Position, player: number, from: number, to: number, n: number, targets: number[]): Hint {
  const { map } = doc;
  const enemies = adjacentEnemies(map, position, player, to);
  const values = { ...person(doc, player), n, from: map.regions[from].name, to: map.regions[to].name };
  const purpose = targets.length
    ? t('for the {count, plural, one {attack} other {attacks}} on {targets}', { count: targets.length, targets: joined(targets.map((r) => map.regions[r].name)) })
    : inner(map, position.owner, player, from)
    ? t('{you, select, yes {you hold} other {{who} holds}} all neighbours of {from}', values)
    : enemies
      ? t('{enemies, plural, one {one enemy army is} other {# enemy armies are}} next to {to}', { ...values, enemies })
      : t('armies gather there for later attacks');
  return {
    kind: 'move',
    region: to,
    says: t('Move {n} from {from} to {to}: {why}.', { ...values, why: purpose }),
    where: t('{from} to {to}: {why}', { ...values, why: purpose }),
  };
}
