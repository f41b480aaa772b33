// Handling of mouse, pen and touch input on the sheet for the selected tool.
import type { Point } from '../geometry';
import { t } from '../i18n.svelte';
import type { Camera } from './camera.svelte';
import { added, changed, cornerAdded, cornerMoved, cornerNear, addBorder, moved } from './edits';
import { distance } from './polygons';
import type { Sketch } from './sketch';
import type { EditorState } from './editor-state.svelte';

const STILL = 5; // a pointer that moves at most this far, in screen pixels, makes a press, not a drag
export const NEAR = 11; // distance in screen pixels within which a new corner snaps to an existing one

const GRIP = 14; // distance in screen pixels from the point of a cell within which a press takes hold of the cell

/** The map elements at a screen position. */
interface Under {
  region: number | null;
  corner: Point | null;
  side: [Point, Point] | null; // a side of the selected region
  border: [number, number] | null;
}

type Drag =
  | { kind: 'pan'; last: Point }
  | { kind: 'region'; key: number; from: Point; start: Sketch }
  | { kind: 'corner'; at: Point; start: Sketch }
  | { kind: 'paint' }
  | { kind: 'connect'; key: number }
  | { kind: 'press' };

export class PointerTools {
  pointer = $state.raw<Point | null>(null); // map coordinates of the pointer; null: the pointer is outside of the sheet
  regionOver = $state<number | null>(null); // key of the region below the pointer
  panning = $state(false);
  space = false; // whether the space bar is down: dragging then scrolls the sheet
  private drag: Drag | null = null;
  private down: Point = [0, 0]; // screen coordinates of the last press
  private hasMoved = false;
  private pointers = new Map<number, Point>();

  constructor(
    private editorState: EditorState,
    private camera: Camera,
  ) {}

  /** Distance in map units within which a new corner snaps to an existing one. */
  get snapDistance(): number {
    return NEAR / this.camera.scale;
  }

