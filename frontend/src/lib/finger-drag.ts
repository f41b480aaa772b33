// Drags of one finger that begin on a region. The browser moves the map and cancels the pointer events, so this module
// uses touch events, and never prevents the movement.
import type { Viewport } from './viewport.svelte';

const SHORTEST = 24; // pixels that a finger must move

interface FingerDrags {
  view: Viewport;
  /**
   * Called at the end of a drag. to: the region at which the finger would be if the map had not moved; null: none.
   * still: whether the map did not move.
   */
  ondrag: (from: number, to: number | null, still: boolean) => void;
}

/** Svelte action: report the drags of one finger that begin on a region. */
export function fingerDrags(node: HTMLElement, { view, ondrag }: FingerDrags): { destroy: () => void } {
  let began: { region: number; x: number; y: number; left: number; top: number; toMap: DOMMatrix } | null = null;

  function start(event: TouchEvent): void {
    const region = (event.target as Element).closest<SVGElement>('[data-region]')?.dataset.region;
    began = null;
    if (event.touches.length !== 1 || region === undefined) return;
    const [{ clientX: x, clientY: y }] = event.touches;
    began = { region: Number(region), x, y, left: node.scrollLeft, top: node.scrollTop, toMap: view.svg!.getScreenCTM()!.inverse() };
  }

  function end({ changedTouches: [finger] }: TouchEvent): void {
    const drag = began;
    began = null;
    if (!drag || Math.hypot(finger.clientX - drag.x, finger.clientY - drag.y) < SHORTEST) return;
    const point = new DOMPoint(finger.clientX, finger.clientY).matrixTransform(drag.toMap);
    const below = [...view.svg!.querySelectorAll<SVGPathElement>('path[data-region]')].find((path) => path.isPointInFill(point));
    ondrag(drag.region, below ? Number(below.dataset.region) : null, node.scrollLeft === drag.left && node.scrollTop === drag.top);
  }

  const cancel = () => (began = null);
  const listeners = { touchstart: start, touchend: end, touchcancel: cancel } as const;
  for (const [kind, listener] of Object.entries(listeners)) node.addEventListener(kind, listener as EventListener, { passive: true });
  return { destroy: () => Object.entries(listeners).forEach(([kind, listener]) => node.removeEventListener(kind, listener as EventListener)) };
}
