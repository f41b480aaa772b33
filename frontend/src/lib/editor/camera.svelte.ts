// The visible part of the map editor's sheet: scroll position and zoom, changed by dragging, wheel, two fingers and
// buttons.
import type { Point } from '../geometry';
import type { Sketch } from './sketch';

const [LEAST, MOST] = [0.05, 40]; // minimum and maximum scale, in screen pixels per map unit

export class Camera {
  scale = $state(1);
  x = $state(0); // position of the map's origin in the frame, in pixels
  y = $state(0);
  width = $state(800); // size of the frame in pixels
  height = $state(600);
  frame: HTMLElement | undefined = $state();

  /** Convert screen coordinates to map coordinates. */
  toMap(clientX: number, clientY: number): Point {
    const { left, top } = this.frame!.getBoundingClientRect();
    return [(clientX - left - this.x) / this.scale, (clientY - top - this.y) / this.scale];
  }

  /** The map point at the centre of the frame. */
  get middle(): Point {
    return [(this.width / 2 - this.x) / this.scale, (this.height / 2 - this.y) / this.scale];
  }

  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
  }

  /** Multiply the scale by `factor`. The map point at the given screen position does not move. */
  zoom(factor: number, clientX: number, clientY: number): void {
    const { left, top } = this.frame!.getBoundingClientRect();
    const scale = Math.max(LEAST, Math.min(MOST, this.scale * factor));
    const [x, y] = [clientX - left, clientY - top];
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
  }

  step(factor: number): void {
    const { left, top } = this.frame!.getBoundingClientRect();
    this.zoom(factor, left + this.width / 2, top + this.height / 2);
  }

  /** Show the whole sheet. `top` is the height of the bar that covers the top of the frame, in pixels. */
  fit([x, y, width, height]: Sketch['box'], top: number): void {
    const edge = 16;
    const room = this.height - top;
    this.scale = Math.max(LEAST, Math.min(MOST, (this.width - 2 * edge) / width, (room - 2 * edge) / height));
    this.x = (this.width - width * this.scale) / 2 - x * this.scale;
    this.y = top + (room - height * this.scale) / 2 - y * this.scale;
  }

  /** Centre the view on a map point, if the point is not well inside the frame. */
  show([x, y]: Point): void {
    const [left, top] = [x * this.scale + this.x, y * this.scale + this.y];
    const edge = 60;
    if (left > edge && top > edge && left < this.width - edge && top < this.height - edge) return;
    this.pan(this.width / 2 - left, this.height / 2 - top);
  }
}
