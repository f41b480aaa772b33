// The events of a game, converted to rounds with positions before, within and after each.
import { person } from './player-names';
import { apply, holder } from './rules';
import type { Change, Deploy, GameDoc, Dropped, GameEvent, DecisionInfo, Move, Orders, Position } from './types';
import { UNKNOWN } from './types';
import { t } from './i18n.svelte';

const TIME_UP = /^the time was over, and no turn was submitted$/; // see `warlight_env/web/games/turn_clock.py`
export const RESIGNED = 'resigned'; // the reason in "failure" events for a player who resigned

/** A notable event of a round. */
export type Mark =
  | { kind: 'capture'; captures: number }
  | { kind: 'won' | 'lost'; player: number; super: number }
  | { kind: 'out'; player: number; resigned?: boolean }
  | { kind: 'error'; player: number; reason: string; forfeit: boolean };

export interface Round {
  number: number;
  deploys: Deploy[];
  moves: Move[];
  dropped: Dropped[];
  orders: (Orders | null)[]; // without illegal orders
  insights: (DecisionInfo | null)[];
  marks: Mark[];
}

/** Return the orders of a player without its illegal orders. `dropped`: the illegal orders of all players in the round. */
function legalPart(player: number, { deploys, attacks }: Orders, dropped: Dropped[]): Orders {
  const isLegal = (kind: Dropped[1], index: number) => !dropped.some(([p, k, i]) => p === player && k === kind && i === index);
  return { deploys: deploys.filter((_, i) => isLegal('deploy', i)), attacks: attacks.filter((_, i) => isLegal('attack', i)) };
}

/** The positions after every round and the steps within rounds. It grows with each event. */
export class History {
  positions: Position[] = []; // element k is the position after k rounds
  rounds: Round[] = []; // element k - 1 is round k
  end: Extract<GameEvent, { event: 'end' }> | null = null;
  failures: Extract<GameEvent, { event: 'failure' }>[] = [];
  draw = false; // whether the players agreed on a draw
  private waiting = new Map<number, DecisionInfo>();

  constructor(private doc: GameDoc) {
    for (const event of doc.events ?? []) this.take(event);
  }

  take(event: GameEvent): void {
    if (event.event === 'start') this.positions = [{ owner: event.owner, army: event.army }];
    else if (event.event === 'picks') this.positions = [changed(this.positions[0], event.changed)];
    else if (event.event === 'insight') this.waiting.set(event.player, event.data);
    else if (event.event === 'round') {
      const before = this.positions.at(-1)!;
      const after = changed(before, event.changed);
      const insights = this.doc.players.map((_, p) => this.waiting.get(p) ?? null);
      this.waiting.clear();
      this.rounds.push({
        number: event.round,
        deploys: event.deploys,
        moves: event.moves,
        dropped: event.dropped ?? [],
        orders: event.orders.map((orders, p) => orders && legalPart(p, orders, event.dropped ?? [])),
        insights,
        marks: marksOf(this.doc, before, after, event.moves, insights),
      });
      this.positions.push(after);
    } else if (event.event === 'end') this.end = event;
    else if (event.event === 'failure') this.fail(event);
    else if (event.event === 'draw') this.draw = true;
  }

  /** Mark a failure in its round; the event of the round comes first. */
  private fail(failure: Extract<GameEvent, { event: 'failure' }>): void {
    this.failures.push(failure);
    const { player, round, reason } = failure;
    this.rounds[round - 1]?.marks.push(reason === RESIGNED ? { kind: 'out', player, resigned: true } : { kind: 'error', player, reason, forfeit: true });
  }

  /** Number of rounds played. */
  get last(): number {
    return this.rounds.length;
  }

  /** Number of steps of a round: one for all deploys, then one for each move. */
  steps(round: number): number {
    return round < 1 || round > this.last ? 0 : 1 + this.rounds[round - 1].moves.length;
  }

  /**
   * Return a position within a round: step 0 is before the round, step 1 after the deploys, each further step after one
   * more move.
   */
  at(round: number, step: number): Position {
    if (round < 1) return this.positions[0];
    if (step >= this.steps(round)) return this.positions[round];
    const before = this.positions[round - 1];
    if (step <= 0) return before;
    const position = { owner: [...before.owner], army: [...before.army] };
    const { deploys, moves } = this.rounds[round - 1];
    for (const [, region, armies] of deploys) if (position.army[region]) position.army[region] += armies;
    for (const move of moves.slice(0, step - 1)) apply(position, move);
    return position;
  }
}

function changed(before: Position, changes: Change[]): Position {
  const after = { owner: [...before.owner], army: [...before.army] };
  for (const [region, owner, army] of changes) {
    after.owner[region] = owner;
    after.army[region] = army;
  }
  return after;
}

