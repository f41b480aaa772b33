// The orders of a turn that the player enters: deploys and attacks with undo and redo. The browser stores them until
// they are committed.
import { income } from './rules';
import { SendableArmies } from './sendable';
import { sound } from './sounds';
import { drop, saveItem, loadData, keysFrom } from './storage';
import type { GameDoc, Orders, Position } from './types';
import { t } from './i18n.svelte';

export type Phase = 'deploy' | 'attack' | 'review';

export interface Problem {
  kind: 'deploy' | 'attack';
  index: number;
  reason: string;
  soft?: boolean; // a warning only: the order is legal
}

export class Draft {
  deploys = $state<[number, number][]>([]);
  attacks = $state<[number, number, number][]>([]);
  phase = $state<Phase>('deploy');
  chosen = $state<number | null>(null); // index of the selected attack, which keys and the mouse wheel change
  refused = $state<Problem[]>([]); // orders that the server rejected
  private past: Orders[] = $state([]);
  private future: Orders[] = $state([]);
  // index of the attack whose slider made the last change; null: the last change was another one
  private slidAttack: number | null = null;
  readonly income: number;

  constructor(
    private doc: GameDoc,
    readonly position: Position,
    readonly player: number,
    readonly round: number,
    private stored = true, // whether the browser stores the orders
  ) {
    this.income = income(doc, position.owner, player);
    if (stored) this.load();
  }

  private get key(): string {
    return `warlight.draft.${this.doc.id}.${this.player}.${this.round}`;
  }

  private load(): void {
    const saved = loadData(this.key) as Partial<Orders> | null;
    const regions = this.doc.map.regions.length;
    const isValid = (rows: unknown, ends: number) =>
      Array.isArray(rows) &&
      rows.every((row) => Array.isArray(row) && row.length === ends + 1 && row.every((n, i) => Number.isInteger(n) && n >= 0 && (i === ends || n < regions)));
    if (saved && isValid(saved.deploys, 1) && isValid(saved.attacks, 2)) [this.deploys, this.attacks] = [saved.deploys!, saved.attacks!];
  }

  private save(): void {
    if (!this.stored) return;
    keysFrom(`warlight.draft.${this.doc.id}.${this.player}.`).forEach(drop); // remove the drafts of earlier rounds
    saveItem(this.key, JSON.stringify(this.orders));
  }

  /** Load the orders that another tab of this browser has stored; undo returns to the orders of this tab. */
  follow(key: string | null, stored: string | null): void {
    if (!this.stored || key !== this.key || stored === null || stored === JSON.stringify(this.orders)) return;
    this.past.push(this.orders);
    [this.future, this.refused, this.slidAttack, this.chosen] = [[], [], null, null];
    this.load();
  }

  forget(): void {
    drop(this.key);
  }

  get orders(): Orders {
    return { deploys: $state.snapshot(this.deploys) as [number, number][], attacks: $state.snapshot(this.attacks) as [number, number, number][] };
  }

  get deployed(): number {
    return this.deploys.reduce((sum, [, n]) => sum + n, 0);
  }

  get left(): number {
    return this.income - this.deployed;
  }

  deployedOn(region: number): number {
    return this.deploys.find(([r]) => r === region)?.[1] ?? 0;
  }

  /** Number of armies that can still leave a region after all entered attacks. */
  free(region: number): number {
    return this.leftOn(region, this.attacks.length);
  }

  /**
   * Largest number of armies for an attack. Earlier attacks use armies; earlier transfers add armies if the rules let
   * them move again.
   */
  maxArmies(index: number): number {
    return this.leftOn(this.attacks[index][0], index);
  }

  /** Number of armies that can leave a region after the first `attacks` orders, executed in sequence. */
  private leftOn(region: number, attacks: number): number {
    const armies = new SendableArmies(this.doc, this.position, this.player, this.deploys);
    for (const attack of this.attacks.slice(0, attacks)) armies.send(attack);
    return armies.available(region);
  }

  private change(edit: () => void, goesOn = false): void {
    if (!goesOn) this.past.push(this.orders);
    this.slidAttack = null;
    this.future = [];
    this.refused = [];
    edit();
    this.save();
  }

  deploy(region: number, change: number): void {
    const armies = this.deployedOn(region);
    const next = Math.max(0, Math.min(armies + change, armies + this.left));
    if (next === armies || this.position.owner[region] !== this.player) return;
    this.setDeploy(region, next);
  }

  setDeploy(region: number, armies: number): void {
    if (!Number.isInteger(armies) || armies === this.deployedOn(region)) return;
    sound('amount');
    this.change(() => {
      const index = this.deploys.findIndex(([r]) => r === region);
      if (armies <= 0) this.deploys = this.deploys.filter(([r]) => r !== region);
      else if (index >= 0) this.deploys[index] = [region, armies];
      else this.deploys.push([region, armies]);
    });
  }

  /**
   * Select the attack or transfer between two regions. If there is none, add it; the default number of armies is all
   * that are free.
   */
  attack(from: number, to: number, armies?: number): void {
    const index = this.attacks.findIndex(([a, b]) => a === from && b === to);
    if (index >= 0) {
      this.chosen = index;
      if (armies) this.setArmies(index, armies);
      return;
    }
    this.change(() => this.attacks.push([from, to, Math.max(1, armies ?? this.free(from))]));
    this.chosen = this.attacks.length - 1;
  }

