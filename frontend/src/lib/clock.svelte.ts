// The time limit of a turn. The server sends the remaining time; between messages the page computes it.
import type { Live } from './live.svelte';

const TICK = 200; // milliseconds between two updates of the clock

export class TurnClock {
  private time = $state(performance.now());
  private handledTurn = ''; // the last turn for which `onup` succeeded

  constructor(
    private live: Live,
    onup: () => boolean, // called when the time of a turn is over; returns false to be called again at the next tick
  ) {
    $effect(() => {
      if (!this.state?.runs) return;
      const timer = setInterval(() => {
        this.time = performance.now();
        const turn = `${live.now!.phase} ${live.now!.round} ${live.now!.awaited}`;
        if (this.left! > 0 || this.handledTurn === turn) return;
        if (onup()) this.handledTurn = turn;
      }, TICK);
      return () => clearInterval(timer);
    });
  }

  private get state() {
    return this.live.connected ? (this.live.now?.clock ?? null) : null;
  }

  get limit(): number | null {
    return this.live.now?.clock?.limit ?? null;
  }

  get runs(): boolean {
    return this.state?.runs ?? false;
  }

  /** Whether the clock waits until all people have opened the game. */
  get isWaiting(): boolean {
    return Boolean(this.state?.waits.length);
  }

  /** Remaining time in seconds; null: there is no time limit. */
  get left(): number | null {
    const state = this.live.now?.clock;
    if (!state) return null;
    const since = state.runs ? Math.max(0, this.time - this.live.nowAt) / 1000 : 0;
    return Math.max(0, state.left - since);
  }
}
