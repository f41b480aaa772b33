// The playback of a game: the current round and order, speed, perspective and map layer.
import { History } from './history';
import { calledYou, person } from './player-names';
import { fogged } from './rules';
import { type GameDoc, type GameEvent, type Position, UNKNOWN } from './types';
import { t } from './i18n.svelte';

export type Layer = 'none' | 'value' | 'threat' | 'visits';
export const LAYERS: Layer[] = ['none', 'value', 'threat', 'visits'];
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];
const HASTE = 1500; // milliseconds; rounds that arrive faster are shown as a whole, without their single orders
const STEP = 900; // milliseconds per order at speed 1

/** Format a speed: "½×", "4×". */
export function times(speed: number): string {
  return `${{ 0.25: '¼', 0.5: '½' }[speed] ?? speed}×`;
}

export class Playback {
  history: History;
  version = $state(0); // number of events; code that depends on the history reads it so that Svelte runs the code again
  round = $state(0);
  step = $state(0);
  playing = $state(false);
  speed = $state(1);
  view = $state(0); // perspective; 0: all players, n: player n - 1
  layer = $state<Layer>('none');
  attached = $state(true); // whether the playback follows new rounds of a running game
  animate = true; // whether new rounds are played order by order
  hasty = $state(false); // whether rounds arrive too fast to animate or scroll to them
  // the full history of a game that was played in fog; shown when the current animation ends
  private fullHistory: History | null = null;
  branch = $state<number | null>(null); // number of rounds of the game before the shown line; null: the game is shown
  private game: History | null = null; // the history of the game while another line is shown
  private timer = 0;
  private hastyTimer = 0; // timer that ends `hasty`
  private lastRound = -Infinity;

  constructor(public doc: GameDoc) {
    this.history = new History(doc);
    this.pace(1);
  }

  /**
   * Set the speed of the playback, as a multiple of the normal one. With 0, or if the system is set to reduced motion,
   * new rounds are shown at once.
   */
  pace(speed: number): void {
    const isMotionReduced = typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.animate = speed > 0 && !isMotionReduced;
    if (speed > 0) this.speed = speed;
  }

  position: Position = $derived.by(() => {
    void this.version;
    const position = this.history.at(this.round, this.step);
    if (!position) return { owner: [], army: [] };
    return this.view && this.doc.rules.fog && this.doc.seat == null
      ? fogged(this.doc.map, position, this.view - 1)
      : position;
  });

  /** The player on whose side the viewer is: its seat, the perspective, its seat in the finished game, or the player "You"; null: none. */
  get side(): number | null {
    const { doc, view } = this;
    const you = doc.players.findIndex((_, p) => calledYou(doc, p));
    return doc.seat ?? (view ? view - 1 : (doc.own ?? (you < 0 ? null : you)));
  }

  /** Whether a round has results that the running animation has not shown yet. */
  hides(round: number): boolean {
    if (!this.playing) return false;
    return round === this.round ? this.step < this.steps : round > this.round && this.doc.kind !== 'replay';
  }

  get current() {
    void this.version;
    return this.history.rounds[this.round - 1] ?? null;
  }

  get last(): number {
    void this.version;
    return this.history.last;
  }

  get steps(): number {
    void this.version;
    return this.history.steps(this.round);
  }

  get atEnd(): boolean {
    return this.round >= this.last && this.step >= this.steps;
  }

  /** The shown position in words. growing: whether the game continues, so that the number of its rounds is not known. */
  placeInWords(growing = false): string {
    const { round, last } = this;
    if (!round) return t('Start of the game');
    const values = { round, last };
    if (this.step < this.steps) return growing && round === last ? t('Round {round}', values) : t('Round {round} of {last}', values);
    return growing && round === last ? t('After round {round}', values) : t('After round {round} of {last}', values);
  }

  /** Number of rounds before the shown orders. Bots analyse this position, and a new game can start from it. */
  get before(): number {
    return Math.max(0, this.step < this.steps ? this.round - 1 : this.round);
  }

  /** Why the player has no turn after `before` rounds; '': there is one. player null: any player. */
  settled(player: number | null): string {
    void this.version;
    const { doc, before } = this;
    const owner = this.history.positions[before]?.owner ?? [];
    if (owner.includes(UNKNOWN)) return '';
    if (before >= doc.limit || doc.players.filter((_, p) => owner.includes(p)).length < 2) return t('The game is over at this point');
    return player === null || owner.includes(player) ? '' : t('{you, select, yes {You are out at this point} other {{who} is out at this point}}', person(doc, player));
  }

