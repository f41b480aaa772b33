// The rules that the page needs for previews of orders. The server alone decides the results.
import type { Chance, GameDoc, MapDoc, Move, Position, Rules } from './types';
import { NEUTRAL, UNKNOWN } from './types';

export function holder(map: MapDoc, s: number, owner: number[]): number {
  const [first, ...rest] = map.supers[s].regions.map((r) => owner[r]);
  return first >= 0 && rest.every((o) => o === first) ? first : NEUTRAL;
}

export function income(doc: GameDoc, owner: number[], player: number): number {
  if (!owner.includes(player)) return 0;
  const bonuses = doc.map.supers.map((x, s) => (holder(doc.map, s, owner) === player ? x.bonus : 0));
  return doc.rules.base_income + bonuses.reduce((a, b) => a + b, 0);
}

export function sight(map: MapDoc, owner: number[], player: number): boolean[] {
  return map.regions.map((region, r) => owner[r] === player || region.near.some((n) => owner[n] === player));
}

/** Return the part of a position that a player sees in fog. */
export function fogged(map: MapDoc, position: Position, player: number): Position {
  const visible = sight(map, position.owner, player);
  return {
    owner: position.owner.map((o, r) => (visible[r] ? o : UNKNOWN)),
    army: position.army.map((a, r) => (visible[r] ? a : 0)),
  };
}

/** Execute a move; changes the position. */
export function apply(position: Position, move: Move): void {
  const [player, from, to, armies, lost, killed, captured] = move;
  const { owner, army } = position;
  const isKnown = (r: number) => owner[r] !== UNKNOWN;
  if (lost === undefined) {
    if (isKnown(from)) army[from] -= armies;
    if (isKnown(to)) army[to] += armies;
  } else if (captured) {
    if (isKnown(from)) army[from] -= armies;
    owner[to] = player;
    army[to] = armies - lost;
  } else {
    if (isKnown(from)) army[from] -= lost;
    if (isKnown(to)) army[to] = Math.max(1, army[to] - (killed ?? 0));
  }
}

const killTables = new Map<string, number[]>();

function binomial(n: number, p: number): number[] {
  if (p <= 0 || p >= 1) return Array.from({ length: n + 1 }, (_, k) => Number(k === (p >= 1 ? n : 0)));
  const pmf = [Math.pow(1 - p, n)];
  if (pmf[0] > 1e-280) {
    for (let k = 1; k <= n; k++) pmf.push((pmf[k - 1] * (n - k + 1) * p) / (k * (1 - p)));
    return pmf;
  }
  let log = n * Math.log(1 - p);
  const logs = [log];
  for (let k = 1; k <= n; k++) logs.push((log += Math.log((n - k + 1) / k) + Math.log(p / (1 - p))));
  return logs.map(Math.exp);
}

/** Return the probabilities of 0 to n kills by n armies, with the luck and rounding of the rules. */
export function kills(n: number, p: number, rules: Rules): number[] {
  const key = `${n} ${p} ${rules.luck} ${rules.rounding}`;
  let table = killTables.get(key);
  if (table) return table;
  const rolls = binomial(n, p);
  if (rules.luck === 1) table = rolls;
  else {
    table = new Array<number>(n + 1).fill(0);
    rolls.forEach((chance, roll) => {
      const value = (1 - rules.luck) * p * n + rules.luck * roll + 1e-9;
      if (rules.rounding === 'nearest') table![Math.min(n, Math.floor(value + 0.5))] += chance;
      else {
        const low = Math.floor(value);
        const fraction = value - low < 1e-8 ? 0 : value - low;
        table![Math.min(n, low)] += chance * (1 - fraction);
        if (fraction) table![Math.min(n, low + 1)] += chance * fraction;
      }
    });
  }
  killTables.set(key, table);
  return table;
}

export interface Odds {
  capture: number;
  left: number; // expected number of surviving attackers
  defenders: number; // expected number of surviving defenders
}

/**
 * Return a share of `games` games with its 95 % interval, by the formula of `wilson_interval` in
 * `warlight_env.arena.ratings`.
 */
export function interval(share: number, games: number): Chance {
  const z = 1.959964;
  const [mean, square] = [(share + (z * z) / (2 * games)) / (1 + (z * z) / games), (share * (1 - share)) / games + (z * z) / (4 * games * games)];
  const half = (z * Math.sqrt(square)) / (1 + (z * z) / games);
  return [share, Math.max(0, mean - half), Math.min(1, mean + half)];
}

const MOST = 1000;

/** Return the exact odds of a battle, the same as `warlight_env.battle_odds`; at most 1000 armies per side. */
export function odds(attackers: number, defenders: number, rules: Rules): Odds {
  const a = Math.min(attackers, MOST);
  const d = Math.min(defenders, MOST);
  const clip = (pmf: number[], maxCount: number) => {
    const clipped = pmf.slice(0, maxCount + 1);
    while (clipped.length <= maxCount) clipped.push(0);
    for (let k = maxCount + 1; k < pmf.length; k++) clipped[maxCount] += pmf[k];
    return clipped;
  };
  const killed = clip(kills(a, rules.attack_kill, rules), d);
  const lost = clip(kills(d, rules.defense_kill, rules), a);
  const mutualLoss = killed[d] * lost[a];
  const mean = (pmf: number[]) => pmf.reduce((sum, chance, k) => sum + chance * k, 0);
  return { capture: killed[d] * (1 - lost[a]), left: a - mean(lost), defenders: d - mean(killed) + mutualLoss };
}

/**
 * Return the smallest number of attackers that capture with this `probability`; null: even `maxAttackers` do not.
 */
export function leastToCapture(defenders: number, maxAttackers: number, rules: Rules, probability = 0.95): number | null {
  for (let a = 1; a <= maxAttackers; a++) if (odds(a, defenders, rules).capture >= probability) return a;
  return null;
}

/**
 * For each region of a player: the probability that the strongest possible single attack of the next round captures it.
 */
export function threats(doc: GameDoc, position: Position, player: number): (number | null)[] {
  const incomes = doc.players.map((_, p) => income(doc, position.owner, p));
  return doc.map.regions.map((region, r) => {
    if (position.owner[r] !== player) return null;
    const attackers = region.near
      .filter((n) => position.owner[n] >= 0 && position.owner[n] !== player)
      .map((n) => position.army[n] - 1 + incomes[position.owner[n]]);
    const maxArmies = Math.max(0, ...attackers);
    return maxArmies ? odds(maxArmies, position.army[r], doc.rules).capture : 0;
  });
}
