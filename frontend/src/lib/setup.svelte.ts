// The form for a new game: players, map and rules. The browser stores it.
import type { Home } from './api';
import { type GameKind, nameOf, type Opponent, notPlayed } from './opponents';
import { YOU } from './player-names';
import { saveItem, loadData } from './storage';
import { t } from './i18n.svelte';

/** An opponent: a bot, or a friend in another browser. */
export type SetupSeat = { kind: 'bot'; spec: string } | { kind: 'friend'; name: string };

export interface NewPlayer {
  name: string;
  bot?: string;
  friend?: boolean;
}

const KEY = 'warlight.setup';
export const MOST = 6; // largest number of players
export const REGIONS = [10, 200] as const; // smallest and largest number of regions of a generated map
const MOST_SEED = 2 ** 53 - 1;
export const CLOCKS = [15, 30, 60, 120, 300, 900, 86400]; // choices for the time limit of a turn, in seconds

const isInteger = (value: unknown, least: number, most: number): boolean => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;

/** Why a number is not valid; '': it is. */
const rangeError = (value: unknown, least: number, most: number): string => (isInteger(value, least, most) ? '' : t('a whole number from {least, number} to {most, number}', { least, most }));

/** The opponent of a first game: the first one that the server offers, but none of the hard ones. */
function firstOpponent({ opponents }: Home): Opponent {
  const playable = opponents.filter(({ problem }) => !problem);
  return (playable[0]?.level === 'hard' && playable.find(({ level }) => level === 'medium')) || opponents[0];
}

export class Setup {
  name = $state('');
  seats = $state<SetupSeat[]>([]);
  chosen = $state(0); // index of the seat that gets the opponent selected in the leaderboard
  map = $state('world');
  regions = $state(42); // number of regions of a generated map
  rules = $state('thesis');
  fog = $state(false);
  picks = $state<'choose' | 'random'>('choose');
  clock = $state<number | null>(null); // time limit of a turn in seconds; null: none
  seed = $state<number | null>(null); // seed of the game; null: random; not stored in the browser

  constructor(private home: Home) {
    const saved = loadData(KEY) as Record<string, unknown> | null;
    const text = (name: string) => (typeof saved?.[name] === 'string' ? (saved[name] as string) : '');
    this.name = text('name').slice(0, 32);
    this.map = this.maps.some((m) => m.name === text('map')) || text('map') === 'generated' ? text('map') : 'world';
    this.regions = isInteger(saved?.regions, ...REGIONS) ? (saved!.regions as number) : 42;
    this.rules = home.rules.some((r) => r.name === text('rules')) ? text('rules') : 'thesis';
    this.fog = saved?.fog === true;
    this.picks = text('picks') === 'random' ? 'random' : 'choose';
    const seats = Array.isArray(saved?.seats) ? saved.seats : [];
    this.clock = CLOCKS.find((seconds) => seconds === saved?.clock) ?? null;
    this.seats = seats
      .filter((seat) => (seat?.kind === 'friend' ? typeof seat.name === 'string' : home.opponents.some((bot) => bot.spec === seat?.spec)))
      .slice(0, MOST - 1)
      .map((seat) => (seat.kind === 'friend' ? { kind: 'friend', name: seat.name.slice(0, 32) } : { kind: 'bot', spec: seat.spec }));
    if (!this.seats.length) this.seats = [{ kind: 'bot', spec: firstOpponent(home).spec }];
  }

  private get maps() {
    return this.home.maps;
  }

  keep(): void {
    const { name, seats, map, regions, rules, fog, picks, clock } = this;
    saveItem(KEY, JSON.stringify({ name, seats, map, regions, rules, fog, picks, clock }));
  }

  get kind(): GameKind {
    const regions = this.map === 'generated' ? this.regions : (this.maps.find((m) => m.name === this.map)?.regions ?? 0);
    return { players: this.seats.length + 1, regions, rules: this.rules, fog: this.fog };
  }

  bot(spec: string): Opponent | undefined {
    return this.home.opponents.find((bot) => bot.spec === spec);
  }

  /** Why the player of a seat cannot play this game; '': it can. */
  problem(seat: SetupSeat): string {
    if (seat.kind === 'friend') return '';
    const bot = this.bot(seat.spec);
    return bot ? notPlayed(bot, this.kind) : t('is not available');
  }

  get wrongSeed(): string {
    return this.seed === null ? '' : rangeError(this.seed, 0, MOST_SEED);
  }

  get wrongRegions(): string {
    return this.map === 'generated' ? rangeError(this.regions, ...REGIONS) : '';
  }

  /** Whether the seed and the number of regions are valid. */
  get sound(): boolean {
    return !this.wrongSeed && !this.wrongRegions;
  }

  get ready(): boolean {
    return this.sound && this.seats.every((seat) => !this.problem(seat));
  }

  /**
   * Put a bot on the selected seat. If all seats are for friends, use a new seat, or the last one if there are too
   * many.
   */
  take(spec: string): void {
    if (this.seats[this.chosen]?.kind !== 'bot') this.chosen = this.seats.findIndex((seat) => seat.kind === 'bot');
    if (this.chosen < 0) this.chosen = this.seats.length < MOST - 1 ? this.seats.length : this.seats.length - 1;
    this.seats[this.chosen] = { kind: 'bot', spec };
  }

  add(): void {
    if (this.seats.length >= MOST - 1) return;
    const game = { ...this.kind, players: this.seats.length + 2 };
    const specs = [...this.seats.flatMap((seat) => (seat.kind === 'bot' ? [seat.spec] : [])).reverse(), ...this.home.opponents.map((bot) => bot.spec)];
    const spec = specs.find((candidate) => this.bot(candidate) && !notPlayed(this.bot(candidate)!, game)) ?? specs[0];
    this.seats.push({ kind: 'bot', spec });
    this.chosen = this.seats.length - 1;
  }

  /** Add a seat for a friend. */
  invite(): void {
    if (this.seats.length < MOST - 1) this.seats.push({ kind: 'friend', name: '' });
  }

  remove(index: number): void {
    this.seats.splice(index, 1);
    this.chosen = Math.min(this.chosen, this.seats.length - 1);
  }

  /** The players in the format of the server; opponents with the same name get numbers. */
  get players(): NewPlayer[] {
    const friends = this.seats.filter((seat) => seat.kind === 'friend');
    const friend = (seat: SetupSeat) => t('Friend') + (friends.length > 1 ? ` ${friends.indexOf(seat as (typeof friends)[number]) + 1}` : '');
    const names = this.seats.map((seat) => (seat.kind === 'bot' ? nameOf(this.home.opponents, seat.spec) : seat.name.trim() || friend(seat)));
    const uniqueNames = names.map((name, i) => {
      const isRepeated = names.filter((other) => other === name).length > 1;
      return (isRepeated ? `${name.slice(0, 29)} ${names.slice(0, i + 1).filter((other) => other === name).length}` : name).slice(0, 32);
    });
    // the name "You" would be wrong on the friends' screens
    const ownName = this.name.trim() || (friends.length ? t('Host') : YOU);
    return [{ name: ownName }, ...this.seats.map((seat, i) => (seat.kind === 'bot' ? { name: uniqueNames[i], bot: seat.spec } : { name: uniqueNames[i], friend: true }))];
  }

  get body(): Record<string, unknown> {
    const { players, map, regions, rules, fog, picks, seed, clock } = this;
    return { players, map, regions, rules, fog, picks, seed, clock };
  }
}