  take(event: GameEvent): void {
    this.history.take(event);
    this.version++;
    if (event.event === 'round' && this.attached) {
      // rounds arrive faster than a user can follow single orders
      const hasty = performance.now() - this.lastRound < HASTE;
      this.lastRound = performance.now();
      if (this.animate && !hasty) {
        this.round = event.round;
        this.step = 0;
        this.play();
      } else {
        this.toEnd();
        this.hasty = hasty;
        clearTimeout(this.hastyTimer);
        this.hastyTimer = window.setTimeout(() => (this.hasty = false), HASTE);
      }
    }
  }

  /** Show the full history of the game, now or when the current animation ends. */
  lift(events: GameEvent[]): void {
    const history = new History({ ...this.doc, seat: null, events });
    if (history.last !== this.last) return;
    this.fullHistory = history;
    if (!this.playing) this.unveil();
  }

  /** The history of the game, also while another line is shown. */
  get main(): History {
    return this.game ?? this.history;
  }

  /** Show other events after the first `branch` rounds of the game; null: show the game again. */
  follow(events: GameEvent[] | null, branch: number | null = null): void {
    const { main } = this;
    this.pause();
    this.game = events && main;
    this.history = events ? new History({ ...this.doc, events }) : main;
    this.branch = events && branch;
    this.version++;
    this.go(this.round, this.step);
  }

  /** Whether the shown round belongs to a variation. */
  get varied(): boolean {
    return this.branch !== null && this.round > this.branch;
  }

  private unveil(): void {
    if (!this.fullHistory) return;
    const end = this.atEnd;
    [this.history, this.fullHistory] = [this.fullHistory, null];
    this.version++;
    if (end) this.step = this.steps;
  }

  private move(round: number, step = Infinity): void {
    // a user may have typed any number in the address
    const toInteger = (n: number) => (n === Infinity ? n : Math.trunc(n) || 0);
    this.round = Math.max(0, Math.min(this.last, toInteger(round)));
    this.step = Math.max(0, Math.min(this.steps, toInteger(step)));
    this.hasty = false;
  }

  /** Go to a round and step. New rounds change the view only if it was at the end. */
  go(round: number, step = Infinity): void {
    this.move(round, step);
    this.attached = this.atEnd;
  }

  toEnd(): void {
    this.pause();
    this.go(this.last);
  }

  forward(): void {
    this.onward();
    this.attached = this.atEnd;
  }

  private onward(): void {
    if (this.step < this.steps) this.move(this.round, this.step + 1);
    else if (this.round < this.last) this.move(this.round + 1, 1);
  }

  back(): void {
    if (this.step > 1) this.go(this.round, this.step - 1);
    else if (this.round > 0) this.go(this.round - 1);
  }

  /** Go to the next (1) or previous (-1) step for which `matches` is true. */
  seek(direction: 1 | -1, matches: (round: number, step: number) => boolean): void {
    let [round, step] = [this.round, this.step];
    for (;;) {
      step += direction;
      if (step > this.history.steps(round)) [round, step] = [round + 1, 1];
      else if (step < 1) {
        round -= 1;
        step = this.history.steps(round);
      }
      if (round < 1 || round > this.last) return;
      if (matches(round, step)) return this.go(round, step);
    }
  }

  isCapture = (round: number, step: number): boolean => Boolean(this.history.rounds[round - 1]?.moves[step - 2]?.[6]);

  play(): void {
    if (this.playing) return;
    if (this.atEnd && !this.attached) this.go(0);
    this.playing = true;
    this.tick();
  }

  pause(): void {
    this.playing = false;
    clearTimeout(this.timer);
    this.unveil();
  }

  /** Play all rounds after the first `rounds`, order by order. */
  playFrom(rounds: number): void {
    if (!this.animate || rounds >= this.last) return;
    this.move(rounds);
    this.play();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else {
      if (this.atEnd) this.go(0);
      this.play();
    }
  }

  faster(change: 1 | -1): void {
    const index = SPEEDS.indexOf(this.speed) + change;
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index))];
  }

  private tick = (): void => {
    if (!this.playing) return;
    if (this.atEnd) {
      this.pause();
      return;
    }
    this.onward();
    if (this.atEnd) this.attached = true;
    this.timer = window.setTimeout(this.tick, STEP / this.speed);
  };
}