  setArmies(index: number, armies: number): void {
    if (!this.attacks[index] || !Number.isInteger(armies) || armies < 1 || armies > 1_000_000 || armies === this.attacks[index][2]) return;
    sound('amount');
    this.change(() => (this.attacks[index][2] = armies));
  }

  /** Set the number of armies by a slider. All values of one slider movement are one undo step. */
  slide(index: number, armies: number): void {
    if (armies === this.attacks[index]?.[2]) return;
    sound('amount');
    this.change(() => (this.attacks[index][2] = armies), this.slidAttack === index);
    this.slidAttack = index;
  }

  remove(kind: 'deploy' | 'attack', index: number): void {
    this.change(() => {
      if (kind === 'deploy') this.deploys.splice(index, 1);
      else this.attacks.splice(index, 1);
    });
    this.chosen = null;
  }

  /** Move an attack to another place in the order of execution. */
  move(index: number, to: number): void {
    if (to < 0 || to >= this.attacks.length || to === index) return;
    this.change(() => this.attacks.splice(to, 0, ...this.attacks.splice(index, 1)));
    this.chosen = to;
  }

  replace(orders: Orders): void {
    this.change(() => [this.deploys, this.attacks] = [orders.deploys.map((d) => [...d]), orders.attacks.map((a) => [...a])]);
    this.chosen = null;
  }

  /** Use the orders of a turn that was taken back, instead of the stored ones; undo removes them. */
  reopen(orders: Orders): void {
    [this.deploys, this.attacks] = [[], []];
    this.replace(orders);
  }

  /**
   * Add orders. Orders for the same regions become one order with the sum of their armies. Throws an Error with the
   * reason, and changes nothing, if an order is illegal.
   */
  add(orders: Orders): void {
    const [past, future, chosen] = [[...this.past], [...this.future], this.chosen];
    this.change(() => {
      for (const [region, n] of orders.deploys) {
        const index = this.deploys.findIndex(([r]) => r === region);
        if (index >= 0) this.deploys[index][1] += n;
        else this.deploys.push([region, n]);
      }
      for (const [from, to, n] of orders.attacks) {
        const index = this.attacks.findIndex(([a, b]) => a === from && b === to);
        if (index < 0) this.attacks.push([from, to, n]);
        else this.attacks[index][2] = Math.max(this.attacks[index][2], Math.min(this.maxArmies(index), this.attacks[index][2] + n));
      }
    });
    const problem = this.problems.find(({ soft }) => !soft);
    if (!problem) return;
    const regions = problem.kind === 'deploy' ? this.deploys[problem.index].slice(0, 1) : this.attacks[problem.index].slice(0, 2);
    const order = regions.map((r) => this.doc.map.regions[r].name).join(' → ');
    this.undo();
    [this.past, this.future, this.chosen] = [past, future, chosen];
    throw new Error(t('{order}: {reason}', { order, reason: problem.reason }));
  }

  clear(): void {
    this.replace({ deploys: [], attacks: [] });
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): void {
    this.swap(this.past, this.future);
  }

  redo(): void {
    this.swap(this.future, this.past);
  }

  private swap(from: Orders[], to: Orders[]): void {
    const orders = from.pop();
    if (!orders) return;
    this.slidAttack = null;
    to.push(this.orders);
    [this.deploys, this.attacks] = [orders.deploys, orders.attacks];
    this.chosen = null;
    this.refused = [];
    this.save();
  }

  /** Problems of the orders: orders that are illegal, and orders that have an effect only after other orders. */
  get problems(): Problem[] {
    const { owner } = this.position;
    const problems: Problem[] = [...this.refused];
    let left = this.income;
    this.deploys.forEach(([region, n], index) => {
      if (owner[region] !== this.player) problems.push({ kind: 'deploy', index, reason: t('not your region') });
      else if (n > left) problems.push({ kind: 'deploy', index, reason: t('only {n} of the income left', { n: left }) });
      left -= n;
    });
    this.attacks.forEach(([from, to, n], index) => {
      const maxArmies = this.maxArmies(index);
      if (owner[from] !== this.player) problems.push({ kind: 'attack', index, reason: t('not your region') });
      else if (!this.doc.map.regions[from].near.includes(to)) problems.push({ kind: 'attack', index, reason: t('not adjacent') });
      else if (n > maxArmies) problems.push({ kind: 'attack', index, reason: maxArmies ? t('only {n} can be sent', { n: maxArmies }) : t('no armies are left to send'), soft: true });
    });
    const maxOrders = this.doc.rules.max_orders;
    if (maxOrders && this.deploys.length > maxOrders) problems.push({ kind: 'deploy', index: maxOrders, reason: t('at most {n, plural, one {# order} other {# orders}}', { n: maxOrders }) });
    if (maxOrders && this.attacks.length > maxOrders) problems.push({ kind: 'attack', index: maxOrders, reason: t('at most {n, plural, one {# order} other {# orders}}', { n: maxOrders }) });
    return problems;
  }
}
