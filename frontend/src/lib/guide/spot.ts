// Find the screen position of the guide's target, and whether cards must be opened or closed to show it.
import type { Target } from './step';

export interface Spot {
  element: Element;
  box: { left: number; top: number; width: number; height: number };
  round: boolean; // whether the target is a region of the map, which gets a round mark
  // whether the target is in a closed panel of cards, or covered by an open one; then `box` is the panel's handle
  behind: 'closed' | 'covered' | null;
  seen: boolean; // whether the target is visible without scrolling
  isUnderPreview: boolean; // whether the preview of an order covers the target
}

const REACH = 17; // radius in pixels of the mark around a region's badge

/** Return the screen position of a target; null: it is not on the page. */
export function spotOf(target: Target): Spot | null {
  const element = document.querySelector('region' in target ? `path[data-region="${target.region}"]` : target.css);
  if (!element) return null;
  const handle = document.querySelector('aside .handle');
  const ofHandle = (state: Spot['behind']): Spot => ({ element: handle!, box: boxOf(handle!), round: false, behind: state, seen: true, isUnderPreview: false });
  if (element.closest('[hidden]')) return handle && ofHandle('closed');
  const round = element instanceof SVGPathElement;
  const box = round ? badgeBox(element) : boxOf(element);
  const topElement = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  const cards = topElement?.closest('aside');
  if (handle && cards && !cards.contains(element)) return ofHandle('covered');
  const isOnTop = topElement !== null && (element.contains(topElement) || topElement.closest('.note') !== null);
  return { element, box, round, behind: null, seen: isOnTop, isUnderPreview: !isOnTop && topElement?.closest('.aim')?.contains(element) === false };
}

function boxOf(element: Element): Spot['box'] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}

/** Return the box around a region's badge, where the user presses the region. */
function badgeBox(path: SVGPathElement): Spot['box'] {
  const [x, y] = path.dataset.label!.split(' ').map(Number);
  const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(path.getScreenCTM()!);
  return { left: left - REACH, top: top - REACH, width: 2 * REACH, height: 2 * REACH };
}

/** Return the box of a region's badge and name on the screen; null: the map is not on the page. */
export function placeOf(region: number): DOMRect | null {
  const path = document.querySelector<SVGPathElement>(`path[data-region="${region}"]`);
  if (!path) return null;
  const { left, top, width, height } = badgeBox(path);
  return new DOMRect(left - width, top - height / 2, 3 * width, 2.2 * height);
}

/** Scroll the target into view. */
export function reveal({ element, seen }: Spot): void {
  if (!seen) element.scrollIntoView({ block: 'center', inline: 'center' });
}

export interface Place {
  left: number;
  top: number;
}

const STRIDE = 12; // distance in pixels between the positions that `besides` compares

// Elements that the note should not cover: what the player needs for the turn, rings of regions that the player can
// press, other controls, and cards.
const NEEDED = ['.aim', '.phases', 'aside .handle'];
const RINGS = ['.ring'];
const CONTROLS = ['footer', 'header.bar', '.status:has(span:not(:empty))'];
const CARDS = ['aside:has(.cards:not([hidden]))'];

/** The boxes of the elements that the note should not cover. */
export interface Obstacles {
  needed: DOMRect[];
  rings: DOMRect[];
  controls: DOMRect[];
  cards: DOMRect[];
}

export function obstacles(): Obstacles {
  const boxes = (css: string[]) => [...document.querySelectorAll(css.join())].map((e) => e.getBoundingClientRect());
  return { needed: boxes(NEEDED), rings: boxes(RINGS), controls: boxes(CONTROLS), cards: boxes(CARDS) };
}

/** Return the boxes of the badges and names on the map. */
export const figures = (): DOMRect[] => [...document.querySelectorAll('.badge, .name')].map((e) => e.getBoundingClientRect());

/**
 * Return the position for a note of `noteWidth` × `noteHeight` pixels: inside the window, near the box, and with little overlap.
 * Overlap with needed elements costs most, then overlap with the box and with the regions that the note names, then
 * overlap with rings. Overlap with other controls costs more than overlap with cards and with `figures` of the map.
 * Without a box, the note is near the top left.
 */
export function besides(box: Spot['box'] | null, noteWidth: number, noteHeight: number, named: DOMRect[], { needed, rings, controls, cards }: Obstacles, figures: DOMRect[]): Place {
  const [gap, edge] = [16, 8];
  const [right, bottom] = [Math.max(edge, innerWidth - noteWidth - edge), Math.max(edge, innerHeight - noteHeight - edge)];
  const [x, y] = box ? [box.left + box.width / 2, box.top + box.height / 2] : [edge + noteWidth / 2, 60 + noteHeight / 2];
  const target = box ? [new DOMRect(box.left - gap / 2, box.top - gap / 2, box.width + gap, box.height + gap)] : [];
  const weighted: [number, DOMRect][] = [
    ...needed.map((b): [number, DOMRect] => [400, b]),
    ...[...target, ...named].map((b): [number, DOMRect] => [50, b]),
    ...rings.map((b): [number, DOMRect] => [20, b]),
    ...controls.map((b): [number, DOMRect] => [8, b]),
    ...[...cards, ...figures].map((b): [number, DOMRect] => [2, b]),
  ];
  let [place, lowestCost] = [{ left: edge, top: edge }, Infinity];
  const cost = (left: number, top: number): number => {
    let sum = 5 * Math.hypot(left + noteWidth / 2 - x, top + noteHeight / 2 - y);
    for (const [weight, b] of weighted) {
      if (sum >= lowestCost) return sum; // another place is better
      const width = Math.min(b.right, left + noteWidth) - Math.max(b.left, left);
      const height = Math.min(b.bottom, top + noteHeight) - Math.max(b.top, top);
      if (width > 0 && height > 0) sum += weight * width * height;
    }
    return sum;
  };
  for (const left of spread(edge, right)) {
    for (const top of spread(edge, bottom)) {
      const candidateCost = cost(left, top);
      if (candidateCost < lowestCost) [place, lowestCost] = [{ left, top }, candidateCost];
    }
  }
  return place;
}

/** Return numbers from `low` to `high`, both included, at most `STRIDE` apart. */
function spread(low: number, high: number): number[] {
  const parts = Math.ceil((high - low) / STRIDE);
  return Array.from({ length: parts + 1 }, (_, k) => (parts ? low + ((high - low) * k) / parts : low));
}
