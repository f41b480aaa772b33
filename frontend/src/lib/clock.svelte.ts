// The time that people have for a turn, as the server counts it; between its messages the page counts on.
import type { Live } from './live.svelte';

const TICK = 200; // milliseconds

export class TurnClock {
  private at = $state(performance.now());
  private told = ''; // the turn whose end was told

  constructor(
    private live: Live,
    onup: () => boolean, // the time of a turn is up; false: ask again, it cannot be told yet
  ) {
    $effect(() => {
      if (!this.state?.runs) return;
      const timer = setInterval(() => {
        this.at = performance.now();
        const turn = `${live.now!.phase} ${live.now!.round} ${live.now!.awaited}`;
        if (this.left! > 0 || this.told === turn) return;
        if (onup()) this.told = turn;
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

  /** Seconds that are left; null: there is no limit. */
  get left(): number | null {
    const state = this.live.now?.clock;
    if (!state) return null;
    const since = state.runs ? Math.max(0, this.at - this.live.nowAt) / 1000 : 0;
    return Math.max(0, state.left - since);
  }
}
