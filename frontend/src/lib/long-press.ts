// A long press of one finger on a region. Not all browsers send a "contextmenu" event for it.
const TIME = 500; // milliseconds
const STILL = 10; // pixels that the finger may move

/** Calls `act` when the finger is lifted: a finger that moves, even after a long time, drags the map instead. */
export class LongPress {
  private from: { id: number; region: number; x: number; y: number; since: number; moved: boolean } | null = null;

  constructor(private act: (region: number) => void) {}

  down(event: PointerEvent, region: number | null): void {
    const second = this.from !== null;
    this.end(false);
    if (region === null || second) return;
    this.from = { id: event.pointerId, region, x: event.clientX, y: event.clientY, since: performance.now(), moved: false };
  }

  moved(event: PointerEvent): void {
    const { from } = this;
    if (from?.id === event.pointerId && Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL) from.moved = true;
  }

  /**
   * End the press. `lifted`: the finger was lifted, and the browser did not take it for scrolling. Returns whether the
   * press was long or the finger moved; then the click that follows must be ignored.
   */
  end(lifted: boolean): boolean {
    const { from } = this;
    this.from = null;
    if (!from || !lifted) return false;
    const isLong = performance.now() - from.since >= TIME;
    if (isLong && !from.moved) this.act(from.region);
    return isLong || from.moved;
  }
}
