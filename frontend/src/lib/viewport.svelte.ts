// The zoom and scroll position of the map, changed by buttons, two fingers, or Ctrl and the wheel.
import { flushSync } from 'svelte';
import type { Point } from './geometry';

const MOST = 6;
const SIGNS: Point = [44, 34]; // room in pixels for the signs beside and above a region's armies
const NARROW = 560; // width in pixels below which the map starts with a larger zoom

export class Viewport {
  zoom = $state(1);
  width = $state(900); // size of the frame in pixels
  height = $state(400);
  right = $state(0); // widths in pixels that cards cover at the right and at the bottom
  bottom = $state(0);
  top = $state(0); // height in pixels of a legend above the map
  scrolled = $state(0); // number of scroll events; code that depends on the scroll position reads it
  scroller: HTMLElement | undefined = $state();
  svg: SVGSVGElement | undefined = $state();
  private narrow = false;

  /** `shape` returns the map's width divided by its height. */
  constructor(private shape: () => number) {}

  /** Width of the drawn map in pixels: the width at which the whole map fits next to the cards, times the zoom. */
  get drawn(): number {
    return Math.max(80, Math.min(this.width - this.right, (this.height - this.top - this.bottom) * this.shape())) * this.zoom;
  }

  get largest(): boolean {
    return this.zoom >= MOST;
  }

  toMap(x: number, y: number): Point {
    const p = new DOMPoint(x, y).matrixTransform(this.svg!.getScreenCTM()!.inverse());
    return [p.x, p.y];
  }

  /** The visible part of the map in map units: left, top, width, height; null: the map is not on the page yet. */
  get visibleBox(): [number, number, number, number] | null {
    if (!this.scroller || !this.svg) return null;
    const { left, top, width, height } = this.scroller.getBoundingClientRect();
    const [from, to] = [this.toMap(left, top + this.top), this.toMap(left + width - this.right, top + height - this.bottom)];
    return [from[0], from[1], to[0] - from[0], to[1] - from[1]];
  }

  private toScreen([x, y]: Point): Point {
    const p = new DOMPoint(x, y).matrixTransform(this.svg!.getScreenCTM()!);
    return [p.x, p.y];
  }

  /** Set the zoom. The map point at screen position (x, y) moves to (toX, toY). */
  zoomTo(zoom: number, x: number, y: number, toX = x, toY = y): void {
    const point = this.toMap(x, y);
    flushSync(() => (this.zoom = Math.min(MOST, Math.max(1, zoom))));
    this.scrollTo(point, toX, toY);
  }

  /** Multiply the zoom by `factor` around the centre of the visible part. */
  step(factor: number): void {
    const box = this.scroller!.getBoundingClientRect();
    this.zoomTo(this.zoom * factor, box.left + (box.width - this.right) / 2, box.top + (box.height + this.top - this.bottom) / 2);
  }

  /** Scroll to a map point if it is not visible. */
  show(point: Point): void {
    const { scroller } = this;
    if (!scroller || !this.svg || this.zoom <= 1) return;
    const frame = scroller.getBoundingClientRect();
    const [left, top] = [frame.left, frame.top + this.top];
    const [visibleWidth, visibleHeight] = [frame.width - this.right, frame.height - this.top - this.bottom];
    const [x, y] = this.toScreen(point);
    const edge = Math.min(40, visibleWidth / 8);
    if (x > left + edge && x < left + visibleWidth - edge && y > top + edge && y < top + visibleHeight - edge) return;
    this.scrollTo(point, left + visibleWidth / 2, top + visibleHeight / 2);
  }

  /** Scroll to a map point, so that it is in the middle of the visible part. */
  centre(point: Point): void {
    const { left, top, width, height } = this.scroller!.getBoundingClientRect();
    this.scrollTo(point, left + (width - this.right) / 2, top + (height + this.top - this.bottom) / 2);
  }

