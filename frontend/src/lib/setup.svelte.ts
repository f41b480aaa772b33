// A game that is to be made: who sits where, on which map, by which rules. The browser remembers it.
import type { Home } from './api';
import { type GameKind, nameOf, type Opponent, notPlayed } from './opponents';
import { YOU } from './people';
import { keep, keptData } from './storage';
import { t } from './words.svelte';

/** Besides the one who makes the game. */
export type SetupSeat = { kind: 'bot'; spec: string };

export interface NewPlayer {
  name: string;
  bot?: string;
}

const KEY = 'warlight.setup';
export const MOST = 6; // players

export class Setup {
  name = $state('');
  seats = $state<SetupSeat[]>([]);
  chosen = $state(0); // the seat that the ladder fills
  map = $state('world');
  regions = $state(42); // of a generated map
  rules = $state('thesis');
  fog = $state(false);
  picks = $state<'choose' | 'random'>('choose');
  seed = $state<number | null>(null); // of this visit alone

  constructor(private home: Home) {
    const kept = keptData(KEY) as Record<string, unknown> | null;
    const text = (name: string) => (typeof kept?.[name] === 'string' ? (kept[name] as string) : '');
    this.name = text('name').slice(0, 32);
    this.map = this.maps.some((m) => m.name === text('map')) || text('map') === 'generated' ? text('map') : 'world';
    this.regions = Number.isInteger(kept?.regions) ? Math.max(10, Math.min(200, kept!.regions as number)) : 42;
    this.rules = home.rules.some((r) => r.name === text('rules')) ? text('rules') : 'thesis';
    this.fog = kept?.fog === true;
    this.picks = text('picks') === 'random' ? 'random' : 'choose';
    const seats = Array.isArray(kept?.seats) ? kept.seats : [];
    this.seats = seats.filter((seat) => home.opponents.some((bot) => bot.spec === seat?.spec)).slice(0, MOST - 1).map(({ spec }) => ({ kind: 'bot', spec }));
    if (!this.seats.length) this.seats = [{ kind: 'bot', spec: home.opponents[0].spec }];
  }

  private get maps() {
    return this.home.maps;
  }

  keep(): void {
    const { name, seats, map, regions, rules, fog, picks } = this;
    keep(KEY, JSON.stringify({ name, seats, map, regions, rules, fog, picks }));
  }

  get kind(): GameKind {
    const regions = this.map === 'generated' ? this.regions : (this.maps.find((m) => m.name === this.map)?.regions ?? 0);
    return { players: this.seats.length + 1, regions, rules: this.rules, fog: this.fog };
  }

  bot(spec: string): Opponent | undefined {
    return this.home.opponents.find((bot) => bot.spec === spec);
  }

  /** Why the game cannot be made with who sits there; '': it can. */
  problem(seat: SetupSeat): string {
    const bot = this.bot(seat.spec);
    return bot ? notPlayed(bot, this.kind) : t('is not here');
  }

  get ready(): boolean {
    return this.seats.every((seat) => !this.problem(seat));
  }

  /** Seat an opponent where the ladder fills. */
  take(spec: string): void {
    this.seats[this.chosen] = { kind: 'bot', spec };
  }

  add(): void {
    if (this.seats.length >= MOST - 1) return;
    const game = { ...this.kind, players: this.seats.length + 2 };
    const last = this.seats.at(-1)!;
    const fits = (spec: string) => Boolean(this.bot(spec)) && !notPlayed(this.bot(spec)!, game);
    const spec = fits(last.spec) ? last.spec : (this.home.opponents.find((bot) => !notPlayed(bot, game))?.spec ?? last.spec);
    this.seats.push({ kind: 'bot', spec });
    this.chosen = this.seats.length - 1;
  }

  remove(index: number): void {
    this.seats.splice(index, 1);
    this.chosen = Math.min(this.chosen, this.seats.length - 1);
  }

  /** Who plays, as the server is told; opponents of one name are numbered. */
  get players(): NewPlayer[] {
    const names = this.seats.map((seat) => nameOf(seat.spec));
    const told = names.map((name, i) => {
      const same = names.filter((other) => other === name).length > 1;
      return (same ? `${name.slice(0, 29)} ${names.slice(0, i + 1).filter((other) => other === name).length}` : name).slice(0, 32);
    });
    return [{ name: this.name.trim() || YOU }, ...this.seats.map((seat, i) => ({ name: told[i], bot: seat.spec }))];
  }

  get body(): Record<string, unknown> {
    const { players, map, regions, rules, fog, picks, seed } = this;
    return { players, map, regions, rules, fog, picks, seed };
  }
}
