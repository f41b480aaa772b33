// The playback of a game: the position in its rounds and orders, speed, perspective and map layer.
import { History } from './history';
import { person } from './player-names';
import { fogged } from './rules';
import { type GameDoc, type GameEvent, type Position, UNKNOWN } from './types';
import { t } from './i18n.svelte';

export type Layer = 'none' | 'value' | 'threat' | 'visits';
export const LAYERS: Layer[] = ['none', 'value', 'threat', 'visits'];
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];
const HASTE = 1500; // milliseconds: rounds that come closer together are shown as a whole
const STEP = 900; // milliseconds of an order at speed 1

/** How many times as fast: "½×", "4×". */
export function times(speed: number): string {
  return `${{ 0.25: '¼', 0.5: '½' }[speed] ?? speed}×`;
}

export class Playback {
  history: History;
  version = $state(0); // grows with every event: what depends on the history reads it
  round = $state(0);
  step = $state(0);
  playing = $state(false);
  speed = $state(1);
  view = $state(0); // 0: all; else a player, from 1
  layer = $state<Layer>('none');
  attached = $state(true); // to the last round of a game in play
  animate = true; // new rounds are played order by order
  hasty = $state(false); // what is shown will be gone before an eye could follow it
  private whole: History | null = null; // of a game that was seen in part, not shown yet
  private timer = 0;
  private lastRound = -Infinity;

  constructor(public doc: GameDoc) {
    this.history = new History(doc);
    this.pace(1);
  }

  /** Play orders so many times as fast as usual; 0: show new rounds at once, as where the system wants no motion. */
  pace(speed: number): void {
    const quiet = typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.animate = speed > 0 && !quiet;
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

  /** Rounds played before the orders that are looked at: where a bot is asked, and a game goes on. */
  get before(): number {
    return Math.max(0, this.step < this.steps ? this.round - 1 : this.round);
  }

  /** Why there is no turn after `before`, or none of this player; '': there is one. */
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
      const hasty = performance.now() - this.lastRound < HASTE; // faster than orders can be followed
      this.lastRound = performance.now();
      if (this.animate && !hasty) {
        this.round = event.round;
        this.step = 0;
        this.play();
      } else {
        this.toEnd();
        this.hasty = hasty;
      }
    }
  }

  /** The whole game is known now, of which a part was seen: once what is being played has been shown. */
  lift(events: GameEvent[]): void {
    const history = new History({ ...this.doc, seat: null, events });
    if (history.last !== this.last) return;
    this.whole = history;
    if (!this.playing) this.unveil();
  }

  private unveil(): void {
    if (!this.whole) return;
    const end = this.atEnd;
    [this.history, this.whole] = [this.whole, null];
    this.version++;
    if (end) this.step = this.steps;
  }

  private move(round: number, step = Infinity): void {
    const whole = (n: number) => (n === Infinity ? n : Math.trunc(n) || 0); // addresses are typed by hand, too
    this.round = Math.max(0, Math.min(this.last, whole(round)));
    this.step = Math.max(0, Math.min(this.steps, whole(step)));
    this.hasty = false;
  }

  /** Where somebody wants to look: elsewhere than at the end no new round takes the screen. */
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

  /** To the next (1) or previous (-1) step that fits. */
  seek(direction: 1 | -1, fits: (round: number, step: number) => boolean): void {
    let [round, step] = [this.round, this.step];
    for (;;) {
      step += direction;
      if (step > this.history.steps(round)) [round, step] = [round + 1, 1];
      else if (step < 1) {
        round -= 1;
        step = this.history.steps(round);
      }
      if (round < 1 || round > this.last) return;
      if (fits(round, step)) return this.go(round, step);
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

  /** Play what came after so many rounds, order by order. */
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

  faster(by: 1 | -1): void {
    const index = SPEEDS.indexOf(this.speed) + by;
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
