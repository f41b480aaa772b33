// Keyboard shortcuts of the playback: orders, rounds, perspectives, layers.
import { LAYERS, type Playback } from './playback.svelte';
import type { WinProbabilities } from './types';

const FALL = 0.15; // fall of the win probability that marks a round as bad

/** The rounds in which a player's win probability fell by more than `FALL`. */
export function badRounds(chances: WinProbabilities, player: number): number[] {
  return chances.flatMap((c, r) => (c && chances[r - 1] && chances[r - 1][player][0] - c[player][0] > FALL ? [r] : []));
}

export class PlaybackKeys {
  private digits = '';
  private timer = 0;

  constructor(
    private show: Playback,
    private options: { live: boolean; seat: number | null; mistake: (direction: 1 | -1) => void; table: () => void; keys: () => void; try: () => void; variation: (direction: 1 | -1) => void; leave: () => void },
  ) {}

  /** Handle a key; returns false if it is not one of these shortcuts. */
  key(event: KeyboardEvent): boolean {
    const { show, options } = this;
    const k = event.key;
    if (/^\d$/.test(k)) {
      this.digits += k;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.perspective(), 700);
      return true;
    }
    if (k === 'Enter' && this.digits) {
      show.pause();
      show.go(Number(this.digits));
      this.digits = '';
      return true;
    }
    const paused = (act: () => void) => () => {
      show.pause();
      act();
    };
    const acts: Record<string, () => void> = {
      ArrowLeft: paused(() => (event.shiftKey ? show.go(show.round - 1) : show.back())),
      ArrowRight: paused(() => (event.shiftKey ? show.go(show.step < show.steps ? show.round : show.round + 1) : show.forward())),
      Home: paused(() => show.go(0)),
      End: () => show.toEnd(),
      // at the end of a game on the server, the result stays; the button plays the game again
      ' ': () => (options.live && show.playing ? show.toEnd() : !(options.live && show.atEnd) && show.toggle()),
      '<': () => show.faster(-1),
      '>': () => show.faster(1),
      e: paused(() => show.seek(1, show.isCapture)),
      q: paused(() => show.seek(-1, show.isCapture)),
      b: paused(() => options.mistake(event.shiftKey ? -1 : 1)),
      y: options.try,
      n: paused(() => options.variation(1)),
      p: paused(() => options.variation(-1)),
      x: options.leave,
      v: () => (show.layer = LAYERS[(LAYERS.indexOf(show.layer) + 1) % LAYERS.length]),
      l: () => show.toEnd(),
      t: options.table,
      '?': options.keys,
    };
    const act = acts[k] ?? acts[k.toLowerCase()];
    if (!act || (k === ' ' && (event.target as HTMLElement).closest('button, a'))) return false;
    act();
    return true;
  }

  private perspective(): void {
    if (this.digits.length === 1 && Number(this.digits) <= this.show.doc.players.length && this.options.seat === null) {
      this.show.view = Number(this.digits);
    }
    this.digits = '';
  }
}
