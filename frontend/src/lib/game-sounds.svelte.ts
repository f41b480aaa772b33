// Sounds for the events of a game during playback: captures, losses, ends of rounds, the end of the game.
import { untrack } from 'svelte';
import type { Playback } from './playback.svelte';
import { type Sound, sound } from './sounds';

const FAST = 8; // playback speed from which single orders make no sound

export class GameSounds {
  private round = 0;
  private step = 0;
  private wasOver = false;

  /** `side` returns the player for whom losses have the sound of a loss; null: no player. */
  constructor(
    private show: Playback,
    private side: () => number | null,
  ) {
    this.begin();
    $effect(() => {
      void [show.round, show.step, show.version, show.steps];
      untrack(() => this.playEvent());
    });
  }

  /** Start at the current position: earlier events make no sound. */
  begin(): void {
    [this.round, this.step, this.wasOver] = [this.show.round, this.show.step, this.ended];
  }

  /** Whether the screen shows the final position of a finished game. */
  private get ended(): boolean {
    return this.show.history.end !== null && this.show.atEnd;
  }

  private playEvent(): void {
    const { show } = this;
    const [round, step, wasOver] = [this.round, this.step, this.wasOver];
    this.begin();
    const next = show.round === round ? show.step === step + 1 : show.round === round + 1;
    if (this.wasOver && !wasOver && (next || show.round === round)) return sound(this.outcome());
    if (!next) return; // the viewer jumped to another position
    const isWholeRound = show.round !== round && show.step > 1; // the page shows a whole round in one step
    const event = show.speed >= FAST ? null : isWholeRound ? this.roundSound() : this.soundAt(show.round, show.step);
    if (event) sound(event);
    else if (show.step >= show.steps) sound('round');
  }

  private outcome(): Sound {
    const { winner } = this.show.history.end!;
    const side = this.side();
    return winner === null || (side !== null && winner !== side) ? 'lost' : 'won';
  }

  private soundAt(round: number, step: number): Sound | null {
    if (!this.show.isCapture(round, step)) return null;
    const side = this.side();
    const [, , to] = this.show.history.rounds[round - 1].moves[step - 2];
    return side !== null && this.show.history.at(round, step - 1).owner[to] === side ? 'loss' : 'capture';
  }

  private roundSound(): Sound | null {
    const { round, steps } = this.show;
    const events = Array.from({ length: steps }, (_, k) => this.soundAt(round, k + 1));
    return events.find((x) => x === 'loss') ?? events.find((x) => x !== null) ?? null;
  }
}
