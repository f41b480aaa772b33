// A game's events as rounds with positions before, within and after each.
import { apply, holder } from './rules';
import type { Change, Deploy, Doc, Dropped, GameEvent, InsightData, Move, Orders, Position } from './types';
import { UNKNOWN } from './types';

export interface Mark {
  kind: 'capture' | 'won' | 'lost' | 'out' | 'error';
  text: string;
}

export interface Round {
  number: number;
  deploys: Deploy[];
  moves: Move[];
  dropped: Dropped[];
  orders: (Orders | null)[];
  insights: (InsightData | null)[];
  marks: Mark[];
}

/** Positions after every round, and the steps within; grows as events come in. */
export class History {
  positions: Position[] = []; // after 0, 1, 2 … rounds
  rounds: Round[] = []; // round k at k - 1
  end: Extract<GameEvent, { event: 'end' }> | null = null;
  failures: Extract<GameEvent, { event: 'failure' }>[] = [];
  draw = false; // that was agreed on
  private waiting = new Map<number, InsightData>();

  constructor(private doc: Doc) {
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
        orders: event.orders,
        insights,
        marks: marks(this.doc, before, after, event.moves, insights),
      });
      this.positions.push(after);
    } else if (event.event === 'end') this.end = event;
    else if (event.event === 'failure') this.fail(event);
    else if (event.event === 'draw') this.draw = true;
  }

  /** It is marked in its round, which stands before it. */
  private fail(failure: Extract<GameEvent, { event: 'failure' }>): void {
    this.failures.push(failure);
    const name = this.doc.players[failure.player].name;
    const text = failure.reason === 'resigned' ? does(name, 'resigns') : does(name, `loses by forfeit: ${failure.reason}`);
    this.rounds[failure.round - 1]?.marks.push({ kind: failure.reason === 'resigned' ? 'out' : 'error', text });
  }

  /** Rounds played. */
  get last(): number {
    return this.rounds.length;
  }

  /** Steps of a round: its deploys, then each move. */
  steps(round: number): number {
    return round < 1 || round > this.last ? 0 : 1 + this.rounds[round - 1].moves.length;
  }

  /** The position within a round: step 0 before it, 1 after the deploys, then after each move. */
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

function marks(doc: Doc, before: Position, after: Position, moves: Move[], insights: (InsightData | null)[]): Mark[] {
  const found: Mark[] = [];
  const name = (p: number) => doc.players[p].name;
  const captures = moves.filter((m) => m[6]).length;
  if (captures) found.push({ kind: 'capture', text: `${captures} ${captures === 1 ? 'capture' : 'captures'}` });
  const seen = (p: Position, regions: number[]) => regions.every((r) => p.owner[r] !== UNKNOWN);
  doc.map.supers.forEach((x, s) => {
    if (!seen(before, x.regions) || !seen(after, x.regions)) return; // in fog nobody can tell
    const [old, now] = [holder(doc.map, s, before.owner), holder(doc.map, s, after.owner)];
    if (old === now) return;
    if (old >= 0) found.push({ kind: 'lost', text: does(name(old), `loses ${x.name}`) });
    if (now >= 0) found.push({ kind: 'won', text: does(name(now), `wins ${x.name} (+${x.bonus})`) });
  });
  doc.players.forEach((_, p) => {
    const out = before.owner.includes(p) && !after.owner.includes(p);
    if (out && (p === doc.seat || !after.owner.includes(UNKNOWN))) found.push({ kind: 'out', text: does(name(p), 'is out') });
    const error = insights[p]?.error;
    if (error) found.push({ kind: 'error', text: `${name(p)}: ${error}` });
  });
  return found;
}

/** "Ann wins", "You win": what a player does, in words. */
export function does(name: string, verb: string): string {
  if (name !== 'You') return `${name} ${verb}`;
  const [first, ...rest] = verb.split(' ');
  return ['You', first === 'is' ? 'are' : first.replace(/s$/, ''), ...rest].join(' ');
}

/** A step in words. */
export function tell(doc: Doc, round: Round, step: number): string {
  const region = (r: number) => doc.map.regions[r].name;
  const name = (p: number) => doc.players[p].name;
  if (step <= 0) return `Round ${round.number} begins`;
  if (step === 1) {
    const parts = round.deploys.map(([p, r, n]) => does(name(p), `deploys ${n} on ${region(r)}`));
    return parts.join(' · ') || 'Nobody deploys';
  }
  const [player, from, to, armies, lost, killed, captured] = round.moves[step - 2];
  if (lost === undefined) return does(name(player), `moves ${armies} from ${region(from)} to ${region(to)}`);
  const you = name(player) === 'You';
  const outcome = captured ? `${you ? 'take' : 'takes'} ${region(to)} with ${armies - lost}` : `${you ? 'are' : 'is'} beaten back`;
  const fight = does(name(player), `attacks ${region(to)} from ${region(from)} with ${armies}`);
  return `${fight}: ${you ? 'lose' : 'loses'} ${lost}, ${you ? 'kill' : 'kills'} ${killed}, ${outcome}`;
}
