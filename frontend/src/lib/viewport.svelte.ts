// How large the map is drawn and which part of it is seen: buttons, two fingers, Ctrl and the wheel.
import { flushSync } from 'svelte';
import type { Point } from './geometry';

const MOST = 6;
const NARROW = 560; // pixels: there the map is drawn larger from the start

export class Viewport {
  zoom = $state(1);
  width = $state(900); // of the frame, in pixels
  height = $state(400);
  right = $state(0); // what lies over the frame there, in pixels
  bottom = $state(0);
  scroller: HTMLElement | undefined = $state();
  svg: SVGSVGElement | undefined = $state();
  private narrow = false;

  /** `shape`: the map's width by its height. */
  constructor(private shape: () => number) {}

  /** How wide the map is drawn: as the whole of it fits beside what lies over the frame, times the zoom. */
  get drawn(): number {
    return Math.max(80, Math.min(this.width - this.right, (this.height - this.bottom) * this.shape())) * this.zoom;
  }

  get largest(): boolean {
    return this.zoom >= MOST;
  }

  toMap(x: number, y: number): Point {
    const p = new DOMPoint(x, y).matrixTransform(this.svg!.getScreenCTM()!.inverse());
    return [p.x, p.y];
  }

  /** The part of the map that is seen: left, top, width, height; null: it is not on the screen yet. */
  get seen(): [number, number, number, number] | null {
    if (!this.scroller || !this.svg) return null;
    const { left, top, width, height } = this.scroller.getBoundingClientRect();
    const [from, to] = [this.toMap(left, top), this.toMap(left + width - this.right, top + height - this.bottom)];
    return [from[0], from[1], to[0] - from[0], to[1] - from[1]];
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
    this.zoomTo(this.zoom * factor, box.left + (box.width - this.right) / 2, box.top + (box.height - this.bottom) / 2);
  }

  /** Bring a point into view, if it is not. */
  show(point: Point): void {
    const { scroller } = this;
    if (!scroller || !this.svg || this.zoom <= 1) return;
    const { left, top, width, height } = scroller.getBoundingClientRect();
    const [wide, high] = [width - this.right, height - this.bottom];
    const [x, y] = this.toScreen(point);
    const edge = Math.min(40, wide / 8);
    if (x > left + edge && x < left + wide - edge && y > top + edge && y < top + high - edge) return;
    this.put(point, left + wide / 2, top + high / 2);
  }

  /** On a narrow screen the map is drawn larger, and begins at a point; true: it has just become narrow, or wide. */
  fit(point: Point): boolean {
    if (this.narrow === this.width < NARROW) return false;
    this.narrow = this.width < NARROW;
    this.zoom = this.narrow ? 2.2 : 1;
    requestAnimationFrame(() => this.show(point));
    return true;
  }

  /** Take hold of the map; what comes back moves it so many pixels from where it is now. */
  grab(): (x: number, y: number) => void {
    const { scrollLeft, scrollTop } = this.scroller!;
    return (x, y) => this.scroller!.scrollTo(scrollLeft - x, scrollTop - y);
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
export function wheel(node: HTMLElement, { view, onroll }: { view: Viewport; onroll: (region: number, by: number) => boolean }): { destroy: () => void } {
  const listener = (event: WheelEvent) => {
    if (!event.deltaY) return;
    const there = (event.target as Element).closest('[data-region]') as SVGElement | null;
    if ((event.target as Element).closest('input')) return;
    if (event.ctrlKey || event.metaKey) view.zoomTo(view.zoom * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    else if (!there || !onroll(Number(there.dataset.region), event.deltaY < 0 ? 1 : -1)) return;
    event.preventDefault();
  };
  node.addEventListener('wheel', listener, { passive: false });
  return { destroy: () => node.removeEventListener('wheel', listener) };
}
