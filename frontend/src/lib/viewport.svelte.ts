// How large the map is drawn and which part of it is seen: buttons, two fingers, Ctrl and the wheel.
import { flushSync } from 'svelte';
import type { Point } from './geometry';

const MOST = 6;
const NARROW = 560; // pixels: there the map is drawn larger from the start

export class Viewport {
  zoom = $state(1);
  width = $state(900); // of the frame, in pixels
  height = $state(400); // of the drawing, in pixels
  scroller: HTMLElement | undefined = $state();
  svg: SVGSVGElement | undefined = $state();
  private narrow = false;

  get largest(): boolean {
    return this.zoom >= MOST;
  }

  toMap(x: number, y: number): Point {
    const p = new DOMPoint(x, y).matrixTransform(this.svg!.getScreenCTM()!.inverse());
    return [p.x, p.y];
  }

  private toScreen([x, y]: Point): Point {
    const p = new DOMPoint(x, y).matrixTransform(this.svg!.getScreenCTM()!);
    return [p.x, p.y];
  }

  /** Draw the map so large; the point of the map that was at (x, y) of the screen is then at (toX, toY). */
  zoomTo(zoom: number, x: number, y: number, toX = x, toY = y): void {
    const point = this.toMap(x, y);
    flushSync(() => (this.zoom = Math.min(MOST, Math.max(1, zoom))));
    this.put(point, toX, toY);
  }

  /** Larger or smaller about the middle of what is seen. */
  step(factor: number): void {
    const box = this.scroller!.getBoundingClientRect();
    this.zoomTo(this.zoom * factor, box.left + box.width / 2, box.top + box.height / 2);
  }

  /** Bring a point into view, if it is not. */
  show(point: Point): void {
    const { scroller } = this;
    if (!scroller || !this.svg || this.zoom <= 1) return;
    const box = scroller.getBoundingClientRect();
    const [x, y] = this.toScreen(point);
    const edge = Math.min(40, box.width / 8);
    if (x > box.left + edge && x < box.right - edge && y > box.top + edge && y < box.bottom - edge) return;
    this.put(point, box.left + box.width / 2, box.top + box.height / 2);
  }

  /** On a narrow screen the map is drawn larger, and begins at a point; true: it has just become narrow, or wide. */
  fit(point: Point): boolean {
    if (this.narrow === this.width < NARROW) return false;
    this.narrow = this.width < NARROW;
    this.zoom = this.narrow ? 2 : 1;
    requestAnimationFrame(() => this.show(point));
    return true;
  }

  private put(point: Point, x: number, y: number): void {
    const [nowX, nowY] = this.toScreen(point);
    this.scroller!.scrollLeft += nowX - x;
    this.scroller!.scrollTop += nowY - y;
  }
}

/** Two fingers on an element draw the map larger and move it. */
export function pinch(node: HTMLElement, view: Viewport): { destroy: () => void } {
  let last: { distance: number; x: number; y: number } | null = null;
  const fingers = ([a, b]: TouchList) => ({
    distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
    x: (a.clientX + b.clientX) / 2,
    y: (a.clientY + b.clientY) / 2,
  });
  const touch = (event: TouchEvent) => {
    if (event.touches.length !== 2) {
      last = null;
      return;
    }
    event.preventDefault(); // the browser would zoom or scroll the page
    const now = fingers(event.touches);
    if (last && last.distance > 0) view.zoomTo((view.zoom * now.distance) / last.distance, last.x, last.y, now.x, now.y);
    last = now;
  };
  const kinds = ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const;
  for (const kind of kinds) node.addEventListener(kind, touch, { passive: false });
  return { destroy: () => kinds.forEach((kind) => node.removeEventListener(kind, touch)) };
}

/** The wheel: with Ctrl, as touchpads send two fingers, the zoom; else what the screen makes of it on a region. */
export function wheel(node: SVGSVGElement, { view, onroll }: { view: Viewport; onroll: (region: number, by: number) => boolean }): { destroy: () => void } {
  const listener = (event: WheelEvent) => {
    if (!event.deltaY) return;
    const there = (event.target as Element).closest('[data-region]') as SVGElement | null;
    if (event.ctrlKey || event.metaKey) view.zoomTo(view.zoom * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    else if (!there || !onroll(Number(there.dataset.region), event.deltaY < 0 ? 1 : -1)) return;
    event.preventDefault();
  };
  node.addEventListener('wheel', listener, { passive: false });
  return { destroy: () => node.removeEventListener('wheel', listener) };
}
