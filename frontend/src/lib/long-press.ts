// A long press of one finger on a region. Not all browsers send a "contextmenu" event for it.
const TIME = 500; // milliseconds
const STILL = 10; // pixels that the finger may move

export class LongPress {
  private timer = 0;
  private from: { id: number; x: number; y: number } | null = null;
  private done = false;

  constructor(private act: (region: number) => void) {}

  down(event: PointerEvent, region: number | null): void {
    const second = this.from !== null;
    this.end();
    if (region === null || second) return;
    this.from = { id: event.pointerId, x: event.clientX, y: event.clientY };
    this.timer = window.setTimeout(() => {
      this.done = true;
      this.act(region);
    }, TIME);
  }

  moved(event: PointerEvent): void {
    const { from } = this;
    if (from?.id === event.pointerId && Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL) clearTimeout(this.timer);
  }

  /** End the press; returns whether it was long. Then the click that follows must be ignored. */
  end(): boolean {
    clearTimeout(this.timer);
    const { done } = this;
    [this.from, this.done] = [null, false];
    return done;
  }
}