  /** Scroll, and reduce the zoom if that is necessary, until all points and the signs next to them are visible. */
  fitAll(points: Point[]): void {
    const { scroller, top } = this;
    if (!scroller || !this.svg || !points.length || this.zoom <= 1) return;
    const frame = scroller.getBoundingClientRect();
    const [visibleWidth, visibleHeight] = [frame.width - this.right, frame.height - this.bottom - top];
    const places = points.map((point) => this.toScreen(point));
    const range = ([0, 1] as const).map((k) => [Math.min(...places.map((p) => p[k])), Math.max(...places.map((p) => p[k]))]);
    const minEdges = [frame.left, frame.top + top];
    const room = [visibleWidth, visibleHeight].map((size, k) => size - (range[k][1] - range[k][0]) - 2 * SIGNS[k]);
    if (range.every(([from, to], k) => from - SIGNS[k] >= minEdges[k] && to + SIGNS[k] <= minEdges[k] + [visibleWidth, visibleHeight][k])) return;
    const zooms = [visibleWidth, visibleHeight].map((size, k) => (room[k] >= 0 ? this.zoom : (this.zoom * Math.max(1, size - 2 * SIGNS[k])) / (range[k][1] - range[k][0])));
    const [x, y] = range.map(([from, to]) => (from + to) / 2);
    this.zoomTo(Math.min(...zooms), x, y, frame.left + visibleWidth / 2, frame.top + top + visibleHeight / 2);
  }

  /** Scroll until all points are visible if they have space, and otherwise to the point nearest to their middle. */
  showAll(points: Point[]): void {
    const { visibleBox } = this;
    if (!visibleBox || !points.length || this.zoom <= 1) return;
    const range = ([0, 1] as const).map((k) => [Math.min(...points.map((p) => p[k])), Math.max(...points.map((p) => p[k]))]);
    if (range.every(([low, high], k) => low >= visibleBox[k] && high <= visibleBox[k] + visibleBox[k + 2])) return;
    const middle: Point = [(range[0][0] + range[0][1]) / 2, (range[1][0] + range[1][1]) / 2];
    const distance = (p: Point) => Math.hypot(p[0] - middle[0], p[1] - middle[1]);
    const isFitting = range.every(([low, high], k) => high - low <= 0.8 * visibleBox[k + 2]);
    this.centre(isFitting ? middle : points.reduce((best, p) => (distance(p) < distance(best) ? p : best)));
  }

  /**
   * When the frame becomes narrow, enlarge the map and scroll to a point; when it becomes wide, reset the zoom. Returns
   * true if the frame became narrow or wide.
   */
  fit(point: Point): boolean {
    if (this.narrow === this.width < NARROW) return false;
    this.narrow = this.width < NARROW;
    this.zoom = this.narrow ? 2.2 : 1;
    requestAnimationFrame(() => this.show(point));
    return true;
  }

  /** Start to drag the map. The returned function scrolls it by (x, y) pixels from its present position. */
  grab(): (x: number, y: number) => void {
    const { scrollLeft, scrollTop } = this.scroller!;
    return (x, y) => this.scroller!.scrollTo(scrollLeft - x, scrollTop - y);
  }

  private scrollTo(point: Point, x: number, y: number): void {
    const [nowX, nowY] = this.toScreen(point);
    this.scroller!.scrollLeft += nowX - x;
    this.scroller!.scrollTop += nowY - y;
  }
}

/** Svelte action: two fingers on an element zoom and scroll the map. */
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
    if (event.cancelable) event.preventDefault(); // otherwise the browser zooms or scrolls the page
    const current = fingers(event.touches);
    if (last && last.distance > 0) view.zoomTo((view.zoom * current.distance) / last.distance, last.x, last.y, current.x, current.y);
    last = current;
  };
  const kinds = ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const;
  for (const kind of kinds) node.addEventListener(kind, touch, { passive: false });
  return { destroy: () => kinds.forEach((kind) => node.removeEventListener(kind, touch)) };
}

interface WheelActions {
  view: Viewport;
  onroll: (region: number, change: number) => boolean;
  onaim: (change: number) => void;
}

/**
 * Svelte action for the wheel. With Ctrl (also sent by touchpads for two fingers) it zooms; otherwise it calls `onaim`
 * above the preview of an order, and `onroll` for the region below the pointer.
 */
export function wheel(node: HTMLElement, { view, onroll, onaim }: WheelActions): { destroy: () => void } {
  const listener = (event: WheelEvent) => {
    if (!event.deltaY) return;
    const target = event.target as Element;
    const region = target.closest('[data-region]') as SVGElement | null;
    const change = event.deltaY < 0 ? 1 : -1;
    if (event.ctrlKey || event.metaKey) view.zoomTo(view.zoom * Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    else if (target.closest('.aim')) onaim(change);
    else if (!region || !onroll(Number(region.dataset.region), change)) return;
    event.preventDefault();
  };
  node.addEventListener('wheel', listener, { passive: false });
  return { destroy: () => node.removeEventListener('wheel', listener) };
}