function marksOf(doc: GameDoc, before: Position, after: Position, moves: Move[], insights: (DecisionInfo | null)[]): Mark[] {
  const roundMarks: Mark[] = [];
  const captures = moves.filter((m) => m[6]).length;
  if (captures) roundMarks.push({ kind: 'capture', captures });
  const isVisible = (p: Position, regions: number[]) => regions.every((r) => p.owner[r] !== UNKNOWN);
  doc.map.supers.forEach(({ regions }, s) => {
    // the fog hides some of the regions, so the owner of the whole is unknown
    if (!isVisible(before, regions) || !isVisible(after, regions)) return;
    const [oldOwner, newOwner] = [holder(doc.map, s, before.owner), holder(doc.map, s, after.owner)];
    if (oldOwner === newOwner) return;
    if (oldOwner >= 0) roundMarks.push({ kind: 'lost', player: oldOwner, super: s });
    if (newOwner >= 0) roundMarks.push({ kind: 'won', player: newOwner, super: s });
  });
  doc.players.forEach((_, p) => {
    const isOut = before.owner.includes(p) && !after.owner.includes(p);
    if (isOut && (p === doc.seat || !after.owner.includes(UNKNOWN))) roundMarks.push({ kind: 'out', player: p });
    const reason = insights[p]?.error;
    if (reason) roundMarks.push({ kind: 'error', player: p, reason, forfeit: false });
  });
  return roundMarks;
}

/** Whether a mark is good or bad for a side; '': neither, or there is no side. */
export function valueOf(mark: Mark, side: number | null): 'good' | 'bad' | '' {
  if (side === null || mark.kind === 'capture') return '';
  if (mark.kind === 'error' && mark.player !== side) return '';
  return (mark.player === side) === (mark.kind === 'won') ? 'good' : 'bad';
}

/** Describe a mark in words. */
export function describeMark(doc: GameDoc, mark: Mark): string {
  if (mark.kind === 'capture') return t('{n, plural, one {# capture} other {# captures}}', { n: mark.captures });
  const values = person(doc, mark.player);
  if (mark.kind === 'out' && mark.resigned) return t('{you, select, yes {You resign} other {{who} resigns}}', values);
  if (mark.kind === 'out') return t('{you, select, yes {You are out} other {{who} is out}}', values);
  if (mark.kind === 'error' && TIME_UP.test(mark.reason)) return t('{you, select, yes {You gave} other {{who} gave}} no orders in time', values);
  if (mark.kind === 'error' && !mark.forfeit) return t('{who}: {reason}', { ...values, reason: mark.reason });
  if (mark.kind === 'error') return t('{you, select, yes {You lose} other {{who} loses}} by forfeit: {reason}', { ...values, reason: mark.reason });
  const { name, bonus } = doc.map.supers[mark.super];
  if (mark.kind === 'lost') return t('{you, select, yes {You lose} other {{who} loses}} {name}', { ...values, name });
  return t('{you, select, yes {You win} other {{who} wins}} {name} (+{bonus})', { ...values, name, bonus });
}

/** Describe all marks of a round, separated by commas. */
export function marksText(doc: GameDoc, round: Round): string {
  return round.marks.map((mark) => describeMark(doc, mark)).join(', ');
}

/** Describe a deploy in words. */
export function tellDeploy(doc: GameDoc, [player, region, armies]: Deploy): string {
  const values = { ...person(doc, player), armies, region: doc.map.regions[region].name };
  return t('{you, select, yes {You deploy} other {{who} deploys}} {armies} on {region}', values);
}

/** Describe a step of a round in words. */
export function tell(doc: GameDoc, round: Round, step: number): string {
  if (step <= 0) return t('Round {round} begins', { round: round.number });
  if (step === 1) return round.deploys.map((deploy) => tellDeploy(doc, deploy)).join(' · ') || t('No player deploys');
  const [player, from, to, armies, lost, killed = 0, captured] = round.moves[step - 2];
  const values = { ...person(doc, player), from: doc.map.regions[from].name, to: doc.map.regions[to].name, armies };
  if (lost === undefined) return t('{you, select, yes {You move} other {{who} moves}} {armies} from {from} to {to}', values);
  const fight = { ...values, lost, killed, left: armies - lost };
  if (captured) {
    return t(
      '{you, select, yes {You attack {to} from {from} with {armies}: lose {lost}, kill {killed}, take {to} with {left}} other {{who} attacks {to} from {from} with {armies}: loses {lost}, kills {killed}, takes {to} with {left}}}',
      fight,
    );
  }
  return t(
    '{you, select, yes {You attack {to} from {from} with {armies}: lose {lost}, kill {killed}, do not take {to}} other {{who} attacks {to} from {from} with {armies}: loses {lost}, kills {killed}, does not take {to}}}',
    fight,
  );
}
