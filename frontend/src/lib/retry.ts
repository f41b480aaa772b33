// Repeat requests to a server that does not answer, with growing delays.
const FIRST = 250; // first delay in milliseconds; `LONGEST` is the largest one
const LONGEST = 4000;

export class Retry {
  ended = false;
  private delay = FIRST;
  private timer = 0;

  /** Call `callback` after the current delay, unless `end` was called. */
  schedule(callback: () => void): void {
    if (this.ended) return;
    this.timer = window.setTimeout(callback, this.delay);
    this.delay = Math.min(LONGEST, this.delay * 1.6);
  }

  /** Reset the delay after an answer of the server. */
  answered(): void {
    this.delay = FIRST;
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