  start(event: PointerEvent, panOnly = false): void {
    if (event.button > 1) return;
    this.camera.frame!.setPointerCapture(event.pointerId);
    if (this.editorState.tool === 'outline' || this.editorState.tool === 'point') this.focus(event);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.pointers.size > 1) return this.pinch();
    [this.down, this.hasMoved] = [[event.clientX, event.clientY], false];
    const hand = panOnly || this.space || event.button === 1 || this.editorState.tool === 'hand';
    this.drag = hand ? { kind: 'pan', last: this.down } : this.startDrag(under(event.clientX, event.clientY), this.camera.toMap(...this.down));
  }

  /** Focus the sheet instead of the pressed region, so that the sheet receives key events. */
  private focus(event: PointerEvent): void {
    event.preventDefault();
    this.camera.frame!.focus({ preventScroll: true });
  }

  /** Cancel the action of the first finger when a second finger touches the sheet. */
  private pinch(): void {
    this.editorState.abandon();
    this.drag = null;
  }

  private startDrag(target: Under, point: Point): Drag {
    const { editorState } = this;
    const { sketch, tool } = editorState;
    const { region } = target;
    if (tool === 'paint') {
      this.paint(region);
      return { kind: 'paint' };
    }
    if (tool === 'connect') return region === null ? { kind: 'pan', last: this.down } : { kind: 'connect', key: region };
    if (tool === 'outline') return { kind: 'press' };
    if (tool === 'select' && target.corner) {
      editorState.chosen = { ...editorState.chosen!, corner: target.corner };
      return { kind: 'corner', at: target.corner, start: sketch };
    }
    if (tool === 'select' && target.side) {
      const [a, b] = target.side;
      const next = cornerAdded(sketch, a, b, point);
      editorState.preview(next);
      return { kind: 'corner', at: [Math.round(10 * point[0]) / 10, Math.round(10 * point[1]) / 10], start: next };
    }
    if (region !== null && !target.border && (tool === 'select' || this.grips(region, point))) {
      editorState.choose('region', region);
      return { kind: 'region', key: region, from: point, start: sketch };
    }
    if (tool === 'point') return { kind: 'press' };
    if (target.border) {
      editorState.choose('border', ...target.border);
      return { kind: 'press' };
    }
    editorState.chosen = null;
    return { kind: 'pan', last: this.down };
  }

  /** Whether a press at a point with the tool for points takes hold of the region, instead of adding one. */
  private grips(region: number, point: Point): boolean {
    const pressed = this.editorState.regionOf(region);
    return pressed?.kind === 'point' || (pressed?.kind === 'cell' && distance(pressed.at, point) <= GRIP / this.camera.scale);
  }

  move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    const screenPoint: Point = [event.clientX, event.clientY];
    if (before && this.pointers.size > 1) {
      this.twoFingers(event.pointerId, screenPoint);
      return;
    }
    if (before) this.pointers.set(event.pointerId, screenPoint);
    this.pointer = this.camera.toMap(...screenPoint);
    const target = under(...screenPoint);
    this.regionOver = target.region;
    if (!this.drag) return;
    this.hasMoved ||= distance(this.down, screenPoint) > STILL;
    if (this.hasMoved) this.dragTo(screenPoint, target.region);
  }

  private dragTo(screenPoint: Point, region: number | null): void {
    const { editorState, drag, pointer } = this;
    if (drag?.kind === 'pan') {
      this.panning = true;
      this.camera.pan(screenPoint[0] - drag.last[0], screenPoint[1] - drag.last[1]);
      drag.last = screenPoint;
    } else if (drag?.kind === 'region') editorState.preview(moved(drag.start, drag.key, [pointer![0] - drag.from[0], pointer![1] - drag.from[1]]));
    else if (drag?.kind === 'corner') {
      const to = cornerNear(drag.start, pointer!, this.snapDistance, drag.at) ?? pointer!;
      editorState.preview(cornerMoved(drag.start, drag.at, to));
      editorState.chosen = { ...editorState.chosen!, corner: [Math.round(10 * to[0]) / 10, Math.round(10 * to[1]) / 10] };
    } else if (drag?.kind === 'paint') this.paint(region);
    else if (drag?.kind === 'connect') editorState.from = drag.key;
  }

  private paint(region: number | null): void {
    const { editorState } = this;
    if (region === null || editorState.regionOf(region)?.group === editorState.group) return;
    // all regions painted in one drag are one undo step
    editorState.preview(changed(editorState.sketch, region, { group: editorState.group }));
    editorState.choose('region', region);
  }

  end(event: PointerEvent): void {
    const wasDown = this.pointers.delete(event.pointerId);
    const { drag, editorState } = this;
    if (!wasDown || this.pointers.size) return;
    [this.drag, this.panning] = [null, false];
    const point = this.camera.toMap(event.clientX, event.clientY);
    editorState.settle();
    if (drag?.kind === 'connect') this.connect(drag.key, under(event.clientX, event.clientY).region);
    else if (drag?.kind === 'press' && !this.hasMoved) this.press(point);
  }

  cancel(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    this.editorState.settle();
    [this.drag, this.panning] = [null, false];
  }

  /** Apply the selected tool at a pressed point of the sheet. */
  press(point: Point): void {
    const { editorState } = this;
    if (editorState.tool === 'outline') editorState.corner(point, this.snapDistance, t('Region'));
    else if (editorState.tool === 'point') {
      const [next, key] = added(editorState.sketch, point, editorState.cells ? 'cell' : 'point', editorState.group, t('Region'));
      editorState.change(next);
      editorState.choose('region', key);
    }
  }

  /** Add or remove a border between two regions, after a drag or two presses. */
  private connect(key: number, to: number | null): void {
    const { editorState } = this;
    const from = this.hasMoved ? key : editorState.from;
    if (to === null || to === from) editorState.from = -1;
    else if (from < 0) editorState.from = to;
    else {
      editorState.change(addBorder(editorState.sketch, from, to));
      const hasBorder = editorState.sketch.borders.some((border) => border.includes(from) && border.includes(to));
      if (hasBorder) editorState.choose('border', from, to);
      editorState.from = -1;
    }
  }

  /** Apply the selected tool to a region that the user selects by keyboard. */
  act(key: number): void {
    const { editorState } = this;
    if (editorState.tool === 'paint') {
      this.paint(key);
      editorState.settle();
    } else if (editorState.tool === 'connect') {
      this.hasMoved = false;
      this.connect(key, key === editorState.from ? null : key);
    } else editorState.choose('region', key);
  }

  private twoFingers(id: number, screenPoint: Point): void {
    const before = this.pointers.get(id)!;
    const other = [...this.pointers].find(([key]) => key !== id)![1];
    this.pointers.set(id, screenPoint);
    this.camera.zoom(distance(screenPoint, other) / Math.max(1, distance(before, other)), (screenPoint[0] + other[0]) / 2, (screenPoint[1] + other[1]) / 2);
    this.camera.pan((screenPoint[0] - before[0]) / 2, (screenPoint[1] - before[1]) / 2);
  }
}

/** Find the map elements at screen coordinates (x, y). The region is found even if a line covers it. */
function under(x: number, y: number): Under {
  const elements = document.elementsFromPoint(x, y).filter((element): element is SVGElement => element instanceof SVGElement);
  const numbers = (text: string | undefined): number[] | null => (text === undefined ? null : text.split(' ').map(Number));
  const region = numbers(elements.find(({ dataset }) => 'key' in dataset)?.dataset.key);
  const [corner, side, border] = [elements[0]?.dataset.corner, elements[0]?.dataset.side, elements[0]?.dataset.border].map(numbers);
  return {
    region: region?.[0] ?? null,
    corner: corner && [corner[0], corner[1]],
    side: side && [[side[0], side[1]], [side[2], side[3]]],
    border: border && [border[0], border[1]],
  };
}
