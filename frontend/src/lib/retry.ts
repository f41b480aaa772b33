// A server that does not answer is asked again, less and less often.
const FIRST = 250; // milliseconds
const LONGEST = 4000;

export class Retry {
  ended = false;
  private delay = FIRST;
  private timer = 0;

  /** Later, unless it ended. */
  again(what: () => void): void {
    if (this.ended) return;
    this.timer = window.setTimeout(what, this.delay);
    this.delay = Math.min(LONGEST, this.delay * 1.6);
  }

  /** It answers: what fails next is tried again soon. */
  answered(): void {
    this.delay = FIRST;
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
