// The engine of analysis and hints: a bot and its time for a turn. This browser stores the choice for all games.
import type { Opponent } from '../opponents';
import { loadItem, saveItem } from '../storage';

export const TIMES = [0.2, 0.5, 1, 2, 5, 10]; // seconds for a turn

/** A bot that can analyse. timed: whether the user can choose its time for a turn. */
export interface Engine {
  spec: string;
  label: string;
  timed: boolean;
}

class EngineChoice {
  spec = $state(loadItem('warlight.engine') ?? '');
  seconds = $state(TIMES.find((time) => `${time}` === loadItem('warlight.engine.seconds')) ?? 1);

  choose(spec: string): void {
    this.spec = spec;
    saveItem('warlight.engine', spec);
  }

  setSeconds(seconds: number): void {
    this.seconds = seconds;
    saveItem('warlight.engine.seconds', `${seconds}`);
  }
}

export const engineChoice = new EngineChoice();

/** The engine of a guest, who does not know the bots of the server. */
export const GUEST_ENGINE: Engine = { spec: 'nash:secs=1', label: '', timed: true };

/** Return a specification without its time for a turn. */
function untimed(spec: string): string {
  return spec.replace(/:secs=[\d.]+$/, '');
}

/**
 * Return the bots that can analyse, one for each specification without its time. A label contains a specification only
 * if bots have the same name.
 */
export function enginesOf(bots: Opponent[]): Engine[] {
  const engines = new Map<string, Engine>();
  for (const { spec, name, seconds } of bots) {
    const base = untimed(spec);
    if (!engines.has(base)) engines.set(base, { spec, label: name.replace(spec, base), timed: seconds > 0 });
  }
  return [...engines.values()];
}

/** Return the engine that the user has chosen, if it plays the game; else the equilibrium search, or the first bot. */
export function engineOf(bots: Opponent[]): Engine | null {
  const engines = enginesOf(bots);
  const first = (accepts: (engine: Engine) => boolean) => engines.find(accepts);
  return first(({ spec }) => spec === engineChoice.spec) ?? first(({ spec }) => spec.startsWith('nash')) ?? first(({ timed }) => timed) ?? engines[0] ?? null;
}
